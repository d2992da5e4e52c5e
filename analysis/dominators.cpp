#include <algorithm>
#include <numeric>

#include "analysis/graph.h"

namespace ptxscope::analysis {

Graph::Graph(std::uint32_t node_count, std::span<const Arc> arcs)
    : offsets_(node_count + 1U, 0), targets_(arcs.size()) {
  for (const Arc& arc : arcs) ++offsets_[arc.first + 1U];
  std::partial_sum(offsets_.begin(), offsets_.end(), offsets_.begin());
  std::vector<std::uint32_t> next(offsets_.begin(), offsets_.end() - 1);
  for (const Arc& arc : arcs) targets_[next[arc.first]++] = arc.second;
}

Graph Graph::reversed() const {
  std::vector<Arc> arcs;
  arcs.reserve(targets_.size());
  for (std::uint32_t node = 0; node < node_count(); ++node)
    for (const std::uint32_t to : successors(node)) arcs.emplace_back(to, node);
  return Graph(node_count(), arcs);
}

namespace {

// A depth-first walk's place in one node's list of successors.
struct Frame {
  std::uint32_t node;
  std::uint32_t next;
};

}  // namespace

std::vector<std::uint32_t> reverse_postorder(const Graph& graph, std::uint32_t root) {
  std::vector<std::uint32_t> order;
  if (root >= graph.node_count()) return order;
  std::vector<bool> seen(graph.node_count(), false);
  std::vector<Frame> stack{{root, 0}};
  seen[root] = true;
  while (!stack.empty()) {
    Frame& top = stack.back();
    const auto successors = graph.successors(top.node);
    if (top.next < successors.size()) {
      const std::uint32_t to = successors[top.next++];
      if (!seen[to]) {
        seen[to] = true;
        stack.push_back({to, 0});
      }
    } else {
      order.push_back(top.node);
      stack.pop_back();
    }
  }
  std::reverse(order.begin(), order.end());
  return order;
}

namespace {

// Lengauer and Tarjan, "A fast algorithm for finding dominators in a flowgraph" (1979), the version with simple path
// compression: O(m log n). Nodes are called by their depth-first number here.
class LengauerTarjan {
 public:
  LengauerTarjan(const Graph& graph, const Graph& reversed, std::uint32_t root) : number_(graph.node_count(), no_node) {
    number_nodes(graph, root);
    const auto count = static_cast<std::uint32_t>(node_.size());
    semi_.resize(count);
    std::iota(semi_.begin(), semi_.end(), 0U);
    label_ = semi_;
    ancestor_.assign(count, no_node);
    dominator_.assign(count, 0);
    std::vector<std::uint32_t> bucket_head(count, no_node), bucket_next(count, no_node);
    for (std::uint32_t w = count; w-- > 1;) {
      for (const std::uint32_t from : reversed.successors(node_[w])) {
        const std::uint32_t v = number_[from];
        if (v != no_node) semi_[w] = std::min(semi_[w], semi_[evaluate(v)]);
      }
      bucket_next[w] = bucket_head[semi_[w]];
      bucket_head[semi_[w]] = w;
      ancestor_[w] = parent_[w];
      const std::uint32_t parent = parent_[w];
      for (std::uint32_t v = bucket_head[parent]; v != no_node; v = bucket_next[v]) {
        const std::uint32_t u = evaluate(v);
        dominator_[v] = semi_[u] < semi_[v] ? u : parent;
      }
      bucket_head[parent] = no_node;
    }
    for (std::uint32_t w = 1; w < count; ++w)
      if (dominator_[w] != semi_[w]) dominator_[w] = dominator_[dominator_[w]];
  }

  [[nodiscard]] std::vector<std::uint32_t> result() const {
    std::vector<std::uint32_t> result(number_.size(), no_node);
    for (std::size_t w = 1; w < node_.size(); ++w) result[node_[w]] = node_[dominator_[w]];
    return result;
  }

