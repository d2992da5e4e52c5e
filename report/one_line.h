// Statements and declarations on one line, as all writers show them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "parser/module.h"

namespace ptxscope::report {

/// Comments dropped, white space as one space and none before `;` and `,`, controls escaped; what is longer than `limit`
/// characters ends in `…`.
[[nodiscard]] std::string one_line(std::string_view text, std::size_t limit = std::string_view::npos);
/// The same of a statement's text.
[[nodiscard]] std::string one_line(const Statement& statement, std::size_t limit = std::string_view::npos);

/// The same of a text as long as it is; `places`, offsets in `text` in ascending order, become offsets in the result.
[[nodiscard]] std::string one_line(std::string_view text, std::vector<std::size_t>& places);

}  // namespace ptxscope::report
