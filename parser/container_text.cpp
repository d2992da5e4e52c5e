#include "parser/container_text.h"

#include <algorithm>
#include <array>

#include "parser/container_reader.h"

namespace ptxscope::containers {
namespace {

constexpr std::string_view version_word = ".version";

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == '\f' || c == '\v'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) { return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'; }
bool is_text(char c) { return static_cast<unsigned char>(c) >= 32 || is_space(c); }

/// Reads plain text from one directive to the next. Nothing is looked at twice.
class Directives {
 public:
  Directives(std::string_view text, std::size_t at) : text_(text), at_(at) {}

  [[nodiscard]] std::size_t at() const { return at_; }

  /// To the next directive's dot. False: something else follows.
  bool find_next() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (!skip_comment()) {
        return text_[at_] == '.' && at_ + 1 < text_.size() && text_[at_ + 1] >= 'a' && text_[at_ + 1] <= 'z';
      }
    }
    return false;
  }

  [[nodiscard]] std::string_view word() const {
    std::size_t end = at_ + 1;
    while (end < text_.size() && is_word(text_[end])) ++end;
    return text_.substr(at_, end - at_);
  }

  /// Over the directive: a line, or all up to its `;` or the `}` of its body. False: the text ends before it does.
  bool skip(std::string_view directive) {
    constexpr std::array<std::string_view, 5> of_a_line{".version", ".target", ".address_size", ".file", ".loc"};
    const bool line = std::find(of_a_line.begin(), of_a_line.end(), directive) != of_a_line.end();
    at_ += directive.size();
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (!is_text(c)) return false;
      if (c == '/' && skip_comment()) continue;
      if (c == '"') {
        at_ = text_.find_first_of("\"\n", at_ + 1);
        if (at_ == std::string_view::npos) at_ = text_.size();
        if (at_ < text_.size()) ++at_;
        continue;
      }
      ++at_;
      if (line) {
        if (c == '\n') return true;
      } else if (c == '{') {
        ++depth;
      } else if (c == '}') {
        // `.global .b8 x[2] = {1, 2};` ends with the semicolon.
        if (depth <= 1) {
          take_semicolon();
          return true;
        }
        --depth;
      } else if (c == ';' && depth == 0) {
        return true;
      }
    }
    return line;
  }

 private:
  bool skip_comment() {
    const std::string_view two = text_.substr(at_, 2);
    if (two == "//") {
      while (at_ < text_.size() && text_[at_] != '\n' && is_text(text_[at_])) ++at_;
      return true;
    }
    if (two == "/*") {
      const std::size_t end = text_.find("*/", at_ + 2);
      at_ = end == std::string_view::npos ? text_.size() : end + 2;
      return true;
    }
    return false;
  }

  void take_semicolon() {
    std::size_t next = at_;
    while (next < text_.size() && is_space(text_[next])) ++next;
    if (next < text_.size() && text_[next] == ';') at_ = next + 1;
  }

  std::string_view text_;
  std::size_t at_;
};

// The end of the line, if nothing but white space is left on it.
std::size_t with_line_end(std::string_view text, std::size_t at) {
  std::size_t end = at;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) ++end;
  return end < text.size() && text[end] == '\n' ? end + 1 : at;
}

// Comment lines and empty ones right before belong to the module; the compiler's banner stands there.
std::size_t with_comments_before(std::string_view text, std::size_t at, std::size_t earliest) {
  std::size_t begin = at;
  std::size_t line_end = at;  // of the line before
  while (line_end > earliest && (text[line_end - 1] == ' ' || text[line_end - 1] == '\t')) --line_end;
  while (line_end > earliest && text[line_end - 1] == '\n') {
    std::size_t start = line_end - 1;
    while (start > earliest && text[start - 1] != '\n' && is_text(text[start - 1])) --start;
    const std::string_view line = text.substr(start, line_end - 1 - start);
    const std::size_t first = line.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && line.substr(first, 2) != "//") break;
    if (first != std::string_view::npos) begin = start;
    line_end = start;
  }
  return begin;
}

std::string target_word(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
  std::size_t end = at;
  while (end < text.size() && is_word(text[end]) && end - at < 32) ++end;
  return std::string(text.substr(at, end - at));
}

void append_utf8(std::string& out, std::uint32_t code) {
  if (code < 0x80) {
    out += static_cast<char>(code);
  } else if (code < 0x800) {
    out += static_cast<char>(0xC0U | code >> 6U);
    out += static_cast<char>(0x80U | (code & 0x3FU));
  } else {
    out += static_cast<char>(0xE0U | code >> 12U);
    out += static_cast<char>(0x80U | (code >> 6U & 0x3FU));
    out += static_cast<char>(0x80U | (code & 0x3FU));
  }
}

std::optional<unsigned> hex_digit(char c) {
  if (is_digit(c)) return static_cast<unsigned>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
  if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
  return std::nullopt;
}

