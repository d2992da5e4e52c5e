#include "tests/gui/requirements_panel_test.h"

#include <QHeaderView>
#include <set>

#include "gui/main_window.h"
#include "gui/requirements_panel.h"
#include "isa/releases.h"
#include "report/check_parts.h"
#include "report/diagnostics.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

// wgmma exists on sm_90a only; redux.sync from sm_80 on.
const char* const hopper =
    ".version 8.0\n.target sm_90a\n.address_size 64\n"
    ".visible .entry k()\n{\n\t.reg .b32 %r<3>;\n"
    "\twgmma.fence.sync.aligned;\n"
    "\tmov.u32 %r1, %tid.x;\n"
    "\tredux.sync.add.s32 %r2, %r1, -1;\n"
    "\twgmma.fence.sync.aligned;\n"
    "\twgmma.commit_group.sync.aligned;\n"
    "\tret;\n}\n";

const std::uint32_t first_wgmma = 7;
const std::uint32_t second_wgmma = 10;
const std::uint32_t commit = 11;

isa::TargetIndex target(std::string_view name) { return isa::find_target(name).value(); }
isa::Version version(std::string_view text) { return isa::parse_version(text).value(); }

bool wait_for_rows(RequirementsPanel& panel) {
  return wait_for([&] { return panel.tree().topLevelItemCount() > 0 && !panel.is_busy(); });
}

// Lines with a mark of something that does not fit.
std::set<std::uint32_t> marked_lines(Selection& selection, const Module& module) {
  std::set<std::uint32_t> lines;
  for (const Mark& mark : selection.marks(MarkLayer::requirements))
    if (mark.role == MarkRole::unfit) lines.insert(module.line_of_statement(mark.statement));
  return lines;
}

QTreeWidgetItem* group_with(RequirementsPanel& panel, const QString& start) {
  for (int i = 0; i < panel.tree().topLevelItemCount(); ++i)
    if (panel.tree().topLevelItem(i)->text(0).startsWith(start)) return panel.tree().topLevelItem(i);
  return nullptr;
}

QString text(const QTreeWidgetItem* item) { return item->text(1); }

QModelIndex cell(const RequirementModel& model, std::string_view of, std::string_view at) {
  for (int column = RequirementModel::first_version; column < model.columnCount(); ++column)
    if (model.version_of(column) == version(at)) return model.index(target(of), column);
  return {};
}

auto kind_of(const QModelIndex& index) {
  return static_cast<RequirementModel::Cell>(index.data(RequirementModel::cell_role).toInt());
}

class HopperPanel {
 public:
  HopperPanel() : shown_(scratch_.write(QStringLiteral("hopper.ptx"), hopper)) {
    loaded_ = shown_.loaded() && wait_for_rows(panel());
  }
  [[nodiscard]] bool loaded() const { return loaded_; }
  RequirementsPanel& panel() { return *shown_.operator->(); }
  Document& document() { return shown_.document(); }
  Selection& selection() { return shown_.selection(); }
  const Scratch& scratch() { return scratch_; }
  [[nodiscard]] std::set<std::uint32_t> marked() { return marked_lines(selection(), *document().module()); }
  bool ask(const HeaderQuestion& question) {
    panel().ask(question);
    return wait_for_rows(panel());
  }

 private:
  Scratch scratch_;
  ShownPanel<RequirementsPanel> shown_;
  bool loaded_ = false;
};

}  // namespace

