// What bench concludes from times, on times made up: how often the interval holds the truth, which verdict follows, and
// that none follows from nothing. Also the notation of sizes, formulas and arguments, and the data of buffers.
#include "analysis/bench_statistics.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>

#include "analysis/bench_arguments.h"
#include "analysis/bench_data.h"
#include "analysis/bench_formula.h"
#include "report/bench.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

using Noise = std::function<double(std::mt19937_64&)>;

double normal(std::mt19937_64& random) { return std::normal_distribution<double>(0, 1)(random); }
// With a median of 0, and skewed.
double exponential(std::mt19937_64& random) { return std::exponential_distribution<double>(1)(random) - std::log(2.0); }
// With no mean at all.
double cauchy(std::mt19937_64& random) { return std::cauchy_distribution<double>(0, 1)(random); }

double covered(std::size_t count, double confidence, const Noise& noise) {
  std::mt19937_64 random(12345);
  constexpr int rounds = 20000;
  int inside = 0;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> values;
    for (std::size_t i = 0; i < count; ++i) values.push_back(noise(random));
    const Summary summary = summarize(std::move(values), confidence);
    REQUIRE(summary.interval);
    if (summary.interval->low <= 0 && summary.interval->high >= 0) ++inside;
  }
  return static_cast<double>(inside) / rounds;
}

BenchSize measured(std::size_t count, double ratio, double scatter, std::uint64_t seed, double empty = 0.01) {
  std::mt19937_64 random(seed);
  BenchSize size;
  size.n = 1024;
  size.empty_us = empty;
  for (std::size_t i = 0; i < count; ++i)
    size.pairs.push_back(
        {10 * (1 + scatter * normal(random)), 10 * ratio * (1 + scatter * normal(random)), i % 2 == 1});
  return size;
}

std::string verdict_of(const BenchSize& size, const BenchRules& rules = {}) {
  return report::bench_verdict(judge(size, true, rules), rules);
}

Formula formula(std::string_view text) {
  FormulaResult read = read_formula(text, FormulaNames::n_and_block);
  INFO(text << ": " << read.error);
  REQUIRE(read.formula);
  return *read.formula;
}

std::optional<std::uint64_t> at(std::string_view text, std::uint64_t n) {
  return formula(text).whole({.n = n, .block = 256});
}

std::string error_of(std::string_view text) { return read_formula(text, FormulaNames::n).error; }

}  // namespace

TEST_CASE("the interval holds the true median as often as it says") {
  for (const double confidence : {0.9, 0.95, 0.99}) {
    for (const std::size_t count : {9U, 10U, 30U, 101U}) {
      for (const Noise& noise : {Noise(normal), Noise(exponential), Noise(cauchy)}) {
        const double share = covered(count, confidence, noise);
        std::vector<double> values(count);
        for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<double>(i);
        const double promised = median_interval(values, confidence)->coverage;
        CAPTURE(confidence, count, promised);
        CHECK(promised >= confidence);
        // Three standard errors of 20,000 rounds.
        CHECK(std::abs(share - promised) < 3 * std::sqrt(promised * (1 - promised) / 20000) + 1e-4);
      }
    }
  }
}

