#include "analysis/safety_branches.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analysis/function_flow.h"
#include "analysis/parameter_sets.h"
#include "analysis/values.h"
#include "isa/instructions.h"

namespace ptxscope::analysis {

namespace {

using Kind = BranchPurpose::Kind;
using Target = BranchPurpose::Target;

bool is_branch_statement(const Statement& statement) {
  if (statement.kind() != StatementKind::instruction) return false;
  const Opcode& opcode = statement.opcode();
  const isa::Instruction* const row = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
  return row != nullptr && (row->flow == isa::Flow::branch || row->flow == isa::Flow::indirect_branch);
}

// Of each block from which every path fails: the first trap on the way, as an index into `traps`.
class FailureFinder {
 public:
  FailureFinder(const Cfg& cfg, const std::vector<Trap>& traps) : cfg_(cfg), bound_(find_blocks_bound_to_trap(cfg)) {
    for (std::uint32_t i = 0; i < traps.size(); ++i)
      if (traps[i].statement != no_index) at_.emplace(traps[i].statement, i);
  }

  [[nodiscard]] std::uint32_t from(BlockId start) const {
    if (!bound_[start]) return no_index;
    std::set<BlockId> seen{start};
    std::vector<BlockId> work{start};
    constexpr std::size_t most = 1000;
    for (std::size_t i = 0; i < work.size() && i < most; ++i) {
      const Block& block = cfg_.blocks[work[i]];
      if (block.last_instruction != no_index)
        if (const auto found = at_.find(block.last_instruction); found != at_.end()) return found->second;
      for (const std::uint32_t edge : block.successors)
        if (seen.insert(cfg_.edges[edge].to).second) work.push_back(cfg_.edges[edge].to);
    }
    return no_index;
  }

 private:
  const Cfg& cfg_;
  std::vector<bool> bound_;
  std::unordered_map<std::uint32_t, std::uint32_t> at_;
};

bool returns_at_once(const Cfg& cfg, BlockId block) {
  const Block& target = cfg.blocks[block];
  return target.instructions == 1 && !target.conditional_end &&
         (target.end == BlockEnd::ret || target.end == BlockEnd::exit);
}

class Finder {
 public:
  Finder(const Module& module, const std::shared_ptr<ExprPool>& pool)
      : module_(module), values_(module, pool), parameters_(*pool) {}

  void fill(SafetyBranches& result) {
    const Function& function = module_.functions()[result.function];
    std::set<std::pair<std::uint32_t, std::uint32_t>> seen;  // statement, trap
    std::set<std::uint32_t> decides;
    for (const Trap& trap : result.traps) {
      for (const Way& way : trap.ways) {
        if (way.branch == no_index || !seen.emplace(way.branch, trap.id).second) continue;
        BranchPurpose one;
        one.statement = way.branch;
        one.kind = Kind::check;
        one.is_branch = is_branch_statement(module_.statement(way.branch));
        one.is_conditional = true;
        one.trap = trap.id;
        one.check = way.check;
        one.params = way.params;
        one.condition = way.condition;
        const bool is_own = way.branch > function.body_begin && way.branch < function.body_end;
        if (!is_own) one.function = function_around(way.branch);
        if (is_own) decides.insert(way.branch);
        result.branches.push_back(std::move(one));
      }
    }
    FunctionValues& values = values_.of(result.function);
    const Cfg& cfg = values.cfg();
    const FailureFinder failures(cfg, result.traps);
    for (const Block& block : cfg.blocks) {
      if (block.instructions == 0 || decides.contains(block.last_instruction)) continue;
      const Statement last = module_.statement(block.last_instruction);
      if (!is_branch_statement(last)) continue;
      add_other(result, values, block, failures.from(block.id));
    }
    std::ranges::stable_sort(result.branches, {}, &BranchPurpose::statement);
    values_.forget(result.function);
  }

 private:
  void add_other(SafetyBranches& result, FunctionValues& values, const Block& block, std::uint32_t failure) {
    const Cfg& cfg = values.cfg();
    BranchPurpose one;
    one.statement = block.last_instruction;
    one.is_conditional = module_.statement(block.last_instruction).guard().has_value();
    if (failure != no_index) {
      const Trap& trap = result.traps[failure];
      one.kind = Kind::to_failure;
      one.trap = trap.id;
      one.check = trap.check;
      one.params = trap.params;
    } else {
      for (const std::uint32_t edge : block.successors) {
        if (cfg.edges[edge].kind != EdgeKind::taken) continue;
        if (returns_at_once(cfg, cfg.edges[edge].to)) one.target = Target::returns;
        if (block.reachable && cfg.dominates(cfg.edges[edge].to, block.id)) one.target = Target::loops;
        if (!one.is_conditional) continue;
        one.condition = values.edge_condition(edge);
        one.params = parameters_.of(one.condition);
      }
    }
    result.branches.push_back(std::move(one));
  }

  [[nodiscard]] std::string function_around(std::uint32_t statement) const {
    const auto functions = module_.functions();
    auto after = std::ranges::upper_bound(functions, statement, {}, &Function::header);
    while (after != functions.begin())
      if (const Function& function = *--after; function.has_body)
        return statement < function.body_end ? std::string(module_.name(function.name)) : "?";
    return "?";
  }

  const Module& module_;
  ModuleValues values_;
  ParameterSets parameters_;
};

}  // namespace

std::vector<SafetyBranches> find_safety_branches(const Module& module, const std::vector<std::string>& patterns,
                                                 const std::vector<std::string>& names, StopFlag stop) {
  TrapReport report =
      explain_traps(module, {.kernels = patterns, .names = names, .include_soft_failures = true, .stop = stop});
  Finder finder(module, report.pool);
  std::vector<SafetyBranches> results;
  for (FunctionTraps& one : report.functions) {
    if (is_stopped(stop)) break;
    SafetyBranches result;
    result.function = one.function;
    result.params = std::move(one.params);
    result.pool = report.pool;
    result.traps = std::move(one.traps);
    result.cost = one.cost;
    result.complete = one.complete;
    finder.fill(result);
    results.push_back(std::move(result));
  }
  return results;
}

}  // namespace ptxscope::analysis
