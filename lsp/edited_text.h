// A text while edits are applied to it, one after the other.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lsp/text.h"

namespace ptxscope::lsp {

/// Each edit's place is one of the text that the edits before it left. Thousands of them, as of a name that is replaced
/// everywhere, cost little more than one: only what lies between two edits is moved.
class EditedText {
 public:
  explicit EditedText(const Text& text);

  [[nodiscard]] std::size_t size() const { return bytes_.size() - (gap_end_ - gap_begin_); }
  /// The bytes from `first` up to `last` give way. Places are taken as Text::offset_of() does.
  void replace(TextPosition first, TextPosition last, std::string_view by);
  /// The text that came out; nothing is left here.
  [[nodiscard]] Text take();

 private:
  [[nodiscard]] char at(std::size_t offset) const {
    return bytes_[offset < gap_begin_ ? offset : offset + (gap_end_ - gap_begin_)];
  }
  [[nodiscard]] std::size_t begin_of(std::size_t line) const;
  [[nodiscard]] std::size_t offset_of(TextPosition position) const;
  [[nodiscard]] bool begins_line(std::size_t offset) const;
  void move_gap(std::size_t offset);
  void move_lines(std::size_t offset);
  void make_room(std::size_t bytes);

  Encoding encoding_;
  std::string bytes_;  // with a gap that belongs to no text
  std::size_t gap_begin_ = 0, gap_end_ = 0;
  // Where lines begin: before the last edit as bytes from the begin of the text, behind it from its end, the nearest last.
  std::vector<std::uint32_t> before_, behind_;
};

}  // namespace ptxscope::lsp
