// Register pressure of a function for people: where it is highest, and what lives longest there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/expr.h"
#include "analysis/liveness.h"
#include "analysis/traps.h"

namespace ptxscope::analysis {

/// A register that is live where most are.
struct LongLived {
  RegisterNumber reg = 0;
  RegisterClass register_class = RegisterClass::other;
  std::uint64_t instructions = 0;                   ///< at how many it is live, in the whole function
  std::uint32_t first = no_index, last = no_index;  ///< statements: the first and the last of its live ranges
  std::optional<ExprId> value;                      ///< what it holds there, as far as it is known
};

/// Instructions in a row, all at the maximum: statements, both inclusive.
struct PressurePeak {
  std::uint32_t first = 0, last = 0;
};

struct LiveReport {
  std::uint32_t function = 0;  ///< index into Module::functions
  LiveRanges ranges;
  std::vector<PressurePeak> peaks;
  std::vector<LongLived> longest;  ///< live at the first peak: the longest ranges first
  std::vector<ParameterInfo> params;
  std::shared_ptr<ExprPool> pool;  ///< of the values
};

struct LiveOptions {
  std::size_t most_values = 12;  ///< of LiveReport::longest
};

[[nodiscard]] std::vector<LiveReport> report_live(const Module& module, const std::vector<std::uint32_t>& functions,
                                                  const LiveOptions& options = {});

}  // namespace ptxscope::analysis
