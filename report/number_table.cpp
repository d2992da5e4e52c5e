#include "report/number_table.h"

#include <algorithm>

namespace ptxscope::report {

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text, i);
    width += columns_of(point.value);
    i += point.length;
  }
  return width;
}

void NumberTable::add(const std::vector<Cell>& cells) {
  constexpr std::size_t widest = 0xffff;
  for (const Cell& cell : cells) {
    const bool is_left = cell.left || (&cell == cells.data() && !cell.right);
    cells_.push_back({static_cast<std::uint32_t>(cell.text.size()),
                      static_cast<std::uint16_t>(std::min(display_width(cell.text), widest)),
                      cell.ink ? static_cast<std::uint8_t>(*cell.ink) : no_ink, is_left});
    texts_ += cell.text;
  }
  rows_.push_back(static_cast<std::uint32_t>(cells.size()));
}

std::string NumberTable::text() const {
  std::vector<std::size_t> widths;
  std::size_t first = 0;
  for (const std::uint32_t size : rows_) {
    if (widths.size() < size) widths.resize(size, 0);
    // Headings go over all columns.
    for (std::size_t i = 0; i < size && size > 1; ++i)
      widths[i] = std::max<std::size_t>(widths[i], cells_[first + i].columns);
    first += size;
  }
  std::string out;
  std::string_view rest = texts_;
  first = 0;
  for (const std::uint32_t size : rows_) {
    std::string line;
    for (std::size_t i = 0; i < size; ++i) {
      const Packed& cell = cells_[first + i];
      const std::string_view text = rest.substr(0, cell.length);
      rest.remove_prefix(cell.length);
      const std::size_t gap = size > 1 && widths[i] > cell.columns ? widths[i] - cell.columns : 0;
      if (i != 0) line += "  ";
      if (!cell.left) line.append(gap, ' ');
      line += cell.ink == no_ink ? std::string(text) : paint(style_, static_cast<Ink>(cell.ink), text);
      if (cell.left) line.append(gap, ' ');
    }
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
    first += size;
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace ptxscope::report
