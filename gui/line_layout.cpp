#include "gui/line_layout.h"

#include <algorithm>

#include "report/terminal.h"

namespace ptxscope::gui {

LineLayout layout_of(std::string_view line, std::size_t limit) {
  constexpr std::uint32_t tab = 8;
  LineLayout layout;
  layout.left_out = static_cast<std::uint32_t>(line.size() - std::min(line.size(), limit));
  const std::string_view shown = line.substr(0, limit);
  layout.bytes = static_cast<std::uint32_t>(shown.size());
  layout.cells.reserve(shown.size());
  std::uint32_t column = 0;
  for (std::size_t at = 0; at < shown.size();) {
    LineLayout::Cell cell;
    cell.byte = static_cast<std::uint32_t>(at);
    cell.column = column;
    const char c = shown[at];
    if (c == '\t') {
      column = (column / tab + 1) * tab;
    } else if (static_cast<unsigned char>(c) < 0x80) {
      cell.character = c >= ' ' && c != '\x7f' ? static_cast<char32_t>(c) : U'\ufffd';
      ++column;
    } else {
      const report::CodePoint point = report::decode_utf8(shown, at);
      cell.length = point.length;
      cell.character = point.valid && !report::is_control(point.value) ? point.value : U'\ufffd';
      column += report::columns_of(cell.character);
    }
    at += cell.length;
    layout.cells.push_back(cell);
  }
  layout.columns = column;
  return layout;
}

std::uint32_t LineLayout::column_of(std::uint32_t byte) const {
  const auto found = std::ranges::lower_bound(cells, byte, {}, &Cell::byte);
  return found == cells.end() ? columns : found->column;
}

std::uint32_t LineLayout::byte_under(double column) const {
  if (column < 0) return cells.empty() ? 0 : cells.front().byte;
  if (column >= columns) return bytes;
  const auto behind = std::ranges::upper_bound(cells, static_cast<std::uint32_t>(column), {}, &Cell::column);
  return behind == cells.begin() ? 0 : (behind - 1)->byte;
}

std::uint32_t LineLayout::byte_of(double column) const {
  const std::uint32_t under = byte_under(column);
  if (under >= bytes) return bytes;
  const auto cell = std::ranges::lower_bound(cells, under, {}, &Cell::byte);
  const std::uint32_t next_column = cell + 1 == cells.end() ? columns : (cell + 1)->column;
  const std::uint32_t next_byte = cell + 1 == cells.end() ? bytes : (cell + 1)->byte;
  return column - cell->column > next_column - column ? next_byte : under;
}

}  // namespace ptxscope::gui
