// String literals of PTX.
#pragma once

#include <string>
#include <string_view>

namespace ptxscope {

/// What a literal with its quotes stands for: the escapes of C are resolved.
[[nodiscard]] std::string unescape(std::string_view literal);

}  // namespace ptxscope
