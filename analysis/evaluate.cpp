// What each instruction writes, as an expression (PTX ISA 9.7). An instruction whose result is only named, not
// modelled, becomes a function of its operands; one that the tables do not know becomes unknown.
#include <algorithm>
#include <array>
#include <bit>
#include <string>
#include <utility>

#include "analysis/values.h"

namespace ptxscope::analysis {

namespace {

// Where a register stands among the operands an instruction writes.
struct Target {
  unsigned element = 0;         // of a vector destination
  bool second_of_pair = false;  // q of `p|q`
  bool found = false;
};

Target find_target(const Statement& instruction, RegisterNumber reg) {
  Target target;
  const auto operands = instruction.operands();
  if (operands.empty()) return target;
  const Operand first = operands[0];
  if (first.kind() == OperandKind::reg) {
    target.found = first.reg() == reg && first.selector() == Selector::none;
    return target;
  }
  if (first.kind() == OperandKind::vector || first.kind() == OperandKind::pair) {
    const auto children = first.children();
    for (unsigned i = 0; i < children.size(); ++i) {
      const Operand child = children[i];
      if (child.kind() == OperandKind::reg && child.reg() == reg) {
        target.found = true;
        if (first.kind() == OperandKind::pair) target.second_of_pair = i == 1;
        else target.element = i;  // the last one wins, as in hardware order
      }
    }
  }
  return target;
}

bool is_volatile(std::string_view special) {
  return special.starts_with("clock") || special.starts_with("globaltimer") || special.starts_with("pm");
}

}  // namespace

ExprId FunctionValues::special_or_symbol(const Operand& operand, unsigned bits, std::uint32_t statement) {
  const std::string_view name = module_.name(operand.name());
  if (!name.empty() && name.front() == '%') {
    if (const isa::SpecialRegister* special = isa::find_special_register(name)) {
      std::string text(name.substr(1));
      if (operand.selector() != Selector::none) text.append(".").append(spelling(operand.selector()));
      if (text == "warpsize" || text == "WARP_SZ") return pool().constant(32, bits);
      if (is_volatile(text)) return pool().function(text, bits, {}, statement);
      // PTX 1.x reads %tid and its kin 16 bits wide; their values fit.
      const unsigned own = bits == 16 && special->components > 1 ? 16 : special->bits;
      return pool().extend(pool().special(text, own), bits, false);
    }
    return pool().unknown(bits, std::string("undeclared ").append(name));
  }
  if (name == "WARP_SZ") return pool().constant(32, bits);
  return pool().symbol(operand.name(), 0, bits);
}

ExprId FunctionValues::value_of(const Operand& operand, unsigned bits, std::uint32_t statement) {
  switch (operand.kind()) {
    case OperandKind::reg: {
      if (operand.selector() != Selector::none) return pool().unknown(bits, "part of a register");
      ExprId value = before(operand.reg(), statement);
      if (operand.negated()) value = pool()[value].bits == 1 ? pool().negate(value) : pool().unary(ExprOp::neg, value);
      return pool().extend(value, bits, false);
    }
    case OperandKind::integer:
      return pool().constant(bits == 1 ? static_cast<std::uint64_t>(operand.integer() != 0)
                                       : static_cast<std::uint64_t>(operand.integer()),
                             bits);
    case OperandKind::floating:
      if (operand.is_single()) {
        if (bits != 64) return pool().constant(operand.bits(), bits);
        return pool().constant(std::bit_cast<std::uint64_t>(static_cast<double>(
                                   std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits())))),
                               64);
      }
      if (bits == 32) {
        return pool().constant(std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits()))),
                               32);
      }
      return pool().constant(operand.bits(), bits);
    case OperandKind::name:
      return special_or_symbol(operand, bits, statement);
    case OperandKind::vector: {
      // A vector read as one value: the first element lowest.
      const auto children = operand.children();
      if (children.empty() || bits % children.size() != 0) break;
      const unsigned part = bits / static_cast<unsigned>(children.size());
      ExprId all = pool().constant(0, bits);
      for (unsigned i = 0; i < children.size(); ++i) {
        const ExprId wide = pool().extend(value_of(children[i], part, statement), bits, false);
        all =
            pool().binary(ExprOp::or_, all,
                          pool().binary(ExprOp::shl, wide, pool().constant(static_cast<std::uint64_t>(i) * part, 32)));
      }
      return all;
    }
    case OperandKind::expression:
      return pool().unknown(bits, "a constant expression over symbols");
    default:
      break;
  }
  return pool().unknown(bits, "an operand that is no value");
}

