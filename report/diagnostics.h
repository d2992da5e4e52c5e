// Diagnostics as text: place, message, the source line with a caret under it, notes, remedy.
#pragma once

#include <span>
#include <string>

#include "parser/module.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// One diagnostic, ending in a newline:
///
///     kernel.ptx:41:5: error: wgmma.fence.sync.aligned needs .target sm_90a [PTX-TARGET]
///        41 |     wgmma.fence.sync.aligned;
///           |     ^~~~~~~~~~~~~~~~~~~~~~~~
///       note: the module says .target sm_90 (line 9)
///       help: write .target sm_90a
[[nodiscard]] std::string to_text(const Module& module, const Diagnostic& diagnostic, const TextStyle& style);

/// All of them, in the order of their places in the text.
[[nodiscard]] std::string to_text(const Module& module, std::span<const Diagnostic> diagnostics,
                                  const TextStyle& style);

/// The line that holds `span` with a marker under it: two lines, each indented for `gutter` digits of line number. Tabs
/// are spread, controls escaped; of a line too long for the style a window around the marker is shown.
[[nodiscard]] std::string source_excerpt(const Module& module, Span span, const TextStyle& style,
                                         std::size_t gutter = 5, Ink marker = Ink::good);

[[nodiscard]] std::string_view spelling(Level level);  ///< "error", "warning", "note"

}  // namespace ptxscope::report
