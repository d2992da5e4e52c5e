// What stats counts, on small functions whose counts are plain to see.
#include "analysis/stats.h"

#include <string>

#include "analysis/live_report.h"
#include "analysis/parallel.h"
#include "analysis/safety_branches.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

Module module_of(const std::string& text) {
  return parse(".version 8.0\n.target sm_75\n.address_size 64\n" + text, "test.ptx");
}

CodeStats counts_of(const std::string& text) { return count_module(module_of(text)).totals; }

std::uint64_t memory_of(const ModuleStats& stats, const std::string& kind, std::uint32_t bytes) {
  std::uint64_t count = 0;
  for (const MemoryTally& tally : stats.totals.memory)
    if (stats.memory_kinds[tally.kind] == kind && tally.bytes == bytes) count += tally.count;
  return count;
}

std::uint64_t in(const RegisterCounts& counts, RegisterClass register_class) {
  return counts[static_cast<std::size_t>(register_class)];
}

}  // namespace

TEST_CASE("instructions, branches, calls, traps and barriers") {
  const CodeStats counts = counts_of(R"(
.func g() { ret; }
.entry k()
{
  .reg .pred %p<2>;
  .reg .b32 %r<4>;
  mov.u32 %r1, %tid.x;
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra L;
  bra.uni M;
L:
  call g, ();
  bar.sync 0;
  trap;
M:
  frobnicate.u32 %r1;
  ret;
})");
  CHECK(counts.instructions == 10);
  CHECK(counts.branches == 2);
  CHECK(counts.conditional_branches == 1);
  CHECK(counts.calls == 1);
  CHECK(counts.traps == 1);
  CHECK(counts.barriers == 1);
  CHECK(counts.unknown_instructions == 1);
  CHECK(in(counts.declared, RegisterClass::bits32) == 4);
  CHECK(in(counts.used, RegisterClass::bits32) == 1);
  CHECK(in(counts.declared, RegisterClass::predicate) == 2);
  CHECK(in(counts.used, RegisterClass::predicate) == 1);
}

TEST_CASE("memory operations by state space and width") {
  const ModuleStats stats = count_module(module_of(R"(
.entry k(.param .u64 p)
{
  .reg .b64 %d<3>;
  .reg .b32 %r<6>;
  .reg .b128 %q;
  .reg .v4 .f32 %v;
  ld.param.u64 %d1, [p];
  ld.global.nc.v4.f32 {%r1, %r2, %r3, %r4}, [%d1];
  ld.volatile.global.u32 %r1, [%d1];
  ld.u8 %r1, [%d1];
  st.shared::cta.v2.b64 [%r1], {%d1, %d2};
  atom.global.add.u32 %r1, [%d1], 1;
  cp.async.ca.shared.global [%r1], [%d1], 16;
  cp.async.ca.shared.global [%r1], [%d1], 4;
  cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], [%d1], %r2, [%r3];
  discard.global.L2 [%d1], 128;
  ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%r1, %r2, %r3, %r4}, [%r5];
  suld.b.1d.v2.b32.trap {%r1, %r2}, [%d1, {%r3}];
  tex.1d.v4.f32.s32 {%r1, %r2, %r3, %r4}, [%d1, {%r5}];
  ret;
})"));
  CHECK(memory_of(stats, "ld.param", 8) == 1);
  CHECK(memory_of(stats, "ld.global", 16) == 1);
  CHECK(memory_of(stats, "ld.global", 4) == 1);
  CHECK(memory_of(stats, "ld.generic", 1) == 1);
  CHECK(memory_of(stats, "st.shared", 16) == 1);
  CHECK(memory_of(stats, "atom.global", 4) == 1);
  CHECK(memory_of(stats, "cp.async.shared.global", 16) == 1);
  CHECK(memory_of(stats, "cp.async.shared.global", 4) == 1);
  CHECK(memory_of(stats, "cp.async.bulk.shared::cluster.global", 0) == 1);  // a register has the size
  CHECK(memory_of(stats, "discard.global", 128) == 1);
  CHECK(memory_of(stats, "ldmatrix.shared", 16) == 1);
  CHECK(memory_of(stats, "suld", 8) == 1);
  CHECK(memory_of(stats, "tex", 16) == 1);
  CHECK(in(stats.totals.declared, RegisterClass::bits128) == 1);
  CHECK(in(stats.totals.declared, RegisterClass::bits32) == 10);  // a vector register is its elements
}

