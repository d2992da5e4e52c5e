// How the tables' texts are taken apart. Internal to isa/.
#pragma once

#include <algorithm>
#include <string_view>
#include <vector>

namespace ptxscope::isa {

/// The parts between separators, without empty ones.
[[nodiscard]] inline std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(separator), text.size());
    if (end != 0) parts.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return parts;
}

/// Whether a word of a condition (`pre*`: any that begins so, `*end`: any that ends so) means that modifier.
[[nodiscard]] inline bool names_word(std::string_view pattern, std::string_view word) {
  if (pattern.starts_with('*')) return word.ends_with(pattern.substr(1));
  if (pattern.ends_with('*')) return word.starts_with(pattern.substr(0, pattern.size() - 1));
  return pattern == word;
}

}  // namespace ptxscope::isa
