// What explain-trap says of a function, in a file.
#pragma once

#include <QString>
#include <string>

#include "analysis/traps.h"

namespace ptxscope::gui {

/// As text (.txt) or HTML (.html), by the ending of the path. The file is replaced only when all of it could be written.
/// Returns what was in the way and the way out, in a clause; empty: nothing.
[[nodiscard]] QString export_explanation(const Module& module, const analysis::TrapReport& report, const QString& path);

/// Text with the colours of report::paint() as a page of HTML that needs nothing from elsewhere.
[[nodiscard]] std::string explanation_html(const std::string& title, const std::string& text);

}  // namespace ptxscope::gui
