#include "tests/gui/document_test.h"

#include <QSignalSpy>

#include "gui/folded_lines.h"
#include "gui/line_layout.h"
#include "gui/places.h"
#include "gui/text_search.h"
#include "gui/values.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

const QByteArray two_kernels =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".func other(.param .b32 x);\n"
    ".visible .entry a(.param .u64 p)\n{\n\t.reg .b64 %rd<3>;\n\tld.param.u64 %rd1, [p];\n\tmov.u64 %rd2, %rd1;\n"
    "$L_1:\n\tst.global.u64 [%rd2], %rd1;\n\tret;\n}\n"
    ".visible .entry b()\n{\n\t.reg .b32 x;\n\tmov.u32 x, %tid.x;\n\tret;\n}\n";

}  // namespace

void DocumentTest::loads() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  QSignalSpy changed(&document, &Document::module_changed);
  QCOMPARE(document.stage(), Stage::idle);
  document.load();
  QCOMPARE(document.stage(), Stage::loading);
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::ready);
  QCOMPARE(changed.count(), 1);
  QCOMPARE(document.generation(), std::uint64_t{1});
  QCOMPARE(document.title(), QStringLiteral("vecadd.ptx"));
  QCOMPARE(document.module()->functions().size(), std::size_t{1});
}

void DocumentTest::says_what_is_wrong_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::addColumn<QString>("what");
  QTest::newRow("empty") << QByteArray() << QStringLiteral("empty");
  QTest::newRow("bitcode") << QByteArray("BC\xc0\xde....") << QStringLiteral("bitcode");
  QTest::newRow("utf16") << QByteArray("\xff\xfe.\0v\0", 6) << QStringLiteral("UTF-16");
  QTest::newRow("gzip") << QByteArray("\x1f\x8b\x08....") << QStringLiteral("compressed");
  QTest::newRow("binary") << QByteArray(2000, '\x01') << QStringLiteral("binary");
}

void DocumentTest::says_what_is_wrong() {
  QFETCH(QByteArray, bytes);
  QFETCH(QString, what);
  const Scratch scratch;
  Document document({scratch.write(QStringLiteral("x.ptx"), bytes), {}});
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::failed);
  QVERIFY2(document.problem().what.contains(what), qPrintable(document.problem().what));
  QVERIFY(!document.problem().remedy.isEmpty());
  QVERIFY(document.module() == nullptr);
  for (const QString& path : {scratch.path(QStringLiteral("none.ptx")), scratch.path(QStringLiteral("."))}) {
    Document missing({path, {}});
    missing.load();
    QVERIFY(wait_for_load(missing));
    QCOMPARE(missing.stage(), Stage::failed);
    QVERIFY(!missing.problem().remedy.isEmpty());
  }
}

void DocumentTest::shows_what_could_be_read() {
  const Scratch scratch;
  QByteArray broken = two_kernels;
  broken.replace("mov.u64 %rd2, %rd1;", "mov.u64 %rd2, ,,%rd1;");
  Document document({scratch.write(QStringLiteral("x.ptx"), broken), {}});
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::ready);
  QVERIFY(document.module()->has_errors());
  QCOMPARE(document.module()->functions().size(), std::size_t{3});
  const auto all = wait_for_answer([&] { return document.diagnostics(); });
  QVERIFY(all);
  QVERIFY(!all->empty());
  QCOMPARE(document.module()->position(all->front().span).line, 9U);
}

void DocumentTest::works_out_results() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  QVERIFY(!document.flow(0).problem.isEmpty());  // nothing is loaded
  document.load();
  QVERIFY(wait_for_load(document));
  QSignalSpy ready(&document, &Document::result_ready);
  QVERIFY(document.flow(0).pending());
  const auto flow = wait_for_answer([&] { return document.flow(0); });
  QVERIFY(flow);
  QVERIFY(flow->cfg.blocks.size() > 3);
  QVERIFY(ready.count() >= 1);
  QCOMPARE(document.flow(0).value, flow.value);  // kept
  QVERIFY(wait_for_answer([&] { return document.live(0); }));
  const auto traps = wait_for_answer([&] { return document.traps(0); });
  QVERIFY(traps);
  QCOMPARE(traps->functions.size(), std::size_t{1});
  QCOMPARE(traps->functions[0].traps.size(), std::size_t{2});
  const auto counts = wait_for_answer([&] { return document.trap_counts(); });
  QVERIFY(counts);
  QCOMPARE(counts->at(0), 2U);
  const auto stats = wait_for_answer([&] { return document.stats(); });
  QVERIFY(stats);
  QCOMPARE(stats->functions[0].counts.instructions, std::uint64_t{36});
  QVERIFY(wait_for_answer([&] { return document.check(); }));
}

