// What branches are for, in words.
#pragma once

#include <string>
#include <string_view>

#include "analysis/safety_branches.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// "check", "to-failure", "remains".
[[nodiscard]] std::string_view purpose_word(analysis::BranchPurpose::Kind kind);

/// "bounds check of slice a: trap 1 when global.x >= a.len".
[[nodiscard]] std::string purpose_text(const Module& module, const analysis::SafetyBranches& safety,
                                       const analysis::BranchPurpose& purpose);

/// The function's branches: how many for which check, how many remain, then each.
[[nodiscard]] std::string safety_text(const Module& module, const analysis::SafetyBranches& safety,
                                      const TextStyle& style);

}  // namespace ptxscope::report
