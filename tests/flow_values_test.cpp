// What control flow makes of values: joins, loops, tables of targets, and when control comes to a block. analysis/values.cpp
#include <algorithm>
#include <string>
#include <vector>

#include "tests/catch.h"
#include "tests/value_text.h"

using namespace ptxscope;
using namespace ptxscope::analysis;
using ptxscope::analysis::testing::value_text;
using ptxscope::analysis::testing::Valued;

namespace {

struct Row {
  std::string code;
  std::string what;  // a register, or "reach"
  std::string at;    // in front of that instruction; empty: of the last one
  std::string is;
};

// a < b and c == d in %p1 and %p2, a, b and tid.x in %r1 to %r3.
const std::string kernel = R"(
.visible .entry k(.param .u32 a, .param .u32 b, .param .u64 c, .param .u64 d)
{
  .local .b32 l[4];
  .reg .pred %p<9>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  mov.u32 %r3, %tid.x;
  ld.param.u64 %rd1, [c];
  ld.param.u64 %rd2, [d];
  setp.lt.u32 %p1, %r1, %r2;
  setp.eq.u64 %p2, %rd1, %rd2;
)";

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(row.code);
    Valued one(kernel + row.code + "\n  ret;\n}\n");
    CHECK((row.what == "reach" ? one.reach(row.at) : one.value(row.what, row.at)) == row.is);
  }
}

}  // namespace