TEST_CASE("shared and local bytes: declared in the function, or named by it; in the totals once") {
  const ModuleStats stats = count_module(module_of(R"(
.shared .align 4 .b8 both[128];
.shared .align 4 .b8 neither[64];
.extern .shared .align 16 .b8 dynamic[];
.entry a()
{
  .local .align 8 .b8 depot[24];
  .shared .u32 own;
  .reg .b32 %r<2>;
  mov.u32 %r1, both;
  ld.shared.u32 %r1, [both+4];
  ret;
}
.entry b()
{
  .reg .b32 %r<3>;
  ld.shared.v2.u32 {%r1, %r2}, [both];
  mov.u32 %r1, dynamic;
  ret;
})"));
  REQUIRE(stats.functions.size() == 2);
  CHECK(stats.functions[0].counts.shared_bytes == 132);
  CHECK(stats.functions[0].counts.local_bytes == 24);
  CHECK_FALSE(stats.functions[0].counts.dynamic_shared);
  CHECK(stats.functions[1].counts.shared_bytes == 128);
  CHECK(stats.functions[1].counts.dynamic_shared);
  CHECK(stats.totals.shared_bytes == 132);
  CHECK(stats.totals.local_bytes == 24);
}

TEST_CASE("only the functions that are asked for are counted") {
  const Module module = module_of(".entry one() { ret; }\n.entry two() { exit; ret; }\n.func gone();\n");
  const std::vector<std::string> patterns{"t*", "none"};
  const ModuleStats stats = count_module(module, patterns);
  REQUIRE(stats.functions.size() == 1);
  CHECK(stats.functions[0].name == "two");
  CHECK(stats.totals.instructions == 2);
  CHECK(stats.unmatched == std::vector<std::string>{"none"});
}

TEST_CASE("what lives longest at the maximum, and what it holds") {
  const Module module = module_of(R"(
.entry k(.param .u64 p, .param .u32 n)
{
  .reg .b64 %d<3>;
  .reg .b32 %r<6>;
  ld.param.u64 %d1, [p];
  ld.param.u32 %r1, [n];
  add.u32 %r2, %r1, 1;
  add.u32 %r3, %r1, 2;
  add.u32 %r4, %r2, %r3;
  st.u32 [%d1], %r4;
  st.u32 [%d1+4], %r1;
  ret;
})");
  const std::vector<LiveReport> reports = report_live(module, {0});
  REQUIRE(reports.size() == 1);
  const LiveReport& report = reports[0];
  CHECK(report.ranges.max_live.registers == 5);  // %d1 twice, %r1, %r2, %r3
  REQUIRE(report.peaks.size() == 1);
  REQUIRE(report.longest.size() == 4);
  const Function& function = module.functions()[0];
  CHECK(module.register_name(function, report.longest[0].reg) == "%d1");
  CHECK(report.longest[0].instructions == 7);
  CHECK(report.longest[0].value.has_value());
}

TEST_CASE("a guarded write that nobody reads keeps nothing alive") {
  const Module module = module_of(R"(
.entry k()
{
  .reg .b32 %r<3>;
  .reg .pred %p;
  mov.u32 %r1, 1;
  setp.eq.u32 %p, %r1, 0;
  @%p mov.u32 %r2, 5;
  ret;
})");
  const LiveRanges ranges = compute_live_ranges(module, build_cfg(module, 0));
  REQUIRE(ranges.of(2).size() == 1);
  CHECK(ranges.of(2)[0].first == 5);
  CHECK(ranges.of(2)[0].last == 5);
  CHECK(ranges.max_live.registers == 1);
}

TEST_CASE("what a function returns in registers lives until it returns") {
  const Module module = module_of(R"(
.func (.reg .b32 r, .reg .pred q) f(.reg .b32 a)
{
  .reg .b32 %r<3>;
  .reg .pred %p;
  mov.b32 r, a;
  setp.eq.u32 q, a, 0;
  mov.u32 %r1, 1;
  mov.u32 %r2, 2;
  st.shared.u32 [%r1], %r2;
  { .reg .b32 r; mov.u32 r, 1; }
  setp.eq.u32 %p, 1, 0;
  @%p trap;
  ret;
})");
  const LiveRanges ranges = compute_live_ranges(module, build_cfg(module, 0));
  CHECK(ranges.max_live.registers == 3);
  CHECK(ranges.max_live.predicates == 2);
  REQUIRE(returned_registers(module.functions()[0]) == std::vector<RegisterNumber>{0, 1});
  REQUIRE(ranges.of(0).size() == 1);
  CHECK(ranges.of(0)[0].first == 1);
  CHECK(ranges.of(0)[0].last == 16);  // before `ret`
  CHECK(count_module(module).totals.max_live == 3);
}

TEST_CASE("nothing is live in code that no path reaches") {
  const std::string body = R"(
{
  .reg .b64 %d<2>;
  .reg .b32 %r<5>;
  ld.param.u64 %d1, [p];
  ret;
  ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%d1];
  st.global.v4.u32 [%d1], {%r1, %r2, %r3, %r4};
  ret;
})";
  const Module module = module_of(".entry k(.param .u64 p)" + body);
  CHECK(count_module(module).totals.max_live == 2);
  const Cfg cfg = build_cfg(module, 0);
  const Liveness liveness = compute_liveness(module, cfg);
  REQUIRE(liveness.blocks.size() == 2);
  CHECK(liveness.blocks[1].live_in.registers == 0);
  CHECK(liveness.blocks[1].max_live.registers == 0);
  const LiveRanges ranges = compute_live_ranges(module, cfg);
  REQUIRE(ranges.instructions.size() == 5);
  CHECK(ranges.instructions[3].live.registers == 0);
  CHECK(ranges.max_live.registers == 2);
}

