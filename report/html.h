// What all writers of HTML, SVG and HTML-like labels share.
#pragma once

#include <string>
#include <string_view>

namespace ptxscope::report {

/// Fit for the text of an element and for an attribute in quotes of either kind. Controls are left: printable() is for them.
[[nodiscard]] std::string html_escaped(std::string_view text);

}  // namespace ptxscope::report