TEST_CASE("which values bound the interval") {
  std::vector<double> nine{1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto wide = median_interval(nine, 0.99);
  REQUIRE(wide);
  CHECK(wide->low == 1);
  CHECK(wide->high == 9);
  CHECK(std::abs(wide->coverage - (1 - 2.0 / 512)) < 1e-12);
  const auto narrow = median_interval(nine, 0.95);
  REQUIRE(narrow);
  CHECK(narrow->low == 2);
  CHECK(narrow->high == 8);
  CHECK_FALSE(median_interval(nine, 0.999));
  CHECK_FALSE(median_interval({}, 0.5));
  CHECK_FALSE(median_interval(nine, 1.0));
  CHECK_FALSE(median_interval(nine, NAN));
  // 2^-n is 0 from 1075 on.
  std::vector<double> many(5001);
  for (std::size_t i = 0; i < many.size(); ++i) many[i] = static_cast<double>(i);
  const auto interval = median_interval(many, 0.99);
  REQUIRE(interval);
  CHECK(std::abs(interval->low - (2500 - 91)) <= 2);  // 2.576 * sqrt(5001) / 2
  CHECK(interval->high == 5000 - interval->low);
}

TEST_CASE("verdicts of times with a known ratio") {
  CHECK(judge(measured(30, 1.03, 0.002, 1), true, {}).verdict == BenchVerdict::slower);
  CHECK(judge(measured(30, 0.97, 0.002, 2), true, {}).verdict == BenchVerdict::faster);
  CHECK(judge(measured(30, 1.00, 0.002, 3), true, {}).verdict == BenchVerdict::no_difference);
  CHECK(judge(measured(30, 1.003, 0.001, 4), true, {}).verdict == BenchVerdict::no_difference);
  CHECK(judge(measured(30, 1.00, 0.05, 5), true, {}).verdict == BenchVerdict::cannot_tell);
  CHECK(judge(measured(30, 1.003, 0.0002, 6), true, {.margin = 0.001}).verdict == BenchVerdict::slower);
  const BenchJudgement slower = judge(measured(30, 1.03, 0.002, 1), true, {});
  CHECK(slower.low < 0.03);
  CHECK(slower.high > 0.03);
  CHECK(slower.high - slower.low < 0.01);
}

TEST_CASE("the same kernel twice is hardly ever told apart") {
  int wrong = 0;
  int told = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    // A scatter at which much is in doubt.
    const BenchVerdict verdict = judge(measured(30, 1, 0.015, seed), true, {}).verdict;
    if (verdict == BenchVerdict::slower || verdict == BenchVerdict::faster) ++wrong;
    if (verdict == BenchVerdict::no_difference) ++told;
  }
  CHECK(wrong <= 32);  // 1% and three standard errors
  CHECK(told < 2000);
}

TEST_CASE("a difference that is there is found, and never called none") {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    const BenchVerdict verdict = judge(measured(30, 1.03, 0.01, seed), true, {}).verdict;
    CHECK(verdict != BenchVerdict::faster);
    CHECK(verdict != BenchVerdict::no_difference);
    if (verdict == BenchVerdict::slower) ++found;
  }
  CHECK(found > 450);
}

TEST_CASE("no verdict from too little") {
  BenchSize nothing;
  CHECK(judge(nothing, true, {}).verdict == BenchVerdict::cannot_tell);
  CHECK(verdict_of(nothing) == "cannot tell at this size: nothing was measured");
  for (std::size_t count = 1; count < fewest_pairs; ++count) {
    const BenchJudgement judgement = judge(measured(count, 2, 0.0001, count), true, {});
    CHECK(judgement.verdict == BenchVerdict::cannot_tell);
    CHECK(judgement.pairs_needed == fewest_pairs);
  }
  CHECK(judge(measured(9, 2, 0.0001, 1), true, {}).verdict == BenchVerdict::slower);
  // Nine pairs are too few for this confidence.
  const BenchJudgement strict = judge(measured(9, 2, 0.0001, 1), true, {.confidence = 0.9999});
  CHECK(strict.verdict == BenchVerdict::cannot_tell);
  CHECK(strict.pairs_needed == 15);
  // Times that are none.
  BenchSize broken = measured(9, 2, 0.0001, 1);
  broken.pairs[0].a_us = 0;
  broken.pairs[1].b_us = NAN;
  broken.pairs[2].a_us = -1;
  CHECK(judge(broken, true, {}).ratio.count == 6);
  CHECK(judge(broken, true, {}).verdict == BenchVerdict::cannot_tell);
  // Without a B there is none either.
  CHECK(judge(measured(30, 1, 0.001, 1), false, {}).verdict == BenchVerdict::none);
}

