// Expressions by themselves: what simplification may and must do.
#include "analysis/expr.h"

#include <algorithm>
#include <array>
#include <bit>
#include <functional>
#include <limits>
#include <map>

#include <random>
#include <string>

#include "analysis/contradiction.h"
#include "analysis/expr_fold.h"
#include "analysis/parameter_sets.h"
#include "tests/catch.h"
#include "tests/expr_arithmetic.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

constexpr std::size_t worlds = 12;  // assignments of the parameters, evaluated side by side
using Values = std::array<std::optional<std::uint64_t>, worlds>;

// An expression as the pool made it, and what it must be worth.
struct Built {
  ExprId id{};
  Values values{};
};

class RandomExpressions {
 public:
  explicit RandomExpressions(unsigned seed) : random_(seed) {
    for (auto& world : arguments_)
      for (std::uint64_t& argument : world) argument = interesting();
  }

  ExprPool& pool() { return pool_; }

  Built value(unsigned bits, unsigned depth) {
    if (depth == 0 || pick(7) == 0) return leaf(bits);
    switch (pick(6)) {
      case 0:
        return convert(value(bits == 32 ? 64 : 32, depth - 1), bits);
      case 1: {
        const Built which = condition(depth - 1);
        const Built a = value(bits, depth - 1);
        const Built b = value(bits, depth - 1);
        Built result{pool_.select(which.id, a.id, b.id), {}};
        for (std::size_t w = 0; w < worlds; ++w)
          if (which.values[w]) result.values[w] = *which.values[w] != 0 ? a.values[w] : b.values[w];
        return result;
      }
      case 2: {
        static constexpr ExprOp shifts[] = {ExprOp::shl, ExprOp::shr_u, ExprOp::shr_s};
        return combine(shifts[pick(3)], value(bits, depth - 1), value(32, pick(2) == 0 ? 0 : depth - 1), bits);
      }
      case 3: {
        static constexpr ExprOp unary[] = {ExprOp::neg,  ExprOp::not_, ExprOp::abs,
                                           ExprOp::popc, ExprOp::clz,  ExprOp::brev};
        const ExprOp op = unary[pick(6)];
        const Built a = value(bits, depth - 1);
        Built result{pool_.unary(op, a.id), {}};
        for (std::size_t w = 0; w < worlds; ++w)
          if (a.values[w]) result.values[w] = apply(op, bits, bits, bits, *a.values[w], 0);
        return result;
      }
      default: {
        static constexpr ExprOp binary[] = {ExprOp::add,   ExprOp::sub,   ExprOp::mul,      ExprOp::div_u,
                                            ExprOp::div_s, ExprOp::rem_u, ExprOp::rem_s,    ExprOp::min_u,
                                            ExprOp::min_s, ExprOp::max_u, ExprOp::max_s,    ExprOp::and_,
                                            ExprOp::or_,   ExprOp::xor_,  ExprOp::mul_hi_u, ExprOp::mul_hi_s};
        return combine(binary[pick(16)], value(bits, depth - 1), value(bits, depth - 1), bits);
      }
    }
  }

  Built condition(unsigned depth) {
    const unsigned bits = pick(2) == 0 ? 32 : 64;
    switch (depth == 0 ? 0 : pick(5)) {
      case 0:
      case 1: {
        static constexpr ExprOp compares[] = {ExprOp::eq,   ExprOp::ne,   ExprOp::lt_u, ExprOp::le_u, ExprOp::gt_u,
                                              ExprOp::ge_u, ExprOp::lt_s, ExprOp::le_s, ExprOp::gt_s, ExprOp::ge_s};
        const ExprOp op = compares[pick(10)];
        const Built a = value(bits, depth == 0 ? 0 : depth - 1);
        const Built b = value(bits, depth == 0 ? 0 : depth - 1);
        Built result{pool_.compare(op, bits == 32 ? Type::u32 : Type::u64, a.id, b.id), {}};
        for (std::size_t w = 0; w < worlds; ++w)
          if (a.values[w] && b.values[w]) result.values[w] = apply(op, bits, bits, 1, *a.values[w], *b.values[w]);
        return result;
      }
      case 2: {
        const Built a = condition(depth - 1);
        Built result{pool_.negate(a.id), {}};
        for (std::size_t w = 0; w < worlds; ++w)
          if (a.values[w]) result.values[w] = 1 - *a.values[w];
        return result;
      }
      default: {
        static constexpr ExprOp binary[] = {ExprOp::and_, ExprOp::or_, ExprOp::xor_};
        return combine(binary[pick(3)], condition(depth - 1), condition(depth - 1), 1);
      }
    }
  }

