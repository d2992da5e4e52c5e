// What bench's notation of arguments means for a kernel's parameters, and what is said where it does not fit.
#include "analysis/bench_arguments.h"

#include <cstring>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

constexpr const char* slices = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry add(.param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u64 p3, .param .f32 p4)
.maxntid 128, 1, 1
{
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %rd<12>;
  ld.param.u64 %rd1, [p0]; ld.param.u64 %rd2, [p1]; ld.param.u64 %rd3, [p2]; ld.param.u64 %rd4, [p3];
  ld.param.f32 %f1, [p4];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %rd5, %r4;
  setp.ge.u64 %p1, %rd5, %rd4; @%p1 bra done;
  setp.ge.u64 %p2, %rd5, %rd2; @%p2 bra fail;
  shl.b64 %rd6, %rd5, 2;
  add.s64 %rd7, %rd1, %rd6; ld.global.f32 %f2, [%rd7]; mul.f32 %f3, %f2, %f1;
  add.s64 %rd8, %rd3, %rd6; st.global.f32 [%rd8], %f3;
done: ret;
fail: trap; exit;
}
)";

constexpr const char* pointers = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry add_plain(.param .u64 a, .param .u64 b, .param .f32 s, .param .u32 n)
{
  .reg .pred %p<2>; .reg .b32 %r<6>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
  ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.f32 %f1, [s]; ld.param.u32 %r5, [n];
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x; mad.lo.s32 %r4, %r1, %r2, %r3;
  setp.ge.u32 %p1, %r4, %r5; @%p1 bra done;
  mul.wide.u32 %rd3, %r4, 4;
  add.s64 %rd4, %rd1, %rd3; ld.global.f32 %f2, [%rd4]; mul.f32 %f3, %f2, %f1;
  add.s64 %rd5, %rd2, %rd3; st.global.f32 [%rd5], %f3;
done: ret;
}
)";

struct Kernels {
  std::vector<Module> modules;
  std::vector<TrapReport> reports;
  std::vector<BenchSubjectKernel> subjects;

  explicit Kernels(std::vector<const char*> texts, const std::vector<std::string>& names = {}) {
    for (const char* text : texts) modules.push_back(parse(text, "k.ptx"));
    for (const Module& module : modules) reports.push_back(explain_traps(module, {.kernels = {}, .names = names}));
    for (std::size_t i = 0; i < modules.size(); ++i)
      subjects.push_back({&modules[i], reports[i].functions[0].function, reports[i].functions[0].params,
                          texts.size() < 2 ? ""
                          : i == 0         ? "A"
                                           : "B"});
  }
};

std::vector<BenchArgument> arguments(const std::vector<std::string>& texts) {
  std::vector<BenchArgument> out;
  for (const std::string& text : texts) {
    auto [argument, error] = read_bench_argument(text);
    INFO(text << ": " << error);
    REQUIRE(error.empty());
    out.push_back(std::move(argument));
  }
  return out;
}

BenchBinding bound(const Kernels& kernels, const std::vector<std::string>& both, const std::vector<std::string>& a = {},
                   const std::vector<std::string>& b = {}) {
  const BenchGiven given{arguments(both), arguments(a), arguments(b)};
  return bind_arguments(kernels.subjects, given);
}

BenchPlan planned(BenchBinding binding) {
  for (const std::string& error : binding.errors) FAIL(error);
  binding.plan.block = read_extents("128", FormulaNames::n).axes;
  binding.plan.grid = read_extents("ceil(n/block)", FormulaNames::n_and_block).axes;
  return std::move(binding.plan);
}

template <typename Value>
Value value_at(const BenchLaunch& launch, std::size_t kernel, std::size_t parameter) {
  Value value{};
  REQUIRE(launch.values[kernel][parameter].size() == sizeof value);
  std::memcpy(&value, launch.values[kernel][parameter].data(), sizeof value);
  return value;
}

std::string error_of(std::string_view text) { return read_bench_argument(text).error; }

}  // namespace