void RequirementsPanelTest::shows_what_is_needed() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  RequirementsPanel& panel = shown.panel();
  QCOMPARE(panel.model().rowCount(), static_cast<int>(isa::targets().size()));
  const auto row = target("sm_90a");
  QCOMPARE(panel.model().index(row, RequirementModel::lowest).data().toString(), QStringLiteral("8.0"));
  QCOMPARE(panel.model().index(row, RequirementModel::cuda).data().toString(), QStringLiteral("12.0"));
  QCOMPARE(panel.model().index(row, RequirementModel::driver).data().toString(), QStringLiteral("R525"));
  QCOMPARE(panel.model().index(target("sm_90"), RequirementModel::lowest).data().toString(), QStringLiteral("never"));
  QCOMPARE(panel.model().headerData(row, Qt::Vertical, Qt::DisplayRole).toString(), QStringLiteral("sm_90a"));
  QVERIFY(kind_of(cell(panel.model(), "sm_90a", "8.0")) == RequirementModel::Cell::fits);
  QVERIFY(kind_of(cell(panel.model(), "sm_90", "8.0")) == RequirementModel::Cell::fits_not);
  QVERIFY(cell(panel.model(), "sm_90a", "8.0").data(RequirementModel::chosen_role).toBool());
  QVERIFY(
      cell(panel.model(), "sm_90a", "8.0").data(Qt::AccessibleTextRole).toString().contains(QStringLiteral("fits")));
  QVERIFY(group_with(panel, QStringLiteral("header .version 8.0, .target sm_90a: satisfies this")) != nullptr);
  QTreeWidgetItem* const needs = group_with(panel, QStringLiteral("needs .version 8.0, .target sm_90a"));
  QVERIFY(needs != nullptr && needs->childCount() >= 3);
  QTreeWidgetItem* const uses = group_with(panel, QStringLiteral("uses"));
  QVERIFY(uses != nullptr && text(uses->child(0)).startsWith(QStringLiteral("wgmma: ")));
  QTreeWidgetItem* const runs = group_with(panel, QStringLiteral("where it runs"));
  QVERIFY(runs != nullptr);
  QVERIFY(text(runs->child(runs->childCount() - 1))
              .startsWith(QStringLiteral("loads with CUDA 12.0 or later; driver R525")));
  QVERIFY(shown.marked().empty());
  QVERIFY(panel.message().isEmpty());
}

// The same words and numbers as `ptxscope check --target … --isa …`, for every target.
void RequirementsPanelTest::agrees_with_check() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  RequirementsPanel& panel = shown.panel();
  const Module& module = *shown.document().module();
  for (const std::string_view name : {"sm_52", "sm_80", "sm_90", "sm_90a", "sm_100a", "sm_120"}) {
    for (const std::string_view isa_version : {"7.8", "8.0", "9.0"}) {
      const HeaderQuestion question{target(name), version(isa_version)};
      QVERIFY(shown.ask(question));
      const analysis::CheckReport report = analysis::check(module, {question.target, question.version, {}, {}}, {0});
      const analysis::Fit& fit = *report.against;
      QTreeWidgetItem* const asked = group_with(panel, QStringLiteral("asked for"));
      QVERIFY(asked != nullptr);
      QVERIFY(asked->text(0).contains(fit.ok() ? QStringLiteral(": fits") : QStringLiteral(": does not fit")));
      QCOMPARE(asked->childCount(), static_cast<int>(fit.problems.size()));
      for (int i = 0; i < asked->childCount(); ++i) {
        const analysis::Problem& problem = fit.problems[static_cast<std::size_t>(i)];
        QVERIFY(text(asked->child(i)).startsWith(QString::fromStdString(problem.diagnostic.message)));
        panel.tree().setCurrentItem(asked->child(i));
        QCOMPARE(panel.details(), QString::fromStdString(report::to_text(module, problem.diagnostic, {false, 90})));
        QVERIFY(problem.diagnostic.remedy.empty() ||
                panel.details().contains(QString::fromStdString(problem.diagnostic.remedy)));
      }
      const bool fits = kind_of(cell(panel.model(), name, isa_version)) == RequirementModel::Cell::fits;
      QCOMPARE(fits, fit.ok());
    }
  }
  const analysis::CheckReport report = analysis::check(module, {});
  for (int row = 0; row < panel.model().rowCount(); ++row) {
    const auto lowest = analysis::lowest_version(report.requirement, static_cast<isa::TargetIndex>(row));
    QCOMPARE(panel.model().index(row, RequirementModel::lowest).data().toString(),
             lowest ? QString::fromStdString(isa::to_string(*lowest)) : QStringLiteral("never"));
  }
}

void RequirementsPanelTest::marks_what_does_not_fit() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  QVERIFY(shown.ask({target("sm_90"), std::nullopt}));
  QCOMPARE(shown.marked(), (std::set<std::uint32_t>{first_wgmma, second_wgmma, commit}));
  const Mark& mark = shown.selection().marks(MarkLayer::requirements).front();
  QVERIFY2(mark.note.contains(QStringLiteral("needs .target sm_90a")), qPrintable(mark.note));
  QVERIFY(shown.document().module()->text(mark.span).starts_with("wgmma.fence"));
  QVERIFY(shown.ask({target("sm_75"), std::nullopt}));
  QVERIFY(shown.marked().contains(9));
  QVERIFY(shown.ask({}));
  QVERIFY(shown.marked().empty());
}

