// Cuts text into tokens. The same language as grammar/PtxLexer.g4, by hand for speed: no allocation, one pass.
#pragma once

#include <cstdint>
#include <string_view>

#include "parser/token.h"

namespace ptxscope {

class Scanner {
 public:
  /// The byte after the text must be readable and NUL.
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
  [[nodiscard]] Token make(TokenKind kind, const char* begin, const char* end);
  [[nodiscard]] Token number();
  [[nodiscard]] Token string();
  [[nodiscard]] Token dot();
  [[nodiscard]] Token sign(char first);

  const char* base_;
  const char* cursor_;
  const char* end_;
};

}  // namespace ptxscope