TEST_CASE("a value that several ways lead to is a choice, or a phi where no expression says which") {
  check({
      {"@%p1 bra L; mov.u32 %r9, 5; bra E; L: mov.u32 %r9, 6; E:", "%r9", "", "(join (ge_u a:32 b:32) 5 6)"},
      {"@!%p1 bra L; mov.u32 %r9, 5; bra E; L: mov.u32 %r9, 6; E:", "%r9", "", "(join (lt_u a:32 b:32) 5 6)"},
      {"mov.u32 %r9, 5; @%p1 bra E; mov.u32 %r9, 6; E:", "%r9", "", "(join (lt_u a:32 b:32) 5 6)"},
      {"mov.u32 %r9, 5; @%p1 bra E; @%p2 bra E; mov.u32 %r9, 6; E:", "%r9", "",
       "(join (lt_u a:32 b:32) 5 (join (and (ge_u a:32 b:32) (eq c:64 d:64)) 5 6))"},
      {"mov.u32 %r9, 5; @%p1 bra L; mov.u32 %r9, 6; @%p2 bra E; mov.u32 %r9, 7; bra E; L: mov.u32 %r9, 8; E:", "%r9",
       "", "(join (and (ge_u a:32 b:32) (eq c:64 d:64)) 6 (join (and (ge_u a:32 b:32) (ne c:64 d:64)) 7 8))"},
      {"mov.u32 %r9, 5; @%p1 bra L; mov.u32 %r9, 5; L:", "%r9", "", "5"},
      {"@%p1 mov.u32 %r9, 5;", "%r9", "", "(select (lt_u a:32 b:32) 5 ?read before it is written)"},
      {"mov.u32 %r9, 5; @!%p1 mov.u32 %r9, 6;", "%r9", "", "(select (ge_u a:32 b:32) 6 5)"},
      {"@%p1 bra L; mov.u32 %r9, 5; L:", "%r9", "", "(join (lt_u a:32 b:32) ?read before it is written 5)"},
      {"@%p1 bra L; ret; L: mov.u32 %r9, 7;", "%r9", "", "7"},
      {"bra E; mov.u32 %r9, 3; add.u32 %r9, %r9, 1; E:", "%r9", "", "?read before it is written"},
      {"bra E; L: mov.u32 %r9, 3; add.u32 %r9, %r9, 1; E:", "%r9", "add.u32 %r9", "3"},
      {"bra E; L: add.u32 %r8, %r9, 1; E:", "%r9", "add.u32 %r8", "?in code that is never reached"},
      {"mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L;", "%r9", "",
       "(add L1=(phi 0 (add L1 1)) 1)"},
      {"mov.u32 %r9, 0; mov.u32 %r8, 3; L: add.u32 %r9, %r9, %r8; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L;", "%r8", "",
       "3"},
      {"mov.u32 %r9, 0; mov.u32 %r8, 3; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L;", "%r9",
       "add.u32", "L1=(phi 0 (add L1 1))"},
      {"mov.u32 %r9, 0; mov.u32 %r8, 0; L: add.u32 %r9, %r9, 1; M: add.u32 %r8, %r8, 1; setp.lt.u32 %p7, %r8, %r2; "
       "@%p7 bra M; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L;",
       "%r9", "add.u32 %r8", "(add L1=(phi 0 (add L1 1)) 1)"},
      {"mov.u32 %r9, 0; mov.u32 %r8, 0; L: add.u32 %r9, %r9, 1; M: add.u32 %r8, %r8, 1; setp.lt.u32 %p7, %r8, %r2; "
       "@%p7 bra M; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L;",
       "%r8", "add.u32 %r8", "L1=(phi L2=(phi 0 (add L1 1)) (add L1 1))"},
      {"mov.u32 %r9, 0; mov.u32 %r8, 0; L: add.u32 %r9, %r9, 1; M: add.u32 %r8, %r8, 1; setp.lt.u32 %p7, %r8, %r2; "
       "@%p7 bra M; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L;",
       "%r8", "", "(add L1=(phi L2=(phi 0 (add L1 1)) (add L1 1)) 1)"},
      {"mov.u32 %r9, 1; @%p1 bra M; L: add.u32 %r9, %r9, 1; M: add.u32 %r9, %r9, 2; setp.lt.u32 %p7, %r9, %r1; @%p7 "
       "bra L;",
       "%r9", "", "(add L1=(phi 1 (add L2=(phi 1 (add L1 2)) 1)) 2)"},
      {"mov.u32 %r9, 1; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; setp.eq.u32 %p7, %r9, %r2; @%p7 bra Y; add.u32 %r9, "
       "%r9, 1; bra L; X: mov.u32 %r8, 1; bra E; Y: mov.u32 %r8, 2; E:",
       "%r8", "", "L1=(phi 1 2)"},
      {"ts: .branchtargets A, B; brx.idx %r1, ts; A: mov.u32 %r9, 5; bra E; B: mov.u32 %r9, 6; E:", "%r9", "",
       "(join (eq a:32 0) 5 6)"},
      {"ts: .branchtargets A, B, A; @%p2 brx.idx %r2, ts; mov.u32 %r9, 4; bra E; A: mov.u32 %r9, 5; bra E; B: mov.u32 "
       "%r9, 6; E:",
       "%r9", "", "(join (ne c:64 d:64) 4 (join (and (eq c:64 d:64) (or (eq b:32 0) (eq b:32 2))) 5 6))"},
      {"mov.u32 %r9, 5; @%p1 bra E; mov.u32 %r8, 1; L: add.u32 %r8, %r8, 1; setp.lt.u32 %p7, %r8, 9; @%p7 bra L; "
       "mov.u32 %r9, 6; E:",
       "%r9", "", "(join (lt_u a:32 b:32) 5 6)"},
      {"st.local.u32 [l], 5; @%p1 bra E; st.local.u32 [l], 6; E: ld.local.u32 %r9, [l];", "%r9", "",
       "(join (lt_u a:32 b:32) 5 6)"},
      {"st.local.u32 [l], 0; L: ld.local.u32 %r8, [l]; add.u32 %r8, %r8, 1; st.local.u32 [l], %r8; setp.lt.u32 %p7, "
       "%r8, %r1; @%p7 bra L; ld.local.u32 %r9, [l];",
       "%r9", "", "(add L1=(phi 0 (add L1 1)) 1)"},
  });
}