TEST_CASE("where launching is most of the time, a small ratio is no proof") {
  // Times of 10 µs; both kernels take 1.5 µs of it, so that a difference of 6% would not show within 1%.
  const BenchJudgement hidden = judge(measured(30, 1, 0.002, 1, 8.5), true, {});
  CHECK(hidden.verdict == BenchVerdict::cannot_tell);
  CHECK(hidden.reason == "most of the time is launching");
  CHECK(verdict_of(measured(30, 1, 0.00001, 1, 9.5)) ==
        "cannot tell at this size: the time is that of launching an empty kernel; more pairs would not help");
  CHECK(judge(measured(30, 1, 0.0001, 1, 5), true, {}).verdict == BenchVerdict::no_difference);
  // What differs in spite of it does differ.
  CHECK(judge(measured(30, 1.05, 0.001, 1, 9.5), true, {}).verdict == BenchVerdict::slower);
}

TEST_CASE("as many pairs as it says are enough, mostly") {
  for (const auto& [ratio, scatter] : {std::pair{1.0, 0.03}, {1.03, 0.08}}) {
    int enough = 0;
    int asked = 0;
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      const BenchJudgement first = judge(measured(30, ratio, scatter, seed), true, {});
      if (first.verdict != BenchVerdict::cannot_tell || !first.pairs_needed) continue;
      ++asked;
      CHECK(*first.pairs_needed > 30);
      const auto more = static_cast<std::size_t>(std::min<std::uint64_t>(*first.pairs_needed, 20000));
      if (judge(measured(more, ratio, scatter, seed + 1000), true, {}).verdict != BenchVerdict::cannot_tell) ++enough;
    }
    CHECK(asked > 15);
    CHECK(enough * 2 > asked);
  }
}

TEST_CASE("verdicts in words") {
  BenchJudgement judgement;
  judgement.verdict = BenchVerdict::slower;
  const auto words = [&](double low, double high) {
    judgement.low = low;
    judgement.high = high;
    return report::bench_verdict(judgement, {});
  };
  CHECK(words(0.02, 0.04) == "slower by 2–4%");
  CHECK(words(0.0213, 0.0388) == "slower by 2–4%");
  CHECK(words(0.0313, 0.0338) == "slower by 3.1–3.4%");
  CHECK(words(0.03, 0.03) == "slower by 3.00%");
  CHECK(words(0.0004, 0.0138) == "slower by 0.04–1.38%");
  CHECK(words(1.3, 1.34) == "slower by 130–134%");
  judgement.verdict = BenchVerdict::no_difference;
  CHECK(report::bench_verdict(judgement, {.margin = 0.005}) == "no difference larger than 0.5%");
}

TEST_CASE("formulas") {
  CHECK(at("n", 1000) == 1000);
  CHECK(at("2*n+1", 1000) == 2001);
  CHECK(at("n/256", 1000) == 3);
  CHECK(at("ceil(n/256)", 1000) == 4);
  CHECK(at("ceil(n/256)", 1024) == 4);
  CHECK(at("ceil(n/block)", 1025) == 5);
  CHECK(at("n/256*256", 1000) == 1000);  // division is exact
  CHECK(at("floor(n/256)*256", 1000) == 768);
  CHECK(at("2^10", 0) == 1024);
  CHECK(at("2^3^2", 0) == 512);
  CHECK(at("n%7", 16) == 2);
  CHECK(at("-7%4", 0) == 1);
  CHECK(at("min(n,256,10)", 1000) == 10);
  CHECK(at("max(n, 256)", 1000) == 1000);
  CHECK(at("1e6", 0) == 1000000);
  CHECK(at("1.5*n", 10) == 15);
  CHECK(at("25e-1", 0) == 2);
  CHECK(at("0x10", 0) == 16);
  CHECK(at("n - 5 - 3", 10) == 2);
  CHECK(at("3-n", 1) == 2);
  CHECK(at("n*n", std::uint64_t{1} << 31) == std::uint64_t{1} << 62);
  CHECK_FALSE(at("3-n", 4));
  CHECK_FALSE(at("n*n", std::uint64_t{1} << 32));
  CHECK_FALSE(at("n/0", 4));
  CHECK_FALSE(at("2^64", 4));
  CHECK_FALSE(at("n%0", 4));
}

