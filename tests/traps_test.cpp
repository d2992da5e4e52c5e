// explain_traps by itself: the ways into a trap as data. What people read of it is in tests/golden.
#include "analysis/traps.h"

#include <string>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

struct Explained {
  explicit Explained(const std::string& body, const std::string& before = "")
      : module(parse(".version 7.8\n.target sm_80\n.address_size 64\n" + before +
                         ".visible .entry k(.param .u64 p, .param .u64 n, .param .u32 m)\n{\n"
                         ".reg .pred %p<5>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n" +
                         body + "}\n",
                     "kernel.ptx")),
        report(explain_traps(module)) {}

  [[nodiscard]] const Trap& trap(std::size_t i = 0) const { return report.functions.at(0).traps.at(i); }
  [[nodiscard]] std::size_t count() const { return report.functions.at(0).traps.size(); }
  [[nodiscard]] ExprOp op(const Way& way) const { return (*report.pool)[way.condition].op; }

  Module module;
  TrapReport report;
};

// global.x in %rd1, the length in %rd2.
constexpr const char* index_and_length = R"(
  mov.u32 %r1, %ctaid.x; mov.u32 %r2, %ntid.x; mov.u32 %r3, %tid.x;
  mad.lo.s32 %r4, %r1, %r2, %r3;
  cvt.u64.u32 %rd1, %r4;
  ld.param.u64 %rd2, [n];
  ld.param.u64 %rd3, [p];
)";

}  // namespace

TEST_CASE("a bounds check: the condition holds exactly when the way is taken") {
  const Explained e(std::string(index_and_length) + R"(
    setp.lt.u64 %p1, %rd1, %rd2;
    @%p1 bra IN;
    trap;
    IN:
    shl.b64 %rd4, %rd1, 2; add.s64 %rd5, %rd3, %rd4;
    st.global.u32 [%rd5], 0;
    ret;
  )");
  REQUIRE(e.count() == 1);
  const Trap& trap = e.trap();
  CHECK(trap.kind == TrapKind::trap);
  CHECK(trap.check == Check::bounds);
  REQUIRE(trap.ways.size() == 1);
  const Way& way = trap.ways[0];
  CHECK(way.negated);
  CHECK(way.predicate == "%p1");
  CHECK(e.op(way) == ExprOp::ge_u);  // the opposite of what the setp says
  CHECK(e.report.pool->global_index(e.report.pool->kid(way.condition, 0)) == 'x');
  CHECK(way.params == std::vector<std::uint32_t>{1});
  CHECK(way.after.empty());
  const ParameterInfo& length = e.report.functions[0].params.at(1);
  CHECK(length.role == ParameterRole::length);
  CHECK(length.slice == e.report.functions[0].params.at(0).slice);
}

TEST_CASE("two checks that share one trap are two ways, the second behind the first") {
  const Explained e(std::string(index_and_length) + R"(
    ld.param.u32 %r5, [m];
    setp.ge.u64 %p1, %rd1, %rd2;
    @%p1 bra BAD;
    setp.eq.s32 %p2, %r5, 0;
    @%p2 bra BAD;
    ret;
    BAD: trap;
  )");
  REQUIRE(e.count() == 1);
  REQUIRE(e.trap().ways.size() == 2);
  CHECK(e.trap().ways[0].after.empty());
  REQUIRE(e.trap().ways[1].after.size() == 1);
  CHECK((*e.report.pool)[e.trap().ways[1].after[0]].op == ExprOp::lt_u);
  CHECK(e.trap().ways[1].params == std::vector<std::uint32_t>{2});
  CHECK(e.trap().params == std::vector<std::uint32_t>{1, 2});
}

TEST_CASE("a check that an earlier one implies is dead") {
  const Explained e(std::string(index_and_length) + R"(
    setp.ge.u64 %p1, %rd1, %rd2;
    @%p1 bra OUT;
    setp.ge.u64 %p2, %rd1, %rd2;
    @%p2 trap;
    OUT: ret;
  )");
  REQUIRE(e.count() == 1);
  CHECK(e.trap().dead == true);
}

TEST_CASE("an unconditional trap says so") {
  const Explained e("trap;\n");
  REQUIRE(e.count() == 1);
  CHECK(e.trap().check == Check::unconditional);
  CHECK(e.trap().params.empty());
}

TEST_CASE("a check in a called function is told with the caller's values") {
  const Explained e(std::string(index_and_length) + R"(
    { .param .b64 i; .param .b64 l;
      st.param.b64 [i], %rd1; st.param.b64 [l], %rd2;
      call.uni look, (i, l); }
    ret;
  )",
                    R"(
    .func look(.param .b64 i, .param .b64 l)
    { .reg .pred %q; .reg .b64 %a, %b;
      ld.param.b64 %a, [i]; ld.param.b64 %b, [l];
      setp.lt.u64 %q, %a, %b;
      @%q ret;
      trap; }
  )");
  REQUIRE(e.count() == 1);
  const Trap& trap = e.trap();
  CHECK(trap.function == "look");
  CHECK(trap.via == std::vector<std::string>{"k", "look"});
  REQUIRE(trap.ways.size() == 1);
  CHECK(e.report.pool->global_index(e.report.pool->kid(trap.ways[0].condition, 0)) == 'x');
  CHECK(trap.ways[0].params == std::vector<std::uint32_t>{1});
}

TEST_CASE("what is not known is unknown, not guessed") {
  const Explained e(R"(
    activemask.b32 %r1;
    frobnicate.b32 %r2, %r1;
    setp.ne.s32 %p1, %r2, 0;
    @%p1 trap;
    ret;
  )");
  REQUIRE(e.count() == 1);
  CHECK(e.report.pool->has_unknown(e.trap().ways.at(0).condition));
  CHECK(e.trap().dead != true);
}

TEST_CASE("only what decides traps counts as their cost") {
  const Explained e(std::string(index_and_length) + R"(
    shl.b64 %rd4, %rd1, 2; add.s64 %rd5, %rd3, %rd4;
    setp.ge.u64 %p1, %rd1, %rd2;
    @%p1 trap;
    st.global.u32 [%rd5], 0;
    ret;
  )");
  const SafetyCost& cost = e.report.functions[0].cost;
  CHECK(cost.of_instructions == 13);
  CHECK(cost.instructions == 3);  // the length's load, setp, trap: the index is needed anyway
  CHECK(cost.branches == 0);
}
