// How an analysis is ended early: another thread sets a flag, and the analysis looks at it now and then.
#pragma once

#include <atomic>
#include <cstdint>

namespace ptxscope::analysis {

/// nullptr: nobody will. An analysis that finds it set comes back soon; what it gives then is of a part of the module only,
/// and not to be shown as a result.
using StopFlag = const std::atomic<bool>*;

/// A loop over statements looks that often: many times in a millisecond, and too seldom to be noticed.
inline constexpr std::uint32_t statements_between_looks = 1024;

/// Whether it is set.
[[nodiscard]] inline bool is_stopped(StopFlag stop) { return stop != nullptr && stop->load(std::memory_order_relaxed); }

}  // namespace ptxscope::analysis
