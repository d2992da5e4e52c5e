#include <algorithm>

#include "analysis/explainer.h"
#include "analysis/names.h"
#include "analysis/parallel.h"

namespace ptxscope::analysis {

namespace {

// Kernels; and functions that none of them reaches, so that a library's traps are not lost.
std::vector<std::uint32_t> functions_to_explain(const Surroundings& surroundings, const ModuleValues& values) {
  const Module& module = surroundings.module;
  const std::vector<std::string>& patterns = surroundings.options.kernels;
  const auto functions = module.functions();
  std::vector<char> called(functions.size(), 0);
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    for (const std::uint32_t call : surroundings.scans[i].calls) {
      const NameId callee = direct_callee(module.statement(call));
      if (callee == no_name) continue;
      if (const auto body = values.defined(callee); body && *body != i) called[*body] = 1;
    }
  }
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    // One that is asked for by name is explained even where a kernel calls it.
    const bool asked_for = !patterns.empty();
    if (!functions[i].has_body || (functions[i].kind == FunctionKind::func && called[i] != 0 && !asked_for)) continue;
    // A function reached only through a table is explained where it is called from.
    const std::string_view name = module.name(functions[i].name);
    if (asked_for && std::none_of(patterns.begin(), patterns.end(),
                                  [&](const std::string& pattern) { return matches_name(pattern, name); }))
      continue;
    chosen.push_back(i);
  }
  return chosen;
}

// The same in another pool.
void move_expressions(FunctionTraps& function, const ExprPool& from, ExprPool& to, ExprPool::Adopted& adopted) {
  const auto move = [&](ExprId& id) { id = to.adopt(from, id, adopted); };
  for (auto* list : {&function.traps, &function.soft_failures}) {
    for (Trap& trap : *list) {
      for (Way& way : trap.ways) {
        move(way.condition);
        move(way.path);
        for (ExprId& known : way.after) move(known);
      }
    }
  }
}

// What one piece of the module gave: its functions, and a pool with no more than what they say.
struct Piece {
  std::shared_ptr<ExprPool> pool;
  std::vector<FunctionTraps> functions;
};

Piece explain_piece(Surroundings& surroundings, std::span<const std::uint32_t> functions) {
  Piece piece;
  piece.pool = std::make_shared<ExprPool>();
  const auto working_pool = std::make_shared<ExprPool>();
  Explainer explainer(surroundings, working_pool);
  for (const std::uint32_t function : functions) {
    if (is_stopped(surroundings.options.stop)) return piece;
    piece.functions.push_back(explainer.explain(function));
  }
  ExprPool::Adopted adopted;
  for (FunctionTraps& one : piece.functions) move_expressions(one, *working_pool, *piece.pool, adopted);
  return piece;
}

}  // namespace

TrapReport explain_traps(const Module& module, const TrapOptions& options) {
  TrapReport report;
  report.pool = std::make_shared<ExprPool>();
  ModuleValues values(module, report.pool);
  Surroundings surroundings{
      module, options, scan_functions(values, options.jobs, options.stop), DebugNames(module), {}};
  if (is_stopped(options.stop)) return report;
  const std::vector<std::uint32_t> chosen = functions_to_explain(surroundings, values);
  const std::vector<IndexRange> ranges = cut_by_statements(module, chosen);
  if (ranges.size() == 1) {
    Explainer explainer(surroundings, report.pool);
    for (const std::uint32_t function : chosen) {
      if (is_stopped(options.stop)) break;
      report.functions.push_back(explainer.explain(function));
    }
    return report;
  }
  std::vector<Piece> pieces(ranges.size());
  const auto explain_range = [&](std::size_t i) {
    pieces[i] =
        explain_piece(surroundings, std::span(chosen).subspan(ranges[i].begin, ranges[i].end - ranges[i].begin));
  };
  for_each_index(ranges.size(), options.jobs, explain_range, options.stop);
  for (Piece& piece : pieces) {
    if (is_stopped(options.stop)) break;
    ExprPool::Adopted adopted;
    for (FunctionTraps& one : piece.functions) {
      move_expressions(one, *piece.pool, *report.pool, adopted);
      report.functions.push_back(std::move(one));
    }
    piece = {};
  }
  return report;
}

}  // namespace ptxscope::analysis
