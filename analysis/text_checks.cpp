#include "analysis/text_checks.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "parser/scanner.h"

namespace ptxscope::analysis {

namespace {

constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

bool is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80; }

// No NUL, no vertical tab, nothing but ASCII: most modules, which are as large as files get. A loop without a way out
// over each piece, so that the compiler takes many bytes at a time.
bool is_plain(std::string_view text) {
  constexpr std::size_t piece = 4096;
  for (; !text.empty(); text.remove_prefix(std::min(piece, text.size()))) {
    unsigned odd = 0;
    for (const char c : text.substr(0, piece)) odd |= static_cast<unsigned>(!is_ascii(c) | (c == '\0') | (c == '\v'));
    if (odd != 0) return false;
  }
  return true;
}

std::size_t end_of_comment(std::string_view text, std::size_t begin) {
  if (text.substr(begin).starts_with("//")) return std::min(text.find_first_of("\r\n", begin), text.size());
  const std::size_t close = text.find("*/", begin + 2);
  return close == std::string_view::npos ? text.size() : close + 2;
}

class TextChecker {
 public:
  TextChecker(const Module& module, const std::function<void(Diagnostic)>& report) : module_(module), report_(report) {}

  void run() {
    const std::string_view text = module_.text();
    if (!is_plain(text)) {
      if (const std::size_t nul = text.find('\0'); nul != std::string_view::npos)
        error("PTX-LEX", span_at(nul, 1), "a NUL byte: ptxas refuses the text, and a driver takes it for the end of it",
              "remove it, with all NUL bytes behind it");
      check_bytes();
    }
    check_header();
  }

 private:
  void error(const char* rule, Span span, std::string message, std::string remedy) const {
    report_({Level::error, rule, span, std::move(message), std::move(remedy), {}});
  }
  static Span span_at(std::size_t begin, std::size_t size) {
    return {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + size)};
  }

  // --- bytes: in comments all but NUL may stand

  void check_bytes() {
    const std::string_view text = module_.text();
    Scanner scanner(text);
    std::size_t end = 0;
    for (;;) {
      const Token token = scanner.next();
      check_space(end, token.begin);
      if (token.kind() == TokenKind::end_of_text) return;
      if (token.kind() == TokenKind::string) check_string(token.span());
      end = token.end();
    }
  }

  // Between two words.
  void check_space(std::size_t begin, std::size_t end) {
    const std::string_view text = module_.text().substr(0, end);
    while (begin < end) {
      if (text[begin] == '/') {
        begin = end_of_comment(text, begin);
      } else if (text[begin] == '\v') {
        if (!std::exchange(tab_reported_, true))
          error("PTX-LEX", span_at(begin, 1), "a vertical tab, which ptxas refuses between words", "write a space");
        ++begin;
      } else if (text.substr(begin).starts_with(byte_order_mark)) {
        if (!std::exchange(mark_reported_, true))
          error("PTX-LEX", span_at(begin, byte_order_mark.size()),
                "a byte order mark (EF BB BF), which ptxas refuses: it reads ASCII",
                "remove it: save the text as UTF-8 without one");
        begin += byte_order_mark.size();
      } else {
        ++begin;
      }
    }
  }

  void check_string(Span span) {
    const std::string_view string = module_.text(span);
    for (std::size_t i = 0; i < string.size(); ++i) {
      if (is_ascii(string[i])) continue;
      if (!std::exchange(string_reported_, true))
        error("PTX-LEX", span, "a string with a byte that is not ASCII, which ptxas refuses", "write it in ASCII");
      return;
    }
  }

  // --- .version first, right behind it .target with its architecture in front (PTX ISA 11.1)

