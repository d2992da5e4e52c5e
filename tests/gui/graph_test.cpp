#include "tests/gui/graph_test.h"

#include <QElapsedTimer>
#include <QGraphicsItem>
#include <QImage>
#include <QScrollBar>
#include <QStandardPaths>
#include <random>

#include "gui/export_graph.h"
#include "gui/graph_view.h"
#include "gui/theme.h"
#include "tests/gui/fixture.h"

using namespace ptxscope;
using namespace ptxscope::gui;

namespace {

bool has_graphviz() { return !QStandardPaths::findExecutable(QStringLiteral("dot")).isEmpty(); }
#define NEEDS_GRAPHVIZ() \
  if (!has_graphviz()) QSKIP("Graphviz is not installed (package graphviz)")

// A panel alone in a window, its document loaded.
class Shown {
 public:
  explicit Shown(const QString& path) : document_({path, {}}), selection_(document_), view_(document_, selection_) {
    view_.resize(700, 700);
    view_.show();
    document_.load();
    loaded_ = QTest::qWaitForWindowExposed(&view_) && wait_for_load(document_) && document_.module() != nullptr;
    if (loaded_) selection_.choose_function(first_body(), this_object());
  }
  [[nodiscard]] bool loaded() const { return loaded_; }
  GraphView* operator->() { return &view_; }
  GraphView& view() { return view_; }
  Document& document() { return document_; }
  Selection& selection() { return selection_; }
  [[nodiscard]] std::uint32_t first_body() const {
    const auto functions = document_.module()->functions();
    return static_cast<std::uint32_t>(std::ranges::find(functions, true, &Function::has_body) - functions.begin());
  }
  [[nodiscard]] std::uint32_t function(std::string_view name) const {
    const auto module = document_.module();
    return static_cast<std::uint32_t>(module->find_function(module->find_name(name)) - module->functions().data());
  }
  bool wait_for_graph() {
    return wait_for([&] { return view_.scene().layout() != nullptr && !view_.is_busy(); });
  }
  const GraphPlan& plan() { return *view_.scene().layout()->plan; }