  // What the pool's expression is worth in one world.
  std::optional<std::uint64_t> evaluate(ExprId id, std::size_t world) {
    const Expr e = pool_[id];
    if (e.op == ExprOp::constant) return e.value;
    if (e.op == ExprOp::parameter) return cut(arguments_[world][e.payload % 4] >> (8 * e.value), e.bits);
    const auto kids = pool_.kids(id);
    const auto first = evaluate(kids[0], world);
    if (e.op == ExprOp::select) {
      if (!first) return std::nullopt;
      return evaluate(*first != 0 ? kids[1] : kids[2], world);
    }
    const auto second = kids.size() > 1 ? evaluate(kids[1], world) : std::optional<std::uint64_t>(0);
    if (pool_[id].bits == 1 && (e.op == ExprOp::and_ || e.op == ExprOp::or_)) {
      const std::uint64_t deciding = e.op == ExprOp::and_ ? 0 : 1;
      if (first == deciding || second == deciding) return deciding;
    }
    if (!first || !second) return std::nullopt;
    return apply(e.op, pool_[kids[0]].bits, kids.size() > 1 ? pool_[kids[1]].bits : 1, e.bits, *first, *second);
  }

 private:
  unsigned pick(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  std::uint64_t interesting() {
    static constexpr std::uint64_t corners[] = {0,          1,          2,          3,           31,    32,
                                                0x7fffffff, 0x80000000, 0xffffffff, 0x100000000, ~0ULL, 1ULL << 63};
    if (pick(3) != 0) return corners[pick(12)];
    return random_();
  }

  Built leaf(unsigned bits) {
    Built result;
    if (pick(3) == 0) {
      const std::uint64_t number = cut(interesting(), bits);
      result.id = pool_.constant(number, bits);
      result.values.fill(number);
      return result;
    }
    const unsigned index = pick(4);
    result.id = pool_.parameter(index, 0, bits);
    for (std::size_t w = 0; w < worlds; ++w) result.values[w] = cut(arguments_[w][index], bits);
    return result;
  }

  Built combine(ExprOp op, const Built& a, const Built& b, unsigned bits) {
    const unsigned second_bits = pool_[b.id].bits;
    Built result{pool_.binary(op, a.id, b.id), {}};
    for (std::size_t w = 0; w < worlds; ++w)
      if (a.values[w] && b.values[w]) result.values[w] = apply(op, bits, second_bits, bits, *a.values[w], *b.values[w]);
    return result;
  }

  Built convert(const Built& a, unsigned bits) {
    const unsigned from = pool_[a.id].bits;
    const bool is_signed = pick(2) == 0;
    Built result{pool_.extend(a.id, bits, is_signed), {}};
    const ExprOp op = bits < from ? ExprOp::trunc : is_signed ? ExprOp::sext : ExprOp::zext;
    for (std::size_t w = 0; w < worlds; ++w)
      if (a.values[w]) result.values[w] = apply(op, from, from, bits, *a.values[w], 0);
    return result;
  }

  ExprPool pool_;
  std::mt19937_64 random_;
  std::array<std::array<std::uint64_t, 4>, worlds> arguments_{};
};

}  // namespace