void RequirementsPanelTest::is_asked_in_the_matrix() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  RequirementsPanel& panel = shown.panel();
  RequirementMatrix& matrix = panel.matrix();
  const QModelIndex asked = cell(panel.model(), "sm_100a", "8.6");
  QVERIFY(asked.isValid());
  matrix.scrollTo(asked);
  QTest::mouseClick(matrix.viewport(), Qt::LeftButton, {}, matrix.visualRect(asked).center());
  QVERIFY((panel.question() == HeaderQuestion{target("sm_100a"), version("8.6")}));
  QVERIFY(asked.data(RequirementModel::chosen_role).toBool());
  QCOMPARE(panel.targets().currentText(), QStringLiteral("sm_100a"));
  QCOMPARE(panel.versions().currentText(), QStringLiteral("8.6"));
  // A column that is no version, and a row's head: that target with the module's own version.
  const QModelIndex lowest = panel.model().index(target("sm_80"), RequirementModel::lowest);
  matrix.scrollTo(lowest);
  QTest::mouseClick(matrix.viewport(), Qt::LeftButton, {}, matrix.visualRect(lowest).center());
  QVERIFY((panel.question() == HeaderQuestion{target("sm_80"), std::nullopt}));
  QVERIFY(panel.versions().currentText().contains(QStringLiteral("8.0")));
  QVERIFY(wait_for_rows(panel));
  QVERIFY(group_with(panel, QStringLiteral("asked for .version 8.0, .target sm_80: does not fit")) != nullptr);
}

void RequirementsPanelTest::is_asked_by_keyboard() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  RequirementsPanel& panel = shown.panel();
  panel.targets().setFocus();
  QTest::keyClicks(&panel.targets(), QStringLiteral("sm_120f"));
  QVERIFY(panel.question().target == target("sm_120f"));
  panel.matrix().setCurrentIndex(cell(panel.model(), "sm_90a", "8.0"));
  QTest::keyClick(&panel.matrix(), Qt::Key_Down);
  QTest::keyClick(&panel.matrix(), Qt::Key_Right);
  QTest::keyClick(&panel.matrix(), Qt::Key_Return);
  QVERIFY((panel.question() == HeaderQuestion{static_cast<isa::TargetIndex>(target("sm_90a") + 1), version("8.1")}));
  QTest::keyClick(&panel.matrix(), Qt::Key_Escape);
  QVERIFY(panel.question().empty());
  QCOMPARE(panel.targets().currentIndex(), 0);
  QVERIFY(shown.ask({target("sm_90"), std::nullopt}));
  QTest::keyClick(&panel.tree(), Qt::Key_Escape);
  QVERIFY(panel.question().empty());
}

void RequirementsPanelTest::goes_to_a_row() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  RequirementsPanel& panel = shown.panel();
  QVERIFY(shown.ask({target("sm_90"), std::nullopt}));
  QTreeWidgetItem* const asked = group_with(panel, QStringLiteral("asked for"));
  QVERIFY(asked != nullptr && asked->childCount() > 0);
  QTreeWidgetItem* const first = asked->child(0);
  QCOMPARE(first->text(0), QString::number(first_wgmma));
  panel.tree().setCurrentItem(first);
  QCOMPARE(shown.selection().now().line, first_wgmma);
  QCOMPARE(shown.selection().now().function, 0U);
  QVERIFY(panel.details().contains(QStringLiteral("write .target sm_90a")));
  // Below it, made when it is opened: the way out, and where else.
  QCOMPARE(first->childCount(), 0);
  first->setExpanded(true);
  QVERIFY(first->childCount() >= 3);
  QVERIFY(text(first->child(0)).contains(QStringLiteral("sm_90a")));
  const int last = first->childCount() - 1;
  QCOMPARE(first->child(last)->text(0), QString::number(commit));
  QCOMPARE(text(first->child(last)), QStringLiteral("wgmma.commit_group.sync.aligned;"));
  panel.tree().setCurrentItem(first->child(last));
  QCOMPARE(shown.selection().now().line, commit);
}

