#include "tests/gui/diff_page_test.h"

#include <QAbstractButton>
#include <QAction>
#include <QApplication>
#include <QClipboard>
#include <QDragMoveEvent>
#include <QDropEvent>
#include <QMimeData>
#include <QPushButton>
#include <QScrollBar>
#include <QTabWidget>
#include <algorithm>
#include <map>

#include "gui/diff_page.h"
#include "gui/main_window.h"
#include "report/diff.h"
#include "report/diff_parts.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

const QByteArray header = ".version 7.0\n.target sm_80\n.address_size 64\n";
const QByteArray first_a =
    ".visible .entry first(.param .u64 p, .param .u32 n)\n{\n\t.reg .b32 %r<5>;\n\t.reg .b64 %rd<3>;\n"
    "\tld.param.u64 %rd1, [p];\n\tld.param.u32 %r1, [n];\n\tcvta.to.global.u64 %rd2, %rd1;\n"
    "\tld.global.u32 %r2, [%rd2];\n\tadd.s32 %r3, %r2, %r1;\n\tst.global.u32 [%rd2], %r3;\n\tret;\n}\n";
QByteArray first_b() { return QByteArray(first_a).replace("add.s32", "sub.s32"); }
const QByteArray second_a =
    ".visible .entry second(.param .u32 m)\n{\n\t.reg .b32 %r<3>;\n\tld.param.u32 %r1, [m];\n\tbar.sync "
    "0;\n\tret;\n}\n";
QByteArray second_b() { return QByteArray(second_a).replace("%r1", "%r2"); }
const QByteArray gone = ".visible .entry gone()\n{\n\tmembar.gl;\n\tret;\n}\n";
const QByteArray fresh = ".visible .entry fresh()\n{\n\tbar.sync 1;\n\tbar.sync 2;\n\ttrap;\n}\n";
const QByteArray dead_code = ".visible .entry stops()\n{\n\ttrap;\n}\n";

struct Files {
  Scratch scratch;
  QString a, b;
  Files(const QByteArray& left, const QByteArray& right)
      : a(scratch.write(QStringLiteral("a.ptx"), left)), b(scratch.write(QStringLiteral("b.ptx"), right)) {}
};

QByteArray left_text() { return header + first_a + second_a + gone; }
QByteArray right_text() { return header + fresh + first_b() + second_b(); }

// A comparison alone in a window.
class Comparison {
 public:
  Comparison(const QString& a, const QString& b) : a_({a, {}}), b_({b, {}}), page_(a_, b_) {
    page_.resize(1000, 500);
    page_.show();
    a_.load();
    b_.load();
  }
  [[nodiscard]] bool compared() {
    return QTest::qWaitForWindowExposed(&page_) &&
           wait_for([&] { return page_.diff() != nullptr && !page_.is_comparing(); });
  }
  DiffPage* operator->() { return &page_; }
  Document& a() { return a_; }
  Document& b() { return b_; }
  [[nodiscard]] const AlignedDiff& diff() { return *page_.diff(); }
  [[nodiscard]] std::string text(std::uint32_t row, DiffSide side) {
    const std::uint32_t line = diff().rows[row].line(side);
    return line == 0 ? std::string() : std::string(diff().module(side).line_text(line));
  }
  // The first row whose line of that side has the text in it.
  [[nodiscard]] std::uint32_t row_with(std::string_view words, DiffSide side) {
    for (std::uint32_t row = 0; row < diff().rows.size(); ++row)
      if (diff().rows[row].kind == AlignedRow::Kind::lines && text(row, side).find(words) != std::string::npos)
        return row;
    return no_index;
  }

 private:
  Document a_, b_;
  DiffPage page_;
};

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::string function_at(const DiffPage& page, std::uint32_t row) {
  const analysis::FunctionDiff* const one = page.diff()->function_of(row);
  return one == nullptr ? std::string() : report::name_of(*page.diff()->a, *page.diff()->b, *one);
}

bool wait_for_comparison(MainWindow& window) {
  return wait_for(
      [&] { return window.current_comparison() != nullptr && window.current_comparison()->diff() != nullptr; });
}

}  // namespace

void DiffPageTest::init() { QSettings().clear(); }