TEST_CASE("buffers and numbers of the notation") {
  const BenchArgument buffer = arguments({"a=f32[2*n]:in:iota"})[0];
  CHECK(buffer.kind == BenchArgument::Kind::buffer);
  CHECK(buffer.label == "a");
  CHECK(buffer.buffer.type == Type::f32);
  CHECK(buffer.buffer.count.whole({.n = 5}) == 10);
  CHECK(buffer.buffer.direction == Direction::in);
  CHECK(buffer.buffer.fill.kind == Fill::Kind::iota);
  CHECK_FALSE(buffer.buffer.may_be_written());
  CHECK(arguments({"a=u8[n]:255"})[0].buffer.fill.bits == 255);
  CHECK(arguments({"a=f16[n]:1.5"})[0].buffer.fill.bits == 0x3e00);
  CHECK(arguments({"a=s32[n]:-1:inout"})[0].buffer.fill.bits == 0xffffffff);
  CHECK(arguments({"a=f32[n]:out"})[0].buffer.fill.kind == Fill::Kind::zero);
  const Fill random = arguments({"a=u32[n]:random(-2,2*3)"})[0].buffer.fill;
  CHECK(random.low == -2);
  CHECK(random.high == 6);
  CHECK(arguments({"a=@b"})[0].reference == "b");
  CHECK(arguments({"#0=n"})[0].label == "#0");
}

TEST_CASE("what is wrong with an argument, in words") {
  CHECK(error_of("a").find("must be LABEL=VALUE") == 0);
  CHECK(error_of("=3").find("must be LABEL=VALUE") == 0);
  CHECK(error_of("a=float[n]").find("\"float\" is no type") == 0);
  CHECK(error_of("a=pred[n]").find("\"pred\" is no type") == 0);
  CHECK(error_of("a=f32[n").find("a ] is missing") == 0);
  CHECK(error_of("a=f32[m]").find("the count of elements: there is no m") == 0);
  CHECK(error_of("a=f32[n]x").find("unexpected") == 0);
  CHECK(error_of("a=f32[n]:in:out").find("in, out and inout") == 0);
  CHECK(error_of("a=f32[n]:zero:iota") == "what the buffer holds is said twice");
  CHECK(error_of("a=f32[n]:zeros").find("\"zeros\" is neither") == 0);
  CHECK(error_of("a=u8[n]:256").find("\"256\" is neither") == 0);
  CHECK(error_of("a=f32[n]:random(1)").find("random takes two bounds") == 0);
  CHECK(error_of("a=f32[n]:random(2,1)").find("the first bound") == 0);
  CHECK(error_of("a=f33:2").find("\"f33\" is no type of a number") == 0);
  CHECK(error_of("a=x").find("\"x\" is no number") == 0);
}

TEST_CASE("slices: the label stands for the pointer, the length follows") {
  const Kernels kernels({slices}, {"a", "b"});
  const BenchPlan plan = planned(bound(kernels, {"a=f32[n]:in", "b=f32[n]:out", "#4=f32:2.5"}));
  REQUIRE(plan.buffers.size() == 2);
  CHECK(plan.kernels[0].most_threads == 128);
  REQUIRE(plan.notes.size() == 1);
  const BenchLaunch launch = launch_of(plan, 1000);
  CHECK(launch.error.empty());
  CHECK(launch.grid[0] == 8);
  CHECK(launch.counts == std::vector<std::uint64_t>{1000, 1000});
  CHECK(launch.bytes == 8000);
  CHECK(value_at<std::uint64_t>(launch, 0, 1) == 1000);
  CHECK(value_at<std::uint64_t>(launch, 0, 3) == 1000);
  CHECK(value_at<float>(launch, 0, 4) == 2.5F);
}

TEST_CASE("a length that is given stays") {
  const Kernels kernels({slices}, {"a", "b"});
  const BenchPlan plan = planned(bound(kernels, {"a=f32[n]", "a.len=n/2", "b.ptr=f32[n]", "p3=n", "p4=n/4"}));
  const BenchLaunch launch = launch_of(plan, 10);
  CHECK(value_at<std::uint64_t>(launch, 0, 1) == 5);
  CHECK(value_at<std::uint64_t>(launch, 0, 3) == 10);
  CHECK(value_at<float>(launch, 0, 4) == 2.5F);  // arithmetic that is not rounded
  CHECK_FALSE(launch.bytes);                     // nobody said what is read and written
}

