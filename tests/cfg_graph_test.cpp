// The algorithms of control flow against slow ones that follow the definitions, on random graphs.
#include <algorithm>
#include <random>
#include <set>
#include <vector>

#include "analysis/flow_graph.h"
#include "tests/catch.h"

namespace {

using namespace ptxscope::analysis;

struct RandomGraph {
  std::uint32_t count = 0;
  std::vector<Graph::Arc> arcs;
};

RandomGraph random_graph(std::mt19937& random, std::uint32_t largest) {
  RandomGraph graph;
  graph.count = 1 + static_cast<std::uint32_t>(random() % largest);
  const std::uint32_t arcs = static_cast<std::uint32_t>(random() % (2 * graph.count + 1));
  // Mostly a chain, as code is, with jumps in both directions.
  for (std::uint32_t i = 0; i + 1 < graph.count; ++i)
    if (random() % 4 != 0) graph.arcs.emplace_back(i, i + 1);
  for (std::uint32_t i = 0; i < arcs; ++i)
    graph.arcs.emplace_back(static_cast<std::uint32_t>(random() % graph.count),
                            static_cast<std::uint32_t>(random() % graph.count));
  return graph;
}

Cfg cfg_of(const RandomGraph& graph) {
  Cfg cfg;
  cfg.blocks.resize(graph.count);
  for (BlockId i = 0; i < graph.count; ++i) cfg.blocks[i].id = i;
  for (const auto& [from, to] : graph.arcs) {
    const auto index = static_cast<std::uint32_t>(cfg.edges.size());
    Edge edge;
    edge.from = from;
    edge.to = to;
    edge.conditional = true;
    cfg.edges.push_back(edge);
    cfg.blocks[from].successors.push_back(index);
    cfg.blocks[to].predecessors.push_back(index);
  }
  for (Block& block : cfg.blocks) block.end = block.successors.empty() ? BlockEnd::ret : BlockEnd::branch;
  complete_flow(cfg, true, true);
  return cfg;
}

// Nodes reachable from `start` along `next`, never entering `without`.
std::vector<bool> reach(const std::vector<std::vector<std::uint32_t>>& next, std::uint32_t start,
                        std::uint32_t without) {
  std::vector<bool> seen(next.size(), false);
  if (start == without) return seen;
  std::vector<std::uint32_t> work{start};
  seen[start] = true;
  while (!work.empty()) {
    const std::uint32_t node = work.back();
    work.pop_back();
    for (const std::uint32_t to : next[node])
      if (to != without && !seen[to]) {
        seen[to] = true;
        work.push_back(to);
      }
  }
  return seen;
}

std::vector<std::vector<std::uint32_t>> successors_of(const RandomGraph& graph, bool backwards = false) {
  std::vector<std::vector<std::uint32_t>> next(graph.count);
  for (const auto& [from, to] : graph.arcs) next[backwards ? to : from].push_back(backwards ? from : to);
  return next;
}

}  // namespace

TEST_CASE("a list of indices holds what a vector holds, however many there are") {
  for (const std::uint32_t count : {0U, 1U, 2U, 3U, 4U, 5U, 100U}) {
    IndexList list;
    std::vector<std::uint32_t> expected;
    for (std::uint32_t i = 0; i < count; ++i) {
      list.push_back(i * i);
      expected.push_back(i * i);
    }
    const auto holds = [&](const IndexList& one) {
      return one.size() == count && one.empty() == (count == 0) && std::ranges::equal(one, expected);
    };
    CHECK(holds(list));
    if (count > 0) CHECK(list.front() == 0);
    if (count > 0) CHECK(list.back() == (count - 1) * (count - 1));
    IndexList copy(list);
    CHECK(holds(copy));
    CHECK(copy == list);
    copy.push_back(7);
    CHECK(copy.size() == count + 1);
    CHECK_FALSE(copy == list);
    CHECK(holds(list));  // a copy is apart
    IndexList other;
    for (const std::uint32_t index : {9U, 8U, 7U, 6U}) other.push_back(index);
    other = list;
    CHECK(holds(other));
    const IndexList moved(std::move(other));
    CHECK(holds(moved));
    other = moved;
    copy = std::move(other);
    CHECK(holds(copy));
  }
}