void DiffPageTest::says_what_the_command_says() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  const Module a = parse(left_text().toStdString(), "a.ptx");
  const Module b = parse(right_text().toStdString(), "b.ptx");
  const analysis::ModuleDiff diff = analysis::diff_modules(a, b);
  QCOMPARE(shown->verdict(), QString::fromStdString(report::diff_verdict(a, b, diff)));
  const auto counts = report::changed_counts(diff, 100);
  QTableWidget& table = shown->functions().counts();
  QCOMPARE(table.rowCount(), static_cast<int>(counts.size()));
  QVERIFY(!counts.empty());
  for (int row = 0; row < table.rowCount(); ++row) {
    const report::CountChange& one = counts[static_cast<std::size_t>(row)];
    QCOMPARE(table.item(row, 0)->text(), QString::fromStdString(one.name));
    QCOMPARE(table.item(row, 1)->text(), QString::number(one.a));
    QCOMPARE(table.item(row, 2)->text(), QString::number(one.b));
    QCOMPARE(table.item(row, 3)->text(), QString::fromStdString(report::difference(one.a, one.b)));
  }
}

void DiffPageTest::puts_lines_beside_each_other() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  for (const char* const words :
       {"ld.param.u64 %rd1", "st.global.u32", ".visible .entry first", "bar.sync 0", ".version"}) {
    const std::uint32_t row = shown.row_with(words, DiffSide::a);
    QVERIFY2(row != no_index, words);
    QCOMPARE(row, shown.row_with(words, DiffSide::b));
    QVERIFY2(!shown.diff().rows[row].is_marked(), words);
  }
  // The same but for a register's name.
  const std::uint32_t renamed = shown.row_with("ld.param.u32 %r1, [m]", DiffSide::a);
  QCOMPARE(shown.text(renamed, DiffSide::b), std::string("\tld.param.u32 %r2, [m];"));
  QCOMPARE(letter_of(shown.diff().rows[renamed].a_mark), '~');
}

void DiffPageTest::marks_what_differs() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  const AlignedDiff& diff = shown.diff();
  const std::uint32_t changed = shown.row_with("add.s32", DiffSide::a);
  QCOMPARE(shown.text(changed, DiffSide::b), std::string("\tsub.s32 %r3, %r2, %r1;"));
  QCOMPARE(letter_of(diff.rows[changed].a_mark), '!');
  QCOMPARE(letter_of(diff.rows[changed].b_mark), '!');
  const auto words = diff.words_of(changed, DiffSide::b);
  QCOMPARE(words.size(), std::size_t{1});
  QCOMPARE(std::string(diff.b->text(words.front())), std::string("sub.s32"));
  const std::uint32_t removed = shown.row_with("membar.gl", DiffSide::a);
  QCOMPARE(letter_of(diff.rows[removed].a_mark), '-');
  QCOMPARE(diff.rows[removed].b, 0U);
  const std::uint32_t added = shown.row_with("bar.sync 2", DiffSide::b);
  QCOMPARE(letter_of(diff.rows[added].b_mark), '+');
  QCOMPARE(diff.rows[added].a, 0U);
  // In words too.
  QVERIFY(shown->area().words_of(removed, DiffSide::a).contains(QStringLiteral("only in A")));
  QVERIFY(shown->area().words_of(changed, DiffSide::b).contains(QStringLiteral("changed")));
}

