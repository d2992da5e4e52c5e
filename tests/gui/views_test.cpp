#include "tests/gui/views_test.h"

#include <QApplication>
#include <QClipboard>
#include <QScrollBar>
#include <QSignalSpy>

#include "gui/code_view.h"
#include "gui/diagnostics_list.h"
#include "gui/document_page.h"
#include "gui/instruction_panel.h"
#include "gui/kernel_list.h"
#include "gui/overview_strip.h"
#include "gui/source_view.h"
#include "gui/theme.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

// A page in a window, loaded.
class Shown {
 public:
  explicit Shown(const QString& path) : page_({path, {}}) {
    page_.resize(1200, 800);
    page_.show();
    loaded_ =
        QTest::qWaitForWindowExposed(&page_) && wait_for_load(page_.document()) && page_.document().module() != nullptr;
  }
  [[nodiscard]] bool loaded() const { return loaded_; }
  DocumentPage* operator->() { return &page_; }
  DocumentPage& operator*() { return page_; }
  CodeArea& area() { return page_.code().area(); }
  const Module& module() { return *page_.document().module(); }

 private:
  DocumentPage page_;
  bool loaded_ = false;
};

QString cell(QTableView& table, int row, int column) { return table.model()->index(row, column).data().toString(); }

}  // namespace

void ViewsTest::lists_kernels() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QTableView& table = shown->kernels().table();
  QCOMPARE(table.model()->rowCount(), 1);
  QCOMPARE(cell(table, 0, KernelModel::name), QStringLiteral("vecadd"));
  QVERIFY(wait_for([&] { return cell(table, 0, KernelModel::traps) == QLatin1String("2"); }));
  QVERIFY(wait_for([&] { return cell(table, 0, KernelModel::instructions) == QLatin1String("36"); }));
  QCOMPARE(cell(table, 0, KernelModel::live), QStringLiteral("12"));
  QVERIFY(!table.accessibleName().isEmpty());
}

void ViewsTest::filters_and_sorts_kernels() {
  const Scratch scratch;
  QByteArray text = ".version 7.0\n.target sm_80\n.address_size 64\n";
  for (const char* name : {"_Z5scaleIfEvPT_i", "plain", "_Z3addPfi"})
    text += ".visible .entry " + QByteArray(name) + "()\n{\n\tret;\n}\n";
  text += ".visible .entry busy()\n{\n\t.reg .b32 %r<3>;\n\tmov.u32 %r1, 1;\n\tmov.u32 %r2, %r1;\n\tret;\n}\n";
  text += ".func outside();\n";
  Shown shown(scratch.write(QStringLiteral("x.ptx"), text));
  QVERIFY(shown.loaded());
  QTableView& table = shown->kernels().table();
  QVERIFY(wait_for([&] { return cell(table, 0, KernelModel::name) == QLatin1String("scale<float>"); }));
  QCOMPARE(table.model()->rowCount(), 5);
  shown->kernels().filter().setText(QStringLiteral("scale<"));
  QCOMPARE(table.model()->rowCount(), 1);
  shown->kernels().filter().setText(QStringLiteral("_Z3ADD"));  // the mangled name, any case
  QCOMPARE(table.model()->rowCount(), 1);
  shown->kernels().filter().setText(QStringLiteral("nothing like it"));
  QCOMPARE(table.model()->rowCount(), 0);
  QTest::keyClick(&shown->kernels().filter(), Qt::Key_Escape);
  QCOMPARE(table.model()->rowCount(), 5);
  QVERIFY(wait_for([&] { return cell(table, 3, KernelModel::instructions) == QLatin1String("3"); }));
  table.sortByColumn(KernelModel::instructions, Qt::DescendingOrder);
  QCOMPARE(cell(table, 0, KernelModel::name), QStringLiteral("busy"));
  QCOMPARE(cell(table, 4, KernelModel::instructions), QStringLiteral("–"));  // no body
  table.sortByColumn(KernelModel::name, Qt::AscendingOrder);
  QCOMPARE(cell(table, 0, KernelModel::name), QStringLiteral("add"));
}

void ViewsTest::follows_and_chooses_kernels() {
  Shown shown(sample("panic/panic.ptx"));
  QVERIFY(shown.loaded());
  QTableView& table = shown->kernels().table();
  const int rows = table.model()->rowCount();
  QVERIFY(rows > 1);
  for (int row = 0; row < rows; ++row) {
    const QModelIndex index = table.model()->index(row, 0);
    table.setCurrentIndex(index);
    QCOMPARE(shown->selection().now().function, index.data(KernelModel::function_role).toUInt());
    QCOMPARE(shown.area().caret().line, shown->selection().now().line);
  }
  shown->selection().choose_function(table.model()->index(0, 0).data(KernelModel::function_role).toUInt(), this);
  QCOMPARE(table.currentIndex().row(), 0);
  shown->selection().choose_line(1, this);  // outside of all
  QVERIFY(!table.currentIndex().isValid());
}

