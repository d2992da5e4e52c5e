#include "report/columns.h"

#include <algorithm>

namespace ptxscope::report {

std::size_t columns_of_text(std::string_view text) {
  std::size_t columns = 0;
  while (!text.empty()) {
    const CodePoint point = decode_utf8(text, 0);
    columns += columns_of(point.value);
    text.remove_prefix(point.length);
  }
  return columns;
}

std::string wrapped(std::string_view text, std::size_t first_indent, std::size_t indent, const TextStyle& style) {
  const std::size_t width = std::max<std::size_t>(style.width, indent + 20);
  std::string out;
  std::size_t column = first_indent;
  bool at_start = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    const std::size_t size = columns_of_text(word);
    if (!at_start && column + 1 + size > width) {
      out += '\n' + std::string(indent, ' ');
      column = indent;
      at_start = true;
    }
    if (!at_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += size;
    at_start = false;
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return out;
}

void Columns::head(std::vector<std::string> cells) { rows_.push_back({std::move(cells), true}); }

std::string Columns::text() const {
  std::vector<std::size_t> widths;
  for (const Row& row : rows_)
    for (std::size_t i = 0; i + 1 < row.cells.size(); ++i) {
      if (widths.size() <= i) widths.resize(i + 1);
      widths[i] = std::max(widths[i], columns_of_text(row.cells[i]));
    }
  std::string out;
  for (const Row& row : rows_) {
    std::string line(indent_, ' ');
    std::size_t column = indent_;
    for (std::size_t i = 0; i < row.cells.size(); ++i) {
      const bool is_last = i + 1 == row.cells.size();
      const std::string text = is_last ? wrapped(row.cells[i], column, column, style_) : row.cells[i];
      line += row.is_head ? paint(style_, Ink::bold, text) : text;
      if (is_last) break;
      line.append(widths[i] - columns_of_text(row.cells[i]) + 2, ' ');
      column += widths[i] + 2;
    }
    while (line.ends_with(' ')) line.pop_back();
    out += line + '\n';
  }
  return out;
}

}  // namespace ptxscope::report