void DiffPageTest::marks_moved_blocks() {
  const QByteArray head =
      header +
      ".visible .entry f(.param .u64 p, .param .u32 n)\n{\n\t.reg .pred %p<2>;\n\t.reg .b32 %r<8>;\n\t.reg .b64 "
      "%rd<3>;\n"
      "\tld.param.u64 %rd1, [p];\n\tld.param.u32 %r1, [n];\n\tsetp.gt.u32 %p1, %r1, 10;\n\t@%p1 bra $Large;\n"
      "\tbra.uni $Small;\n";
  const QByteArray large =
      "$Large:\n\tmul.lo.s32 %r2, %r1, 3;\n\txor.b32 %r3, %r2, 5;\n\tst.global.u32 [%rd1], %r3;\n\tbra.uni $End;\n";
  const QByteArray small =
      "$Small:\n\tadd.s32 %r4, %r1, 7;\n\tshl.b32 %r5, %r4, 2;\n\tor.b32 %r6, %r5, 1;\n\tst.global.u32 [%rd1+4], %r6;\n"
      "\tbra.uni $End;\n";
  const QByteArray tail = "$End:\n\tret;\n}\n";
  const Files files(head + large + small + tail, head + small + large + tail);
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  QVERIFY2(shown->verdict().contains(QStringLiteral("1 block moved")), qPrintable(shown->verdict()));
  std::uint32_t moved_a = 0;
  std::uint32_t moved_b = 0;
  for (const AlignedRow& row : shown.diff().rows) {
    if (row.a_mark == LineMark::moved) ++moved_a;
    if (row.b_mark == LineMark::moved) ++moved_b;
  }
  QVERIFY(moved_a > 0);
  QCOMPARE(moved_a, moved_b);
  shown->step(false);
  QVERIFY2(shown->remark().contains(QStringLiteral("moved: line")), qPrintable(shown->remark()));
}

void DiffPageTest::shows_every_line_once_data() {
  QTest::addColumn<QString>("a");
  QTest::addColumn<QString>("b");
  QTest::newRow("two targets") << sample("vecadd/vecadd.ptx") << sample("vecadd/vecadd_sm_120a.ptx");
  QTest::newRow("two languages") << sample("vecadd/vecadd.ptx") << sample("vecadd_cuda/vecadd.ptx");
  QTest::newRow("two programs") << sample("panic/panic.ptx") << sample("vecadd/vecadd.ptx");
  QTest::newRow("itself") << sample("debug/checked.ptx") << sample("debug/checked.ptx");
}

// Of every function, on its side, in the order of the text but for nothing.
void DiffPageTest::shows_every_line_once() {
  QFETCH(QString, a);
  QFETCH(QString, b);
  Comparison shown(a, b);
  QVERIFY(shown.compared());
  const AlignedDiff& diff = shown.diff();
  for (const DiffSection& section : diff.sections) {
    if (section.function == no_index) continue;
    const analysis::FunctionDiff& function = diff.diff.functions[section.function];
    for (const DiffSide side : {DiffSide::a, DiffSide::b}) {
      const std::uint32_t index = side == DiffSide::a ? function.a : function.b;
      std::uint32_t next = 0;
      if (index != no_index) next = diff.module(side).position(diff.module(side).functions()[index].span).line;
      const std::uint32_t first = next;
      for (std::uint32_t row = section.first_row + 1; row < section.end; ++row) {
        const std::uint32_t line = diff.rows[row].line(side);
        if (line == 0) continue;
        QCOMPARE(line, next);
        ++next;
      }
      if (index == no_index) {
        QCOMPARE(next, 0U);
      } else {
        const Span span = diff.module(side).functions()[index].span;
        QCOMPARE(next - first, diff.module(side).position(span.end - 1).line - first + 1);
      }
    }
  }
  QCOMPARE(diff.sections.back().end, static_cast<std::uint32_t>(diff.rows.size()));
  // Changed lines stand beside what they were.
  for (std::uint32_t i = 0; i < diff.rows.size(); ++i) {
    const AlignedRow& row = diff.rows[i];
    const analysis::FunctionDiff* const function = diff.function_of(i);
    if (function == nullptr || row.edit == no_index || row.a_mark != LineMark::changed ||
        row.b_mark != LineMark::changed)
      continue;
    const analysis::Edit& edit = function->edits[row.edit];
    const Span a_span = edit.a.span;
    const Span b_span = edit.b.span;
    QVERIFY(row.a >= diff.a->position(a_span).line && row.a <= diff.a->position(a_span.end - 1).line);
    QVERIFY(row.b >= diff.b->position(b_span).line && row.b <= diff.b->position(b_span.end - 1).line);
  }
}