TEST_CASE("simplification changes no value") {
  std::size_t compared = 0;
  for (unsigned seed = 0; seed < 4000; ++seed) {
    RandomExpressions builder(seed);
    const Built built = seed % 2 == 0 ? builder.value(seed % 4 == 0 ? 32 : 64, 4) : builder.condition(4);
    for (std::size_t world = 0; world < worlds; ++world) {
      if (!built.values[world]) continue;  // divides by zero there
      INFO("seed " << seed << ", world " << world);
      REQUIRE(builder.evaluate(built.id, world) == built.values[world]);
      ++compared;
    }
  }
  CHECK(compared > 20000);
}

TEST_CASE("equal values are one expression") {
  ExprPool pool;
  const ExprId a = pool.parameter(0, 0, 32);
  const ExprId b = pool.parameter(1, 0, 32);
  CHECK(pool.binary(ExprOp::add, a, b) == pool.binary(ExprOp::add, b, a));
  CHECK(pool.binary(ExprOp::sub, pool.binary(ExprOp::add, a, b), b) == a);
  CHECK(pool.binary(ExprOp::shl, a, pool.constant(2, 32)) == pool.binary(ExprOp::mul, a, pool.constant(4, 32)));
  CHECK(pool.binary(ExprOp::xor_, a, a) == pool.constant(0, 32));
  CHECK(pool.negate(pool.negate(pool.compare(ExprOp::lt_u, Type::u32, a, b))) ==
        pool.compare(ExprOp::lt_u, Type::u32, a, b));
  CHECK(pool.is_constant(pool.compare(ExprOp::eq, Type::u32, a, a), 1));
  CHECK(pool.truncate(pool.extend(a, 64, false), 32) == a);
}

TEST_CASE("the low half of a wide sum is the narrow sum, where that is the simpler spelling") {
  ExprPool pool;
  const ExprId a = pool.parameter(0, 0, 32);
  const ExprId b = pool.parameter(1, 0, 32);
  const ExprId wide_a = pool.extend(a, 64, false);
  const ExprId wide_b = pool.extend(b, 64, true);
  for (const ExprOp op : {ExprOp::add, ExprOp::sub, ExprOp::mul, ExprOp::and_, ExprOp::or_, ExprOp::xor_})
    CHECK(pool.truncate(pool.binary(op, wide_a, wide_b), 32) == pool.binary(op, a, b));
  // A product in it is narrow, too.
  CHECK(pool.truncate(pool.binary(ExprOp::add, pool.binary(ExprOp::mul, wide_a, wide_b), wide_a), 32) ==
        pool.binary(ExprOp::add, pool.binary(ExprOp::mul, a, b), a));
  // Here each side would need a conversion of its own.
  const ExprId long_a = pool.parameter(2, 0, 64);
  const ExprId long_b = pool.parameter(3, 0, 64);
  const ExprId sum = pool.binary(ExprOp::add, long_a, long_b);
  const ExprId low = pool.truncate(sum, 32);
  CHECK(pool[low].op == ExprOp::trunc);
  CHECK(pool.kid(low, 0) == sum);
}