TEST_CASE("when control comes to a block") {
  check({
      {"@%p1 bra M; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L; X: mov.u32 %r8, 1; "
       "setp.lt.u32 %p6, %r3, %r1; @%p6 bra X; bra E; M: @%p2 bra X; ret; E:",
       "reach", "mov.u32 %r8", "(or (ge_u a:32 b:32) (eq c:64 d:64))"},
      {"ts: .branchtargets A, B; us: .branchtargets B, C, A; brx.idx %r1, ts; A: mov.u32 %r9, 1; brx.idx %r2, us; B: "
       "mov.u32 %r9, 2; C: mov.u32 %r9, 3;",
       "reach", "mov.u32 %r9, 3", "1"},
      {"ts: .branchtargets A, B; us: .branchtargets B, C, C; brx.idx %r1, ts; A: mov.u32 %r9, 1; brx.idx %r2, us; B: "
       "mov.u32 %r9, 2; bra E; C: mov.u32 %r9, 3; E:",
       "reach", "mov.u32 %r9, 3", "(and (eq a:32 0) (or (eq b:32 1) (eq b:32 2)))"},
      {"ts: .branchtargets A, B; us: .branchtargets B, C, C; brx.idx %r1, ts; A: mov.u32 %r9, 1; brx.idx %r2, us; B: "
       "mov.u32 %r9, 2; bra E; C: mov.u32 %r9, 3; E:",
       "reach", "mov.u32 %r9, 2", "(or (eq a:32 1) (and (eq a:32 0) (eq b:32 0)))"},

      {"@%p1 bra M; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L; bra X; M: @%p2 bra "
       "X; ret; X: mov.u32 %r8, 1;",
       "reach", "mov.u32 %r8", "(or (ge_u a:32 b:32) (eq c:64 d:64))"},
      {"@%p1 bra M; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.eq.u32 %p6, %r9, %r2; @%p6 bra X; setp.lt.u32 %p7, "
       "%r9, %r1; @!%p7 bra X; bra L; M: @%p2 bra X; ret; X: mov.u32 %r8, 1;",
       "reach", "mov.u32 %r8", "(or (ge_u a:32 b:32) (eq c:64 d:64))"},
      {"@%p1 bra L; mov.u32 %r9, 5; L:", "reach", "mov.u32 %r9", "(ge_u a:32 b:32)"},
      {"@%p1 bra L; mov.u32 %r9, 5; L:", "reach", "", "1"},
      {"@!%p1 bra L; mov.u32 %r9, 5; L:", "reach", "mov.u32 %r9", "(lt_u a:32 b:32)"},
      {"@%p1 ret; @%p2 ret; mov.u32 %r9, 5;", "reach", "", "(and (ge_u a:32 b:32) (ne c:64 d:64))"},
      {"@%p1 bra L; @%p2 bra L; ret; L: mov.u32 %r9, 5;", "reach", "mov.u32 %r9",
       "(or (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"@%p1 bra L; bra M; L: @%p2 bra N; M: mov.u32 %r9, 5; N:", "reach", "mov.u32 %r9",
       "(or (ge_u a:32 b:32) (ne c:64 d:64))"},
      {"@%p1 trap; mov.u32 %r9, 5;", "reach", "mov.u32 %r9", "(ge_u a:32 b:32)"},
      {"bra E; L: mov.u32 %r9, 5; E:", "reach", "mov.u32 %r9", "0"},
      {"mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L; mov.u32 %r8, 1;", "reach",
       "mov.u32 %r8", "1"},
      {"@%p1 ret; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L; mov.u32 %r8, 1;",
       "reach", "mov.u32 %r8", "(ge_u a:32 b:32)"},
      {"@%p1 bra Z; mov.u32 %r9, 0; L: add.u32 %r9, %r9, 1; setp.lt.u32 %p7, %r9, %r1; @%p7 bra L; mov.u32 %r8, 1; Z:",
       "reach", "mov.u32 %r8", "(ge_u a:32 b:32)"},
      {"mov.u32 %r9, 0; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; add.u32 %r9, %r9, 1; bra L; X: mov.u32 %r8, 1;",
       "reach", "mov.u32 %r8", "1"},
      {"mov.u32 %r9, 0; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; @%p1 bra X; add.u32 %r9, %r9, 1; bra L; X: mov.u32 "
       "%r8, 1;",
       "reach", "mov.u32 %r8", "1"},
      {"mov.u32 %r9, 0; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; setp.eq.u32 %p6, %r9, %r2; @%p6 bra Y; add.u32 %r9, "
       "%r9, 1; bra L; X: mov.u32 %r8, 1; ret; Y: mov.u32 %r7, 2;",
       "reach", "mov.u32 %r8", "(ge_u L1=(phi 0 (add L1 1)) a:32)"},
      {"mov.u32 %r9, 0; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; setp.eq.u32 %p6, %r9, %r2; @%p6 bra Y; add.u32 %r9, "
       "%r9, 1; bra L; X: mov.u32 %r8, 1; ret; Y: mov.u32 %r7, 2;",
       "reach", "mov.u32 %r7", "(and (lt_u L1=(phi 0 (add L1 1)) a:32) (eq L1 b:32))"},
      {"mov.u32 %r9, 0; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; setp.eq.u32 %p6, %r9, %r2; @%p6 trap; add.u32 %r9, "
       "%r9, 1; bra L; X: mov.u32 %r8, 1;",
       "reach", "mov.u32 %r8", "(ge_u L1=(phi 0 (add L1 1)) a:32)"},
      {"@%p1 bra S; mov.u32 %r9, 0; L: setp.ge.u32 %p7, %r9, %r1; @%p7 bra X; @%p2 ret; add.u32 %r9, %r9, 1; bra L; X: "
       "mov.u32 %r8, 1; S:",
       "reach", "mov.u32 %r8", "(and (ge_u a:32 b:32) (ge_u L1=(phi 0 (add L1 1)) a:32))"},
      {"@%p1 bra S; mov.u32 %r9, 0; L: mov.u32 %r8, 0; M: add.u32 %r8, %r8, 1; setp.ge.u32 %p7, %r8, %r2; @%p7 bra X; "
       "setp.ge.u32 %p6, %r8, %r1; @!%p6 bra M; add.u32 %r9, %r9, 1; bra L; X: mov.u32 %r7, 1; S:",
       "reach", "mov.u32 %r7", "(ge_u a:32 b:32)"},
      {"ts: .branchtargets A, B; brx.idx %r1, ts; A: mov.u32 %r9, 5; bra E; B: mov.u32 %r8, 6; E:", "reach",
       "mov.u32 %r8", "(eq a:32 1)"},
      {"ts: .branchtargets A, B, A; @%p2 brx.idx %r2, ts; mov.u32 %r7, 4; bra E; A: mov.u32 %r9, 5; bra E; B: mov.u32 "
       "%r8, 6; E:",
       "reach", "mov.u32 %r9", "(and (eq c:64 d:64) (or (eq b:32 0) (eq b:32 2)))"},
      {"ts: .branchtargets A, B, A; @!%p2 brx.idx %r2, ts; mov.u32 %r7, 4; bra E; A: mov.u32 %r9, 5; bra E; B: mov.u32 "
       "%r8, 6; E:",
       "reach", "mov.u32 %r8", "(and (ne c:64 d:64) (eq b:32 1))"},
      {"ts: .branchtargets A, B, A; @!%p2 brx.idx %r2, ts; mov.u32 %r7, 4; bra E; A: mov.u32 %r9, 5; bra E; B: mov.u32 "
       "%r8, 6; E:",
       "reach", "mov.u32 %r7", "(eq c:64 d:64)"},
      {"@%p1 bra M; L: mov.u32 %r9, 1; M: mov.u32 %r8, 2; setp.lt.u32 %p7, %r3, %r1; @%p7 bra L;", "reach",
       "mov.u32 %r9", "(or (ge_u a:32 b:32) (lt_u tid.x a:32))"},
  });
}