TEST_CASE("what is no formula, and why") {
  CHECK(error_of("") == "it ends too early");
  CHECK(error_of("n+") == "it ends too early");
  CHECK(error_of("(n") == "a ) is missing");
  CHECK(error_of("n n") == "unexpected \"n\"");
  CHECK(error_of("m").find("there is no m here; there are n (the size)") == 0);
  CHECK(error_of("block").find("there is no block") == 0);
  CHECK(error_of("sqrt(n)").find("there is no sqrt()") == 0);
  CHECK(error_of("min(n)").find("min takes two or more") == 0);
  CHECK(error_of("99999999999999999999") == "a number is too large");
  CHECK(error_of("1e30") == "a number is too large");
  for (const char* one : {"(", "-", "2^"}) {
    std::string deep;
    for (int i = 0; i < 300; ++i) deep += one;
    CHECK(error_of(deep + "1").find("deeply") != std::string::npos);
  }
  CHECK(error_of(std::string(2000, '1')).find("longer") != std::string::npos);
}

TEST_CASE("extents and sizes") {
  const auto axes = [](std::string_view text) {
    const ExtentsResult read = read_extents(text, FormulaNames::n);
    REQUIRE(read.error.empty());
    std::vector<std::uint64_t> out;
    for (const Formula& axis : read.axes) out.push_back(*axis.whole({.n = 1000}));
    return out;
  };
  CHECK(axes("256") == std::vector<std::uint64_t>{256, 1, 1});
  CHECK(axes("16,16") == std::vector<std::uint64_t>{16, 16, 1});
  CHECK(axes("4x2x3") == std::vector<std::uint64_t>{4, 2, 3});
  CHECK(axes("ceil(n/16),min(n,4)") == std::vector<std::uint64_t>{63, 4, 1});
  CHECK_FALSE(read_extents("1,2,3,4", FormulaNames::n).error.empty());
  CHECK_FALSE(read_extents("1;2", FormulaNames::n).error.empty());
  CHECK_FALSE(read_extents("", FormulaNames::n).error.empty());

  CHECK(read_sizes("2^10..2^13").sizes == std::vector<std::uint64_t>{1024, 2048, 4096, 8192});
  CHECK(read_sizes("2^10..2^16:4").sizes == std::vector<std::uint64_t>{1024, 4096, 16384, 65536});
  CHECK(read_sizes("100..300:+100").sizes == std::vector<std::uint64_t>{100, 200, 300});
  CHECK(read_sizes("1e3,5,1000").sizes == std::vector<std::uint64_t>{1000, 5});
  CHECK(read_sizes("2^62..2^62").sizes.size() == 1);
  for (const char* wrong : {"", "0", "n", "10..5", "1..1000:+1", "1..2:1", "1.5", "-3", "1..", "..5", "1,,x"})
    CHECK_FALSE(read_sizes(wrong).error.empty());
  CHECK(size_text(1 << 20) == "2^20");
  CHECK(size_text(3 << 20) == "3*2^20");
  CHECK(size_text(1000) == "1000");
  CHECK(size_text(512) == "512");
}

TEST_CASE("halves") {
  CHECK(element_bits(1.0, Type::f16) == 0x3c00);
  CHECK(element_bits(-2.0, Type::f16) == 0xc000);
  CHECK(element_bits(65504.0, Type::f16) == 0x7bff);
  CHECK(element_bits(65520.0, Type::f16) == 0x7c00);
  CHECK(element_bits(0.0, Type::f16) == 0);
  CHECK(element_bits(0x1p-24, Type::f16) == 1);
  CHECK(element_bits(0x1p-25, Type::f16) == 0);  // halfway, to even
  CHECK(element_bits(0x1.8p-24, Type::f16) == 2);
  CHECK(element_bits(1.0, Type::bf16) == 0x3f80);
  CHECK(element_bits(INFINITY, Type::bf16) == 0x7f80);
  for (const Type type : {Type::f16, Type::bf16})
    for (std::uint64_t bits = 0; bits < 0x10000; ++bits) {
      const double value = element_value(bits, type);
      if (std::isnan(value)) continue;
      if (element_bits(value, type) != bits) FAIL("half " << bits << " as " << value);
    }
}

