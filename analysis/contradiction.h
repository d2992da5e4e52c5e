// Whether conditions can hold together: a small, sound test. "false" means only that none was found.
#pragma once

#include <span>

#include "analysis/expr.h"

namespace ptxscope::analysis {

/// True when no values make all conditions hold at once: a condition beside its opposite, an empty range, or a cycle
/// of orders (a < b, b <= c, c <= a). Signed and unsigned orders are kept apart.
[[nodiscard]] bool contradictory(ExprPool& pool, std::span<const ExprId> conditions);

}  // namespace ptxscope::analysis
