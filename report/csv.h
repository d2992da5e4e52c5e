// Comma-separated values (RFC 4180).
#pragma once

#include <string>
#include <string_view>

namespace ptxscope::report {

/// One field, quoted where it must be. What a spreadsheet would take for a formula begins with a ' instead.
[[nodiscard]] std::string csv_field(std::string_view text);

}  // namespace ptxscope::report