 private:
  const QObject* this_object() const { return nullptr; }
  Document document_;
  Selection selection_;
  GraphView view_;
  bool loaded_ = false;
};

GraphPlan plan_of(const QString& path, const GraphOptions& options) {
  const LoadedFile file = load_file({path, {}}, Cancel(), [](int) {});
  if (file.module == nullptr) return {};
  const auto functions = file.module->functions();
  const auto first = std::ranges::find(functions, true, &Function::has_body);
  analysis::NeverReturns never_returns(*file.module);
  auto flow = std::make_shared<const analysis::FunctionFlow>(
      analysis::flow_of_function(*file.module, static_cast<std::uint32_t>(first - functions.begin()), never_returns));
  return plan_graph(file.module, std::move(flow), options, {});
}

// Two blocks for each step, branches a few steps on, now and then back, and into one trap.
QByteArray many_blocks(int steps) {
  std::mt19937 random(7);
  const auto below = [&](std::uint32_t limit) { return static_cast<int>(random() % limit); };
  QByteArray text =
      ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry many(.param .u32 n)\n{\n\t.reg .b32 %r<4>;\n"
      "\t.reg .pred %p<2>;\n\tld.param.u32 %r1, [n];\n";
  for (int i = 0; i < steps; ++i) {
    const bool back = i > 8 && below(12) == 0;
    const int target = back ? i - 1 - below(7) : std::min(steps, i + 2 + below(5));
    text += "$L" + QByteArray::number(i) + ":\n\tadd.u32 %r2, %r1, " + QByteArray::number(i) +
            ";\n\tsetp.lt.u32 %p1, %r2, 9;\n\t@%p1 bra $L" + QByteArray::number(target) + ";\n\tadd.u32 %r1, %r1, 1;\n";
    if (below(10) == 0) text += "\tsetp.eq.u32 %p1, %r1, 77;\n\t@%p1 bra $T;\n";
  }
  return text + "$L" + QByteArray::number(steps) + ":\n\tret;\n$T:\n\ttrap;\n}\n";
}

}  // namespace

void GraphTest::plans_blocks_edges_and_loops() {
  const Scratch scratch;
  const GraphPlan plan = plan_of(
      scratch.write(QStringLiteral("loop.ptx"),
                    ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u32 n)\n{\n"
                    "\t.reg .b32 %r<4>;\n\t.reg .pred %p<3>;\n\tld.param.u32 %r1, [n];\n\tmov.u32 %r2, 0;\n"
                    "$Loop:\n\tadd.u32 %r2, %r2, 1;\n\tsetp.gt.u32 %p2, %r2, 1000;\n\t@%p2 bra $Bad;\n"
                    "\tsetp.lt.u32 %p1, %r2, %r1;\n\t@%p1 bra $Loop;\n\tret;\n$Bad:\n\ttrap;\n$Dead:\n\tret;\n}\n"),
      {});
  QCOMPARE(plan.nodes.size(), std::size_t{5});
  QCOMPARE(plan.unreachable, std::size_t{1});
  QVERIFY(!plan.is_part);
  QCOMPARE(plan.loops.size(), std::size_t{1});
  QCOMPARE(plan.loops[0].nodes.size(), std::size_t{2});
  const auto back = std::ranges::find(plan.lines, true, &GraphLine::back);
  QVERIFY(back != plan.lines.end());
  QCOMPARE(back->label, QStringLiteral("%p1"));
  QCOMPARE(back->condition, QStringLiteral("setp.lt.u32 %p1, %r2, %r1;"));
  const auto bad = std::ranges::find(plan.lines, true, &GraphLine::to_trap);
  QVERIFY(bad != plan.lines.end());
  QCOMPARE(bad->label, QStringLiteral("%p2"));
  QVERIFY(plan.nodes[bad->to].traps);
  QVERIFY(plan.nodes[1].title.contains(QStringLiteral("$Loop")));
  QVERIFY(plan.nodes[0].says.contains(QStringLiteral("2 instructions")));
}

void GraphTest::plans_parts_with_stubs() {
  const Scratch scratch;
  const QString path = scratch.write(QStringLiteral("many.ptx"), many_blocks(600));
  GraphOptions options;
  options.most_blocks = 60;
  options.around = 300;
  const GraphPlan plan = plan_of(path, options);
  QVERIFY(plan.is_part);
  QVERIFY(plan.reachable > 900);
  const auto real = std::ranges::count(plan.nodes, std::size_t{0}, &GraphNode::stands_for);
  QCOMPARE(real, std::ptrdiff_t{60});
  QVERIFY(plan.node_of[300] != no_index);
  QVERIFY(static_cast<std::size_t>(real) < plan.nodes.size());
  // Every edge of a block that is shown is there, or stands in a stub.
  const analysis::Cfg& cfg = plan.flow->cfg;
  std::size_t edges = 0, stood_for = 0;
  for (const analysis::Edge& edge : cfg.edges)
    if (cfg.blocks[edge.from].reachable && (plan.node_of[edge.from] != no_index || plan.node_of[edge.to] != no_index))
      ++edges;
  for (const GraphNode& node : plan.nodes) stood_for += node.stands_for;
  const auto drawn = std::ranges::count_if(plan.lines, [](const GraphLine& one) { return one.edge != no_index; });
  QCOMPARE(static_cast<std::size_t>(drawn) + stood_for, edges);
}

void GraphTest::lays_out() {
  NEEDS_GRAPHVIZ();
  for (const char* name : {"vecadd/vecadd.ptx", "switch/switch.ptx", "julia/julia.ptx", "numba/numba.ptx"}) {
    const auto plan = std::make_shared<const GraphPlan>(plan_of(sample(name), {}));
    const GraphDrawing drawing = lay_out(plan, 60, Cancel());
    QVERIFY2(drawing.layout != nullptr, qPrintable(drawing.problem));
    const GraphLayout& layout = *drawing.layout;
    QCOMPARE(layout.nodes.size(), plan->nodes.size());
    for (std::size_t i = 0; i < layout.nodes.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) QVERIFY2(!layout.nodes[i].intersects(layout.nodes[j]), name);
    const QRectF all(QPointF(0, 0), layout.size);
    for (const QRectF& one : layout.nodes) QVERIFY(all.adjusted(-1, -1, 1, 1).contains(one));
    for (std::size_t i = 0; i < layout.lines.size(); ++i) {
      QVERIFY(!layout.lines[i].path.isEmpty());
      QCOMPARE(layout.lines[i].arrow.size(), qsizetype{3});
      // The arrow's point is at the block that the edge leads to.
      QVERIFY(layout.nodes[plan->lines[i].to].adjusted(-3, -3, 3, 3).contains(layout.lines[i].arrow.front()));
    }
    for (const GraphLoop& loop : plan->loops)
      for (const std::uint32_t node : loop.nodes)
        QVERIFY(layout.loops[static_cast<std::size_t>(&loop - plan->loops.data())].contains(layout.nodes[node]));
  }
}

void GraphTest::shows_the_chosen_function() {
  NEEDS_GRAPHVIZ();
  Shown shown(sample("targets/sm_80.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(shown.wait_for_graph());
  const std::uint32_t first = shown.plan().function;
  QVERIFY(!shown->summary().isEmpty());
  QVERIFY(shown->message().isEmpty());
  std::uint32_t other = no_index;
  const auto functions = shown.document().module()->functions();
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].has_body && i != first) other = i;
  QVERIFY(other != no_index);
  shown.selection().choose_function(other, this);
  QVERIFY(wait_for([&] { return shown->scene().layout() != nullptr && shown.plan().function == other; }));
  shown.selection().choose_function(first, this);
  QVERIFY(wait_for([&] { return shown->scene().layout() != nullptr && shown.plan().function == first; }));
}

void GraphTest::links_blocks_and_code() {
  NEEDS_GRAPHVIZ();
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  // A click on a block chooses it.
  const std::uint32_t node = shown.plan().node_of[3];
  shown->canvas().show_node(node);
  const QPoint at = shown->canvas().mapFromScene(shown->scene().rect_of(node).center());
  QTest::mouseClick(shown->canvas().viewport(), Qt::LeftButton, {}, at);
  QCOMPARE(shown.selection().now().block, 3U);
  QCOMPARE(shown->scene().chosen(), node);
  const auto flow = shown.document().flow(shown.plan().function);
  QCOMPARE(shown.selection().now().statement, flow->cfg.blocks[3].first_instruction);
  // A line of the code chooses its block.
  const auto module = shown.document().module();
  shown.selection().choose_statement(statement_of(*module, "st.global.b32"), this);
  QCOMPARE(shown->scene().chosen(), shown.plan().node_of[flow->cfg.block_of(shown.selection().now().statement)]);
  const QRectF seen = shown->canvas().mapToScene(shown->canvas().viewport()->rect()).boundingRect();
  QVERIFY(seen.intersects(shown->scene().rect_of(shown->scene().chosen())));
  shown.selection().go_back();
  QCOMPARE(shown->scene().chosen(), node);
  // The table of blocks does the same.
  shown->blocks().show();
  shown->blocks().setCurrentIndex(shown->blocks().model()->index(1, 0));
  QCOMPARE(shown.selection().now().block, 1U);
  QCOMPARE(shown->scene().chosen(), shown.plan().node_of[1]);
}

void GraphTest::goes_by_keyboard() {
  NEEDS_GRAPHVIZ();
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  QTest::keyClick(&shown->canvas(), Qt::Key_Home);
  QCOMPARE(shown.selection().now().block, 0U);
  QTest::keyClick(&shown->canvas(), Qt::Key_Down);
  const std::uint32_t below = shown.selection().now().block;
  QVERIFY(below != 0U);
  QTest::keyClick(&shown->canvas(), Qt::Key_Up);
  QCOMPARE(shown.selection().now().block, 0U);
  QTest::keyClick(&shown->canvas(), Qt::Key_Down);
  QTest::keyClick(&shown->canvas(), Qt::Key_Down);
  const std::uint32_t node = shown->scene().chosen();
  QTest::keyClick(&shown->canvas(), Qt::Key_Right);
  QVERIFY(shown->scene().rect_of(shown->scene().chosen()).center().x() >= shown->scene().rect_of(node).center().x());
}

void GraphTest::zooms_and_fits() {
  NEEDS_GRAPHVIZ();
  Shown shown(sample("julia/julia.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  GraphCanvas& canvas = shown->canvas();
  canvas.reset_zoom();
  QCOMPARE(canvas.scale_now(), 1.0);
  canvas.zoom(3.5);
  QVERIFY(canvas.map().isVisible());  // most of it is out of sight
  canvas.centerOn(0, 0);
  const int before = canvas.verticalScrollBar()->value();
  QTest::mouseClick(&canvas.map(), Qt::LeftButton, {}, QPoint(canvas.map().width() / 2, canvas.map().height() - 2));
  QVERIFY(canvas.verticalScrollBar()->value() > before);
  QTest::keyClick(&canvas, Qt::Key_Plus);
  QVERIFY(canvas.scale_now() > 3.5);
  QTest::keyClick(&canvas, Qt::Key_0);
  const QRectF seen = canvas.mapToScene(canvas.viewport()->rect()).boundingRect();
  QVERIFY(seen.adjusted(-30, -30, 30, 30).contains(canvas.sceneRect()));
  QVERIFY(!canvas.map().isVisible());
  canvas.zoom(1.15);  // most of it is in sight, and the map would cover some
  QVERIFY(!canvas.map().isVisible());
  for (int i = 0; i < 60; ++i) canvas.zoom(2);
  QVERIFY(canvas.scale_now() <= 4.001);
  for (int i = 0; i < 60; ++i) canvas.zoom(0.5);
  QVERIFY(canvas.scale_now() > 0.005);
}

void GraphTest::lights_up_a_trap() {
  NEEDS_GRAPHVIZ();
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  const auto module = shown.document().module();
  const std::uint32_t guard = statement_of(*module, "@%p2 bra");
  const std::uint32_t setp = statement_of(*module, "setp.lt.u64 \t%p2");
  const std::uint32_t trap = statement_of(*module, "trap;");
  shown.selection().set_marks(
      MarkLayer::traps,
      {{trap, {}, MarkRole::trap, {}}, {guard, {}, MarkRole::guard, {}}, {setp, {}, MarkRole::compare, {}}});
  const auto flow = shown.document().flow(shown.plan().function);
  const std::uint32_t node = shown.plan().node_of[flow->cfg.block_of(trap)];
  QVERIFY(shown->scene().is_lit(node));
  QVERIFY(shown->scene().mark_of_node(node)->role == MarkRole::trap);
  QVERIFY(shown->scene().mark_of(guard)->role == MarkRole::guard);
  // The whole way from the guard to the trap, and no other edge.
  std::size_t lit = 0;
  std::uint32_t at = shown.plan().node_of[flow->cfg.block_of(guard)];
  for (std::uint32_t i = 0; i < shown.plan().lines.size(); ++i) {
    if (!shown->scene().is_line_lit(i)) continue;
    ++lit;
    QVERIFY(shown.plan().lines[i].to_trap);
  }
  QVERIFY(lit >= 1);
  while (at != node) {
    std::uint32_t next = no_index;
    for (std::uint32_t i = 0; i < shown.plan().lines.size(); ++i)
      if (shown.plan().lines[i].from == at && shown->scene().is_line_lit(i)) next = shown.plan().lines[i].to;
    QVERIFY(next != no_index);
    at = next;
  }
  shown.selection().set_marks(MarkLayer::traps, {});
  QVERIFY(!shown->scene().is_lit(node));
}

void GraphTest::says_that_graphviz_is_missing() {
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  shown->set_program(QStringLiteral("no-such-program-of-graphviz"));
  QVERIFY(wait_for([&] { return shown->message().contains(QStringLiteral("apt install graphviz")); }));
  QVERIFY(shown->blocks().isVisible());
  QCOMPARE(shown->blocks().model()->rowCount(), 11);
  shown->blocks().setCurrentIndex(shown->blocks().model()->index(5, 0));
  QCOMPARE(shown.selection().now().block, 5U);
  QVERIFY(!shown->save_picture(QStringLiteral("x.svg")));
  QVERIFY(shown->notice().contains(QStringLiteral("there is no graph")));
}

void GraphTest::tells_that_graphviz_fails() {
  const Scratch scratch;
  const QString broken = scratch.write(QStringLiteral("broken"), "#!/bin/sh\necho 'it has a fault' >&2\nexit 3\n");
  const QString babble = scratch.write(QStringLiteral("babble"), "#!/bin/sh\necho '{\"bb\": 5}'\n");
  for (const QString& path : {broken, babble}) QFile::setPermissions(path, QFile::permissions(path) | QFile::ExeUser);
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  shown->set_program(broken);
  QVERIFY(wait_for([&] { return shown->message().contains(QStringLiteral("it has a fault")); }));
  shown->set_program(babble);
  QVERIFY(wait_for([&] { return shown->message().contains(QStringLiteral("could not be read")); }));
}

void GraphTest::cancels() {
  const Scratch scratch;
  const QString slow = scratch.write(QStringLiteral("slow"), "#!/bin/sh\nexec sleep 100\n");
  QFile::setPermissions(slow, QFile::permissions(slow) | QFile::ExeUser);
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded());
  QVERIFY(wait_for([&] { return shown->scene().layout() != nullptr || !shown->message().isEmpty(); }));
  shown->set_program(slow);
  QVERIFY(wait_for([&] { return shown->is_busy(); }));
  QVERIFY(shown->cancel_button().isVisible());
  shown->cancel_button().click();
  QVERIFY(!shown->is_busy());
  QVERIFY(shown->message().contains(QStringLiteral("cancelled")));
  // The program is ended, and its thread free.
  QVERIFY(wait_for([] { return background_pool().activeThreadCount() == 0; }));
  // Another function, or this one again, is drawn.
  shown->set_program(QStringLiteral("dot"));
  if (has_graphviz()) QVERIFY(shown.wait_for_graph());
}

void GraphTest::gives_up_in_time() {
  const Scratch scratch;
  const QString slow = scratch.write(QStringLiteral("slow"), "#!/bin/sh\nexec sleep 100\n");
  QFile::setPermissions(slow, QFile::permissions(slow) | QFile::ExeUser);
  const auto plan = std::make_shared<const GraphPlan>(plan_of(sample("vecadd/vecadd.ptx"), {}));
  QElapsedTimer clock;
  clock.start();
  const GraphDrawing drawing = lay_out(plan, 1, Cancel(), slow);
  QVERIFY(drawing.is_late);
  QVERIFY(drawing.problem.contains(QStringLiteral("1 s")));
  QVERIFY(clock.elapsed() < 8000);
}

void GraphTest::shows_many_blocks_in_parts() {
  NEEDS_GRAPHVIZ();
  const Scratch scratch;
  Shown shown(scratch.write(QStringLiteral("many.ptx"), many_blocks(3000)));
  QVERIFY(shown.loaded());
  QVERIFY(shown.wait_for_graph());
  QVERIFY(shown.plan().is_part);
  QVERIFY(shown.plan().reachable > 4500);
  QVERIFY(shown->notice().contains(QStringLiteral("Shown in parts")));
  QVERIFY(shown.plan().node_of[0] != no_index);
  // A block far away: the part around it.
  const auto flow = shown.document().flow(shown.plan().function);
  shown.selection().choose_statement(flow->cfg.blocks[3000].first_instruction, this);
  QVERIFY(wait_for([&] {
    return shown->scene().layout() != nullptr && !shown->is_busy() && shown.plan().node_of[3000] != no_index;
  }));
  QCOMPARE(shown->scene().chosen(), shown.plan().node_of[3000]);
  // A stub leads to the part around what it stands for.
  const auto stub = std::ranges::find_if(shown.plan().nodes, [](const GraphNode& one) { return one.stands_for != 0; });
  QVERIFY(stub != shown.plan().nodes.end());
  const analysis::BlockId wanted = stub->block;
  Q_EMIT shown->canvas().node_wanted(static_cast<std::uint32_t>(stub - shown.plan().nodes.begin()));
  QCOMPARE(shown.selection().now().block, wanted);
  QVERIFY(wait_for([&] { return !shown->is_busy() && shown.plan().node_of[wanted] != no_index; }));
}

void GraphTest::shows_functions_without_graph() {
  const Scratch scratch;
  Shown shown(scratch.write(QStringLiteral("x.ptx"),
                            ".version 7.0\n.target sm_80\n.address_size 64\n.func outside();\n"
                            ".visible .entry broken()\n{\n\tbra $nowhere;\n\tthis is no PTX;\n}\n"
                            ".visible .entry empty()\n{\n}\n"));
  QVERIFY(shown.loaded());
  shown.selection().choose_function(shown.function("outside"), this);
  QVERIFY(wait_for([&] { return shown->message().contains(QStringLiteral("no body")); }));
  shown.selection().choose_function(shown.function("broken"), this);
  QVERIFY(wait_for([&] { return shown->notice().contains(QStringLiteral("Incomplete")); }));
  shown.selection().choose_function(shown.function("empty"), this);
  QVERIFY(wait_for([&] { return shown->summary().contains(QStringLiteral("empty")); }));
}

void GraphTest::follows_a_reload() {
  NEEDS_GRAPHVIZ();
  const Scratch scratch;
  const QString path = scratch.copy_of(sample("vecadd/vecadd.ptx"), QStringLiteral("x.ptx"));
  Shown shown(path);
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  QCOMPARE(shown.plan().nodes.size(), std::size_t{9});
  scratch.write(QStringLiteral("x.ptx"),
                ".version 7.0\n.target sm_80\n.address_size 64\n.visible .entry vecadd()\n{\n\tret;\n}\n");
  QVERIFY(wait_for([&] {
    return shown.document().generation() == 2 && shown->scene().layout() != nullptr && shown.plan().nodes.size() == 1;
  }));
  scratch.write(QStringLiteral("x.ptx"), "nothing like it");
  QVERIFY(wait_for([&] { return shown.document().generation() != 2 || shown.document().stage() == Stage::failed; }));
  QTest::qWait(200);  // nothing falls over
}

void GraphTest::changes_theme_and_size() {
  NEEDS_GRAPHVIZ();
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  const QImage light = shown->grab().toImage();
  Theme::instance().choose(ThemeChoice::dark);
  const QImage dark = shown->grab().toImage();
  QVERIFY(light != dark);
  Theme::instance().choose(ThemeChoice::light);
  const double width = shown->scene().layout()->size.width();
  Theme::instance().set_font_size(20);
  QVERIFY(
      wait_for([&] { return shown->scene().layout() != nullptr && shown->scene().layout()->size.width() > width; }));
  Theme::instance().reset_font_size();
  shown->set_lines(0);
  QVERIFY(wait_for([&] { return shown.plan().options.lines == 0 && shown.plan().nodes[0].rows.empty(); }));
}

void GraphTest::exports_data() {
  QTest::addColumn<QString>("ending");
  QTest::addColumn<QByteArray>("begin");
  QTest::newRow("svg") << QStringLiteral("svg") << QByteArray("<?xml");
  QTest::newRow("png") << QStringLiteral("PNG") << QByteArray("\x89PNG");
  QTest::newRow("pdf") << QStringLiteral("pdf") << QByteArray("%PDF-");
}

void GraphTest::exports() {
  NEEDS_GRAPHVIZ();
  QFETCH(const QString, ending);
  QFETCH(const QByteArray, begin);
#ifndef PTXSCOPE_GUI_SVG
  if (ending == QLatin1String("svg")) QSKIP("built without Qt's SVG module");
#endif
  const Scratch scratch;
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  const QString path = scratch.path(QStringLiteral("out.") + ending);
  QVERIFY2(shown->save_picture(path), qPrintable(shown->notice()));
  QVERIFY(shown->notice().contains(path));
  QFile file(path);
  QVERIFY(file.open(QIODevice::ReadOnly));
  const QByteArray bytes = file.readAll();
  QVERIFY(bytes.startsWith(begin));
  QVERIFY(bytes.size() > 2000);
  if (ending == QLatin1String("PNG")) QVERIFY(!QImage::fromData(bytes).isNull());
}

void GraphTest::tells_why_it_cannot_export() {
  NEEDS_GRAPHVIZ();
  const Scratch scratch;
  Shown shown(sample("vecadd/vecadd.ptx"));
  QVERIFY(shown.loaded() && shown.wait_for_graph());
  QVERIFY(!shown->save_picture(scratch.path(QStringLiteral("out.bmp"))));
  QVERIFY(shown->notice().contains(QStringLiteral(".svg, .png or .pdf")));
  QVERIFY(!shown->save_picture(scratch.path(QStringLiteral("no/such/folder/out.png"))));
  QVERIFY(shown->notice().contains(QStringLiteral("choose another folder")));
}
