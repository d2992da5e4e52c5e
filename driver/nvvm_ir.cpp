#include "driver/nvvm_ir.h"

#include <algorithm>
#include <charconv>
#include <map>

namespace ptxscope::driver {

namespace {

// A value of a node: i32 2.
struct Operand {
  enum class Kind : std::uint8_t {
    integer,
    reference,  // !7
    string,     // !"kernel"
    other,      // null, a type with a pointer, another node …
    unreadable  // an integer that is not spelled as one number
  };
  Kind kind = Kind::other;
  std::uint64_t number = 0;
  std::string_view text;
};

/// Metadata definitions one after the other: "!7 = !{i32 2, i32 0}", on one line or several (LLVM language reference,
/// "Metadata"). All else is passed over, with its strings and comments.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  /// On to the next definition; false: there is none.
  bool next() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '"') {
        skip_string();
      } else if (c == ';') {
        skip_line();
      } else if (c != '!') {
        advance();
      } else {
        advance();
        skip_space();
        line_of_name_ = line_;
        const std::string_view word = take_word();
        if (word.empty()) continue;
        skip_space();
        if (!take('=')) continue;
        name_ = unescaped(word);
        return true;
      }
    }
    return false;
  }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::optional<unsigned> number() const {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(name_.data(), name_.data() + name_.size(), number);
    if (error != std::errc{} || end != name_.data() + name_.size()) return std::nullopt;
    return number;
  }
  [[nodiscard]] std::uint32_t line() const { return line_of_name_; }

  /// What the node defined here holds. nullopt: it is not of the form !{…}.
  std::optional<std::vector<Operand>> operands() {
    skip_space();
    // "metadata" is how LLVM before 3.6 spelled it.
    for (std::string_view word = take_word(); word == "distinct" || word == "metadata"; word = take_word())
      skip_space();
    if (!take('!')) return std::nullopt;
    skip_space();
    if (!take('{')) return std::nullopt;
    std::vector<Operand> operands;
    skip_space();
    if (take('}')) return operands;
    while (at_ < text_.size() && operands.size() < most_operands) {
      operands.push_back(operand());
      skip_space();
      if (take('}')) return operands;
      if (!take(',')) break;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t most_operands = 100000;

  static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '_' ||
           c == '-' || c == '$' || c == '\\';
  }
  static std::string unescaped(std::string_view word) {
    std::string out;
    for (std::size_t i = 0; i < word.size(); ++i) {
      unsigned byte = 0;
      if (word[i] == '\\' && i + 2 < word.size() &&
          std::from_chars(word.data() + i + 1, word.data() + i + 3, byte, 16).ptr == word.data() + i + 3) {
        out += static_cast<char>(byte);
        i += 2;
      } else {
        out += word[i];
      }
    }
    return out;
  }

  void advance() {
    if (text_[at_] == '\n') ++line_;
    ++at_;
  }
  void skip_string() {
    do advance();
    while (at_ < text_.size() && text_[at_] != '"');
    if (at_ < text_.size()) advance();
  }
  void skip_line() { at_ = std::min(text_.find('\n', at_), text_.size()); }
  void skip_space() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ';') skip_line();
      else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\0') advance();
      else return;
    }
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    advance();
    return true;
  }
  std::string_view take_word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_word(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }

  // One, up to the comma or the brace behind it.
  Operand operand() {
    skip_space();
    std::string_view word = take_word();
    if (word == "metadata") {
      skip_space();
      word = take_word();
    }
    Operand operand;
    if (word.empty() && take('!')) {
      skip_space();
      const std::size_t begin = at_;
      if (at_ < text_.size() && text_[at_] == '"') {
        skip_string();
        operand = {Operand::Kind::string, 0, text_.substr(begin, at_ - begin)};
      } else {
        word = take_word();
        const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), operand.number);
        if (error == std::errc{} && end == word.data() + word.size()) operand.kind = Operand::Kind::reference;
      }
    } else if (word.size() > 1 && word[0] == 'i' && word.find_first_not_of("0123456789", 1) == std::string_view::npos) {
      skip_space();
      operand.kind = Operand::Kind::unreadable;
      word = take_word();
      const bool is_negative = word.starts_with('-');
      const std::string_view digits = word.substr(is_negative ? 1 : 0);
      const bool is_hexadecimal = digits.starts_with("u0x");
      const char* const end = digits.data() + digits.size();
      const auto [stop, error] =
          std::from_chars(digits.data() + (is_hexadecimal ? 3 : 0), end, operand.number, is_hexadecimal ? 16 : 10);
      skip_space();
      const bool is_last = at_ < text_.size() && (text_[at_] == ',' || text_[at_] == '}');
      if (error == std::errc{} && stop == end && !digits.empty() && is_last) operand.kind = Operand::Kind::integer;
      if (is_negative) operand.number = 0 - operand.number;
    }
    skip_operand();
    return operand;
  }
  void skip_operand() {
    std::size_t depth = 0;
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (depth == 0 && (c == ',' || c == '}')) return;
      if (c == '"') {
        skip_string();
        continue;
      }
      if (c == ';') {
        skip_line();
        continue;
      }
      if (c == '{' || c == '(' || c == '[' || c == '<') ++depth;
      if ((c == '}' || c == ')' || c == ']' || c == '>') && depth != 0) --depth;
      advance();
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
  std::uint32_t line_of_name_ = 1;
  std::string name_;
};

