// SHA-256 (FIPS 180-4): the same text, the same 64 digits, whatever its name.
#pragma once

#include <string>
#include <string_view>

namespace ptxscope::analysis {

/// In lower-case hexadecimal.
[[nodiscard]] std::string sha256(std::string_view bytes);

}  // namespace ptxscope::analysis