TEST_CASE("conditions that cannot hold together") {
  ExprPool pool;
  const ExprId a = pool.parameter(0, 0, 32);
  const ExprId b = pool.parameter(1, 0, 32);
  const ExprId c = pool.parameter(2, 0, 32);
  const auto below = [&](ExprId x, ExprId y) { return pool.compare(ExprOp::lt_u, Type::u32, x, y); };
  const auto never = [&](std::vector<ExprId> conditions) { return contradictory(pool, conditions); };
  CHECK(never({below(a, b), pool.negate(below(a, b))}));
  CHECK(never({below(a, b), below(b, c), below(c, a)}));
  CHECK_FALSE(never({below(a, b), below(b, c)}));
  // In each spelling of an order, with a sign and without.
  struct Spelling {
    ExprOp op;
    Type type;
    bool swapped;
  };
  for (const Spelling& one : {Spelling{ExprOp::le_u, Type::u32, false}, Spelling{ExprOp::ge_u, Type::u32, true},
                              Spelling{ExprOp::le_s, Type::s32, false}, Spelling{ExprOp::ge_s, Type::s32, true}}) {
    const auto at_most = [&](ExprId x, ExprId y) {
      return one.swapped ? pool.compare(one.op, one.type, y, x) : pool.compare(one.op, one.type, x, y);
    };
    CHECK(never({at_most(a, b), at_most(b, c), pool.negate(at_most(a, c))}));
    CHECK_FALSE(never({at_most(a, b), at_most(b, c), at_most(c, a)}));  // all equal
  }
  // Of two that hold together, each holds.
  const ExprId both = pool.binary(ExprOp::and_, below(a, b), below(b, c));
  CHECK(never({both, pool.negate(below(a, b))}));
  CHECK(never({both, pool.negate(below(b, c))}));
  CHECK_FALSE(never({both, below(a, c)}));
}

// Orders of three numbers, of their minimum from above and of their maximum from below: they can hold together exactly if
// three different numbers are enough to make them.
TEST_CASE("random orders cannot hold together exactly where no numbers make them") {
  std::mt19937 random(5);
  const auto pick = [&](std::size_t bound) { return static_cast<std::size_t>(random() % bound); };
  unsigned found = 0;
  for (unsigned round = 0; round < 4000; ++round) {
    INFO("round " << round);
    ExprPool pool;
    const bool is_signed = round % 2 == 0;
    const std::array<ExprId, 3> variables{pool.parameter(0, 0, 32), pool.parameter(1, 0, 32), pool.parameter(2, 0, 32)};
    using Numbers = std::array<int, 3>;
    struct Side {
      ExprId id;
      std::function<int(const Numbers&)> value;
    };
    // `is_low`: the side that is to be the smaller one.
    const auto side = [&](bool is_low, bool may_be_of_two) {
      const std::size_t first = pick(3);
      const std::size_t second = pick(3);
      const Side plain{variables.at(first), [=](const Numbers& n) { return n.at(first); }};
      if (!may_be_of_two) return plain;
      const ExprOp op =
          is_low ? (is_signed ? ExprOp::max_s : ExprOp::max_u) : (is_signed ? ExprOp::min_s : ExprOp::min_u);
      return Side{pool.binary(op, variables.at(first), variables.at(second)), [=](const Numbers& n) {
                    return is_low ? std::max(n.at(first), n.at(second)) : std::min(n.at(first), n.at(second));
                  }};
    };
    std::vector<ExprId> facts;
    std::vector<std::function<bool(const Numbers&)>> hold;
    const Type type = is_signed ? Type::s32 : Type::u32;
    for (std::size_t i = 0, count = 1 + pick(5); i < count; ++i) {
      const std::size_t of_two = pick(6);  // at most one of them
      const Side low = side(true, of_two == 0);
      const Side high = side(false, of_two == 1);
      switch (pick(5)) {
        case 0:
          facts.push_back(pool.compare(is_signed ? ExprOp::lt_s : ExprOp::lt_u, type, low.id, high.id));
          hold.emplace_back([=](const Numbers& n) { return low.value(n) < high.value(n); });
          break;
        case 1:
          facts.push_back(pool.compare(is_signed ? ExprOp::ge_s : ExprOp::ge_u, type, high.id, low.id));
          hold.emplace_back([=](const Numbers& n) { return high.value(n) >= low.value(n); });
          break;
        case 2:
          facts.push_back(pool.compare(is_signed ? ExprOp::gt_s : ExprOp::gt_u, type, high.id, low.id));
          hold.emplace_back([=](const Numbers& n) { return high.value(n) > low.value(n); });
          break;
        case 3: {
          const std::size_t a = pick(3);
          const std::size_t b = pick(3);
          facts.push_back(pool.compare(ExprOp::eq, type, variables.at(a), variables.at(b)));
          hold.emplace_back([=](const Numbers& n) { return n.at(a) == n.at(b); });
          break;
        }
        default:
          facts.push_back(pool.compare(is_signed ? ExprOp::le_s : ExprOp::le_u, type, low.id, high.id));
          hold.emplace_back([=](const Numbers& n) { return low.value(n) <= high.value(n); });
      }
    }
    if (pick(3) == 0 && facts.size() > 1) {  // as one condition
      const ExprId last = facts.back();
      facts.pop_back();
      facts.back() = pool.binary(ExprOp::and_, facts.back(), last);
    }
    bool possible = false;
    for (int a = 0; a < 3; ++a)
      for (int b = 0; b < 3; ++b)
        for (int c = 0; c < 3; ++c)
          possible |= std::ranges::all_of(hold, [&](const auto& one) { return one(Numbers{a - 1, b - 1, c - 1}); });
    CHECK(contradictory(pool, facts) == !possible);
    found += possible ? 0 : 1;
  }
  CHECK(found > 500);
}

