// Register pressure of a function for people: where it is highest, and what lives longest there.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/debug_names.h"
#include "analysis/expr.h"
#include "analysis/liveness.h"
#include "analysis/traps.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

/// A register that is live where most are.
struct LongLived {
  RegisterNumber reg = 0;                               ///< of the function
  RegisterClass register_class = RegisterClass::other;  ///< by its declared type
  std::uint64_t instructions = 0;                       ///< at how many it is live, in the whole function
  /// Statements: the first and the last of its live ranges.
  ///@{
  std::uint32_t first = no_index;
  std::uint32_t last = no_index;
  ///@}
  std::optional<ExprId> value;  ///< what it holds there, as far as it is known
};

/// Instructions in a row, all at the maximum: statements, both inclusive.
struct PressurePeak {
  std::uint32_t first = 0;  ///< the first of them
  std::uint32_t last = 0;   ///< the last, the first again where there is one
};

/// The live registers of one function.
struct LiveReport {
  std::uint32_t function = 0;         ///< index into Module::functions
  LiveRanges ranges;                  ///< where each register lives
  std::vector<PressurePeak> peaks;    ///< all places of the maximum, in the order of the text
  std::vector<LongLived> longest;     ///< live at the first peak: the longest ranges first
  std::vector<ParameterInfo> params;  ///< the names in the values
  std::shared_ptr<ExprPool> pool;     ///< of the values
};

/// How much LiveReporter is to find out.
struct LiveOptions {
  std::size_t most_values = 12;  ///< of LiveReport::longest
};

/// Reports one function after another, so that of a large module there is only one report at a time. What it says of a
/// function does not depend on the others.
class LiveReporter {
 public:
  explicit LiveReporter(const Module& module, const LiveOptions& options = {});  ///< the Module must outlive it

  /// `function`: index into Module::functions, with a body.
  [[nodiscard]] LiveReport of(std::uint32_t function);

 private:
  const Module* module_;
  LiveOptions options_;
  CfgOptions flow_;
  ModuleValues values_;  // of the function reported last
  DebugNames debug_names_;
  NeverReturns never_returns_;
  RegisterUses uses_;
};

/// One for each of `functions`, in their order.
[[nodiscard]] std::vector<LiveReport> report_live(const Module& module, const std::vector<std::uint32_t>& functions,
                                                  const LiveOptions& options = {});

}  // namespace ptxscope::analysis
