// What `ptxscope scan` notes of a module: its counts, its traps, what it needs.
#pragma once

#include <string>

#include "analysis/check.h"
#include "analysis/stats.h"
#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::analysis {

struct ModuleSummary {
  std::string sha256;  ///< of the text
  ModuleStats stats;
  TrapReport traps;
  CheckReport check;
};

[[nodiscard]] ModuleSummary summarize(const Module& module);

}  // namespace ptxscope::analysis
