// What all text writers share: colour, width, and names made fit to be shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ptxscope::report {

/// How text is to be laid out; the same for a whole run.
struct TextStyle {
  bool color = false;    ///< escapes for colour are written
  unsigned width = 100;  ///< columns; long source lines are cut to it
};

/// Columns of the terminal that standard output or standard error goes to; 100 when neither is one.
[[nodiscard]] unsigned terminal_width();

/// What a piece of text is painted for; `code` is PTX and source.
enum class Ink : std::uint8_t { bold, dim, error, warning, note, good, code };

/// `text` in that colour when the style has colours, else unchanged.
[[nodiscard]] std::string paint(const TextStyle& style, Ink ink, std::string_view text);

/// One code point of `text` from `offset` on; `length` 1 and `value` the byte when it is not valid UTF-8.
struct CodePoint {
  char32_t value = 0;       ///< the code point, or the byte
  std::uint8_t length = 1;  ///< bytes it takes in the text: 1 to 4
  bool valid = false;       ///< it is UTF-8
};
/// `offset` below text.size().
[[nodiscard]] CodePoint decode_utf8(std::string_view text, std::size_t offset);

/// Columns a code point takes in a terminal: 0, 1 or 2.
[[nodiscard]] unsigned columns_of(char32_t code_point);

/// Whether a terminal might act on it instead of showing it, or show nothing: C0 and C1 controls, marks that turn the
/// direction of writing, characters without a width that let two names look alike.
[[nodiscard]] bool is_control(char32_t code_point);

/// For text output: controls, terminal escapes and bytes that are not UTF-8 as `\n`, `\x1b`, `\u202e`. Never longer than
/// `limit` characters of the input (the rest is `…`).
[[nodiscard]] std::string printable(std::string_view text, std::size_t limit = 4096);

/// For JSON: bytes that are not valid UTF-8 replaced by U+FFFD, one for each.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace ptxscope::report
