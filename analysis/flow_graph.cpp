#include "analysis/flow_graph.h"

#include <algorithm>

namespace ptxscope::analysis {

Graph graph_of(const Cfg& cfg) {
  std::vector<Graph::Arc> arcs;
  arcs.reserve(cfg.edges.size());
  for (const Edge& edge : cfg.edges) arcs.emplace_back(edge.from, edge.to);
  return Graph(static_cast<std::uint32_t>(cfg.blocks.size()), arcs);
}

namespace {

void find_dominators(Cfg& cfg, const Graph& graph) {
  const std::vector<std::uint32_t> dominators = immediate_dominators(graph, graph.reversed(), 0);
  for (Block& block : cfg.blocks) block.immediate_dominator = dominators[block.id];
  TreeNumbers numbers = number_tree(dominators);
  cfg.dominator_in = std::move(numbers.in);
  cfg.dominator_out = std::move(numbers.out);
}

bool leaves_function(const Block& block) {
  const bool ends = block.end == BlockEnd::ret || block.end == BlockEnd::exit || block.end == BlockEnd::trap;
  return ends || block.falls_off_end || block.successors.empty();
}

// Blocks from which every path stays in an endless loop are given a way out, one for each such loop, so that they too
// have a place in the tree of post-dominators.
void add_ways_out_of_endless_loops(const Cfg& cfg, const Graph& graph, std::vector<Graph::Arc>& arcs) {
  const auto count = static_cast<std::uint32_t>(cfg.blocks.size());
  const Graph reversed = graph.reversed();
  std::vector<bool> leaves(count, false);
  std::vector<std::uint32_t> work;
  for (const Block& block : cfg.blocks)
    if (leaves_function(block)) {
      leaves[block.id] = true;
      work.push_back(block.id);
    }
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (const std::uint32_t from : reversed.successors(node))
      if (!leaves[from]) {
        leaves[from] = true;
        work.push_back(from);
      }
  }
  if (std::ranges::find(leaves, false) == leaves.end()) return;
  // A component of the graph that no edge leaves is an endless loop. The way out is at its first block in the text.
  const Components components = strongly_connected_components(graph);
  std::vector<bool> is_last(components.count, true);
  for (std::uint32_t node = 0; node < count; ++node)
    for (const std::uint32_t to : graph.successors(node))
      if (components.of_node[to] != components.of_node[node]) is_last[components.of_node[node]] = false;
  for (std::uint32_t node = 0; node < count; ++node) {
    const std::uint32_t component = components.of_node[node];
    if (leaves[node] || !is_last[component]) continue;
    arcs.emplace_back(node, count);
    is_last[component] = false;
  }
}

void find_post_dominators(Cfg& cfg, const Graph& graph) {
  const auto count = static_cast<std::uint32_t>(cfg.blocks.size());
  // Node `count` stands for the end of the thread or function.
  std::vector<Graph::Arc> arcs;
  for (const Edge& edge : cfg.edges) arcs.emplace_back(edge.from, edge.to);
  for (const Block& block : cfg.blocks)
    if (leaves_function(block)) arcs.emplace_back(block.id, count);
  add_ways_out_of_endless_loops(cfg, graph, arcs);
  const Graph extended(count + 1, arcs);
  const std::vector<std::uint32_t> dominators = immediate_dominators(extended.reversed(), extended, count);
  for (Block& block : cfg.blocks)
    block.immediate_post_dominator = dominators[block.id] == count ? no_block : dominators[block.id];
  TreeNumbers numbers = number_tree(dominators);
  cfg.post_dominator_in = std::move(numbers.in);
  cfg.post_dominator_out = std::move(numbers.out);
}

}  // namespace

void complete_flow(Cfg& cfg, bool post_dominators, bool loops) {
  const Graph graph = graph_of(cfg);
  cfg.reverse_postorder = reverse_postorder(graph, 0);
  for (const BlockId block : cfg.reverse_postorder) cfg.blocks[block].reachable = true;
  find_dominators(cfg, graph);
  if (post_dominators) find_post_dominators(cfg, graph);
  if (loops) find_loops(cfg);
}

std::vector<std::vector<std::uint32_t>> control_dependences(const Cfg& cfg) {
  std::vector<std::vector<std::uint32_t>> result(cfg.blocks.size());
  const std::size_t limit = 256 * (cfg.blocks.size() + 1024);
  std::size_t total = 0;
  for (std::uint32_t index = 0; index < cfg.edges.size(); ++index) {
    const Edge& edge = cfg.edges[index];
    if (!edge.conditional && edge.kind != EdgeKind::indirect) continue;
    // Ferrante, Ottenstein and Warren (1987): up the tree of post-dominators from where the edge leads, to the first
    // block that runs whether the edge is taken or not.
    const BlockId stop = cfg.blocks[edge.from].immediate_post_dominator;
    for (BlockId block = edge.to; block != no_block && block != stop;
         block = cfg.blocks[block].immediate_post_dominator) {
      result[block].push_back(index);
      if (++total > limit) return {};
    }
  }
  return result;
}

}  // namespace ptxscope::analysis
