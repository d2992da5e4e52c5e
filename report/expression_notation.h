// Constants and comparisons in the notation of report/expression.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "analysis/expr.h"

namespace ptxscope::report::notation {

// How a constant is meant.
enum class As : std::uint8_t { number, signed_number, mask, float32, float64 };

[[nodiscard]] bool is_compare(analysis::ExprOp op);
[[nodiscard]] bool is_signed_compare(analysis::ExprOp op);
[[nodiscard]] bool is_signed(Type type);
[[nodiscard]] std::int64_t sign_extended(std::uint64_t value, unsigned bits);
/// Negative numbers that a reader would rather see with a sign: -1 to -2^20.
[[nodiscard]] bool is_small_negative(std::uint64_t value, unsigned bits);
[[nodiscard]] std::string number_text(std::uint64_t value);
[[nodiscard]] std::string float_text(double value, bool single);
[[nodiscard]] std::string constant_text(std::uint64_t value, unsigned bits, As as);
[[nodiscard]] As float_kind(Type type);

/// What a comparison is about stands on its left: what differs between threads, then what comes from memory, then
/// parameters, then constants. True: the second operand comes first.
[[nodiscard]] bool is_turned(const analysis::ExprPool& pool, analysis::ExprId compare);

struct Relation {
  std::string_view op;      // "ge"
  std::string_view symbol;  // ">="
};

[[nodiscard]] Relation relation_of(analysis::ExprOp op, bool turned);
[[nodiscard]] analysis::FloatCompare turned(analysis::FloatCompare op);

/// How a floating-point compare is written: with an ordered one, or as the negation of one.
struct FloatRelation {
  bool negated = false;
  std::string_view symbol;
};
[[nodiscard]] FloatRelation float_relation(analysis::FloatCompare op);

}  // namespace ptxscope::report::notation