 private:
  void number_nodes(const Graph& graph, std::uint32_t root) {
    if (root >= graph.node_count()) return;
    std::vector<Frame> stack;
    const auto enter = [&](std::uint32_t node, std::uint32_t parent) {
      number_[node] = static_cast<std::uint32_t>(node_.size());
      node_.push_back(node);
      parent_.push_back(parent);
      stack.push_back({node, 0});
    };
    enter(root, 0);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const auto successors = graph.successors(top.node);
      if (top.next == successors.size()) {
        stack.pop_back();
        continue;
      }
      const std::uint32_t to = successors[top.next++];
      const std::uint32_t from = number_[top.node];
      if (number_[to] == no_node) enter(to, from);
    }
  }

  // The node of least semidominator on the way from v up to, but without, the root of its tree in the forest.
  std::uint32_t evaluate(std::uint32_t v) {
    if (ancestor_[v] == no_node) return label_[v];
    path_.clear();
    for (std::uint32_t u = v; ancestor_[ancestor_[u]] != no_node; u = ancestor_[u]) path_.push_back(u);
    for (std::size_t i = path_.size(); i-- > 0;) {
      const std::uint32_t u = path_[i];
      const std::uint32_t above = ancestor_[u];
      if (semi_[label_[above]] < semi_[label_[u]]) label_[u] = label_[above];
      ancestor_[u] = ancestor_[above];
    }
    return label_[v];
  }

  std::vector<std::uint32_t> number_;  // depth-first number of a node
  std::vector<std::uint32_t> node_;    // its inverse
  std::vector<std::uint32_t> parent_, semi_, label_, ancestor_, dominator_;
  std::vector<std::uint32_t> path_;
};

}  // namespace

std::vector<std::uint32_t> immediate_dominators(const Graph& graph, const Graph& reversed, std::uint32_t root) {
  return LengauerTarjan(graph, reversed, root).result();
}

Components strongly_connected_components(const Graph& graph) {
  const std::uint32_t count = graph.node_count();
  Components result;
  result.of_node.assign(count, no_node);
  std::vector<std::uint32_t> number(count, no_node), low(count, 0), open;
  std::vector<Frame> stack;
  std::uint32_t next_number = 0;
  for (std::uint32_t start = 0; start < count; ++start) {
    if (number[start] != no_node) continue;
    stack.push_back({start, 0});
    number[start] = low[start] = next_number++;
    open.push_back(start);
    while (!stack.empty()) {
      Frame& top = stack.back();
      const std::uint32_t node = top.node;
      const auto successors = graph.successors(node);
      if (top.next < successors.size()) {
        const std::uint32_t to = successors[top.next++];
        if (number[to] == no_node) {
          number[to] = low[to] = next_number++;
          open.push_back(to);
          stack.push_back({to, 0});
        } else if (result.of_node[to] == no_node) {
          low[node] = std::min(low[node], number[to]);
        }
        continue;
      }
      stack.pop_back();
      if (!stack.empty()) low[stack.back().node] = std::min(low[stack.back().node], low[node]);
      if (low[node] == number[node]) {
        std::uint32_t member = no_node;
        do {
          member = open.back();
          open.pop_back();
          result.of_node[member] = result.count;
        } while (member != node);
        ++result.count;
      }
    }
  }
  return result;
}

TreeNumbers number_tree(std::span<const std::uint32_t> parents) {
  const auto count = static_cast<std::uint32_t>(parents.size());
  std::vector<Graph::Arc> arcs;
  arcs.reserve(count);
  for (std::uint32_t node = 0; node < count; ++node)
    if (parents[node] != no_node) arcs.emplace_back(parents[node], node);
  const Graph tree(count, arcs);
  TreeNumbers numbers{std::vector<std::uint32_t>(count, 0), std::vector<std::uint32_t>(count, 0)};
  std::uint32_t clock = 0;
  std::vector<Frame> stack;
  for (std::uint32_t root = 0; root < count; ++root) {
    if (parents[root] != no_node) continue;
    stack.push_back({root, 0});
    numbers.in[root] = clock++;
    while (!stack.empty()) {
      Frame& top = stack.back();
      const auto children = tree.successors(top.node);
      if (top.next < children.size()) {
        const std::uint32_t child = children[top.next++];
        numbers.in[child] = clock++;
        stack.push_back({child, 0});
      } else {
        numbers.out[top.node] = clock++;
        stack.pop_back();
      }
    }
  }
  return numbers;
}

}  // namespace ptxscope::analysis