TEST_CASE("what cannot hold together because of constants, of widening, or of another sign") {
  ExprPool pool;
  const ExprId a = pool.parameter(0, 0, 32);
  const ExprId b = pool.parameter(1, 0, 32);
  const auto number = [&](std::uint64_t value, unsigned bits = 32) { return pool.constant(value, bits); };
  const auto is = [&](ExprOp op, ExprId x, ExprId y) { return pool.compare(op, Type::u32, x, y); };
  const auto never = [&](std::vector<ExprId> conditions) { return contradictory(pool, conditions); };
  using enum ExprOp;
  CHECK(never({is(lt_u, a, number(10)), is(gt_u, a, number(20))}));
  CHECK_FALSE(never({is(lt_u, a, number(20)), is(gt_u, a, number(10))}));
  CHECK(never({is(lt_u, a, number(10)), is(ge_u, a, b), is(ge_u, b, number(10))}));
  CHECK(never({is(lt_s, a, number(0xfffffff0)), is(gt_s, a, number(5))}));        // below -16, above 5
  CHECK_FALSE(never({is(lt_u, a, number(0xfffffff0)), is(gt_u, a, number(5))}));  // without a sign both hold
  CHECK_FALSE(never({is(lt_s, a, b), is(lt_u, b, a)}));                           // orders of two kinds
  CHECK(never({is(eq, a, number(3)), is(eq, a, number(4))}));
  CHECK(never({is(eq, a, b), is(ne, a, b)}));
  CHECK(never({pool.compare(eq, Type::s32, a, b), pool.compare(ne, Type::b32, a, b)}));
  CHECK_FALSE(never({is(ne, a, b), is(ne, b, a)}));
  CHECK(never({is(eq, a, b), is(lt_s, a, b)}));
  CHECK(never({is(eq, a, b), is(lt_u, a, b)}));
  CHECK(never({pool.false_value()}));
  CHECK_FALSE(never({pool.true_value()}));
  CHECK_FALSE(never({}));
  // Widened alike, without a sign.
  const ExprId wide_a = pool.extend(a, 64, false);
  const ExprId wide_b = pool.extend(b, 64, false);
  CHECK(never({is(lt_u, wide_a, wide_b), is(ge_u, a, b)}));
  CHECK(never({is(eq, wide_a, wide_b), is(ne, a, b), is(lt_u, a, b)}));
  CHECK_FALSE(never({is(lt_s, wide_a, wide_b), is(ge_s, a, b)}));
  // So many facts that the first ones are not looked at any more; the nearest are.
  std::vector<ExprId> many{is(lt_u, a, b)};
  for (std::uint32_t i = 0; i < 200; ++i) many.push_back(is(ne, pool.parameter(2, 0, 32), number(i)));
  many.push_back(is(lt_u, b, a));
  CHECK_FALSE(never(many));
  many.push_back(is(lt_u, a, b));
  CHECK(never(many));
}

