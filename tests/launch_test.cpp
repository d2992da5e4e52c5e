// Launches: the engine that counts threads by boxes, held against one that asks every thread in turn.
#include "analysis/launch.h"

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "analysis/launch_program.h"
#include "tests/catch.h"
#include "tests/expr_arithmetic.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

using Value = std::optional<std::uint64_t>;
using Known = std::map<std::uint32_t, std::uint64_t>;  // arguments by index

launch::Environment environment_of(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                                   const Known& known) {
  launch::Environment out;
  out.grid = grid;
  out.block = block;
  out.parameter = [&known](std::uint32_t index, std::uint64_t offset, unsigned bits) -> Value {
    const auto at = known.find(index);
    if (at == known.end() || offset != 0) return std::nullopt;
    return bits == 64 ? at->second : at->second & ((1ULL << bits) - 1);
  };
  out.not_null = [](std::uint32_t, std::uint64_t, unsigned) { return false; };
  return out;
}

// The reference: one thread, one node at a time, straight from the definition of each operation.
class Reference {
 public:
  Reference(const ExprPool& pool, const launch::Environment& environment, const launch::Coordinates& thread)
      : pool_(pool), environment_(environment), c_(thread) {}

  Value of(ExprId id) {
    const auto found = done_.find(static_cast<std::uint32_t>(id));
    if (found != done_.end()) return found->second;
    const Value value = compute(id);
    done_.emplace(static_cast<std::uint32_t>(id), value);
    return value;
  }

 private:
  Value special_register(std::string_view name) {
    const std::array<std::uint32_t, 3> tid{c_[5], c_[4], c_[3]};
    const std::array<std::uint32_t, 3> ctaid{c_[2], c_[1], c_[0]};
    const std::uint32_t linear = tid[0] + environment_.block[0] * (tid[1] + environment_.block[1] * tid[2]);
    if (name == "laneid") return linear % 32;
    if (name == "warpid") return std::nullopt;
    const auto axis = static_cast<std::size_t>(name.back() - 'x');
    if (name.starts_with("tid.")) return tid.at(axis);
    if (name.starts_with("ctaid.")) return ctaid.at(axis);
    if (name.starts_with("ntid.")) return environment_.block.at(axis);
    if (name.starts_with("nctaid.")) return environment_.grid.at(axis);
    return std::nullopt;
  }

  static Value float_holds(FloatCompare op, double x, double y) {
    const std::string_view word = spelling(op);
    const bool unordered = x != x || y != y;
    if (word == "num" || word == "nan") return unordered == (word == "nan") ? 1 : 0;
    if (unordered) return word.size() == 3 ? 1 : 0;  // equ to geu
    const std::string_view plain = word.substr(0, 2);
    const bool holds = plain == "eq"   ? x == y
                       : plain == "ne" ? x != y
                       : plain == "lt" ? x < y
                       : plain == "le" ? x <= y
                       : plain == "gt" ? x > y
                                       : x >= y;
    return holds ? 1 : 0;
  }

  Value compute(ExprId id) {
    using enum ExprOp;
    const Expr e = pool_[id];
    const auto kids = pool_.kids(id);
    switch (e.op) {
      case constant:
        return e.value;
      case special:
        return special_register(pool_.special_name(id));
      case parameter:
        return environment_.parameter(e.payload, e.value, e.bits);
      case unknown:
      case load:
      case phi:
      case call:
      case symbol:
      case function:
        return std::nullopt;
      default:
        break;
    }
    const Value a = of(kids[0]);
    const Value b = kids.size() > 1 ? of(kids[1]) : Value(0);
    const unsigned n = pool_[kids[0]].bits;
    if (e.op == select) {
      if (!a) return std::nullopt;
      return *a != 0 ? b : of(kids[2]);
    }
    if (n == 1 && e.op == and_) {
      if (a == Value(0) || b == Value(0)) return 0;
      return a && b ? Value(1) : std::nullopt;
    }
    if (n == 1 && e.op == or_) {
      if (a == Value(1) || b == Value(1)) return 1;
      return a && b ? Value(0) : std::nullopt;
    }
    if (!a || !b) return std::nullopt;
    if (e.op == fcmp) {
      if (e.type == Type::f32)
        return float_holds(static_cast<FloatCompare>(e.value), std::bit_cast<float>(static_cast<std::uint32_t>(*a)),
                           std::bit_cast<float>(static_cast<std::uint32_t>(*b)));
      if (e.type != Type::f64) return std::nullopt;
      return float_holds(static_cast<FloatCompare>(e.value), std::bit_cast<double>(*a), std::bit_cast<double>(*b));
    }
    return apply(e.op, n, kids.size() > 1 ? pool_[kids[1]].bits : n, e.bits, *a, *b);
  }

