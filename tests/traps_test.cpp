// explain_traps by itself: the ways into a trap as data. What people read of it is in tests/golden.
#include "analysis/traps.h"

#include <algorithm>
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

TEST_CASE("the comparison behind the guard of a trap is named") {
  const Explained e(std::string(index_and_length) + R"(
    setp.ge.u64 %p1, %rd1, %rd2;
    setp.eq.u64 %p2, %rd3, 0;
    @%p1 trap;
    ret;
  )");
  REQUIRE(e.count() == 1);
  const Way& way = e.trap().ways.at(0);
  CHECK(e.module.statement(way.branch).text() == "@%p1 trap;");
  CHECK(e.module.statement(way.setp).text() == "setp.ge.u64 %p1, %rd1, %rd2;");
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

TEST_CASE("a kernel without traps has its instructions and branches counted, too") {
  const std::string body = R"(
    ld.param.u32 %r1, [m];
    setp.eq.u32 %p1, %r1, 0;
    @%p1 bra OUT;
    ld.param.u64 %rd1, [p];
    st.global.u32 [%rd1], %r1;
    OUT: ret;
  )";
  const auto cost_of = [](const Explained& e) {
    CHECK(e.count() == 0);
    const SafetyCost& cost = e.report.functions[0].cost;
    CHECK(cost.instructions == 0);
    CHECK(cost.branches == 0);
    return std::pair(cost.of_instructions, cost.of_branches);
  };
  CHECK(cost_of(Explained(body)) == std::pair(6U, 1U));
  CHECK(cost_of(Explained(body + "trap;\n")) == std::pair(7U, 1U));  // no path leads to that one
}

TEST_CASE("what a called function ends the thread for is ruled out behind the call") {
  const std::string limit = R"(
    .func limit(.param .b64 i, .param .b64 l)
    { .reg .pred %q; .reg .b64 %a, %b;
      ld.param.b64 %a, [i]; ld.param.b64 %b, [l];
      setp.ge.u64 %q, %a, %b;
      @%q trap;
      ret; }
  )";
  const auto own_check = [&](const std::string& bound) {
    const Explained e(std::string(index_and_length) + R"(
      { .param .b64 i; .param .b64 l;
        st.param.b64 [i], %rd1; st.param.b64 [l], %rd2;
        call.uni limit, (i, l); }
      setp.ge.u64 %p1, %rd1, )" +
                          bound + R"(;
      @%p1 trap;
      ret;
    )",
                      limit);
    REQUIRE(e.count() == 2);
    for (const Trap& trap : e.report.functions[0].traps)
      if (trap.function == "k") return trap.dead;
    FAIL("no trap of the kernel itself");
    return std::optional<bool>();
  };
  CHECK(own_check("%rd2") == true);
  CHECK(own_check("%rd3") != true);  // another bound
}

TEST_CASE("a chain of computations through many blocks is followed to its start") {
  // %c1 is m, and each of the next 1,500 is one more; 40 of them in a block.
  constexpr int last = 1501;
  std::string body =
      ".reg .b32 %c<2000>;\nld.param.u32 %c1, [m];\nld.param.u64 %rd1, [n];\nsetp.eq.u64 %p1, %rd1, 0;\n";
  for (int i = 2; i <= last; ++i) {
    body += "add.s32 %c" + std::to_string(i) + ", %c" + std::to_string(i - 1) + ", 1;\n";
    if (i % 40 == 0) body += "@%p1 bra OUT;\n";
  }
  const Explained e(body + "setp.ge.u32 %p2, %c" + std::to_string(last) + ", 5000;\n@%p2 trap;\nOUT: ret;\n");
  REQUIRE(e.count() == 1);
  ExprPool& pool = *e.report.pool;
  CHECK(pool.kid(e.trap().ways.at(0).condition, 0) ==
        pool.binary(ExprOp::add, pool.parameter(2, 0, 32), pool.constant(1500, 32)));
}

