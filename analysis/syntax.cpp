#include "analysis/syntax.h"

#include <algorithm>
#include <string>

#include "analysis/places.h"
#include "isa/instructions.h"

namespace ptxscope::analysis {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_follow(char c) { return is_letter(c) || is_digit(c) || c == '_' || c == '$'; }

std::vector<std::string_view> split_words(std::string_view opcode) {
  std::vector<std::string_view> words;
  while (!opcode.empty()) {
    const std::size_t end = std::min(opcode.find('.'), opcode.size());
    words.push_back(opcode.substr(0, end));
    opcode.remove_prefix(std::min(end + 1, opcode.size()));
  }
  return words;
}

class LineScanner {
 public:
  LineScanner(std::string_view line, LineState state) : line_(line), at_start_(state.starts_statement) {
    if (state.in_comment) {
      const std::size_t end = std::min(line_.find("*/"), line_.size());
      add(0, std::min(end + 2, line_.size()), SyntaxRole::comment);
    }
  }

  std::vector<SyntaxRun> run() {
    while (at_ < line_.size()) {
      const char c = line_[at_];
      if (c == ' ' || c == '\t' || c == '\r') {
        ++at_;
      } else if (line_.substr(at_, 2) == "//") {
        add(at_, line_.size(), SyntaxRole::comment);
      } else if (line_.substr(at_, 2) == "/*") {
        const std::size_t end = line_.find("*/", at_ + 2);
        add(at_, end == std::string_view::npos ? line_.size() : end + 2, SyntaxRole::comment);
      } else if (c == '"') {
        const std::size_t end = line_.find('"', at_ + 1);
        add(at_, end == std::string_view::npos ? line_.size() : end + 1, SyntaxRole::string);
      } else if (c == '.' && at_ + 1 < line_.size() && is_follow(line_[at_ + 1])) {
        directive();
      } else if (is_digit(c)) {
        number();
      } else if (is_follow(c) || (c == '%' && at_ + 1 < line_.size() && is_follow(line_[at_ + 1]))) {
        word();
      } else {
        sign(c);
      }
    }
    return std::move(runs_);
  }

 private:
  void add(std::size_t begin, std::size_t end, SyntaxRole role) {
    if (end > begin) runs_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end), role});
    at_ = end;
  }

  [[nodiscard]] std::size_t skip(std::size_t from, bool with_dots) const {
    std::size_t p = from;
    while (p < line_.size()) {
      if (is_follow(line_[p])) {
        ++p;
      } else if (with_dots && line_[p] == '.' && p + 1 < line_.size() && is_follow(line_[p + 1])) {
        ++p;
      } else if (with_dots && line_.substr(p, 2) == "::" && p + 2 < line_.size() && is_follow(line_[p + 2])) {
        p += 2;
      } else {
        break;
      }
    }
    return p;
  }

  void directive() {
    const std::size_t end = skip(at_ + 1, false);
    const std::string_view name = line_.substr(at_ + 1, end - at_ - 1);
    add(at_, end, type_from(name) != Type::none ? SyntaxRole::type : SyntaxRole::directive);
    at_start_ = false;
  }

  void number() {
    std::size_t end = skip(at_, false);
    if (end < line_.size() && line_[end] == '.') end = skip(end + 1, false);
    add(at_, end, SyntaxRole::number);
    at_start_ = false;
  }

  void word() {
    const std::size_t begin = at_;
    const std::size_t end = skip(at_ + 1, true);
    const std::string_view text = line_.substr(begin, end - begin);
    if (text == "_") {
      add(begin, end, SyntaxRole::name);
    } else if (text.front() == '%') {
      percent_name(begin, end);
    } else if (guard_) {
      add(begin, end, SyntaxRole::reg);
    } else if (at_start_) {
      std::size_t next = end;
      while (next < line_.size() && (line_[next] == ' ' || line_[next] == '\t')) ++next;
      if (next < line_.size() && line_[next] == ':' && line_.substr(next, 2) != "::") {
        add(begin, next + 1, SyntaxRole::label);
        return;  // an instruction may follow
      }
      opcode(begin, end);
    } else {
      add(begin, end, text.starts_with("$L") ? SyntaxRole::label : SyntaxRole::name);
    }
    at_start_ = guard_;
    guard_ = false;
  }

  void percent_name(std::size_t begin, std::size_t end) {
    const std::string_view name = line_.substr(begin, std::min(line_.find('.', begin), end) - begin);
    add(begin, end, isa::find_special_register(name) != nullptr ? SyntaxRole::special : SyntaxRole::reg);
  }

  void opcode(std::size_t begin, std::size_t end) {
    const std::string_view text = line_.substr(begin, end - begin);
    const SyntaxRole role = role_of_opcode(text);
    const std::size_t dot = std::min(text.find('.'), text.size());
    add(begin, begin + dot, role);
    // State spaces and types are quieter than what is done.
    add(begin + dot, end, role == SyntaxRole::unknown ? role : SyntaxRole::type);
  }

  void sign(char c) {
    if (c == '@') {
      guard_ = true;
    } else if (c == ';' || c == '{' || c == '}') {
      // `{` opens a scope or, behind an opcode, a vector; only the former is followed by a statement.
      at_start_ = c != '{' || at_start_;
    }
    ++at_;
  }

  std::string_view line_;
  std::size_t at_ = 0;
  bool at_start_;
  bool guard_ = false;
  std::vector<SyntaxRun> runs_;
};

}  // namespace