// Up to `most` digits of the base at text[at...]; at moves behind them.
std::optional<std::uint32_t> number(std::string_view text, std::size_t& at, std::size_t most, unsigned base) {
  std::uint32_t value = 0;
  std::size_t count = 0;
  while (count < most && at < text.size()) {
    const std::optional<unsigned> digit = hex_digit(text[at]);
    if (!digit || *digit >= base) break;
    value = value * base + *digit;
    ++at;
    ++count;
  }
  return count == 0 ? std::nullopt : std::optional(value);
}

// One escape of C, JSON or Python; text[at] is what stands behind the backslash.
void append_escape(std::string& out, std::string_view text, std::size_t& at) {
  const char c = text[at++];
  switch (c) {
    case 'n':
      out += '\n';
      return;
    case 't':
      out += '\t';
      return;
    case 'r':
      out += '\r';
      return;
    case 'x':
      out += static_cast<char>(number(text, at, 2, 16).value_or('x'));
      return;
    case 'u':
      append_utf8(out, number(text, at, 4, 16).value_or('u'));
      return;
    case '\r':
      if (at < text.size() && text[at] == '\n') ++at;
      return;
    case '\n':  // the literal goes on in the next line
      return;
    default:
      break;
  }
  if (c >= '0' && c <= '7') {
    --at;
    out += static_cast<char>(number(text, at, 3, 8).value_or(0));
  } else {
    out += c;
  }
}

// Over white space and comments of C: what may stand between literals of a row.
std::size_t between_literals(std::string_view text, std::size_t at) {
  while (at < text.size()) {
    if (is_space(text[at])) {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find('\n', at), text.size());
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t end = text.find("*/", at + 2);
      at = end == std::string_view::npos ? text.size() : end + 2;
    } else {
      break;
    }
  }
  return at;
}

// Literals in a row: "…" "…". The first quote is not part of it, nor the last.
std::string c_strings_decoded(std::string_view text) {
  std::string out;
  bool inside = true;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c == '"') {
      inside = !inside;
      if (!inside) at = between_literals(text, at);
    } else if (inside && c == '\\' && at < text.size()) {
      append_escape(out, text, at);
    } else if (inside) {
      out += c;
    }
  }
  return out;
}

std::string llvm_string_decoded(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at++];
    if (c != '\\') {
      out += c;
      continue;
    }
    if (at < text.size() && text[at] == '\\') {
      out += '\\';
      ++at;
      continue;
    }
    const std::optional<std::uint32_t> code = number(text, at, 2, 16);
    out += code ? static_cast<char>(*code) : '\\';
  }
  return out;
}

// The literal that the quote at `quote` opens, with those right behind it; the range is without the outermost quotes.
Range literals(std::string_view text, std::size_t quote, bool several) {
  std::size_t at = quote + 1;
  std::size_t end = text.size();
  while (at < text.size()) {
    if (text[at] == '\\') {
      at += 2;
      continue;
    }
    if (text[at] != '"') {
      ++at;
      continue;
    }
    end = at;
    const std::size_t next = between_literals(text, at + 1);
    if (!several || next >= text.size() || text[next] != '"') break;
    at = next + 1;
    end = text.size();
  }
  return {quote + 1, std::min(end, text.size())};
}

/// Finds the quote that opens the literal in which a place of the text stands. Places are asked for in order, so that
/// no line is read twice.
class Quotes {
 public:
  explicit Quotes(std::string_view text) : text_(text) {}

  /// npos: the place stands in no literal. Quotes are counted from the start of its line.
  [[nodiscard]] std::size_t opening(std::size_t place) {
    for (std::size_t line = place; line > at_; --line) {
      if (text_[line - 1] != '\n') continue;
      at_ = line;
      inside_ = false;
    }
    for (; at_ < place; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == '"') {
        inside_ = !inside_;
        quote_ = at_;
      }
    }
    return inside_ ? quote_ : std::string_view::npos;
  }

  /// Goes on behind a literal.
  void skip_to(std::size_t place) {
    at_ = std::max(at_, place);
    inside_ = false;
  }

 private:
  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t quote_ = 0;
  bool inside_ = false;
};

