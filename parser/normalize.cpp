#include "parser/normalize.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "parser/scanner.h"

namespace ptxscope {
namespace {

constexpr std::size_t indent_width = 4;
constexpr std::size_t widest = 110;  // long lists are broken after this column

bool is_word(TokenKind kind) {
  return is_dot_word(kind) || (kind >= TokenKind::floating && kind <= TokenKind::unterminated_string);
}

// Whether two signs side by side would be read as one.
bool merge(char a, char b) {
  switch (a) {
    case '<':
      return b == '<' || b == '=';
    case '>':
      return b == '>' || b == '=';
    case '=':
    case '!':
      return b == '=';
    case '&':
      return b == '&';
    case '|':
      return b == '|';
    case '/':
      return b == '/' || b == '*';
    case '@':
      return b == '@';
    case '%':
      return true;  // `5 % x` is not `5 %x`
    default:
      return false;
  }
}

class Writer {
 public:
  explicit Writer(const Module& module) : module_(module), text_(module.text()) {}

  std::string run() {
    std::uint32_t end = 0;
    for (std::uint32_t i = 0; i < module_.statement_count(); ++i) {
      const Statement statement = module_.statement(i);
      comments(end, statement.span().begin);
      end = statement.span().end;
      one(statement);
    }
    comments(end, static_cast<std::uint32_t>(text_.size()));
    return std::move(out_);
  }

 private:
  // The comments of a stretch without tokens.
  void comments(std::uint32_t begin, std::uint32_t end) {
    std::string_view rest = text_.substr(begin, end - begin);
    for (std::size_t at = rest.find('/'); at != std::string_view::npos; at = rest.find('/')) {
      rest.remove_prefix(at);
      std::size_t length = rest.size();
      if (rest.starts_with("//")) {
        length = std::min(rest.find_first_of("\r\n"), rest.size());
      } else if (rest.starts_with("/*")) {
        const std::size_t close = rest.find("*/", 2);
        length = close == std::string_view::npos ? rest.size() : close + 2;
      }
      std::string_view comment = rest.substr(0, length);
      while (!comment.empty() && (comment.back() == ' ' || comment.back() == '\t')) comment.remove_suffix(1);
      start_line(depth_);
      out_ += comment;
      end_line();
      rest.remove_prefix(length);
    }
  }

  void one(const Statement& statement) {
    const Span span = statement.span();
    tokens_.clear();
    Scanner scanner(text_.substr(0, span.end), span.begin);
    bool line_markers = false;
    has_question_ = false;
    for (Token token = scanner.next(); token.kind() != TokenKind::end_of_text; token = scanner.next()) {
      line_markers = line_markers || token.kind() == TokenKind::line_marker;
      has_question_ = has_question_ || token.kind() == TokenKind::question;
      tokens_.push_back(token);
    }
    const StatementKind kind = statement.kind();
    const bool as_is = kind == StatementKind::unparsed || kind == StatementKind::line_marker || line_markers;
    if (!as_is) {
      for (std::size_t i = 1; i < tokens_.size(); ++i) comments(tokens_[i - 1].end(), tokens_[i].begin);
    }
    if (kind == StatementKind::scope_end && depth_ > 0) --depth_;
    if (kind == StatementKind::function && !out_.empty()) blank_line();
    start_line(kind == StatementKind::label && depth_ > 0 ? depth_ - 1 : depth_);
    if (as_is) {
      std::string_view text = text_.substr(span.begin, span.size());
      out_ += text;
    } else if (kind == StatementKind::function) {
      function();
    } else if (kind == StatementKind::section && tokens_.size() > 1) {
      section();
    } else {
      sequence(0, tokens_.size());
    }
    end_line();
    if (kind == StatementKind::scope_begin) ++depth_;
  }

  // Each parameter on a line of its own.
  void function() {
    std::size_t begin = 0;
    int parentheses = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const TokenKind kind = tokens_[i].kind();
      const bool list = i + 1 < tokens_.size() &&
                        (tokens_[i + 1].kind() == TokenKind::space || tokens_[i + 1].kind() == TokenKind::reg);
      if (kind == TokenKind::lparen) ++parentheses;
      if (kind == TokenKind::rparen) --parentheses;
      const bool breaks = (kind == TokenKind::lparen || kind == TokenKind::comma) && parentheses == 1 && list;
      if (!breaks) continue;
      sequence(begin, i + 1);
      end_line();
      start_line(depth_ + 1);
      begin = i + 1;
    }
    sequence(begin, tokens_.size());
  }

  // Each item on a line of its own.
  void section() {
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const TokenKind kind = tokens_[i].kind();
      const bool label =
          kind == TokenKind::identifier && i + 1 < tokens_.size() && tokens_[i + 1].kind() == TokenKind::colon;
      const bool opens = i == 3;  // `.section name {`
      if (!opens && kind != TokenKind::type && !label && kind != TokenKind::rbrace) continue;
      if (i <= 2) continue;
      sequence(begin, i);
      end_line();
      start_line(kind == TokenKind::rbrace ? depth_ : depth_ + 1);
      begin = i;
    }
    sequence(begin, tokens_.size());
  }