void RequirementsPanelTest::steps_through_lines() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  RequirementsPanel& panel = shown.panel();
  panel.step(false);
  QVERIFY(panel.message().contains(QStringLiteral("Choose a target")));
  QVERIFY(shown.ask({target("sm_90"), std::nullopt}));
  shown.selection().choose_line(1, this);
  for (const std::uint32_t line : {first_wgmma, second_wgmma, commit, first_wgmma}) {
    panel.step(false);
    QCOMPARE(shown.selection().now().line, line);
  }
  for (const std::uint32_t line : {commit, second_wgmma, first_wgmma}) {
    panel.step(true);
    QCOMPARE(shown.selection().now().line, line);
  }
  QVERIFY(shown.ask({target("sm_90a"), version("9.0")}));
  panel.step(false);
  QVERIFY(panel.message().contains(QStringLiteral("all lines fit")));
}

void RequirementsPanelTest::lists_a_part_of_many() {
  constexpr int lines = 3000;
  QByteArray body;
  for (int i = 0; i < lines; ++i) body += "\twgmma.fence.sync.aligned;\n";
  const Scratch scratch;
  ShownPanel<RequirementsPanel> shown(
      scratch.write(QStringLiteral("many.ptx"),
                    ".version 8.0\n.target sm_90a\n.address_size 64\n.entry k()\n{\n" + body + "\tret;\n}\n"));
  QVERIFY(shown.loaded() && wait_for_rows(*shown.operator->()));
  shown->ask({target("sm_90"), std::nullopt});
  QVERIFY(wait_for_rows(*shown.operator->()));
  // All of them are marked; the list has the first ones and says how many more there are.
  QCOMPARE(marked_lines(shown.selection(), *shown.document().module()).size(), std::size_t{lines});
  QTreeWidgetItem* const first = group_with(*shown.operator->(), QStringLiteral("asked for"))->child(0);
  QVERIFY2(text(first).contains(QStringLiteral("(%1×)").arg(lines)), qPrintable(text(first)));
  first->setExpanded(true);
  QVERIFY(first->childCount() < 600);
  QVERIFY(text(first->child(first->childCount() - 1)).contains(QStringLiteral("2500 more; ptxscope check --all")));
}

void RequirementsPanelTest::shows_a_broken_file() {
  const Scratch scratch;
  ShownPanel<RequirementsPanel> shown(scratch.write(
      QStringLiteral("broken.ptx"),
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k()\n{\n\tnosuch.thing 1;\n\tadd.s32 %r1,, ;\n"
      "\tmov ];\n\tcp.async.wait_all;\n\tret;\n"));
  QVERIFY(shown.loaded() && wait_for_rows(*shown.operator->()));
  QTreeWidgetItem* const header = group_with(*shown.operator->(), QStringLiteral("header"));
  QVERIFY(header != nullptr);
  QVERIFY2(header->text(0).contains(QStringLiteral("the text has")), qPrintable(header->text(0)));
  QVERIFY(text(header->child(header->childCount() - 1)).contains(QStringLiteral("not known")));
  QTreeWidgetItem* const unknown = group_with(*shown.operator->(), QStringLiteral("not known"));
  QVERIFY(unknown != nullptr && text(unknown->child(0)).contains(QStringLiteral("nosuch")));
  // What could be read is told of all the same.
  QTreeWidgetItem* const needs = group_with(*shown.operator->(), QStringLiteral("needs .version"));
  QVERIFY(needs != nullptr && needs->childCount() > 0);
}

void RequirementsPanelTest::shows_what_nothing_takes() {
  const Scratch scratch;
  // wgmma and tcgen05: no target has both.
  ShownPanel<RequirementsPanel> shown(
      scratch.write(QStringLiteral("both.ptx"),
                    ".version 8.6\n.target sm_999\n.address_size 64\n.entry k()\n{\n\twgmma.fence.sync.aligned;\n"
                    "\ttcgen05.fence::before_thread_sync;\n\tret;\n}\n"));
  QVERIFY(shown.loaded() && wait_for_rows(*shown.operator->()));
  QVERIFY(group_with(*shown.operator->(), QStringLiteral("needs no .version and .target that there are")) != nullptr);
  for (int row = 0; row < shown->model().rowCount(); ++row)
    QCOMPARE(shown->model().index(row, RequirementModel::lowest).data().toString(), QStringLiteral("never"));
  shown->ask({target("sm_90a"), std::nullopt});
  QVERIFY(wait_for_rows(*shown.operator->()));
  QCOMPARE(marked_lines(shown.selection(), *shown.document().module()), (std::set<std::uint32_t>{7}));
}

void RequirementsPanelTest::waits_for_the_file() {
  Document document({QStringLiteral("there is no such file.ptx"), {}});
  Selection selection(document);
  RequirementsPanel panel(document, selection);
  panel.show();
  QVERIFY(panel.message().contains(QStringLiteral("when it has been read")));
  panel.ask({target("sm_90"), std::nullopt});
  panel.step(false);
  document.load();
  QVERIFY(wait_for_load(document));
  QCOMPARE(document.stage(), Stage::failed);
  QCOMPARE(panel.tree().topLevelItemCount(), 0);
  QCOMPARE(panel.model().rowCount(), 0);
  QTest::keyClick(&panel.matrix(), Qt::Key_Return);
}

void RequirementsPanelTest::keeps_the_question_over_a_reload() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  QVERIFY(shown.ask({target("sm_90"), version("8.1")}));
  QByteArray changed(hopper);
  changed.replace("\tmov.u32 %r1, %tid.x;\n", "\tmov.u32 %r1, %tid.x;\n\tmov.u32 %r1, %tid.y;\n");
  changed.replace("\twgmma.commit_group.sync.aligned;\n", "");
  shown.scratch().write(QStringLiteral("hopper.ptx"), changed);
  shown.document().load();
  QVERIFY(wait_for([&] { return shown.document().generation() == 2; }));
  QVERIFY(wait_for_rows(shown.panel()));
  QVERIFY((shown.panel().question() == HeaderQuestion{target("sm_90"), version("8.1")}));
  QCOMPARE(shown.panel().targets().currentText(), QStringLiteral("sm_90"));
  QCOMPARE(shown.panel().versions().currentText(), QStringLiteral("8.1"));
  QCOMPARE(shown.marked(), (std::set<std::uint32_t>{first_wgmma, second_wgmma + 1}));
}

