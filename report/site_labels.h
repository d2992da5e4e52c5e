// What parameters are called where an instrumented trap stands: as explain-trap calls them in a kernel, by their
// declaration in another function.
#pragma once

#include <algorithm>
#include <vector>

#include "analysis/instrument.h"
#include "analysis/slices.h"
#include "report/expression.h"

namespace ptxscope::report {

class SiteLabels {
 public:
  SiteLabels(const Module& module, const analysis::Instrumented& instrumented, const analysis::Site& site) {
    const auto& functions = instrumented.report.functions;
    const auto own = std::ranges::find(functions, site.function, &analysis::FunctionTraps::function);
    if (own == functions.end()) {
      params_ = analysis::declared_parameters(module, module.functions()[site.function], {});
    } else {
      params_ = own->params;
    }
  }
  [[nodiscard]] Labels labels() const { return Labels(params_); }

 private:
  std::vector<analysis::ParameterInfo> params_;
};

}  // namespace ptxscope::report