void DiffPageTest::chooses_functions() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  QTableView& table = shown->functions().table();
  QCOMPARE(table.model()->rowCount(), 4);
  std::map<QString, QString> what;
  for (int row = 0; row < 4; ++row) {
    table.setCurrentIndex(table.model()->index(row, DiffFunctionModel::name));
    const QString name = table.model()->index(row, DiffFunctionModel::name).data().toString();
    QCOMPARE(QString::fromStdString(function_at(*shown.operator->(), shown->area().row())), name);
    what[name] = table.model()->index(row, DiffFunctionModel::sign).data().toString() + QLatin1Char(' ') +
                 table.model()->index(row, DiffFunctionModel::what).data().toString();
  }
  QCOMPARE(what[QStringLiteral("first")], QStringLiteral("! changed, 1 edit"));
  QCOMPARE(what[QStringLiteral("second")], QStringLiteral("= same code"));
  QVERIFY(what[QStringLiteral("gone")].startsWith(QStringLiteral("- removed")));
  QVERIFY(what[QStringLiteral("fresh")].startsWith(QStringLiteral("+ added")));
  // And the list follows the texts.
  shown->area().go_to_row(shown.row_with("bar.sync 0", DiffSide::a));
  QCOMPARE(table.currentIndex().siblingAtColumn(DiffFunctionModel::name).data().toString(), QStringLiteral("second"));
}

void DiffPageTest::filters_functions() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  QLineEdit& filter = shown->functions().filter();
  filter.setText(QStringLiteral("FRE"));
  QCOMPARE(shown->functions().table().model()->rowCount(), 1);
  QTest::keyClick(&filter, Qt::Key_Return);
  QCOMPARE(function_at(*shown.operator->(), shown->area().row()), std::string("fresh"));
  QTest::keyClick(&filter, Qt::Key_Escape);
  QCOMPARE(shown->functions().table().model()->rowCount(), 4);
}

void DiffPageTest::goes_from_difference_to_difference() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  shown->area().go_to_row(0);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t last = no_index; shown->area().row() != last && rows.size() < 100;) {
    last = shown->area().row();
    shown->step(false);
    if (shown->area().row() != last) rows.push_back(shown->area().row());
  }
  QCOMPARE(rows.size(), std::size_t{3});  // fresh, the changed line, gone
  QVERIFY(shown->remark().contains(QStringLiteral("no difference below")));
  QVERIFY(std::ranges::find(rows, shown.row_with("add.s32", DiffSide::a)) != rows.end());
  for (std::size_t i = rows.size() - 1; i-- > 0;) {
    shown->step(true);
    QCOMPARE(shown->area().row(), rows[i]);
  }
  shown->step(true);
  QCOMPARE(shown->area().row(), rows.front());
  QVERIFY(shown->remark().contains(QStringLiteral("no difference above")));
}

void DiffPageTest::goes_to_what_changes_nothing_when_strict() {
  const Files files(header + dead_code, QByteArray(header).replace("7.0", "7.5") +
                                            QByteArray(dead_code).replace("trap;\n", "trap;\n\texit;\n"));
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  QVERIFY2(shown->verdict().startsWith(QStringLiteral("same code")), qPrintable(shown->verdict()));
  const std::uint32_t start = shown->area().row();
  shown->step(false);
  QCOMPARE(shown->area().row(), start);
  QVERIFY(shown->remark().contains(QStringLiteral("Strict")));
  shown->set_strict(true);
  QVERIFY(shown->verdict().contains(QStringLiteral("strictly")));
  QVERIFY(!analysis::is_same(shown.diff().diff, true));
  shown->step(false);
  QCOMPARE(shown.text(shown->area().row(), DiffSide::b), std::string(".version 7.5"));
  shown->step(false);
  QCOMPARE(shown.text(shown->area().row(), DiffSide::b), std::string("\texit;"));
  QVERIFY2(shown->remark().contains(QStringLiteral("changes nothing")), qPrintable(shown->remark()));
}

