// Everything that `ptxscope report` shows of a module: what it needs, its counts, its traps, and, of as many functions as
// fit a bound, control flow and live registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/check.h"
#include "analysis/function_flow.h"
#include "analysis/live_report.h"
#include "analysis/stats.h"
#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What the page shows. Refers to the Module.
struct ModuleReport {
  CheckReport check;             ///< as check() answers about the header alone
  ModuleStats stats;             ///< of all functions with a body
  TrapReport traps;              ///< of all kernels
  FlowReport flow;               ///< of those shown in full, the most telling first
  std::vector<LiveReport> live;  ///< parallel to flow.functions
  /// Functions that were asked for (or all with a body) and are more than the bound takes.
  std::uint32_t not_detailed = 0;
};

/// How much of a module is shown in full.
struct ModuleReportOptions {
  /// Functions to show in full, as in matches_name(), and those on the way to their traps; none: all that fit.
  std::vector<std::string> patterns;
  /// Bytes of PTX of all functions shown in full, and how many they are.
  std::size_t most_bytes = std::size_t{3} << 20;
  std::size_t most_functions = 400;  ///< at most so many of them
  /// Edges of the control flow of a function shown in full: branches by tables make many out of little text.
  std::size_t most_edges = 25'000;
  unsigned jobs = 1;  ///< threads that may work at it; the answer is the same
};

/// Kernels in which something can trap come first, then functions that no kernel calls and that can, then those on the way to their traps, then kernels, then the others,
/// each in the order of the text.
[[nodiscard]] ModuleReport report_module(const Module& module, const ModuleReportOptions& options = {});

}  // namespace ptxscope::analysis