TEST_CASE("the branches of a function by what they are for") {
  const Module module = module_of(R"(
.entry k(.param .u64 p, .param .u64 n, .param .u64 m)
{
  .reg .b64 %d<8>;
  .reg .b32 %r<5>;
  .reg .pred %p<3>;
  ld.param.u64 %d1, [p];
  ld.param.u64 %d2, [n];
  ld.param.u64 %d3, [m];
  mov.u32 %r1, %tid.x;
  cvt.u64.u32 %d4, %r1;
  setp.ge.u64 %p1, %d4, %d3;
  @%p1 bra DONE;
  setp.lt.u64 %p2, %d4, %d2;
  @%p2 bra OK;
  bra.uni FAIL;
OK:
  shl.b64 %d5, %d4, 2;
  add.s64 %d6, %d1, %d5;
  st.global.u32 [%d6], %r1;
DONE:
  ret;
FAIL:
  trap;
})");
  const std::vector<SafetyBranches> safety = find_safety_branches(module, {}, {});
  REQUIRE(safety.size() == 1);
  REQUIRE(safety[0].branches.size() == 3);
  using Kind = BranchPurpose::Kind;
  CHECK(safety[0].branches[0].kind == Kind::remains);
  CHECK(safety[0].branches[0].target == BranchPurpose::Target::returns);
  CHECK(safety[0].branches[1].kind == Kind::check);
  CHECK(safety[0].branches[1].check == Check::bounds);
  CHECK(safety[0].branches[1].params == std::vector<std::uint32_t>{1});
  CHECK(safety[0].branches[2].kind == Kind::to_failure);
  CHECK(safety[0].branches[2].trap == safety[0].branches[1].trap);
}

TEST_CASE("functions are shared out in runs of some ten thousand statements") {
  const auto function = [](const std::string& name, int statements) {
    std::string out = ".func " + name + "()\n{\n.reg .b32 %r<2>;\n";
    for (int i = 0; i < statements; ++i) out += "add.u32 %r1, %r1, 1;\n";
    return out + "ret;\n}\n";
  };
  const Module module = module_of(".extern .func elsewhere();\n" + function("f", 20'000) + function("g", 20'000) +
                                  function("h", 20'000) + function("i", 10));
  const std::vector<IndexRange> runs = cut_by_statements(module);
  REQUIRE(runs.size() == 2);
  CHECK(runs[0].begin == 0);
  CHECK(runs[0].end == 3);  // the prototype, f and g
  CHECK(runs[1].begin == 3);
  CHECK(runs[1].end == 5);
  // What is declared in each run is in the totals.
  const Module declaring = module_of(
      function("f", 20'000) +
      ".extern .shared .b8 dynamic[];\n.func g()\n{\n.shared .b8 s[12];\n.local .b8 l[5];\n.reg .b32 %r<3>;\n" +
      "ld.shared.u32 %r1, [dynamic];\n"
      "ret;\n}\n" +
      function("h", 30'000) + ".func i()\n{\n.shared .b8 s[30];\n.reg .b32 %r<3>;\nret;\n}\n");
  REQUIRE(cut_by_statements(declaring).size() > 1);
  const ModuleStats stats = count_module(declaring, {}, 2);
  CHECK(stats.totals.shared_bytes == 42);
  CHECK(stats.totals.dynamic_shared);
  CHECK(stats.totals.local_bytes == 5);
  CHECK(stats.totals.declared[static_cast<std::size_t>(RegisterClass::bits32)] == 10);
  CHECK(stats.totals.instructions == 50'005);
}
