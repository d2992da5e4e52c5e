#include "analysis/debug_sections.h"

#include <algorithm>
#include <optional>
#include <unordered_map>

#include "parser/constant.h"
#include "parser/strings.h"

namespace ptxscope::analysis {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r') || c == '\0'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

// Bytes of one value behind a type word of PTX, or a directive of a `@@DWARF` line; 0: none of these.
unsigned width_of(std::string_view word) {
  if (word == ".byte") return 1;
  if (word == ".2byte") return 2;
  if (word == ".4byte") return 4;
  if (word == ".quad" || word == ".8byte") return 8;
  return word.size() < 2 ? 0 : size_of(type_from(word.substr(1)));
}

// One value: number, or symbol + number, or symbol - symbol + number.
struct Value {
  std::uint64_t number = 0;
  std::string_view plus, minus;
};

class Reader {
 public:
  explicit Reader(DebugSections& sections) : sections_(sections) {}

  void read(std::string_view statement) {
    text_ = statement;
    at_ = 0;
    if (text_.starts_with("@@")) {
      // The section of the line before goes on.
      at_ = text_.starts_with("@@DWARF") ? 7 : text_.size();
      items();
      return;
    }
    items();  // begins with .section
    section_ = nullptr;
  }

  void resolve() {
    for (const Pending& p : pending_) {
      const auto plus = place(p.value.plus);
      const auto minus = place(p.value.minus);
      std::uint64_t value = p.value.number;
      if (!p.value.minus.empty()) {
        // A distance in the code is not known here, and not needed.
        if (!plus || !minus) continue;
        value += *plus - *minus;
      } else if (plus) {
        value += *plus;
      } else {
        p.section->symbols.push_back({p.offset, p.value.plus});
        continue;
      }
      for (unsigned i = 0; i < std::min(p.width, 8U); ++i)
        p.section->bytes[p.offset + i] = static_cast<char>(value >> (8 * i));
    }
  }

 private:
  struct Pending {
    DebugSection* section;
    std::uint64_t offset;
    unsigned width;
    Value value;
  };

  // Offset in its section of a label of one, or of a section's own name.
  std::optional<std::uint64_t> place(std::string_view symbol) const {
    if (symbol.starts_with('.')) return 0;
    const auto label = labels_.find(symbol);
    if (label == labels_.end()) return std::nullopt;
    return label->second;
  }

  DebugSection* section_named(std::string_view name) {
    if (name == ".debug_info") return &sections_.info;
    if (name == ".debug_abbrev") return &sections_.abbrev;
    if (name == ".debug_str") return &sections_.str;
    if (name == ".debug_line_str") return &sections_.line_str;
    if (name == ".debug_str_offsets") return &sections_.str_offsets;
    return nullptr;
  }

  void skip_space() {
    while (at_ < text_.size()) {
      if (is_space(text_[at_])) {
        ++at_;
      } else if (text_.substr(at_).starts_with("//")) {
        const std::size_t end = text_.find('\n', at_);
        at_ = end == std::string_view::npos ? text_.size() : end;
      } else if (text_.substr(at_).starts_with("/*")) {
        const std::size_t end = text_.find("*/", at_ + 2);
        at_ = end == std::string_view::npos ? text_.size() : end + 2;
      } else {
        return;
      }
    }
  }

