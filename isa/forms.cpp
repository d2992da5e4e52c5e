#include "isa/forms.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <set>

#include "isa/instructions.h"
#include "isa/types.h"
#include "isa/words.h"

namespace ptxscope::isa {

namespace {

struct SourceForm {
  std::string_view head, row_modifiers, sections, words, operands, file;
  std::uint32_t line;
  bool is_row;
};

constexpr SourceForm source_forms[] = {
#define PTX_INSTRUCTION(mnemonic, modifiers, category, flow, effects, operands, sections) \
  SourceForm{mnemonic, modifiers, sections, "", "", __FILE__, __LINE__, true},
#define PTX_FORM(words, operands) SourceForm{"", "", "", words, operands, __FILE__, __LINE__, false},
#include "isa/instructions.def"
};

struct SourceSet {
  std::string_view name, words;
};
constexpr SourceSet source_sets[] = {
#define PTX_SET(name, words) SourceSet{name, words},
#include "isa/instructions/sets.def"
};

std::vector<std::string_view> words_of_choice(std::string_view choice) {
  std::vector<std::string_view> words;
  for (const std::string_view part : split(choice, '|')) {
    if (!part.starts_with('$')) {
      words.push_back(part);
      continue;
    }
    for (const SourceSet& set : source_sets)
      if (set.name == part.substr(1))
        for (const std::string_view word : split(set.words, '|')) words.push_back(word);
  }
  return words;
}

std::vector<FormSlot> parse_slots(std::string_view text) {
  std::vector<FormSlot> slots;
  for (std::string_view part : split(text, ' ')) {
    FormSlot slot;
    if (part.ends_with('?')) {
      slot.optional = true;
      part.remove_suffix(1);
    }
    slot.words = words_of_choice(part);
    slots.push_back(std::move(slot));
  }
  return slots;
}

struct Table {
  std::vector<Form> forms;
  std::map<std::string_view, std::set<std::string_view>> words;
};

const Table& table() {
  static const Table built = [] {
    Table result;
    SourceForm row{};
    for (const SourceForm& source : source_forms) {
      if (source.is_row) {
        row = source;
        continue;
      }
      result.forms.push_back({row.head, source.words, source.operands, parse_slots(source.words), row.row_modifiers,
                              row.sections, source.file, source.line});
      for (const FormSlot& slot : result.forms.back().slots)
        result.words[row.head].insert(slot.words.begin(), slot.words.end());
    }
    return result;
  }();
  return built;
}

// A choice per slot: the word's index, or the number of words for "absent".
using Choice = std::vector<std::size_t>;

std::size_t options_of(const FormSlot& slot) { return slot.words.size() + (slot.optional ? 1 : 0); }

std::vector<Choice> choices_of(const Form& form, std::size_t limit) {
  std::size_t product = 1;
  for (const FormSlot& slot : form.slots) product = std::min<std::size_t>(product * options_of(slot), 1U << 30U);
  std::vector<Choice> result;
  if (product <= limit) {
    for (std::size_t n = 0; n < product; ++n) {
      Choice choice;
      std::size_t rest = n;
      for (const FormSlot& slot : form.slots) {
        choice.push_back(rest % options_of(slot));
        rest /= options_of(slot);
      }
      result.push_back(std::move(choice));
    }
    return result;
  }
  // Too many: each word with a few combinations of the others. A fixed generator, so that runs compare.
  std::uint32_t state = 12345;
  const auto next = [&](std::size_t bound) {
    state = state * 1664525U + 1013904223U;
    return static_cast<std::size_t>(state >> 8U) % bound;
  };
  std::set<Choice> seen;
  const auto add = [&](std::size_t fixed_slot, std::size_t fixed_option) {
    Choice choice;
    for (std::size_t i = 0; i < form.slots.size(); ++i)
      choice.push_back(i == fixed_slot ? fixed_option : next(options_of(form.slots[i])));
    if (seen.insert(choice).second) result.push_back(std::move(choice));
  };
  for (std::size_t round = 0; round < limit && result.size() < limit; ++round)
    for (std::size_t i = 0; i < form.slots.size(); ++i)
      for (std::size_t option = 0; option < options_of(form.slots[i]) && result.size() < limit; ++option)
        add(i, option);
  return result;
}

// The register type that carries a type word (PTX ISA 5.2: 8-bit and packed types have no registers of their own).
std::string carrier(std::string_view type_word) {
  const TypeWord type = find_type(type_word);
  if (type.kind == TypeKind::predicate) return "pred";
  if (type.kind == TypeKind::floating && type.bits >= 32) return std::string(type_word);
  return "b" + std::to_string(std::max<unsigned>(type.bits, 16));
}

// Writes the operands of one choice.
class ExampleWriter {
 public:
  ExampleWriter(const Form& form, const Choice& choice) : form_(form) {
    for (std::size_t i = 0; i < form.slots.size(); ++i)
      if (choice[i] < form.slots[i].words.size()) words_.push_back(form.slots[i].words[choice[i]]);
    for (const std::string_view word : words_)
      if (find_type(word).kind != TypeKind::none) types_.push_back(word);
  }

