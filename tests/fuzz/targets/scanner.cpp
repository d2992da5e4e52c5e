// The scanner: its tokens are those of the lexer that ANTLR makes from the grammar, in order and apart, and what lies
// between them is white space and comments.
#include "parser/scanner.h"

#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"
#include "tests/lexer_compare.h"

namespace ptxscope::fuzz {

namespace {

void scan(const Input& input) {
  const std::string& text = input.bytes;
  Scanner scanner(text);
  std::uint32_t end = 0;
  for (;;) {
    const Token token = scanner.next();
    require(token.begin >= end && token.end() <= text.size(), "tokens stand in order, apart, in the text");
    if (token.kind() == TokenKind::end_of_text) break;
    require(token.length() != 0, "a token has a length");
    end = token.end();
    require(scanner.offset() == end, "the scanner stands behind its last token");
  }
  require(end <= text.size(), "tokens lie in the text");
  const std::string difference = lexer_difference(text);
  require(difference.empty(), "the scanner and ANTLR's lexer agree", difference);
}

}  // namespace

Target scanner_target() { return {.name = "scanner", .form = Form::ptx, .run = scan}; }

}  // namespace ptxscope::fuzz