void DiffPageTest::scrolls_both_sides() {
  Comparison shown(sample("panic/panic.ptx"), sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.compared());
  QScrollBar* const bar = shown->area().verticalScrollBar();
  QVERIFY(bar->maximum() > 50);
  for (const int value : {0, 17, bar->maximum() / 2, bar->maximum()}) {
    bar->setValue(value);
    QCOMPARE(shown->area().first_row_in_sight(), static_cast<std::uint32_t>(value));
    for (std::uint32_t row = shown->area().first_row_in_sight(); row <= shown->area().last_row_in_sight(); ++row) {
      const QRect left = shown->area().rect_of_row(row, DiffSide::a);
      const QRect right = shown->area().rect_of_row(row, DiffSide::b);
      QCOMPARE(left.top(), right.top());
      QVERIFY(left.right() <= right.left());
    }
  }
  // The cursor takes both along.
  QTest::keyClick(&shown->area(), Qt::Key_Home);
  QCOMPARE(bar->value(), 0);
  QTest::keyClick(&shown->area(), Qt::Key_End);
  QCOMPARE(bar->value(), bar->maximum());
  QTest::keyClick(&shown->area(), Qt::Key_Left);
  QVERIFY(shown->area().side() == DiffSide::a);
  QVERIFY(!shown->grab().isNull());
}

void DiffPageTest::shows_only_differences() {
  QByteArray many;
  for (int i = 0; i < 60; ++i) many += "\tbar.sync 0;\n";
  const QByteArray long_a = QByteArray(first_a).replace("\tret;", many + "\tret;");
  const Files files(header + long_a + second_a, header + QByteArray(long_a).replace("add.s32", "sub.s32") + second_b());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  const std::size_t all = shown->area().shown_rows().size();
  QCOMPARE(all, shown.diff().rows.size());
  const std::uint32_t changed = shown.row_with("add.s32", DiffSide::a);
  shown->area().go_to_row(changed);
  shown->set_only_differences(true);
  QCOMPARE(shown->area().row(), changed);
  const auto& rows = shown->area().shown_rows();
  QVERIFY(rows.size() < 20);
  for (const ShownRow& row : rows) QVERIFY(row.hidden != 0 || function_at(*shown.operator->(), row.row) != "second");
  // Nothing of the function is left out without a word.
  std::uint32_t lines = 0;
  for (const ShownRow& row : rows) lines += std::max(row.hidden, 1U);
  const DiffSection& section = shown.diff().section_of(changed);
  QCOMPARE(lines, section.end - section.first_row);
  const auto gap = std::ranges::find_if(rows, [](const ShownRow& row) { return row.hidden > 1; });
  QVERIFY(gap != rows.end());
  const std::size_t before = rows.size();
  const std::uint32_t hidden = gap->hidden;
  QTest::mouseClick(shown->area().viewport(), Qt::LeftButton, Qt::NoModifier,
                    shown->area().rect_of_row(gap->row, DiffSide::a).center());
  QCOMPARE(shown->area().shown_rows().size(), before - 1 + hidden);
  shown->set_only_differences(false);
  QCOMPARE(shown->area().shown_rows().size(), all);
}

void DiffPageTest::copies_one_side() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  shown->area().go_to_row(shown.row_with("add.s32", DiffSide::a));
  shown->area().set_side(DiffSide::a);
  QTest::keyClick(&shown->area(), Qt::Key_Down, Qt::ShiftModifier);
  QCOMPARE(shown->area().selected_text(), QStringLiteral("\tadd.s32 %r3, %r2, %r1;\n\tst.global.u32 [%rd2], %r3;\n"));
  shown->area().set_side(DiffSide::b);
  shown->area().copy();
  QCOMPARE(QApplication::clipboard()->text(),
           QStringLiteral("\tsub.s32 %r3, %r2, %r1;\n\tst.global.u32 [%rd2], %r3;\n"));
}

void DiffPageTest::swaps_sides() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  shown->area().go_to_row(shown.row_with("add.s32", DiffSide::a));
  shown->area().set_side(DiffSide::a);
  shown->swap_sides();
  QVERIFY(shown.compared());
  QVERIFY(&shown->document(DiffSide::a) == &shown.b());
  QCOMPARE(shown->title(), QStringLiteral("b.ptx ↔ a.ptx"));
  QCOMPARE(shown.text(shown->area().row(), DiffSide::b), std::string("\tadd.s32 %r3, %r2, %r1;"));
  QVERIFY(shown->area().side() == DiffSide::b);
  QCOMPARE(letter_of(shown.diff().rows[shown.row_with("membar.gl", DiffSide::b)].b_mark), '+');
}

