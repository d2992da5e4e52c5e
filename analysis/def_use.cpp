#include "analysis/cfg.h"
#include "isa/instructions.h"

namespace ptxscope::analysis {

namespace {

bool is_partial(Selector selector) {
  switch (selector) {
    case Selector::x:
    case Selector::y:
    case Selector::z:
    case Selector::w:
    case Selector::r:
    case Selector::g:
    case Selector::b:
    case Selector::a:
      return true;
    default:
      return false;  // the selectors of video instructions say which part of c is replaced, not of d (PTX ISA 9.7.18)
  }
}

class UseCollector {
 public:
  explicit UseCollector(RegisterUses& out) : out_(out) {}

  void read(const Operand& operand) { visit(operand, true, false, 0); }
  void write(const Operand& operand) { visit(operand, false, true, 0); }
  void read_and_write(const Operand& operand) { visit(operand, true, true, 0); }

 private:
  // Operands nest two deep at most: `{…}|p`, `[t, {x, y}]`.
  static constexpr int deepest = 8;

  void visit(const Operand& operand, bool reads, bool writes, int depth) {
    if (depth > deepest) return;
    switch (operand.kind()) {
      case OperandKind::reg:
        // One component of a vector register: the others keep their values.
        if (reads || (writes && is_partial(operand.selector()))) out_.reads.push_back(operand.reg());
        if (writes) out_.writes.push_back(operand.reg());
        break;
      case OperandKind::vector:
      case OperandKind::pair:
      case OperandKind::list:
        for (const Operand child : operand.children()) visit(child, reads, writes, depth + 1);
        break;
      case OperandKind::tuple_address:  // whatever its role, an address is only read
        for (const Operand child : operand.children()) visit(child, true, false, depth + 1);
        break;
      case OperandKind::address:
        visit(operand.base(), true, false, depth + 1);
        if (const auto index = operand.index()) visit(*index, true, false, depth + 1);
        break;
      case OperandKind::name:
      case OperandKind::integer:
      case OperandKind::floating:
      case OperandKind::sink:
      case OperandKind::expression:
      case OperandKind::string:
        break;
    }
  }

  RegisterUses& out_;
};

// call (results), function, (arguments), prototype: what stands before the function is written. Since PTX ISA 2.0 the
// lists hold .param variables mostly, but registers are allowed (9.7.12.5).
void call_uses(const OperandRange& operands, UseCollector& collector) {
  bool before_callee = true;
  for (const Operand operand : operands) {
    if (operand.kind() == OperandKind::list && before_callee) {
      collector.write(operand);
    } else {
      collector.read(operand);
      before_callee = false;
    }
  }
}

}  // namespace

void register_uses(const Statement& instruction, RegisterUses& out) {
  out.reads.clear();
  out.writes.clear();
  out.guarded = false;
  out.known = true;
  UseCollector collector(out);
  if (const auto guard = instruction.guard()) {
    out.guarded = true;
    collector.read(guard->predicate);
  }
  const Opcode& opcode = instruction.opcode();
  const OperandRange operands = instruction.operands();
  const isa::Instruction* row = isa::find_instruction(opcode.mnemonic, opcode.modifiers);
  if (row == nullptr) {
    out.known = false;
    for (const Operand operand : operands) collector.read_and_write(operand);
    return;
  }
  if (row->flow == isa::Flow::call) {
    call_uses(operands, collector);
    return;
  }
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const Operand operand = operands[i];
    switch (row->role(i)) {
      case isa::Role::write:
        collector.write(operand);
        break;
      case isa::Role::read_write:
        collector.read_and_write(operand);
        break;
      case isa::Role::read:
      case isa::Role::address:
      case isa::Role::label:
      case isa::Role::immediate:
        collector.read(operand);
        break;
    }
  }
}

NameId direct_callee(const Statement& call) {
  for (const Operand operand : call.operands()) {
    if (operand.kind() == OperandKind::list) continue;
    return operand.kind() == OperandKind::name ? operand.name() : no_name;
  }
  return no_name;
}

}  // namespace ptxscope::analysis
