// What the checks cost: instructions and branches that exist only to decide and carry out failures.
#pragma once

#include <cstdint>
#include <span>

#include "analysis/traps.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

/// Of one function: what would go if every failing side (blocks from which control only reaches a trap, or a call that
/// does not return) were cut off: those blocks, the branches that choose them, and all that only these need.
/// `failing`: statements where a failure stands, ascending. Definitions are told apart by register, not by place: a register used
/// for both counts as needed.
[[nodiscard]] SafetyCost safety_cost(ModuleValues& values, std::uint32_t function,
                                     std::span<const std::uint32_t> failing);

}  // namespace ptxscope::analysis
