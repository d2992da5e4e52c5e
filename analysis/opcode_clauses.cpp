#include "analysis/opcode_clauses.h"

#include <algorithm>

#include "analysis/requirements.h"
#include "isa/instructions.h"
#include "parser/scanner.h"

namespace ptxscope::analysis {

namespace {

using isa::Clause;
using isa::Condition;
using isa::OperandShape;
using isa::Term;

OperandShape::Kind kind_of(const Operand& operand) {
  using Kind = OperandShape::Kind;
  switch (operand.kind()) {
    case OperandKind::reg:
      return Kind::reg;
    case OperandKind::name:
    case OperandKind::string:
      return Kind::name;
    case OperandKind::integer:
    case OperandKind::floating:
    case OperandKind::expression:
      return Kind::imm;
    case OperandKind::sink:
      return Kind::sink;
    case OperandKind::vector:
      return Kind::vec;
    case OperandKind::pair:
      return Kind::pair;
    case OperandKind::address:
      return Kind::addr;
    case OperandKind::tuple_address:
      return Kind::tuple;
    case OperandKind::list:
      return Kind::list;
  }
  return Kind::name;
}

// Of a register; of a texture, sampler or surface variable, which has no other type.
std::string_view type_of(const Operand& operand, const Function& function) {
  if (operand.kind() == OperandKind::name) {
    const Variable* variable = operand.module().find_variable(operand.name());
    if (variable == nullptr) return {};
    const bool is_opaque =
        variable->type == Type::texref || variable->type == Type::samplerref || variable->type == Type::surfref;
    return is_opaque ? spelling(variable->type) : std::string_view{};
  }
  if (operand.kind() != OperandKind::reg) return {};
  return spelling(operand.module().register_declaration(function, operand.reg()).type);
}

OperandShape shape_of(const Operand& operand, const Function& function) {
  OperandShape shape;
  shape.kind = kind_of(operand);
  shape.negated = operand.negated();
  shape.type = type_of(operand, function);
  if (operand.kind() == OperandKind::integer && operand.integer() >= 0 && operand.integer() <= 0x7fff)
    shape.value = static_cast<std::int16_t>(operand.integer());
  if (operand.kind() == OperandKind::address) shape.type = type_of(operand.base(), function);
  if (const OperandRange children = operand.children(); !children.empty()) {
    shape.count = static_cast<std::uint8_t>(std::min<std::size_t>(children.size(), 255));
    shape.type = type_of(children[0], function);
    if (operand.kind() == OperandKind::tuple_address) {
      if (children[0].kind() != OperandKind::reg && children.size() > 2) shape.type = type_of(children[1], function);
      const std::size_t coordinates = children[children.size() - 1].children().size();
      shape.coordinates = static_cast<std::uint8_t>(std::min<std::size_t>(coordinates, 255));
    }
  }
  return shape;
}

bool asks_of_operands(const Term& term) {
  return term.kind == Term::Kind::count || term.kind == Term::Kind::shape || term.kind == Term::Kind::value;
}

OpcodeClauses look_up(const Opcode& opcode) {
  OpcodeClauses result;
  result.is_known = isa::is_known_head(opcode.mnemonic);
  const isa::Instruction* row = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
  result.is_call = row != nullptr && row->flow == isa::Flow::call;
  if (!result.is_known) return result;
  const isa::Spelling spelling{opcode.mnemonic, opcode.modifiers, {}};
  for (const Clause& clause : isa::clauses()) {
    if (clause.head != opcode.mnemonic) continue;
    Condition of_opcode, of_operands;
    for (const Condition* terms : {&clause.row, &clause.when})
      for (const Term& term : *terms) (asks_of_operands(term) ? of_operands : of_opcode).push_back(term);
    if (!isa::holds(of_opcode, spelling)) continue;
    if (of_operands.empty()) result.always.push_back(&clause);
    else result.by_operands.emplace_back(&clause, std::move(of_operands));
  }
  return result;
}

}  // namespace

Span opcode_span(const Statement& instruction) {
  const Span whole = instruction.span();
  Scanner scanner(instruction.module().text().substr(0, whole.end), whole.begin);
  Token token = scanner.next();
  if (instruction.guard()) {
    while (token.kind() == TokenKind::at || token.kind() == TokenKind::exclamation) token = scanner.next();
    token = scanner.next();
  }
  Span span = token.span();
  for (token = scanner.next(); is_dot_word(token.kind()); token = scanner.next()) span.end = token.end();
  return span;
}

const OpcodeClauses& OpcodeClauseCache::find(const Statement& instruction) {
  const auto id = static_cast<std::size_t>(instruction.opcode_id());
  if (!is_found_[id]) {
    found_[id] = look_up(instruction.opcode());
    is_found_[id] = true;
  }
  return found_[id];
}

isa::Spelling spelling_of(const Statement& instruction, const Function& function, SpellingStorage& storage) {
  const Opcode& opcode = instruction.opcode();
  storage.words.assign(opcode.modifiers.begin(), opcode.modifiers.end());
  storage.operands.clear();
  for (const Operand operand : instruction.operands()) storage.operands.push_back(shape_of(operand, function));
  return {opcode.mnemonic, storage.words, storage.operands};
}

}  // namespace ptxscope::analysis
