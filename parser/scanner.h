// Cuts text into tokens. The same language as grammar/PtxLexer.g4, by hand for speed: no allocation, one pass.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "parser/token.h"

namespace ptxscope {

/// What a byte may be in a token.
namespace characters {

enum Class : std::uint8_t {
  follow = 1,  // may stand in a word
  digit = 2,
  hex = 4,
  space = 8,
  name_start = 16,  // a letter
  sigil = 32,       // _ $ %: begins a name when a word character follows
};

constexpr std::array<std::uint8_t, 256> make_classes() {
  std::array<std::uint8_t, 256> classes{};
  for (unsigned c = '0'; c <= '9'; ++c) classes[c] = follow | digit | hex;
  for (unsigned c = 'a'; c <= 'z'; ++c) classes[c] = follow | name_start;
  for (unsigned c = 'A'; c <= 'Z'; ++c) classes[c] = follow | name_start;
  for (unsigned c = 'a'; c <= 'f'; ++c) classes[c] |= hex;
  for (unsigned c = 'A'; c <= 'F'; ++c) classes[c] |= hex;
  classes['_'] = follow | sigil;
  classes['$'] = follow | sigil;
  classes['%'] = sigil;
  for (const char c : {' ', '\t', '\r', '\n', '\f', '\v', '\x1a', '\0'}) classes[static_cast<unsigned char>(c)] = space;
  return classes;
}

inline constexpr std::array<std::uint8_t, 256> classes = make_classes();

inline bool is(char c, unsigned mask) { return (classes[static_cast<unsigned char>(c)] & mask) != 0; }

inline const char* skip_follow(const char* p) {
  while (is(*p, follow)) ++p;
  return p;
}

// WORD of the grammar, whose first character is at `p`: `evict_normal`, `shared::cta`, `sp::2:4`.
inline const char* skip_word(const char* p) {
  p = skip_follow(p);
  while (p[0] == ':' && p[1] == ':' && is(p[2], follow)) {
    p = skip_follow(p + 2);
    if (p[0] == ':' && is(p[1], digit)) p = skip_follow(p + 1);
  }
  return p;
}

}  // namespace characters

class Scanner {
 public:
  /// The byte after the text must be readable. Where the text ends in the middle of a longer one, it must be at the end of
  /// a token.
  explicit Scanner(std::string_view text, std::uint32_t begin = 0)
      : base_(text.data()), cursor_(text.data() + begin), end_(text.data() + text.size()) {}

  /// The next token; kind end_of_text at the end, as often as asked.
  [[nodiscard]] Token next();

  /// The first byte of the next token without taking it; NUL at the end.
  [[nodiscard]] char peek() {
    skip_trivia();
    return cursor_ == end_ ? '\0' : *cursor_;
  }

  /// Goes (back) to a place, which must be the begin or the end of a token.
  void seek(std::uint32_t offset) { cursor_ = base_ + offset; }
  [[nodiscard]] std::uint32_t offset() const { return static_cast<std::uint32_t>(cursor_ - base_); }

 private:
  void skip_trivia();
  void skip_comments();
  [[nodiscard]] Token make(TokenKind kind, const char* begin, const char* end);
  [[nodiscard]] Token number();
  [[nodiscard]] Token string();
  [[nodiscard]] Token dot();
  [[nodiscard]] Token sign(char first);

  const char* base_;
  const char* cursor_;
  const char* end_;
};

inline void Scanner::skip_trivia() {
  using namespace characters;
  const char* p = cursor_;
  while (is(*p, space) && p != end_) ++p;  // the NUL after the text counts as space
  cursor_ = p;
  if ((*p == '/' || *p == '\xef') && p != end_) skip_comments();
}

inline Token Scanner::make(TokenKind kind, const char* begin, const char* end) {
  auto length = static_cast<std::size_t>(end - begin);
  if (length > Token::max_length) {
    length = Token::max_length;
    kind = TokenKind::stray;
  }
  cursor_ = begin + length;
  return {static_cast<std::uint32_t>(begin - base_),
          static_cast<std::uint32_t>(kind) | static_cast<std::uint32_t>(length) << 8U};
}

inline Token Scanner::next() {
  using namespace characters;
  skip_trivia();
  const char* const begin = cursor_;
  if (begin == end_) return make(TokenKind::end_of_text, begin, begin);
  const char c = *begin;
  if (is(c, name_start) || (is(c, sigil) && is(begin[1], follow))) {
    const char* p = skip_follow(begin + 1);
    if (*p != '.' || !is(p[1], follow)) return make(TokenKind::identifier, begin, p);
    do {
      p = skip_word(p + 1);
    } while (*p == '.' && is(p[1], follow));
    return make(TokenKind::dotted, begin, p);
  }
  if (is(c, digit)) return number();
  return sign(c);
}

}  // namespace ptxscope
