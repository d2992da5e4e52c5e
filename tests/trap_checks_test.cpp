// What parameters are for, told from their use, and what a trap checks, told from its condition: analysis/slices.cpp,
// analysis/trap_checks.cpp
#include "tests/trap_text.h"

using namespace ptxscope::analysis::testing;

namespace {

struct Row {
  std::string parameters;
  std::string body;
  std::string told;
};

void check_roles(std::initializer_list<Row> rows, bool by_nvcc) {
  for (const Row& row : rows) {
    INFO(row.parameters << " | " << row.body);
    CHECK(roles(explained(kernel(row.parameters, row.body), by_nvcc)) == row.told);
  }
}

}  // namespace

TEST_CASE("pointers, lengths, scalars, and the fields of structures") {
  check_roles(
      {
          {"align 8 .b8 s[24], u64 i",
           "ld.param.u64 %rd1, [s]; ld.param.u32 %r2, [s+8]; cvt.u64.u32 %rd2, %r2; setp.ge.u64 p, %i, %rd2; @p trap; "
           "shl.b64 %rd3, %i, 2; add.u64 %rd3, %rd3, %rd1; st.global.u32 [%rd3], 1;",
           "arg0:aggregate{0+8=arg0.ptr:pointer/0 8+4=arg0.len:length/0} arg1:scalar"},
          {"u64 x, u64 n, u64 m, u64 i",
           "min.u64 %rd1, %n, %m; cvt.u32.u64 %r1, %rd1; cvt.u64.u32 %rd2, %r1; setp.ge.u64 p, %i, %rd2; @p trap; "
           "shl.b64 %rd3, %i, 2; add.u64 %rd3, %rd3, %x; st.global.u32 [%rd3], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar arg2:scalar"},
          {"u32 a, u64 b",
           "max.s32 %r1, %a, 5; setp.gt.s32 p, %r1, 9; @p trap; set.eq.u32.u64 %r2, %b, 3; st.global.u32 [0], %r2;",
           "arg0:scalar arg1:scalar"},
          {"u64 x, u64 n, u32 i",
           "cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 "
           "[%rd2], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar"},
          {"u64 x, u64 n, u32 i", "cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p trap; st.global.u32 [%x], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar"},
          {"u64 x, u64 n", "setp.eq.u64 p, %n, 0; @p trap; ld.global.u32 %r1, [%x];",
           "arg0.ptr:pointer/0 arg0.len:length/0"},
          {"u64 x, u64 n", "setp.ne.u64 p, %n, 16; @p trap; ld.global.u32 %r1, [%x];", "arg0:pointer arg1:scalar"},
          {"u64 x, u64 n", "setp.le.u64 p, %n, 16; @p trap; ld.global.u32 %r1, [%x+64];",
           "arg0.ptr:pointer/0 arg0.len:length/0"},
          {"u64 x, u64 n, u64 y, u64 m",
           "setp.ne.u64 p, %n, %m; @p trap; ld.global.u32 %r1, [%x]; ld.global.u32 %r2, [%y];",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1.ptr:pointer/1 arg1.len:length/1"},
          {"u64 x, u64 n, u64 y, u64 m",
           "ld.global.u64 %rd1, [%y]; setp.ge.u64 p, %rd1, %n; @p trap; ld.global.u32 %r1, [%x];",
           "arg0:pointer arg1:scalar arg2:pointer arg3:scalar"},
          {"u64 x, u64 n, u64 y, u64 m",
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; setp.ge.u64 p, %rd1, %n; @p trap; shl.b64 %rd2, %rd1, 2; "
           "add.u64 %rd2, %x, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%y];",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:pointer arg2:scalar"},
          {"u64 x, u64 n, u64 y, u64 m, u64 z",
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; setp.ge.u64 p, %rd1, %m; @p trap; shl.b64 %rd2, %rd1, 2; "
           "add.u64 %rd2, %y, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%x]; ld.global.u64 %rd3, [%z]; "
           "setp.lt.u64 q, %rd3, %n; @q st.global.u32 [%z], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1.ptr:pointer/1 arg1.len:length/1 arg2:pointer"},
          {"u64 x, u32 n",
           "mov.u32 %r1, %tid.x; setp.ge.u32 p, %r1, %n; @p trap; mad.wide.u32 %rd2, %r1, 4, %x; st.global.u32 [%rd2], "
           "1;",
           "arg0:pointer arg1:scalar"},
          {"u64 x, u64 y",
           "add.u64 %rd1, %x, %y; st.global.u32 [%rd1], 1; st.global.u32 [%y], 1; mov.u32 %r9, %tid.x; setp.eq.u32 p, "
           "%r9, 99; @p trap;",
           "arg0:scalar arg1:pointer"},
          {"u64 x, u64 n, u32 i",
           "min.u64 %rd1, %n, 100; cvt.u64.u32 %rd3, %i; setp.ge.u64 p, %rd3, %rd1; @p trap; mad.wide.u32 %rd2, %i, 4, "
           "%x; st.global.u32 [%rd2], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar"},
          {"u64 x, u64 n, u64 m, u64 i",
           "min.u64 %rd1, %n, %m; setp.ge.u64 p, %i, %rd1; @p trap; shl.b64 %rd2, %i, 3; add.u64 %rd2, %rd2, %x; "
           "st.global.u32 [%rd2], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar arg2:scalar"},
          {"u64 x, f64 n", "ld.global.u32 %r1, [%x]; setp.lt.f64 p, %n, 0d0000000000000000; @p trap;",
           "arg0:pointer arg1:scalar"},
          {"f32 a, u32 b, u16 c, b8 d", "setp.lt.f32 p, %a, 0f00000000; @p trap; setp.gt.u16 q, %c, 3; @q trap;",
           "arg0:scalar arg1:scalar arg2:scalar arg3:scalar"},
          {"s32 a, u32 b, u32 c",
           "setp.lt.s32 p, %a, 3; @p trap; setp.lt.s32 p, %b, 3; @p trap; setp.lt.u32 p, %c, 3; @p trap;",
           "arg0:scalar- arg1:scalar- arg2:scalar"},
          {"s32 a, u32 b, u32 c",
           "cvt.s64.s32 %rd1, %b; st.global.u64 [%rd1], 1; cvt.u64.u32 %rd2, %a; st.global.u64 [%rd2], %rd1; "
           "mul.wide.s32 %rd3, %c, 4; st.global.u64 [%rd3], 1; mov.u32 %r9, %tid.x; setp.eq.u32 p, %r9, 99; @p trap;",
           "arg0:scalar arg1:scalar- arg2:scalar-"},
          {"u32 a, u32 b", "set.lt.u32.s32 %r1, %a, %b; setp.ne.u32 p, %r1, 0; @p trap;", "arg0:scalar- arg1:scalar-"},
          {"u32 a, u32 b, u32 c",
           "div.u32 %r1, %a, %b; rem.u32 %r2, %r1, %c; st.global.u32 [0], %r2; setp.eq.u32 p, %b, 0; @p trap;",
           "arg0:scalar arg1:scalar arg2:scalar"},
          {"u64 x, u32 b",
           "cvta.to.global.u64 %rd1, %x; mov.u32 %r1, %b; mov.u32 %r9, %tid.x; setp.eq.u32 p, %r9, 99; @p trap;",
           "arg0:pointer arg1:scalar"},
          {"align 8 .b8 s[16], u32 i",
           "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+8]; cvt.u64.u32 %rd3, %i; setp.ge.u64 p, %rd3, %rd2; @p "
           "trap; mad.wide.u32 %rd4, %i, 4, %rd1; st.global.u32 [%rd4], 1;",
           "arg0:aggregate{0+8=arg0.ptr:pointer/0 8+8=arg0.len:length/0} arg1:scalar"},
          {"align 8 .b8 s[16], u32 i",
           "ld.param.v2.u64 {%rd1, %rd2}, [s]; cvt.u64.u32 %rd3, %i; setp.ge.u64 p, %rd3, %rd2; @p trap; mad.wide.u32 "
           "%rd4, %i, 4, %rd1; st.global.u32 [%rd4], 1;",
           "arg0:aggregate{0+8=arg0.ptr:pointer/0 8+8=arg0.len:length/0} arg1:scalar"},
          {"align 8 .b8 s[24], u32 i",
           "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+16]; cvt.u64.u32 %rd3, %i; setp.ge.u64 p, %rd3, %rd2; @p "
           "trap; mad.wide.u32 %rd4, %i, 4, %rd1; st.global.u32 [%rd4], 1;",
           "arg0:aggregate{0+8=arg0.ptr:pointer/0 16+8=arg0.len:length/0} arg1:scalar"},
          {"align 8 .b8 s[24], u32 i",
           "ld.param.u64 %rd1, [s]; ld.param.u32 %r2, [s+16]; setp.ge.u32 p, %i, %r2; @p trap; mad.wide.u32 %rd4, %i, "
           "4, %rd1; st.global.u32 [%rd4], 1;",
           "arg0:aggregate{0+8=arg0[0]:pointer 16+4=arg0[16]:scalar} arg1:scalar"},
          {"align 8 .b8 s[24], u32 i",
           "ld.param.u64 %rd1, [s]; ld.param.u32 %r2, [s+8]; setp.ge.u32 p, %i, %r2; @p trap; mad.wide.u32 %rd4, %i, "
           "4, %rd1; st.global.u32 [%rd4], 1;",
           "arg0:aggregate{0+8=arg0.ptr:pointer/0 8+4=arg0.len:length/0} arg1:scalar"},
          {"align 8 .b8 s[32], u32 i",
           "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+16]; ld.param.u64 %rd5, [s+24]; cvt.u64.u32 %rd3, %i; "
           "setp.ge.u64 p, %rd3, %rd2; @p trap; setp.ge.u64 p, %rd3, %rd5; @p trap; mad.wide.u32 %rd4, %i, 4, %rd1; "
           "st.global.u32 [%rd4], 1;",
           "arg0:aggregate{0+8=arg0[0]:pointer 16+8=arg0[16]:scalar 24+8=arg0[24]:scalar} arg1:scalar"},
          {"align 8 .b8 s[24], u32 i",
           "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+8]; ld.param.u64 %rd5, [s+16]; cvt.u64.u32 %rd3, %i; "
           "setp.ge.u64 p, %rd3, %rd5; @p trap; mad.wide.u32 %rd4, %i, 4, %rd1; st.global.u32 [%rd4], 1; st.global.u32 "
           "[%rd2], 1;",
           "arg0:aggregate{0+8=arg0[0]:pointer 8+8=arg0[8]:pointer 16+8=arg0[16]:scalar} arg1:scalar"},
          {"align 8 .b8 s[12]",
           "ld.param.u16 %h1, [s+2]; ld.param.u8 %h2, [s+5]; ld.param.u32 %r1, [s+8]; setp.lt.u32 p, %r1, 9; @p trap;",
           "arg0:aggregate{2+2=arg0[2]:unknown 5+1=arg0[5]:unknown 8+4=arg0[8]:scalar}"},
          {"u64 x, u64 n, u64 y, u64 m",
           "ld.global.u32 %r1, [%x]; ld.global.u32 %r1, [%y]; mov.u32 %r2, %tid.x; cvt.u64.u32 %rd1, %r2; setp.ge.u64 "
           "p, %rd1, %m; @p trap;",
           "arg0:pointer arg1:scalar arg2.ptr:pointer/0 arg2.len:length/0"},
          {"u64 x, u32 b", "cvta.to.global.u64 %rd1, %x; mov.u32 %r9, %tid.x; setp.eq.u32 p, %r9, 99; @p trap;",
           "arg0:pointer arg1:scalar"},
          {"u64 x, u32 b", "cvta.to.shared.u64 %rd1, %x; mov.u32 %r9, %tid.x; setp.eq.u32 p, %r9, 99; @p trap;",
           "arg0:pointer arg1:scalar"},
          {"u64 x, u32 b",
           "tex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%x, {%b}]; mov.u32 %r9, %tid.x; setp.eq.u32 p, %r9, 99; @p trap;",
           "arg0:pointer arg1:scalar"},
          {"u32 x, u32 b", "shl.b32 %r1, %x, %b; st.global.u32 [0], %r1; setp.gt.u32 p, %b, 31; @p trap;",
           "arg0:scalar arg1:scalar"},
          {"u64 x, u64 n, u32 i",
           "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %i; cvt.u64.u32 %rd1, %r2; setp.ge.u64 p, %rd1, %n; @p trap; "
           "mul.wide.u32 %rd2, %r1, 4; mad.wide.u32 %rd3, %i, 4, %rd2; add.u64 %rd4, %x, %rd3; st.global.u32 [%rd4], "
           "1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar"},
      },
      false);
}

// nvcc passes no slices as pairs: only an index that is used and compared makes a length.
TEST_CASE("what is a slice where the compiler is nvcc") {
  check_roles(
      {
          {"u64 x, u64 n, u64 i",
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, %rd1, %i; setp.ge.u64 p, %rd2, %n; @p trap; "
           "shl.b64 %rd3, %rd1, 2; add.u64 %rd4, %x, %rd3; shl.b64 %rd5, %i, 2; add.u64 %rd6, %rd4, %rd5; "
           "st.global.u32 [%rd6], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar"},
          {"u64 x, u64 n, u64 i",
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; add.u64 %rd2, %rd1, %i; setp.ge.u64 p, %rd2, %n; @p trap; "
           "shl.b64 %rd3, %rd1, 2; add.u64 %rd4, %x, %rd3; st.global.u32 [%rd4], 1;",
           "arg0:pointer arg1:scalar arg2:scalar"},
          {"u64 x, u64 n", "setp.eq.u64 p, %n, 0; @p trap; ld.global.u32 %r1, [%x];", "arg0:pointer arg1:scalar"},
          {"u64 x, u64 n", "setp.ne.u64 p, %n, 16; @p trap; ld.global.u32 %r1, [%x];", "arg0:pointer arg1:scalar"},
          {"u64 x, u64 n", "setp.le.u64 p, %n, 16; @p trap; ld.global.u32 %r1, [%x+64];", "arg0:pointer arg1:scalar"},
          {"u64 x, u64 n, u64 y, u64 m",
           "setp.ne.u64 p, %n, %m; @p trap; ld.global.u32 %r1, [%x]; ld.global.u32 %r2, [%y];",
           "arg0:pointer arg1:scalar arg2:pointer arg3:scalar"},
          {"u64 x, u64 n, u64 y, u64 m",
           "ld.global.u64 %rd1, [%y]; setp.ge.u64 p, %rd1, %n; @p trap; ld.global.u32 %r1, [%x];",
           "arg0:pointer arg1:scalar arg2:pointer arg3:scalar"},
          {"u64 x, u64 n, u64 y, u64 m",
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; setp.ge.u64 p, %rd1, %n; @p trap; shl.b64 %rd2, %rd1, 2; "
           "add.u64 %rd2, %x, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%y];",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:pointer arg2:scalar"},
          {"u64 x, u64 n, u64 y, u64 m, u64 z",
           "mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; setp.ge.u64 p, %rd1, %m; @p trap; shl.b64 %rd2, %rd1, 2; "
           "add.u64 %rd2, %y, %rd2; ld.global.u32 %r1, [%rd2]; ld.global.u32 %r2, [%x]; ld.global.u64 %rd3, [%z]; "
           "setp.lt.u64 q, %rd3, %n; @q st.global.u32 [%z], 1;",
           "arg0:pointer arg1:scalar arg2.ptr:pointer/0 arg2.len:length/0 arg3:pointer"},
          {"u64 x, u32 n",
           "mov.u32 %r1, %tid.x; setp.ge.u32 p, %r1, %n; @p trap; mad.wide.u32 %rd2, %r1, 4, %x; st.global.u32 [%rd2], "
           "1;",
           "arg0:pointer arg1:scalar"},
          {"u64 x, u64 y",
           "add.u64 %rd1, %x, %y; st.global.u32 [%rd1], 1; st.global.u32 [%y], 1; mov.u32 %r9, %tid.x; setp.eq.u32 p, "
           "%r9, 99; @p trap;",
           "arg0:scalar arg1:pointer"},
          {"u64 x, u64 n, u32 i",
           "mov.u32 %r1, %tid.x; add.u32 %r2, %r1, %i; cvt.u64.u32 %rd1, %r2; setp.ge.u64 p, %rd1, %n; @p trap; "
           "mul.wide.u32 %rd2, %r1, 4; mad.wide.u32 %rd3, %i, 4, %rd2; add.u64 %rd4, %x, %rd3; st.global.u32 [%rd4], "
           "1;",
           "arg0:pointer arg1:scalar arg2:scalar"},
          {"u64 x, u64 n, u32 i",
           "cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p trap; add.u64 %rd2, %rd1, 5; shl.b64 %rd2, %rd2, 4; "
           "add.u64 %rd2, %rd2, %x; st.global.u32 [%rd2], 1;",
           "arg0.ptr:pointer/0 arg0.len:length/0 arg1:scalar"},
      },
      true);
}

TEST_CASE("what a condition checks") {
  const std::initializer_list<Row> rows = {
      {"u64 x, u64 n, u32 i",
       "cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u32 i",
       "cvt.u64.u32 %rd1, %i; setp.lt.u64 p, %rd1, %n; @!p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], "
       "1;",
       "bounds"},
      {"u64 x, u64 n, u32 i",
       "cvt.u64.u32 %rd1, %i; setp.le.u64 p, %n, %rd1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u32 i",
       "cvt.u64.u32 %rd1, %i; setp.gt.u64 p, %n, %rd1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "other"},
      {"u64 x, u32 m, u32 i", "setp.ge.u32 p, %i, %m; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 m, u32 i", "setp.ge.u32 p, %i, %m; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i", "setp.ge.u32 p, %i, 100; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 i", "setp.ge.u32 p, %i, 100; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i",
       "mov.u32 %r1, %ntid.x; setp.ge.u32 p, %i, %r1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 i, u64 y",
       "ld.global.u32 %r1, [%y]; setp.ge.u32 p, %i, %r1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], "
       "1;",
       "bounds"},
      {"u64 x, u32 i, u32 m, u32 o",
       "min.u32 %r1, %m, %o; setp.ge.u32 p, %i, %r1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 i, u32 m, u32 o",
       "min.s32 %r1, %m, %o; setp.ge.s32 p, %i, %r1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 i, u32 m, u32 o",
       "max.u32 %r1, %m, %o; setp.ge.u32 p, %i, %r1; @p trap; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "other"},
      {"u64 x, u64 i, u64 y",
       "setp.ge.u64 p, %i, %y; @p trap; shl.b64 %rd2, %i, 2; add.u64 %rd2, %rd2, %x; st.global.u32 [%rd2], 1; "
       "st.global.u32 [%y], 1;",
       "other"},
      {"u64 x, u64 n, u64 y, u64 m, u32 i",
       "cvt.u64.u32 %rd1, %i; min.u64 %rd3, %n, %m; setp.ge.u64 p, %rd1, %rd3; @p trap; mad.wide.u32 %rd2, %i, 4, %x; "
       "st.global.u32 [%rd2], 1; mad.wide.u32 %rd2, %i, 4, %y; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u32 m, u32 i",
       "cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p trap; setp.ge.u32 q, %i, %m; @q trap; mad.wide.u32 %rd2, %i, "
       "4, %x; st.global.u32 [%rd2], 1;",
       "bounds, other"},
      {"u64 x, u64 n, u32 m, u32 i, u64 z",
       "cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p trap; setp.ge.u32 q, %i, %m; @q trap; mad.wide.u32 %rd2, %i, "
       "4, %x; st.global.u32 [%rd2], 1; mad.wide.u32 %rd2, %i, 4, %z; st.global.u32 [%rd2], 1;",
       "bounds, bounds"},
      {"u64 x, u32 m, s32 i", "setp.lt.s32 p, %i, 0; @p trap; mad.wide.s32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 m, s32 i", "setp.gt.s32 p, 0, %i; @p trap; mad.wide.s32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u32 m, s32 i", "setp.le.s32 p, %i, 0; @p trap; mad.wide.s32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1;",
       "other"},
      {"u64 x, u32 m, s32 i", "setp.lt.s32 p, %i, 0; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 m, s32 i",
       "setp.lt.s32 p, %i, 0; setp.ge.or.s32 q, %i, %m, p; @q trap; mad.wide.s32 %rd2, %i, 4, %x; st.global.u32 "
       "[%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u64 i, u64 j",
       "setp.gt.u64 p, %j, %i; setp.gt.or.u64 q, %i, %n, p; @q trap; shl.b64 %rd2, %i, 2; add.u64 %rd2, %rd2, %x; "
       "st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u64 i, u64 j",
       "setp.gt.u64 p, %i, %n; setp.gt.or.u64 q, %j, %i, p; @q trap; shl.b64 %rd2, %i, 2; add.u64 %rd2, %rd2, %x; "
       "st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u64 i, u64 j",
       "setp.gt.u64 p, %i, %n; setp.eq.or.u64 q, %j, 3, p; @q trap; shl.b64 %rd2, %i, 2; add.u64 %rd2, %rd2, %x; "
       "st.global.u32 [%rd2], 1;",
       "other"},
      {"u64 x, u64 n, u64 i, u64 j",
       "add.u64 %rd1, %i, %j; setp.lt.u64 p, %rd1, %i; setp.gt.or.u64 q, %rd1, %n, p; @q trap; shl.b64 %rd2, %rd1, 2; "
       "add.u64 %rd2, %rd2, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 x, u64 n, u64 i, u64 j",
       "add.u64 %rd1, %i, %j; setp.gt.u64 p, %rd1, %n; setp.lt.or.u64 q, %rd1, %j, p; @q trap; shl.b64 %rd2, %rd1, 2; "
       "add.u64 %rd2, %rd2, %x; st.global.u32 [%rd2], 1;",
       "bounds"},
      {"u64 i, u64 j", "add.u64 %rd1, %i, %j; setp.lt.u64 p, %rd1, %i; @p trap;", "overflow"},
      {"u64 i, u64 j", "add.u64 %rd1, %i, %j; setp.gt.u64 p, %j, %rd1; @p trap;", "overflow"},
      {"u64 i, u64 j, u64 m", "add.u64 %rd1, %i, %j; setp.gt.u64 p, %m, %rd1; @p trap;", "other"},
      {"u64 i, u64 j", "sub.u64 %rd1, %i, %j; setp.gt.u64 p, %rd1, %i; @p trap;", "other"},
      {"u64 i, u64 j", "mul.hi.u64 %rd1, %i, %j; setp.ne.u64 p, %rd1, 0; @p trap;", "overflow"},
      {"u64 i, u64 j", "mul.hi.s64 %rd1, %i, %j; setp.ne.s64 p, %rd1, %j; @p trap;", "overflow"},
      {"u64 i, u64 j", "mul.hi.u64 %rd1, %i, %j; setp.eq.u64 p, %rd1, 0; @p trap;", "other"},
      {"u32 a, u32 b", "setp.eq.u32 p, %b, 0; @p trap; div.u32 %r1, %a, %b; st.global.u32 [0], %r1;", "divide-by-zero"},
      {"u32 a, u32 b", "setp.eq.u32 p, %b, 0; @p trap; rem.s32 %r1, %a, %b; st.global.u32 [0], %r1;", "divide-by-zero"},
      {"u32 a, u32 b",
       "setp.eq.u32 p, %b, 0; @p trap; cvt.u64.u32 %rd1, %b; div.u64 %rd2, 77, %rd1; st.global.u64 [0], %rd2;",
       "divide-by-zero"},
      {"u32 a, u32 b", "setp.eq.u32 p, %b, 1; @p trap; div.u32 %r1, %a, %b; st.global.u32 [0], %r1;", "other"},
      {"u32 a, u32 b", "setp.ne.u32 p, %b, 0; @p trap; div.u32 %r1, %a, %b; st.global.u32 [0], %r1;", "other"},
      {"u32 a, u32 b",
       "add.u32 %r2, %b, 1; setp.eq.u32 p, %r2, 0; @p trap; div.u32 %r1, %a, %r2; st.global.u32 [0], %r1;", "other"},
      {"s32 a, s32 b",
       "setp.eq.s32 p, %b, 0; @p trap; setp.eq.s32 p, %b, -1; setp.eq.and.s32 q, %a, 0x80000000, p; @q trap; div.s32 "
       "%r1, %a, %b; st.global.u32 [0], %r1;",
       "divide-by-zero, overflow"},
      {"s64 a, s64 b",
       "setp.eq.s64 p, %b, -1; setp.eq.and.s64 q, %a, 0x8000000000000000, p; @q trap; div.s64 %rd1, %a, %b; "
       "st.global.u64 [0], %rd1;",
       "overflow"},
      {"s32 a, s32 b",
       "setp.eq.s32 p, %b, 1; setp.eq.and.s32 q, %a, 0x80000000, p; @q trap; div.s32 %r1, %a, %b; st.global.u32 [0], "
       "%r1;",
       "other"},
      {"s32 a, s32 b",
       "setp.eq.s32 p, %b, -1; setp.eq.and.s32 q, %a, 0x40000000, p; @q trap; div.s32 %r1, %a, %b; st.global.u32 [0], "
       "%r1;",
       "other"},
      {"u64 x, u32 i", "setp.eq.u64 p, %x, 0; @p trap; st.global.u32 [%x], 1;", "null"},
      {"u64 x, u32 i", "setp.eq.u64 p, %x, 8; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i", "setp.ne.u64 p, %x, 0; @!p trap; st.global.u32 [%x], 1;", "null"},
      {"u64 x, u64 n", "setp.eq.u64 p, %n, 0; @p trap; ld.global.u32 %r1, [%x];", "bounds"},
      {"u64 x, u32 n", "setp.eq.u32 p, %n, 0; @p trap; ld.global.u32 %r1, [%x];", "other"},
      {"u64 x, u32 i", "and.b64 %rd1, %x, 3; setp.ne.u64 p, %rd1, 0; @p trap; st.global.u32 [%x], 1;", "alignment"},
      {"u64 x, u32 i", "and.b64 %rd1, %x, 4095; setp.ne.u64 p, %rd1, 0; @p trap; st.global.u32 [%x], 1;", "alignment"},
      {"u64 x, u32 i", "and.b64 %rd1, %x, 8191; setp.ne.u64 p, %rd1, 0; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i", "and.b64 %rd1, %x, 5; setp.ne.u64 p, %rd1, 0; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i", "and.b64 %rd1, %x, 3; setp.eq.u64 p, %rd1, 0; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i",
       "mad.wide.u32 %rd2, %i, 4, %x; and.b64 %rd1, %rd2, 7; setp.ne.u64 p, %rd1, 0; @p trap; st.global.u32 [%rd2], 1;",
       "alignment"},
      {"u64 x, u32 i", "and.b32 %r1, %i, 7; setp.ne.u32 p, %r1, 0; @p trap; st.global.u32 [%x], 1;", "other"},
      {"u64 x, u32 i",
       "mul.wide.u32 %rd2, %i, 4; and.b64 %rd1, %rd2, 7; setp.ne.u64 p, %rd1, 0; @p trap; st.global.u32 [%x], 1;",
       "other"},
      {"u32 a, u32 b", "setp.gt.u32 p, %b, 31; @p trap; shl.b32 %r1, %a, %b; st.global.u32 [0], %r1;", "overflow"},
      {"u32 a, u32 b", "setp.ge.u32 p, %b, 32; @p trap; shr.u32 %r1, %a, %b; st.global.u32 [0], %r1;", "overflow"},
      {"u32 a, u32 b, u32 c", "setp.gt.u32 p, %b, %c; @p trap; shl.b32 %r1, %a, %b; st.global.u32 [0], %r1;", "other"},
      {"u32 a, u32 b", "setp.eq.u32 p, %a, 1; setp.eq.and.u32 q, %b, 2, p; @q trap;", "other"},
      {"f32 a, u32 b", "setp.lt.f32 p, %a, 0f00000000; @p trap;", "other"},
      {"u64 x, u64 n", "trap; st.global.u32 [%x], 1;", "unconditional"},
      {"u64 x, u64 n", ".reg .pred u; @u trap; st.global.u32 [%x], 1;", "unknown"},
      {"u64 x, u64 n", ".reg .pred u; setp.eq.u64 p, %x, 0; or.pred u, u, p; @u trap; st.global.u32 [%x], 1;",
       "unknown"},
      {"u64 x, u64 n", "mov.u32 %r1, 5; setp.eq.u32 p, %r1, 5; @p trap; st.global.u32 [%x], 1;", "unconditional"},
      {"u64 x, u64 n", "mov.u32 %r1, 5; setp.eq.u32 p, %r1, 6; @p trap; st.global.u32 [%x], 1;", "other (never)"},
      {"u64 x, u32 m, u32 i",
       "setp.ge.u32 p, %i, %m; @p bra BAD; mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1; ret; BAD: trap;",
       "bounds"},
      {"u64 x, u32 m, u32 i",
       "setp.ge.u32 p, %i, %m; @p bra BAD; st.global.u32 [%x], 1; ret; BAD: mad.wide.u32 %rd2, %i, 4, %x; "
       "st.global.u32 [%rd2], 1; trap;",
       "bounds"},
      {"u64 x, u32 m, u32 i", "mad.wide.u32 %rd2, %i, 4, %x; st.global.u32 [%rd2], 1; setp.ge.u32 p, %i, %m; @p trap; ",
       "bounds"},
      {"u64 x, u64 n, u32 i",
       "setp.eq.u64 p, %x, 0; @p bra BAD; cvt.u64.u32 %rd1, %i; setp.ge.u64 p, %rd1, %n; @p bra BAD; mad.wide.u32 "
       "%rd2, %i, 4, %x; st.global.u32 [%rd2], 1; ret; BAD: trap;",
       "other"},
      {"align 8 .b8 s[16], u32 i",
       "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+8]; cvt.u64.u32 %rd3, %i; setp.ge.u64 p, %rd3, %rd2; @p trap; "
       "mad.wide.u32 %rd4, %i, 4, %rd1; st.global.u32 [%rd4], 1;",
       "bounds"},
      {"align 8 .b8 s[24], u32 i",
       "ld.param.u64 %rd1, [s]; ld.param.u64 %rd2, [s+8]; ld.param.u32 %r5, [s+16]; cvt.u64.u32 %rd3, %i; setp.ge.u64 "
       "p, %rd3, %rd2; @p trap; setp.ge.u32 p, %i, %r5; @p trap; setp.eq.u64 q, %rd1, 0; @q trap; mad.wide.u32 %rd4, "
       "%i, 4, %rd1; st.global.u32 [%rd4], 1;",
       "bounds, other, null"},
  };
  for (const Row& row : rows) {
    INFO(row.parameters << " | " << row.body);
    CHECK(checks(explained(kernel(row.parameters, row.body))) == row.told);
  }
}

// Functions are explained in runs of some ten thousand statements, each with expressions of its own, and put together.
TEST_CASE("traps of a module that is explained in pieces") {
  std::string text;
  for (unsigned f = 0; f < 3; ++f) {
    std::string body = "mov.u32 %r1, %tid.x;\n";
    for (unsigned i = 0; i < 12000; ++i) body += "add.u32 %r2, %r1, %n;\n";
    body += "setp.ge.u32 p, %r1, %n;\nsetp.eq.u32 r, %n, 9;\n@r bra L;\n@p trap;\nL: mul.wide.u32 %rd1, %r1, 4;\n";
    std::string one = kernel("u32 n, u64 x", body + "add.u64 %rd1, %rd1, %x; st.global.u32 [%rd1], 1;");
    text += one.replace(one.find(" k("), 3, " k" + std::to_string(f) + "(");
  }
  const ptxscope::Module module =
      ptxscope::parse(".version 8.3\n.target sm_90\n.address_size 64\n" + text, "large.ptx");
  for (const unsigned jobs : {1U, 3U}) {
    ptxscope::analysis::TrapOptions options;
    options.jobs = jobs;
    const auto report = explain_traps(module, options);
    REQUIRE(report.functions.size() == 3);
    const auto& pool = *report.pool;
    for (const auto& function : report.functions) {
      REQUIRE(function.traps.size() == 1);
      const auto& way = function.traps[0].ways.at(0);
      using ptxscope::analysis::ExprOp;
      CHECK(pool[way.condition].op == ExprOp::ge_u);
      CHECK(pool.special_name(pool.kid(way.condition, 0)) == "tid.x");
      CHECK(pool[pool.kid(way.condition, 1)].op == ExprOp::parameter);
      REQUIRE(way.after.size() == 1);
      CHECK(pool[way.after[0]].op == ExprOp::ne);
      REQUIRE(pool[way.path].op == ExprOp::and_);
      CHECK(pool.kid(way.path, 0) == way.after[0]);
      CHECK(pool.kid(way.path, 1) == way.condition);
    }
    CHECK(pool.size() < 100);  // not the 12,000 sums of each
  }
}

TEST_CASE("more call paths than are followed are given up on, honestly") {
  const auto chain = [](unsigned levels) {
    std::string text = ".func f0(.reg .b32 x) { .reg .pred p; setp.eq.u32 p, x, 3; @p trap; ret; }\n";
    for (unsigned i = 1; i <= levels; ++i) {
      const std::string call = "call f" + std::to_string(i - 1) + ", (x); ";
      text += ".func f" + std::to_string(i) + "(.reg .b32 x) { " + call + "add.u32 x, x, 1; " + call + "ret; }\n";
    }
    return explained(text + kernel("u32 n", "call f" + std::to_string(levels) + ", (%n);"));
  };
  const auto few = chain(3);
  CHECK(few.functions.back().complete);
  REQUIRE(few.functions.back().traps.size() == 1);
  CHECK(few.functions.back().traps[0].ways.size() == 8);
  const auto many = chain(14);
  CHECK_FALSE(many.functions.back().complete);
  REQUIRE_FALSE(many.functions.back().notes.empty());
  CHECK(many.functions.back().notes.back() == "gave up: more call paths or ways into one trap than are followed");
}
