#include "tests/lexer_compare.h"

#include <string_view>

#include "PtxLexer.h"
#include "parser/scanner.h"

namespace ptxscope {
namespace {

// Each byte as the character of that number, which is how the grammar sees it.
std::string latin1_to_utf8(std::string_view bytes) {
  std::string result;
  result.reserve(bytes.size());
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result.push_back(c);
    } else {
      result.push_back(static_cast<char>(0xc0U | byte >> 6U));
      result.push_back(static_cast<char>(0x80U | (byte & 0x3fU)));
    }
  }
  return result;
}

}  // namespace

std::string lexer_difference(const std::string& text) {
  antlr4::ANTLRInputStream input(latin1_to_utf8(text));
  grammar::PtxLexer lexer(&input);
  lexer.removeErrorListeners();
  Scanner scanner(text);
  for (;;) {
    const auto expected = lexer.nextToken();
    const Token token = scanner.next();
    const bool end = expected->getType() == antlr4::Token::EOF;
    if (end && token.kind() == TokenKind::end_of_text) return "";
    const bool same = !end && static_cast<std::size_t>(token.kind()) == expected->getType() &&
                      token.begin == expected->getStartIndex() && token.end() == expected->getStopIndex() + 1;
    if (!same) {
      return "at byte " + std::to_string(token.begin) + ": scanner " + std::to_string(static_cast<int>(token.kind())) +
             " '" + text.substr(token.begin, token.length()) + "', ANTLR " + std::to_string(expected->getType()) +
             " '" + expected->getText() + "'";
    }
  }
}

}  // namespace ptxscope