  void check_header() {
    if (module_.header().version_span.empty()) return;
    const auto first = next_directive(0);
    if (!first) return;
    const Statement statement = module_.statement(*first);
    if (statement.kind() == StatementKind::version) {
      check_version(statement);
      check_target(*first + 1);
    } else if (statement.kind() == StatementKind::target || may_be_misplaced(statement.kind())) {
      error("PTX-HEADER", place_of_version(),
            ".version is not the first directive: ptxas finds none where it looks for it",
            "put it before line " + std::to_string(module_.position(statement.span()).line));
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> next_directive(std::uint32_t index) const {
    while (index < module_.statement_count() && module_.statement(index).kind() == StatementKind::line_marker) ++index;
    if (index == module_.statement_count()) return std::nullopt;
    return index;
  }

  // All others have their own error at the head of a module.
  static bool may_be_misplaced(StatementKind kind) {
    switch (kind) {
      case StatementKind::registers:
      case StatementKind::pragma:
      case StatementKind::file:
      case StatementKind::loc:
      case StatementKind::section:
      case StatementKind::alias:
      case StatementKind::directive:
        return true;
      default:
        return false;
    }
  }

  [[nodiscard]] Span place_of_version() const { return module_.header().version_span; }

  // ptxas takes `.version 8.0` for one word: blanks within, no end of line and no comment; two plain numbers.
  void check_version(const Statement& statement) const {
    std::string_view text = statement.text();
    text.remove_prefix(std::min(std::string_view(".version").size(), text.size()));
    const std::string_view number = module_.text(place_of_version());
    if (text.size() < number.size()) return;
    const std::string_view between = text.substr(0, text.size() - number.size());
    if (between.find_first_not_of(" \t\f\v") != std::string_view::npos)
      return error("PTX-HEADER", place_of_version(),
                   "between .version and its number stands more than blanks: ptxas finds no .version",
                   "write '.version " + spelled_version() + "' with one blank");
    const std::size_t dot = number.find('.');
    const auto is_number = [](std::string_view digits) {
      return !digits.empty() && digits.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (dot != std::string_view::npos && is_number(number.substr(0, dot)) && is_number(number.substr(dot + 1))) return;
    error("PTX-HEADER", place_of_version(), "this .version is not of two numbers with a dot: ptxas finds no .version",
          "write '.version " + spelled_version() + "'");
  }
  [[nodiscard]] std::string spelled_version() const {
    return std::to_string(module_.header().version_major) + "." + std::to_string(module_.header().version_minor);
  }

  void check_target(std::uint32_t index) const {
    const auto next = next_directive(index);
    if (!next || module_.header().target_span.empty()) return;
    const Statement statement = module_.statement(*next);
    if (statement.kind() != StatementKind::target) {
      if (!may_be_misplaced(statement.kind())) return;
      return error("PTX-HEADER", statement.span(), "this stands between .version and .target: ptxas finds no .target",
                   "put .target right behind .version");
    }
    const Span whole = statement.span();
    Scanner scanner(module_.text().substr(0, whole.end), whole.begin);
    static_cast<void>(scanner.next());
    const Span word = scanner.next().span();
    const std::string_view text = module_.text(word);
    if (text.starts_with("sm_") || text.starts_with("compute_")) return;
    error("PTX-HEADER", word, "the first .target begins with an option: ptxas looks for the architecture there",
          "write the architecture first, as in '.target sm_80, debug'");
  }

  const Module& module_;
  const std::function<void(Diagnostic)>& report_;
  bool tab_reported_ = false;
  bool mark_reported_ = false;
  bool string_reported_ = false;
};

}  // namespace

void check_text(const Module& module, const std::function<void(Diagnostic)>& report) {
  TextChecker(module, report).run();
}

void check_comments(const Module& module, const std::function<void(Diagnostic)>& report) {
  const std::string_view text = module.text();
  if (is_plain(text)) return;
  Scanner scanner(text);
  std::size_t end = 0;
  for (;;) {
    const Token token = scanner.next();
    // Between two words stand blanks and comments.
    for (std::size_t i = end; i < token.begin; ++i) {
      if (text[i] != '/') continue;
      const std::size_t stop = end_of_comment(text.substr(0, token.begin), i);
      for (std::size_t k = i; k < stop; ++k) {
        if (is_ascii(text[k])) continue;
        std::size_t last = k + 1;  // of the character, where it is one of UTF-8
        while (last < stop && last < k + 4 && (static_cast<unsigned char>(text[last]) & 0xc0U) == 0x80U) ++last;
        const Span place{static_cast<std::uint32_t>(k), static_cast<std::uint32_t>(last)};
        return report(
            {Level::warning,
             "PTX-LEX",
             place,
             "a byte that is not ASCII in a comment: ptxas of CUDA 13.0 refuses it, that of CUDA 13.5 takes it",
             "write comments in ASCII where an older ptxas or driver is to read them",
             {}});
      }
      i = stop - 1;
    }
    if (token.kind() == TokenKind::end_of_text) return;
    end = token.end();
  }
}

bool is_refused_by_ptxas(const Diagnostic& warning) {
  return warning.rule == "PTX-EMPTY" || warning.rule == "PTX-LINE" || warning.rule == "PTX-ADDRESS";
}

}  // namespace ptxscope::analysis