TEST_CASE("unknown values are never equal") {
  ExprPool pool;
  const ExprId first = pool.unknown(32, "why");
  const ExprId second = pool.unknown(32, "why");
  CHECK(first != second);
  CHECK_FALSE(pool.is_constant(pool.compare(ExprOp::eq, Type::u32, first, second)));
  CHECK(pool.has_unknown(pool.binary(ExprOp::add, first, pool.constant(1, 32))));
  CHECK(pool.reason(*pool.find_unknown(pool.unary(ExprOp::not_, second))) == "why");
}

TEST_CASE("the global index is known in each of its spellings") {
  ExprPool pool;
  const ExprId block = pool.special("ctaid.x", 32);
  const ExprId size = pool.special("ntid.x", 32);
  const ExprId thread = pool.special("tid.x", 32);
  const ExprId index = pool.binary(ExprOp::add, thread, pool.binary(ExprOp::mul, size, block));
  CHECK(pool.global_index(index) == 'x');
  CHECK(pool.global_index(pool.extend(index, 64, false)) == 'x');
  CHECK(pool.global_index(pool.binary(ExprOp::add, index, pool.constant(1, 32))) == 0);
  const ExprId other = pool.binary(ExprOp::add, pool.special("tid.y", 32), pool.binary(ExprOp::mul, block, size));
  CHECK(pool.global_index(other) == 0);
}

TEST_CASE("the parameters behind a value go through loads and joins") {
  ExprPool pool;
  const ExprId pointer = pool.parameter(2, 0, 64);
  const ExprId loaded = pool.load(StateSpace::global, Type::u32, 32, pointer, 7);
  const ExprId sum = pool.binary(ExprOp::add, loaded, pool.parameter(0, 0, 32));
  CHECK(pool.parameters(sum) == std::vector<std::uint32_t>{0, 2});
  const ExprId loop = pool.phi(1, 32);
  const std::array<ExprId, 2> kids{sum, pool.binary(ExprOp::add, loop, pool.parameter(5, 0, 32))};
  pool.set_phi_kids(loop, kids);
  CHECK(pool.parameters(loop) == std::vector<std::uint32_t>{0, 2, 5});
}

TEST_CASE("parameters of many expressions are those of each by itself, loops included") {
  std::mt19937_64 random(7);
  for (unsigned round = 0; round < 60; ++round) {
    ExprPool pool;
    ParameterSets sets(pool);
    std::vector<ExprId> made;
    std::vector<ExprId> loops;
    const std::uint32_t parameters = round % 3 == 0 ? 600 : 9;  // more than are remembered, and few
    const auto any = [&] { return made[random() % made.size()]; };
    for (std::uint32_t i = 0; i < 12; ++i)
      made.push_back(pool.parameter(static_cast<std::uint32_t>(random() % parameters), 0, 32));
    for (unsigned i = 0; i < 400; ++i) {
      const ExprId node =
          random() % 9 == 0 ? pool.phi(i, 32)
          : random() % 7 == 0
              ? pool.select(pool.compare(ExprOp::lt_u, Type::u32, any(), any()), any(), any(), random() % 2 == 0)
          : random() % 5 == 0 ? pool.parameter(static_cast<std::uint32_t>(random() % parameters), 0, 32)
                              : pool.binary(random() % 2 == 0 ? ExprOp::add : ExprOp::xor_, any(), any());
      if (pool[node].op == ExprOp::phi) loops.push_back(node);
      made.push_back(node);
    }
    for (const ExprId loop : loops) pool.set_phi_kids(loop, std::array{any(), any(), any()});
    for (unsigned i = 0; i < 100; ++i) {
      const ExprId asked = any();
      CHECK(sets.of(asked) == pool.parameters(asked));
      if (i % 10 == 0) made.push_back(pool.binary(ExprOp::add, any(), any()));  // the pool grows in between
    }
  }
}

