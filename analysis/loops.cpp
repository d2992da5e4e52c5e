#include <algorithm>
#include <string>

#include "analysis/flow_graph.h"

namespace ptxscope::analysis {

namespace {

// Which loop a block belongs to, while loops are found from the inside out: inner loops are one node to the outer.
class Collapsed {
 public:
  explicit Collapsed(std::size_t count) : into_(count) {
    for (std::uint32_t i = 0; i < into_.size(); ++i) into_[i] = i;
  }
  std::uint32_t find(std::uint32_t node) {
    while (into_[node] != node) {
      into_[node] = into_[into_[node]];
      node = into_[node];
    }
    return node;
  }
  void merge(std::uint32_t node, std::uint32_t into) { into_[node] = into; }

 private:
  std::vector<std::uint32_t> into_;
};

class LoopFinder {
 public:
  explicit LoopFinder(Cfg& cfg)
      : cfg_(cfg), collapsed_(cfg.blocks.size()), loop_of_header_(cfg.blocks.size(), no_index) {}

  void run() {
    collect_back_edges();
    if (!back_edges_.empty()) {
      nest();
      number_loops();
      list_blocks();
    }
    find_irreducible_regions();
  }

 private:
  bool is_back_edge(const Edge& edge) const {
    return cfg_.blocks[edge.from].reachable && cfg_.dominates(edge.to, edge.from);
  }

  void collect_back_edges() {
    for (std::uint32_t i = 0; i < cfg_.edges.size(); ++i)
      if (is_back_edge(cfg_.edges[i])) back_edges_.emplace_back(cfg_.edges[i].to, i);
    std::ranges::sort(back_edges_);
  }

  // After Havlak, "Nesting of reducible and irreducible loops" (1997), for the natural loops only: headers from the last
  // in reverse postorder to the first, so that inner loops come before those around them.
  void nest() {
    std::vector<std::uint32_t> place(cfg_.blocks.size(), 0);
    for (std::uint32_t i = 0; i < cfg_.reverse_postorder.size(); ++i) place[cfg_.reverse_postorder[i]] = i;
    std::vector<BlockId> headers;
    for (const auto& [header, edge] : back_edges_)
      if (headers.empty() || headers.back() != header) headers.push_back(header);
    std::ranges::sort(headers, [&](BlockId a, BlockId b) { return place[a] > place[b]; });
    std::vector<BlockId> work;
    for (const BlockId header : headers) {
      const auto index = static_cast<std::uint32_t>(found_.size());
      Found& loop = found_.emplace_back();
      loop.header = header;
      loop_of_header_[header] = index;
      // The header stays itself until the loop around it takes it in.
      std::vector<BlockId> members;
      for (auto edge = first_back_edge(header); edge != back_edges_.end() && edge->first == header; ++edge)
        take(cfg_.edges[edge->second].from, header, members, work);
      while (!work.empty()) {
        const BlockId block = work.back();
        work.pop_back();
        for (const std::uint32_t edge : cfg_.blocks[block].predecessors)
          if (cfg_.blocks[cfg_.edges[edge].from].reachable) take(cfg_.edges[edge].from, header, members, work);
      }
      for (const BlockId block : members) {
        if (const std::uint32_t inner = loop_of_header_[block]; inner != no_index) found_[inner].parent = index;
        else cfg_.blocks[block].loop = index;
      }
      cfg_.blocks[header].loop = index;
    }
  }

  std::vector<std::pair<BlockId, std::uint32_t>>::const_iterator first_back_edge(BlockId header) const {
    return std::ranges::lower_bound(back_edges_, std::pair(header, 0U));
  }

  void take(BlockId block, BlockId header, std::vector<BlockId>& members, std::vector<BlockId>& work) {
    const BlockId outer = collapsed_.find(block);
    if (outer == header) return;
    collapsed_.merge(outer, header);
    members.push_back(outer);
    work.push_back(outer);
  }

  // Loops in the order of their headers in the text, which is what people and tests see.
  void number_loops() {
    std::vector<std::uint32_t> order(found_.size()), number(found_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::uint32_t i) { return found_[i].header; });
    for (std::uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    cfg_.loops.resize(found_.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) {
      const Found& found = found_[order[i]];
      Loop& loop = cfg_.loops[i];
      loop.header = found.header;
      loop.parent = found.parent == no_index ? no_index : number[found.parent];
      for (auto edge = first_back_edge(found.header); edge != back_edges_.end() && edge->first == found.header; ++edge)
        loop.back_edges.push_back(edge->second);
    }
    // Outer loops were found last.
    for (std::size_t i = found_.size(); i-- > 0;) {
      Loop& loop = cfg_.loops[number[i]];
      loop.depth = loop.parent == no_index ? 1 : cfg_.loops[loop.parent].depth + 1;
    }
    for (Block& block : cfg_.blocks) {
      if (block.loop == no_index) continue;
      block.loop = number[block.loop];
      block.loop_depth = cfg_.loops[block.loop].depth;
    }
  }

  // A block is listed in all loops around it. Real nests are a few deep; past the limit only the innermost loop has it.
  void list_blocks() {
    const std::size_t limit = 64 * (cfg_.blocks.size() + 1024);
    std::size_t total = 0;
    for (const Block& block : cfg_.blocks) total += block.loop_depth;
    const bool innermost_only = total > limit;
    if (innermost_only) {
      cfg_.complete = false;
      cfg_.incomplete_reasons.emplace_back("loops are nested too deeply to list the blocks of each");
    }
    for (const Loop& loop : cfg_.loops)
      cfg_.loops[static_cast<std::size_t>(&loop - cfg_.loops.data())].blocks.push_back(loop.header);
    for (const Block& block : cfg_.blocks)
      for (std::uint32_t loop = block.loop; loop != no_index;
           loop = innermost_only ? no_index : cfg_.loops[loop].parent)
        if (cfg_.loops[loop].header != block.id) cfg_.loops[loop].blocks.push_back(block.id);
  }

  // Without the back edges of natural loops a reducible graph has no cycle left. What still is one is entered in several
  // places: those are the blocks with a predecessor outside of it.
  void find_irreducible_regions() {
    std::vector<Graph::Arc> arcs;
    arcs.reserve(cfg_.edges.size());
    for (const Edge& edge : cfg_.edges)
      if (cfg_.blocks[edge.from].reachable && !is_back_edge(edge)) arcs.emplace_back(edge.from, edge.to);
    const auto count = static_cast<std::uint32_t>(cfg_.blocks.size());
    const Components components = strongly_connected_components(Graph(count, arcs));
    if (components.count == count) return;
    std::vector<std::uint32_t> size(components.count, 0);
    for (const std::uint32_t component : components.of_node) ++size[component];
    std::vector<bool> is_entry(count, false);
    for (const auto& [from, to] : arcs)
      if (components.of_node[from] != components.of_node[to] && size[components.of_node[to]] > 1) is_entry[to] = true;
    for (BlockId block = 0; block < count; ++block)
      if (is_entry[block]) cfg_.irreducible_headers.push_back(block);
  }

  struct Found {
    BlockId header = no_block;
    std::uint32_t parent = no_index;
  };
  Cfg& cfg_;
  Collapsed collapsed_;
  std::vector<std::uint32_t> loop_of_header_;                  // index into found_
  std::vector<Found> found_;                                   // inner loops first
  std::vector<std::pair<BlockId, std::uint32_t>> back_edges_;  // header, edge
};

}  // namespace

void find_loops(Cfg& cfg) { LoopFinder(cfg).run(); }

}  // namespace ptxscope::analysis