  const ExprPool& pool_;
  const launch::Environment& environment_;
  launch::Coordinates c_;
  std::map<std::uint32_t, Value> done_;
};

launch::Tally reference_count(const ExprPool& pool, const launch::Environment& environment, ExprId condition) {
  launch::Tally tally;
  const auto n = environment.whole().count;
  launch::Coordinates c{};
  for (c[0] = 0; c[0] < n[0]; ++c[0])
    for (c[1] = 0; c[1] < n[1]; ++c[1])
      for (c[2] = 0; c[2] < n[2]; ++c[2])
        for (c[3] = 0; c[3] < n[3]; ++c[3])
          for (c[4] = 0; c[4] < n[4]; ++c[4])
            for (c[5] = 0; c[5] < n[5]; ++c[5]) {
              const Value value = Reference(pool, environment, c).of(condition);
              if (!value) {
                if (tally.undecided++ == 0) tally.first_undecided = c;
              } else if (*value != 0) {
                if (tally.met++ == 0) tally.first_met = c;
              }
            }
  return tally;
}

// Random expressions, biased to what kernels compute.
class Generator {
 public:
  Generator(ExprPool& pool, unsigned seed) : pool_(pool), random_(seed) {}

  ExprId value(unsigned bits, unsigned depth) {
    if (depth == 0 || pick(8) == 0) return leaf(bits);
    switch (pick(13)) {
      case 0:
      case 1:
      case 2:
        return pool_.binary(ExprOp::add, value(bits, depth - 1), value(bits, depth - 1));
      case 3:
        return pool_.binary(ExprOp::sub, value(bits, depth - 1), value(bits, depth - 1));
      case 4:
      case 5:
        return pool_.binary(ExprOp::mul, value(bits, depth - 1), value(bits, depth - 1));
      case 6: {
        static constexpr std::array ops{ExprOp::and_,     ExprOp::or_,   ExprOp::xor_,    ExprOp::min_u, ExprOp::min_s,
                                        ExprOp::max_u,    ExprOp::max_s, ExprOp::div_u,   ExprOp::div_s, ExprOp::rem_u,
                                        ExprOp::mul_hi_u, ExprOp::rem_s, ExprOp::mul_hi_s};
        return pool_.binary(ops.at(pick(ops.size())), value(bits, depth - 1),
                            pick(2) == 0 ? small(bits) : value(bits, depth - 1));
      }
      case 7: {
        static constexpr std::array ops{ExprOp::shl, ExprOp::shr_u, ExprOp::shr_s};
        return pool_.binary(ops.at(pick(3)), value(bits, depth - 1),
                            pick(3) == 0 ? value(32, depth - 1) : pool_.constant(pick(40), 32));
      }
      case 8:
        return unary(value(bits, depth - 1));
      case 9:
      case 10:
        return bits == 64 ? pool_.extend(value(32, depth - 1), 64, pick(2) == 0)
                          : pool_.truncate(value(64, depth - 1), 32);
      case 11:
        return pool_.select(predicate(depth - 1), value(bits, depth - 1), value(bits, depth - 1));
      default:
        return pool_.binary(ExprOp::and_, value(bits, depth - 1), pool_.constant((1ULL << pick(8)) - 1, bits));
    }
  }

  ExprId predicate(unsigned depth) {
    if (depth == 0) return pick(3) == 0 ? pool_.unknown(1, "test") : compare(1);
    switch (pick(8)) {
      case 0:
      case 1:
        return pool_.binary(ExprOp::and_, predicate(depth - 1), predicate(depth - 1));
      case 2:
        return pool_.binary(ExprOp::or_, predicate(depth - 1), predicate(depth - 1));
      case 3:
        return pool_.negate(predicate(depth - 1));
      case 4:
        return pool_.binary(ExprOp::xor_, predicate(depth - 1), predicate(depth - 1));
      default:
        return compare(depth);
    }
  }

