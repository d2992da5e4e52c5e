// Where a function fails: its traps, failing calls, unusual exits; and the branches that decide each.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/traps.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

/// One branch that decides whether a statement runs, in terms of the function's own parameters.
struct Deciding {
  std::uint32_t branch = no_index;  ///< no_index: nothing decides it, it always runs
  std::uint32_t setp = no_index;
  std::string predicate;
  bool negated = false;
  bool guard_of_statement = false;  ///< the statement's own guard (`@p trap`; `@p ret` for what stands behind it)
  ExprId condition{};
  std::vector<ExprId> after;
  ExprId path{};  ///< from the function's entry, condition included
  std::vector<std::uint32_t> evidence;
};

/// What is asked of a statement with a guard: when it runs; when control goes on behind it (`@p ret`); when control comes to
/// it, whether it runs or not.
enum class Side : std::uint8_t { runs, behind, either };

/// All branches that decide whether control comes to that statement (its control dependences), and its own guard.
[[nodiscard]] std::vector<Deciding> deciding(FunctionValues& values, const Module& module, std::uint32_t statement,
                                             const std::vector<std::vector<std::uint32_t>>& dependences,
                                             Side side = Side::runs);

struct Failure {
  std::uint32_t statement = no_index;
  BlockId block = no_block;
  TrapKind kind = TrapKind::trap;
  NameId callee = no_name;  ///< of failing calls
  bool unreachable = false;
  std::vector<Deciding> ways;
};

struct CallSite {
  std::uint32_t statement = no_index;
  std::uint32_t callee = 0;      ///< function index
  std::optional<ExprId> chosen;  ///< indirect: the condition under which it is this callee
  ExprId target{};               ///< indirect: the expression that is called
};

/// What a look at the opcodes alone tells; decides cheaply which functions need more.
struct FunctionScan {
  std::uint32_t instructions = 0, branches = 0, traps = 0, exits = 0, returns = 0;
  bool may_fall_off_end = false;
  std::vector<std::uint32_t> calls;
};
[[nodiscard]] FunctionScan scan_function(ModuleValues& values, std::uint32_t function);
/// Of all functions that have a body, by index, on up to `jobs` threads.
[[nodiscard]] std::vector<FunctionScan> scan_functions(ModuleValues& values, unsigned jobs, StopFlag stop = nullptr);

/// Failures that stand in the function itself.
[[nodiscard]] std::vector<Failure> find_failures(ModuleValues& values, std::uint32_t function, StopFlag stop = nullptr);

/// The functions that a call may reach: one for a direct call, those in the table or `.calltargets` for an indirect one.
[[nodiscard]] std::vector<CallSite> possible_callees(ModuleValues& values, std::uint32_t function, std::uint32_t call);

}  // namespace ptxscope::analysis
