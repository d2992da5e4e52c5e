// What must hold of the control flow of every function of the corpus.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "analysis/function_flow.h"
#include "tests/catch.h"
#include "tests/parser_corpus.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

bool is_consistent(const Cfg& cfg) {
  for (std::uint32_t i = 0; i < cfg.edges.size(); ++i) {
    const Edge& edge = cfg.edges[i];
    if (edge.from >= cfg.blocks.size() || edge.to >= cfg.blocks.size()) return false;
    const auto& out = cfg.blocks[edge.from].successors;
    const auto& in = cfg.blocks[edge.to].predecessors;
    if (std::ranges::count(out, i) != 1 || std::ranges::count(in, i) != 1) return false;
  }
  std::uint32_t next = cfg.blocks.front().first;
  for (const Block& block : cfg.blocks) {
    // Blocks follow each other without gap, in the order of the text.
    if (block.first != next) return false;
    next = block.last + 1;
    const bool goes_on = !block.successors.empty() || block.falls_off_end;
    const bool ends = block.end == BlockEnd::ret || block.end == BlockEnd::exit || block.end == BlockEnd::trap;
    if (cfg.complete && ends == goes_on && !block.conditional_end) return false;
  }
  return true;
}

// Sets of live registers by the equations, until nothing changes; weights as in the manual's widths. In code that no path
// reaches nothing is live; a register that is a return parameter is read by every `ret`.
std::vector<LiveCount> live_in_by_the_equations(const Module& module, const Cfg& cfg) {
  const Function& function = module.functions()[cfg.function];
  std::vector<std::set<RegisterNumber>> in(cfg.blocks.size());
  const std::vector<RegisterNumber> returned = returned_registers(function);
  RegisterUses uses;
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t b = cfg.blocks.size(); b-- > 0;) {
      const Block& block = cfg.blocks[b];
      if (cfg.complete && !block.reachable) continue;
      std::set<RegisterNumber> live;
      if (block.end == BlockEnd::ret || block.falls_off_end) live.insert(returned.begin(), returned.end());
      for (const std::uint32_t edge : block.successors)
        live.insert(in[cfg.edges[edge].to].begin(), in[cfg.edges[edge].to].end());
      for (std::uint32_t i = block.last + 1; i-- > block.first && block.last >= block.first;) {
        if (module.statement(i).kind() != StatementKind::instruction) continue;
        register_uses(module.statement(i), uses);
        if (!uses.guarded)
          for (const RegisterNumber reg : uses.writes) live.erase(reg);
        live.insert(uses.reads.begin(), uses.reads.end());
      }
      if (live != in[b]) {
        in[b] = live;
        changed = true;
      }
    }
  }
  std::vector<LiveCount> counts;
  for (const auto& live : in) {
    LiveCount& count = counts.emplace_back();
    for (const RegisterNumber reg : live) {
      const RegisterDeclaration& declaration = module.register_declaration(function, reg);
      if (declaration.type == Type::pred) ++count.predicates;
      else count.registers += std::max(1U, (size_of(declaration.type) + 3) / 4) * declaration.vector_width;
    }
  }
  return counts;
}

}  // namespace

TEST_CASE("control flow of every function of the corpus") {
  const auto files = corpus::files();
  if (files.empty()) WARN("no corpus at " << corpus::folder().string() << "; set PTXSCOPE_SHARED");
  std::size_t functions = 0, compared = 0;
  for (const auto& file : files) {
    const Module module = parse(corpus::read(corpus::folder() / file.path), file.path);
    const FlowReport report = flow_of_functions(module, {});
    for (const FunctionFlow& flow : report.functions) {
      const Cfg& cfg = flow.cfg;
      ++functions;
      INFO(file.path << ": " << module.name(module.functions()[cfg.function].name));
      REQUIRE(is_consistent(cfg));
      if (file.accepted) REQUIRE(cfg.complete);
      REQUIRE(flow.liveness.complete);
      if (cfg.blocks.size() > 60 || module.functions()[cfg.function].register_count > 300) continue;
      ++compared;
      const auto expected = live_in_by_the_equations(module, cfg);
      for (const Block& block : cfg.blocks) {
        REQUIRE(flow.liveness.blocks[block.id].live_in.registers == expected[block.id].registers);
        REQUIRE(flow.liveness.blocks[block.id].live_in.predicates == expected[block.id].predicates);
      }
    }
  }
  if (!files.empty()) {
    CHECK(functions > 3000);
    CHECK(compared > 1000);
  }
}