ExprId FunctionValues::evaluate(const Statement& instruction, RegisterNumber reg) {
  const OpcodeForm& form = owner_.form(instruction.opcode_id());
  const unsigned bits = width(reg);
  if (form.instruction == nullptr) {
    return pool().unknown(bits, std::string("unknown instruction ").append(instruction.opcode().text));
  }
  if (form.operation == Operation::call) {
    // Old PTX returns in registers.
    const auto operands = instruction.operands();
    const NameId callee = direct_callee(instruction);
    const auto body = callee == no_name ? std::nullopt : owner_.defined(callee);
    if (operands.empty() || operands[0].kind() != OperandKind::list || operands[0].children().size() != 1)
      return pool().unknown(bits, "one of several results of a call");
    if (body) {
      if (const auto value = owner_.returned_by(*body, 0, bits)) return at_call(*value, instruction.index());
    }
    return pool().call(callee, instruction.index(), bits, {});
  }
  const Target target = find_target(instruction, reg);
  if (!target.found)
    return pool().unknown(bits, std::string("what ").append(instruction.opcode().text).append(" writes here"));
  ExprId value = evaluate_scalar(instruction, form, target.element, target.second_of_pair);
  // A wider register takes the value extended by its type (PTX ISA 9.4.1); bits and unsigned with zeros.
  if (pool()[value].bits != bits) {
    const Type type = form.operation == Operation::ld || form.operation == Operation::cvt ? form.type : Type::none;
    value = pool().extend(value, bits, is_signed(type));
  }
  return value;
}

ExprId FunctionValues::named_function(const Statement& instruction, const OpcodeForm&, unsigned bits, bool pure) {
  std::vector<ExprId> kids;
  const auto operands = instruction.operands();
  const auto read = [&](const Operand& operand, auto&& self) -> void {
    switch (operand.kind()) {
      case OperandKind::reg: {
        ExprId value = before(operand.reg(), instruction.index());
        if (operand.selector() != Selector::none) {  // `%r1.b2` of a video instruction
          const std::array<ExprId, 1> whole{value};
          value = pool().function(spelling(operand.selector()), 32, whole);
        }
        if (operand.negated())
          value = pool()[value].bits == 1 ? pool().negate(value) : pool().unary(ExprOp::neg, value);
        kids.push_back(value);
        break;
      }
      case OperandKind::name:
        kids.push_back(special_or_symbol(operand, 64, instruction.index()));
        break;
      case OperandKind::integer:
        kids.push_back(pool().constant(operand.bits(), 64));
        break;
      case OperandKind::floating:
        kids.push_back(pool().constant(operand.bits(), operand.is_single() ? 32 : 64));
        break;
      case OperandKind::address:
        kids.push_back(address_of(operand, instruction.index()));
        break;
      case OperandKind::vector:
      case OperandKind::pair:
      case OperandKind::tuple_address:
      case OperandKind::list:
        for (const Operand child : operand.children()) self(child, self);
        break;
      case OperandKind::expression:
        kids.push_back(value_of(operand, 64, instruction.index()));
        break;
      default:
        break;
    }
  };
  for (std::size_t i = 1; i < operands.size() && kids.size() < 64; ++i) read(operands[i], read);
  return pool().function(instruction.opcode().text, bits, kids, pure ? 0 : instruction.index() + 1);
}

