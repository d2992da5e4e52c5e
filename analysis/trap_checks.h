// What kind of check a condition is: bounds, null, division by zero, overflow, alignment, or other.
#pragma once

#include <set>
#include <span>

#include "analysis/slices.h"
#include "analysis/traps.h"

namespace ptxscope::analysis {

struct CheckContext {
  ExprPool* pool = nullptr;
  const ParameterUse* use = nullptr;
  std::span<const ParameterInfo> parameters;
  /// Where the trap returns as far as the compiler knows (nvcc's inline `trap`): the indices that the code after it
  /// uses. A bounds check guards what follows; nullptr where that tells nothing.
  const std::set<ExprId>* used_afterwards = nullptr;
};

/// The kind of the check that fails when `condition` holds. Check::unknown when the condition has unknown parts;
/// Check::unconditional when it always holds.
[[nodiscard]] Check classify(const CheckContext& context, ExprId condition);

}  // namespace ptxscope::analysis
