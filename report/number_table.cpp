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

std::string NumberTable::text() const {
  std::vector<std::size_t> widths;
  for (const std::vector<Cell>& row : rows_) {
    if (row.size() < 2) continue;  // headings go over all columns
    if (widths.size() < row.size()) widths.resize(row.size(), 0);
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], display_width(row[i].text));
  }
  std::string out;
  for (const std::vector<Cell>& row : rows_) {
    std::string line;
    for (std::size_t i = 0; i < row.size(); ++i) {
      const Cell& cell = row[i];
      const std::string painted = cell.ink ? paint(style_, *cell.ink, cell.text) : cell.text;
      const std::size_t used = display_width(cell.text);
      const std::size_t gap = row.size() > 1 && widths[i] > used ? widths[i] - used : 0;
      if (i != 0) line += "  ";
      const bool left = cell.left || (i == 0 && !cell.right);
      line += left ? painted + std::string(gap, ' ') : std::string(gap, ' ') + painted;
    }
    while (line.ends_with(' ')) line.pop_back();
    out += line + "\n";
  }
  return out;
}

std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t i = text.size(); i > 3; i -= 3) text.insert(i - 3, ",");
  return text;
}

}  // namespace ptxscope::report