ExprId FunctionValues::compare_operands(const Statement& instruction, const OpcodeForm& form, std::size_t first) {
  const auto operands = instruction.operands();
  const std::uint32_t at = instruction.index();
  const Type type = form.operation == Operation::set && form.source_type != Type::none ? form.source_type : form.type;
  if (operands.size() < first + 2) return pool().unknown(1, "a compare without its operands");
  const unsigned bits = type == Type::pred ? 1 : size_of(type) * 8;
  if (bits == 0 || bits > 64) return pool().unknown(1, "a compare of that type");
  const ExprId a = value_of(operands[first], bits, at);
  const ExprId b = value_of(operands[first + 1], bits, at);
  if (!analysis::is_float(type)) {
    if (const auto op = integer_compare(form.compare, type)) return pool().compare(*op, type, a, b);
    return pool().unknown(1, "a compare of that kind");
  }
  const auto op = float_compare_from(form.compare);
  if (!op || type == Type::f16x2 || type == Type::bf16x2) return pool().unknown(1, "a packed compare");
  return pool().float_compare(*op, type, a, b);
}

ExprId FunctionValues::combine(const Statement& instruction, const OpcodeForm& form, ExprId compared,
                               std::size_t operand) {
  if (form.combine == Combine::none) return compared;
  const auto operands = instruction.operands();
  if (operands.size() <= operand) return pool().unknown(1, "a combining operand that is not there");
  const ExprId other = value_of(operands[operand], 1, instruction.index());
  switch (form.combine) {
    case Combine::and_:
      return pool().binary(ExprOp::and_, compared, other);
    case Combine::or_:
      return pool().binary(ExprOp::or_, compared, other);
    default:
      return pool().binary(ExprOp::xor_, compared, other);
  }
}

// setp.CmpOp.BoolOp.type p|q, a, b, c: p = BoolOp(a CmpOp b, c), q = BoolOp(!(a CmpOp b), c) (PTX ISA 9.7.6.2).
ExprId FunctionValues::evaluate_setp(const Statement& instruction, const OpcodeForm& form, bool second_of_pair) {
  ExprId compared = compare_operands(instruction, form, 1);
  if (second_of_pair) compared = pool().negate(compared);
  return combine(instruction, form, compared, 3);
}

ExprId FunctionValues::evaluate_conversion(const Statement& instruction, const OpcodeForm& form) {
  const auto operands = instruction.operands();
  const unsigned to = form.bits();
  const unsigned from = size_of(form.source_type) * 8;
  if (form.source_type == Type::none || from == 0 || to == 0 || to > 64 || from > 64 || operands.size() < 2) {
    return named_function(instruction, form, to == 0 || to > 64 ? 32 : to, true);
  }
  if (form.is_float() || analysis::is_float(form.source_type) || form.saturates)
    return named_function(instruction, form, to, true);
  return pool().extend(value_of(operands[1], from, instruction.index()), to, analysis::is_signed(form.source_type));
}