void DocumentTest::has_no_result_for_a_declaration() {
  const Scratch scratch;
  Document document({scratch.write(QStringLiteral("x.ptx"), two_kernels), {}});
  document.load();
  QVERIFY(wait_for_load(document));
  QVERIFY(document.flow(0).problem.contains(QStringLiteral("declared")));
  QVERIFY(!document.live(99).problem.isEmpty());
  QVERIFY(!document.traps(no_index).problem.isEmpty());
}

void DocumentTest::reloads_when_the_file_changes() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"), two_kernels);
  Document document({path, {}});
  document.load();
  QVERIFY(wait_for_load(document));
  const auto old = document.module();
  scratch.write(QStringLiteral("x.ptx"), QByteArray(two_kernels).replace("entry b", "entry c"));
  QVERIFY(wait_for([&] { return document.generation() == 2; }));
  QVERIFY(document.module()->find_name("c") != no_name);
  QVERIFY(old->find_name("b") != no_name);  // who holds the old one may go on using it
}

void DocumentTest::reloads_when_the_file_is_replaced() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"), two_kernels);
  Document document({path, {}});
  document.load();
  QVERIFY(wait_for_load(document));
  for (int round = 0; round < 2; ++round) {  // the second time the file watched is another one
    const QByteArray name = "entry c" + QByteArray::number(round);
    const QString other = scratch.write(QStringLiteral("x.new"), QByteArray(two_kernels).replace("entry b", name));
    QVERIFY(QFile::remove(path));
    QVERIFY(QFile::rename(other, path));
    QVERIFY(wait_for([&] { return document.generation() == static_cast<std::uint64_t>(2 + round); }));
    QVERIFY(document.module()->find_name(name.mid(6).toStdString()) != no_name);
  }
}

void DocumentTest::keeps_the_old_text_when_reloading_fails() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"), two_kernels);
  Document document({path, {}});
  document.load();
  QVERIFY(wait_for_load(document));
  QVERIFY(QFile::remove(path));
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::failed);
  QVERIFY(document.module() != nullptr);
  QVERIFY(!document.problem().empty());
}

void DocumentTest::says_that_the_file_is_gone() {
  const Scratch scratch;
  const QString path = scratch.copy_of(sample("vecadd/vecadd.ptx"), QStringLiteral("a.ptx"));
  const QString aside = scratch.path(QStringLiteral("aside"));
  Document document({path, {}});
  document.load();
  QVERIFY(wait_for_load(document));
  const auto module = document.module();
  QVERIFY(module != nullptr);
  QVERIFY(QFile::rename(path, aside));
  QVERIFY(wait_for([&] { return document.stage() == Stage::failed; }));
  QVERIFY(document.problem().what.contains(QLatin1String("not there any more")));
  QCOMPARE(document.module(), module);
  // The same file, no newer than it was.
  QVERIFY(QFile::rename(aside, path));
  QVERIFY(wait_for([&] { return document.stage() == Stage::ready; }));
  QVERIFY(document.problem().empty());
}

void DocumentTest::cancels() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  document.load();
  document.cancel();
  QCOMPARE(document.stage(), Stage::cancelled);
  QTest::qWait(100);
  QVERIFY(document.module() == nullptr);
  QCOMPARE(document.stage(), Stage::cancelled);
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::ready);
  document.load();
  document.cancel();
  QCOMPARE(document.stage(), Stage::ready);
  QCOMPARE(document.generation(), std::uint64_t{1});
}

void DocumentTest::drops_work_of_an_old_text() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  document.load();
  QVERIFY(wait_for_load(document));
  static_cast<void>(document.flow(0));
  static_cast<void>(document.stats());
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.generation(), std::uint64_t{2});
  QVERIFY(document.flow(0).pending());  // asked anew
  QVERIFY(wait_for_answer([&] { return document.flow(0); }));
}