void DiffPageTest::compares_identical_files() {
  {
    Comparison same_name(sample("vecadd/vecadd.ptx"), sample("vecadd_cuda/vecadd.ptx"));
    QCOMPARE(same_name->title(), QStringLiteral("vecadd/vecadd.ptx ↔ vecadd_cuda/vecadd.ptx"));
  }
  const Files files(left_text(), left_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  QCOMPARE(shown->verdict(), QStringLiteral("identical, byte for byte"));
  QVERIFY(shown.diff().stops.empty());
  shown->step(false);
  QCOMPARE(shown->remark(), QStringLiteral("There is no difference."));
  shown->set_only_differences(true);
  QVERIFY(shown->area().shown_rows().empty());
  QTest::keyClick(&shown->area(), Qt::Key_Down);  // nothing there
  QTest::keyClick(&shown->area(), Qt::Key_Return);
  QVERIFY(!shown->grab().isNull());
}

void DiffPageTest::says_why_a_file_cannot_be_compared() {
  const Files files(left_text(), "");
  Comparison shown(files.a, files.b);
  QVERIFY(wait_for([&] { return shown.b().stage() == Stage::failed && shown.a().module() != nullptr; }));
  QVERIFY2(shown->message().contains(QStringLiteral("b.ptx cannot be compared. The file is empty.")),
           qPrintable(shown->message()));
  QVERIFY(shown->message().contains(QStringLiteral("reload")));
  shown->save_html(files.scratch.path(QStringLiteral("out.html")));
  QVERIFY(shown->remark().contains(QStringLiteral("nothing to export")));
  // Mended, it is compared without being asked.
  files.scratch.write(QStringLiteral("b.ptx"), right_text());
  QVERIFY(shown.compared());
  QVERIFY(shown->message().isEmpty());
}

void DiffPageTest::compares_broken_files_as_far_as_they_go() {
  const Files files(left_text(), right_text() + ".visible .entry broken(\n{ ??? %%% ;\n\tadd.s32 , , ;\n");
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  QVERIFY(shown.row_with("sub.s32", DiffSide::b) != no_index);
  bool told = false;
  for (const QLabel* const label : shown->findChildren<QLabel*>())
    told = told ||
           (label->text().startsWith(QStringLiteral("B: b.ptx")) && label->text().contains(QStringLiteral("error")));
  QVERIFY(told);
}

void DiffPageTest::follows_a_reload() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  shown->area().go_to_row(shown.row_with("st.global.u32", DiffSide::b));
  shown->area().set_side(DiffSide::b);
  const std::string before = shown.text(shown->area().row(), DiffSide::b);
  const std::uint32_t line = shown->area().line();
  // Three lines more in front of it, and another instruction.
  files.scratch.write(QStringLiteral("b.ptx"),
                      header + "// 1\n// 2\n// 3\n" + fresh + first_b().replace("sub.s32", "mul.lo.s32") + second_b());
  QVERIFY(wait_for([&] { return shown.row_with("mul.lo.s32", DiffSide::b) != no_index && !shown->is_comparing(); }));
  QCOMPARE(shown.text(shown->area().row(), DiffSide::b), before);
  QCOMPARE(shown->area().line(), line + 3);
  QVERIFY(shown->message().isEmpty());
}

void DiffPageTest::keeps_the_old_when_a_reload_fails() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  const QString verdict = shown->verdict();
  files.scratch.write(QStringLiteral("b.ptx"), "");
  QVERIFY(wait_for([&] { return shown.b().stage() == Stage::failed; }));
  QVERIFY2(shown->message().contains(QStringLiteral("b.ptx is shown as it was before")), qPrintable(shown->message()));
  QCOMPARE(shown->verdict(), verdict);
}

