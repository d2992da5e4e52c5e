// The text of a document as an editor sees it: lines from 0, columns in UTF-16 code units (LSP 3.17, "Text Documents").
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/diagnostic.h"

namespace ptxscope::lsp {

/// What columns count (LSP 3.17, PositionEncodingKind).
enum class Encoding : std::uint8_t { utf8, utf16 };

struct TextPosition {
  std::uint32_t line = 0;
  std::uint32_t character = 0;
  friend constexpr bool operator==(const TextPosition&, const TextPosition&) = default;
  friend constexpr auto operator<=>(const TextPosition&, const TextPosition&) = default;
};

class Text {
 public:
  Text(std::string bytes, Encoding encoding);

  [[nodiscard]] const std::string& bytes() const { return bytes_; }
  [[nodiscard]] Encoding encoding() const { return encoding_; }
  [[nodiscard]] const std::vector<std::uint32_t>& line_begins() const { return begins_; }
  [[nodiscard]] std::uint32_t line_count() const { return static_cast<std::uint32_t>(begins_.size()); }
  /// Without its end: "\n", "\r\n" or "\r".
  [[nodiscard]] std::string_view line(std::uint32_t line) const;
  /// What lies behind the end of its line or of the text is that end; within a character: where it begins.
  [[nodiscard]] std::uint32_t offset_of(TextPosition position) const;
  [[nodiscard]] TextPosition position_of(std::uint32_t offset) const;

 private:
  void look_for_lines();
  [[nodiscard]] std::uint64_t units_before(std::uint32_t offset) const;

  std::string bytes_;
  Encoding encoding_;
  std::vector<std::uint32_t> begins_;  // of lines
  // Code units before every so many bytes; empty where each byte is one.
  std::vector<std::uint64_t> units_;
};

}  // namespace ptxscope::lsp
