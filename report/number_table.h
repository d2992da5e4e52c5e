// A table of numbers: names to the left, numbers to the right of their columns.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace ptxscope::report {

class NumberTable {
 public:
  struct Cell {
    std::string text;
    std::optional<Ink> ink = std::nullopt;
    bool left = false;
    bool right = false;  ///< also in the first column
  };
  explicit NumberTable(const TextStyle& style) : style_(style) {}
  void add(std::vector<Cell> cells) { rows_.push_back(std::move(cells)); }
  /// A line of its own, between the rows.
  void heading(std::string text) { rows_.push_back({{std::move(text), Ink::bold, true}}); }
  [[nodiscard]] std::string text() const;

 private:
  TextStyle style_;
  std::vector<std::vector<Cell>> rows_;
};

/// Columns that it takes in a terminal.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// 12345678 as "12,345,678".
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace ptxscope::report