void RequirementsPanelTest::keeps_the_question_with_the_session() {
  QSettings().clear();
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("hopper.ptx"), hopper);
  {
    MainWindow window;
    window.show();
    window.open_files({path});
    auto* const panel = window.current_page()->findChild<RequirementsPanel*>();
    QVERIFY(panel != nullptr);
    QVERIFY(wait_for_rows(*panel));
    panel->ask({target("sm_100a"), std::nullopt});
    window.close();
  }
  MainWindow window;
  window.show();
  window.restore_session();
  QVERIFY(window.current_page() != nullptr);
  auto* const panel = window.current_page()->findChild<RequirementsPanel*>();
  QVERIFY(panel != nullptr);
  QVERIFY(wait_for_rows(*panel));
  QVERIFY((panel->question() == HeaderQuestion{target("sm_100a"), std::nullopt}));
  QVERIFY(group_with(*panel, QStringLiteral("asked for .version 8.0, .target sm_100a")) != nullptr);
  panel->restore(QStringLiteral("sm_1 7.99"));  // of another program's making
  QVERIFY(panel->question().empty());
  QSettings().clear();
}

void RequirementsPanelTest::answers_the_last_question() {
  HopperPanel shown;
  QVERIFY(shown.loaded());
  for (const std::string_view name : {"sm_75", "sm_80", "sm_120", "sm_90"})
    shown.panel().ask({target(name), std::nullopt});
  QVERIFY(shown.panel().is_busy());
  QVERIFY(wait_for_rows(shown.panel()));
  QVERIFY(group_with(shown.panel(), QStringLiteral("asked for .version 8.0, .target sm_90:")) != nullptr);
  const auto marked = shown.marked();
  QTest::qWait(100);  // what was cancelled says nothing
  QCOMPARE(shown.marked(), marked);
  QVERIFY(group_with(shown.panel(), QStringLiteral("asked for .version 8.0, .target sm_90:")) != nullptr);
}

void RequirementsPanelTest::can_be_closed_while_it_works() {
  for (int wait = 0; wait < 12; wait += 3) {
    const Scratch scratch;
    ShownPanel<RequirementsPanel> shown(scratch.write(QStringLiteral("hopper.ptx"), hopper));
    QVERIFY(shown.loaded());
    shown->ask({target("sm_90"), std::nullopt});
    QTest::qWait(wait);
  }
  QVERIFY(background_pool().waitForDone(30'000));
  QTest::qWait(20);
}