 private:
  std::size_t pick(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  ExprId unary(ExprId of) {
    static constexpr std::array ops{ExprOp::neg, ExprOp::not_, ExprOp::abs, ExprOp::popc, ExprOp::clz, ExprOp::brev};
    return pool_.unary(ops.at(pick(ops.size())), of);
  }
  ExprId small(unsigned bits) { return pool_.constant(pick(9), bits); }
  ExprId compare(unsigned depth) {
    static constexpr std::array ops{ExprOp::eq,   ExprOp::ne,   ExprOp::lt_u, ExprOp::le_u, ExprOp::gt_u,
                                    ExprOp::ge_u, ExprOp::lt_s, ExprOp::le_s, ExprOp::gt_s, ExprOp::ge_s};
    const unsigned bits = pick(2) == 0 ? 32 : 64;
    if (pick(8) == 0) {
      const auto op = static_cast<FloatCompare>(pick(14));
      if (pick(8) == 0) return pool_.float_compare(op, Type::f16, leaf(16), leaf(16));
      return pool_.float_compare(op, bits == 32 ? Type::f32 : Type::f64, value(bits, depth), value(bits, depth));
    }
    return pool_.compare(ops.at(pick(ops.size())), Type::u32, value(bits, depth),
                         pick(3) == 0 ? leaf(bits) : value(bits, depth));
  }
  ExprId leaf(unsigned bits) {
    static constexpr std::array names{"tid.x",   "tid.y",  "tid.z",    "ctaid.x", "ctaid.y",
                                      "ctaid.z", "ntid.x", "nctaid.x", "laneid",  "warpid"};
    switch (pick(6)) {
      case 0: {
        static constexpr std::array<std::uint64_t, 8> values{0, 1, 3, 31, 100, 0x7fffffff, 0x80000000, ~0ULL};
        return pool_.constant(values.at(pick(values.size())), bits);
      }
      case 1:
        return pool_.parameter(static_cast<std::uint32_t>(pick(5)), 0, bits);  // 4 is not known
      default:
        return pool_.extend(pool_.special(names.at(pick(names.size())), 32), bits, false);
    }
  }
  ExprPool& pool_;
  std::mt19937 random_;
};

ExprId global_x(ExprPool& pool, unsigned bits) {
  const auto wide = [&](std::string_view name) { return pool.extend(pool.special(name, 32), bits, false); };
  return pool.binary(ExprOp::add, pool.binary(ExprOp::mul, wide("ctaid.x"), wide("ntid.x")), wide("tid.x"));
}

launch::Tally counted(const ExprPool& pool, const launch::Environment& environment, ExprId condition,
                      std::uint64_t work = 1ULL << 34, const std::atomic<bool>* stop = nullptr) {
  launch::Program program(pool, environment);
  const launch::Slot slot = program.compile(condition);
  return launch::count(program, slot, work, stop);
}

}  // namespace

TEST_CASE("random conditions count as they do thread by thread", "[launch]") {
  const Known known{{0, 17}, {1, 100}, {2, 0xffffffffffffff00ULL}, {3, 0}};
  static constexpr std::array<std::array<std::array<std::uint32_t, 3>, 2>, 5> shapes{{{{{4, 1, 1}, {32, 1, 1}}},
                                                                                      {{{3, 2, 2}, {5, 3, 2}}},
                                                                                      {{{1, 1, 1}, {40, 2, 1}}},
                                                                                      {{{7, 3, 1}, {1, 1, 1}}},
                                                                                      {{{300, 1, 1}, {32, 1, 1}}}}};
  for (unsigned seed = 0; seed < 600; ++seed) {
    ExprPool pool;
    Generator generator(pool, seed);
    const ExprId condition = generator.predicate(1 + seed % 5);
    const auto& shape = shapes.at(seed % 50 == 0 ? 4 : seed % 4);
    const auto environment = environment_of(shape[0], shape[1], known);
    const launch::Tally expected = reference_count(pool, environment, condition);
    const launch::Tally found = counted(pool, environment, condition);
    INFO("seed " << seed);
    // Where the reference does not know, the engine may know more (it sees that zero times anything is zero), never less.
    REQUIRE(found.met + found.undecided <= expected.met + expected.undecided);
    REQUIRE(found.met >= expected.met);
    if (expected.undecided == 0) {
      REQUIRE(found.met == expected.met);
      REQUIRE(found.undecided == 0);
      REQUIRE(found.first_met == expected.first_met);
    }
    if (found.undecided == expected.undecided) {
      REQUIRE(found.met == expected.met);
      REQUIRE(found.first_met == expected.first_met);
      REQUIRE(found.first_undecided == expected.first_undecided);
    }
    REQUIRE_FALSE(found.gave_up);
  }
}