TEST_CASE("what is known of a block: the edges that alone lead there, outermost first") {
  Valued one(kernel + R"(
    @!%p1 bra OUT;
    L: setp.ne.u32 %p3, %r3, 7;
    @%p3 bra IN;
    bra NEXT;
    IN: @%p2 bra BOTH;
    mov.u32 %r9, 1;
    BOTH: mov.u32 %r9, 2;
    NEXT: setp.lt.u32 %p4, %r3, 99;
    @%p4 bra L;
    OUT: mov.u32 %r9, 4;
    ret;
    })");
  const auto known = [&](const std::string& at) {
    std::vector<std::string> texts;
    for (const ExprId id : one.values().known_at(one.values().cfg().block_of(one.statement(at))))
      texts.push_back(value_text(one.module(), one.pool(), id));
    return texts;
  };
  using Texts = std::vector<std::string>;
  CHECK(known("setp.lt.u32 %p1").empty());
  CHECK(known("setp.ne.u32") == Texts{"(lt_u a:32 b:32)"});  // the way around the loop says nothing
  CHECK(known("@%p2") == Texts{"(lt_u a:32 b:32)", "(ne tid.x 7)"});
  CHECK(known("mov.u32 %r9, 1") == Texts{"(lt_u a:32 b:32)", "(ne tid.x 7)", "(ne c:64 d:64)"});
  CHECK(known("mov.u32 %r9, 2") == Texts{"(lt_u a:32 b:32)", "(ne tid.x 7)"});
  CHECK(known("setp.lt.u32 %p4") == Texts{"(lt_u a:32 b:32)"});
  CHECK(known("mov.u32 %r9, 4").empty());
}

