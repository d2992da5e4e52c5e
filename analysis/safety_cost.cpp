#include "analysis/safety_cost.h"

#include <algorithm>

namespace ptxscope::analysis {

SafetyCost safety_cost(ModuleValues& values, std::uint32_t function, std::span<const std::uint32_t> failing) {
  FunctionValues& fv = values.of(function);
  const Cfg& cfg = fv.cfg();
  const Module& module = values.module();
  SafetyCost cost;

  // Blocks from which every way leads to a failure: they hold one, or all their successors do.
  std::vector<char> doomed(cfg.blocks.size(), 0);
  std::vector<std::uint32_t> open(cfg.blocks.size(), 0);
  std::vector<BlockId> work;
  for (const Block& block : cfg.blocks) open[block.id] = static_cast<std::uint32_t>(block.successors.size());
  for (const std::uint32_t s : failing) {
    const BlockId block = cfg.block_of(s);
    if (block == no_block || module.statement(s).guard() || doomed[block] != 0) continue;
    doomed[block] = 1;
    work.push_back(block);
  }
  while (!work.empty()) {
    const BlockId block = work.back();
    work.pop_back();
    for (const std::uint32_t e : cfg.blocks[block].predecessors) {
      const BlockId from = cfg.edges[e].from;
      if (doomed[from] != 0 || cfg.blocks[from].conditional_end || --open[from] != 0) continue;
      doomed[from] = 1;
      work.push_back(from);
    }
  }
  if (!cfg.blocks.empty() && doomed[0] != 0) {
    // The whole function fails: it is no cost of a check.
    std::fill(doomed.begin(), doomed.end(), 0);
  }

  enum : char { gone, undecided, needed };
  struct Item {
    std::uint32_t statement;
    char state;
    bool branch;
  };
  std::vector<Item> items;
  std::vector<std::vector<std::uint32_t>> writers(fv.function().register_count);
  std::vector<char> wanted(fv.function().register_count, 0);
  std::vector<RegisterNumber> pending;
  RegisterUses uses;
  const auto want = [&](const RegisterUses& u) {
    for (const RegisterNumber r : u.reads) {
      if (wanted[r] != 0) continue;
      wanted[r] = 1;
      pending.push_back(r);
    }
  };
  for (const Block& block : cfg.blocks) {
    if (block.first_instruction == no_index) continue;
    const bool cut = doomed[block.id] != 0;
    const bool after_failure = !block.reachable;
    for (std::uint32_t s = block.first_instruction; s <= block.last_instruction; ++s) {
      const Statement statement = module.statement(s);
      if (statement.kind() != StatementKind::instruction) continue;
      const OpcodeForm& form = values.form(statement.opcode_id());
      const isa::Flow flow = form.instruction != nullptr ? form.instruction->flow : isa::Flow::next;
      const bool branch = flow == isa::Flow::branch || flow == isa::Flow::indirect_branch;
      ++cost.of_instructions;
      cost.of_branches += branch ? 1 : 0;
      const bool fails = std::binary_search(failing.begin(), failing.end(), s);
      bool chooses = false;  // a branch one side of which only fails
      if (branch && !cut) {
        for (const std::uint32_t e : block.successors)
          chooses |= cfg.edges[e].statement == s && doomed[cfg.edges[e].to] != 0;
        if (!chooses && statement.guard()) {
          for (const std::uint32_t e : block.successors) chooses |= doomed[cfg.edges[e].to] != 0;
        }
      }
      // `trap; exit;`: what stands behind a failure and is never reached belongs to it.
      if (cut || fails || chooses ||
          (after_failure && (flow == isa::Flow::exit || flow == isa::Flow::trap || flow == isa::Flow::branch))) {
        items.push_back({s, gone, branch});
        continue;
      }
      register_uses(statement, uses);
      const bool root = form.instruction == nullptr || form.instruction->has_side_effect ||
                        form.instruction->writes_memory || flow != isa::Flow::next || uses.writes.empty();
      if (root) {
        items.push_back({s, needed, branch});
        want(uses);
      } else {
        items.push_back({s, undecided, branch});
        for (const RegisterNumber r : uses.writes) writers[r].push_back(static_cast<std::uint32_t>(items.size() - 1));
      }
    }
  }
  while (!pending.empty()) {
    const RegisterNumber r = pending.back();
    pending.pop_back();
    for (const std::uint32_t i : writers[r]) {
      if (items[i].state == needed) continue;
      items[i].state = needed;
      register_uses(module.statement(items[i].statement), uses);
      want(uses);
    }
  }
  // What nothing needs even with the checks in place is no cost of theirs: ask again with the failures as roots.
  std::fill(wanted.begin(), wanted.end(), 0);
  std::vector<char> used(items.size(), 0);
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].state == undecided) continue;
    used[i] = 1;
    register_uses(module.statement(items[i].statement), uses);
    want(uses);
  }
  while (!pending.empty()) {
    const RegisterNumber r = pending.back();
    pending.pop_back();
    for (const std::uint32_t i : writers[r]) {
      if (used[i] != 0) continue;
      used[i] = 1;
      register_uses(module.statement(items[i].statement), uses);
      want(uses);
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    if (items[i].state == needed || used[i] == 0) continue;
    ++cost.instructions;
    cost.branches += items[i].branch ? 1 : 0;
  }
  return cost;
}

}  // namespace ptxscope::analysis