TEST_CASE("elements as text") {
  // Bits alone have no sign; what has one is in two's complement, as wide as its type.
  CHECK(element_text(0xff, Type::u8) == "255");
  CHECK(element_text(0xff, Type::s8) == "-1");
  CHECK(element_text(0x7f, Type::s8) == "127");
  CHECK(element_text(0x8000, Type::s16) == "-32768");
  CHECK(element_text(0x8000, Type::b16) == "32768");
  CHECK(element_text(0xfffffffe, Type::s32) == "-2");
  CHECK(element_text(0xfffffffe, Type::u32) == "4294967294");
  CHECK(element_text(0xffffffffffffffff, Type::s64) == "-1");
  CHECK(element_text(0xffffffffffffffff, Type::u64) == "18446744073709551615");
  CHECK(element_text(0x3fc00000, Type::f32) == "1.5");
  CHECK(element_text(0x3ff8000000000000, Type::f64) == "1.5");
  CHECK(element_text(0x3e00, Type::f16) == "1.5");
}

TEST_CASE("the elements that are furthest apart are told") {
  const std::array<std::int32_t, 4> a{0, 0, -3, 7};
  const std::array<std::int32_t, 4> b{0, 1, 4, 9};
  Difference difference;
  compare_elements(Type::s32, 0, 10, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)), difference);
  CHECK(difference.compared == 4);
  CHECK(difference.different == 3);
  CHECK(difference.first == 11);
  CHECK(difference.worst == 12);
  CHECK(difference.worst_distance == 7);
  CHECK(difference.worst_a == "-3");
  CHECK(difference.worst_b == "4");
}

TEST_CASE("contents do not depend on the piece that is made") {
  for (const Type type : {Type::f16, Type::f32, Type::f64, Type::u8, Type::s64}) {
    const unsigned width = ptxscope::size_of(type);
    std::vector<std::byte> whole(1000 * width), parts(1000 * width);
    fill_elements(random_fill(type), type, 7, 0, whole);
    for (std::size_t at = 0; at < 1000; at += 125)
      fill_elements(random_fill(type), type, 7, at, {parts.data() + at * width, 125 * width});
    CHECK(whole == parts);
    fill_elements(random_fill(type), type, 8, 0, parts);
    CHECK(whole != parts);
    Difference difference;
    compare_elements(type, 0, 0, whole, parts, difference);
    CHECK(difference.compared == 1000);
    CHECK(difference.different > 900);
  }
  std::vector<std::byte> bytes(400);
  fill_elements({Fill::Kind::random, 0, -5, 5}, Type::s32, 1, 0, bytes);
  for (std::size_t i = 0; i < 100; ++i) {
    std::int32_t value = 0;
    std::copy_n(bytes.data() + 4 * i, 4, reinterpret_cast<std::byte*>(&value));
    CHECK((value >= -5 && value < 5));
  }
}

TEST_CASE("results within a tolerance") {
  const auto compared = [](std::vector<float> a, std::vector<float> b, double tolerance) {
    Difference difference;
    compare_elements(Type::f32, tolerance, 100, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)), difference);
    return difference;
  };
  CHECK(compared({1, 2, 3}, {1, 2, 3}, 0).different == 0);
  const Difference two = compared({1, 2, 3}, {1.001F, 2, 4}, 0);
  CHECK(two.different == 2);
  CHECK(two.first == 100);
  CHECK(two.worst == 102);
  CHECK(two.worst_a == "3");
  CHECK(two.worst_b == "4");
  CHECK(compared({1, 2, 3}, {1.001F, 2, 4}, 0.01).different == 1);
  CHECK(compared({1e6F}, {1.0001e6F}, 0.001).different == 0);  // relative
  CHECK(compared({1e-9F}, {2e-9F}, 0.001).different == 0);     // to 1 at least
  CHECK(compared({NAN}, {-NAN}, 0).different == 0);
  CHECK(compared({NAN, 1, INFINITY}, {1, NAN, 1}, 1e9).different == 3);
  CHECK(compared({0.0F}, {-0.0F}, 0).different == 0);
  Difference whole;
  const std::vector<std::int32_t> a{5, -1}, b{6, -1};
  compare_elements(Type::s32, 10, 0, std::as_bytes(std::span(a)), std::as_bytes(std::span(b)), whole);
  CHECK(whole.different == 1);  // integers have no tolerance
}

