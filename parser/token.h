// The words of PTX as the scanner hands them out: the same vocabulary, with the same numbers, as grammar/PtxLexer.g4.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/diagnostic.h"

namespace ptxscope {

enum class TokenKind : std::uint8_t {
  end_of_text,
  version,
  target,
  address_size,
  file,
  loc,
  section,
  pragma,
  entry,
  func,
  alias,
  branch_targets,
  call_targets,
  call_prototype,
  linkage,
  performance,
  reg,
  space,
  type,
  vector,
  align,
  pointer,
  attribute,
  floating,
  hex_floating,
  integer,
  bad_number,
  dot_word,
  identifier,
  dotted,
  sink,
  string,
  unterminated_string,
  semicolon,
  comma,
  colon,
  lbrace,
  rbrace,
  lparen,
  rparen,
  lbracket,
  rbracket,
  less,
  greater,
  assign,
  at,
  exclamation,
  tilde,
  plus,
  minus,
  star,
  slash,
  percent,
  ampersand,
  bar,
  caret,
  question,
  shift_left,
  shift_right,
  less_equal,
  greater_equal,
  equal,
  not_equal,
  and_and,
  or_or,
  dwarf_line,
  line_marker,
  // The next four are skipped and never handed out; they keep the numbers equal to ANTLR's.
  white_space,
  byte_order_mark,
  line_comment,
  comment,
  unterminated_comment,
  stray,
};

/// 8 bytes. The length saturates at 2^24-1; longer tokens come in several.
struct Token {
  std::uint32_t begin = 0;
  std::uint32_t kind_and_length = 0;

  static constexpr std::uint32_t max_length = 0xffffff;
  [[nodiscard]] TokenKind kind() const { return static_cast<TokenKind>(kind_and_length & 0xffU); }
  [[nodiscard]] std::uint32_t length() const { return kind_and_length >> 8U; }
  [[nodiscard]] std::uint32_t end() const { return begin + length(); }
  [[nodiscard]] Span span() const { return {begin, end()}; }
};

/// Words with a leading dot: each may be a modifier.
[[nodiscard]] constexpr bool is_dot_word(TokenKind kind) {
  return (kind >= TokenKind::version && kind <= TokenKind::attribute) || kind == TokenKind::dot_word;
}

/// The kind of a word with a leading dot ("version" without the dot).
[[nodiscard]] TokenKind dot_word_kind(std::string_view word);

}  // namespace ptxscope
