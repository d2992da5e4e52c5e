// What `ptxscope scan` notes of a module: its counts, its traps, what it needs.
#pragma once

#include <string>

#include "analysis/check.h"
#include "analysis/stats.h"
#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// Refers to the Module, which must outlive it.
struct ModuleSummary {
  std::string sha256;  ///< of the text
  ModuleStats stats;   ///< of all functions with a body
  TrapReport traps;    ///< of all kernels
  CheckReport check;   ///< about the header alone
};

/// Never fails: what did not parse is in `check`.
[[nodiscard]] ModuleSummary summarize(const Module& module);

}  // namespace ptxscope::analysis