TEST_CASE("the one write that arrives") {
  Valued one(kernel + R"(
    mov.u32 %r9, 1;
    @%p1 bra L;
    mov.u32 %r8, 2;
    L: mov.u32 %r7, 3;
    @%p2 mov.u32 %r7, 4;
    mov.u32 %r6, 5;
    ret;
    mov.u32 %r5, 6;
    })");
  const auto write = [&](RegisterNumber reg, const std::string& at) {
    const std::uint32_t found = one.values().reaching_definition(reg, one.statement(at));
    return found == no_index ? "none" : std::string(one.module().statement(found).text());
  };
  const auto reg = [&](const std::string& name) { return one.number_of(name); };
  CHECK(write(reg("%r9"), "mov.u32 %r6") == "mov.u32 %r9, 1;");
  CHECK(write(reg("%r9"), "mov.u32 %r9") == "none");
  CHECK(write(reg("%r8"), "mov.u32 %r7, 3") == "none");  // one of two ways
  CHECK(write(reg("%r7"), "mov.u32 %r6") == "@%p2 mov.u32 %r7, 4;");
  CHECK(write(reg("%r7"), "@%p2 mov.u32") == "mov.u32 %r7, 3;");
  CHECK(write(reg("%r5"), "mov.u32 %r6") == "none");
  CHECK(write(no_index, "mov.u32 %r6") == "none");
}

TEST_CASE("functions whose address is taken, by an operand or an initialiser") {
  Valued one(R"(
    .func called() { ret; }
    .func moved() { ret; }
    .func stored() { ret; }
    .func listed() { ret; }
    .extern .func outside();
    .global .u64 list[3] = {0, listed, outside};
    .global .b8 bytes[2] = {1, 2};
    .entry k() {
      .reg .b64 %rd<3>;
      mov.u64 %rd1, moved;
      mov.u64 %rd2, outside;
      st.global.u64 [%rd1], stored;
      call called;
      ret;
    })",
             "k");
  ModuleValues values(one.module(), std::make_shared<ExprPool>());
  std::vector<std::string> names;
  for (const std::uint32_t f : values.address_taken())
    names.emplace_back(one.module().name(one.module().functions()[f].name));
  CHECK(names == std::vector<std::string>{"moved", "stored", "listed"});
}

TEST_CASE("a chain of definitions that is too long is given up on, honestly") {
  std::string text = kernel + "mov.u32 %r9, 0;\n";
  for (int i = 0; i < 1200; ++i)  // each join asks for the one before it
    text += "setp.eq.u32 %p3, %r9, " + std::to_string(i) + ";\n@%p3 bra L" + std::to_string(i) +
            ";\nadd.u32 %r9, %r9, %r1;\nL" + std::to_string(i) + ":\n";
  Valued one(text + "ret;\n}\n");
  CHECK_FALSE(one.values().gave_up());
  static_cast<void>(one.values().before(one.number_of("%r9"), one.statement("")));
  CHECK(one.values().gave_up());
}
