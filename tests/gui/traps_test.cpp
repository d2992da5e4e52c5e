#include "tests/gui/traps_test.h"

#include <QSignalSpy>

#include "gui/export_explanation.h"
#include "gui/launch_panel.h"
#include "gui/trap_marks.h"
#include "gui/trap_panel.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

bool wait_for_traps(TrapPanel& panel, int count) {
  return wait_for([&] { return panel.tree().topLevelItemCount() == count; });
}

QString text(const QTreeWidgetItem* item) { return item->text(1); }

const Mark* mark_at(const Selection& selection, std::uint32_t statement) {
  const auto& marks = selection.marks(MarkLayer::traps);
  const auto found = std::ranges::find(marks, statement, &Mark::statement);
  return found == marks.end() ? nullptr : &*found;
}

bool wait_for_answer_of(LaunchPanel& panel, const QString& verdict) {
  return wait_for([&] { return !panel.is_busy() && panel.verdict().contains(verdict); });
}

QByteArray read(const QString& path) {
  QFile file(path);
  return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

// Two ways into one trap.
const char* const two_ways =
    ".version 7.0\n.target sm_80\n.address_size 64\n"
    ".visible .entry two(.param .u32 n, .param .u32 m)\n{\n\t.reg .b32 %r<4>;\n\t.reg .pred %p<3>;\n"
    "\tld.param.u32 %r1, [n];\n\tld.param.u32 %r2, [m];\n\tsetp.gt.u32 %p1, %r1, 10;\n\t@%p1 bra $Bad;\n"
    "\tsetp.gt.u32 %p2, %r2, 20;\n\t@%p2 bra $Bad;\n\tret;\n$Bad:\n\ttrap;\n}\n";

}  // namespace

void TrapsTest::lists_traps() {
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for_traps(*shown.operator->(), 2));
  QCOMPARE(text(shown->tree().topLevelItem(0)),
           QStringLiteral("trap 1 fires when global.x >= arg0.len: the bounds check of slice arg0, src/main.rs:22:16"));
  QCOMPARE(shown->tree().topLevelItem(0)->text(0), QStringLiteral("85"));
  QVERIFY(!shown->tree().accessibleName().isEmpty());
}

void TrapsTest::lights_up_what_is_behind_a_trap() {
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 2));
  shown->tree().setCurrentItem(shown->tree().topLevelItem(0));
  const auto module = shown.document().module();
  QCOMPARE(shown.selection().now().trap, 1U);
  QCOMPARE(shown.selection().now().line, 85U);
  const auto role_of = [&](std::uint32_t line) {
    const Mark* const mark = mark_at(shown.selection(), statement_on_line(*module, line));
    return mark == nullptr ? MarkRole::found : mark->role;
  };
  QVERIFY(role_of(85) == MarkRole::trap);
  QVERIFY(role_of(56) == MarkRole::guard);
  QVERIFY(role_of(55) == MarkRole::compare);
  QVERIFY(role_of(53) == MarkRole::parameter);
  QVERIFY(role_of(45) == MarkRole::definition);
  // The parameter's declaration.
  const auto& marks = shown.selection().marks(MarkLayer::traps);
  QVERIFY(std::ranges::any_of(marks, [&](const Mark& one) {
    return !one.span.empty() && module->text().substr(one.span.begin, one.span.end - one.span.begin).find("param_1") !=
                                    std::string_view::npos;
  }));
  QVERIFY(wait_for([&] { return shown->details().contains(QStringLiteral("reached when global.x < arg2.len")); }));
}

void TrapsTest::lights_up_one_way() {
  const Scratch scratch;
  ShownPanel<TrapPanel> shown(scratch.write(QStringLiteral("two.ptx"), two_ways));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 1));
  QTreeWidgetItem* const trap = shown->tree().topLevelItem(0);
  QCOMPARE(trap->childCount(), 2);
  const auto module = shown.document().module();
  const std::uint32_t first = statement_of(*module, "@%p1 bra");
  const std::uint32_t second = statement_of(*module, "@%p2 bra");
  shown->tree().setCurrentItem(trap);
  QVERIFY(mark_at(shown.selection(), first) != nullptr && mark_at(shown.selection(), second) != nullptr);
  shown->tree().setCurrentItem(trap->child(1));
  QVERIFY(mark_at(shown.selection(), first) == nullptr);
  QVERIFY(mark_at(shown.selection(), second) != nullptr);
  QVERIFY(mark_at(shown.selection(), second)->role == MarkRole::guard);
}

void TrapsTest::follows_a_choice_made_elsewhere() {
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 2));
  shown.selection().choose_trap(shown.selection().now().function, 2, this);
  QVERIFY(shown->tree().currentItem() == shown->tree().topLevelItem(1));
  QVERIFY(!shown.selection().marks(MarkLayer::traps).empty());
  shown.selection().go_back();
  shown.selection().choose_line(30, this);
  QVERIFY(!shown.selection().marks(MarkLayer::traps).empty());  // while one looks around, they stay
}

