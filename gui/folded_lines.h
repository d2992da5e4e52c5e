// Rows on the screen and lines of the text, where some lines are hidden.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

namespace ptxscope::gui {

/// Lines count from 1, rows from 0. All questions are answered by binary search over what is hidden.
class FoldedLines {
 public:
  /// All lines shown.
  void reset(std::uint32_t lines);
  /// Hides the lines behind `first` up to `last`. Hidden stretches nest; what is inside another stays folded when that
  /// one is opened.
  void fold(std::uint32_t first, std::uint32_t last);
  void unfold(std::uint32_t first);
  void unfold_all();
  /// Opens everything that hides the line. False: nothing did.
  bool reveal(std::uint32_t line);

  [[nodiscard]] bool is_folded(std::uint32_t first) const { return folded_.contains(first); }
  [[nodiscard]] std::uint32_t lines() const { return lines_; }
  [[nodiscard]] std::uint32_t rows() const;
  [[nodiscard]] std::uint32_t line_of_row(std::uint32_t row) const;
  /// Of a hidden line: the row of the one that stands for it.
  [[nodiscard]] std::uint32_t row_of_line(std::uint32_t line) const;
  [[nodiscard]] bool is_hidden(std::uint32_t line) const;
  /// Several at once.
  void fold_many(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& folds);

 private:
  struct Stretch {             // outermost ones only
    std::uint32_t first = 0;   // stays
    std::uint32_t last = 0;    // the last hidden line
    std::uint32_t before = 0;  // hidden lines before this stretch
  };
  void rebuild();
  [[nodiscard]] const Stretch* around(std::uint32_t line) const;

  std::uint32_t lines_ = 1;
  std::map<std::uint32_t, std::uint32_t> folded_;  // first, last
  std::vector<Stretch> stretches_;
};

}  // namespace ptxscope::gui