SyntaxRole role_of_opcode(std::string_view opcode) {
  const std::vector<std::string_view> words = split_words(opcode);
  if (words.empty()) return SyntaxRole::unknown;
  const isa::Instruction* row = isa::find_instruction(words.front(), std::span(words).subspan(1));
  if (row == nullptr) row = isa::find_instruction(words.front());
  if (row == nullptr) return SyntaxRole::unknown;
  if (row->flow == isa::Flow::trap) return SyntaxRole::trap;
  switch (row->category) {
    case isa::Category::memory:
    case isa::Category::atomic:
    case isa::Category::texture:
      return SyntaxRole::memory;
    case isa::Category::control:
      return SyntaxRole::control;
    case isa::Category::barrier:
    case isa::Category::warp:
      return SyntaxRole::barrier;
    case isa::Category::matrix:
      return SyntaxRole::matrix;
    default:
      return SyntaxRole::arithmetic;
  }
}

LineState state_of_line(const Module& module, const Outline& outline, std::uint32_t begin) {
  LineState state;
  const auto comment = std::ranges::upper_bound(outline.long_comments, begin, {}, &Span::end);
  state.in_comment = comment != outline.long_comments.end() && comment->begin < begin;
  const std::uint32_t statement = statement_at(module, begin);
  state.starts_statement = statement == no_index || module.statement(statement).span().begin >= begin;
  return state;
}

std::vector<SyntaxRun> syntax_of(std::string_view line, LineState state, std::size_t limit) {
  return LineScanner(line.substr(0, limit), state).run();
}

std::string_view word_at(std::string_view line, std::size_t at) {
  const auto belongs = [&](std::size_t i) {
    const char c = line[i];
    if (is_follow(c) || c == '%' || c == '.') return true;
    if (c != ':') return false;  // `shared::cta` is one word, the `:` of a label is not of it
    const bool second = i > 0 && line[i - 1] == ':';
    return second || (i + 2 < line.size() && line[i + 1] == ':' && is_follow(line[i + 2]));
  };
  if (at >= line.size() || !belongs(at)) return {};
  std::size_t begin = at;
  std::size_t end = at + 1;
  while (begin > 0 && belongs(begin - 1) && line[begin] != '%') --begin;
  while (end < line.size() && belongs(end) && line[end] != '%') ++end;
  return line.substr(begin, end - begin);
}

}  // namespace ptxscope::analysis