TEST_CASE("single threads evaluate as the reference does", "[launch]") {
  const Known known{{0, 17}, {1, 100}, {2, 0xffffffffffffff00ULL}, {3, 0}};
  const auto environment = environment_of({3, 2, 2}, {5, 3, 2}, known);
  for (unsigned seed = 1000; seed < 1300; ++seed) {
    ExprPool pool;
    Generator generator(pool, seed);
    const ExprId value = generator.value(seed % 2 == 0 ? 32 : 64, 4);
    launch::Program program(pool, environment);
    const launch::Slot slot = program.compile(value);
    const launch::Coordinates thread{seed % 2, seed % 2, seed % 3, seed % 2, seed % 3, seed % 5};
    const Value expected = Reference(pool, environment, thread).of(value);
    INFO("seed " << seed);
    if (expected) REQUIRE(program.at(slot, thread) == expected);
  }
}

TEST_CASE("a billion threads are counted by their ranges", "[launch]") {
  ExprPool pool;
  const ExprId index = global_x(pool, 64);
  const ExprId out = pool.compare(ExprOp::ge_u, Type::u64, index, pool.parameter(0, 0, 64));
  const Known known{{0, (1ULL << 30) + 12345}};
  const auto environment = environment_of({1U << 21, 1, 1}, {1024, 1, 1}, known);
  std::uint64_t work = 1ULL << 20;  // far less than one operation a thread
  launch::Program program(pool, environment);
  const launch::Tally tally = launch::count(program, program.compile(out), work);
  REQUIRE(tally.met == (1ULL << 31) - (1ULL << 30) - 12345);
  REQUIRE(tally.first_met == launch::Coordinates{0, 0, (1U << 20) + 12, 0, 0, 57});

  SECTION("with a part that repeats in every warp") {
    const ExprId lane = pool.binary(ExprOp::and_, pool.truncate(index, 32), pool.constant(31, 32));
    const ExprId both = pool.binary(ExprOp::and_, out, pool.compare(ExprOp::eq, Type::u32, lane, pool.constant(5, 32)));
    std::uint64_t more = 1ULL << 20;
    const launch::Tally fewer = launch::count(program, program.compile(both), more);
    REQUIRE(fewer.met == ((1ULL << 31) - (1ULL << 30) - 12345 - 12 + 31) / 32);
    REQUIRE(fewer.first_met == launch::Coordinates{0, 0, (1U << 20) + 12, 0, 0, 69});
  }
}

TEST_CASE("a shift by the thread's index", "[launch]") {
  // 1 << 7 is the first that is not below 100, and shl gives 0 for more than 31 (PTX ISA 9.7.8.8).
  ExprPool pool;
  const ExprId bit = pool.binary(ExprOp::shl, pool.constant(1, 32), pool.special("tid.x", 32));
  const ExprId large = pool.compare(ExprOp::ge_u, Type::u32, bit, pool.constant(100, 32));
  const launch::Tally tally = counted(pool, environment_of({1024, 1, 1}, {64, 1, 1}, {}), large);
  REQUIRE(tally.met == 1024 * 25);
  REQUIRE(tally.first_met == launch::Coordinates{0, 0, 0, 0, 0, 7});
}