std::vector<unsigned> references(const std::vector<Operand>& operands) {
  std::vector<unsigned> numbers;
  for (const Operand& one : operands)
    if (one.kind == Operand::Kind::reference) numbers.push_back(static_cast<unsigned>(one.number));
  return numbers;
}

// Where a text of IR begins in earnest: behind comments and white space.
std::string_view first_words(std::string_view text) {
  for (;;) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r\n"), text.size()));
    if (!text.starts_with(';')) return text;
    text.remove_prefix(std::min(text.find('\n'), text.size()));
  }
}

// Whether a module may begin so (LLVM language reference, "High Level Structure"): a keyword, or a name that something is
// assigned to.
bool begins_as_ir(std::string_view text) {
  for (const std::string_view word :
       {"define", "declare", "target", "source_filename", "module", "attributes", "uselistorder", "uselistorder_bb"}) {
    if (!text.starts_with(word) || text.size() == word.size()) continue;
    const char next = text[word.size()];
    if (next == ' ' || next == '\t' || next == '\r' || next == '\n' || next == '=') return true;
  }
  if (text.empty() || std::string_view("@%$!^").find(text.front()) == std::string_view::npos) return false;
  std::size_t end = 1;
  if (text.substr(1).starts_with('"')) end = std::min(text.find('"', 2), text.size() - 1) + 1;
  else end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-$._\\", 1);
  if (end == std::string_view::npos || end == 1) return false;
  const std::size_t next = text.find_first_not_of(" \t\r\n", end);
  return next != std::string_view::npos && text[next] == '=';
}

// Why a text is no IR, and the way out; empty: it is.
std::string not_ir(std::string_view text) {
  if (text.starts_with("BC\xc0\xde") || text.starts_with("\xde\xc0\x17\x0b"))
    return "this is LLVM bitcode; write it as text first: llvm-dis FILE.bc -o FILE.ll";
  if (text.starts_with("\x7f"
                       "ELF"))
    return "this is an ELF object or executable, not NVVM IR; ptxscope extract --list shows what PTX is in it";
  const std::string_view words = first_words(text);
  const bool is_empty_module = words.empty() && text.starts_with("; ModuleID");
  if (is_empty_module || begins_as_ir(words)) return {};
  constexpr std::size_t far = 65536;
  const std::string_view head = text.substr(0, far);
  for (std::size_t at = head.find(".version"); at != std::string_view::npos; at = head.find(".version", at + 1))
    if (at == 0 || head[at - 1] == '\n') return "this is PTX, not NVVM IR; ptxscope check says what it needs";
  return "this is not LLVM IR in text form (.ll); NVVM IR is";
}

}  // namespace

std::string to_string(const NvvmVersion& version) {
  std::string text = std::to_string(version.major_number) + "." + std::to_string(version.minor_number);
  if (version.debug_major != 0)
    text += ", debug metadata " + std::to_string(version.debug_major) + "." + std::to_string(version.debug_minor);
  return text;
}

