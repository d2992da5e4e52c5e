// Directed graphs in compressed rows, and the algorithms of control flow on them. All of them run without recursion
// and in (almost) linear time, so that a function of a million blocks is no danger.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace ptxscope::analysis {

inline constexpr std::uint32_t no_node = 0xffffffffU;

/// Nodes 0 … node_count-1; the successors of a node stand together.
class Graph {
 public:
  using Arc = std::pair<std::uint32_t, std::uint32_t>;  // from, to
  Graph() : offsets_(1, 0) {}
  Graph(std::uint32_t node_count, std::span<const Arc> arcs);
  [[nodiscard]] std::uint32_t node_count() const { return static_cast<std::uint32_t>(offsets_.size() - 1); }
  [[nodiscard]] std::span<const std::uint32_t> successors(std::uint32_t node) const {
    return std::span(targets_).subspan(offsets_[node], offsets_[node + 1] - offsets_[node]);
  }
  [[nodiscard]] Graph reversed() const;

 private:
  std::vector<std::uint32_t> offsets_;
  std::vector<std::uint32_t> targets_;
};

/// Nodes reachable from `root` in reverse postorder.
[[nodiscard]] std::vector<std::uint32_t> reverse_postorder(const Graph& graph, std::uint32_t root);

/// Immediate dominator of each node (Lengauer and Tarjan); no_node for the root and for what it does not reach.
/// `reversed` is graph.reversed().
[[nodiscard]] std::vector<std::uint32_t> immediate_dominators(const Graph& graph, const Graph& reversed,
                                                              std::uint32_t root);

/// Number of the strongly connected component of each node (Tarjan). A component's number is larger than those of
/// the components it reaches.
struct Components {
  std::vector<std::uint32_t> of_node;
  std::uint32_t count = 0;
};
[[nodiscard]] Components strongly_connected_components(const Graph& graph);

/// Entry and exit numbers of a depth-first walk of a forest given by parents: a is an ancestor of b, or b itself,
/// exactly when in[a] <= in[b] and out[b] <= out[a].
struct TreeNumbers {
  std::vector<std::uint32_t> in, out;
};
[[nodiscard]] TreeNumbers number_tree(std::span<const std::uint32_t> parents);

}  // namespace ptxscope::analysis