ExprId FunctionValues::evaluate_bits(const Statement& instruction, const OpcodeForm& form) {
  const auto operands = instruction.operands();
  const std::uint32_t at = instruction.index();
  ExprPool& p = pool();
  const unsigned bits = form.bits();
  const auto source = [&](std::size_t i, unsigned wide) {
    return operands.size() > i ? value_of(operands[i], wide, at) : p.unknown(wide, "an operand that is not there");
  };
  switch (form.operation) {
    case Operation::shf: {
      // The upper 32 bits of [b:a] << n, or the lower ones of [b:a] >> n; .wrap takes n modulo 32, .clamp at 32.
      const Opcode& opcode = instruction.opcode();
      const ExprId upper = p.binary(ExprOp::shl, p.extend(source(2, 32), 64, false), p.constant(32, 32));
      const ExprId both = p.binary(ExprOp::or_, p.extend(source(1, 32), 64, false), upper);
      ExprId n = source(3, 32);
      n = opcode.has("wrap") ? p.binary(ExprOp::and_, n, p.constant(31, 32))
                             : p.binary(ExprOp::min_u, n, p.constant(32, 32));
      if (opcode.has("l"))
        return p.truncate(p.binary(ExprOp::shr_u, p.binary(ExprOp::shl, both, n), p.constant(32, 32)), 32);
      return p.truncate(p.binary(ExprOp::shr_u, both, n), 32);
    }
    case Operation::lop3: {
      const ExprId table = source(4, 32);
      if (!p.is_constant(table)) break;
      const auto lut = static_cast<unsigned>(p[table].value);
      const std::array<ExprId, 3> in{source(1, 32), source(2, 32), source(3, 32)};
      // Which inputs the table depends on; two or fewer are spelt plainly, else by the rows that give 1.
      const auto row = [&](unsigned i) { return ((lut >> i) & 1U) != 0; };
      if ((lut & 0xffU) == 0) return p.constant(0, 32);
      if ((lut & 0xffU) == 0xffU) return p.constant(0xffffffffU, 32);
      switch (lut & 0xffU) {
        case 0x80:
          return p.binary(ExprOp::and_, p.binary(ExprOp::and_, in[0], in[1]), in[2]);
        case 0xfe:
          return p.binary(ExprOp::or_, p.binary(ExprOp::or_, in[0], in[1]), in[2]);
        case 0x96:
          return p.binary(ExprOp::xor_, p.binary(ExprOp::xor_, in[0], in[1]), in[2]);
        case 0xc0:
          return p.binary(ExprOp::and_, in[0], in[1]);
        case 0xa0:
          return p.binary(ExprOp::and_, in[0], in[2]);
        case 0x88:
          return p.binary(ExprOp::and_, in[1], in[2]);
        case 0xfc:
          return p.binary(ExprOp::or_, in[0], in[1]);
        case 0xfa:
          return p.binary(ExprOp::or_, in[0], in[2]);
        case 0xee:
          return p.binary(ExprOp::or_, in[1], in[2]);
        case 0x3c:
          return p.binary(ExprOp::xor_, in[0], in[1]);
        case 0xe0:
          return p.binary(ExprOp::and_, in[0], p.binary(ExprOp::or_, in[1], in[2]));
        case 0xa8:
          return p.binary(ExprOp::and_, p.binary(ExprOp::or_, in[0], in[1]), in[2]);
        case 0xf8:
          return p.binary(ExprOp::or_, in[0], p.binary(ExprOp::and_, in[1], in[2]));
        case 0xea:
          return p.binary(ExprOp::or_, p.binary(ExprOp::and_, in[0], in[1]), in[2]);
        default:
          break;
      }
      ExprId all = p.constant(0, 32);
      for (unsigned i = 0; i < 8; ++i) {
        if (!row(i)) continue;
        ExprId term = p.constant(0xffffffffU, 32);
        for (unsigned k = 0; k < 3; ++k) {
          const bool set = ((i >> (2 - k)) & 1U) != 0;  // a is the high bit of the row (0xF0)
          term = p.binary(ExprOp::and_, term, set ? in.at(k) : p.unary(ExprOp::not_, in.at(k)));
        }
        all = p.binary(ExprOp::or_, all, term);
      }
      return all;
    }
    case Operation::bfe: {
      const ExprId position = source(2, 32);
      const ExprId length = source(3, 32);
      if (!p.is_constant(position) || !p.is_constant(length)) break;
      const std::uint64_t pos = p[position].value & 0xffU;
      const std::uint64_t len = p[length].value & 0xffU;
      const ExprId value = source(1, bits);
      if (len == 0) return p.constant(0, bits);
      if (form.is_signed()) {
        if (pos + len > bits) break;
        const ExprId up = p.binary(ExprOp::shl, value, p.constant(bits - pos - len, 32));
        return p.binary(ExprOp::shr_s, up, p.constant(bits - len, 32));
      }
      const ExprId down = p.binary(ExprOp::shr_u, value, p.constant(pos, 32));
      return len >= bits ? down : p.binary(ExprOp::and_, down, p.constant((1ULL << len) - 1, bits));
    }
    case Operation::bfi: {
      const ExprId position = source(3, 32);
      const ExprId length = source(4, 32);
      if (!p.is_constant(position) || !p.is_constant(length)) break;
      const std::uint64_t pos = p[position].value & 0xffU;
      const std::uint64_t len = p[length].value & 0xffU;
      if (len == 0 || pos >= bits) return source(2, bits);
      const std::uint64_t field = len >= 64 ? ~0ULL : (1ULL << len) - 1;
      const ExprId inserted =
          p.binary(ExprOp::shl, p.binary(ExprOp::and_, source(1, bits), p.constant(field, bits)), p.constant(pos, 32));
      return p.binary(ExprOp::or_, p.binary(ExprOp::and_, source(2, bits), p.constant(~(field << pos), bits)),
                      inserted);
    }
    case Operation::prmt: {
      const ExprId selector = source(3, 32);
      const Opcode& opcode = instruction.opcode();
      if (!p.is_constant(selector) || opcode.modifiers.size() > 1) break;  // modes (.f4e, .rc8, …) are named only
      const std::uint64_t choice = p[selector].value & 0xffffU;
      if (choice == 0x3210) return source(1, 32);
      if (choice == 0x7654) return source(2, 32);
      ExprId all = p.constant(0, 32);
      for (unsigned i = 0; i < 4; ++i) {
        const auto nibble = static_cast<unsigned>((choice >> (4 * i)) & 0xfU);
        if ((nibble & 8U) != 0) return named_function(instruction, form, 32, true);
        const ExprId from = source((nibble & 4U) != 0 ? 2 : 1, 32);
        const ExprId byte = p.binary(ExprOp::and_, p.binary(ExprOp::shr_u, from, p.constant(8ULL * (nibble & 3U), 32)),
                                     p.constant(0xff, 32));
        all = p.binary(ExprOp::or_, all, p.binary(ExprOp::shl, byte, p.constant(8ULL * i, 32)));
      }
      return all;
    }
    case Operation::popc:
    case Operation::clz: {
      const ExprId count = p.unary(form.operation == Operation::popc ? ExprOp::popc : ExprOp::clz, source(1, bits));
      return p.truncate(count, 32);
    }
    case Operation::brev:
      return p.unary(ExprOp::brev, source(1, bits));
    default:
      break;
  }
  return named_function(instruction, form, form.operation == Operation::bfind ? 32 : bits, true);
}