TEST_CASE("an expression of another pool is the same in this one") {
  for (unsigned seed = 0; seed < 40; ++seed) {
    RandomExpressions random(seed);
    ExprPool to;
    static_cast<void>(to.parameter(3, 0, 32));
    ExprPool::Adopted adopted;
    for (unsigned i = 0; i < 20; ++i) {
      const ExprId there = random.value(32, 5).id;
      const ExprId here = to.adopt(random.pool(), there, adopted);
      CHECK(to.parameters(here) == random.pool().parameters(there));
      CHECK(to.node_count(here, 100'000) == random.pool().node_count(there, 100'000));
      CHECK(to.adopt(random.pool(), there, adopted) == here);
    }
  }
  ExprPool from;
  const ExprId loop = from.phi(1, 32);
  const ExprId next = from.binary(ExprOp::add, loop, from.parameter(0, 0, 32));
  from.set_phi_kids(loop, std::array{from.constant(0, 32), next});
  ExprPool to;
  ExprPool::Adopted adopted;
  const ExprId there = to.adopt(from, next, adopted);
  REQUIRE(to[there].op == ExprOp::add);
  const ExprId carried = to[to.kid(there, 0)].op == ExprOp::phi ? to.kid(there, 0) : to.kid(there, 1);
  REQUIRE(to[carried].op == ExprOp::phi);
  CHECK(to.kid(carried, 1) == there);
}

// PTX ISA 9.7.3: eq to ge are false where a side is NaN, equ to geu are true.
TEST_CASE("floating-point comparisons of constants") {
  struct Row {
    double a, b;
    std::string holds;  // of eq ne lt le gt ge equ neu ltu leu gtu geu num nan
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const Row& row : std::initializer_list<Row>{{1.5, 1.5, "10010110010110"},
                                                   {1.5, 2.5, "01110001110010"},
                                                   {-1.5, -2.5, "01001101001110"},
                                                   {0.0, -0.0, "10010110010110"},
                                                   {nan, 1.5, "00000011111101"},
                                                   {1.5, nan, "00000011111101"},
                                                   {nan, nan, "00000011111101"}}) {
    std::string wide;
    std::string single;
    for (std::size_t op = 0; op < row.holds.size(); ++op) {
      const auto compare = [&](std::uint64_t a, std::uint64_t b, Type type) {
        const auto holds = fold::float_compare(static_cast<FloatCompare>(op), a, b, type);
        return !holds ? "?" : *holds ? "1" : "0";
      };
      wide += compare(std::bit_cast<std::uint64_t>(row.a), std::bit_cast<std::uint64_t>(row.b), Type::f64);
      const auto bits = [](double value) { return std::bit_cast<std::uint32_t>(static_cast<float>(value)); };
      single += compare(bits(row.a), bits(row.b), Type::f32);
      CHECK_FALSE(fold::float_compare(static_cast<FloatCompare>(op), 0x3c00, 0x3c00, Type::f16));
    }
    INFO(row.a << " and " << row.b);
    CHECK(wide == row.holds);
    CHECK(single == row.holds);
  }
}

TEST_CASE("the parameters of an expression that has very many") {
  ExprPool pool;
  ExprId sum = pool.constant(0, 32);
  ExprId part = sum;
  for (std::uint32_t i = 0; i < 3000; ++i) {
    sum = pool.binary(ExprOp::xor_, sum, pool.parameter(i, 0, 32));
    if (i == 9) part = sum;
  }
  ParameterSets sets(pool);
  CHECK(sets.of(sum).size() == 3000);
  CHECK(sets.of(sum) == pool.parameters(sum));
  CHECK(sets.of(part) == std::vector<std::uint32_t>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9});
  CHECK(sets.of(sum) == pool.parameters(sum));
}
