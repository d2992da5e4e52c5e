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
  void add(const std::vector<Cell>& cells);
  /// A line of its own, between the rows.
  void heading(std::string text) { add({{std::move(text), Ink::bold, true}}); }
  [[nodiscard]] std::string text() const;

 private:
  // A table may have a row for each instruction: its cells stand packed, their texts one behind the other.
  struct Packed {
    std::uint32_t length;   // bytes
    std::uint16_t columns;  // that it takes in a terminal, as far as they fit a number
    std::uint8_t ink;
    bool left;
  };
  static constexpr std::uint8_t no_ink = 0xff;
  TextStyle style_;
  std::string texts_;
  std::vector<Packed> cells_;
  std::vector<std::uint32_t> rows_;  // how many cells each has
};

/// Columns that it takes in a terminal.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// 12345678 as "12,345,678".
[[nodiscard]] std::string grouped(std::uint64_t number);

}  // namespace ptxscope::report