void DiffPageTest::cancels() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(wait_for([&] { return shown->is_comparing() || shown->diff() != nullptr; }));
  QVERIFY(shown.compared());
  // At once, before the answer can be there.
  shown->swap_sides();
  QVERIFY(shown->is_comparing());
  shown->cancel();
  QVERIFY(!shown->is_comparing());
  QVERIFY2(shown->message().contains(QStringLiteral("cancelled")), qPrintable(shown->message()));
  QTest::qWait(100);
  QVERIFY(shown->diff() == nullptr);
  for (QPushButton* const button : shown->findChildren<QPushButton*>())
    if (button->text() == QLatin1String("Try again")) button->click();
  QVERIFY(shown.compared());
  // A comparison ends between two functions when it is told to.
  const auto a = shown.a().module();
  const auto b = shown.b().module();
  int calls = 0;
  QVERIFY(align_modules(a, b, [&](int) { return ++calls < 3; }) == nullptr);
  QCOMPARE(calls, 3);
}

void DiffPageTest::exports() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  const QString path = files.scratch.path(QStringLiteral("out.html"));
  shown->save_html(path);
  QVERIFY(wait_for([&] { return shown->remark().contains(QStringLiteral("was written to")); }));
  QCOMPARE(read(path).toStdString(), report::diff_html(*shown.diff().a, *shown.diff().b, shown.diff().diff));
}

void DiffPageTest::tells_why_it_cannot_export() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  shown->save_html(files.scratch.path(QStringLiteral("no/such/folder/out.html")));
  QVERIFY(wait_for([&] { return shown->remark().contains(QStringLiteral("was not written")); }));
  QVERIFY(shown->remark().contains(QStringLiteral("choose another folder")));
}

void DiffPageTest::opens_two_files() {
  const Files files(left_text(), right_text());
  MainWindow window;
  window.show();
  window.compare_files(files.a, files.b);
  QVERIFY(wait_for_comparison(window));
  QCOMPARE(window.page_count(), 3);
  QVERIFY(window.windowTitle().startsWith(QStringLiteral("a.ptx ↔ b.ptx")));
  // Once.
  window.compare_files(files.a, files.b);
  QCOMPARE(window.page_count(), 3);
  window.compare_files(sample("vecadd_cuda/vecadd.fatbin"), files.b);
  QTest::qWait(200);  // asks which module, or opens the only one
  QVERIFY(window.page_count() >= 3);
}

void DiffPageTest::waits_for_a_missing_file() {
  const Files files(left_text(), right_text());
  const QString later = files.scratch.path(QStringLiteral("later.ptx"));
  MainWindow window;
  window.show();
  window.compare_files(files.a, later);
  QVERIFY(wait_for([&] {
    return window.current_comparison() != nullptr &&
           window.current_comparison()->message().contains(QStringLiteral("There is no such file."));
  }));
  files.scratch.write(QStringLiteral("later.ptx"), right_text());
  QVERIFY(wait_for_comparison(window));
}

void DiffPageTest::goes_to_the_own_tab() {
  const Files files(left_text(), right_text());
  MainWindow window;
  window.show();
  window.compare_files(files.a, files.b);
  QVERIFY(wait_for_comparison(window));
  DiffPage& page = *window.current_comparison();
  page.area().go_to_row(*page.diff()->row_of_line(DiffSide::a, 12));
  page.area().set_side(DiffSide::a);
  QTest::keyClick(&page.area(), Qt::Key_Return);
  QVERIFY(window.current_page() != nullptr);
  QCOMPARE(window.current_page()->document().title(), QStringLiteral("a.ptx"));
  QCOMPARE(window.current_page()->selection().now().line, 12U);
}

void DiffPageTest::closes_with_its_files() {
  const Files files(left_text(), right_text());
  MainWindow window;
  window.show();
  window.compare_files(files.a, files.b);
  QVERIFY(wait_for_comparison(window));
  window.close_tab(0);
  QCOMPARE(window.page_count(), 1);
  QVERIFY(window.current_comparison() == nullptr);
  window.compare_files(files.a, files.b);
  QVERIFY(wait_for_comparison(window));
  QCOMPARE(window.page_count(), 3);
  window.close();  // with all of them open
}

