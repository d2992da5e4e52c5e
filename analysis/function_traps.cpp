#include "analysis/function_traps.h"

namespace ptxscope::analysis {

TrapReport explain_traps_of(const Module& module, std::uint32_t function, StopFlag stop) {
  TrapOptions options;
  options.kernels.emplace_back(module.name(module.functions()[function].name));
  options.stop = stop;
  TrapReport report = explain_traps(module, options);
  // A name may mean others too, by its demangled form.
  std::erase_if(report.functions, [&](const FunctionTraps& one) { return one.function != function; });
  return report;
}

}  // namespace ptxscope::analysis
