// --names of `ptxscope run`, held against the kernels that were loaded.
#pragma once

#include <string>
#include <vector>

#include "analysis/run_report.h"

namespace ptxscope::driver {

/// A sentence about names that no kernel has an argument for; empty: each fits one, or it cannot be told.
[[nodiscard]] std::string names_without_argument(const analysis::RunReport& report,
                                                 const std::vector<std::string>& names);

}  // namespace ptxscope::driver
