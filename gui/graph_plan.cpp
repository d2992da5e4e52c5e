#include "gui/graph_plan.h"

#include <algorithm>
#include <deque>
#include <string>

#include "gui/words.h"
#include "report/cfg_parts.h"
#include "report/one_line.h"
#include "report/terminal.h"

namespace ptxscope::gui {

using analysis::Block;
using analysis::BlockId;
using analysis::Cfg;
using analysis::Edge;

namespace {

constexpr std::size_t row_width = 64;        // characters of an instruction
constexpr std::size_t condition_width = 44;  // of what computed an edge's predicate
// Finding room for labels takes Graphviz many times as long as all the rest.
constexpr std::size_t most_blocks_with_labels = 100;
constexpr std::uint32_t deepest_loop = 24;  // Graphviz nests its own calls as deeply as frames are nested

QString q(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
QString shown(std::string_view text, std::size_t limit) {
  return QString::fromStdString(report::printable(text, limit));
}

class Planner {
 public:
  explicit Planner(GraphPlan& plan) : plan_(plan), module_(*plan.module), flow_(*plan.flow), cfg_(plan.flow->cfg) {}

  void run() {
    plan_.reachable = static_cast<std::size_t>(std::ranges::count(cfg_.blocks, true, &Block::reachable));
    plan_.unreachable = cfg_.blocks.size() - plan_.reachable;
    order_.assign(cfg_.blocks.size(), 0);
    for (std::uint32_t i = 0; i < cfg_.reverse_postorder.size(); ++i) order_[cfg_.reverse_postorder[i]] = i;
    choose_blocks();
    plan_.places_labels = plan_.nodes.size() <= most_blocks_with_labels;
    for (GraphNode& node : plan_.nodes) describe(node);
    // Stubs are put behind the blocks that they belong to.
    for (std::uint32_t i = 0; i < cfg_.edges.size(); ++i) add_edge(i);
    add_stubs();
    add_loops();
  }

 private:
  // All, or the nearest ones: edges are followed both ways.
  void choose_blocks() {
    plan_.node_of.assign(cfg_.blocks.size(), no_index);
    std::vector<BlockId> chosen;
    if (plan_.reachable <= plan_.options.most_blocks) {
      for (const Block& block : cfg_.blocks)
        if (block.reachable) chosen.push_back(block.id);
    } else {
      plan_.is_part = true;
      BlockId start = plan_.options.around;
      if (start >= cfg_.blocks.size() || !cfg_.blocks[start].reachable) start = 0;
      std::vector<bool> seen(cfg_.blocks.size(), false);
      std::deque<BlockId> open{start};
      seen[start] = true;
      const auto visit = [&](BlockId block) {
        if (seen[block] || !cfg_.blocks[block].reachable) return;
        seen[block] = true;
        open.push_back(block);
      };
      while (!open.empty() && chosen.size() < plan_.options.most_blocks) {
        const Block& block = cfg_.blocks[open.front()];
        open.pop_front();
        chosen.push_back(block.id);
        // What many lead to (a common trap) is shown but not followed back: they have no more to do with each other.
        constexpr std::size_t common = 16;
        for (const std::uint32_t edge : block.successors) visit(cfg_.edges[edge].to);
        if (block.predecessors.size() <= common || block.id == start)
          for (const std::uint32_t edge : block.predecessors) visit(cfg_.edges[edge].from);
      }
      std::ranges::sort(chosen);
    }
    plan_.nodes.reserve(chosen.size());
    for (const BlockId block : chosen) {
      plan_.node_of[block] = static_cast<std::uint32_t>(plan_.nodes.size());
      plan_.nodes.emplace_back().block = block;
    }
  }

  void describe(GraphNode& node) {
    const Block& block = cfg_.blocks[node.block];
    node.traps = analysis::is_trap_block(block);
    node.returns = block.end == analysis::BlockEnd::ret || block.end == analysis::BlockEnd::exit;
    node.title = QStringLiteral("B%1").arg(block.id);
    if (block.label != no_name) node.title += QStringLiteral("  ") + shown(module_.name(block.label), 48);
    const report::LineRange lines = report::lines_of(module_, block);
    node.place = lines.first == lines.last ? QStringLiteral("line %1").arg(lines.first)
                                           : QStringLiteral("lines %1-%2").arg(lines.first).arg(lines.last);
    const std::vector<std::uint32_t> statements = plan_.options.lines == 0
                                                      ? std::vector<std::uint32_t>()
                                                      : report::last_instructions(module_, block, plan_.options.lines);
    if (plan_.options.lines != 0 && statements.size() < block.instructions)
      node.rows.push_back(
          {no_index, QStringLiteral("… %1 before")
                         .arg(counted(block.instructions - statements.size(), QStringLiteral("instruction")))});
    for (const std::uint32_t statement : statements)
      node.rows.push_back(
          {statement, QString::fromStdString(report::one_line(module_.statement(statement), row_width))});
    if (block.falls_off_end) node.rows.push_back({no_index, QStringLiteral("falls off the end")});
    node.says = tip_of(block, node);
    qsizetype widest = node.title.size() + 3 + node.place.size() + (node.traps ? 6 : 0);
    for (const GraphRow& row : node.rows) widest = std::max(widest, row.text.size());
    node.width = static_cast<double>(widest) * plan_.metrics.character + 2 * graph_padding;
    node.height = static_cast<double>(1 + node.rows.size()) * plan_.metrics.line + 2 * graph_padding;
  }

  [[nodiscard]] QString tip_of(const Block& block, const GraphNode& node) const {
    QString text = QStringLiteral("Block %1, %2: %3, ends in %4")
                       .arg(block.id)
                       .arg(node.place, counted(block.instructions, QStringLiteral("instruction")),
                            q(report::spelling(block.end)));
    if (flow_.liveness.complete) {
      const auto& live = flow_.liveness.blocks[block.id];
      text += QStringLiteral("; %1 registers live at its start, at most %2 in it")
                  .arg(live.live_in.registers)
                  .arg(live.max_live.registers);
    }
    if (block.immediate_dominator != analysis::no_block)
      text += QStringLiteral("; dominated by B%1").arg(block.immediate_dominator);
    if (block.loop != no_index) text += QStringLiteral("; in loop %1, depth %2").arg(block.loop).arg(block.loop_depth);
    return text;
  }

  void add_edge(std::uint32_t index) {
    const Edge& edge = cfg_.edges[index];
    if (!cfg_.blocks[edge.from].reachable || !cfg_.blocks[edge.to].reachable) return;
    const std::uint32_t from = plan_.node_of[edge.from];
    const std::uint32_t to = plan_.node_of[edge.to];
    if (from == no_index && to == no_index) return;
    if (to == no_index) {
      outside(out_, from, edge.to);
      return;
    }
    if (from == no_index) {
      outside(in_, to, edge.from);
      return;
    }
    GraphLine line;
    line.from = from;
    line.to = to;
    line.edge = index;
    line.to_trap = flow_.bound_to_trap[edge.to];
    line.back = report::is_back_edge(cfg_, edge);
    line.retreats = order_[edge.to] <= order_[edge.from];
    line.dashed = edge.kind == analysis::EdgeKind::indirect;
    line.label = shown(report::predicate_text(module_, cfg_, edge), 40);
    if (const QString cases = shown(report::cases_text(edge), 40); !cases.isEmpty())
      line.label += (line.label.isEmpty() ? QString() : QStringLiteral(" ")) + cases;
    // The condition stands on the branch taken, and on a way into a trap in any case; the other edge is its opposite.
    const std::uint32_t setp = flow_.guard_definitions[index];
    if (setp != no_index && (edge.kind == analysis::EdgeKind::taken || line.to_trap))
      line.condition = QString::fromStdString(report::one_line(module_.statement(setp), condition_width));
    plan_.lines.push_back(std::move(line));
  }

  struct Outside {
    std::uint32_t node = no_index;
    BlockId first = analysis::no_block;
    std::size_t count = 0;
  };
  static void outside(std::vector<Outside>& list, std::uint32_t node, BlockId block) {
    const auto found = std::ranges::find(list, node, &Outside::node);  // a part is small
    if (found == list.end()) list.push_back({node, block, 1});
    else ++found->count;
  }

  void add_stubs() {
    for (const bool into : {true, false}) {
      for (const Outside& one : into ? in_ : out_) {
        GraphNode stub;
        stub.block = one.first;
        stub.stands_for = one.count;
        stub.title =
            one.count == 1 ? QStringLiteral("… B%1").arg(one.first) : QStringLiteral("… %1 more blocks").arg(one.count);
        stub.says = QStringLiteral("%1 not shown in this part %2; choose it to see the part around B%3")
                        .arg(counted(one.count, QStringLiteral("block")),
                             into ? QStringLiteral("leads here") : QStringLiteral("follows"))
                        .arg(one.first);
        stub.width = static_cast<double>(stub.title.size()) * plan_.metrics.character + 2 * graph_padding;
        stub.height = plan_.metrics.line + 2 * graph_padding;
        const auto at = static_cast<std::uint32_t>(plan_.nodes.size());
        plan_.nodes.push_back(std::move(stub));
        GraphLine line;
        line.from = into ? at : one.node;
        line.to = into ? one.node : at;
        line.dashed = true;
        plan_.lines.push_back(std::move(line));
      }
    }
  }

  void add_loops() {
    const auto box_of = [&](std::uint32_t loop) {
      while (loop != no_index && cfg_.loops[loop].depth > deepest_loop) loop = cfg_.loops[loop].parent;
      return loop;
    };
    std::vector<std::vector<std::uint32_t>> own(cfg_.loops.size());
    std::vector<bool> needed(cfg_.loops.size(), false);
    for (std::uint32_t node = 0; node < plan_.nodes.size(); ++node) {
      if (plan_.nodes[node].stands_for != 0) continue;
      std::uint32_t loop = box_of(cfg_.blocks[plan_.nodes[node].block].loop);
      if (loop == no_index) continue;
      own[loop].push_back(node);
      for (; loop != no_index && !needed[loop]; loop = cfg_.loops[loop].parent) needed[loop] = true;
    }
    std::vector<std::uint32_t> order;
    for (std::uint32_t loop = 0; loop < cfg_.loops.size(); ++loop)
      if (needed[loop]) order.push_back(loop);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t loop) { return cfg_.loops[loop].depth; });
    for (const std::uint32_t loop : order)
      plan_.loops.push_back({loop, cfg_.loops[loop].parent, cfg_.loops[loop].depth, std::move(own[loop]),
                             QStringLiteral("loop %1, depth %2").arg(loop).arg(cfg_.loops[loop].depth)});
  }