void ViewsTest::shows_code_and_moves_the_cursor() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  CodeArea& area = shown.area();
  area.setFocus();
  QTest::keyClick(&area, Qt::Key_Home, Qt::ControlModifier);
  QCOMPARE(area.caret().line, 1U);
  QTest::keyClick(&area, Qt::Key_End, Qt::ControlModifier);
  QCOMPARE(area.caret().line, line_count(shown.module()));
  QTest::keyClick(&area, Qt::Key_PageUp);
  QVERIFY(area.caret().line < line_count(shown.module()));
  shown->selection().choose_line(35, this);
  QTest::keyClick(&area, Qt::Key_Down);
  QCOMPARE(shown->selection().now().line, 36U);
  QTest::keyClick(&area, Qt::Key_End);
  QTest::keyClick(&area, Qt::Key_Right);
  QCOMPARE(area.caret(), (CodeArea::Caret{37, 0}));
  QTest::keyClick(&area, Qt::Key_Left);
  QCOMPARE(area.caret().line, 36U);
  QTest::mouseClick(area.viewport(), Qt::LeftButton, {}, area.rect_of_line(38).center());
  QCOMPARE(shown->selection().now().line, 38U);
  QVERIFY(area.accessibleDescription().contains(QStringLiteral("mov.u32")));
}

void ViewsTest::copies() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  CodeArea& area = shown.area();
  shown->selection().choose_line(6, this);
  area.copy();
  QCOMPARE(QApplication::clipboard()->text(), QStringLiteral(".target sm_80\n"));
  QTest::keyClick(&area, Qt::Key_End, Qt::ShiftModifier);
  QCOMPARE(area.selected_text(), QStringLiteral(".target sm_80"));
  QTest::keyClick(&area, Qt::Key_A, Qt::ControlModifier);
  QTest::keyClick(&area, Qt::Key_C, Qt::ControlModifier);
  QCOMPARE(QApplication::clipboard()->text().toStdString(), std::string(shown.module().text()));
}

void ViewsTest::folds_code() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for_answer([&] { return shown->document().outline(); }));
  CodeArea& area = shown.area();
  const std::uint32_t rows = area.folded().rows();
  shown->selection().choose_line(35, this);
  area.toggle_fold_at_caret();  // the block that the line is in
  QVERIFY(area.folded().rows() < rows);
  area.fold_all_functions();
  QVERIFY(area.folded().is_hidden(35));
  shown->selection().choose_line(35, this);  // going there opens it
  QVERIFY(!area.folded().is_hidden(35));
  area.unfold_all();
  QCOMPARE(area.folded().rows(), rows);
  // The arrow beside the header of the kernel.
  shown->selection().choose_line(11, this);
  QTest::mouseClick(area.viewport(), Qt::LeftButton, {}, QPoint(6, area.rect_of_line(11).center().y()));
  QVERIFY(area.folded().is_folded(11));
}

void ViewsTest::shows_pressure_and_goes_to_its_maximum() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  const std::uint32_t add = statement_of(shown.module(), "add.s64 \t%rd4");
  QVERIFY(wait_for([&] { return shown.area().pressure_of(add).has_value(); }));
  QCOMPARE(*shown.area().pressure_of(add), 12U);
  shown->selection().choose_function(0, this);
  shown.area().go_to_pressure_peak(false);
  QVERIFY(wait_for([&] { return shown->selection().now().line == 43; }));
  QVERIFY(shown->code().notice_text().contains(QStringLiteral("12")));
  shown.area().go_to_pressure_peak(true);  // there is one; round and round
  QVERIFY(shown->selection().now().statement != no_index);
  shown->selection().choose_line(1, this);
  shown.area().go_to_pressure_peak(false);
  QVERIFY(shown->code().notice_text().contains(QStringLiteral("No function")));
}

void ViewsTest::marks_occurrences() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  shown->selection().choose_offset(offset_of(shown.module(), "%rd4, %rd12"), this, Move::jump);
  QVERIFY(wait_for([&] { return shown.area().occurrences_now() != nullptr; }));
  QVERIFY(shown.area().occurrences_now()->size() > 3);
  const std::uint32_t line = shown->selection().now().line;
  shown.area().go_to_occurrence(false);
  QVERIFY(shown->selection().now().line > line);
  shown.area().go_to_occurrence(true);
  QCOMPARE(shown->selection().now().line, line);
}

