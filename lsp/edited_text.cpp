#include "lsp/edited_text.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace ptxscope::lsp {

EditedText::EditedText(const Text& text)
    : encoding_(text.encoding()),
      bytes_(text.bytes()),
      gap_begin_(bytes_.size()),
      gap_end_(bytes_.size()),
      before_(text.line_begins()) {}

bool EditedText::begins_line(std::size_t offset) const {
  if (offset == 0) return true;
  const char last = at(offset - 1);
  return last == '\n' || (last == '\r' && (offset == size() || at(offset) != '\n'));
}

std::size_t EditedText::begin_of(std::size_t line) const {
  if (line < before_.size()) return before_[line];
  const std::size_t behind = line - before_.size();
  return behind < behind_.size() ? size() - behind_[behind_.size() - 1 - behind] : size();
}

std::size_t EditedText::offset_of(TextPosition position) const {
  const std::size_t begin = begin_of(position.line);
  std::size_t end = begin_of(std::size_t{position.line} + 1);
  if (position.line + std::size_t{1} < before_.size() + behind_.size()) {
    if (at(end - 1) == '\n') --end;
    if (end > begin && at(end - 1) == '\r') --end;
  }
  const auto continues = [&](std::size_t offset) { return (static_cast<unsigned char>(at(offset)) & 0xc0U) == 0x80U; };
  std::size_t found = begin;
  if (encoding_ == Encoding::utf8) {
    found = std::min(end, begin + position.character);
  } else {
    for (std::size_t units = 0; found < end; ++found) {
      if (!continues(found)) units += static_cast<unsigned char>(at(found)) >= 0xf0U ? 2 : 1;
      if (units > position.character) break;
    }
  }
  while (found > begin && found < end && continues(found)) --found;  // within a character
  return found;
}

void EditedText::move_gap(std::size_t offset) {
  char* const bytes = bytes_.data();
  if (offset < gap_begin_) {
    const std::size_t moved = gap_begin_ - offset;
    std::memmove(bytes + gap_end_ - moved, bytes + offset, moved);
    gap_end_ -= moved;
  } else {
    const std::size_t moved = offset - gap_begin_;
    std::memmove(bytes + gap_begin_, bytes + gap_end_, moved);
    gap_end_ += moved;
  }
  gap_begin_ = offset;
}

// Lines that begin before `offset` stand before, all others behind.
void EditedText::move_lines(std::size_t offset) {
  const auto all = static_cast<std::uint32_t>(size());
  for (; !before_.empty() && before_.back() >= offset; before_.pop_back()) behind_.push_back(all - before_.back());
  for (; !behind_.empty() && all - behind_.back() < offset; behind_.pop_back()) before_.push_back(all - behind_.back());
}

void EditedText::make_room(std::size_t bytes) {
  if (gap_end_ - gap_begin_ >= bytes) return;
  const std::size_t more = bytes + bytes_.size() / 8;
  const std::size_t tail = bytes_.size() - gap_end_;
  bytes_.resize(bytes_.size() + more);
  std::memmove(bytes_.data() + gap_end_ + more, bytes_.data() + gap_end_, tail);
  gap_end_ += more;
}

void EditedText::replace(TextPosition first, TextPosition last, std::string_view by) {
  const std::size_t begin = offset_of(first);
  const std::size_t end = std::max(begin, offset_of(last));
  make_room(by.size());
  move_gap(begin);
  move_lines(begin);
  while (!behind_.empty() && size() - behind_.back() <= end) behind_.pop_back();
  gap_end_ += end - begin;
  std::memcpy(bytes_.data() + gap_begin_, by.data(), by.size());
  gap_begin_ += by.size();
  for (std::size_t at = begin; at <= gap_begin_; ++at)
    if (begins_line(at)) before_.push_back(static_cast<std::uint32_t>(at));
}

Text EditedText::take() {
  bytes_.erase(gap_begin_, gap_end_ - gap_begin_);
  return {std::move(bytes_), encoding_};
}

}  // namespace ptxscope::lsp
