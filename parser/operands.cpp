// Operand records from a plan. This is the loop that reading a module spends its time in.
#include <bit>

#include "parser/builder.h"

namespace ptxscope {
namespace {

namespace record = detail::record;

constexpr std::uint64_t make(OperandKind kind, std::uint64_t value) {
  return static_cast<std::uint64_t>(kind) | value << record::value_shift;
}

constexpr bool fits_signed(std::int64_t value, unsigned bits) {
  const std::int64_t limit = std::int64_t{1} << (bits - 1U);
  return value >= -limit && value < limit;
}

std::uint64_t composite(OperandKind kind, std::uint64_t to_first_child, std::uint64_t count) {
  return make(kind, to_first_child | count << 24U);
}

Selector selector_from(std::string_view word) {
  if (word.size() == 1) {
    switch (word[0]) {
      case 'x': return Selector::x;
      case 'y': return Selector::y;
      case 'z': return Selector::z;
      case 'w': return Selector::w;
      case 'r': return Selector::r;
      case 'g': return Selector::g;
      case 'b': return Selector::b;
      case 'a': return Selector::a;
      default: return Selector::other;
    }
  }
  if (word.size() == 2 && word[0] == 'b' && word[1] >= '0' && word[1] <= '3') {
    return static_cast<Selector>(static_cast<unsigned>(Selector::b0) + static_cast<unsigned>(word[1] - '0'));
  }
  if (word == "h0") return Selector::h0;
  if (word == "h1") return Selector::h1;
  return Selector::other;
}

}  // namespace

std::uint64_t Builder::name_record(const Token& token, bool negated, const Token* selector_token) {
  std::string_view name = spelling(token);
  Span span = token.span();
  auto selector = Selector::none;
  if (token.kind() == TokenKind::dotted) {
    const std::size_t dot = name.find('.');
    selector = selector_from(name.substr(dot + 1));
    name = name.substr(0, dot);
    span.end = span.begin + static_cast<std::uint32_t>(dot);
  }
  if (selector_token != nullptr) selector = selector_from(spelling(*selector_token).substr(1));
  const std::uint64_t flags = (negated ? record::negated : 0) |
                              static_cast<std::uint64_t>(selector) << record::selector_shift;
  if (const auto number = scopes_.find(name)) return make(OperandKind::reg, *number) | flags;
  if (name == "WARP_SZ" && !negated) return make(OperandKind::integer, warp_size);
  if (!module_registers_.empty()) {
    if (const auto number = module_register(name)) return make(OperandKind::reg, *number) | flags;
  }
  return make(OperandKind::name, static_cast<std::uint32_t>(storage_.names.intern(span))) | flags;
}

std::uint64_t Builder::integer_record(std::uint64_t value) {
  if (fits_signed(static_cast<std::int64_t>(value), 48)) return make(OperandKind::integer, value);
  storage_.wide.push(value);
  return make(OperandKind::integer, storage_.wide.size() - 1) | record::wide;
}

std::uint64_t Builder::floating_record(std::uint64_t bits, bool single) {
  if (single) return make(OperandKind::floating, bits) | record::single;
  storage_.wide.push(bits);
  return make(OperandKind::floating, storage_.wide.size() - 1) | record::wide;
}

std::optional<Constant> Builder::constant(std::uint32_t first, std::uint32_t last) const {
  return evaluate(text_, tokens_.subspan(first, last - first + 1));
}

std::uint64_t Builder::expression_record(std::uint32_t first, std::uint32_t last) {
  const auto value = constant(first, last);
  if (!value) return make(OperandKind::expression, 0);
  if (value->is_integer()) return integer_record(value->bits);
  return floating_record(value->bits, value->form == Constant::Form::single_float);
}

// The parts of an address that does not fit its record stand after the records of the statement's plan.
void Builder::wide_address(std::size_t record, std::uint64_t base, std::int64_t displacement,
                           std::optional<std::uint64_t> index) {
  auto& operands = storage_.operands;
  const std::size_t first = operands.size();
  operands.push(base);
  operands.push(integer_record(static_cast<std::uint64_t>(displacement)));
  if (index) operands.push(*index);
  operands[record] |= composite(OperandKind::address, first - record, operands.size() - first) | record::wide;
}

void Builder::address_expression(std::size_t record, const Step& step) {
  const std::uint32_t first = step.first;
  const std::uint32_t last = step.last;
  const auto is_name = [&](std::uint32_t i) {
    return tokens_[i].kind() == TokenKind::identifier || tokens_[i].kind() == TokenKind::dotted;
  };
  if (const auto value = constant(first, last); value && value->is_integer()) {
    return wide_address(record, integer_record(value->bits), 0, std::nullopt);
  }
  // `name + …`: a constant, or another name with perhaps a constant after it.
  const bool sum = last > first + 1 && is_name(first) &&
                   (tokens_[first + 1].kind() == TokenKind::plus || tokens_[first + 1].kind() == TokenKind::minus);
  if (sum) {
    const std::uint64_t base = name_record(tokens_[first], false);
    // With its sign: `r-4+2` is r + (-4+2).
    if (const auto value = constant(first + 1, last); value && value->is_integer()) {
      return wide_address(record, base, static_cast<std::int64_t>(value->bits), std::nullopt);
    }
    if (tokens_[first + 1].kind() == TokenKind::plus && is_name(first + 2)) {
      const std::uint64_t index = name_record(tokens_[first + 2], false);
      strange_address(first, last);
      if (last == first + 2) return wide_address(record, base, 0, index);
      if (const auto value = constant(first + 3, last); value && value->is_integer() &&
          (tokens_[first + 3].kind() == TokenKind::plus || tokens_[first + 3].kind() == TokenKind::minus)) {
        return wide_address(record, base, static_cast<std::int64_t>(value->bits), index);
      }
    }
  }
  strange_address(first, last);
  wide_address(record, make(OperandKind::expression, 0), 0, std::nullopt);
}

void Builder::strange_address(std::uint32_t first, std::uint32_t last) {
  report(Level::warning, "PTX-ADDRESS", {tokens_[first].begin, tokens_[last].end()},
         "ptxas takes one register or symbol and a constant in an address", "add the parts up before");
}

void Builder::operands(const Plan& plan) {
  auto& operands = storage_.operands;
  const std::size_t first = operands.size();
  std::uint64_t* out = operands.extend(plan.operand_steps);
  for (std::uint32_t i = 0; i < plan.operand_steps; ++i) {
    const Step& step = plan.steps[i];
    std::uint64_t value = 0;
    switch (step.kind) {
      case StepKind::name:
        value = name_record(tokens_[step.first], step.negated,
                            step.last == step.first ? nullptr : &tokens_[step.last]);
        break;
      case StepKind::symbol:
        value = make(OperandKind::name, static_cast<std::uint32_t>(intern(step.first)));
        break;
      case StepKind::integer: {
        const std::uint64_t number = integer_value(spelling(step.first));
        value = integer_record(step.negated ? 0 - number : number);
        break;
      }
      case StepKind::hex_floating: {
        const std::string_view literal = spelling(step.first);
        const bool single = is_single_literal(literal);
        std::uint64_t bits = hex_floating_bits(literal);
        if (step.negated) bits ^= single ? std::uint64_t{1} << 31U : std::uint64_t{1} << 63U;
        value = floating_record(bits, single);
        break;
      }
      case StepKind::floating: {
        const double number = floating_value(spelling(step.first));
        value = floating_record(std::bit_cast<std::uint64_t>(step.negated ? -number : number), false);
        break;
      }
      case StepKind::sink: value = make(OperandKind::sink, 0); break;
      case StepKind::string: value = make(OperandKind::string, 0); break;
      case StepKind::composite: value = composite(step.operand, step.children - i, step.count); break;
      case StepKind::address_name:
      case StepKind::address_offset: {
        const std::uint64_t base = name_record(tokens_[step.first], false);
        std::int64_t displacement = 0;
        if (step.kind == StepKind::address_offset) {
          const std::uint64_t number = integer_value(spelling(step.last));
          displacement = static_cast<std::int64_t>(step.negated ? 0 - number : number);
        }
        const std::uint64_t id = base >> record::value_shift;
        const bool named = (base & record::kind_mask) == static_cast<std::uint64_t>(OperandKind::name);
        if (id < (1U << 24U) && fits_signed(displacement, 24)) {
          value = make(OperandKind::address, id | (static_cast<std::uint64_t>(displacement) & 0xffffffU) << 24U) |
                  (base & (std::uint64_t{31} << record::selector_shift)) | (named ? record::named_base : 0);
        } else {
          operands[first + i] = 0;
          wide_address(first + i, base, displacement, std::nullopt);
          value = operands[first + i];
        }
        break;
      }
      case StepKind::address_expression:
        operands[first + i] = 0;
        address_expression(first + i, step);
        value = operands[first + i];
        break;
      case StepKind::expression: value = expression_record(step.first, step.last); break;
      default: break;
    }
    if (step.last_of_list) value |= record::last;
    out = operands.data() + first;  // the array may have grown
    out[i] = value;
  }
}

// `(4+5)` has the form of a call's list. Anywhere but in a call it is what stands in the parentheses.
void Builder::unwrap_lists(const Plan& plan, std::size_t first) {
  auto& operands = storage_.operands;
  for (std::uint32_t i = 0; i < plan.operand_steps; ++i) {
    const Step& step = plan.steps[i];
    if (step.kind != StepKind::composite || step.operand != OperandKind::list || step.count != 1) continue;
    const std::uint64_t child = operands[first + step.children];
    const auto kind = static_cast<OperandKind>(child & record::kind_mask);
    const bool has_children = kind == OperandKind::vector || kind == OperandKind::tuple_address ||
                              (kind == OperandKind::address && (child & record::wide) != 0);
    // The child's children are counted from where it stands.
    const std::uint64_t moved = has_children ? child + (std::uint64_t{step.children - i} << record::value_shift) : child;
    operands[first + i] = moved | (operands[first + i] & record::last);
  }
}

}  // namespace ptxscope
