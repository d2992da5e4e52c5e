// The patterns of --kernel, over all files of a run.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "cli/command.h"

namespace ptxscope::cli {

/// Which patterns named something. One that names nothing in any file is an error of usage.
class KernelNames {
 public:
  explicit KernelNames(const std::vector<std::string>& patterns)
      : patterns_(patterns), matched_(patterns.size(), false) {}

  void look_into(const Module& module);
  /// Fails for each pattern that matched nothing, and says what there is.
  void report(Run& run) const;

 private:
  const std::vector<std::string>& patterns_;
  std::vector<bool> matched_;
  std::set<std::string> kernels_, others_;  // with a body
  std::vector<std::string> files_;
};

/// "a, b, c, …"
[[nodiscard]] std::string listed(const std::set<std::string>& words);

}  // namespace ptxscope::cli
