#include "analysis/expr_fold.h"

#include <bit>
#include <cmath>

namespace ptxscope::analysis::fold {

std::optional<std::uint64_t> unary(ExprOp op, std::uint64_t a, unsigned bits) {
  switch (op) {
    case ExprOp::neg:
      return mask(0 - a, bits);
    case ExprOp::not_:
      return mask(~a, bits);
    case ExprOp::abs:
      return (a >> (bits - 1)) & 1U ? mask(0 - a, bits) : a;
    case ExprOp::popc:
      return static_cast<std::uint64_t>(std::popcount(mask(a, bits)));
    case ExprOp::clz:
      return static_cast<std::uint64_t>(std::countl_zero(mask(a, bits))) - (64 - bits);
    case ExprOp::brev: {
      std::uint64_t r = 0;
      for (unsigned i = 0; i < bits; ++i) r |= ((a >> i) & 1U) << (bits - 1 - i);
      return r;
    }
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> binary(ExprOp op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const auto sa = static_cast<std::int64_t>(sign_extend(a, bits));
  const auto sb = static_cast<std::int64_t>(sign_extend(b, bits));
  __extension__ using Wide = __int128;
  __extension__ using UnsignedWide = unsigned __int128;
  switch (op) {
    case ExprOp::add:
      return mask(a + b, bits);
    case ExprOp::sub:
      return mask(a - b, bits);
    case ExprOp::mul:
      return mask(a * b, bits);
    case ExprOp::mul_hi_u:
      return mask(static_cast<std::uint64_t>((static_cast<UnsignedWide>(a) * b) >> bits), bits);
    case ExprOp::mul_hi_s:
      return mask(static_cast<std::uint64_t>((static_cast<Wide>(sa) * sb) >> bits), bits);
    case ExprOp::div_u:
      return b == 0 ? std::nullopt : std::optional(a / b);
    case ExprOp::rem_u:
      return b == 0 ? std::nullopt : std::optional(a % b);
    case ExprOp::div_s:
      if (b == 0) return std::nullopt;
      return sb == -1 ? mask(0 - a, bits) : mask(static_cast<std::uint64_t>(sa / sb), bits);
    case ExprOp::rem_s:
      if (b == 0) return std::nullopt;
      return sb == -1 ? 0 : mask(static_cast<std::uint64_t>(sa % sb), bits);
    case ExprOp::min_u:
      return a < b ? a : b;
    case ExprOp::max_u:
      return a > b ? a : b;
    case ExprOp::min_s:
      return sa < sb ? a : b;
    case ExprOp::max_s:
      return sa > sb ? a : b;
    case ExprOp::and_:
      return a & b;
    case ExprOp::or_:
      return a | b;
    case ExprOp::xor_:
      return a ^ b;
    // Shift amounts above the width clamp to it (PTX ISA 9.7.8.8, 9.7.8.9).
    case ExprOp::shl:
      return b >= bits ? 0 : mask(a << b, bits);
    case ExprOp::shr_u:
      return b >= bits ? 0 : a >> b;
    case ExprOp::shr_s:
      return mask(static_cast<std::uint64_t>(sa >> (b >= bits ? bits - 1 : b)), bits);
    default:
      return std::nullopt;
  }
}

bool compare(ExprOp op, std::uint64_t a, std::uint64_t b, unsigned bits) {
  const auto sa = static_cast<std::int64_t>(sign_extend(a, bits));
  const auto sb = static_cast<std::int64_t>(sign_extend(b, bits));
  switch (op) {
    case ExprOp::eq:
      return a == b;
    case ExprOp::ne:
      return a != b;
    case ExprOp::lt_u:
      return a < b;
    case ExprOp::le_u:
      return a <= b;
    case ExprOp::gt_u:
      return a > b;
    case ExprOp::ge_u:
      return a >= b;
    case ExprOp::lt_s:
      return sa < sb;
    case ExprOp::le_s:
      return sa <= sb;
    case ExprOp::gt_s:
      return sa > sb;
    default:
      return sa >= sb;
  }
}

std::optional<bool> float_compare(FloatCompare op, std::uint64_t a, std::uint64_t b, Type type) {
  double x = 0;
  double y = 0;
  if (type == Type::f32) {
    x = std::bit_cast<float>(static_cast<std::uint32_t>(a));
    y = std::bit_cast<float>(static_cast<std::uint32_t>(b));
  } else if (type == Type::f64) {
    x = std::bit_cast<double>(a);
    y = std::bit_cast<double>(b);
  } else {
    return std::nullopt;
  }
  const bool unordered = std::isnan(x) || std::isnan(y);
  using enum FloatCompare;
  switch (op) {
    case eq:
      return !unordered && x == y;
    case ne:
      return !unordered && x != y;
    case lt:
      return x < y;
    case le:
      return x <= y;
    case gt:
      return x > y;
    case ge:
      return x >= y;
    case equ:
      return unordered || x == y;
    case neu:
      return unordered || x != y;
    case ltu:
      return unordered || x < y;
    case leu:
      return unordered || x <= y;
    case gtu:
      return unordered || x > y;
    case geu:
      return unordered || x >= y;
    case num:
      return !unordered;
    case nan:
      return unordered;
  }
  return std::nullopt;
}

bool commutes(ExprOp op) {
  using enum ExprOp;
  switch (op) {
    case add:
    case mul:
    case mul_hi_u:
    case mul_hi_s:
    case and_:
    case or_:
    case xor_:
    case min_u:
    case min_s:
    case max_u:
    case max_s:
      return true;
    default:
      return false;
  }
}

}  // namespace ptxscope::analysis::fold
