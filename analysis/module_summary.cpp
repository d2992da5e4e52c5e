#include "analysis/module_summary.h"

#include "analysis/sha256.h"

namespace ptxscope::analysis {

ModuleSummary summarize(const Module& module) {
  return {sha256(module.text()), count_module(module), explain_traps(module), check(module, {}, {.places = 1})};
}

}  // namespace ptxscope::analysis