TEST_CASE("a document that is damaged is refused, or read and shown") {
  const char* source = std::getenv("PTXSCOPE_SOURCE");
  std::ifstream file(std::string(source != nullptr ? source : "..") + "/tests/golden/bench_made_up.json");
  const std::string whole((std::istreambuf_iterator<char>(file)), {});
  REQUIRE(report::read_bench_json(whole).measurement);
  std::mt19937_64 random(99);
  const auto below = [&](std::size_t limit) { return static_cast<std::size_t>(random() % limit); };
  constexpr std::string_view pieces[] = {
      "0", "-1", "1e308", "1e-308", "null", "[]", "{}", "\"\"", "18446744073709551615", "<&>"};
  int read = 0;
  for (int round = 0; round < 3000; ++round) {
    std::string text = whole;
    for (std::size_t change = 0; change <= below(3); ++change) {
      // A number or word of the document becomes another one; at times a byte does.
      const std::size_t place = text.find_first_of("0123456789{[\"", below(text.size()));
      if (place == std::string::npos) continue;
      if (below(10) == 0) text[place] = static_cast<char>(random());
      else
        text.replace(place, text.find_first_not_of("0123456789.", place + 1) - place, pieces[below(std::size(pieces))]);
    }
    const report::BenchReadResult result = report::read_bench_json(text);
    CHECK(result.measurement.has_value() == result.error.empty());
    if (!result.measurement) continue;
    ++read;
    const BenchRules rules{.confidence = 0.9, .margin = 0.001};
    CHECK_FALSE(report::bench_text(*result.measurement, rules, {}).empty());
    CHECK_FALSE(report::bench_csv(*result.measurement, rules).empty());
    CHECK_FALSE(report::bench_svg(*result.measurement, rules).empty());
    CHECK(report::read_bench_json(report::bench_json(*result.measurement, rules)).measurement);
  }
  CHECK(read > 100);
}

TEST_CASE("contents: zeros, one value, counting up from the first element") {
  const auto filled = [](const Fill& fill, Type type, std::uint64_t first, std::size_t bytes) {
    std::vector<std::byte> data(bytes, std::byte{0xaa});
    fill_elements(fill, type, 7, first, data);
    std::string text;
    for (const std::byte one : data) {
      constexpr const char* digits = "0123456789abcdef";
      text += {digits[std::to_integer<unsigned>(one) / 16], digits[std::to_integer<unsigned>(one) % 16]};
    }
    return text;
  };
  Fill fill;
  fill.kind = Fill::Kind::zero;
  CHECK(filled(fill, Type::u32, 5, 8) == "0000000000000000");
  fill.kind = Fill::Kind::value;
  fill.bits = 0x0102030405060708;
  CHECK(filled(fill, Type::u16, 5, 6) == "080708070807");
  CHECK(filled(fill, Type::f64, 5, 8) == "0807060504030201");
  fill.kind = Fill::Kind::iota;
  CHECK(filled(fill, Type::u8, 254, 4) == "feff0001");
  CHECK(filled(fill, Type::s16, 0xffff, 4) == "ffff0000");
  CHECK(filled(fill, Type::u64, 3, 16) == "03000000000000000400000000000000");
  CHECK(filled(fill, Type::f32, 1, 8) == "0000803f00000040");
  CHECK(filled(fill, Type::f64, 2, 8) == "0000000000000040");
  CHECK(filled(fill, Type::f16, 1, 4) == "003c0040");
}