  void sequence(std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (i > begin && blank_between(i - 1, i)) out_.push_back(' ');
      // Breaking a line where a statement has no `;` could end it there.
      const bool may_break = tokens_[i].kind() != TokenKind::comma && i > begin &&
                             tokens_[i - 1].kind() == TokenKind::comma && tokens_.back().kind() == TokenKind::semicolon;
      if (may_break && out_.size() - line_begin_ > widest) {
        if (out_.back() == ' ') out_.pop_back();
        end_line();
        start_line(depth_ + 1);
      }
      out_ += text_.substr(tokens_[i].begin, tokens_[i].length());
    }
  }

  [[nodiscard]] bool is_operator(std::size_t i) const {
    const TokenKind kind = tokens_[i].kind();
    return kind >= TokenKind::less && kind <= TokenKind::or_or;
  }

  // A sign that has something before it to join with what comes.
  [[nodiscard]] bool is_binary(std::size_t i) const {
    if (i == 0) return false;
    const TokenKind before = tokens_[i - 1].kind();
    return is_word(before) || before == TokenKind::rparen || before == TokenKind::rbracket ||
           before == TokenKind::rbrace;
  }

  [[nodiscard]] bool blank_between(std::size_t left, std::size_t right) const {
    const TokenKind a = tokens_[left].kind();
    const TokenKind b = tokens_[right].kind();
    if (b == TokenKind::comma || b == TokenKind::semicolon || b == TokenKind::rparen || b == TokenKind::rbracket ||
        b == TokenKind::rbrace) {
      return false;
    }
    if (a == TokenKind::comma) return true;
    if (a == TokenKind::lparen || a == TokenKind::lbracket || a == TokenKind::lbrace) return false;
    // `%r<100>`
    const bool range = (b == TokenKind::less && right + 2 < tokens_.size() && declares()) ||
                       (a == TokenKind::less && declares()) || (b == TokenKind::greater && declares());
    if (range) return false;
    if (a == TokenKind::question || b == TokenKind::question || a == TokenKind::assign || b == TokenKind::assign) {
      return true;
    }
    if (a == TokenKind::colon || b == TokenKind::colon) return a == TokenKind::colon || has_question_;
    if (a == TokenKind::at) return false;
    if (is_operator(left) || is_operator(right)) {
      if (a == TokenKind::percent || b == TokenKind::percent) return true;
      const char end = text_[tokens_[left].end() - 1];
      const char begin = text_[tokens_[right].begin];
      if (merge(end, begin)) return true;
      // A sign at the head of an operand belongs to it: after a word that is no operand there is a blank.
      if (is_operator(right) && !is_operand_end(left)) return is_word(a);
      return false;
    }
    if (b == TokenKind::lparen) return a == TokenKind::rparen || is_opcode(left) || (is_dot_word(a) && !joins(left));
    if (b == TokenKind::lbracket) return is_opcode(left);
    if (a == TokenKind::rbracket && is_dot_word(b)) return !is_instruction();
    // Modifiers and selectors go to their word.
    if (is_dot_word(b) && joins(right)) return false;
    return true;
  }

  [[nodiscard]] bool declares() const {
    return std::any_of(
               tokens_.begin(), tokens_.begin() + std::min<std::ptrdiff_t>(8, std::ssize(tokens_)),
               [](const Token& token) { return token.kind() == TokenKind::reg || token.kind() == TokenKind::space; }) &&
           tokens_.front().kind() != TokenKind::identifier && tokens_.front().kind() != TokenKind::dotted &&
           tokens_.front().kind() != TokenKind::at;
  }

  [[nodiscard]] bool is_instruction() const {
    const TokenKind first = tokens_.front().kind();
    return first == TokenKind::identifier || first == TokenKind::dotted || first == TokenKind::at;
  }

  // The token where the opcode stands, behind the guard.
  [[nodiscard]] std::size_t opcode() const {
    if (tokens_.front().kind() != TokenKind::at) return 0;
    std::size_t i = 1;
    if (i < tokens_.size() && tokens_[i].kind() == TokenKind::exclamation) ++i;
    if (i + 1 < tokens_.size() && is_dot_word(tokens_[i + 1].kind())) ++i;
    return i + 1;
  }

  [[nodiscard]] bool is_opcode(std::size_t i) const {
    if (!is_instruction()) return false;
    const std::size_t first = opcode();
    if (i < first) return false;
    for (std::size_t k = first + 1; k <= i; ++k) {
      if (!is_dot_word(tokens_[k].kind())) return false;
    }
    return true;
  }

  [[nodiscard]] bool is_operand_end(std::size_t i) const {
    const TokenKind kind = tokens_[i].kind();
    if (kind == TokenKind::rparen || kind == TokenKind::rbracket || kind == TokenKind::rbrace) return true;
    return is_word(kind) && !is_opcode(i) && !(is_dot_word(kind) && !joins(i) && !is_section_value(i));
  }

  [[nodiscard]] bool is_section_value(std::size_t i) const {
    return tokens_.front().kind() == TokenKind::section && tokens_[i].kind() == TokenKind::dot_word;
  }

  // A word with a dot that follows an opcode or a name in an instruction.
  [[nodiscard]] bool joins(std::size_t i) const {
    if (!is_instruction() || i == 0) return false;
    const TokenKind before = tokens_[i - 1].kind();
    return before == TokenKind::identifier || (is_opcode(i - 1) && is_opcode(i));
  }

  void start_line(std::size_t depth) {
    line_begin_ = out_.size();
    // Nesting of a million braces would need a square of blanks.
    out_.append(std::min<std::size_t>(depth, 40) * indent_width, ' ');
  }
  void end_line() {
    if (out_.empty() || out_.back() != '\n') out_.push_back('\n');
  }
  void blank_line() {
    if (!out_.ends_with("\n\n")) out_.push_back('\n');
  }

  const Module& module_;
  std::string_view text_;
  std::string out_;
  std::vector<Token> tokens_;
  bool has_question_ = false;  // one of them is `?`
  std::size_t depth_ = 0;
  std::size_t line_begin_ = 0;
};

}  // namespace

std::string normalized(const Module& module) { return Writer(module).run(); }

}  // namespace ptxscope
