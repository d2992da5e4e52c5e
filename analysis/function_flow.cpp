#include "analysis/function_flow.h"

#include "analysis/names.h"
#include "analysis/parallel.h"

namespace ptxscope::analysis {

std::vector<std::uint32_t> find_guard_definitions(const Module& module, const Cfg& cfg) {
  // Only registers that decide an edge matter: `several` marks those written more than once in the function.
  constexpr std::uint32_t several = no_index - 1;
  const Function& function = module.functions()[cfg.function];
  std::vector<bool> is_guard(function.register_count, false);
  for (const Edge& edge : cfg.edges)
    if (edge.conditional && edge.predicate < function.register_count) is_guard[edge.predicate] = true;

  std::vector<std::uint32_t> only(function.register_count, no_index);    // the one definition in the function
  std::vector<std::uint32_t> latest(function.register_count, no_index);  // the last one in the current block
  std::vector<BlockId> written_in(function.register_count, no_block);
  std::vector<std::uint32_t> at_end(cfg.edges.size(), no_index);
  RegisterUses uses;
  for (const Block& block : cfg.blocks) {
    if (block.instructions == 0) continue;
    for (std::uint32_t i = block.first_instruction; i <= block.last_instruction; ++i) {
      const Statement statement = module.statement(i);
      if (statement.kind() != StatementKind::instruction) continue;
      register_uses(statement, uses);
      for (const RegisterNumber reg : uses.writes) {
        if (!is_guard[reg]) continue;
        only[reg] = only[reg] == no_index ? i : several;
        latest[reg] = uses.guarded ? several : i;  // under a guard it may not have been this one
        written_in[reg] = block.id;
      }
    }
    for (const std::uint32_t edge : block.successors) {
      const Edge& e = cfg.edges[edge];
      if (!e.conditional || e.predicate >= function.register_count) continue;
      if (written_in[e.predicate] == block.id) at_end[edge] = latest[e.predicate];
    }
  }
  for (std::uint32_t edge = 0; edge < cfg.edges.size(); ++edge) {
    const Edge& e = cfg.edges[edge];
    if (at_end[edge] == no_index && e.conditional && e.predicate < function.register_count)
      at_end[edge] = only[e.predicate];
    if (at_end[edge] == several) at_end[edge] = no_index;
  }
  return at_end;
}

std::vector<bool> find_blocks_bound_to_trap(const Cfg& cfg) {
  std::vector<bool> bound(cfg.blocks.size(), false);
  std::vector<std::uint32_t> open(cfg.blocks.size(), 0);  // ways on that are not known to be bound
  std::vector<BlockId> work;
  for (const Block& block : cfg.blocks) {
    open[block.id] = static_cast<std::uint32_t>(block.successors.size());
    if (is_trap_block(block) && !block.conditional_end) {
      bound[block.id] = true;
      work.push_back(block.id);
    }
  }
  while (!work.empty()) {
    const BlockId to = work.back();
    work.pop_back();
    for (const std::uint32_t edge : cfg.blocks[to].predecessors) {
      const Block& from = cfg.blocks[cfg.edges[edge].from];
      const bool other_ways_out = from.falls_off_end || (from.conditional_end && from.end != BlockEnd::trap);
      if (--open[from.id] != 0 || bound[from.id] || other_ways_out) continue;
      bound[from.id] = true;
      work.push_back(from.id);
    }
  }
  return bound;
}

FunctionFlow flow_of_function(const Module& module, std::uint32_t function, NeverReturns& never_returns) {
  CfgOptions options;
  options.never_returns = &never_returns;
  FunctionFlow flow;
  flow.cfg = build_cfg(module, function, options);
  flow.liveness = compute_liveness(module, flow.cfg);
  flow.guard_definitions = find_guard_definitions(module, flow.cfg);
  flow.bound_to_trap = find_blocks_bound_to_trap(flow.cfg);
  return flow;
}

FlowReport flow_of_functions(const Module& module, std::span<const std::string> patterns, unsigned jobs,
                             StopFlag stop) {
  FlowReport report;
  NameSelection selection(patterns);
  std::vector<std::uint32_t> picked;
  const auto functions = module.functions();
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].has_body && selection.picks(module.name(functions[i].name))) picked.push_back(i);
  report.unmatched = selection.unmatched();
  report.functions.resize(picked.size());
  const std::vector<IndexRange> pieces = cut_by_statements(module, picked);
  const auto follow_piece = [&](std::size_t piece) {
    NeverReturns never_returns(module);
    for (std::size_t i = pieces[piece].begin; i < pieces[piece].end && !is_stopped(stop); ++i)
      report.functions[i] = flow_of_function(module, picked[i], never_returns);
  };
  for_each_index(pieces.size(), jobs, follow_piece, stop);
  return report;
}

}  // namespace ptxscope::analysis
