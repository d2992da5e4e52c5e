// Everything `ptxscope cfg` shows of a function: its control flow, what decides each edge, live registers.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/liveness.h"
#include "analysis/stop.h"

namespace ptxscope::analysis {

/// What is shown of one function; by edge and by block as its Cfg numbers them.
struct FunctionFlow {
  Cfg cfg;            ///< blocks and edges, post-dominators and loops included
  Liveness liveness;  ///< by block, without ranges
  /// By edge: the instruction that computed the edge's predicate (its setp, mostly); no_index where several may have, or
  /// the edge has none.
  std::vector<std::uint32_t> guard_definitions;
  /// By block: every path from its start ends in a trap.
  std::vector<bool> bound_to_trap;
};

/// What `ptxscope cfg` shows of a module.
struct FlowReport {
  std::vector<FunctionFlow> functions;  ///< those with a body, in the order of the text
  std::vector<std::string> unmatched;   ///< patterns that name no function with a body
};

/// Of functions()[function], which must have a body.
[[nodiscard]] FunctionFlow flow_of_function(const Module& module, std::uint32_t function, NeverReturns& never_returns);

/// `patterns` as in matches_name(); none: all functions.
/// `jobs`: threads that may work at it; the answer is the same.
[[nodiscard]] FlowReport flow_of_functions(const Module& module, std::span<const std::string> patterns,
                                           unsigned jobs = 1, StopFlag stop = nullptr);

/// See FunctionFlow::guard_definitions.
[[nodiscard]] std::vector<std::uint32_t> find_guard_definitions(const Module& module, const Cfg& cfg);

/// See FunctionFlow::bound_to_trap.
[[nodiscard]] std::vector<bool> find_blocks_bound_to_trap(const Cfg& cfg);

/// Whether the block ends the thread by trap or by a call that does not return.
/// A guarded one (`@%p trap`) counts too.
[[nodiscard]] inline bool is_trap_block(const Block& block) { return block.end == BlockEnd::trap; }

}  // namespace ptxscope::analysis
