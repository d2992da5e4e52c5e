// One line of code as characters in columns of equal width.
#pragma once

#include <QString>
#include <cstdint>
#include <string_view>
#include <vector>

namespace ptxscope::gui {

/// Tabs go to the next multiple of 8; controls and bytes that are not UTF-8 are shown as U+FFFD. Of a very long line only
/// the beginning is laid out.
struct LineLayout {
  struct Cell {
    std::uint32_t byte = 0;    ///< where the character begins in the line
    std::uint32_t column = 0;  ///< on the screen
    std::uint16_t length = 1;  ///< bytes
    char32_t character = U' ';
  };
  std::vector<Cell> cells;
  std::uint32_t columns = 0;   ///< of the whole line
  std::uint32_t bytes = 0;     ///< laid out
  std::uint32_t left_out = 0;  ///< bytes behind them

  [[nodiscard]] std::uint32_t column_of(std::uint32_t byte) const;
  /// The byte of the character whose left edge is nearest to the column.
  [[nodiscard]] std::uint32_t byte_of(double column) const;
  /// The byte of the character that covers the column; `bytes` behind the last.
  [[nodiscard]] std::uint32_t byte_under(double column) const;
};

inline constexpr std::size_t most_shown = 20'000;

[[nodiscard]] LineLayout layout_of(std::string_view line, std::size_t limit = most_shown);

}  // namespace ptxscope::gui
