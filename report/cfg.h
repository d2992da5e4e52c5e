// Writers of control flow graphs: text, JSON (docs/json.md), DOT and, by way of Graphviz, SVG.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "analysis/function_flow.h"
#include "report/sink.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// The registers live at each instruction of a function, asked for as it is written; empty: they are not shown.
using LiveOf = std::function<analysis::LiveRanges(const analysis::FunctionFlow&)>;

/// What cfg_text() shows.
struct CfgTextOptions {
  std::uint32_t lines = 0;  ///< instructions shown of each block, the last ones; 0: none
  LiveOf live_of = {};      ///< empty: live registers are not shown
};
/// Blocks and edges of each function; in pieces, as they are written.
void cfg_text(const Sink& sink, const Module& module, const analysis::FlowReport& report, const TextStyle& style,
              const CfgTextOptions& options = {});
/// The same in one piece.
[[nodiscard]] std::string cfg_text(const Module& module, const analysis::FlowReport& report, const TextStyle& style,
                                   const CfgTextOptions& options = {});

/// The document of schema ptxscope.cfg/1 (docs/json.md). `more`: what checks found beyond reading the text.
void cfg_json(const Sink& sink, const Module& module, const analysis::FlowReport& report,
              std::span<const Diagnostic> more, const LiveOf& live_of);
/// `live`: parallel to FlowReport::functions, or empty.
[[nodiscard]] std::string cfg_json(const Module& module, const analysis::FlowReport& report,
                                   std::span<const Diagnostic> more = {},
                                   std::span<const analysis::LiveRanges> live = {});

/// What cfg_dot() draws.
struct CfgDotOptions {
  std::uint32_t lines = 8;  ///< instructions shown in each block, the last ones; 0: none
  bool titles = true;       ///< the name of each function above its blocks
};
/// One digraph, a cluster for each function and, inside, one for each loop.
void cfg_dot(const Sink& sink, const Module& module, const analysis::FlowReport& report,
             const CfgDotOptions& options = {});
/// The same in one piece.
[[nodiscard]] std::string cfg_dot(const Module& module, const analysis::FlowReport& report,
                                  const CfgDotOptions& options = {});

/// A picture, or why there is none.
struct Drawing {
  std::optional<std::string> svg;  ///< nullopt: `error` says why
  std::string error;               ///< a sentence with the way out, when there is no drawing
  bool is_missing = false;         ///< there is none because Graphviz is not installed
};
/// Has Graphviz' `dot`, found in PATH, draw it. No shell is involved; gives up after `seconds`.
[[nodiscard]] Drawing draw_svg(std::string_view dot, unsigned seconds = 120);

}  // namespace ptxscope::report
