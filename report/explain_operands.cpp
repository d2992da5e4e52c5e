#include "report/explain_operands.h"

#include <vector>

namespace ptxscope::report {

namespace {

using isa::OperandClass;
using isa::Role;

std::string_view in_words(Role role) {
  switch (role) {
    case Role::write:
      return "written";
    case Role::read:
      return "read";
    case Role::read_write:
      return "read and written";
    case Role::address:
      return "an address";
    case Role::label:
      return "a label, table or function";
    case Role::immediate:
      return "an immediate";
  }
  return "";
}

constexpr std::uint8_t no_limit = 255;

}  // namespace

std::string_view spelling(Role role) {
  switch (role) {
    case Role::write:
      return "write";
    case Role::read:
      return "read";
    case Role::read_write:
      return "read-write";
    case Role::address:
      return "address";
    case Role::label:
      return "label";
    case Role::immediate:
      return "immediate";
  }
  return "";
}

std::string_view describe(OperandClass operand_class) {
  switch (operand_class) {
    case OperandClass::any:
      return "";
    case OperandClass::first_type:
      return "of the first type";
    case OperandClass::second_type:
      return "of the second type";
    case OperandClass::third_type:
      return "of the third type";
    case OperandClass::at_least_first:
      return "as wide as the first type or wider";
    case OperandClass::at_least_second:
      return "as wide as the second type or wider";
    case OperandClass::double_width:
      return "twice as wide as the first type";
    case OperandClass::predicate:
      return "a predicate";
    case OperandClass::bits16:
      return "16 bits";
    case OperandClass::bits32:
      return "32 bits";
    case OperandClass::bits64:
      return "64 bits";
    case OperandClass::bits128:
      return "128 bits";
    case OperandClass::bits32_or_64:
      return "32 or 64 bits";
  }
  return "";
}

std::string operands_text(const isa::Instruction& row) {
  if (row.roles.empty()) return row.maximum_operands == 0 ? "none" : "not stated";
  std::string out;
  std::size_t i = 0;
  while (i < row.roles.size()) {
    std::size_t end = i + 1;
    const bool optional = i >= row.minimum_operands;
    while (end < row.roles.size() && row.roles[end] == row.roles[i] && row.operand_class(end) == row.operand_class(i) &&
           (end >= row.minimum_operands) == optional)
      ++end;
    const bool repeats = end == row.roles.size() && row.maximum_operands == no_limit;
    std::string numbers = std::to_string(i + 1);
    if (repeats) numbers += " and later ones";
    else if (end == i + 2) numbers += " and " + std::to_string(end);
    else if (end > i + 2) numbers += " to " + std::to_string(end);
    out += (out.empty() ? "" : "; ") + numbers + " " + std::string(in_words(row.roles[i]));
    if (const std::string_view words = describe(row.operand_class(i)); !words.empty()) out += ", " + std::string(words);
    if (optional) out += " (optional)";
    i = end;
  }
  return out;
}

std::string effects_text(const isa::Instruction& row) {
  std::vector<std::string_view> parts;
  if (row.reads_memory) parts.emplace_back("reads memory");
  if (row.writes_memory) parts.emplace_back("writes memory");
  if (row.has_side_effect && !row.writes_memory) parts.emplace_back("has an effect beyond its operands");
  if (row.reads_carry) parts.emplace_back("reads the carry flag");
  if (row.writes_carry) parts.emplace_back("writes the carry flag");
  std::string out;
  for (const std::string_view part : parts) out += (out.empty() ? "" : ", ") + std::string(part);
  return out;
}

}  // namespace ptxscope::report