  // A name, a number, or a word with dots in it; empty when none begins here.
  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_word(text_[at_]) || text_[at_] == '.')) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  void items() {
    for (skip_space(); at_ < text_.size(); skip_space()) {
      if (text_.compare(at_, 4, ".b8 ") == 0) {  // what nearly all of it is
        at_ += 4;
        values(1);
        continue;
      }
      const std::string_view w = word();
      if (w.empty()) {
        ++at_;
      } else if (w == ".section") {
        skip_space();
        section_ = section_named(word());
        // `.section .debug_info,"",@progbits`: the rest says nothing new.
        if (at_ < text_.size() && text_[at_] == ',') at_ = std::min(text_.size(), text_.find_first_of("{\n", at_));
        // The other sections are long and not asked for.
        if (section_ == nullptr) return;
      } else if (const unsigned width = width_of(w); width != 0 && w[0] == '.') {
        values(width);
      } else if (skip_space(); at_ < text_.size() && text_[at_] == ':') {
        if (section_ != nullptr) labels_.try_emplace(w, section_->bytes.size());
      }
    }
  }

  void values(unsigned width) {
    for (;;) {
      skip_space();
      if (at_ < text_.size() && text_[at_] == '"') {
        string();
      } else if (width != 1 || !byte()) {
        const Value value = expression();
        if (section_ != nullptr) put(value, width);
      }
      skip_space();
      if (at_ >= text_.size() || text_[at_] != ',') return;
      ++at_;
    }
  }

  // A plain decimal number of up to three digits, the usual case; false: something else, and nothing is read.
  bool byte() {
    std::size_t at = at_;
    unsigned value = 0;
    while (at < text_.size() && is_digit(text_[at])) value = value * 10 + static_cast<unsigned>(text_[at++] - '0');
    const bool octal = at > at_ + 1 && text_[at_] == '0';
    if (at == at_ || at > at_ + 3 || octal || at == text_.size()) return false;
    if (text_[at] != '\n' && text_[at] != ',') return false;
    if (section_ != nullptr) section_->bytes += static_cast<char>(value);
    at_ = at;
    return true;
  }

  void string() {
    const std::size_t begin = at_++;
    while (at_ < text_.size() && text_[at_] != '"') at_ += text_[at_] == '\\' ? 2 : 1;
    at_ = std::min(at_ + 1, text_.size());
    if (section_ != nullptr) section_->bytes += unescape(text_.substr(begin, at_ - begin));
  }

  // Terms with + and - between them; brackets change nothing that is read here.
  Value expression() {
    Value value;
    bool negative = false;
    bool term_next = true;
    for (skip_space(); at_ < text_.size(); skip_space()) {
      const char c = text_[at_];
      if (c == '+' || c == '-') {
        if (c == '-') negative = !negative;
        term_next = true;
        ++at_;
      } else if (c == '(' || c == ')') {
        ++at_;
      } else if (term_next && (is_word(c) || c == '.')) {
        const std::string_view w = word();
        if (is_digit(c)) {
          const std::uint64_t number = integer_value(w);
          value.number += negative ? 0 - number : number;
        } else {
          (negative ? value.minus : value.plus) = w;
        }
        negative = false;
        term_next = false;
      } else {
        break;
      }
    }
    return value;
  }

  void put(const Value& value, unsigned width) {
    std::string& bytes = section_->bytes;
    if (!value.plus.empty() || !value.minus.empty()) pending_.push_back({section_, bytes.size(), width, value});
    for (unsigned i = 0; i < width; ++i) bytes += i < 8 ? static_cast<char>(value.number >> (8 * i)) : '\0';
  }

  DebugSections& sections_;
  DebugSection* section_ = nullptr;
  std::string_view text_;
  std::size_t at_ = 0;
  std::unordered_map<std::string_view, std::uint64_t> labels_;
  std::vector<Pending> pending_;
};

}  // namespace

DebugSections read_debug_sections(const Module& module) {
  DebugSections sections;
  Reader reader(sections);
  const auto functions = module.functions();
  std::size_t next = 0;
  for (std::uint32_t s = 0; s < module.statement_count(); ++s) {
    while (next < functions.size() && functions[next].header < s) ++next;
    if (next < functions.size() && functions[next].header == s && functions[next].has_body &&
        functions[next].body_end > s) {
      s = functions[next].body_end;
      continue;
    }
    const Statement statement = module.statement(s);
    if (statement.kind() == StatementKind::section) reader.read(statement.text());
  }
  reader.resolve();
  return sections;
}

}  // namespace ptxscope::analysis
