#include "report/expression_notation.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>

namespace ptxscope::report::notation {

using analysis::Expr;
using analysis::ExprId;
using analysis::ExprOp;
using analysis::ExprPool;
using analysis::FloatCompare;

bool is_compare(ExprOp op) { return op >= ExprOp::eq && op <= ExprOp::ge_s; }
bool is_signed_compare(ExprOp op) { return op >= ExprOp::lt_s && op <= ExprOp::ge_s; }
bool is_signed(Type type) { return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64; }

std::int64_t sign_extended(std::uint64_t value, unsigned bits) {
  if (bits >= 64) return static_cast<std::int64_t>(value);
  const std::uint64_t sign = 1ULL << (bits - 1);
  return static_cast<std::int64_t>((value ^ sign) - sign);
}

bool is_small_negative(std::uint64_t value, unsigned bits) {
  const std::int64_t n = sign_extended(value, bits);
  return bits > 1 && n < 0 && n >= -(1LL << 20);
}

std::string number_text(std::uint64_t value) {
  constexpr std::uint64_t readable = 9'999'999'999ULL;
  return value > readable ? fmt::format("0x{:x}", value) : fmt::format("{}", value);
}

std::string float_text(double value, bool single) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  std::string text = single ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

std::string constant_text(std::uint64_t value, unsigned bits, As as) {
  switch (as) {
    case As::signed_number:
      return fmt::format("{}", sign_extended(value, bits));
    case As::mask:
      return value > 9 ? fmt::format("0x{:x}", value) : fmt::format("{}", value);
    case As::float32:
      if (bits == 32) return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(value)), true);
      break;
    case As::float64:
      if (bits == 64) return float_text(std::bit_cast<double>(value), false);
      break;
    case As::number:
      break;
  }
  return number_text(value);
}

As float_kind(Type type) { return type == Type::f32 ? As::float32 : type == Type::f64 ? As::float64 : As::mask; }

namespace {

int interest(const ExprPool& pool, ExprId id, unsigned& budget) {
  if (budget == 0) return 3;
  --budget;
  const Expr& e = pool[id];
  switch (e.op) {
    case ExprOp::constant:
      return 0;
    case ExprOp::parameter:
      return 1;
    case ExprOp::symbol:
      return 1;
    case ExprOp::load:
    case ExprOp::call:
    case ExprOp::unknown:
      return 2;
    case ExprOp::special: {
      const std::string_view name = pool.special_name(id);
      return name.starts_with("ntid") || name.starts_with("nctaid") ? 1 : 3;
    }
    case ExprOp::phi:
      return 3;
    default: {
      int most = 0;
      for (const ExprId kid : pool.kids(id)) most = std::max(most, interest(pool, kid, budget));
      return most;
    }
  }
}

}  // namespace

bool is_turned(const ExprPool& pool, ExprId compare) {
  unsigned budget = 64;
  const int left = interest(pool, pool.kid(compare, 0), budget);
  return left < interest(pool, pool.kid(compare, 1), budget);
}

Relation relation_of(ExprOp op, bool turned) {
  switch (op) {
    case ExprOp::eq:
      return {"eq", "=="};
    case ExprOp::ne:
      return {"ne", "!="};
    case ExprOp::lt_u:
    case ExprOp::lt_s:
      return turned ? Relation{"gt", ">"} : Relation{"lt", "<"};
    case ExprOp::le_u:
    case ExprOp::le_s:
      return turned ? Relation{"ge", ">="} : Relation{"le", "<="};
    case ExprOp::gt_u:
    case ExprOp::gt_s:
      return turned ? Relation{"lt", "<"} : Relation{"gt", ">"};
    default:
      return turned ? Relation{"le", "<="} : Relation{"ge", ">="};
  }
}

FloatCompare turned(FloatCompare op) {
  using enum FloatCompare;
  switch (op) {
    case lt:
      return gt;
    case le:
      return ge;
    case gt:
      return lt;
    case ge:
      return le;
    case ltu:
      return gtu;
    case leu:
      return geu;
    case gtu:
      return ltu;
    case geu:
      return leu;
    default:
      return op;
  }
}

FloatRelation float_relation(FloatCompare op) {
  using enum FloatCompare;
  switch (op) {
    case eq:
      return {false, "=="};
    case neu:
      return {false, "!="};  // as in C: holds for NaN
    case lt:
      return {false, "<"};
    case le:
      return {false, "<="};
    case gt:
      return {false, ">"};
    case ge:
      return {false, ">="};
    case ltu:
      return {true, ">="};
    case leu:
      return {true, ">"};
    case gtu:
      return {true, "<="};
    case geu:
      return {true, "<"};
    default:
      return {};
  }
}

}  // namespace ptxscope::report::notation