TEST_CASE("a bound on work ends the count honestly", "[launch]") {
  ExprPool pool;
  const ExprId index = global_x(pool, 32);
  const ExprId rest =
      pool.binary(ExprOp::rem_u, pool.binary(ExprOp::mul, index, pool.constant(2654435761U, 32)), pool.constant(7, 32));
  const ExprId some = pool.compare(ExprOp::eq, Type::u32, rest, pool.constant(3, 32));
  const auto environment = environment_of({1U << 12, 1, 1}, {1024, 1, 1}, {});
  const launch::Tally all = counted(pool, environment, some);
  REQUIRE_FALSE(all.gave_up);
  const launch::Tally part = counted(pool, environment, some, 1U << 22);
  REQUIRE(part.gave_up);
  REQUIRE(part.met > 0);
  REQUIRE(part.met < all.met);
  REQUIRE(part.first_met == all.first_met);
  std::atomic<bool> stop = false;
  REQUIRE(counted(pool, environment, some, 1ULL << 34, &stop).met == all.met);
  stop = true;
  const launch::Tally stopped = counted(pool, environment, some, 1ULL << 34, &stop);
  REQUIRE(stopped.gave_up);
  REQUIRE(stopped.met == 0);
}

TEST_CASE("numbers on the command line", "[launch]") {
  REQUIRE(argument_bits("512", Type::u64, 8) == Value(512));
  REQUIRE(argument_bits("0x1F", Type::u32, 4) == Value(31));
  REQUIRE(argument_bits("-1", Type::s32, 4) == Value(0xffffffff));
  REQUIRE(argument_bits("-1", Type::u64, 8) == Value(~0ULL));
  REQUIRE(argument_bits("18446744073709551615", Type::u64, 8) == Value(~0ULL));
  REQUIRE(argument_bits("0.5", Type::f32, 4) == Value(0x3f000000));
  REQUIRE(argument_bits("1", Type::f32, 4) == Value(0x3f800000));
  REQUIRE(argument_bits("1e-3", Type::f64, 8) == Value(std::bit_cast<std::uint64_t>(1e-3)));
  REQUIRE(argument_bits("0x3f800000", Type::f32, 4) == Value(0x3f800000));
  REQUIRE(argument_bits("0.5", Type::b32, 4) == Value(0x3f000000));
  REQUIRE(argument_bits("inf", Type::f32, 4) == Value(0x7f800000));
  REQUIRE(argument_bits("255", Type::u8, 1) == Value(255));
  for (const char* wrong :
       {"", "-", "0x", "1K", "12 ", "1<<20", "18446744073709551616", "0.5", "--1", "-9223372036854775809"}) {
    INFO(wrong);
    REQUIRE_FALSE(argument_bits(wrong, Type::u64, 8));
  }
  REQUIRE_FALSE(argument_bits("256", Type::u8, 1));
  REQUIRE_FALSE(argument_bits("-129", Type::s8, 1));
  REQUIRE_FALSE(argument_bits("1", Type::b8, 24));
}

TEST_CASE("labels", "[launch]") {
  std::vector<ParameterInfo> params(2);
  params[0].name = "k_param_0";
  params[0].type = Type::u64;
  params[0].size = 8;
  params[0].label = "a.ptr";
  params[1].index = 1;
  params[1].name = "k_param_1";
  params[1].type = Type::b8;
  params[1].size = 16;
  params[1].label = "arg1";
  params[1].fields.push_back({.offset = 8, .bytes = 8, .role = ParameterRole::length, .slice = 0, .label = "arg1.len"});
  REQUIRE(find_label(params, "a.ptr")->index == 0);
  REQUIRE(find_label(params, "k_param_0")->bytes == 8);
  REQUIRE(find_label(params, "#0")->type == Type::u64);
  REQUIRE(find_label(params, "arg1.len")->offset == 8);
  REQUIRE_FALSE(find_label(params, "arg1"));  // 16 bytes do not come as one number
  REQUIRE_FALSE(find_label(params, "b.len"));
  REQUIRE(labels_of(params) == std::vector<std::string>{"a.ptr", "arg1.len"});
}

TEST_CASE("limits of the hardware", "[launch]") {
  Launch launch;
  REQUIRE(launch_limits(launch).empty());
  launch.block = {32, 32, 1};
  launch.grid = {0x7fffffff, 65535, 65535};
  REQUIRE(launch_limits(launch).empty());
  launch.block = {32, 32, 2};
  REQUIRE(launch_limits(launch) == std::vector<std::string>{"the block has 2048 threads; the most is 1024"});
  launch.block = {1, 1, 65};
  REQUIRE(launch_limits(launch).size() == 1);
  launch.block = {0, 1, 1};
  REQUIRE(launch_limits(launch).size() == 1);
  launch.block = {1, 1, 1};
  launch.grid = {1, 65536, 1};
  REQUIRE(launch_limits(launch).size() == 1);
}

