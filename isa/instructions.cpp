#include "isa/instructions.h"

#include <algorithm>
#include <array>
#include <bit>

namespace ptxscope::isa {

namespace {

// The rows as isa/instructions.def writes them.
struct SourceRow {
  std::string_view mnemonic;
  std::string_view modifiers;
  Category category;
  Flow flow;
  std::string_view effects;
  std::string_view operands;
  std::string_view sections;
};

constexpr SourceRow source_rows[] = {
#define PTX_INSTRUCTION(mnemonic, modifiers, category, flow, effects, operands, sections) \
  SourceRow{mnemonic, modifiers, Category::category, Flow::flow, effects, operands, sections},
#include "isa/instructions.def"
};
constexpr std::size_t row_count = std::size(source_rows);
constexpr std::size_t operand_limit = 10;

// The operand notation of one row, taken apart.
struct Operands {
  std::array<Role, operand_limit> roles{};
  std::array<OperandClass, operand_limit> classes{};
  std::uint8_t count = 0;
  std::uint8_t minimum = 0;
  std::uint8_t maximum = 0;
};

// Reached only while the table is compiled: stops the compilation at a row that is written wrongly.
void malformed_row_in_instructions_def() {}

consteval Role role_of(char letter) {
  switch (letter) {
    case 'w':
      return Role::write;
    case 'r':
      return Role::read;
    case 'x':
      return Role::read_write;
    case 'a':
      return Role::address;
    case 'l':
      return Role::label;
    case 'i':
      return Role::immediate;
    default:
      malformed_row_in_instructions_def();
      return Role::read;
  }
}

consteval OperandClass class_of(char letter) {
  switch (letter) {
    case '.':
      return OperandClass::any;
    case '1':
      return OperandClass::first_type;
    case '2':
      return OperandClass::second_type;
    case '3':
      return OperandClass::third_type;
    case 'W':
      return OperandClass::at_least_first;
    case 'V':
      return OperandClass::at_least_second;
    case 'D':
      return OperandClass::double_width;
    case 'p':
      return OperandClass::predicate;
    case 'h':
      return OperandClass::bits16;
    case 'i':
      return OperandClass::bits32;
    case 'l':
      return OperandClass::bits64;
    case 'q':
      return OperandClass::bits128;
    case 'n':
      return OperandClass::bits32_or_64;
    default:
      malformed_row_in_instructions_def();
      return OperandClass::any;
  }
}

consteval Operands parse_operands(std::string_view text) {
  Operands result;
  bool endless = false;
  std::size_t i = 0;
  while (i < text.size()) {
    result.roles[result.count] = role_of(text[i]);
    result.classes[result.count] = class_of(text[i + 1]);
    ++result.count;
    i += 2;
    const char mark = i < text.size() ? text[i] : ' ';
    if (mark == '?' || mark == '*') {
      ++i;
      endless = mark == '*';
    } else {
      ++result.minimum;
    }
    if (i < text.size() && text[i] != ' ') malformed_row_in_instructions_def();
    ++i;
  }
  result.maximum = endless ? 255 : result.count;
  return result;
}

consteval std::array<Operands, row_count> parse_all_operands() {
  std::array<Operands, row_count> result{};
  for (std::size_t i = 0; i < row_count; ++i) result[i] = parse_operands(source_rows[i].operands);
  return result;
}

constexpr std::array<Operands, row_count> row_operands = parse_all_operands();

consteval std::array<Instruction, row_count> build_rows() {
  std::array<Instruction, row_count> result{};
  for (std::size_t i = 0; i < row_count; ++i) {
    const SourceRow& source = source_rows[i];
    const Operands& operands = row_operands[i];
    const auto has = [&](char effect) { return source.effects.find(effect) != std::string_view::npos; };
    Instruction& row = result[i];
    row.mnemonic = source.mnemonic;
    row.category = source.category;
    row.flow = source.flow;
    row.minimum_operands = operands.minimum;
    row.maximum_operands = operands.maximum;
    row.reads_memory = has('r');
    row.writes_memory = has('w');
    row.has_side_effect = has('s') || has('w');
    row.reads_carry = has('c');
    row.writes_carry = has('C');
    row.section = source.sections;
    row.roles = std::span(operands.roles.data(), operands.count);
    row.classes = std::span(operands.classes.data(), operands.count);
    row.modifiers = source.modifiers;
  }
  return result;
}

constexpr std::array<Instruction, row_count> rows = build_rows();

// Mnemonic to its first row, by open addressing; filled at compile time, so that nothing runs at start-up.
constexpr std::size_t slot_count = 512;
static_assert(std::has_single_bit(slot_count) && row_count * 2 < slot_count);

constexpr std::uint32_t hash(std::string_view text) {
  std::uint32_t h = 2166136261U;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 16777619U;
  return h ^ (h >> 15);
}

struct Slot {
  std::uint16_t first = 0;
  std::uint16_t count = 0;  // 0: empty
};

consteval std::array<Slot, slot_count> build_index() {
  std::array<Slot, slot_count> result{};
  for (std::size_t i = 0; i < row_count;) {
    std::size_t end = i + 1;
    while (end < row_count && source_rows[end].mnemonic == source_rows[i].mnemonic) ++end;
    std::size_t slot = hash(source_rows[i].mnemonic) & (slot_count - 1);
    while (result[slot].count != 0) {
      // The rows of one mnemonic stand together.
      if (source_rows[result[slot].first].mnemonic == source_rows[i].mnemonic) malformed_row_in_instructions_def();
      slot = (slot + 1) & (slot_count - 1);
    }
    result[slot] = {static_cast<std::uint16_t>(i), static_cast<std::uint16_t>(end - i)};
    i = end;
  }
  return result;
}

constexpr std::array<Slot, slot_count> mnemonic_index = build_index();

std::span<const Instruction> rows_of(std::string_view mnemonic) {
  for (std::size_t slot = hash(mnemonic) & (slot_count - 1); mnemonic_index[slot].count != 0;
       slot = (slot + 1) & (slot_count - 1)) {
    const std::span<const Instruction> found(&rows[mnemonic_index[slot].first], mnemonic_index[slot].count);
    if (found.front().mnemonic == mnemonic) return found;
  }
  return {};
}

bool names_modifier(std::string_view word, std::string_view modifier) {
  if (word.ends_with('*')) return modifier.starts_with(word.substr(0, word.size() - 1));
  return word == modifier;
}

// How many words the row asks for, when all of them are there; -1 when one is missing.
int matched_words(std::string_view wanted, std::span<const std::string_view> modifiers) {
  int count = 0;
  while (!wanted.empty()) {
    const std::size_t space = std::min(wanted.find(' '), wanted.size());
    const std::string_view word = wanted.substr(0, space);
    if (std::ranges::none_of(modifiers, [&](std::string_view m) { return names_modifier(word, m); })) return -1;
    ++count;
    wanted.remove_prefix(std::min(space + 1, wanted.size()));
  }
  return count;
}

constexpr SpecialRegister special_registers[] = {
#define PTX_SPECIAL_REGISTER(name, components, bits, section, needs) SpecialRegister{name, components, bits, section},
#include "isa/special_registers.def"
};

constexpr std::size_t special_slot_count = 256;
static_assert(std::size(special_registers) * 2 < special_slot_count);

consteval std::array<std::uint8_t, special_slot_count> build_special_index() {
  std::array<std::uint8_t, special_slot_count> result{};  // 0: empty, else index + 1
  for (std::size_t i = 0; i < std::size(special_registers); ++i) {
    std::size_t slot = hash(special_registers[i].name) & (special_slot_count - 1);
    while (result[slot] != 0) slot = (slot + 1) & (special_slot_count - 1);
    result[slot] = static_cast<std::uint8_t>(i + 1);
  }
  return result;
}

constexpr std::array<std::uint8_t, special_slot_count> special_index = build_special_index();

// `%envreg0` … `%envreg31` (PTX ISA 10.27) are one row.
constexpr SpecialRegister environment_register{"%envreg", 1, 32, "10.27"};

bool is_environment_register(std::string_view name) {
  constexpr std::string_view prefix = "%envreg";
  if (!name.starts_with(prefix)) return false;
  const std::string_view digits = name.substr(prefix.size());
  if (digits.empty() || digits.size() > 2) return false;
  unsigned number = 0;
  for (const char c : digits) {
    if (c < '0' || c > '9') return false;
    number = number * 10 + static_cast<unsigned>(c - '0');
  }
  return number < 32;
}

}  // namespace

std::string_view spelling(Category category) {
  switch (category) {
    case Category::unknown:
      return "unknown";
    case Category::arithmetic:
      return "arithmetic";
    case Category::logic:
      return "logic";
    case Category::compare:
      return "compare";
    case Category::conversion:
      return "conversion";
    case Category::move:
      return "move";
    case Category::memory:
      return "memory";
    case Category::atomic:
      return "atomic";
    case Category::texture:
      return "texture";
    case Category::control:
      return "control";
    case Category::barrier:
      return "barrier";
    case Category::warp:
      return "warp";
    case Category::matrix:
      return "matrix";
    case Category::video:
      return "video";
    case Category::miscellaneous:
      return "miscellaneous";
  }
  return "unknown";
}

const Instruction* find_instruction(std::string_view mnemonic) {
  const auto found = rows_of(mnemonic);
  return found.empty() ? nullptr : &found.front();
}

const Instruction* find_instruction(std::string_view mnemonic, std::span<const std::string_view> modifiers) {
  const auto found = rows_of(mnemonic);
  const Instruction* best = nullptr;
  int best_words = -1;
  for (const Instruction& row : found) {
    const int words = matched_words(row.modifiers, modifiers);
    if (words > best_words) {
      best = &row;
      best_words = words;
    }
  }
  return best;
}

std::span<const Instruction> instructions() { return rows; }

const SpecialRegister* find_special_register(std::string_view name) {
  for (std::size_t slot = hash(name) & (special_slot_count - 1); special_index[slot] != 0;
       slot = (slot + 1) & (special_slot_count - 1)) {
    const SpecialRegister& found = special_registers[special_index[slot] - 1U];
    if (found.name == name) return &found;
  }
  return is_environment_register(name) ? &environment_register : nullptr;
}

}  // namespace ptxscope::isa
