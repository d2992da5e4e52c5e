// The files of report/page, built in by cmake/Page.cmake.
#pragma once

#include <string>
#include <string_view>

namespace ptxscope::report {

/// page.html, with @NAME@ where content goes.
[[nodiscard]] std::string page_skeleton();
[[nodiscard]] std::string page_style();
[[nodiscard]] std::string page_script();
/// Of the script, as a Content-Security-Policy names it: "sha256-…".
[[nodiscard]] std::string_view page_script_hash();

}  // namespace ptxscope::report