void TrapsTest::steps_through_traps() {
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 2));
  shown->step(false);
  QCOMPARE(shown.selection().now().trap, 1U);
  shown->step(false);
  QCOMPARE(shown.selection().now().trap, 2U);
  shown->step(false);
  QCOMPARE(shown.selection().now().trap, 1U);
  shown->step(true);
  QCOMPARE(shown.selection().now().trap, 2U);
}

void TrapsTest::puts_out_the_lights() {
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 2));
  shown->step(false);
  QTest::keyClick(&shown->tree(), Qt::Key_Escape);
  QVERIFY(shown.selection().marks(MarkLayer::traps).empty());
}

void TrapsTest::says_why_there_are_none() {
  const Scratch scratch;
  ShownPanel<TrapPanel> shown(scratch.write(QStringLiteral("x.ptx"),
                                            ".version 7.0\n.target sm_80\n.address_size 64\n.func outside();\n"
                                            ".func inner()\n{\n\ttrap;\n}\n"
                                            ".visible .entry k()\n{\n\tcall inner;\n\tret;\n}\n"
                                            ".visible .entry good()\n{\n\tret;\n}\n"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for_traps(*shown.operator->(), 1));
  shown.choose("good");
  QVERIFY(wait_for([&] { return shown->message().contains(QStringLiteral("nothing traps")); }));
  shown.choose("outside");
  QVERIFY(wait_for([&] { return shown->message().contains(QStringLiteral("no body")); }));
  shown.choose("inner");
  QVERIFY(wait_for_traps(*shown.operator->(), 1));
}

void TrapsTest::follows_a_reload() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"), two_ways);
  ShownPanel<TrapPanel> shown(path);
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 1));
  shown->step(false);
  QVERIFY(!shown.selection().marks(MarkLayer::traps).empty());
  QByteArray other = two_ways;
  other.replace("\ttrap;\n", "\tret;\n");
  scratch.write(QStringLiteral("x.ptx"), other);
  QVERIFY(wait_for([&] {
    return shown.document().generation() == 2 && shown->message().contains(QStringLiteral("nothing traps"));
  }));
  QVERIFY(shown.selection().marks(MarkLayer::traps).empty());
  QCOMPARE(shown->tree().topLevelItemCount(), 0);
}

void TrapsTest::evaluates_launches() {
  ShownPanel<LaunchPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for([&] { return shown->form().field(QStringLiteral("arg0.len")) != nullptr; }));
  QVERIFY(wait_for_answer_of(*shown.operator->(), QStringLiteral("may fire")));
  for (const char* label : {"arg0.len", "arg1.len", "arg2.len"})
    shown->form().field(QString::fromLatin1(label))->setText(QStringLiteral("512"));
  shown->form().grid(0).setValue(2);
  shown->form().block(0).setValue(256);
  QVERIFY(wait_for_answer_of(*shown.operator->(), QStringLiteral("no trap fires")));
  QCOMPARE(text(shown->table().topLevelItem(0)), QStringLiteral("no"));
  shown->form().field(QStringLiteral("arg0.len"))->setText(QStringLiteral("0x1f4"));  // 500
  QVERIFY(wait_for_answer_of(*shown.operator->(), QStringLiteral("trap 1 fires, in block (1,0,0) thread (244,0,0)")));
  QCOMPARE(shown->table().topLevelItem(0)->text(0), QStringLiteral("trap 1"));
  QVERIFY(text(shown->table().topLevelItem(0)).startsWith(QStringLiteral("fires in 12 of 512 threads")));
}

void TrapsTest::keeps_what_was_typed() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("x.ptx"),
                                     QByteArray(two_ways) + ".visible .entry other(.param .u32 z)\n{\n\tret;\n}\n");
  ShownPanel<LaunchPanel> shown(path);
  QVERIFY(shown.loaded());
  QVERIFY(wait_for([&] { return shown->form().findChildren<QLineEdit*>().size() >= 2; }));
  const auto first_edit = [&]() -> QLineEdit* {
    for (QLineEdit* const one : shown->form().findChildren<QLineEdit*>())
      if (one->accessibleName().startsWith(QStringLiteral("Argument"))) return one;
    return nullptr;
  };
  QVERIFY(wait_for([&] { return first_edit() != nullptr; }));
  first_edit()->setText(QStringLiteral("7"));
  shown->form().block(0).setValue(64);
  shown.choose("other");
  QVERIFY(wait_for([&] { return shown->form().block(0).value() == 32; }));
  shown.choose("two");
  QVERIFY(wait_for([&] { return shown->form().block(0).value() == 64; }));
  QCOMPARE(first_edit()->text(), QStringLiteral("7"));
  scratch.write(QStringLiteral("x.ptx"), two_ways);
  QVERIFY(wait_for([&] {
    return shown.document().generation() == 2 && first_edit() != nullptr && first_edit()->text() == QLatin1String("7");
  }));
}