void DiffPageTest::takes_a_drop() {
  const Files files(left_text(), right_text());
  MainWindow window;
  window.resize(1200, 800);
  window.show();
  window.open_files({files.a});
  QVERIFY(wait_for(
      [&] { return window.current_page() != nullptr && window.current_page()->document().module() != nullptr; }));
  QMimeData data;
  data.setUrls({QUrl::fromLocalFile(files.b)});
  const auto* const tabs = window.findChild<QTabWidget*>();
  const QPoint left = tabs->mapTo(&window, QPoint(tabs->width() / 4, tabs->height() / 2));
  const QPoint right = tabs->mapTo(&window, QPoint(tabs->width() * 9 / 10, tabs->height() / 2));
  QDragMoveEvent move(right, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QDragEnterEvent enter(left, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &enter);
  QApplication::sendEvent(&window, &move);
  bool told = false;
  for (const QLabel* const label : window.findChildren<QLabel*>())
    told = told || (label->isVisible() && label->text().contains(QStringLiteral("compare it with a.ptx")));
  QVERIFY(told);
  QDropEvent drop(QPointF(right), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &drop);
  QVERIFY(wait_for_comparison(window));
  QCOMPARE(window.current_comparison()->title(), QStringLiteral("a.ptx ↔ b.ptx"));
  // On a comparison's left half: in the place of A.
  const QString third = files.scratch.write(QStringLiteral("c.ptx"), header + first_a);
  data.setUrls({QUrl::fromLocalFile(third)});
  QDragEnterEvent back(left, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &back);
  QDropEvent again(QPointF(left), Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(&window, &again);
  QVERIFY(wait_for([&] {
    return window.current_comparison() != nullptr &&
           window.current_comparison()->title() == QStringLiteral("c.ptx ↔ b.ptx");
  }));
}

void DiffPageTest::restores_the_session() {
  const Files files(left_text(), right_text());
  {
    MainWindow window;
    window.show();
    window.compare_files(files.a, files.b);
    QVERIFY(wait_for_comparison(window));
    DiffPage& page = *window.current_comparison();
    page.area().go_to_row(*page.diff()->row_of_line(DiffSide::a, 13));
    page.area().set_side(DiffSide::a);
    page.set_strict(true);
    window.close();
  }
  MainWindow window;
  window.show();
  window.restore_session();
  QVERIFY(wait_for_comparison(window));
  QCOMPARE(window.page_count(), 3);
  QVERIFY(window.current_comparison()->is_strict());
  QVERIFY(window.current_comparison()->area().side() == DiffSide::a);
  QCOMPARE(window.current_comparison()->area().line(), 13U);
}

void DiffPageTest::lists_its_keys() {
  const Files files(left_text(), right_text());
  MainWindow window;
  window.show();
  window.compare_files(files.a, files.b);
  QVERIFY(wait_for_comparison(window));
  const auto list = window.key_list();
  const auto key_of = [&](const QString& what) {
    const auto found = std::ranges::find_if(list, [&](const auto& one) { return one.first.contains(what); });
    return found == list.end() ? QString() : found->second;
  };
  QCOMPARE(key_of(QStringLiteral("Next difference")), QStringLiteral("F7"));
  QCOMPARE(key_of(QStringLiteral("Previous difference")), QStringLiteral("Shift+F7"));
  for (const char* const what : {"Swap sides", "Only differences", "Strict", "Export the comparison"})
    QVERIFY2(!key_of(QLatin1String(what)).isEmpty(), what);
}

void DiffPageTest::names_everything_for_screen_readers() {
  const Files files(left_text(), right_text());
  Comparison shown(files.a, files.b);
  QVERIFY(shown.compared());
  for (QWidget* const widget : shown->findChildren<QWidget*>()) {
    if (widget->focusPolicy() == Qt::NoFocus || widget->objectName().startsWith(QLatin1String("qt_"))) continue;
    const auto* const button = qobject_cast<QAbstractButton*>(widget);
    const bool named = !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty()) ||
                       widget->focusProxy() != nullptr || widget->inherits("QHeaderView") ||
                       widget->inherits("QTableCornerButton") || widget->inherits("QLabel");
    QVERIFY2(named, widget->metaObject()->className());
  }
  // What the cursor is on is said, both sides of it.
  shown->area().go_to_row(shown.row_with("add.s32", DiffSide::a));
  const QString words = shown->area().accessibleDescription();
  QVERIFY2(words.contains(QStringLiteral("add.s32")) && words.contains(QStringLiteral("sub.s32")) &&
               words.contains(QStringLiteral("changed")),
           qPrintable(words));
}
