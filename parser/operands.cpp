// Operand records from a plan. This is the loop that reading a module spends its time in.
#include <bit>

#include "parser/builder.h"

namespace ptxscope {
namespace {

namespace record = detail::record;

constexpr std::uint64_t make(OperandKind kind, std::uint64_t value) {
  return static_cast<std::uint64_t>(kind) | value << record::value_shift;
}

constexpr std::uint64_t selector_mask = std::uint64_t{31} << record::selector_shift;

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
      case 'x':
        return Selector::x;
      case 'y':
        return Selector::y;
      case 'z':
        return Selector::z;
      case 'w':
        return Selector::w;
      case 'r':
        return Selector::r;
      case 'g':
        return Selector::g;
      case 'b':
        return Selector::b;
      case 'a':
        return Selector::a;
      default:
        return Selector::other;
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
  const std::uint64_t flags = (negated ? record::negated : 0) | static_cast<std::uint64_t>(selector)
                                                                    << record::selector_shift;
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
  operands[record] =
      composite(OperandKind::address, first - record, operands.size() - first) | record::wide | (base & selector_mask);
}

void Builder::address(std::size_t record, std::uint64_t base, std::int64_t displacement) {
  const auto kind = static_cast<OperandKind>(base & record::kind_mask);
  const std::uint64_t id = base >> record::value_shift;
  const bool named = kind == OperandKind::name;
  if ((!named && kind != OperandKind::reg) || id >= (1U << 24U) || !fits_signed(displacement, 24)) {
    return wide_address(record, base, displacement, std::nullopt);
  }
  const std::uint64_t offset = static_cast<std::uint64_t>(displacement) & 0xffffffU;
  storage_.operands[record] =
      make(OperandKind::address, id | offset << 24U) | (base & selector_mask) | (named ? record::named_base : 0);
}

// What the plan could not name at once: `[16]`, `[a+4*2]`, `[a+b]`, `[a .x]`, and what is no address at all.
void Builder::address_expression(std::size_t record, const Step& step) {
  const std::uint32_t last = step.last;
  if (const auto value = constant(step.first, last); value && value->is_integer()) {
    return wide_address(record, integer_record(value->bits), 0, std::nullopt);
  }
  std::uint32_t next = step.first;  // the token after what was read
  const auto name = [&]() -> std::optional<std::uint64_t> {
    if (next > last) return std::nullopt;
    const Token& token = tokens_[next];
    if (token.kind() != TokenKind::identifier && token.kind() != TokenKind::dotted) return std::nullopt;
    ++next;
    const Token* selector = next <= last && is_dot_word(tokens_[next].kind()) ? &tokens_[next++] : nullptr;
    return name_record(token, false, selector);
  };
  // With its sign: `r-4+2` is r + (-4+2).
  const auto displacement = [&]() -> std::optional<std::int64_t> {
    if (next > last) return 0;
    if (tokens_[next].kind() != TokenKind::plus && tokens_[next].kind() != TokenKind::minus) return std::nullopt;
    const auto value = constant(next, last);
    if (!value || !value->is_integer()) return std::nullopt;
    return static_cast<std::int64_t>(value->bits);
  };
  const std::optional<std::uint64_t> base = name();
  if (base) {
    if (const auto offset = displacement()) return address(record, *base, *offset);
  }
  report(Level::warning, "PTX-ADDRESS", {tokens_[step.first].begin, tokens_[last].end()},
         "ptxas takes one register or symbol and a constant in an address", "add the parts up before");
  if (base && next <= last && tokens_[next].kind() == TokenKind::plus) {
    ++next;
    if (const auto index = name()) {
      if (const auto offset = displacement()) return wide_address(record, *base, *offset, index);
    }
  }
  wide_address(record, make(OperandKind::expression, 0), 0, std::nullopt);
}

void Builder::operands(const Plan& plan) {
  auto& operands = storage_.operands;
  const std::size_t first = operands.size();
  operands.extend(plan.operand_steps);
  for (std::uint32_t i = 0; i < plan.operand_steps; ++i) {
    const Step& step = plan.steps[i];
    std::uint64_t value = 0;
    switch (step.kind) {
      case StepKind::name:
        value = name_record(tokens_[step.first], step.negated, step.last == step.first ? nullptr : &tokens_[step.last]);
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
      case StepKind::sink:
        value = make(OperandKind::sink, 0);
        break;
      case StepKind::string:
        value = make(OperandKind::string, 0);
        break;
      case StepKind::composite:
        value = composite(step.operand, step.children - i, step.count);
        break;
      case StepKind::address_name:
      case StepKind::address_offset: {
        std::int64_t displacement = 0;
        if (step.kind == StepKind::address_offset) {
          const std::uint64_t number = integer_value(spelling(step.last));
          displacement = static_cast<std::int64_t>(step.negated ? 0 - number : number);
        }
        address(first + i, name_record(tokens_[step.first], false), displacement);
        value = operands[first + i];
        break;
      }
      case StepKind::address_expression:
        address_expression(first + i, step);
        value = operands[first + i];
        break;
      case StepKind::expression:
        value = expression_record(step.first, step.last);
        break;
      default:
        break;
    }
    if (step.last_of_list) value |= record::last;
    operands[first + i] = value;
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
    const std::uint64_t moved =
        has_children ? child + (std::uint64_t{step.children - i} << record::value_shift) : child;
    operands[first + i] = moved | (operands[first + i] & record::last);
  }
}

}  // namespace ptxscope
