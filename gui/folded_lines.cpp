#include "gui/folded_lines.h"

#include <algorithm>

namespace ptxscope::gui {

void FoldedLines::reset(std::uint32_t lines) {
  lines_ = std::max(lines, 1U);
  folded_.clear();
  stretches_.clear();
}

void FoldedLines::fold(std::uint32_t first, std::uint32_t last) { fold_many({{first, last}}); }

void FoldedLines::fold_many(const std::vector<std::pair<std::uint32_t, std::uint32_t>>& folds) {
  for (const auto& [first, last] : folds)
    if (last > first && first >= 1 && last <= lines_) folded_[first] = last;
  rebuild();
}

void FoldedLines::unfold(std::uint32_t first) {
  folded_.erase(first);
  rebuild();
}

void FoldedLines::unfold_all() {
  folded_.clear();
  stretches_.clear();
}

bool FoldedLines::reveal(std::uint32_t line) {
  const std::size_t before = folded_.size();
  std::erase_if(folded_, [&](const auto& one) { return one.first < line && line <= one.second; });
  if (folded_.size() == before) return false;
  rebuild();
  return true;
}

void FoldedLines::rebuild() {
  stretches_.clear();
  std::uint32_t hidden = 0;
  for (const auto& [first, last] : folded_) {
    if (!stretches_.empty() && first <= stretches_.back().last) {
      // Inside the one before, or reaching out of it.
      if (last > stretches_.back().last) {
        hidden += last - stretches_.back().last;
        stretches_.back().last = last;
      }
      continue;
    }
    stretches_.push_back({first, last, hidden});
    hidden += last - first;
  }
}

std::uint32_t FoldedLines::rows() const {
  if (stretches_.empty()) return lines_;
  const Stretch& last = stretches_.back();
  return lines_ - last.before - (last.last - last.first);
}

const FoldedLines::Stretch* FoldedLines::around(std::uint32_t line) const {
  const auto behind = std::ranges::upper_bound(stretches_, line, {}, &Stretch::first);
  return behind == stretches_.begin() ? nullptr : &*(behind - 1);
}

bool FoldedLines::is_hidden(std::uint32_t line) const {
  const Stretch* const stretch = around(line);
  return stretch != nullptr && line > stretch->first && line <= stretch->last;
}

std::uint32_t FoldedLines::row_of_line(std::uint32_t line) const {
  line = std::clamp(line, 1U, lines_);
  const Stretch* const stretch = around(line);
  if (stretch == nullptr) return line - 1;
  if (line <= stretch->last) return stretch->first - 1 - stretch->before;
  return line - 1 - stretch->before - (stretch->last - stretch->first);
}

std::uint32_t FoldedLines::line_of_row(std::uint32_t row) const {
  row = std::min(row, rows() - 1);
  // The last stretch whose first line is at this row or before.
  const auto behind = std::ranges::upper_bound(
      stretches_, row, {}, [](const Stretch& stretch) { return stretch.first - 1 - stretch.before; });
  if (behind == stretches_.begin()) return row + 1;
  const Stretch& stretch = *(behind - 1);
  const std::uint32_t at = stretch.first - 1 - stretch.before;
  return row == at ? stretch.first : row + 1 + stretch.before + (stretch.last - stretch.first);
}

}  // namespace ptxscope::gui