TEST_CASE("a graph of nothing") { CHECK(reverse_postorder(Graph(0, {}), 0).empty()); }

TEST_CASE("dominators are those of the definition") {
  std::mt19937 random(1);
  for (int round = 0; round < 400; ++round) {
    const RandomGraph graph = random_graph(random, 24);
    const Cfg cfg = cfg_of(graph);
    const auto next = successors_of(graph);
    const auto reachable = reach(next, 0, no_node);
    for (std::uint32_t a = 0; a < graph.count; ++a) {
      REQUIRE(cfg.blocks[a].reachable == reachable[a]);
      const auto around = reach(next, 0, a);
      for (std::uint32_t b = 0; b < graph.count; ++b) {
        if (!reachable[b]) continue;
        const bool expected = a == b || (reachable[a] && !around[b]);
        REQUIRE(cfg.dominates(a, b) == expected);
      }
    }
  }
}

TEST_CASE("post-dominators are those of the definition, with several exits") {
  std::mt19937 random(2);
  int compared = 0;
  for (int round = 0; round < 800; ++round) {
    const RandomGraph graph = random_graph(random, 20);
    const Cfg cfg = cfg_of(graph);
    auto back = successors_of(graph, true);
    // One more node stands for the end.
    back.emplace_back();
    for (const Block& block : cfg.blocks)
      if (block.successors.empty()) back[graph.count].push_back(block.id);
    const auto leaves = reach(back, graph.count, no_node);
    if (std::find(leaves.begin(), leaves.end(), false) != leaves.end()) continue;  // endless loops: see below
    ++compared;
    for (std::uint32_t a = 0; a < graph.count; ++a) {
      const auto around = reach(back, graph.count, a);
      for (std::uint32_t b = 0; b < graph.count; ++b) REQUIRE(cfg.post_dominates(a, b) == (a == b || !around[b]));
    }
  }
  REQUIRE(compared > 50);
}

TEST_CASE("an endless loop has post-dominators of its own and takes nothing from the rest") {
  // 0 -> 1 | 4; 1 -> 2; 2 -> 3; 3 -> 2; 4 -> exit
  RandomGraph graph{5, {{0, 1}, {0, 4}, {1, 2}, {2, 3}, {3, 2}}};
  Cfg cfg = cfg_of(graph);
  for (Edge& edge : cfg.edges) edge.conditional = edge.from == 0;
  CHECK(cfg.blocks[0].immediate_post_dominator == no_block);
  CHECK(cfg.blocks[1].immediate_post_dominator == 2);
  CHECK(cfg.blocks[2].immediate_post_dominator == no_block);
  CHECK(cfg.blocks[3].immediate_post_dominator == 2);
  CHECK(cfg.blocks[4].immediate_post_dominator == no_block);
  const auto dependences = control_dependences(cfg);
  CHECK(dependences[1] == std::vector<std::uint32_t>{0});
  CHECK(dependences[2] == std::vector<std::uint32_t>{0});
  CHECK(dependences[4] == std::vector<std::uint32_t>{1});
  CHECK(dependences[0].empty());
}

TEST_CASE("natural loops and their nesting are those of the definition") {
  std::mt19937 random(3);
  for (int round = 0; round < 600; ++round) {
    const RandomGraph graph = random_graph(random, 18);
    const Cfg cfg = cfg_of(graph);
    const auto back = successors_of(graph, true);
    std::vector<std::pair<BlockId, std::set<BlockId>>> expected;
    for (BlockId header = 0; header < graph.count; ++header) {
      std::set<BlockId> body;
      for (const auto& [from, to] : graph.arcs) {
        if (to != header || !cfg.blocks[from].reachable || !cfg.dominates(header, from)) continue;
        body.insert(header);
        const auto inside = reach(back, from, header);
        for (BlockId block = 0; block < graph.count; ++block)
          if (inside[block] && cfg.blocks[block].reachable) body.insert(block);
      }
      if (!body.empty()) expected.emplace_back(header, body);
    }
    REQUIRE(cfg.loops.size() == expected.size());
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const Loop& loop = cfg.loops[i];
      REQUIRE(loop.header == expected[i].first);
      REQUIRE(loop.blocks.front() == loop.header);
      REQUIRE(std::is_sorted(loop.blocks.begin() + 1, loop.blocks.end()));
      REQUIRE(std::set<BlockId>(loop.blocks.begin(), loop.blocks.end()) == expected[i].second);
      // The parent is the smallest other loop that holds this header.
      std::uint32_t parent = ptxscope::no_index;
      for (std::uint32_t j = 0; j < expected.size(); ++j) {
        if (j == i || !expected[j].second.contains(loop.header)) continue;
        if (parent == ptxscope::no_index || expected[j].second.size() < expected[parent].second.size()) parent = j;
      }
      REQUIRE(loop.parent == parent);
    }
    for (const Block& block : cfg.blocks) {
      std::uint32_t depth = 0;
      for (const auto& [header, body] : expected) depth += body.contains(block.id) ? 1 : 0;
      REQUIRE(block.loop_depth == depth);
    }
  }
}