  Example run() {
    std::string text(form_.head);
    for (const std::string_view word : words_) text += "." + std::string(word);
    std::string_view separator = " ";
    for (const std::string& operand : templates()) {
      const std::string written = write(operand);
      if (written.empty()) continue;
      text += std::string(separator) + written;
      separator = ", ";
    }
    example_.text = before_ + text + ";";
    return std::move(example_);
  }

 private:
  bool has(std::string_view word) const { return std::ranges::find(words_, word) != words_.end(); }

  // The form's own operands, split at commas outside brackets; else the row's.
  std::vector<std::string> templates() const {
    if (form_.operands.empty()) return row_templates();
    std::vector<std::string> result{""};
    int depth = 0;
    for (const char c : form_.operands) {
      if (c == '[' || c == '{' || c == '(') ++depth;
      if (c == ']' || c == '}' || c == ')') --depth;
      if (c == ',' && depth == 0) result.emplace_back();
      else if (c != ' ' || !result.back().empty()) result.back() += c;
    }
    if (result.size() == 1 && result[0] == "-") return {};
    return result;
  }

  std::vector<std::string> row_templates() const {
    const Instruction* row = find_instruction(form_.head, words_);
    std::vector<std::string> result;
    if (row == nullptr) return result;
    for (std::size_t i = 0; i < row->minimum_operands; ++i)
      result.push_back(template_of(row->role(i), row->operand_class(i)));
    return result;
  }

  static std::string template_of(Role role, OperandClass operand_class) {
    if (role == Role::address) return "[b64]";
    if (role == Role::label) return "L0";
    if (role == Role::immediate) return "1";
    switch (operand_class) {
      case OperandClass::second_type:
      case OperandClass::at_least_second:
        return "$2";
      case OperandClass::third_type:
        return "$3";
      case OperandClass::double_width:
        return "$D";
      case OperandClass::predicate:
        return "pred";
      case OperandClass::bits16:
        return "b16";
      case OperandClass::bits32:
        return "b32";
      case OperandClass::bits64:
      case OperandClass::bits32_or_64:
        return "b64";
      case OperandClass::bits128:
        return "b128";
      case OperandClass::at_least_first:
        return "{* $1}";
      default:
        return "$1";
    }
  }

  std::string fresh(const std::string& type) {
    std::string name = "%x" + std::to_string(example_.registers.size());
    example_.registers.push_back({name, type});
    return name;
  }

  std::string type_of(char index) const {
    if (index == 'D') {
      const unsigned bits = types_.empty() ? 32 : find_type(types_.front()).bits * 2U;
      return "b" + std::to_string(bits);
    }
    if (types_.empty()) return "b32";
    const auto n = static_cast<std::size_t>(index - '1');
    return carrier(types_[std::min(n, types_.size() - 1)]);
  }

  std::string write(std::string text) {
    if ((text.starts_with('?') || text.starts_with('!')) && text.find(':') != std::string::npos) {
      const std::size_t colon = text.rfind(text.find(":[") != std::string::npos   ? ":["
                                           : text.find(":{") != std::string::npos ? ":{"
                                                                                  : ":");
      const bool wanted = text[0] == '?';
      bool any = false;
      for (const std::string_view word : split(std::string_view(text).substr(1, colon - 1), '|')) any |= has(word);
      if (any != wanted) return {};
      text = text.substr(colon + 1);
    }
    return write_plain(text);
  }

  std::string write_plain(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    if (text.starts_with('[') && text.ends_with(']')) return "[" + write_list(text.substr(1, text.size() - 2)) + "]";
    if (text.starts_with('(') && text.ends_with(')')) return "(" + write_list(text.substr(1, text.size() - 2)) + ")";
    if (text.starts_with('{') && text.ends_with('}')) return write_vector(text.substr(1, text.size() - 2));
    if (const std::size_t bar = text.find('|'); bar != std::string_view::npos) {
      const std::string first = write_plain(text.substr(0, bar));  // each takes the next number
      return first + "|" + write_plain(text.substr(bar + 1));
    }
    if (text.size() == 2 && text[0] == '$') return fresh(type_of(text[1]));
    if (text.starts_with("-") && text.size() > 1 && text[1] == '$') return "-" + write_plain(text.substr(1));
    if (text.starts_with("!pred")) return "!" + fresh("pred");
    if (find_type(text).kind != TypeKind::none) return fresh(std::string(text));
    note_names(text);
    return std::string(text);
  }

