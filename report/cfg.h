// Writers of control flow graphs: text, JSON (docs/json.md), DOT and, by way of Graphviz, SVG.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/function_flow.h"
#include "report/terminal.h"

namespace ptxscope::report {

struct CfgTextOptions {
  std::uint32_t lines = 0;  ///< instructions shown of each block, the last ones; 0: none
  /// Parallel to FlowReport::functions, or empty: the registers live at each instruction stand beside it.
  std::span<const analysis::LiveRanges> live = {};
};
[[nodiscard]] std::string cfg_text(const Module& module, const analysis::FlowReport& report, const TextStyle& style,
                                   const CfgTextOptions& options = {});

/// `live`: as in CfgTextOptions.
[[nodiscard]] std::string cfg_json(const Module& module, const analysis::FlowReport& report,
                                   std::span<const Diagnostic> more = {},
                                   std::span<const analysis::LiveRanges> live = {});

struct CfgDotOptions {
  std::uint32_t lines = 8;  ///< instructions shown in each block, the last ones; 0: none
  bool titles = true;       ///< the name of each function above its blocks
};
/// One digraph, a cluster for each function and, inside, one for each loop.
[[nodiscard]] std::string cfg_dot(const Module& module, const analysis::FlowReport& report,
                                  const CfgDotOptions& options = {});

struct Drawing {
  std::optional<std::string> svg;
  std::string error;        ///< a sentence with the way out, when there is no drawing
  bool is_missing = false;  ///< there is none because Graphviz is not installed
};
/// Has Graphviz' `dot`, found in PATH, draw it. No shell is involved; gives up after `seconds`.
[[nodiscard]] Drawing draw_svg(std::string_view dot, unsigned seconds = 120);

}  // namespace ptxscope::report