void ViewsTest::goes_to_definitions() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  shown->selection().choose_offset(offset_of(shown.module(), "%rd4, %rd11"), this, Move::jump);
  shown.area().go_to_definition();
  QVERIFY(
      wait_for([&] { return shown->selection().now().statement == statement_of(shown.module(), "add.s64 \t%rd4"); }));
  shown->selection().go_back();
  QCOMPARE(shown->selection().now().statement, statement_of(shown.module(), "setp.ge"));
  shown->selection().choose_offset(offset_of(shown.module(), "$L__BB0_4;"), this, Move::jump);
  shown.area().go_to_definition();
  QVERIFY(shown.module().line_text(shown->selection().now().line).starts_with("$L__BB0_4:"));
  shown->selection().choose_offset(offset_of(shown.module(), "%tid"), this, Move::jump);
  shown.area().go_to_definition();
  QVERIFY(shown->code().notice_text().contains(QStringLiteral("built into PTX")));
}

void ViewsTest::tells_tips() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QString tip;
  const auto tip_at = [&](std::string_view text, const QString& wanted) {
    tip.clear();
    shown.area().make_tip(offset_of(shown.module(), text), [&](const QString& html) { tip = html; });
    return wait_for([&] { return tip.contains(wanted); });
  };
  QVERIFY2(tip_at("%rd4, %rd11", QStringLiteral("global.x")), qPrintable(tip));
  QVERIFY2(tip_at("setp.ge", QStringLiteral("compare")), qPrintable(tip));
  QVERIFY2(tip_at("%tid.x", QStringLiteral("special register")), qPrintable(tip));
  QVERIFY2(tip_at("vecadd_param_5]", QStringLiteral("line 17")), qPrintable(tip));
  QVERIFY2(tip_at(".target", QStringLiteral("directive")), qPrintable(tip));
}

void ViewsTest::tells_of_the_instruction() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  auto* const panel = shown->findChild<InstructionPanel*>();
  QVERIFY(panel != nullptr);
  shown->set_shown(panel, true);
  shown->selection().choose_statement(statement_of(shown.module(), "setp.ge.u64"), this);
  QVERIFY(wait_for([&] { return panel->text().contains(QStringLiteral("= global.x")); }));
  QVERIFY(wait_for([&] { return panel->text().contains(QStringLiteral("= arg2.len")); }));
  QVERIFY2(panel->text().contains(QStringLiteral("compare")), qPrintable(panel->text()));
  shown->selection().choose_line(1, this);  // no instruction
  QVERIFY(wait_for([&] { return panel->text().isEmpty(); }));
}

void ViewsTest::finds_text() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  FindBar& bar = shown->code().find_bar();
  bar.open();
  bar.set_pattern(QStringLiteral("setp\\.l[te]"), true);
  QVERIFY(wait_for([&] { return !bar.is_searching(); }));
  QCOMPARE(bar.status(), QStringLiteral("2 places"));
  // Also where there is little room for it.
  shown->resize(shown->minimumSizeHint());
  QTest::qWait(10);
  auto* const told = bar.findChild<QLabel*>();
  QVERIFY(told != nullptr && told->width() >= told->fontMetrics().horizontalAdvance(told->text()));
  shown->resize(900, 400);
  QTest::qWait(10);
  // The strip beside the code shows where.
  Theme::instance().choose(ThemeChoice::light);
  auto* const strip = shown->findChild<OverviewStrip*>();
  QVERIFY(strip != nullptr);
  const QImage picture = strip->grab().toImage();
  const double share =
      static_cast<double>(shown.area().found_now()->back().begin) / static_cast<double>(shown.module().text().size());
  QCOMPARE(picture.pixelColor(3, static_cast<int>(share * picture.height()) + 1).rgb(),
           Theme::instance().colors().found.darker(130).rgb());
  shown->selection().choose_line(1, this);
  bar.find_next(false);
  QCOMPARE(shown.area().selected_text(), QStringLiteral("setp.lt"));
  const std::uint32_t first = shown->selection().now().line;
  bar.find_next(false);
  QVERIFY(shown->selection().now().line > first);
  bar.find_next(false);  // and again from the start
  QCOMPARE(shown->selection().now().line, first);
  bar.find_next(true);
  QVERIFY(shown->selection().now().line > first);
  bar.set_pattern(QStringLiteral("no such text"), false);
  QVERIFY(wait_for([&] { return bar.status() == QLatin1String("not found"); }));
  QTest::keyClick(&bar, Qt::Key_Escape);
  QVERIFY(bar.isHidden());
}

void ViewsTest::reports_bad_patterns() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  FindBar& bar = shown->code().find_bar();
  bar.open();
  bar.set_pattern(QStringLiteral("(%rd"), true);
  QVERIFY(wait_for([&] { return bar.status().contains(QStringLiteral("backslash")); }));
}