ExprId FunctionValues::evaluate_scalar(const Statement& instruction, const OpcodeForm& form, unsigned element,
                                       bool second_of_pair) {
  const auto operands = instruction.operands();
  const std::uint32_t at = instruction.index();
  ExprPool& p = pool();
  const unsigned bits = form.bits() == 0 || form.bits() > 64 ? 32 : form.bits();
  const auto source = [&](std::size_t i, unsigned wide) {
    return operands.size() > i ? value_of(operands[i], wide, at) : p.unknown(wide, "an operand that is not there");
  };
  const bool whole = form.bits() != 0 && form.bits() <= 64;
  const bool integer = whole && !form.is_float() && form.type != Type::f16x2;
  // The order of both sides of a sum is that in which they were made, so it must not be left to the compiler which
  // argument of a call is worked out first: it is the last one.
  const auto two = [&](unsigned first, unsigned second) {
    const ExprId b = source(2, second);
    return std::pair(source(1, first), b);
  };
  const auto plain = [&](ExprOp op) {
    const auto [a, b] = two(bits, bits);
    return p.binary(op, a, b);
  };
  const auto by_sign = [&](ExprOp with_sign, ExprOp without) { return plain(form.is_signed() ? with_sign : without); };

  if (form.carries) return p.unknown(bits, "the carry of an earlier instruction");
  switch (form.operation) {
    case Operation::ld:
      return evaluate_load(instruction, form, element);
    case Operation::setp:
      return evaluate_setp(instruction, form, second_of_pair);
    case Operation::mov: {
      if (!whole) break;
      const Operand first = operands[0];
      if (first.kind() == OperandKind::vector) {  // unpack: `mov.b64 {%r1, %r2}, %rd1`
        const unsigned part = bits / static_cast<unsigned>(std::max<std::size_t>(first.children().size(), 1));
        if (form.vector_width > 1) {  // `mov.v4.u32 {…}, {…}` or a vector register
          if (operands.size() > 1 && operands[1].kind() == OperandKind::vector &&
              element < operands[1].children().size()) {
            return value_of(operands[1].children()[element], bits, at);
          }
          return p.unknown(bits, "part of a vector register");
        }
        const ExprId all = source(1, bits);
        return p.truncate(p.binary(ExprOp::shr_u, all, p.constant(static_cast<std::uint64_t>(part) * element, 32)),
                          part);
      }
      return source(1, bits);
    }
    case Operation::cvta: {
      // A pointer to the same byte. Global, constant and parameter windows keep null and order; so does a symbol.
      const ExprId pointer = source(1, bits);
      const bool window = form.space == StateSpace::shared || form.space == StateSpace::local;
      if (!window || p[pointer].op == ExprOp::symbol ||
          (p[pointer].op == ExprOp::add && p[p.kid(pointer, 0)].op == ExprOp::symbol))
        return pointer;
      break;
    }
    case Operation::cvt:
      return evaluate_conversion(instruction, form);
    case Operation::add:
      if (!integer || form.saturates) break;
      return plain(ExprOp::add);
    case Operation::sub:
      if (!integer || form.saturates) break;
      return plain(ExprOp::sub);
    case Operation::mul:
    case Operation::mad: {
      if (!integer || form.saturates) break;
      if (form.product == Product::wide) {
        const unsigned wide = bits * 2;
        if (wide > 64) break;
        const ExprId b = p.extend(source(2, bits), wide, form.is_signed());
        const ExprId product = p.binary(ExprOp::mul, p.extend(source(1, bits), wide, form.is_signed()), b);
        return form.operation == Operation::mul ? product : p.binary(ExprOp::add, product, source(3, wide));
      }
      const ExprId product =
          form.product == Product::high ? by_sign(ExprOp::mul_hi_s, ExprOp::mul_hi_u) : plain(ExprOp::mul);
      return form.operation == Operation::mul ? product : p.binary(ExprOp::add, product, source(3, bits));
    }
    case Operation::mul24:
    case Operation::mad24: {
      if (form.product == Product::high || form.is_signed() || form.saturates) break;
      const auto low = [&](ExprId v) {
        const bool fits = p[v].op == ExprOp::special &&
                          (p.special_name(v).starts_with("tid.") || p.special_name(v).starts_with("ntid."));
        const bool narrow = p[v].op == ExprOp::zext && p[p.kid(v, 0)].bits <= 24;
        return fits || narrow ? v : p.binary(ExprOp::and_, v, p.constant(0xffffff, 32));
      };
      const ExprId b = low(source(2, 32));
      const ExprId product = p.binary(ExprOp::mul, low(source(1, 32)), b);
      return form.operation == Operation::mul24 ? product : p.binary(ExprOp::add, product, source(3, 32));
    }
    case Operation::div:
      if (!integer) break;
      return by_sign(ExprOp::div_s, ExprOp::div_u);
    case Operation::rem:
      if (!integer) break;
      return by_sign(ExprOp::rem_s, ExprOp::rem_u);
    case Operation::abs:
    case Operation::neg:
      if (!integer) break;
      return p.unary(form.operation == Operation::abs ? ExprOp::abs : ExprOp::neg, source(1, bits));
    case Operation::min:
    case Operation::max: {
      if (!integer || form.type == Type::none || instruction.opcode().modifiers.size() > 1 || operands.size() > 3)
        break;
      if (form.operation == Operation::min) return by_sign(ExprOp::min_s, ExprOp::min_u);
      return by_sign(ExprOp::max_s, ExprOp::max_u);
    }
    case Operation::and_:
      return whole ? plain(ExprOp::and_) : named_function(instruction, form, bits, true);
    case Operation::or_:
      return whole ? plain(ExprOp::or_) : named_function(instruction, form, bits, true);
    case Operation::xor_:
      return whole ? plain(ExprOp::xor_) : named_function(instruction, form, bits, true);
    case Operation::not_:
      return p.unary(ExprOp::not_, source(1, bits));
    case Operation::cnot:
      return p.select(p.compare(ExprOp::eq, form.type, source(1, bits), p.constant(0, bits)), p.constant(1, bits),
                      p.constant(0, bits));
    case Operation::shl: {
      const auto [a, b] = two(bits, 32);
      return p.binary(ExprOp::shl, a, b);
    }
    case Operation::shr: {
      const auto [a, b] = two(bits, 32);
      return p.binary(form.is_signed() ? ExprOp::shr_s : ExprOp::shr_u, a, b);
    }
    case Operation::lop3:
      if (operands.size() > 5 || operands[0].kind() == OperandKind::pair) {
        // lop3.BoolOp.b32 d|p, a, b, c, lut, q: p = BoolOp(d != 0, q) (PTX ISA 9.7.8.6).
        const ExprId result = evaluate_bits(instruction, form);
        if (!second_of_pair) return result;
        return combine(instruction, form, p.compare(ExprOp::ne, Type::b32, result, p.constant(0, 32)), 5);
      }
      return evaluate_bits(instruction, form);
    case Operation::shf:
    case Operation::bfe:
    case Operation::bfi:
    case Operation::prmt:
    case Operation::popc:
    case Operation::clz:
    case Operation::brev:
    case Operation::bfind:
      return evaluate_bits(instruction, form);
    case Operation::selp: {
      if (!whole) break;
      const auto [a, b] = two(bits, bits);
      return p.select(source(3, 1), a, b);
    }
    case Operation::slct: {
      if (!whole || form.source_type != Type::s32) break;
      const ExprId chooser = source(3, 32);
      const auto [a, b] = two(bits, bits);
      return p.select(p.compare(ExprOp::ge_s, Type::s32, chooser, p.constant(0, 32)), a, b);
    }
    case Operation::set: {
      if (!whole || form.source_type == Type::none) break;
      const ExprId condition = combine(instruction, form, compare_operands(instruction, form, 1), 3);
      std::uint64_t one = ~0ULL;
      if (form.type == Type::f32) one = 0x3f800000;
      else if (form.is_float()) break;
      return p.select(condition, p.constant(one, bits), p.constant(0, bits));
    }
    case Operation::testp:
      return named_function(instruction, form, 1, true);
    case Operation::vote: {
      const bool is_predicate = form.type == Type::pred;
      std::array<ExprId, 1> kid{source(1, 1)};
      const Opcode& opcode = instruction.opcode();
      for (const std::string_view mode : {"all", "any", "uni", "ballot"}) {
        if (!opcode.has(mode)) continue;
        if (p.is_constant(kid[0]) && mode != "ballot" && mode != "uni") return kid[0];
        // vote.any(!p) is !vote.all(p): one spelling.
        return p.function(std::string("vote.").append(mode), is_predicate ? 1 : 32, kid, at + 1);
      }
      break;
    }
    case Operation::shfl: {
      std::vector<ExprId> kids{source(1, 32)};
      if (!p.is_constant(source(2, 32))) kids.push_back(source(2, 32));
      std::string name = "shfl";
      for (const std::string_view mode : {"up", "down", "bfly", "idx"}) {
        if (instruction.opcode().has(mode)) name.append(".").append(mode);
      }
      if (!second_of_pair) return p.function(name, 32, kids, at + 1);
      kids.erase(kids.begin());  // whether the source lane is in range does not depend on the value
      return p.function(name.append(".in_range"), 1, kids, at + 1);
    }
    case Operation::activemask:
      return p.function("activemask", 32, {}, at + 1);
    case Operation::isspacep:
      return named_function(instruction, form, 1, true);
    default:
      break;
  }
  const isa::Category category = form.instruction->category;
  const bool pure = !form.instruction->has_side_effect && !form.instruction->reads_memory &&
                    (category == isa::Category::arithmetic || category == isa::Category::logic ||
                     category == isa::Category::compare || category == isa::Category::conversion ||
                     category == isa::Category::video || category == isa::Category::move);
  if (second_of_pair) return p.extend(named_function(instruction, form, 1, false), 1, false);
  unsigned result_bits = bits;
  if (form.product == Product::wide && bits <= 32) result_bits = bits * 2;
  if (operands[0].kind() == OperandKind::reg) {
    result_bits = width(operands[0].reg());
  } else if (operands[0].kind() == OperandKind::vector && element < operands[0].children().size()) {
    // ldmatrix.….b16 writes registers of 32 bits, mov.b128 of 64.
    const Operand written = operands[0].children()[element];
    if (written.kind() == OperandKind::reg) result_bits = width(written.reg());
  }
  const ExprId value = named_function(instruction, form, result_bits, pure);
  if (element == 0) return value;
  const std::array<ExprId, 2> part{value, p.constant(element, 32)};
  return p.function("element", result_bits, part);
}

}  // namespace ptxscope::analysis