  GraphPlan& plan_;
  const Module& module_;
  const analysis::FunctionFlow& flow_;
  const Cfg& cfg_;
  std::vector<std::uint32_t> order_;  // of each block in reverse postorder
  std::vector<Outside> in_, out_;
};

std::string inches(double points) { return std::to_string(points / 72); }

// Numbers only: nothing of the module's text gets into it.
void write_line(std::string& out, const GraphPlan& plan, std::size_t index) {
  const GraphLine& line = plan.lines[index];
  // Graphviz puts the end of an arrow below its start, but the head of a loop is above. Where it has to break cycles
  // itself, it does so anywhere.
  const bool turned = line.retreats && line.from != line.to;
  out += "  n" + std::to_string(turned ? line.to : line.from) + " -> n" + std::to_string(turned ? line.from : line.to) +
         " [id=" + std::to_string(index);
  if (turned) out += ", dir=back";
  const qsizetype widest = std::max(line.label.size(), line.condition.size());
  if (plan.places_labels && widest != 0) {
    const auto width = static_cast<long>(static_cast<double>(widest) * plan.metrics.character + 8);
    const int rows = (line.label.isEmpty() ? 0 : 1) + (line.condition.isEmpty() ? 0 : 1);
    const auto height = static_cast<long>(rows * plan.metrics.line + 2);
    out +=
        ", label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\" fixedsize=\"true\" "
        "width=\"" +
        std::to_string(width) + "\" height=\"" + std::to_string(height) + "\"><tr><td></td></tr></table>>";
  }
  out += "]\n";
}

}  // namespace