void ViewsTest::links_source_both_ways() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  SourceView& source = shown->source();
  QVERIFY(wait_for([&] { return source.has_source(); }));
  QVERIFY(source.isVisible());
  shown->selection().choose_statement(statement_of(shown.module(), "mul.wide"), this);
  QCOMPARE(source.text().marked_line(), 15);
  Q_EMIT source.text().line_chosen(22);
  QVERIFY(shown->selection().marks(MarkLayer::source).size() > 2);
  QVERIFY(shown->selection().now().line > 50);
  QCOMPARE(source.text().marked_line(), 22);
  Q_EMIT source.text().line_chosen(1);  // a comment: nothing came from it
  QVERIFY(shown->selection().marks(MarkLayer::source).empty());
}

void ViewsTest::says_that_source_is_missing() {
  const Scratch scratch;
  Shown moved(scratch.copy_of(sample("vecadd/vecadd.ptx"), QStringLiteral("v.ptx")));
  QVERIFY(moved.loaded());
  QVERIFY(wait_for([&] { return moved->source().message().contains(QStringLiteral("not at hand")); }));
  Shown without(sample("switch/switch.ptx"));
  QVERIFY(without.loaded());
  QVERIFY(wait_for([&] { return without->source().message().contains(QStringLiteral("-lineinfo")); }));
}

void ViewsTest::lists_problems() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"),
                                     ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n"
                                     "\tmov.u32 %nothing, 1;\n\twgmma.fence.sync.aligned;\n\tret;\n}\n");
  Shown shown(path);
  QVERIFY(shown.loaded());
  QTableView& table = shown->problems().table();
  QVERIFY(wait_for_answer([&] { return shown->document().diagnostics(); }));
  QVERIFY(wait_for([&] { return table.model()->rowCount() >= 2; }));
  QVERIFY(shown->problems().tab_text().contains(QLatin1Char('(')));
  for (int row = 0; row < table.model()->rowCount(); ++row) {
    table.setCurrentIndex(table.model()->index(row, 0));
    QCOMPARE(shown->selection().now().line, table.model()->index(row, DiagnosticsModel::line).data().toUInt());
  }
  Shown sound(sample("vecadd/vecadd.ptx"));
  QVERIFY(sound.loaded());
  QVERIFY(wait_for_answer([&] { return sound->document().diagnostics(); }));
  QCOMPARE(sound->problems().table().model()->rowCount(), 0);
}

void ViewsTest::paints_strange_text_data() {
  QTest::addColumn<QByteArray>("bytes");
  QTest::newRow("no newline") << QByteArray(".version 7.0");
  QTest::newRow("only newlines") << QByteArray(5000, '\n');
  QTest::newRow("one long line") << QByteArray("// ") + QByteArray(3'000'000, 'x');
  QTest::newRow("bytes") << QByteArray("// \x80\x81\xff\xc3 \xe2\x80\xae\n.version 7.0\n\x1b[31m\0x\n", 33);
  QTest::newRow("not PTX") << QByteArray("#include <stdio.h>\nint main() { return 0; }\n");
  QTest::newRow("open comment") << QByteArray(".version 7.0\n/* a\nb\nc\n");
  QTest::newRow("braces") << QByteArray(".version 7.0\n.target sm_80\n.entry k()\n") + QByteArray(3000, '{');
}

void ViewsTest::paints_strange_text() {
  QFETCH(QByteArray, bytes);
  const Scratch scratch;
  Shown shown(scratch.write(QStringLiteral("x.ptx"), bytes));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for_answer([&] { return shown->document().outline(); }));
  QVERIFY(!shown->grab().isNull());
  CodeArea& area = shown.area();
  area.fold_all_functions();
  QTest::keyClick(&area, Qt::Key_End, Qt::ControlModifier);
  QTest::keyClick(&area, Qt::Key_Home);
  QTest::keyClick(&area, Qt::Key_Up);
  area.make_tip(0, [](const QString&) {});
  area.go_to_definition();
  area.toggle_fold_at_caret();
  QVERIFY(!shown->grab().isNull());
}

void ViewsTest::follows_a_reload() {
  const Scratch scratch;
  const QString path = scratch.copy_of(sample("vecadd/vecadd.ptx"), QStringLiteral("v.ptx"));
  Shown shown(path);
  QVERIFY(shown.loaded());
  shown->selection().choose_line(60, this);
  scratch.write(QStringLiteral("v.ptx"),
                ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tret;\n}\n");
  QVERIFY(wait_for([&] { return shown->document().generation() == 2; }));
  QCOMPARE(cell(shown->kernels().table(), 0, KernelModel::name), QStringLiteral("k"));
  QCOMPARE(shown.area().folded().lines(), 8U);
  QVERIFY(!shown->grab().isNull());
}
