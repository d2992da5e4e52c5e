// Programs over boxes of threads: what each node can be, as an unsigned range (interval arithmetic modulo 2^bits: a range
// that wraps round becomes the full one).
#include <algorithm>
#include <bit>

#include "analysis/expr_fold.h"
#include "analysis/launch_program.h"

namespace ptxscope::analysis::launch {
namespace {

__extension__ using Wide = __int128;

// Three-valued predicates: which of the answers may occur.
struct Answers {
  bool no = false, yes = false, unknown = false;
};
Answers answers_of(const Range& r) {
  return {r.may_be_known && r.low == 0, r.may_be_known && r.high == 1, r.may_be_unknown};
}
void set_answers(Range& r, Answers a) {
  r.may_be_known = a.no || a.yes;
  r.may_be_unknown = a.unknown;
  r.low = a.no ? 0 : 1;
  r.high = a.yes ? 1 : 0;
  if (!r.may_be_known) r.low = r.high = 0;
}

void set(Range& r, std::uint64_t low, std::uint64_t high) {
  r.low = low;
  r.high = high;
}
void set_full(Range& r, unsigned bits) { set(r, 0, fold::mask(~0ULL, bits)); }

// [low, high] as whole numbers, brought back to `bits`: exact when both ends lie in the same turn.
void set_wrapped(Range& r, Wide low, Wide high, unsigned bits) {
  if ((low >> bits) == (high >> bits)) {
    set(r, fold::mask(static_cast<std::uint64_t>(low), bits), fold::mask(static_cast<std::uint64_t>(high), bits));
  } else {
    set_full(r, bits);
  }
}

struct Signed {
  std::int64_t low, high;
};
Signed as_signed(const Range& r, unsigned bits) {
  const std::uint64_t sign = 1ULL << (bits - 1);
  if ((r.low & sign) == (r.high & sign)) {
    return {static_cast<std::int64_t>(fold::sign_extend(r.low, bits)),
            static_cast<std::int64_t>(fold::sign_extend(r.high, bits))};
  }
  return {static_cast<std::int64_t>(fold::sign_extend(sign, bits)), static_cast<std::int64_t>(sign - 1)};
}
void set_signed(Range& r, std::int64_t low, std::int64_t high, unsigned bits) {
  if ((low < 0) != (high < 0)) {
    set_full(r, bits);
  } else {
    set(r, fold::mask(static_cast<std::uint64_t>(low), bits), fold::mask(static_cast<std::uint64_t>(high), bits));
  }
}

// Of a compare: -1 never, 1 always, 0 it varies.
template <typename T>
int less(T a_low, T a_high, T b_low, T b_high) {
  if (a_high < b_low) return 1;
  if (a_low >= b_high) return -1;
  return 0;
}

int compare(ExprOp op, const Range& a, const Range& b, unsigned bits) {
  switch (op) {
    case ExprOp::eq:
    case ExprOp::ne: {
      const int sign = op == ExprOp::eq ? 1 : -1;
      if (a.high < b.low || b.high < a.low) return -sign;
      return a.low == a.high && b.low == b.high ? sign : 0;
    }
    case ExprOp::lt_u:
      return less(a.low, a.high, b.low, b.high);
    case ExprOp::gt_u:
      return less(b.low, b.high, a.low, a.high);
    case ExprOp::ge_u:
      return -less(a.low, a.high, b.low, b.high);
    case ExprOp::le_u:
      return -less(b.low, b.high, a.low, a.high);
    default:
      break;
  }
  const Signed x = as_signed(a, bits);
  const Signed y = as_signed(b, bits);
  switch (op) {
    case ExprOp::lt_s:
      return less(x.low, x.high, y.low, y.high);
    case ExprOp::gt_s:
      return less(y.low, y.high, x.low, x.high);
    case ExprOp::ge_s:
      return -less(x.low, x.high, y.low, y.high);
    default:
      return -less(y.low, y.high, x.low, x.high);
  }
}

void multiply(Range& r, const Range& a, const Range& b, unsigned bits) {
  __extension__ using UnsignedWide = unsigned __int128;
  const std::uint64_t sign = 1ULL << (bits - 1);
  if (b.low == b.high && (b.low & sign) != 0) {  // by a small negative number
    const auto factor = static_cast<Wide>(fold::mask(0 - b.low, bits));
    set_wrapped(r, -static_cast<Wide>(a.high) * factor, -static_cast<Wide>(a.low) * factor, bits);
    return;
  }
  const UnsignedWide low = static_cast<UnsignedWide>(a.low) * b.low;
  const UnsignedWide high = static_cast<UnsignedWide>(a.high) * b.high;
  if ((low >> bits) == (high >> bits)) {
    set(r, fold::mask(static_cast<std::uint64_t>(low), bits), fold::mask(static_cast<std::uint64_t>(high), bits));
  } else {
    set_full(r, bits);
  }
}

void logical(const Node& node, const Range& a, const Range& b, Range& r) {
  // `or` is `and` with the answers exchanged.
  const bool is_or = node.op == ExprOp::or_;
  Answers x = answers_of(a);
  Answers y = answers_of(b);
  if (is_or) {
    std::swap(x.no, x.yes);
    std::swap(y.no, y.yes);
  }
  Answers both;
  both.no = x.no || y.no;
  both.yes = x.yes && y.yes;
  both.unknown = (x.unknown && (y.unknown || y.yes)) || (y.unknown && x.yes);
  // Where one side is always "no", the other one cannot matter, and all else it might say is ruled out.
  if ((x.no && !x.yes && !x.unknown) || (y.no && !y.yes && !y.unknown)) both = {true, false, false};
  if (is_or) std::swap(both.no, both.yes);
  set_answers(r, both);
  r.depends = static_cast<std::uint8_t>((a.decided() ? 0 : a.depends) | (b.decided() ? 0 : b.depends));
}

void arithmetic(const Node& node, const Range& a, const Range& b, Range& r) {
  const unsigned bits = node.bits;
  switch (node.op) {
    case ExprOp::add:
      set_wrapped(r, static_cast<Wide>(a.low) + b.low, static_cast<Wide>(a.high) + b.high, bits);
      return;
    case ExprOp::sub:
      set_wrapped(r, static_cast<Wide>(a.low) - b.high, static_cast<Wide>(a.high) - b.low, bits);
      return;
    case ExprOp::mul:
      if (a.low == a.high) {
        multiply(r, b, a, bits);
      } else {
        multiply(r, a, b, bits);
      }
      return;
    case ExprOp::neg:
      set_wrapped(r, -static_cast<Wide>(a.high), -static_cast<Wide>(a.low), bits);
      return;
    case ExprOp::not_:
      set(r, fold::mask(~a.high, bits), fold::mask(~a.low, bits));
      return;
    case ExprOp::min_u:
      set(r, std::min(a.low, b.low), std::min(a.high, b.high));
      return;
    case ExprOp::max_u:
      set(r, std::max(a.low, b.low), std::max(a.high, b.high));
      return;
    case ExprOp::min_s:
    case ExprOp::max_s: {
      const Signed x = as_signed(a, bits);
      const Signed y = as_signed(b, bits);
      if (node.op == ExprOp::min_s) {
        set_signed(r, std::min(x.low, y.low), std::min(x.high, y.high), bits);
      } else {
        set_signed(r, std::max(x.low, y.low), std::max(x.high, y.high), bits);
      }
      return;
    }
    case ExprOp::and_: {
      if (b.low == b.high && std::has_single_bit(b.low + 1) && b.low != 0) {
        set_wrapped(r, static_cast<Wide>(a.low), static_cast<Wide>(a.high),
                    static_cast<unsigned>(std::countr_one(b.low)));
      } else {
        set(r, 0, std::min(a.high, b.high));
      }
      return;
    }
    case ExprOp::or_: {
      const unsigned top = static_cast<unsigned>(std::bit_width(a.high | b.high));
      set(r, std::max(a.low, b.low), fold::mask(~0ULL, top));
      return;
    }
    case ExprOp::xor_:
      set(r, 0, fold::mask(~0ULL, static_cast<unsigned>(std::bit_width(a.high | b.high))));
      return;
    case ExprOp::shl:
      if (b.low == b.high && b.low < bits) {
        const Range factor{1ULL << b.low, 1ULL << b.low};
        multiply(r, a, factor, bits);
        // 1 << (bits - 1) looks negative; as a factor it is the same number modulo 2^bits.
      } else {
        set_full(r, bits);
      }
      return;
    case ExprOp::shr_u:
      set(r, b.high >= bits ? 0 : a.low >> b.high, b.low >= bits ? 0 : a.high >> b.low);
      return;
    case ExprOp::shr_s: {
      const Signed x = as_signed(a, bits);
      if (b.low == b.high) {
        const std::uint64_t by = std::min<std::uint64_t>(b.low, bits - 1);
        set_signed(r, x.low >> by, x.high >> by, bits);
      } else {
        set_full(r, bits);
      }
      return;
    }
    case ExprOp::div_u:
      set(r, a.low / std::max<std::uint64_t>(b.high, 1), a.high / std::max<std::uint64_t>(b.low, 1));
      return;
    case ExprOp::rem_u:
      if (b.low == b.high && b.low != 0 && a.low / b.low == a.high / b.low) {
        set(r, a.low % b.low, a.high % b.low);
      } else {
        set(r, 0, std::min(a.high, b.high == 0 ? 0 : b.high - 1));
      }
      return;
    case ExprOp::zext:
      set(r, a.low, a.high);
      return;
    case ExprOp::sext: {
      const Signed x = as_signed(a, node.kid_bits);
      set_signed(r, x.low, x.high, bits);
      return;
    }
    case ExprOp::trunc:
      set_wrapped(r, static_cast<Wide>(a.low), static_cast<Wide>(a.high), bits);
      return;
    case ExprOp::popc:
    case ExprOp::clz:
      set(r, 0, bits);
      return;
    default:
      set_full(r, bits);
      return;
  }
}

void select(const Range& condition, const Range& a, const Range& b, Range& r) {
  const Answers answers = answers_of(condition);
  r.may_be_known = (answers.yes && a.may_be_known) || (answers.no && b.may_be_known);
  r.may_be_unknown = answers.unknown || (answers.yes && a.may_be_unknown) || (answers.no && b.may_be_unknown);
  r.depends = condition.decided() ? 0 : condition.depends;
  bool first = true;
  const auto join = [&](const Range& kid) {
    r.depends = static_cast<std::uint8_t>(r.depends | (kid.decided() ? 0 : kid.depends));
    if (!kid.may_be_known) return;
    r.low = first ? kid.low : std::min(r.low, kid.low);
    r.high = first ? kid.high : std::max(r.high, kid.high);
    first = false;
  };
  if (answers.yes) join(a);
  if (answers.no) join(b);
}

bool may_divide_by_zero(const Node& node, const Range& b) {
  return (node.op == ExprOp::div_u || node.op == ExprOp::div_s || node.op == ExprOp::rem_u ||
          node.op == ExprOp::rem_s) &&
         b.low == 0;
}

void of_operation(const Node& node, const std::vector<Range>& ranges, Range& r) {
  static constexpr Range nothing{0, 0, 0, true, false};
  const Range& a = ranges[node.kids[0]];
  const Range& b = node.kid_count > 1 ? ranges[node.kids[1]] : nothing;
  if (node.op == ExprOp::select) {
    select(a, b, ranges[node.kids[2]], r);
    return;
  }
  if (node.bits == 1 && (node.op == ExprOp::and_ || node.op == ExprOp::or_)) {
    logical(node, a, b, r);
    return;
  }
  r.may_be_unknown = a.may_be_unknown || b.may_be_unknown;
  r.may_be_known = a.may_be_known && b.may_be_known;
  r.depends = static_cast<std::uint8_t>(a.depends | b.depends);
  if (!r.may_be_known) return;
  if (may_divide_by_zero(node, b)) {
    r.may_be_unknown = true;
    if (b.high == 0) r.may_be_known = false;
    if (!r.may_be_known) return;
  }
  if (node.op == ExprOp::fcmp) {
    std::optional<bool> holds;
    if (a.low == a.high && b.low == b.high) {
      holds = fold::float_compare(static_cast<FloatCompare>(node.value), a.low, b.low, node.type);
      if (!holds) {
        r.may_be_known = false;
        r.may_be_unknown = true;
        return;
      }
    }
    set(r, holds ? (*holds ? 1 : 0) : 0, holds ? (*holds ? 1 : 0) : 1);
    if (!holds && node.type != Type::f32 && node.type != Type::f64) r.may_be_unknown = true;
    return;
  }
  if (node.op >= ExprOp::eq && node.op <= ExprOp::ge_s) {
    const int answer = compare(node.op, a, b, node.kid_bits);
    set(r, answer == 1 ? 1 : 0, answer == -1 ? 0 : 1);
    return;
  }
  if (a.low == a.high && b.low == b.high && node.op != ExprOp::zext && node.op != ExprOp::sext &&
      node.op != ExprOp::trunc) {
    const auto value =
        node.kid_count == 1 ? fold::unary(node.op, a.low, node.bits) : fold::binary(node.op, a.low, b.low, node.bits);
    if (value) {
      set(r, *value, *value);
      return;
    }
    r.may_be_known = false;
    r.may_be_unknown = true;
    return;
  }
  arithmetic(node, a, b, r);
}

}  // namespace

void evaluate(std::span<const Node> nodes, const Box& box, std::vector<Range>& ranges) {
  ranges.resize(nodes.size());
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Node& node = nodes[i];
    Range& r = ranges[i];
    r = Range{};
    switch (node.op) {
      case ExprOp::constant:
        r.may_be_known = true;
        set(r, node.value, node.value);
        break;
      case ExprOp::special: {
        const auto dimension = static_cast<std::size_t>(node.value);
        r.may_be_known = true;
        set(r, box.low[dimension], box.low[dimension] + box.count[dimension] - 1);
        if (box.count[dimension] > 1) r.depends = static_cast<std::uint8_t>(1U << dimension);
        break;
      }
      case ExprOp::unknown:
        r.may_be_unknown = true;
        break;
      default:
        of_operation(node, ranges, r);
        break;
    }
    if (r.decided()) r.depends = 0;
  }
}

}  // namespace ptxscope::analysis::launch
