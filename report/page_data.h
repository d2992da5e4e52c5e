// What a page holds as JSON: internal to report/page.cpp.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <vector>

#include "report/json_common.h"
#include "report/page.h"

namespace ptxscope::report {

/// The functions of one file that are shown in full, one document each, in the order of report->flow.functions.
/// `file`: the file's place on the page.
[[nodiscard]] std::vector<Json> function_documents(const PageFile& file, std::size_t place);

/// What is said of the file and of each of its functions. `documents`: by place in report->flow.functions, the number of
/// its document on the page; no_index: it has none.
[[nodiscard]] Json file_overview(const PageFile& file, const std::vector<std::uint32_t>& documents,
                                 std::size_t most_rows);

/// On one line, fit for a <script> element: without what begins a comment, a script or an end tag there (HTML 13.2.5.4).
[[nodiscard]] std::string script_json(const Json& json);

}  // namespace ptxscope::report
