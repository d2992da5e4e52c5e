// The launch that explain-trap is asked about, as people write it: of the command line and of the Python module.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::cli {

/// The names of --names a,b,,d, in their order; an empty one stands for an argument that keeps its own name.
[[nodiscard]] std::vector<std::string> split_names(const std::string& list);

struct LaunchWords {
  std::vector<std::string> arguments;  ///< "a.len=512": LABEL=VALUE
  std::string option = "--arg";        ///< what messages call where they come from
};

/// Gives the arguments to `launch` and evaluates it: Trap::given of the report. What is wrong, a sentence each; empty: done.
[[nodiscard]] std::vector<std::string> evaluate(const Module& module, analysis::TrapReport& report,
                                                const LaunchWords& words, analysis::Launch& launch,
                                                const std::atomic<bool>* stop = nullptr);

/// A sentence where one label means two parameters: names that were given may be those that others have by themselves.
/// `given`: what was written, "--names a,b".
[[nodiscard]] std::string same_labels(const Module& module, const analysis::TrapReport& report,
                                      const std::string& given);

}  // namespace ptxscope::cli