TEST_CASE("an index is checked against its slice's length; against another number it is another check") {
  const Explained e(std::string(index_and_length) + R"(
    ld.param.u32 %r5, [m];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 trap;
    setp.ge.u64 %p2, %rd1, %rd2;
    @%p2 trap;
    shl.b64 %rd4, %rd1, 2; add.s64 %rd5, %rd3, %rd4;
    st.global.u32 [%rd5], 0;
    ret;
  )");
  REQUIRE(e.count() == 2);
  CHECK(e.trap(0).check == Check::other);
  CHECK(e.trap(1).check == Check::bounds);
  // Where no length of its own is known, the number is the bound.
  const Explained alone(std::string(index_and_length) + R"(
    ld.param.u32 %r5, [m];
    setp.ge.u32 %p1, %r4, %r5;
    @%p1 trap;
    shl.b64 %rd4, %rd1, 2; add.s64 %rd5, %rd3, %rd4;
    st.global.u32 [%rd5], 0;
    ret;
  )");
  REQUIRE(alone.count() == 1);
  CHECK(alone.trap().check == Check::bounds);
}

TEST_CASE("what a function returns in a register is known where it is called") {  // PTX ISA 7.1
  const Explained e(R"(
    ld.param.u32 %r1, [m];
    call.uni (%r2), twice, (%r1);
    setp.ge.u32 %p1, %r2, 100;
    @%p1 trap;
    ret;
  )",
                    R"(
    .func (.reg .b32 result) twice(.reg .b32 x)
    { .reg .b32 %q;
      shl.b32 %q, x, 1;
      mov.b32 result, %q;
      ret; }
  )");
  REQUIRE(e.count() == 1);
  ExprPool& pool = *e.report.pool;
  CHECK(pool.kid(e.trap().ways.at(0).condition, 0) ==
        pool.binary(ExprOp::mul, pool.parameter(2, 0, 32), pool.constant(2, 32)));
}

TEST_CASE("a local variable is followed as long as its address is not given away") {
  const auto checked = [](const std::string& between) {
    const Explained e(R"(
      .local .align 4 .b32 cell;
      .reg .b64 %a<4>;
      ld.param.u64 %rd1, [p];
      ld.param.u32 %r1, [m];
      mov.u64 %a1, cell;
      cvta.local.u64 %a2, %a1;
      st.local.u32 [cell], %r1;
    )" + between + R"(
      ld.local.u32 %r2, [cell];
      setp.ge.u32 %p1, %r2, 100;
      @%p1 trap;
      ret;
    )");
    REQUIRE(e.count() == 1);
    ExprPool& pool = *e.report.pool;
    return pool.kid(e.trap().ways.at(0).condition, 0) == pool.parameter(2, 0, 32);
  };
  CHECK(checked(""));
  CHECK(checked("st.global.u32 [%rd1], %r1;"));
  // The thread gets the address back from where it put it, and stores through it.
  CHECK_FALSE(checked("st.global.u64 [%rd1], %a2; ld.global.u64 %a3, [%rd1]; st.u32 [%a3], 7;"));
}

TEST_CASE("fields of bits that are constant are worked out") {  // PTX ISA 9.7.1: bfe, bfi
  const auto gives = [](const std::string& instruction, const std::string& value) {
    const Explained e(instruction + "\nsetp.ne.b32 %p1, %r2, " + value + ";\n@%p1 trap;\nret;\n");
    REQUIRE(e.count() == 1);
    return e.trap().dead == true;
  };
  CHECK(gives("bfe.u32 %r2, 0x0000ff80, 8, 8;", "255"));
  CHECK(gives("bfe.s32 %r2, 0x0000ff80, 8, 8;", "-1"));  // the field's top bit is its sign
  CHECK(gives("bfe.s32 %r2, 0x00007f80, 8, 8;", "127"));
  CHECK(gives("bfe.s32 %r2, 0x0000ff80, 4, 0;", "0"));
  CHECK(gives("bfi.b32 %r2, 0xab, 0x11223344, 8, 8;", "0x1122ab44"));
  CHECK_FALSE(gives("bfe.s32 %r2, 0x0000ff80, 8, 8;", "255"));
}