// Where a literal stands alone on its lines, those on the lines before that do, too, belong to it: a banner of comments.
std::size_t first_of_row(std::string_view text, std::size_t quote, std::size_t earliest) {
  for (;;) {
    std::size_t line = quote;
    while (line > earliest && (text[line - 1] == ' ' || text[line - 1] == '\t')) --line;
    if (line == earliest || text[line - 1] != '\n') return quote;
    std::size_t end = line - 1;
    while (end > earliest && (text[end - 1] == '\r' || text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
    if (end <= earliest || text[end - 1] != '"') return quote;
    // The line must be one literal. (One that starts further up is left alone.)
    std::size_t open = end - 1;
    while (open > earliest && text[open - 1] != '"' && text[open - 1] != '\n') --open;
    if (open == earliest || text[open - 1] != '"') return quote;
    quote = open - 1;
  }
}

Image text_image(const Place& place, Range range, Encoding encoding, std::string target, std::size_t size) {
  Image image;
  image.kind = ImageKind::ptx;
  image.target = std::move(target);
  image.member = place.member;
  image.section = place.section;
  image.encoding = encoding;
  image.offset = range.begin;
  image.stored_size = range.end - range.begin;
  image.size = size;
  return image;
}

}  // namespace

std::size_t find_version(std::string_view text, std::size_t from) {
  while (from < text.size()) {
    const std::size_t found = text.find(version_word, from);
    if (found == std::string_view::npos) return found;
    std::size_t at = found + version_word.size();
    from = at;
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    if (at > from && at < text.size() && is_digit(text[at])) return found;
  }
  return std::string_view::npos;
}

std::optional<ModuleText> module_at(std::string_view text, std::size_t version) {
  // The header is short; looking further for it at each .version would take too long on a text made to have many.
  constexpr std::size_t longest_header = 4096;
  Directives header(text.substr(0, std::min(text.size(), version + longest_header)), version);
  if (!header.find_next() || !header.skip(version_word)) return std::nullopt;
  if (!header.find_next() || header.word() != ".target") return std::nullopt;
  ModuleText module;
  module.target = target_word(text, header.at() + std::string_view(".target").size());
  if (!module.target.starts_with("sm_")) return std::nullopt;

  Directives directives(text, header.at());
  std::size_t end = header.at();
  while (directives.find_next()) {
    const std::string_view word = directives.word();
    // ptxas takes one .version in a text, so the next is another module's.
    if (word == version_word) break;
    const bool whole = directives.skip(word);
    end = directives.at();
    if (!whole) break;
  }
  module.begin = version;
  module.end = with_line_end(text, end);
  return module;
}

std::string decoded(std::string_view stored, Encoding encoding) {
  switch (encoding) {
    case Encoding::c_strings:
      return c_strings_decoded(stored);
    case Encoding::llvm_string:
      return llvm_string_decoded(stored);
    case Encoding::nul_lines: {
      std::string text(stored);
      std::replace(text.begin(), text.end(), '\0', '\n');
      return text;
    }
    case Encoding::bytes:
      break;
  }
  return std::string(stored);
}

void scan_ptx(const Bytes& bytes, Range range, const Place& place, Finds& finds) {
  const std::string_view text = bytes.text(0, range.end);
  std::size_t earliest = range.begin;
  for (std::size_t from = range.begin; finds.count() < most_images;) {
    const std::size_t version = find_version(text, from);
    if (version == std::string_view::npos) return;
    from = version + version_word.size();
    std::optional<ModuleText> module = module_at(text, version);
    if (!module) continue;
    module->begin = with_comments_before(text, version, earliest);
    from = earliest = module->end;
    finds.add(
        text_image(place, {module->begin, module->end}, Encoding::bytes, module->target, module->end - module->begin));
  }
}

void read_text(const Bytes& bytes, Finds& finds) {
  const std::string_view text = bytes.all();
  Quotes quotes(text);
  std::size_t earliest = 0;
  for (std::size_t from = 0; finds.count() < most_images;) {
    const std::size_t version = find_version(text, from);
    if (version == std::string_view::npos) return;
    from = version + version_word.size();
    std::size_t quote = quotes.opening(version);
    // Raw strings of C++, Rust and Python stand for themselves: R"(…)", r#"…"#, """…""".
    const bool raw = quote != std::string_view::npos && quote > 0 &&
                     std::string_view("Rr#\"").find(text[quote - 1]) != std::string_view::npos;
    if (quote == std::string_view::npos || raw) {
      std::optional<ModuleText> module = module_at(text, version);
      if (!module) continue;
      module->begin = raw ? version : with_comments_before(text, version, earliest);
      from = earliest = module->end;
      quotes.skip_to(from);
      finds.add(
          text_image({}, {module->begin, module->end}, Encoding::bytes, module->target, module->end - module->begin));
      continue;
    }
    // LLVM writes c"…\0A"; Rust's c"…" literals have \n.
    const bool llvm =
        quote > 0 && text[quote - 1] == 'c' && text.substr(version, 64).find("\\0A") != std::string_view::npos;
    if (!llvm) quote = first_of_row(text, quote, earliest);
    const Range range = literals(text, quote, !llvm);
    const Encoding encoding = llvm ? Encoding::llvm_string : Encoding::c_strings;
    const std::string content = decoded(text.substr(range.begin, range.end - range.begin), encoding);
    std::optional<ModuleText> module;
    for (std::size_t inner = find_version(content, 0); !module && inner != std::string_view::npos;
         inner = find_version(content, inner + version_word.size()))
      module = module_at(content, inner);
    from = earliest = std::max<std::size_t>(range.end, from);
    quotes.skip_to(std::min(range.end + 1, static_cast<std::uint64_t>(text.size())));
    if (module) finds.add(text_image({}, range, encoding, module->target, content.size()));
  }
}

}  // namespace ptxscope::containers