void DocumentTest::opens_an_image_of_a_container() {
  const QString file = sample("vecadd_cuda/vecadd.fatbin");
  if (!QFile::exists(file)) QSKIP("the sample fat binary is not there");
  const FileListing listing = list_file(file, {});
  QVERIFY2(listing.problem.empty(), qPrintable(listing.problem.what));
  QVERIFY(!listing.is_text);
  QVERIFY(listing.images.size() > 1);
  Document document({file, listing.images.back().name});
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::ready);
  QCOMPARE(document.title(), listing.images.back().name);
  Document missing({file, QStringLiteral("vecadd.fatbin:sm_1:1")});
  missing.load();
  QVERIFY(wait_for_load(missing));
  QCOMPARE(missing.stage(), Stage::failed);
  QVERIFY(!missing.problem().remedy.isEmpty());
  // Broken PTX is PTX all the same; a text without any is not a container.
  const Scratch scratch;
  QVERIFY(list_file(scratch.write(QStringLiteral("x"), two_kernels), {}).is_text);
  QVERIFY(!list_file(scratch.write(QStringLiteral("y"), QByteArray(3000, '\x02')), {}).problem.empty());
}

void DocumentTest::finds_places() {
  const Module module = parse(two_kernels.toStdString(), "x.ptx");
  QCOMPARE(line_count(module), 20U);
  QCOMPARE(line_begin(module, 2), 13U);
  const std::uint32_t store = statement_of(module, "st.global");
  QCOMPARE(module.statement(store).kind(), StatementKind::instruction);
  QCOMPARE(statement_on_line(module, module.line_of_statement(store)), store);
  QCOMPARE(function_of(module, store), 1U);
  QCOMPARE(function_of(module, 0), no_index);
  QCOMPARE(statement_at(module, static_cast<std::uint32_t>(module.text().size())), no_index);
  QCOMPARE(statement_on_line(module, 20), no_index);
  const Module empty = parse("", "e.ptx");
  QCOMPARE(line_count(empty), 1U);
  QCOMPARE(statement_at(empty, 0), no_index);
  QVERIFY(!symbol_at(empty, 0));
}

void DocumentTest::finds_symbols() {
  const Module module = parse(two_kernels.toStdString(), "x.ptx");
  const std::uint32_t store = offset_of(module, "[%rd2], %rd1");
  const auto reg = symbol_at(module, store + 1);
  QVERIFY(reg);
  QCOMPARE(reg->symbol.kind, Symbol::Kind::reg);
  QCOMPARE(spelling(module, reg->symbol), std::string("%rd2"));
  QCOMPARE(module.text(reg->span), std::string_view("%rd2"));
  QVERIFY(!symbol_at(module, offset_of(module, "st.global") + 2));  // an opcode is no symbol
  const auto tid = symbol_at(module, offset_of(module, "%tid.x"));
  QVERIFY(tid);
  QCOMPARE(module.text(tid->span), std::string_view("%tid"));
  const auto label = symbol_at(module, offset_of(module, "$L_1") + 1);
  QVERIFY(label);
  QCOMPARE(label->symbol.function, 1U);
  const auto kernel = symbol_at(module, offset_of(module, "entry b") + 6);
  QVERIFY(kernel);
  QCOMPARE(kernel->symbol.function, no_index);
}

void DocumentTest::finds_occurrences_and_declarations() {
  const Module module = parse(two_kernels.toStdString(), "x.ptx");
  const auto rd1 = symbol_at(module, offset_of(module, "%rd1"));
  QVERIFY(rd1);
  QCOMPARE(occurrences(module, rd1->symbol).size(), std::size_t{3});
  QCOMPARE(occurrences(module, rd1->symbol, 2).size(), std::size_t{2});
  QCOMPARE(module.text(*declaration_of(module, rd1->symbol)), std::string_view("%rd<3>"));
  const auto parameter = symbol_at(module, offset_of(module, "[p]") + 1);
  QVERIFY(parameter);
  QCOMPARE(occurrences(module, parameter->symbol).size(), std::size_t{2});
  QCOMPARE(module.position(*declaration_of(module, parameter->symbol)).line, 5U);
  const auto x = symbol_at(module, offset_of(module, "mov.u32 x") + 8);
  QVERIFY(x);
  QCOMPARE(x->symbol.kind, Symbol::Kind::reg);
  QCOMPARE(occurrences(module, x->symbol).size(), std::size_t{2});  // with its declaration
}

void DocumentTest::folds_lines() {
  FoldedLines lines;
  lines.reset(20);
  QCOMPARE(lines.rows(), 20U);
  lines.fold(3, 6);
  lines.fold(10, 12);
  lines.fold(9, 15);  // around the one before
  QCOMPARE(lines.rows(), 11U);
  for (std::uint32_t row = 0; row < lines.rows(); ++row) QCOMPARE(lines.row_of_line(lines.line_of_row(row)), row);
  QCOMPARE(lines.line_of_row(3), 7U);
  QCOMPARE(lines.row_of_line(5), 2U);
  QVERIFY(lines.is_hidden(4));
  QVERIFY(!lines.is_hidden(3));
  QVERIFY(lines.reveal(11));
  QVERIFY(!lines.is_hidden(11));
  QVERIFY(!lines.reveal(11));
  lines.unfold(3);
  QCOMPARE(lines.rows(), 20U);
  lines.fold(20, 25);  // beyond the end: nothing
  QCOMPARE(lines.rows(), 20U);
}

