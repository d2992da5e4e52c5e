// Comments in a piece of text (PTX ISA 4.3): for those who read text that the scanner has already cut.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace ptxscope {

/// Where the text goes on behind a comment that begins at `at`; `at` itself where none does. One that nothing ends goes to
/// the end of the text; the line break behind `//` is not part of it.
[[nodiscard]] inline std::size_t end_of_comment(std::string_view text, std::size_t at) {
  const std::string_view begin = text.substr(std::min(at, text.size()), 2);
  if (begin == "//") return std::min(text.find('\n', at), text.size());
  if (begin != "/*") return at;
  const std::size_t end = text.find("*/", at + 2);
  return end == std::string_view::npos ? text.size() : end + 2;
}

}  // namespace ptxscope
