// Arithmetic modulo 2^bits, as the machine does it: the one place that says what each ExprOp computes.
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/expr.h"

namespace ptxscope::analysis::fold {

[[nodiscard]] constexpr std::uint64_t mask(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? value : value & ((1ULL << bits) - 1);
}

/// The low `bits` of value read as a signed number, extended to 64 bits.
[[nodiscard]] constexpr std::uint64_t sign_extend(std::uint64_t value, unsigned bits) {
  if (bits >= 64) return value;
  const std::uint64_t sign = 1ULL << (bits - 1);
  return (mask(value, bits) ^ sign) - sign;
}

/// nullopt: undefined (division by zero), or not an operation on one (two) integers.
[[nodiscard]] std::optional<std::uint64_t> unary(ExprOp op, std::uint64_t a, unsigned bits);
[[nodiscard]] std::optional<std::uint64_t> binary(ExprOp op, std::uint64_t a, std::uint64_t b, unsigned bits);
/// Whether the two sides may change places.
[[nodiscard]] bool commutes(ExprOp op);
[[nodiscard]] bool compare(ExprOp op, std::uint64_t a, std::uint64_t b, unsigned bits);
/// On bit patterns; `bits` 16, 32 or 64.
[[nodiscard]] std::optional<bool> float_compare(FloatCompare op, std::uint64_t a, std::uint64_t b, Type type);

}  // namespace ptxscope::analysis::fold