TEST_CASE("instructions with two results") {
  const Explained e(R"(
    ld.param.u32 %r1, [m];
    setp.lt.u32 %p1|%p2, %r1, 100;
    @%p2 trap;
    ret;
  )");
  REQUIRE(e.count() == 1);
  CHECK(e.op(e.trap().ways.at(0)) == ExprOp::ge_u);  // the second is the opposite of the first (PTX ISA, setp)
  const auto half = [](const std::string& halves, const std::string& value) {
    const Explained x("mov.b64 " + halves + ", 0x0000000500000007;\nsetp.ne.b32 %p1, %r2, " + value +
                      ";\n@%p1 trap;\nret;\n");
    REQUIRE(x.count() == 1);
    return x.trap().dead == true;
  };
  CHECK(half("{%r2, %r3}", "7"));  // the low half stands first
  CHECK(half("{%r3, %r2}", "5"));
  CHECK_FALSE(half("{%r3, %r2}", "7"));
}

TEST_CASE("behind a loop that is left in two places") {
  const Explained e(std::string(index_and_length) + R"(
    ld.param.u32 %r5, [m];
    mov.u32 %r6, 0;
    AGAIN:
    setp.eq.u32 %p1, %r6, %r5;
    @%p1 bra OUT;
    add.u32 %r6, %r6, 1;
    setp.ge.u32 %p2, %r6, 100;
    @%p2 bra OUT;
    bra AGAIN;
    OUT:
    setp.ge.u64 %p3, %rd1, %rd2;
    @%p3 trap;
    ret;
  )");
  REQUIRE(e.count() == 1);
  CHECK(e.trap().dead != true);
  REQUIRE(e.trap().ways.size() == 1);
  CHECK(e.op(e.trap().ways[0]) == ExprOp::ge_u);
  CHECK(e.trap().ways[0].params == std::vector<std::uint32_t>{1});
}

TEST_CASE("a call through a table of functions reaches what the table names") {
  const Explained e(R"(
    ld.param.u32 %r1, [m];
    ld.param.u64 %rd1, [n];
    shl.b64 %rd2, %rd1, 3;
    mov.u64 %rd3, table;
    add.s64 %rd4, %rd3, %rd2;
    ld.global.u64 %rd5, [%rd4];
    { .param .b32 x; st.param.b32 [x], %r1;
      proto: .callprototype _ (.param .b32 _);
      call %rd5, (x), proto; }
    ret;
  )",
                    R"(
    .func stop(.param .b32 x)
    { .reg .pred %q; .reg .b32 %a;
      ld.param.b32 %a, [x];
      setp.eq.u32 %q, %a, 7;
      @%q trap;
      ret; }
    .func pass(.param .b32 x) { ret; }
    .global .align 8 .u64 table[2] = {pass, stop};
  )");
  const auto& kernel = *std::ranges::find_if(e.report.functions, [](const FunctionTraps& one) {
    return one.function != 0 && !one.traps.empty() && !one.traps[0].via.empty();
  });
  REQUIRE(kernel.traps.size() == 1);
  CHECK(kernel.traps[0].via == std::vector<std::string>{"k", "stop"});
  const Way& way = kernel.traps[0].ways.at(0);
  CHECK(way.params == std::vector<std::uint32_t>{1, 2});  // n chooses the function
  // Where the second entry is read, eight bytes into the table.
  ExprPool& pool = *e.report.pool;
  REQUIRE(way.after.size() == 1);
  CHECK(pool[way.after[0]].op == ExprOp::eq);
  CHECK(pool.parameters(way.after[0]) == std::vector<std::uint32_t>{1});
}
