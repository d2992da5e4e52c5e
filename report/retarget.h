// What a retargeting changed, or why it was not done, for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "analysis/retarget.h"

namespace ptxscope::report {

/// A sentence for each change: "kernel.ptx:1:10: .version 8.7 -> 7.0".
[[nodiscard]] std::vector<std::string> retarget_sentences(const Module& module, const analysis::Retargeting& result);
/// The document of schema ptxscope.retarget/1. `output`: where the text was written; empty: nowhere.
[[nodiscard]] std::string retarget_json(const Module& module, const analysis::Retargeting& result,
                                        const std::string& output);

}  // namespace ptxscope::report