void DocumentTest::lays_out_lines() {
  const LineLayout layout = layout_of("a\tb\xc3\xa9\xff");
  QCOMPARE(layout.columns, 11U);
  QCOMPARE(layout.column_of(2), 8U);
  QCOMPARE(layout.byte_of(8.2), 2U);
  QCOMPARE(layout.byte_of(100), 6U);
  QCOMPARE(layout.cells.back().character, U'\ufffd');
  const LineLayout cut = layout_of(std::string(50'000, 'x'));
  QCOMPARE(cut.left_out, 30'000U);
}

void DocumentTest::outlines() {
  const Module module = parse("/* a\nb */ .version 7.0\n" + two_kernels.mid(13).toStdString(), "x.ptx");
  const Outline outline = outline_of(module);
  QCOMPARE(outline.long_comments.size(), std::size_t{1});
  QCOMPARE(outline.lines, 21U);
  QCOMPARE(outline.folds.size(), std::size_t{3});  // two bodies and what is behind the label
  QCOMPARE(outline.folds[0].first, 6U);
  QCOMPARE(outline.folds[0].last, 14U);
  QCOMPARE(outline.folds[1].kind, Fold::Kind::block);
}

void DocumentTest::maps_source_lines() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  document.load();
  QVERIFY(wait_for_load(document));
  const auto map = wait_for_answer([&] { return document.source_map(); });
  QVERIFY(map);
  const std::uint32_t load = statement_of(*document.module(), "mul.wide");
  const auto runs = map->of(load);
  QVERIFY(runs.size() == 2);  // the line itself, and the call that it was inlined by
  QVERIFY(map->files[runs[0].file].ends_with("main.rs"));
  QCOMPARE(runs[0].line, 15U);
  QCOMPARE(runs[1].line, 20U);
  QVERIFY(map->on_line(runs[0].file, 15).size() > 1);
  QVERIFY(map->on_line(runs[0].file, 9999).empty());
  QVERIFY(map->of(0).empty());
}

void DocumentTest::colours_words() {
  const std::string_view line = "@%p1 ld.global.f32 %f1, [%rd1+4]; // x";
  const auto runs = syntax_of(line, {});
  const auto role = [&](std::string_view text) {
    const std::size_t at = line.find(text);
    for (const SyntaxRun& run : runs)
      if (run.begin <= at && at < run.end) return run.role;
    return SyntaxRole::text;
  };
  QCOMPARE(role("%p1"), SyntaxRole::reg);
  QCOMPARE(role("ld"), SyntaxRole::memory);
  QCOMPARE(role(".global"), SyntaxRole::type);
  QCOMPARE(role("4]"), SyntaxRole::number);
  QCOMPARE(role("// x"), SyntaxRole::comment);
  QCOMPARE(syntax_of("more */ ret;", {true, true}).front().role, SyntaxRole::comment);
  QCOMPARE(role_of_opcode("trap"), SyntaxRole::trap);
  QCOMPARE(role_of_opcode("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32"), SyntaxRole::matrix);
  QCOMPARE(role_of_opcode("frobnicate.u32"), SyntaxRole::unknown);
  QCOMPARE(word_at("  ld.shared::cta.u32 x", 5), std::string_view("ld.shared::cta.u32"));
  QCOMPARE(word_at("L:", 1), std::string_view());
}

void DocumentTest::searches() {
  const Module module = parse(two_kernels.toStdString() + "// \xc3\xa9 ret\n", "x.ptx");
  QCOMPARE(search_text(module, {QStringLiteral("RET"), false, false, false}, {}).found.size(), std::size_t{3});
  QCOMPARE(search_text(module, {QStringLiteral("RET"), false, true, false}, {}).found.size(), std::size_t{0});
  QCOMPARE(search_text(module, {QStringLiteral("%rd\\d"), true, false, false}, {}).found.size(), std::size_t{5});
  QCOMPARE(search_text(module, {QStringLiteral("%rd\\d"), true, false, false}, {}, 2).cut_short, true);
  QCOMPARE(search_text(module, {QStringLiteral("rd1"), false, false, true}, {}).found.size(), std::size_t{0});
  const auto last = search_text(module, {QStringLiteral("ret$"), true, false, false}, {}).found;
  QCOMPARE(last.size(), std::size_t{1});
  QCOMPARE(module.text(last[0]), std::string_view("ret"));  // behind a character of two bytes
  const SearchResult bad = search_text(module, {QStringLiteral("(["), true, false, false}, {});
  QVERIFY(bad.problem.contains(QStringLiteral("regular expression")));
}

void DocumentTest::tells_values() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  document.load();
  QVERIFY(wait_for_load(document));
  const auto module = document.module();
  const std::uint32_t compare = statement_of(*module, "setp.ge.u64");
  const auto rd4 = symbol_at(*module, offset_of(*module, "%rd4, %rd11"));
  QVERIFY(rd4);
  std::optional<RegisterValue> value;
  document.values().ask(0, rd4->symbol.reg, compare, &document, [&](const RegisterValue& told) { value = told; });
  QVERIFY(wait_for([&] { return value.has_value(); }));
  QCOMPARE(value->text, std::string("global.x"));
  QCOMPARE(value->definition, statement_of(*module, "add.s64"));
  value.reset();
  document.values().ask(0, 9999, compare, &document, [&](const RegisterValue& told) { value = told; });
  QTest::qWait(50);
  QVERIFY(!value);  // no such register
}

void DocumentTest::selects_and_goes_back() {
  const Scratch scratch;
  Document document({scratch.write(QStringLiteral("x.ptx"), two_kernels), {}});
  Selection selection(document);
  document.load();
  QVERIFY(wait_for_load(document));
  QSignalSpy changed(&selection, &Selection::changed);
  selection.choose_function(1, this);
  QCOMPARE(selection.now().line, 5U);
  QCOMPARE(changed.count(), 1);
  QVERIFY(!selection.can_go_back());
  selection.choose_function(2, this);
  selection.choose_offset(offset_of(*document.module(), "[%rd2]") + 1, this, Move::jump);
  QCOMPARE(selection.now().function, 1U);
  QVERIFY(static_cast<bool>(selection.now().symbol));
  selection.go_back();
  QCOMPARE(selection.now().function, 2U);
  selection.go_back();
  QCOMPARE(selection.now().line, 5U);
  QVERIFY(selection.can_go_forward());
  selection.go_forward();
  selection.choose_line(1, this);  // what was ahead is gone
  QVERIFY(!selection.can_go_forward());
  QCOMPARE(selection.now().function, no_index);
  QVERIFY(wait_for_answer([&] { return document.flow(1); }));
  selection.choose_block(1, 0, this);
  QCOMPARE(selection.now().block, 0U);
  QCOMPARE(selection.now().statement, statement_of(*document.module(), "ld.param"));
}

void DocumentTest::selection_survives_a_reload() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"), two_kernels);
  Document document({path, {}});
  Selection selection(document);
  document.load();
  QVERIFY(wait_for_load(document));
  selection.choose_statement(statement_of(*document.module(), "mov.u32 x"), this);
  selection.set_marks(MarkLayer::traps, {{selection.now().statement, {}, MarkRole::trap, {}}});
  scratch.write(QStringLiteral("x.ptx"),
                QByteArray(two_kernels).replace(".address_size 64", ".address_size 64\n\n// more"));
  QVERIFY(wait_for([&] { return document.generation() == 2; }));
  QCOMPARE(selection.now().statement, statement_of(*document.module(), "mov.u32 x"));
  QVERIFY(selection.marks(MarkLayer::traps).empty());
}

void DocumentTest::selection_ignores_what_is_not_there() {
  Document document({sample("vecadd/vecadd.ptx"), {}});
  Selection selection(document);
  selection.choose_line(3, this);
  selection.choose_function(0, this);
  selection.choose_trap(0, 1, this);
  QCOMPARE(selection.now().line, 0U);
  document.load();
  QVERIFY(wait_for_load(document));
  selection.choose_function(77, this);
  selection.choose_statement(1'000'000, this);
  selection.choose_block(0, 77, this);
  QCOMPARE(selection.now().line, 0U);
  selection.choose_line(1'000'000, this);
  QCOMPARE(selection.now().line, line_count(*document.module()));
  QVERIFY(wait_for_answer([&] { return document.traps(0); }));
  selection.choose_trap(0, 2, this);
  QCOMPARE(selection.now().trap, 2U);
  QVERIFY(document.module()->statement(selection.now().statement).kind() == StatementKind::instruction);
}