// What all lanes hold alike is what any of them holds.
TEST_CASE("a vote over what the launch decides for all threads alike", "[launch]") {
  const Known known{{0, 17}};
  const auto environment = environment_of({2, 1, 1}, {40, 1, 1}, known);
  const auto met = [&](std::uint64_t number, const std::string& vote) {
    ExprPool pool;
    const std::array<ExprId, 1> kid{
        pool.compare(ExprOp::eq, Type::u32, pool.parameter(0, 0, 32), pool.constant(number, 32))};
    const launch::Tally tally = counted(pool, environment, pool.function(vote, 1, kid, 5));
    return tally.undecided != 0 ? std::string("?") : std::to_string(tally.met);
  };
  CHECK(met(17, "vote.all") == "80");
  CHECK(met(17, "vote.any") == "80");
  CHECK(met(18, "vote.all") == "0");
  CHECK(met(18, "vote.any") == "0");
  CHECK(met(17, "testp.finite.f32") == "?");
  // What differs between lanes is not known, though each lane is.
  ExprPool pool;
  const std::array<ExprId, 1> lanes{
      pool.compare(ExprOp::eq, Type::u32, pool.special("tid.x", 32), pool.constant(3, 32))};
  CHECK(counted(pool, environment, pool.function("vote.any", 1, lanes, 5)).undecided == 80);
}

// PTX 1.x reads %tid 16 bits wide.
TEST_CASE("coordinates of other widths", "[launch]") {
  ExprPool pool;
  const Known known;
  const auto environment = environment_of({3, 1, 1}, {40, 2, 1}, known);
  const auto met = [&](ExprId value, std::uint64_t limit) {
    const ExprId below = pool.compare(ExprOp::lt_u, Type::u32, value, pool.constant(limit, pool[value].bits));
    return counted(pool, environment, below).met;
  };
  CHECK(met(pool.special("tid.x", 16), 5) == 5 * 2 * 3);
  CHECK(met(pool.extend(pool.special("tid.x", 16), 32, false), 5) == 5 * 2 * 3);
  CHECK(met(pool.special("ctaid.x", 64), 2) == 2 * 80);
  CHECK(met(pool.special("ntid.x", 16), 41) == 240);
  CHECK(met(pool.special("tid.z", 16), 1) == 240);
  CHECK(met(pool.special("laneid", 64), 8) == 3 * (3 * 8));  // 80 threads a block: lanes 0 to 7 of each of three warps
  CHECK(met(pool.special("tid.w", 32), 1) == 240);
}

// An operation on something unknown is unknown in each thread, on either side and in each kind of operation.
TEST_CASE("what is not known stays so", "[launch]") {
  const Known known{{0, 17}};
  const auto environment = environment_of({2, 1, 1}, {32, 1, 1}, known);
  using enum ExprOp;
  for (const ExprOp op : {add, sub, mul, xor_, or_, min_u, max_s, div_u, rem_s, shl, shr_u}) {
    for (const bool is_first : {false, true}) {
      ExprPool pool;
      const ExprId thread = pool.binary(add, pool.special("tid.x", 32), pool.constant(1, 32));
      const ExprId missing = pool.parameter(4, 0, 32);
      const ExprId value = is_first ? pool.binary(op, missing, thread) : pool.binary(op, thread, missing);
      const launch::Tally tally = counted(pool, environment, pool.compare(eq, Type::u32, value, pool.constant(7, 32)));
      INFO("operation " << static_cast<int>(op) << ", first " << is_first);
      CHECK(tally.undecided == 64);
      CHECK(tally.met == 0);
    }
  }
  ExprPool pool;
  const ExprId low = pool.compare(lt_u, Type::u32, pool.special("tid.x", 32), pool.constant(5, 32));
  const ExprId missing = pool.unknown(1, "test");
  CHECK(counted(pool, environment, pool.binary(xor_, low, missing)).undecided == 64);
  CHECK(counted(pool, environment, pool.binary(xor_, missing, low)).undecided == 64);
  CHECK(counted(pool, environment, pool.binary(and_, low, missing)).undecided == 10);
  CHECK(counted(pool, environment, pool.binary(or_, missing, low)).met == 10);
  CHECK(counted(pool, environment, pool.negate(pool.binary(or_, missing, low))).undecided == 54);
}