  std::string write_list(std::string_view text) {
    std::string result;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
      if (i < text.size() && (text[i] == '{' || text[i] == '[')) ++depth;
      if (i < text.size() && (text[i] == '}' || text[i] == ']')) --depth;
      if (i < text.size() && (text[i] != ',' || depth != 0)) continue;
      if (!result.empty()) result += ", ";
      result += write_plain(text.substr(begin, i - begin));
      begin = i + 1;
    }
    return result;
  }

  // "4", or a product and quotient of the numbers in the words: "m*n/32" for m16n8k16, "x*2" for x4.
  std::optional<std::size_t> element_count(std::string_view text) const {
    std::size_t count = 1;
    char operation = '*';
    while (!text.empty()) {
      const std::size_t end = std::min(text.find_first_of("*/"), text.size());
      const std::string_view factor = text.substr(0, end);
      std::size_t value = 0;
      if (factor.size() == 1 && factor[0] >= 'a' && factor[0] <= 'z') value = number_after(factor[0]);
      else if (const auto [stop, error] = std::from_chars(factor.data(), factor.data() + factor.size(), value);
               error != std::errc{} || stop != factor.data() + factor.size())
        return std::nullopt;
      if (value == 0) return std::nullopt;
      count = operation == '*' ? count * value : (count + value - 1) / value;
      if (end == text.size()) break;
      operation = text[end];
      text.remove_prefix(end + 1);
    }
    return count > 0 && count <= 256 ? std::optional(count) : std::nullopt;
  }

  // The number behind that letter in the first word that is made of letters and numbers only: 8 for 'n' in m16n8k16.
  std::size_t number_after(char letter) const {
    for (const std::string_view word : words_) {
      std::size_t value = 0;
      bool shape = !word.empty() && word[0] >= 'a' && word[0] <= 'z';
      for (std::size_t i = 0; shape && i < word.size();) {
        std::size_t number = 0;
        const auto [end, error] = std::from_chars(word.data() + i + 1, word.data() + word.size(), number);
        shape = word[i] >= 'a' && word[i] <= 'z' && error == std::errc{};
        if (shape && word[i] == letter) value = number;
        i = static_cast<std::size_t>(end - word.data());
      }
      if (shape && value != 0) return value;
    }
    return 0;
  }

  // "4 b32", "m*n/32 f32", "* $1", or elements one by one.
  std::string write_vector(std::string_view text) {
    const std::size_t space = text.find(' ');
    std::size_t count = 0;
    const std::string_view first = text.substr(0, space);
    const bool by_word = first == "*";
    if (by_word) count = has("v8") ? 8 : has("v4") ? 4 : has("v2") ? 2 : 1;
    else if (const auto known = space == std::string_view::npos ? std::nullopt : element_count(first)) count = *known;
    else return "{" + write_list(text) + "}";
    const std::string_view element = text.substr(space + 1);
    if (by_word && count == 1) return write_plain(element);
    std::string result;
    for (std::size_t i = 0; i < count; ++i) result += (i == 0 ? "" : ", ") + write_plain(element);
    return "{" + result + "}";
  }

  void note_names(std::string_view text) {
    const auto declare = [&](std::string_view name, std::string_view line) {
      if (text.find(name) != std::string_view::npos &&
          std::ranges::find(example_.module_lines, line) == example_.module_lines.end())
        example_.module_lines.emplace_back(line);
    };
    declare("tex0", ".global .texref tex0;");
    declare("samp0", ".global .samplerref samp0;");
    declare("surf0", ".global .surfref surf0;");
    declare("f0", ".func f0 { ret; }");
    declare("glob0", ".global .align 16 .b8 glob0[64];");
    declare("shar0", ".shared .align 16 .b8 shar0[64];");
    if (text.starts_with("par0")) before_ = ".param .align 16 .b8 par0[16];\n";
    if (text == "branches0") before_ = "branches0: .branchtargets L0;\n";
    if (text == "prototype0") before_ = "prototype0: .callprototype _ ();\n";
    if (text == "L0" || text == "branches0") example_.needs_label = true;
  }

  const Form& form_;
  std::vector<std::string_view> words_;
  std::vector<std::string_view> types_;
  std::string before_;  // the lines that the instruction's own line refers to
  Example example_;
};

}  // namespace

std::span<const Form> forms() { return table().forms; }

std::vector<const Form*> forms_of(std::string_view head) {
  std::vector<const Form*> result;
  for (const Form& form : table().forms)
    if (form.head == head) result.push_back(&form);
  return result;
}

bool has_word(std::string_view head, std::string_view word) {
  const auto found = table().words.find(head);
  return found != table().words.end() && found->second.contains(word);
}

std::vector<Example> examples_of(const Form& form, std::size_t limit) {
  std::vector<Example> result;
  for (const Choice& choice : choices_of(form, limit)) result.push_back(ExampleWriter(form, choice).run());
  return result;
}

}  // namespace ptxscope::isa