TEST_CASE("one argument for two kernels of different parameters") {
  const Kernels kernels({slices, pointers});
  // arg0 is a slice in one and a pointer in the other.
  const BenchPlan plan = planned(bound(kernels, {"arg0=f32[n]:in", "arg1=f32[n]:out"}, {"#4=2.0"}, {"s=2.0", "n=n"}));
  REQUIRE(plan.buffers.size() == 2);
  CHECK(plan.kernels[1].placements[0].buffer == 0U);
  CHECK(plan.kernels[1].placements[1].buffer == 1U);
  const BenchLaunch launch = launch_of(plan, 1 << 20);
  CHECK(value_at<std::uint64_t>(launch, 0, 1) == 1 << 20);
  CHECK(value_at<std::uint32_t>(launch, 1, 3) == 1 << 20);
  CHECK(value_at<float>(launch, 1, 2) == 2.0F);
}

TEST_CASE("a buffer under another label of the other kernel") {
  const Kernels kernels({pointers, pointers});
  const BenchPlan plan = planned(bound(kernels, {"s=1", "n=n"}, {"a=f32[n]", "b=f32[n]"}, {"b=@a", "a=@b"}));
  REQUIRE(plan.buffers.size() == 2);
  for (const BenchPlacement& placement : plan.kernels[1].placements) {
    if (placement.parameter == 0) CHECK(placement.buffer == 1U);
    if (placement.parameter == 1) CHECK(placement.buffer == 0U);
  }
  // The same words for both are one buffer, others are two.
  CHECK(planned(bound(kernels, {"s=1", "n=n", "b=f32[n]"}, {"a=f32[n]"}, {"a=f32[n]"})).buffers.size() == 2);
  CHECK(planned(bound(kernels, {"s=1", "n=n", "b=f32[n]"}, {"a=f32[n]"}, {"a=f32[2*n]"})).buffers.size() == 3);
}

TEST_CASE("what does not fit the kernel, in words") {
  const Kernels one({pointers});
  const auto first_error = [&](const std::vector<std::string>& both) {
    const BenchBinding binding = bound(one, both);
    return binding.errors.empty() ? std::string() : binding.errors.front();
  };
  CHECK(first_error({"c=f32[n]"}).find("--arg c=f32[n]: no parameter is called c; add_plain has ") == 0);
  CHECK(first_error({"n=f32[n]"}).find("has 4 bytes; an address has 8") != std::string::npos);
  CHECK(first_error({"n=f64:1"}).find("has 4 bytes, a f64 has 8") != std::string::npos);
  CHECK(first_error({"a=n"}).find("uses it as an address: give it a buffer, a=f32[n], or 0") != std::string::npos);
  CHECK(first_error({"a=f32[n]", "#0=f32[n]"}).find("has that already, by a=") != std::string::npos);
  CHECK(first_error({"a=@x"}).find("there is no buffer called x") != std::string::npos);
  CHECK(first_error({"a=f32[n]", "b=0", "s=1"}).find("nothing is given for ") != std::string::npos);
  CHECK(first_error({"a=f32[n]", "b=f32[n]", "s=1", "n=n"}).empty());
  const BenchGiven for_b{{}, {}, arguments({"a=f32[n]"})};
  CHECK(bind_arguments(one.subjects, for_b).errors.front().find("there is no B") != std::string::npos);
}

TEST_CASE("what a size makes impossible, in words") {
  const Kernels kernels({pointers});
  BenchPlan plan = planned(bound(kernels, {"a=f32[n-5]", "b=f32[n]", "s=nan", "n=n*2^20"}));
  CHECK(launch_of(plan, 4).error.find("a: n-5 is no count of elements") == 0);
  CHECK(launch_of(plan, 100).error.empty());
  CHECK(launch_of(plan, 5000).error.find("n=n*2^20 does not fit into the 32 bits") == 0);
  plan.grid[0] = *read_formula("n-100", FormulaNames::n).formula;
  CHECK(launch_of(plan, 100).error.find("--grid n-100 is 0") == 0);
  plan.grid[0] = *read_formula("1", FormulaNames::n).formula;
  plan.block[0] = *read_formula("2048", FormulaNames::n).formula;
  CHECK(launch_of(plan, 100).error.find("no GPU launches this") == 0);
}