TEST_CASE("irreducible regions are reported by their entries") {
  const Cfg sideways = cfg_of({4, {{0, 1}, {0, 2}, {1, 2}, {2, 1}, {2, 3}}});
  CHECK(sideways.irreducible_headers == std::vector<BlockId>{1, 2});
  CHECK(sideways.loops.empty());
  const Cfg natural = cfg_of({3, {{0, 1}, {1, 1}, {1, 2}, {2, 0}}});
  CHECK(natural.irreducible_headers.empty());
  CHECK(natural.loops.size() == 2);
  // A region inside of a natural loop: 1 is the header, 2 and 3 are entered both ways.
  const Cfg inside = cfg_of({5, {{0, 1}, {1, 2}, {1, 3}, {2, 3}, {3, 2}, {3, 4}, {4, 1}}});
  CHECK(inside.irreducible_headers == std::vector<BlockId>{2, 3});
  REQUIRE(inside.loops.size() == 1);
  CHECK(inside.loops[0].blocks == std::vector<BlockId>{1, 2, 3, 4});
}

TEST_CASE("control dependence is that of the definition") {
  std::mt19937 random(4);
  for (int round = 0; round < 400; ++round) {
    const RandomGraph graph = random_graph(random, 16);
    const Cfg cfg = cfg_of(graph);
    const auto dependences = control_dependences(cfg);
    for (std::uint32_t index = 0; index < cfg.edges.size(); ++index) {
      const Edge& edge = cfg.edges[index];
      for (BlockId block = 0; block < graph.count; ++block) {
        const bool strictly = block != edge.from && cfg.post_dominates(block, edge.from);
        const bool expected = cfg.post_dominates(block, edge.to) && !strictly;
        const auto& found = dependences[block];
        REQUIRE((std::find(found.begin(), found.end(), index) != found.end()) == expected);
      }
    }
  }
}

TEST_CASE("a million blocks in a row, or nested, are no danger") {
  constexpr std::uint32_t count = 1'000'000;
  RandomGraph chain{count, {}};
  for (std::uint32_t i = 0; i + 1 < count; ++i) chain.arcs.emplace_back(i, i + 1);
  const Cfg straight = cfg_of(chain);
  CHECK(straight.dominates(0, count - 1));
  CHECK(straight.post_dominates(count - 1, 0));
  // Loops nested 300,000 deep: the lists of blocks are cut, and that is said.
  constexpr std::uint32_t depth = 300'000;
  RandomGraph nest{2 * depth, {}};
  for (std::uint32_t i = 0; i + 1 < nest.count; ++i) nest.arcs.emplace_back(i, i + 1);
  for (std::uint32_t i = 0; i < depth; ++i) nest.arcs.emplace_back(nest.count - 1 - i, i);
  const Cfg nested = cfg_of(nest);
  CHECK(nested.loops.size() == depth);
  CHECK(nested.loops.back().depth == depth);
  CHECK_FALSE(nested.complete);
  // A ladder that is costly for dominators without path compression.
  RandomGraph ladder{count / 4, {}};
  for (std::uint32_t i = 0; i + 1 < ladder.count; ++i) {
    ladder.arcs.emplace_back(i, i + 1);
    ladder.arcs.emplace_back(ladder.count - 1 - i, i);
    ladder.arcs.emplace_back(0, i);
  }
  CHECK(cfg_of(ladder).blocks[5].immediate_dominator == 0);
}
