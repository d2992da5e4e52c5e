// Text in columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/terminal.h"

namespace ptxscope::report {

/// Columns a text takes in a terminal.
[[nodiscard]] std::size_t columns_of_text(std::string_view text);

/// `text` broken at spaces to the style's width, lines after the first indented.
[[nodiscard]] std::string wrapped(std::string_view text, std::size_t first_indent, std::size_t indent,
                                  const TextStyle& style);

/// Rows of cells, two spaces apart, each column as wide as its widest cell; the last one is wrapped.
class Columns {
 public:
  explicit Columns(const TextStyle& style, std::size_t indent = 0) : style_(style), indent_(indent) {}
  /// A row of column names.
  void head(std::vector<std::string> cells);
  void add(std::vector<std::string> cells) { rows_.push_back({std::move(cells), false}); }
  [[nodiscard]] bool empty() const { return rows_.empty(); }
  [[nodiscard]] std::string text() const;

 private:
  struct Row {
    std::vector<std::string> cells;
    bool is_head;
  };
  TextStyle style_;
  std::size_t indent_;
  std::vector<Row> rows_;
};

}  // namespace ptxscope::report
