// What each operation of an expression means, straight from its definition: the reference that simplification and
// evaluation are held against.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>

#include "analysis/expr.h"

namespace ptxscope::analysis {

inline std::uint64_t cut(std::uint64_t value, unsigned bits) { return bits >= 64 ? value : value % (1ULL << bits); }

inline std::int64_t sign(std::uint64_t value, unsigned bits) {
  if (bits == 64) return static_cast<std::int64_t>(value);
  const auto v = static_cast<std::int64_t>(value);
  return value >= (1ULL << (bits - 1)) ? v - static_cast<std::int64_t>(1ULL << bits) : v;
}

__extension__ using Wide = unsigned __int128;
__extension__ using SignedWide = __int128;

/// `x` is `n` bits wide, `y` is `m`; one operand: `y` does not count. nullopt: not defined (division by zero).
inline std::optional<std::uint64_t> apply(ExprOp op, unsigned n, unsigned m, unsigned result_bits, std::uint64_t x,
                                          std::uint64_t y) {
  using enum ExprOp;
  using Value = std::optional<std::uint64_t>;
  const std::int64_t sx = sign(x, n);
  const std::int64_t sy = sign(y, m);
  switch (op) {
    case add:
      return cut(x + y, n);
    case sub:
      return cut(x - y, n);
    case mul:
      return cut(x * y, n);
    case neg:
      return cut(~x + 1, n);
    case abs:
      return cut(sx < 0 ? ~x + 1 : x, n);
    case and_:
      return x & y;
    case or_:
      return x | y;
    case xor_:
      return x ^ y;
    case not_:
      return cut(~x, n);
    case min_u:
      return std::min(x, y);
    case max_u:
      return std::max(x, y);
    case min_s:
      return sx < sy ? x : y;
    case max_s:
      return sx > sy ? x : y;
    case mul_hi_u:
      return static_cast<std::uint64_t>((static_cast<Wide>(x) * y) >> n);
    case mul_hi_s:
      return cut(static_cast<std::uint64_t>((static_cast<SignedWide>(sx) * sy) >> n), n);
    case popc:
      return std::popcount(x);
    case clz:
      return static_cast<std::uint64_t>(std::countl_zero(x)) - (64 - n);
    case brev: {
      std::uint64_t reversed = 0;
      for (unsigned i = 0; i < n; ++i) reversed |= ((x >> i) & 1U) << (n - 1 - i);
      return reversed;
    }
    case div_u:
      return y == 0 ? Value() : Value(x / y);
    case rem_u:
      return y == 0 ? Value() : Value(x % y);
    case div_s:
      return y == 0 ? Value() : sy == -1 ? cut(~x + 1, n) : cut(static_cast<std::uint64_t>(sx / sy), n);
    case rem_s:
      return y == 0 ? Value() : sy == -1 ? 0 : cut(static_cast<std::uint64_t>(sx % sy), n);
    case shl:
      return y >= n ? 0 : cut(x << y, n);
    case shr_u:
      return y >= n ? 0 : x >> y;
    case shr_s:
      return cut(static_cast<std::uint64_t>(sx >> std::min<std::uint64_t>(y, n - 1)), n);
    case zext:
      return x;
    case sext:
      return cut(static_cast<std::uint64_t>(sx), result_bits);
    case trunc:
      return cut(x, result_bits);
    case eq:
      return x == y ? 1 : 0;
    case ne:
      return x != y ? 1 : 0;
    case lt_u:
      return x < y ? 1 : 0;
    case le_u:
      return x <= y ? 1 : 0;
    case gt_u:
      return x > y ? 1 : 0;
    case ge_u:
      return x >= y ? 1 : 0;
    case lt_s:
      return sx < sy ? 1 : 0;
    case le_s:
      return sx <= sy ? 1 : 0;
    case gt_s:
      return sx > sy ? 1 : 0;
    case ge_s:
      return sx >= sy ? 1 : 0;
    default:
      return std::nullopt;
  }
}

}  // namespace ptxscope::analysis
