// The operations of ExprPool: each is simplified as it is made.
#include <algorithm>
#include <array>

#include "analysis/expr.h"
#include "analysis/expr_fold.h"

namespace ptxscope::analysis {

namespace {

ExprOp opposite(ExprOp op) {
  using enum ExprOp;
  switch (op) {
    case eq:
      return ne;
    case ne:
      return eq;
    case lt_u:
      return ge_u;
    case le_u:
      return gt_u;
    case gt_u:
      return le_u;
    case ge_u:
      return lt_u;
    case lt_s:
      return ge_s;
    case le_s:
      return gt_s;
    case gt_s:
      return le_s;
    case ge_s:
      return lt_s;
    default:
      return op;
  }
}

bool is_compare(ExprOp op) { return op >= ExprOp::eq && op <= ExprOp::ge_s; }

}  // namespace

ExprId ExprPool::unary(ExprOp op, ExprId a) {
  const Expr e = (*this)[a];
  if (e.op == ExprOp::constant) {
    if (const auto v = fold::unary(op, e.value, e.bits)) return constant(*v, e.bits);
  }
  if (op == ExprOp::not_) {
    if (e.op == ExprOp::not_) return kid(a, 0);
    if (e.bits == 1) return negate(a);
  }
  if (op == ExprOp::neg && e.op == ExprOp::neg) return kid(a, 0);
  Expr node;
  node.op = op;
  node.bits = e.bits;
  const std::array<ExprId, 1> one{a};
  return intern(node, one);
}

ExprId ExprPool::negate(ExprId predicate) { return negate_at(predicate, 0); }

// Whether one is the other's negation, without building large negations for the question.
bool ExprPool::opposite_of(ExprId a, ExprId b) {
  const auto composite = [this](ExprId id) {
    const ExprOp op = (*this)[id].op;
    return op == ExprOp::and_ || op == ExprOp::or_;
  };
  if (!composite(a)) return negate(a) == b;
  if (!composite(b)) return negate(b) == a;
  const auto known = negations_.find(static_cast<std::uint32_t>(a));
  return known != negations_.end() && known->second == b;
}

ExprId ExprPool::negate_at(ExprId predicate, unsigned depth) {
  if (const auto known = negations_.find(static_cast<std::uint32_t>(predicate)); known != negations_.end())
    return known->second;
  constexpr unsigned max_depth = 24;  // deeper: a plain `not`, which is as true
  const Expr e = (*this)[predicate];
  const auto built = [&]() -> ExprId {
    if (e.op == ExprOp::constant) return constant(~e.value, 1);
    if (e.op == ExprOp::not_) return kid(predicate, 0);
    if (is_compare(e.op)) return compare(opposite(e.op), e.type, kid(predicate, 0), kid(predicate, 1));
    if (e.op == ExprOp::fcmp) {
      return float_compare(negation(static_cast<FloatCompare>(e.value)), e.type, kid(predicate, 0), kid(predicate, 1));
    }
    if (depth < max_depth && (e.op == ExprOp::and_ || e.op == ExprOp::or_)) {
      const ExprId a = negate_at(kid(predicate, 0), depth + 1);
      const ExprId b = negate_at(kid(predicate, 1), depth + 1);
      return binary(e.op == ExprOp::and_ ? ExprOp::or_ : ExprOp::and_, a, b);
    }
    if (e.op == ExprOp::xor_ && is_constant(kid(predicate, 1), 1)) return kid(predicate, 0);
    Expr node;
    node.op = ExprOp::not_;
    node.bits = 1;
    const std::array<ExprId, 1> one{predicate};
    return intern(node, one);
  };
  const ExprId result = built();
  negations_.emplace(static_cast<std::uint32_t>(predicate), result);
  // And back, where the other way would be built too; a simple compare negates to its own opposite.
  const ExprOp op = (*this)[result].op;
  if (op == ExprOp::and_ || op == ExprOp::or_ || op == ExprOp::not_)
    negations_.emplace(static_cast<std::uint32_t>(result), predicate);
  return result;
}

ExprId ExprPool::binary(ExprOp op, ExprId a, ExprId b) {
  Expr x = (*this)[a];
  Expr y = (*this)[b];
  const unsigned bits = x.bits;
  const bool is_shift = op == ExprOp::shl || op == ExprOp::shr_u || op == ExprOp::shr_s;
  if (x.op == ExprOp::constant && y.op == ExprOp::constant) {
    if (const auto v = fold::binary(op, x.value, y.value, bits)) return constant(*v, bits);
  }
  if (fold::commutes(op) && (x.op == ExprOp::constant || (bits != 1 && y.op != ExprOp::constant && b < a))) {
    std::swap(a, b);
    std::swap(x, y);
  }
  const bool y_constant = y.op == ExprOp::constant;
  const std::uint64_t all = fold::mask(~0ULL, bits);
  if (y_constant && !is_shift) {
    const std::uint64_t c = y.value;
    switch (op) {
      case ExprOp::add:
        if (c == 0) return a;
        if (x.op == ExprOp::symbol) return symbol(NameId{x.payload}, static_cast<std::int64_t>(x.value + c), bits);
        if (x.op == ExprOp::add && is_constant(kid(a, 1))) {
          return binary(ExprOp::add, kid(a, 0), constant((*this)[kid(a, 1)].value + c, bits));
        }
        break;
      case ExprOp::sub:
        return binary(ExprOp::add, a, constant(0 - c, bits));
      case ExprOp::mul:
        if (c == 0) return b;
        if (c == 1) return a;
        if (x.op == ExprOp::mul && is_constant(kid(a, 1))) {
          return binary(ExprOp::mul, kid(a, 0), constant((*this)[kid(a, 1)].value * c, bits));
        }
        break;
      case ExprOp::and_:
        if (c == 0) return b;
        if (c == all) return a;
        if (x.op == ExprOp::and_ && is_constant(kid(a, 1))) {
          return binary(ExprOp::and_, kid(a, 0), constant((*this)[kid(a, 1)].value & c, bits));
        }
        // A zero-extended value needs no mask that keeps all its bits.
        if (x.op == ExprOp::zext &&
            (c & fold::mask(~0ULL, (*this)[kid(a, 0)].bits)) == fold::mask(~0ULL, (*this)[kid(a, 0)].bits)) {
          return a;
        }
        break;
      case ExprOp::or_:
        if (c == 0) return a;
        if (c == all) return b;
        break;
      case ExprOp::xor_:
        if (c == 0) return a;
        if (c == all) return unary(ExprOp::not_, a);
        break;
      case ExprOp::div_u:
      case ExprOp::div_s:
        if (c == 1) return a;
        break;
      case ExprOp::min_u:
        if (c == all) return a;
        if (c == 0) return b;
        break;
      case ExprOp::max_u:
        if (c == 0) return a;
        if (c == all) return b;
        break;
      default:
        break;
    }
    // (c ? k1 : k2) op k3 is (c ? k1 op k3 : k2 op k3).
    if (x.op == ExprOp::select && is_constant(kid(a, 1)) && is_constant(kid(a, 2))) {
      const ExprId condition = kid(a, 0);
      const ExprId yes = kid(a, 1);
      const ExprId no = kid(a, 2);
      return select(condition, binary(op, yes, b), binary(op, no, b));
    }
  }
  if (is_shift && y_constant) {
    const std::uint64_t amount = y.value;
    if (amount == 0) return a;
    if (amount >= bits && op != ExprOp::shr_s) return constant(0, bits);
    if (op == ExprOp::shl) return binary(ExprOp::mul, a, constant(1ULL << amount, bits));
    if (op == ExprOp::shr_u && x.op == ExprOp::shr_u && is_constant(kid(a, 1))) {
      const std::uint64_t sum = (*this)[kid(a, 1)].value + amount;
      return sum >= bits ? constant(0, bits) : binary(ExprOp::shr_u, kid(a, 0), constant(sum, 32));
    }
    if (op == ExprOp::shr_u && x.op == ExprOp::zext && amount >= (*this)[kid(a, 0)].bits) return constant(0, bits);
  }
  if (a == b) {
    switch (op) {
      case ExprOp::sub:
      case ExprOp::xor_:
        return constant(0, bits);
      case ExprOp::and_:
      case ExprOp::or_:
      case ExprOp::min_u:
      case ExprOp::min_s:
      case ExprOp::max_u:
      case ExprOp::max_s:
        return a;
      default:
        break;
    }
  }
  // (p + q) - p, which address arithmetic leaves behind.
  if (op == ExprOp::sub && x.op == ExprOp::add) {
    if (kid(a, 0) == b) return kid(a, 1);
    if (kid(a, 1) == b) return kid(a, 0);
  }
  if (op == ExprOp::add && y.op == ExprOp::sub && kid(b, 1) == a) return kid(b, 0);
  if (op == ExprOp::add && x.op == ExprOp::sub && kid(a, 1) == b) return kid(a, 0);
  // k1*x + k2*x, and x + x: sums of one term (ExprOp::mul by 2^n stands for ExprOp::shl).
  if (op == ExprOp::add && a == b) return binary(ExprOp::mul, a, constant(2, bits));
  // (x + k1) + y: constants outwards, so that equal sums look equal.
  if (op == ExprOp::add && !y_constant) {
    if (x.op == ExprOp::add && is_constant(kid(a, 1))) {
      const ExprId inner = kid(a, 0);
      const ExprId k = kid(a, 1);
      return binary(ExprOp::add, binary(ExprOp::add, inner, b), k);
    }
    if (y.op == ExprOp::add && is_constant(kid(b, 1))) {
      const ExprId inner = kid(b, 0);
      const ExprId k = kid(b, 1);
      return binary(ExprOp::add, binary(ExprOp::add, a, inner), k);
    }
  }
  if (bits == 1 && (op == ExprOp::and_ || op == ExprOp::or_)) {
    if (opposite_of(a, b)) return constant(op == ExprOp::or_ ? 1 : 0, 1);
    // (p & c) | (p & !c) is p; likewise for the dual.
    const ExprOp dual = op == ExprOp::or_ ? ExprOp::and_ : ExprOp::or_;
    if (x.op == dual && y.op == dual && kid(a, 0) == kid(b, 0) && opposite_of(kid(a, 1), kid(b, 1))) return kid(a, 0);
    // Absorption: p | (p & c) is p.
    if (y.op == dual && (kid(b, 0) == a || kid(b, 1) == a)) return a;
    if (x.op == dual && (kid(a, 0) == b || kid(a, 1) == b)) return b;
    // p & (p & c), p & (!p | c).
    if (y.op == op && (kid(b, 0) == a || kid(b, 1) == a)) return b;
    if (x.op == op && (kid(a, 0) == b || kid(a, 1) == b)) return a;
    if (y.op == dual && opposite_of(kid(b, 0), a)) return binary(op, a, kid(b, 1));
    if (x.op == dual && opposite_of(kid(a, 0), b)) return binary(op, kid(a, 1), b);
  }
  Expr node;
  node.op = op;
  node.bits = static_cast<std::uint8_t>(bits);
  const std::array<ExprId, 2> two{a, b};
  return intern(node, two);
}

ExprId ExprPool::extend(ExprId a, unsigned bits, bool is_signed) {
  const Expr e = (*this)[a];
  if (bits == e.bits) return a;
  if (bits < e.bits) return truncate(a, bits);
  if (e.op == ExprOp::constant) {
    return constant(is_signed ? fold::sign_extend(e.value, e.bits) : e.value, bits);
  }
  if (e.op == ExprOp::symbol) return symbol(NameId{e.payload}, static_cast<std::int64_t>(e.value), bits);
  if (e.op == ExprOp::zext) return extend(kid(a, 0), bits, false);  // its top bit is clear: both extensions agree
  if (e.op == ExprOp::sext && is_signed) return extend(kid(a, 0), bits, true);
  if (e.op == ExprOp::select && is_constant(kid(a, 1)) && is_constant(kid(a, 2))) {
    const ExprId yes = kid(a, 1);
    const ExprId no = kid(a, 2);
    const ExprId condition = kid(a, 0);
    return select(condition, extend(yes, bits, is_signed), extend(no, bits, is_signed));
  }
  if (is_signed && e.op == ExprOp::and_ && is_constant(kid(a, 1)) &&
      (((*this)[kid(a, 1)].value >> (e.bits - 1U)) & 1U) == 0) {
    is_signed = false;  // the sign bit is masked away
  }
  Expr node;
  node.op = is_signed ? ExprOp::sext : ExprOp::zext;
  node.bits = static_cast<std::uint8_t>(bits);
  const std::array<ExprId, 1> one{a};
  return intern(node, one);
}

ExprId ExprPool::truncate(ExprId a, unsigned bits) {
  const Expr e = (*this)[a];
  if (bits >= e.bits) return a;
  switch (e.op) {
    case ExprOp::constant:
      return constant(e.value, bits);
    case ExprOp::symbol:
      return symbol(NameId{e.payload}, static_cast<std::int64_t>(e.value), bits);
    case ExprOp::zext:
    case ExprOp::sext:
      return extend(kid(a, 0), bits, e.op == ExprOp::sext);
    case ExprOp::trunc:
      return truncate(kid(a, 0), bits);
    case ExprOp::parameter:  // little-endian: the low bytes stand first
      if (bits % 8 == 0) return parameter(e.payload, e.value, bits);
      return pushed_truncate(a, bits);
    default:
      return pushed_truncate(a, bits);
  }
}

// The low bits of a sum, product or bitwise operation depend only on the low bits of its operands: where those are
// at hand without a new node, the narrow operation is the simpler spelling.
ExprId ExprPool::pushed_truncate(ExprId a, unsigned bits) {
  const Expr e = (*this)[a];
  const auto narrow_at_hand = [&](ExprId id) {
    const Expr k = (*this)[id];
    return k.op == ExprOp::constant ||
           ((k.op == ExprOp::zext || k.op == ExprOp::sext) && (*this)[kid(id, 0)].bits <= bits);
  };
  switch (e.op) {
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::mul:
    case ExprOp::and_:
    case ExprOp::or_:
    case ExprOp::xor_: {
      const ExprId left = kid(a, 0);
      const ExprId right = kid(a, 1);
      const auto reducible = [&](ExprId id) {
        const Expr k = (*this)[id];
        return narrow_at_hand(id) || ((k.op == ExprOp::mul || k.op == ExprOp::add) && narrow_at_hand(kid(id, 0)) &&
                                      narrow_at_hand(kid(id, 1)));
      };
      if (reducible(left) && reducible(right)) return binary(e.op, truncate(left, bits), truncate(right, bits));
      break;
    }
    case ExprOp::select:
      if (is_constant(kid(a, 1)) && is_constant(kid(a, 2))) {
        const ExprId condition = kid(a, 0);
        const ExprId yes = kid(a, 1);
        const ExprId no = kid(a, 2);
        return select(condition, truncate(yes, bits), truncate(no, bits));
      }
      break;
    default:
      break;
  }
  Expr node;
  node.op = ExprOp::trunc;
  node.bits = static_cast<std::uint8_t>(bits);
  const std::array<ExprId, 1> one{a};
  return intern(node, one);
}

std::optional<ExprId> ExprPool::as_predicate(ExprId id) {
  const Expr e = (*this)[id];
  if (e.bits == 1) return id;
  switch (e.op) {
    case ExprOp::constant:
      if (e.value <= 1) return constant(e.value, 1);
      return std::nullopt;
    case ExprOp::zext:
      return (*this)[kid(id, 0)].bits == 1 ? std::optional(kid(id, 0)) : as_predicate(kid(id, 0));
    case ExprOp::select: {
      const ExprId condition = kid(id, 0);
      if (is_constant(kid(id, 1), 1) && is_constant(kid(id, 2), 0)) return condition;
      if (is_constant(kid(id, 1), 0) && is_constant(kid(id, 2), 1)) return negate(condition);
      return std::nullopt;
    }
    case ExprOp::and_:
    case ExprOp::or_:
    case ExprOp::xor_: {
      const ExprId left = kid(id, 0);
      const ExprId right = kid(id, 1);
      if (e.op == ExprOp::and_ && is_constant(right, 1)) {
        if (const auto inner = as_predicate(left)) return inner;
        Expr node;  // the low bit of something: (x & 1) != 0, made directly, since compare() asks here
        node.op = ExprOp::ne;
        node.bits = 1;
        node.type = e.bits == 64 ? Type::b64 : e.bits == 16 ? Type::b16 : Type::b32;
        const std::array<ExprId, 2> two{id, constant(0, e.bits)};
        return intern(node, two);
      }
      const auto a = as_predicate(left);
      if (!a) return std::nullopt;
      const auto b = as_predicate(right);
      if (!b) return std::nullopt;
      return binary(e.op, *a, *b);
    }
    default:
      return std::nullopt;
  }
}

namespace {
Type narrow_type(unsigned bits, bool is_signed) {
  switch (bits) {
    case 8:
      return is_signed ? Type::s8 : Type::u8;
    case 16:
      return is_signed ? Type::s16 : Type::u16;
    default:
      return is_signed ? Type::s32 : Type::u32;
  }
}
}  // namespace

ExprId ExprPool::compare(ExprOp op, Type type, ExprId a, ExprId b) {
  const Expr x = (*this)[a];
  const Expr y = (*this)[b];
  if (x.op == ExprOp::constant && y.op == ExprOp::constant)
    return constant(fold::compare(op, x.value, y.value, x.bits) ? 1 : 0, 1);
  if (a == b) {
    const bool holds =
        op == ExprOp::eq || op == ExprOp::le_u || op == ExprOp::ge_u || op == ExprOp::le_s || op == ExprOp::ge_s;
    return constant(holds ? 1 : 0, 1);
  }
  if (y.op == ExprOp::constant) {
    if (x.op == ExprOp::select && is_constant(kid(a, 1)) && is_constant(kid(a, 2))) {
      const bool yes = fold::compare(op, (*this)[kid(a, 1)].value, y.value, x.bits);
      const bool no = fold::compare(op, (*this)[kid(a, 2)].value, y.value, x.bits);
      if (yes == no) return constant(yes ? 1 : 0, 1);
      return yes ? kid(a, 0) : negate(kid(a, 0));
    }
    if (y.value <= 1 && x.bits != 1 &&
        (x.op == ExprOp::zext || x.op == ExprOp::and_ || x.op == ExprOp::or_ || x.op == ExprOp::xor_)) {
      const bool low_bit_test = x.op == ExprOp::and_ && is_constant(kid(a, 1), 1) && y.value == 0 && op == ExprOp::ne;
      if (!low_bit_test) {
        if (const auto predicate = as_predicate(a)) {
          const bool at_one = fold::compare(op, 1, y.value, x.bits);
          const bool at_zero = fold::compare(op, 0, y.value, x.bits);
          if (at_one == at_zero) return constant(at_one ? 1 : 0, 1);
          if (at_one) return *predicate;
          if (x.op != ExprOp::and_ || !is_constant(kid(a, 1), 1) || *predicate != a) {
            const Expr p = (*this)[*predicate];
            const bool plain_low_bit = p.op == ExprOp::ne && kid(*predicate, 0) == a;
            if (!plain_low_bit) return negate(*predicate);
          }
        }
      }
    }
    // A widened value against a constant that fits: the narrow compare says the same.
    if ((x.op == ExprOp::zext || x.op == ExprOp::sext) && (*this)[kid(a, 0)].bits > 1) {
      const ExprId inner = kid(a, 0);
      const unsigned narrow = (*this)[inner].bits;
      const std::uint64_t cut = fold::mask(y.value, narrow);
      const bool fits =
          x.op == ExprOp::zext ? cut == y.value : fold::mask(fold::sign_extend(cut, narrow), x.bits) == y.value;
      const bool equality = op == ExprOp::eq || op == ExprOp::ne;
      const bool is_unsigned = op == ExprOp::lt_u || op == ExprOp::le_u || op == ExprOp::gt_u || op == ExprOp::ge_u;
      if (fits && (equality || (x.op == ExprOp::zext) == is_unsigned))
        return compare(op, narrow_type(narrow, x.op == ExprOp::sext), inner, constant(cut, narrow));
      if (!fits && x.op == ExprOp::zext && equality) return constant(op == ExprOp::ne ? 1 : 0, 1);
    }
    // x + k1 == k2; no overflow can hurt an equality.
    if ((op == ExprOp::eq || op == ExprOp::ne) && x.op == ExprOp::add && is_constant(kid(a, 1))) {
      return compare(op, type, kid(a, 0), constant(y.value - (*this)[kid(a, 1)].value, x.bits));
    }
    // x - y == 0 is x == y.
    if ((op == ExprOp::eq || op == ExprOp::ne) && y.value == 0 && (x.op == ExprOp::sub || x.op == ExprOp::xor_) &&
        x.bits != 1) {
      return compare(op, type, kid(a, 0), kid(a, 1));
    }
    if (op == ExprOp::lt_u && y.value == 0) return constant(0, 1);
    if (op == ExprOp::ge_u && y.value == 0) return constant(1, 1);
    if (op == ExprOp::gt_u && y.value == fold::mask(~0ULL, x.bits)) return constant(0, 1);
    if (op == ExprOp::le_u && y.value == fold::mask(~0ULL, x.bits)) return constant(1, 1);
    if (x.bits == 1 && (op == ExprOp::eq || op == ExprOp::ne))
      return (op == ExprOp::eq) == (y.value == 1) ? a : negate(a);
  }
  Expr node;
  node.op = op;
  node.bits = 1;
  node.type = type;
  const std::array<ExprId, 2> two{a, b};
  return intern(node, two);
}

ExprId ExprPool::float_compare(FloatCompare op, Type type, ExprId a, ExprId b) {
  Expr node;
  node.op = ExprOp::fcmp;
  node.bits = 1;
  node.type = type;
  node.value = static_cast<std::uint64_t>(op);
  const std::array<ExprId, 2> two{a, b};
  return intern(node, two);
}

ExprId ExprPool::select(ExprId condition, ExprId a, ExprId b, bool is_join) {
  if (is_constant(condition)) return (*this)[condition].value != 0 ? a : b;
  if (a == b) return a;
  const unsigned bits = (*this)[a].bits;
  if ((*this)[condition].op == ExprOp::not_) {
    const ExprId inner = kid(condition, 0);
    return select(inner, b, a, is_join);
  }
  if (bits == 1) {
    if (is_constant(a))
      return (*this)[a].value != 0 ? binary(ExprOp::or_, condition, b) : binary(ExprOp::and_, negate(condition), b);
    if (is_constant(b))
      return (*this)[b].value == 0 ? binary(ExprOp::and_, condition, a) : binary(ExprOp::or_, negate(condition), a);
  }
  // x < y ? x : y and its kin: a minimum or maximum in other words.
  const Expr c = (*this)[condition];
  if (is_compare(c.op) && c.op != ExprOp::eq && c.op != ExprOp::ne) {
    const ExprId left = kid(condition, 0);
    const ExprId right = kid(condition, 1);
    const bool is_signed = c.op >= ExprOp::lt_s;
    const bool less = c.op == ExprOp::lt_u || c.op == ExprOp::le_u || c.op == ExprOp::lt_s || c.op == ExprOp::le_s;
    if ((a == left && b == right) || (a == right && b == left)) {
      const bool smaller = (a == left) == less;
      const ExprOp op =
          smaller ? (is_signed ? ExprOp::min_s : ExprOp::min_u) : (is_signed ? ExprOp::max_s : ExprOp::max_u);
      return binary(op, a, b);
    }
  }
  Expr node;
  node.op = ExprOp::select;
  node.bits = static_cast<std::uint8_t>(bits);
  node.value = is_join ? 1 : 0;
  const std::array<ExprId, 3> three{condition, a, b};
  return intern(node, three);
}

}  // namespace ptxscope::analysis