void TrapsTest::refuses_bad_arguments() {
  ShownPanel<LaunchPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  const QString label = QStringLiteral("arg0.len");
  QVERIFY(wait_for([&] { return shown->form().field(label) != nullptr; }));
  for (const char* bad : {"many", "99999999999999999999999", "1 2", "--3", "\xe2\x98\x83"}) {
    shown->form().field(label)->setText(QString::fromUtf8(bad));
    QVERIFY2(wait_for([&] { return shown->form().problem_of(label).contains(QStringLiteral("64 bits")); }), bad);
    shown->form().field(label)->setText(QStringLiteral("5"));
    QVERIFY(wait_for([&] { return shown->form().problem_of(label).isEmpty() && !shown->is_busy(); }));
  }
}

void TrapsTest::refuses_impossible_launches() {
  const Scratch scratch;
  QByteArray text(two_ways);
  text.replace("\n{\n", "\n.reqntid 128, 1, 1\n{\n");
  ShownPanel<LaunchPanel> shown(scratch.write(QStringLiteral("x.ptx"), text));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for([&] { return shown->form().block(0).value() == 128; }));  // as the kernel asks for
  shown->form().block(0).setValue(1024);
  shown->form().block(1).setValue(2);
  QVERIFY(wait_for_answer_of(*shown.operator->(), QStringLiteral("No GPU launches this: the block has 2048 threads")));
  shown->form().block(1).setValue(1);
  QVERIFY(wait_for_answer_of(*shown.operator->(), QStringLiteral("requires blocks of 128x1x1")));
}

void TrapsTest::links_launches_to_traps() {
  ShownPanel<LaunchPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for([&] { return shown->table().topLevelItemCount() == 2; }));
  shown->table().setCurrentItem(shown->table().topLevelItem(1));
  QCOMPARE(shown.selection().now().trap, 2U);
}

void TrapsTest::launches_kernels_only() {
  const Scratch scratch;
  ShownPanel<LaunchPanel> shown(scratch.write(
      QStringLiteral("x.ptx"), ".version 7.0\n.target sm_80\n.address_size 64\n.func alone()\n{\n\ttrap;\n}\n"));
  QVERIFY(shown.loaded());
  shown.choose("alone");
  QVERIFY(wait_for_answer_of(*shown.operator->(), QStringLiteral("Only kernels are launched")));
  QVERIFY(!shown->form().isEnabled());
}

void TrapsTest::cancels_counting() {
  ShownPanel<LaunchPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for([&] { return shown->table().topLevelItemCount() == 2 && !shown->is_busy(); }));
  shown->count_on();
  QVERIFY(shown->is_busy());
  shown->cancel();
  QVERIFY(!shown->is_busy());
  QVERIFY(shown->verdict().contains(QStringLiteral("cancelled")));
  QTest::qWait(300);  // what was cancelled says nothing
  QVERIFY(shown->verdict().contains(QStringLiteral("cancelled")));
}

void TrapsTest::exports_explanations() {
  const Scratch scratch;
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 2));
  const QString plain = scratch.path(QStringLiteral("why.txt"));
  shown->save_explanation(plain);
  QVERIFY(wait_for([&] { return !shown->is_saving(); }));
  QVERIFY2(shown->message().contains(plain), qPrintable(shown->message()));
  QVERIFY(read(plain).contains("trap 1 fires when global.x >= arg0.len"));
  const QString page = scratch.path(QStringLiteral("why.html"));
  shown->save_explanation(page);
  QVERIFY(wait_for([&] { return !shown->is_saving(); }));
  const QByteArray html = read(page);
  QVERIFY(html.startsWith("<!DOCTYPE html>"));
  QVERIFY(html.contains("fires when <span class=\"error\">global.x &gt;= arg0.len</span>"));
  QVERIFY(!html.contains('\x1b'));
}

void TrapsTest::tells_why_it_cannot_export() {
  const Scratch scratch;
  ShownPanel<TrapPanel> shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && wait_for_traps(*shown.operator->(), 2));
  shown->save_explanation(scratch.path(QStringLiteral("why.doc")));
  QVERIFY(wait_for([&] { return !shown->is_saving(); }));
  QVERIFY(shown->message().contains(QStringLiteral(".txt or .html")));
  shown->save_explanation(scratch.path(QStringLiteral("no/such/folder/why.txt")));
  QVERIFY(wait_for([&] { return !shown->is_saving(); }));
  QVERIFY(shown->message().contains(QStringLiteral("choose another folder")));
}

void TrapsTest::escapes_html() {
  const std::string html = explanation_html("<script>", "a <b> & \x1b[1;31mred\x1b[0m \x1b[34m'x'");
  QVERIFY(html.find("<title>&lt;script&gt;</title>") != std::string::npos);
  QVERIFY(html.find("a &lt;b&gt; &amp; <span class=\"error\">red</span> <span class=\"code\">") != std::string::npos);
  QVERIFY(html.find("</span></pre>") != std::string::npos);
}