GraphPlan plan_graph(std::shared_ptr<const Module> module, std::shared_ptr<const analysis::FunctionFlow> flow,
                     const GraphOptions& options, const GraphMetrics& metrics) {
  GraphPlan plan;
  plan.module = std::move(module);
  plan.flow = std::move(flow);
  plan.function = plan.flow->cfg.function;
  plan.options = options;
  plan.metrics = metrics;
  Planner(plan).run();
  return plan;
}

std::string layout_dot(const GraphPlan& plan) {
  // Large graphs: fewer rounds of the searches for straight edges and few crossings, which take longest.
  std::string out = "digraph g {\n  graph [rankdir=TB, nodesep=0.3, ranksep=0.45";
  if (!plan.places_labels) out += ", nslimit=2, mclimit=0.5";
  if (plan.nodes.size() > 1000) out += ", splines=line";
  out += "]\n  node [shape=box, fixedsize=true, label=\"\"]\n  edge [arrowsize=0.7]\n";
  std::vector<bool> placed(plan.nodes.size(), false);
  const auto write_node = [&](std::uint32_t node) {
    out += "  n" + std::to_string(node) + " [id=" + std::to_string(node) + ", width=" + inches(plan.nodes[node].width) +
           ", height=" + inches(plan.nodes[node].height) + "]\n";
    placed[node] = true;
  };
  std::vector<std::vector<std::size_t>> inner(plan.loops.size());
  std::vector<std::size_t> outermost;
  for (std::size_t i = 0; i < plan.loops.size(); ++i) {
    const auto parent = std::ranges::find(plan.loops, plan.loops[i].parent, &GraphLoop::loop);
    if (plan.loops[i].parent == no_index || parent == plan.loops.end()) outermost.push_back(i);
    else inner[static_cast<std::size_t>(parent - plan.loops.begin())].push_back(i);
  }
  // As deep as deepest_loop at most.
  const auto write_loop = [&](const auto& self, std::size_t index) -> void {
    const GraphLoop& loop = plan.loops[index];
    const auto width = static_cast<long>(static_cast<double>(loop.title.size()) * plan.metrics.character);
    out += "  subgraph cluster_" + std::to_string(index) + " {\n  graph [id=" + std::to_string(index) +
           ", margin=10, labeljust=l, label=<<table border=\"0\" cellborder=\"0\" cellspacing=\"0\" cellpadding=\"0\" "
           "fixedsize=\"true\" width=\"" +
           std::to_string(width) + "\" height=\"" + std::to_string(static_cast<long>(plan.metrics.line)) +
           "\"><tr><td></td></tr></table>>]\n";
    for (const std::uint32_t node : loop.nodes) write_node(node);
    for (const std::size_t one : inner[index]) self(self, one);
    out += "  }\n";
  };
  for (const std::size_t index : outermost) write_loop(write_loop, index);
  for (std::uint32_t node = 0; node < plan.nodes.size(); ++node)
    if (!placed[node]) write_node(node);
  for (std::size_t i = 0; i < plan.lines.size(); ++i) write_line(out, plan, i);
  return out + "}\n";
}

}  // namespace ptxscope::gui