NvvmModule read_nvvm_module(std::string file, std::string_view text) {
  NvvmModule module;
  module.file = std::move(file);
  module.error = not_ir(text);
  if (!module.error.empty()) return module;
  std::vector<unsigned> version_nodes;
  std::vector<unsigned> flag_nodes;
  unsigned highest = 0;
  bool has_number = false;
  // A named node that stands there twice holds what both list.
  const auto list = [](Scanner& scanner, std::vector<unsigned>& nodes) {
    const std::vector<unsigned> more = references(scanner.operands().value_or(std::vector<Operand>{}));
    nodes.insert(nodes.end(), more.begin(), more.end());
  };
  for (Scanner scanner(text); scanner.next();) {
    if (const auto number = scanner.number()) {
      highest = std::max(highest, *number);
      has_number = true;
    } else if (scanner.name() == "nvvmir.version") {
      if (module.version_line == 0) module.version_line = scanner.line();
      list(scanner, version_nodes);
    } else if (scanner.name() == "llvm.dbg.cu") {
      std::vector<unsigned> units;
      list(scanner, units);
      module.has_debug_info = module.has_debug_info || !units.empty();
    } else if (scanner.name() == "llvm.module.flags") {
      list(scanner, flag_nodes);
    }
  }
  module.free_number = has_number ? highest + 1 : 0;

  // The nodes these name: a module with debug information has many thousands of others.
  struct Node {
    std::uint32_t line = 0;
    std::optional<std::vector<Operand>> operands;
  };
  std::map<unsigned, Node> nodes;
  for (const unsigned number : version_nodes) nodes[number];
  for (const unsigned number : flag_nodes) nodes[number];
  if (nodes.empty()) return module;
  for (Scanner scanner(text); scanner.next();) {
    const auto number = scanner.number();
    const auto node = number ? nodes.find(*number) : nodes.end();
    if (node == nodes.end()) continue;
    node->second.line = scanner.line();
    node->second.operands = scanner.operands();
  }
  for (const unsigned number : version_nodes) {
    const Node& node = nodes[number];
    NvvmDeclaration declaration{node.line, {}};
    bool is_readable = node.operands.has_value() || node.line == 0;
    for (const Operand& one : node.operands.value_or(std::vector<Operand>{})) {
      is_readable = is_readable && one.kind != Operand::Kind::unreadable;
      // One of more bits is no version of any library; libNVVM takes a negative one for a large one.
      if (one.kind == Operand::Kind::integer)
        declaration.numbers.push_back(static_cast<unsigned>(std::min<std::uint64_t>(one.number, UINT32_MAX)));
    }
    if (!is_readable) {
      module.error = "line " + std::to_string(node.line) +
                     ": doctor cannot read this version; write it as plain numbers, !{i32 2, i32 0}";
      return module;
    }
    if (node.operands && declaration.numbers.size() != node.operands->size()) declaration.numbers.clear();
    module.versions.push_back(std::move(declaration));
  }
  for (const unsigned number : flag_nodes) {
    const auto& operands = nodes[number].operands;
    if (!operands || operands->size() != 3 || (*operands)[1].text != "\"Debug Info Version\"") continue;
    if ((*operands)[2].kind == Operand::Kind::integer)
      module.debug_info_version = static_cast<unsigned>((*operands)[2].number);
  }
  return module;
}

std::string refusal(const NvvmModule& module, const NvvmVersion& library, bool with_debug_info) {
  const auto pair = [](unsigned major, unsigned minor) { return std::to_string(major) + "." + std::to_string(minor); };
  const auto against = [&](std::string_view what, unsigned major, unsigned minor, unsigned of_major,
                           unsigned of_minor) -> std::string {
    if (major == of_major && minor <= of_minor) return {};
    return std::string(what) + " version " + pair(major, minor) + " incompatible with current version " +
           pair(of_major, of_minor);
  };
  std::vector<NvvmDeclaration> versions = module.versions;
  const bool is_empty = versions.empty() && module.version_line != 0;
  if (is_empty) return with_debug_info ? "incompatible IR detected" : "";
  if (versions.empty()) versions.push_back({0, {1, 0, 1, 0}});  // what a module without a node counts as
  for (const NvvmDeclaration& one : versions) {
    if (one.numbers.size() != 2 && one.numbers.size() != 4) return "incompatible IR detected";
    if (std::string words = against("IR", one.numbers[0], one.numbers[1], library.major_number, library.minor_number);
        !words.empty())
      return words;
    if (one.numbers.size() == 2) {
      if (with_debug_info) return "incompatible IR detected";
      continue;
    }
    if (module.versions.empty() && !with_debug_info) continue;
    if (std::string words = against("DBG", one.numbers[2], one.numbers[3], library.debug_major, library.debug_minor);
        !words.empty())
      return words;
  }
  return {};
}

std::string lines_to_write(const NvvmModule& module, const NvvmVersion& library) {
  std::string numbers =
      "!{i32 " + std::to_string(library.major_number) + ", i32 " + std::to_string(library.minor_number);
  const bool has_four = std::ranges::any_of(module.versions, [](const auto& one) { return one.numbers.size() == 4; });
  if (module.has_debug_info || has_four)
    numbers += ", i32 " + std::to_string(library.debug_major) + ", i32 " + std::to_string(library.debug_minor);
  numbers += "}";
  const std::string node = "!" + std::to_string(module.free_number);
  if (module.version_line == 0) return "add: !nvvmir.version = !{" + node + "}\nand: " + node + " = " + numbers;
  std::string lines;
  for (const NvvmDeclaration& one : module.versions) {
    NvvmModule alone = module;
    alone.versions = {one};
    if (one.line != 0 && !refusal(alone, library, module.has_debug_info).empty())
      lines += (lines.empty() ? "" : "\n") + ("write in line " + std::to_string(one.line) + ": " + numbers);
  }
  if (!lines.empty()) return lines;
  return "write in line " + std::to_string(module.version_line) + ": !nvvmir.version = !{" + node +
         "}\nand add: " + node + " = " + numbers;
}

}  // namespace ptxscope::driver
