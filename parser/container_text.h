// PTX in other text: where a module ends, and what stands between quotes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "parser/container.h"

namespace ptxscope::containers {

/// A module's text within a longer one.
struct ModuleText {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::string target;  // the first word behind .target
};

/// The module whose .version stands at `version` in plain text: comment lines before it belong to it, and it goes on as
/// long as directives follow. Nothing where no .target follows the .version.
[[nodiscard]] std::optional<ModuleText> module_at(std::string_view text, std::size_t version);

/// Where ".version" with a number behind it stands next, from `from` on; npos: nowhere.
[[nodiscard]] std::size_t find_version(std::string_view text, std::size_t from);

/// What a quoted text says.
[[nodiscard]] std::string decoded(std::string_view stored, Encoding encoding);

}  // namespace ptxscope::containers
