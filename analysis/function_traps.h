// explain-trap about one function, for who asks about places and not about modules.
#pragma once

#include <cstdint>

#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// The report of functions()[function] alone: its one entry is in `functions`, or none where explain-trap says nothing of
/// it (a function that kernels call is told of in their reports).
[[nodiscard]] TrapReport explain_traps_of(const Module& module, std::uint32_t function, StopFlag stop = nullptr);

}  // namespace ptxscope::analysis
