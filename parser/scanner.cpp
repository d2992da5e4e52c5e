#include "parser/scanner.h"

#include <array>
#include <cstring>

namespace ptxscope {
namespace {

using namespace characters;

struct Keyword {
  std::string_view word;
  TokenKind kind = TokenKind::dot_word;
};

constexpr std::array keywords = {
    Keyword{"version", TokenKind::version},
    Keyword{"target", TokenKind::target},
    Keyword{"address_size", TokenKind::address_size},
    Keyword{"file", TokenKind::file},
    Keyword{"loc", TokenKind::loc},
    Keyword{"section", TokenKind::section},
    Keyword{"pragma", TokenKind::pragma},
    Keyword{"entry", TokenKind::entry},
    Keyword{"func", TokenKind::func},
    Keyword{"alias", TokenKind::alias},
    Keyword{"branchtargets", TokenKind::branch_targets},
    Keyword{"calltargets", TokenKind::call_targets},
    Keyword{"callprototype", TokenKind::call_prototype},
    Keyword{"extern", TokenKind::linkage},
    Keyword{"visible", TokenKind::linkage},
    Keyword{"weak", TokenKind::linkage},
    Keyword{"common", TokenKind::linkage},
    Keyword{"maxnreg", TokenKind::performance},
    Keyword{"maxntid", TokenKind::performance},
    Keyword{"reqntid", TokenKind::performance},
    Keyword{"minnctapersm", TokenKind::performance},
    Keyword{"maxnctapersm", TokenKind::performance},
    Keyword{"noreturn", TokenKind::performance},
    Keyword{"explicitcluster", TokenKind::performance},
    Keyword{"reqnctapercluster", TokenKind::performance},
    Keyword{"maxclusterrank", TokenKind::performance},
    Keyword{"blocksareclusters", TokenKind::performance},
    Keyword{"abi_preserve", TokenKind::performance},
    Keyword{"abi_preserve_control", TokenKind::performance},
    Keyword{"reg", TokenKind::reg},
    Keyword{"sreg", TokenKind::space},
    Keyword{"const", TokenKind::space},
    Keyword{"global", TokenKind::space},
    Keyword{"local", TokenKind::space},
    Keyword{"param", TokenKind::space},
    Keyword{"shared", TokenKind::space},
    Keyword{"tex", TokenKind::space},
    Keyword{"pred", TokenKind::type},
    Keyword{"b8", TokenKind::type},
    Keyword{"b16", TokenKind::type},
    Keyword{"b32", TokenKind::type},
    Keyword{"b64", TokenKind::type},
    Keyword{"b128", TokenKind::type},
    Keyword{"u8", TokenKind::type},
    Keyword{"u16", TokenKind::type},
    Keyword{"u32", TokenKind::type},
    Keyword{"u64", TokenKind::type},
    Keyword{"s8", TokenKind::type},
    Keyword{"s16", TokenKind::type},
    Keyword{"s32", TokenKind::type},
    Keyword{"s64", TokenKind::type},
    Keyword{"f16", TokenKind::type},
    Keyword{"f16x2", TokenKind::type},
    Keyword{"f32", TokenKind::type},
    Keyword{"f64", TokenKind::type},
    Keyword{"bf16", TokenKind::type},
    Keyword{"bf16x2", TokenKind::type},
    Keyword{"texref", TokenKind::type},
    Keyword{"samplerref", TokenKind::type},
    Keyword{"surfref", TokenKind::type},
    Keyword{"v2", TokenKind::vector},
    Keyword{"v4", TokenKind::vector},
    Keyword{"v8", TokenKind::vector},
    Keyword{"align", TokenKind::align},
    Keyword{"ptr", TokenKind::pointer},
    Keyword{"attribute", TokenKind::attribute},
};

constexpr std::size_t keyword_slot(std::string_view word) {
  const auto first = static_cast<unsigned char>(word.front());
  const auto last = static_cast<unsigned char>(word.back());
  const auto middle = static_cast<unsigned char>(word[word.size() / 2]);
  return (first * 7U + last * 31U + middle * 3U + word.size() * 13U) & 0xffU;
}

constexpr std::array<Keyword, 256> make_keyword_table() {
  std::array<Keyword, 256> table{};
  for (const Keyword& keyword : keywords) {
    std::size_t slot = keyword_slot(keyword.word);
    while (!table[slot].word.empty()) slot = (slot + 1) & 0xffU;
    table[slot] = keyword;
  }
  return table;
}

constexpr std::array<Keyword, 256> keyword_table = make_keyword_table();

}  // namespace

TokenKind dot_word_kind(std::string_view word) {
  if (word.empty()) return TokenKind::dot_word;
  for (std::size_t slot = keyword_slot(word);; slot = (slot + 1) & 0xffU) {
    const Keyword& keyword = keyword_table[slot];
    if (keyword.word.empty()) return TokenKind::dot_word;
    if (keyword.word == word) return keyword.kind;
  }
}

void Scanner::skip_comments() {
  const char* p = cursor_;
  while (p != end_) {
    const char c = *p;
    if (is(c, space)) {
      ++p;
    } else if (c == '/' && p[1] == '/') {
      // `//` ends at \n or \r, as in the grammar.
      const auto* newline = static_cast<const char*>(std::memchr(p, '\n', static_cast<std::size_t>(end_ - p)));
      const char* stop = newline == nullptr ? end_ : newline;
      const auto* carriage_return = static_cast<const char*>(std::memchr(p, '\r', static_cast<std::size_t>(stop - p)));
      p = carriage_return == nullptr ? stop : carriage_return;
    } else if (c == '/' && p[1] == '*') {
      const std::string_view rest(p + 2, static_cast<std::size_t>(end_ - p - 2));
      const std::size_t close = rest.find("*/");
      if (close == std::string_view::npos) break;
      p += 2 + close + 2;
    } else if (c == '\xef' && p[1] == '\xbb' && p[2] == '\xbf') {
      p += 3;
    } else {
      break;
    }
  }
  cursor_ = p;
}

// INTEGER, FLOAT, HEX_FLOAT or BAD_NUMBER, whichever is longest; the earlier in that list if equal.
Token Scanner::number() {
  const char* const begin = cursor_;
  const char* const word_end = skip_follow(begin);
  const auto run = [](const char* p, unsigned mask) {
    while (is(*p, mask)) ++p;
    return p;
  };

  // FLOAT
  const char* p = run(begin, digit);
  const char* float_end = nullptr;
  if (*p == '.') {
    p = float_end = run(p + 1, digit);
  }
  if (*p == 'e' || *p == 'E') {
    const char* exponent = p + 1;
    if (*exponent == '+' || *exponent == '-') ++exponent;
    if (is(*exponent, digit)) float_end = run(exponent, digit);
  }

  // INTEGER and HEX_FLOAT end where the word ends, else BAD_NUMBER is longer.
  TokenKind kind = TokenKind::bad_number;
  const auto length = word_end - begin;
  if (begin[0] != '0') {
    p = run(begin, digit);
    if (*p == 'U') ++p;
    if (p == word_end) kind = TokenKind::integer;
  } else {
    const char second = begin[1];
    if (second == 'x' || second == 'X') {
      p = run(begin + 2, hex);
      if (p > begin + 2) {
        if (*p == 'U') ++p;
        if (p == word_end) kind = TokenKind::integer;
      }
    } else if ((second == 'f' || second == 'F') || (second == 'd' || second == 'D')) {
      const auto digits = (second == 'f' || second == 'F') ? 8 : 16;
      if (length == digits + 2 && run(begin + 2, hex) == word_end) kind = TokenKind::hex_floating;
    } else if (second == 'b' || second == 'B') {
      p = begin + 2;
      while (*p == '0' || *p == '1') ++p;
      if (p > begin + 2) {
        if (*p == 'U') ++p;
        if (p == word_end) kind = TokenKind::integer;
      }
    } else {
      p = begin + 1;
      while (*p >= '0' && *p <= '7') ++p;
      if (*p == 'U') ++p;
      if (p == word_end) kind = TokenKind::integer;
    }
  }
  if (float_end != nullptr && (float_end > word_end || (float_end == word_end && kind == TokenKind::bad_number))) {
    return make(TokenKind::floating, begin, float_end);
  }
  return make(kind, begin, word_end);
}

Token Scanner::string() {
  const char* const begin = cursor_;
  const char* p = begin + 1;
  const char* first_quote = nullptr;  // even one behind a backslash
  for (;;) {
    const char c = *p;
    if (c == '"') return make(TokenKind::string, begin, p + 1);
    if (c == '\n' || c == '\r' || p == end_) break;
    ++p;
    if (c == '\\' && *p != '\n' && *p != '\r' && p != end_) {
      if (*p == '"' && first_quote == nullptr) first_quote = p;
      ++p;
    }
  }
  if (first_quote != nullptr) return make(TokenKind::string, begin, first_quote + 1);
  return make(TokenKind::unterminated_string, begin, p);
}

// A word with a dot, or a number such as `.5`.
Token Scanner::dot() {
  const char* const begin = cursor_;
  if (!is(begin[1], follow)) return make(TokenKind::stray, begin, begin + 1);
  const char* const word_end = skip_word(begin + 1);
  if (is(begin[1], digit)) {
    const char* p = begin + 1;
    while (is(*p, digit)) ++p;
    if (*p == 'e' || *p == 'E') {
      const char* exponent = p + 1;
      if (*exponent == '+' || *exponent == '-') ++exponent;
      if (is(*exponent, digit)) {
        p = exponent;
        while (is(*p, digit)) ++p;
      }
    }
    if (p >= word_end) return make(TokenKind::floating, begin, p);
  }
  return make(dot_word_kind({begin + 1, static_cast<std::size_t>(word_end - begin - 1)}), begin, word_end);
}

Token Scanner::sign(char first) {
  const char* const begin = cursor_;
  const char second = begin[1];
  const auto one = [&](TokenKind kind) { return make(kind, begin, begin + 1); };
  const auto two = [&](TokenKind kind) { return make(kind, begin, begin + 2); };
  const auto to_line_end = [&](TokenKind kind) {
    const char* p = begin;
    while (p != end_ && *p != '\n' && *p != '\r') ++p;
    return make(kind, begin, p);
  };
  switch (first) {
    case '.':
      return dot();
    case '"':
      return string();
    case ';':
      return one(TokenKind::semicolon);
    case ',':
      return one(TokenKind::comma);
    case ':':
      return one(TokenKind::colon);
    case '{':
      return one(TokenKind::lbrace);
    case '}':
      return one(TokenKind::rbrace);
    case '(':
      return one(TokenKind::lparen);
    case ')':
      return one(TokenKind::rparen);
    case '[':
      return one(TokenKind::lbracket);
    case ']':
      return one(TokenKind::rbracket);
    case '<':
      if (second == '<') return two(TokenKind::shift_left);
      if (second == '=') return two(TokenKind::less_equal);
      return one(TokenKind::less);
    case '>':
      if (second == '>') return two(TokenKind::shift_right);
      if (second == '=') return two(TokenKind::greater_equal);
      return one(TokenKind::greater);
    case '=':
      return second == '=' ? two(TokenKind::equal) : one(TokenKind::assign);
    case '@':
      return second == '@' ? to_line_end(TokenKind::dwarf_line) : one(TokenKind::at);
    case '!':
      return second == '=' ? two(TokenKind::not_equal) : one(TokenKind::exclamation);
    case '~':
      return one(TokenKind::tilde);
    case '+':
      return one(TokenKind::plus);
    case '-':
      return one(TokenKind::minus);
    case '*':
      return one(TokenKind::star);
    case '/':
      // skip_trivia stops at a comment only when it has no end.
      if (second == '*') return make(TokenKind::unterminated_comment, begin, end_);
      return one(TokenKind::slash);
    case '%':
      return one(TokenKind::percent);
    case '&':
      return second == '&' ? two(TokenKind::and_and) : one(TokenKind::ampersand);
    case '|':
      return second == '|' ? two(TokenKind::or_or) : one(TokenKind::bar);
    case '^':
      return one(TokenKind::caret);
    case '?':
      return one(TokenKind::question);
    case '_':
      return one(TokenKind::sink);
    case '#':
      return to_line_end(TokenKind::line_marker);
    default:
      return one(TokenKind::stray);
  }
}

}  // namespace ptxscope
