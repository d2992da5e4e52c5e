// Values through memory that the function has to itself: parameters, call sequences, `.local` slots whose address
// does not get away, and what was last stored to a `.shared` variable.
#include <algorithm>
#include <array>
#include <string>
#include <tuple>

#include "analysis/values.h"

namespace ptxscope::analysis {

namespace {

constexpr std::size_t max_slots = 4096;
constexpr std::size_t max_expression = 400;  // nodes of a returned value that is carried to the caller

std::uint64_t slot_key(NameId name, std::uint64_t offset, unsigned bits) {
  return (static_cast<std::uint64_t>(name) << 32U) ^ (offset << 8U) ^ bits;
}

// One piece of a by-value argument or of a return value, as it was stored.
struct Piece {
  std::uint64_t offset;
  unsigned bits;
  ExprId value;
};

// `bits` from `offset` on, put together from what was stored (the latest first).
std::optional<ExprId> read_pieces(ExprPool& pool, const std::vector<Piece>& pieces, std::uint64_t offset,
                                  unsigned bits) {
  for (const Piece& piece : pieces) {
    if (piece.offset == offset && piece.bits == bits) return piece.value;
    const std::uint64_t end = piece.offset + (piece.bits / 8);
    if (piece.offset <= offset && offset + (bits / 8) <= end) {
      const ExprId down = pool.binary(ExprOp::shr_u, piece.value, pool.constant((offset - piece.offset) * 8, 32));
      return pool.truncate(down, bits);
    }
    const bool disjoint = end <= offset || piece.offset >= offset + (bits / 8);
    if (!disjoint) break;  // part of it: put together below
  }
  if (bits < 16) return std::nullopt;
  const auto low = read_pieces(pool, pieces, offset, bits / 2);
  if (!low) return std::nullopt;
  const auto high = read_pieces(pool, pieces, offset + (bits / 16), bits / 2);
  if (!high) return std::nullopt;
  const ExprId up = pool.binary(ExprOp::shl, pool.extend(*high, bits, false), pool.constant(bits / 2, 32));
  return pool.binary(ExprOp::or_, pool.extend(*low, bits, false), up);
}

// The symbol an address is based on, looking through sums.
std::optional<NameId> symbol_in(const ExprPool& pool, ExprId address) {
  for (unsigned depth = 0; depth < 16; ++depth) {
    const Expr& e = pool[address];
    if (e.op == ExprOp::symbol) return NameId{e.payload};
    if (e.op != ExprOp::add && e.op != ExprOp::or_) return std::nullopt;
    const ExprId left = pool.kid(address, 0);
    const ExprId right = pool.kid(address, 1);
    if (pool[left].op == ExprOp::symbol) return NameId{pool[left].payload};
    address = pool[right].op == ExprOp::symbol || pool[right].op == ExprOp::add ? right : left;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint32_t> FunctionValues::parameter_named(NameId name) const {
  const auto found = parameters_.find(name);
  return found == parameters_.end() ? std::nullopt : std::optional(found->second);
}

StateSpace FunctionValues::space_of_symbol(NameId name) const {
  if (const auto local = local_names_.find(name); local != local_names_.end())
    return module_.local_variables()[local->second].space;
  if (const Variable* variable = module_.find_variable(name)) return variable->space;
  return StateSpace::none;
}

ExprId FunctionValues::address_of(const Operand& operand, std::uint32_t statement) {
  const unsigned pointer_bits = module_.header().address_size == 32 ? 32 : 64;
  if (operand.kind() != OperandKind::address) return pool().unknown(pointer_bits, "an address of that form");
  const Operand base = operand.base();
  ExprId value{};
  if (base.kind() == OperandKind::reg) value = before(base.reg(), statement);
  else value = value_of(base, pointer_bits, statement);
  const unsigned bits = pool()[value].bits;
  if (const auto index = operand.index()) value = pool().binary(ExprOp::add, value, value_of(*index, bits, statement));
  return pool().binary(ExprOp::add, value, pool().constant(static_cast<std::uint64_t>(operand.displacement()), bits));
}

ExprId FunctionValues::evaluate_load(const Statement& instruction, const OpcodeForm& form, unsigned element) {
  const auto operands = instruction.operands();
  const unsigned bits = form.bits();
  if (bits == 0 || bits > 64 || operands.size() < 2) return pool().unknown(32, "a load of that form");
  ExprId address = address_of(operands[1], instruction.index());
  const std::uint64_t step = static_cast<std::uint64_t>(element) * (bits / 8);
  address = pool().binary(ExprOp::add, address, pool().constant(step, pool()[address].bits));
  return load_from(form.space, form.type, address, instruction.index());
}

ExprId FunctionValues::load_from(StateSpace space, Type type, ExprId address, std::uint32_t statement) {
  const Expr at = pool()[address];
  const unsigned bits = size_of(type) * 8;
  if (at.op == ExprOp::symbol) {
    const NameId name{at.payload};
    const std::uint64_t offset = at.value;
    // The function's own names hide the module's.
    if (const auto local = local_names_.find(name); local != local_names_.end()) {
      const StateSpace where = module_.local_variables()[local->second].space;
      if (where == StateSpace::param) return call_result(name, offset, bits, statement);
      if (where == StateSpace::local) {
        if (const auto value = slot_value(name, offset, bits, statement)) return *value;
        return pool().unknown(bits, "local memory that is also accessed in other ways");
      }
    }
    if (const auto index = parameter_named(name)) return pool().parameter(*index, offset, bits);
  }
  if (const auto base = symbol_in(pool(), address)) {
    if (const auto index = parameter_named(*base)) {  // an array parameter read at a computed place
      const std::array<ExprId, 1> whole{pool().parameter(*index, 0, 8)};
      return pool().load(StateSpace::param, type, bits, address, 0, 0, whole);
    }
    const StateSpace where = space_of_symbol(*base);
    if (where == StateSpace::local) return pool().unknown(bits, "local memory read at a computed place");
    if (space == StateSpace::none) space = where;
  }
  if (space == StateSpace::param) return pool().unknown(bits, "a parameter read at a computed place");
  if (space == StateSpace::local) return pool().unknown(bits, "local memory");
  if (space == StateSpace::shared) {
    const auto stored = stored_to_shared(address, bits);
    return pool().load(space, type, bits, address, statement, 0, stored);
  }
  const bool nobody_writes = space == StateSpace::constant;
  return pool().load(space, type, bits, address, nobody_writes ? 0 : statement);
}

// Values that this function stores to the same place of a `.shared` variable: any thread of the block may have done it.
std::vector<ExprId> FunctionValues::stored_to_shared(ExprId address, unsigned bits) {
  std::vector<ExprId> values;
  if (pool()[address].op != ExprOp::symbol) return values;
  if (!shared_in_progress_.insert(static_cast<std::uint32_t>(address)).second) return values;
  if (!shared_stores_) {
    shared_stores_.emplace();
    for (const Block& block : cfg_.blocks) {
      if (!block.reachable || block.first_instruction == no_index) continue;
      for (std::uint32_t s = block.first_instruction; s <= block.last_instruction; ++s) {
        const Statement statement = module_.statement(s);
        if (statement.kind() != StatementKind::instruction) continue;
        const OpcodeForm& form = owner_.form(statement.opcode_id());
        const bool elsewhere =
            form.space == StateSpace::global || form.space == StateSpace::param || form.space == StateSpace::local;
        if (form.operation == Operation::st && !elsewhere && form.vector_width == 1) shared_stores_->push_back(s);
      }
    }
  }
  constexpr std::size_t max_stores = 64;  // more, and what was last stored there says little
  if (shared_stores_->size() <= max_stores) {
    for (const std::uint32_t s : *shared_stores_) {
      const Statement statement = module_.statement(s);
      const auto operands = statement.operands();
      if (owner_.form(statement.opcode_id()).bits() != bits || operands.size() < 2 ||
          operands[0].kind() != OperandKind::address || address_of(operands[0], s) != address) {
        continue;
      }
      const ExprId value = value_of(operands[1], bits, s);
      if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
    }
  }
  shared_in_progress_.erase(static_cast<std::uint32_t>(address));
  return values;
}

// All accesses to the function's `.local` variables and return parameters, as slots; and what else may write there.
void FunctionValues::find_slots() {
  slot_state_ = SlotState::finding;
  struct Access {
    NameId variable;
    std::uint64_t offset;
    unsigned bits;
    std::uint32_t statement;
    std::uint32_t element;
    bool store;
  };
  std::vector<Access> accesses;
  std::unordered_set<NameId> computed;                // accessed at a computed place
  std::unordered_map<NameId, std::uint32_t> escaped;  // first statement that lets its address out
  std::vector<std::uint32_t> foreign_writes;          // statements that may write through an escaped address
  const auto is_own = [&](NameId name) {
    if (const auto local = local_names_.find(name); local != local_names_.end()) {
      return module_.local_variables()[local->second].space == StateSpace::local;
    }
    return std::any_of(function_->return_parameters.begin(), function_->return_parameters.end(),
                       [&](const Variable& r) { return r.name == name; });
  };
  const auto note_escape = [&](ExprId value, std::uint32_t statement) {
    if (const auto name = symbol_in(pool(), value); name && is_own(*name)) escaped.emplace(*name, statement);
  };
  for (const Block& block : cfg_.blocks) {
    if (!block.reachable || block.first_instruction == no_index) continue;
    for (std::uint32_t s = block.first_instruction; s <= block.last_instruction; ++s) {
      const Statement statement = module_.statement(s);
      if (statement.kind() != StatementKind::instruction) continue;
      const OpcodeForm& form = owner_.form(statement.opcode_id());
      const auto operands = statement.operands();
      if (form.operation == Operation::call) {
        const NameId callee = direct_callee(statement);
        const auto body = callee == no_name ? std::nullopt : owner_.defined(callee);
        if (!body || owner_.may_write_through_pointer(*body)) foreign_writes.push_back(s);
        for (const Operand list : operands) {
          if (list.kind() != OperandKind::list) continue;
          for (const Operand argument : list.children()) {
            if (argument.kind() == OperandKind::reg) note_escape(before(argument.reg(), s), s);
          }
        }
        continue;
      }
      if (form.operation != Operation::ld && form.operation != Operation::st) {
        if (form.instruction == nullptr || form.instruction->writes_memory) foreign_writes.push_back(s);
        for (const Operand operand : operands) {
          if (operand.kind() == OperandKind::address) {
            const ExprId address = address_of(operand, s);
            if (const auto name = symbol_in(pool(), address); name && is_own(*name)) computed.insert(*name);
          } else if (operand.kind() == OperandKind::reg && form.operation == Operation::atom) {
            note_escape(before(operand.reg(), s), s);
          }
        }
        continue;
      }
      const bool store = form.operation == Operation::st;
      if (operands.size() < 2) continue;
      const Operand place = operands[store ? 0 : 1];
      if (place.kind() != OperandKind::address) continue;
      const unsigned bits = form.bits();
      if (store) {
        const Operand what = operands[1];
        if (what.kind() == OperandKind::reg) note_escape(before(what.reg(), s), s);
        if (what.kind() == OperandKind::name) note_escape(value_of(what, 64, s), s);
        if (what.kind() == OperandKind::vector) {
          for (const Operand e : what.children()) {
            if (e.kind() == OperandKind::reg) note_escape(before(e.reg(), s), s);
          }
        }
      }
      if (form.space == StateSpace::global || form.space == StateSpace::constant || form.space == StateSpace::shared)
        continue;
      const ExprId address = address_of(place, s);
      const Expr a = pool()[address];
      if (a.op != ExprOp::symbol) {
        if (const auto name = symbol_in(pool(), address); name && is_own(*name)) computed.insert(*name);
        else if (store && form.space != StateSpace::param) foreign_writes.push_back(s);
        continue;
      }
      const NameId name{a.payload};
      if (!is_own(name)) {
        if (store && form.space != StateSpace::param && space_of_symbol(name) == StateSpace::none)
          foreign_writes.push_back(s);
        continue;
      }
      if (bits == 0 || bits > 64) {
        computed.insert(name);
        continue;
      }
      for (unsigned e = 0; e < form.vector_width; ++e)
        accesses.push_back({name, a.value + (static_cast<std::uint64_t>(e) * (bits / 8)), bits, s, e, store});
    }
  }
  // Stores make the slots; loads read one, a part of one, or several side by side.
  for (const Access& access : accesses) {
    if (!access.store) continue;
    const auto [at, fresh] = slot_index_.try_emplace(slot_key(access.variable, access.offset, access.bits),
                                                     static_cast<std::uint32_t>(slots_.size()));
    if (fresh) {
      if (slots_.size() >= max_slots) {
        slot_index_.erase(at);
        computed.insert(access.variable);
        gave_up_ = true;
        continue;
      }
      slots_.push_back({access.variable, access.offset, access.bits, false});
      slot_definitions_.emplace_back();
      slot_elements_.emplace_back();
    }
    slot_definitions_[at->second].push_back(access.statement);
    slot_elements_[at->second].emplace(access.statement, access.element);
  }
  // Overlapping pieces, and variables that computed addresses reach into.
  slot_order_.resize(slots_.size());
  for (std::uint32_t i = 0; i < slot_order_.size(); ++i) slot_order_[i] = i;
  std::sort(slot_order_.begin(), slot_order_.end(), [&](std::uint32_t x, std::uint32_t y) {
    return std::tuple(slots_[x].variable, slots_[x].offset, slots_[x].bits) <
           std::tuple(slots_[y].variable, slots_[y].offset, slots_[y].bits);
  });
  for (std::size_t i = 0; i < slot_order_.size(); ++i) {
    Slot& slot = slots_[slot_order_[i]];
    if (computed.contains(slot.variable)) slot.mixed = true;
    for (std::size_t k = i + 1; k < slot_order_.size(); ++k) {
      Slot& next = slots_[slot_order_[k]];
      if (next.variable != slot.variable || next.offset >= slot.offset + (slot.bits / 8)) break;
      slot.mixed = next.mixed = true;
    }
  }
  for (std::uint32_t i = 0; i < slots_.size(); ++i) {
    if (!escaped.contains(slots_[i].variable)) continue;
    for (const std::uint32_t s : foreign_writes) {
      if (slot_elements_[i].emplace(s, clobbered).second) slot_definitions_[i].push_back(s);
    }
  }
  for (auto& list : slot_definitions_) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  // What was worked out meanwhile took local loads for unknown: look again.
  entry_values_.clear();
  definition_values_.clear();
  edge_conditions_.assign(edge_conditions_.size(), std::nullopt);
  reach_.assign(reach_.size(), std::nullopt);
  slot_state_ = SlotState::found;
}

std::optional<ExprId> FunctionValues::slot_value(NameId variable, std::uint64_t offset, unsigned bits,
                                                 std::uint32_t statement) {
  if (slot_state_ != SlotState::found) return std::nullopt;
  const auto stored = [&](std::uint32_t slot) { return variable_before(function_->register_count + slot, statement); };
  if (const auto found = slot_index_.find(slot_key(variable, offset, bits)); found != slot_index_.end()) {
    return slots_[found->second].mixed ? std::nullopt : std::optional(stored(found->second));
  }
  // No store of that size: a part of a wider one, or several narrower ones that fill it.
  std::vector<Piece> pieces;
  const auto first = std::lower_bound(slot_order_.begin(), slot_order_.end(), variable,
                                      [&](std::uint32_t slot, NameId name) { return slots_[slot].variable < name; });
  for (auto at = first; at != slot_order_.end() && slots_[*at].variable == variable && pieces.size() < 64; ++at) {
    const Slot& slot = slots_[*at];
    if (slot.offset >= offset + (bits / 8)) break;
    if (slot.offset + (slot.bits / 8) <= offset) continue;
    if (slot.mixed) return std::nullopt;
    pieces.push_back({slot.offset, slot.bits, stored(*at)});
  }
  if (pieces.empty()) return pool().unknown(bits, "local memory read before it is written");
  return read_pieces(pool(), pieces, offset, bits);
}

ExprId FunctionValues::slot_stored(std::uint32_t slot, std::uint32_t statement) {
  const unsigned bits = slots_[slot].bits;
  const std::uint32_t element = slot_elements_[slot].at(statement);
  if (element == clobbered) return pool().unknown(bits, "local memory that a pointer given away may reach");
  const auto operands = module_.statement(statement).operands();
  if (operands.size() < 2) return pool().unknown(bits, "a store of that form");
  const Operand what = operands[1];
  if (what.kind() != OperandKind::vector) return value_of(what, bits, statement);
  const auto children = what.children();
  return element < children.size() ? value_of(children[element], bits, statement)
                                   : pool().unknown(bits, "a store of that form");
}

ExprId FunctionValues::argument(std::uint32_t call, std::uint32_t index, std::uint64_t byte_offset, unsigned bits) {
  const Statement instruction = module_.statement(call);
  const auto operands = instruction.operands();
  std::size_t callee = 0;
  while (callee < operands.size() && operands[callee].kind() == OperandKind::list) ++callee;
  if (callee + 1 >= operands.size() || operands[callee + 1].kind() != OperandKind::list)
    return pool().unknown(bits, "an argument that is not passed");
  const auto arguments = operands[callee + 1].children();
  if (index >= arguments.size()) return pool().unknown(bits, "an argument that is not passed");
  const Operand passed = arguments[index];
  if (passed.kind() != OperandKind::name || !local_names_.contains(passed.name())) {
    return byte_offset == 0 ? value_of(passed, bits, call) : pool().unknown(bits, "part of an argument");
  }
  const NameId name = passed.name();
  const BlockId block = cfg_.block_of(call);
  if (block == no_block) return pool().unknown(bits, "a call that is never reached");
  std::vector<Piece> pieces;
  for (std::uint32_t s = call; s-- > cfg_.blocks[block].first;) {
    const Statement statement = module_.statement(s);
    if (statement.kind() == StatementKind::variable) {
      const auto locals = module_.local_variables();
      bool declared_here = false;
      for (std::uint32_t v = statement.payload(); v < locals.size() && locals[v].statement == s; ++v)
        declared_here |= locals[v].name == name;
      if (declared_here) break;
      continue;
    }
    if (statement.kind() != StatementKind::instruction) continue;
    const OpcodeForm& form = owner_.form(statement.opcode_id());
    if (form.operation != Operation::st || (form.space != StateSpace::param && form.space != StateSpace::none))
      continue;
    const auto stored = statement.operands();
    if (stored.size() < 2 || stored[0].kind() != OperandKind::address || form.bits() == 0 || form.bits() > 64) continue;
    const Operand base = stored[0].base();
    if (base.kind() != OperandKind::name || base.name() != name) continue;
    if (statement.guard()) return pool().unknown(bits, "an argument stored under a guard");
    for (unsigned e = 0; e < form.vector_width; ++e) {
      const std::uint64_t offset =
          static_cast<std::uint64_t>(stored[0].displacement()) + (static_cast<std::uint64_t>(e) * (form.bits() / 8));
      ExprId value{};
      if (stored[1].kind() != OperandKind::vector) value = value_of(stored[1], form.bits(), s);
      else if (e < stored[1].children().size()) value = value_of(stored[1].children()[e], form.bits(), s);
      else continue;
      pieces.push_back({offset, form.bits(), value});
    }
  }
  if (const auto value = read_pieces(pool(), pieces, byte_offset, bits)) return *value;
  return pool().unknown(bits, "an argument stored elsewhere");
}

ExprId FunctionValues::at_call(ExprId callee_value, std::uint32_t call) {
  const auto argument_of = [&](std::uint32_t index, std::uint64_t offset, unsigned bits) {
    return argument(call, index, offset, bits);
  };
  const auto memory = [&](const Expr& load, ExprId address) -> std::optional<ExprId> {
    // A pointer to one of our own variables was passed: what stood there at the call.
    const auto base = symbol_in(pool(), address);
    if (!base) return std::nullopt;
    const StateSpace where = space_of_symbol(*base);
    if (where != StateSpace::local) return std::nullopt;
    return pool().extend(load_from(StateSpace::local, load.type, address, call), load.bits, false);
  };
  return pool().substitute(callee_value, call, argument_of, memory);
}

ExprId FunctionValues::call_result(NameId return_name, std::uint64_t offset, unsigned bits, std::uint32_t statement) {
  const BlockId block = cfg_.block_of(statement);
  if (block == no_block) return pool().unknown(bits, "in code that is never reached");
  for (std::uint32_t s = statement; s-- > cfg_.blocks[block].first;) {
    const Statement call = module_.statement(s);
    if (call.kind() != StatementKind::instruction || owner_.form(call.opcode_id()).operation != Operation::call)
      continue;
    const auto operands = call.operands();
    if (operands.empty() || operands[0].kind() != OperandKind::list) continue;
    const auto returns = operands[0].children();
    if (returns.size() != 1 || returns[0].kind() != OperandKind::name || returns[0].name() != return_name) continue;
    if (call.guard()) return pool().unknown(bits, "the result of a call under a guard");
    const NameId callee = direct_callee(call);
    if (const auto body = callee == no_name ? std::nullopt : owner_.defined(callee)) {
      if (const auto value = owner_.returned_by(*body, offset, bits)) return at_call(*value, s);
    }
    std::vector<ExprId> arguments;
    std::size_t list = 1;
    while (list < operands.size() && operands[list].kind() != OperandKind::list) ++list;
    if (list < operands.size()) {
      for (std::uint32_t i = 0; i < operands[list].children().size() && i < 16; ++i) {
        const Operand passed = operands[list].children()[i];
        unsigned size = 64;
        if (passed.kind() == OperandKind::name) {
          if (const auto local = local_names_.find(passed.name()); local != local_names_.end()) {
            const std::uint64_t bytes = module_.local_variables()[local->second].size;
            size = bytes == 4 || bytes == 2 || bytes == 1 ? static_cast<unsigned>(bytes * 8) : 64;
          }
        }
        arguments.push_back(argument(s, i, 0, size));
      }
    }
    const ExprId result = pool().call(callee, s, bits, arguments);
    if (offset == 0) return result;
    const std::array<ExprId, 2> field{result, pool().constant(offset, 64)};  // another value than the first one
    return pool().function("field", bits, field);
  }
  return pool().unknown(bits, "a return value whose call is elsewhere");
}

ExprId FunctionValues::returned(std::uint64_t byte_offset, unsigned bits) {
  if (function_->return_parameters.size() != 1) return pool().unknown(bits, "no single return value");
  const Variable& parameter = function_->return_parameters.front();
  if (slot_state_ == SlotState::none) find_slots();
  std::vector<ExprId> values;
  for (const Block& block : cfg_.blocks) {
    if (!block.reachable || block.end != BlockEnd::ret) continue;
    const std::uint32_t at = block.last_instruction;
    ExprId value{};
    if (parameter.space == StateSpace::reg) {
      bool found = false;
      for (RegisterNumber r = 0; r < function_->register_count && !found; ++r) {
        if (module_.register_name(*function_, r) != module_.name(parameter.name)) continue;
        value = pool().extend(before(r, at), bits, false);
        found = true;
      }
      if (!found) return pool().unknown(bits, "a return register that is not there");
    } else if (const auto slot = slot_value(parameter.name, byte_offset, bits, at)) {
      value = *slot;
    } else {
      return pool().unknown(bits, "a return value stored in pieces");
    }
    if (std::find(values.begin(), values.end(), value) == values.end()) values.push_back(value);
  }
  if (values.size() == 1) return values.front();
  if (values.empty()) return pool().unknown(bits, "a function that does not return");
  const ExprId joined = pool().phi(no_index, bits);
  pool().set_phi_kids(joined, values);
  return joined;
}

std::optional<ExprId> ModuleValues::returned_by(std::uint32_t callee, std::uint64_t offset, unsigned bits) {
  if (in_progress_.size() >= 16 || !in_progress_.insert(callee).second) return std::nullopt;  // recursion
  const ExprId value = of(callee).returned(offset, bits);
  in_progress_.erase(callee);
  if (pool_->has_unknown(value) || pool_->node_count(value, max_expression) >= max_expression) return std::nullopt;
  return value;
}

bool ModuleValues::may_write_through_pointer(std::uint32_t function) {
  if (const auto found = writes_.find(function); found != writes_.end()) return found->second;
  writes_.emplace(function, true);  // for recursion: yes, until shown otherwise
  const Function& f = module_.functions()[function];
  bool writes = false;
  for (std::uint32_t s = f.body_begin; s < f.body_end && !writes; ++s) {
    const Statement statement = module_.statement(s);
    if (statement.kind() != StatementKind::instruction) continue;
    const OpcodeForm& opcode_form = form(statement.opcode_id());
    if (opcode_form.operation == Operation::call) {
      const NameId callee = direct_callee(statement);
      const auto body = callee == no_name ? std::nullopt : defined(callee);
      writes = body ? may_write_through_pointer(*body) : callee == no_name || !is_noreturn_callee(module_, callee);
      continue;
    }
    if (opcode_form.instruction == nullptr) {
      writes = true;
      continue;
    }
    if (!opcode_form.instruction->writes_memory) continue;
    const bool elsewhere = opcode_form.space == StateSpace::global || opcode_form.space == StateSpace::shared ||
                           opcode_form.space == StateSpace::param;
    if (elsewhere) continue;
    // A store to its own variables, named directly or through one register, as -O0 code does.
    const auto operands = statement.operands();
    if (opcode_form.operation == Operation::st && !operands.empty() && operands[0].kind() == OperandKind::address) {
      const ExprId address = of(function).address_of(operands[0], s);
      if (const auto base = symbol_in(*pool_, address); base && of(function).space_of_symbol(*base) != StateSpace::none)
        continue;
    }
    writes = true;
  }
  writes_[function] = writes;
  return writes;
}

}  // namespace ptxscope::analysis
