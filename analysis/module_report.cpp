#include "analysis/module_report.h"

#include <algorithm>

#include "analysis/names.h"

namespace ptxscope::analysis {

namespace {

// The order in which functions get their place, the lowest number first.
enum class Rank : std::uint8_t { kernel_traps, function_traps, holds_traps, fails, kernel, other, left_out };

std::vector<Rank> rank_functions(const Module& module, const TrapReport& traps, std::span<const std::string> patterns) {
  const auto functions = module.functions();
  std::vector<Rank> ranks(functions.size(), Rank::left_out);
  NameSelection selection(patterns);
  for (std::size_t i = 0; i < functions.size(); ++i)
    if (functions[i].has_body && selection.picks(module.name(functions[i].name)))
      ranks[i] = functions[i].kind == FunctionKind::entry ? Rank::kernel : Rank::other;
  for (const FunctionTraps& one : traps.functions) {
    Rank& rank = ranks[one.function];
    if (rank == Rank::left_out) continue;
    if (!one.soft_failures.empty()) rank = std::min(rank, Rank::fails);
    if (one.traps.empty()) continue;
    rank = functions[one.function].kind == FunctionKind::entry ? Rank::kernel_traps : Rank::function_traps;
    const auto show = [&](const std::string& word) {
      const NameId name = module.find_name(word);
      const Function* const holder = name == no_name ? nullptr : module.find_function(name);
      if (holder == nullptr || !holder->has_body) return;
      Rank& its = ranks[static_cast<std::size_t>(holder - functions.data())];
      its = std::min(its, Rank::holds_traps);
    };
    for (const Trap& trap : one.traps) {
      show(trap.function);
      for (const Way& way : trap.ways)
        for (const std::string& caller : way.via) show(caller);
    }
  }
  return ranks;
}

std::vector<std::uint32_t> choose_functions(const Module& module, const ModuleReportOptions& options,
                                            ModuleReport& report) {
  const std::vector<Rank> ranks = rank_functions(module, report.traps, options.patterns);
  std::vector<std::uint32_t> order;
  for (std::uint32_t i = 0; i < ranks.size(); ++i)
    if (ranks[i] != Rank::left_out) order.push_back(i);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return ranks[i]; });
  std::vector<std::uint32_t> chosen;
  std::size_t bytes = 0;
  for (const std::uint32_t i : order) {
    // What is shown grows with the statements, not with the length of their names.
    constexpr std::size_t usual_statement = 40;  // bytes
    const Function& function = module.functions()[i];
    const std::size_t size =
        std::max<std::size_t>(function.span.size(), usual_statement * (function.body_end - function.body_begin));
    if (chosen.size() >= options.most_functions || size > options.most_bytes - bytes) {
      ++report.not_detailed;
      continue;
    }
    bytes += size;
    chosen.push_back(i);
  }
  return chosen;
}

}  // namespace

ModuleReport report_module(const Module& module, const ModuleReportOptions& options) {
  ModuleReport report;
  report.check = check(module, {}, {CheckOptions{}.places, options.jobs});
  report.stats = count_module(module, {}, options.jobs);
  TrapOptions traps;
  traps.jobs = options.jobs;
  report.traps = explain_traps(module, traps);
  std::vector<std::uint32_t> chosen;
  NeverReturns never_returns(module);
  for (const std::uint32_t function : choose_functions(module, options, report)) {
    FunctionFlow flow = flow_of_function(module, function, never_returns);
    if (flow.cfg.edges.size() > options.most_edges) {
      ++report.not_detailed;
      continue;
    }
    chosen.push_back(function);
    report.flow.functions.push_back(std::move(flow));
  }
  report.live = report_live(module, chosen);
  return report;
}

}  // namespace ptxscope::analysis
