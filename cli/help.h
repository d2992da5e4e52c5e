// Help texts, one screen each, the same with every version of CLI11.
#pragma once

#include <CLI/App.hpp>
#include <CLI/Formatter.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace ptxscope::cli {

/// The group of the options that all commands take; shown last.
inline constexpr const char* common_group = "Common options";

class HelpFormatter : public CLI::FormatterBase {
 public:
  [[nodiscard]] std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

/// The candidate nearest to `word` by edit distance, if it is near enough to be a slip of the hand; else "".
[[nodiscard]] std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace ptxscope::cli
