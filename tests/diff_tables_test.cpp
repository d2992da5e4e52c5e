// diff by tables: one change to a module, and pairs of bodies, with all that is told of them.
#include "tests/diff_text.h"

using namespace ptxscope::analysis::testing;

namespace {

struct Row {
  std::string from;
  std::string to;
  std::string told;
};

const std::string module_text = R"(.version 8.0
.target sm_80
.address_size 64

.global .align 4 .b32 counter;
.global .align 4 .b32 other;
.global .align 8 .b64 pointers[2] = {generic(counter), generic(other)};
.const .align 4 .f32 factors[3] = {0f3F800000, 0f40000000, 0f40400000};
.global .align 1 .b8 message[4] = {104, 105, 33, 0};
.extern .shared .align 16 .b8 dynamic[];
.extern .func (.param .b32 r) ask(.param .b64 x, .param .b32 y);

.func (.reg .b32 r) twice(.reg .b32 x)
{
  shl.b32 r, x, 1;
  ret;
}

.func unused()
{
  ret;
}

.visible .entry work(.param .u64 p, .param .u32 n, .param .align 8 .b8 s[16])
.maxntid 256, 1, 1
{
  .reg .pred %p<6>;
  .reg .b16 %h<4>;
  .reg .b32 %r<20>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<9>;
  .shared .align 4 .b32 tile[32];
  .shared .align 4 .b32 flags[32];
  .local .align 8 .b8 depot[16];
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.param.u64 %rd4, [s+8];
  mov.u32 %r2, %tid.x;
  mov.u64 %rd3, pointers;
  mad.wide.u32 %rd2, %r2, 8, %rd1;
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra OUT;
LOOP:
  ld.global.v2.f32 {%f1, %f2}, [%rd2+16];
  fma.rn.f32 %f3, %f1, %f2, 0f3F800000;
  setp.gt.and.f32 %p2|%p3, %f3, 0f00000000, !%p1;
  @%p2 add.u32 %r3, %r2, 4;
  cvt.u16.u32 %h1, %r3;
  shl.b16 %h2, %h1, 3;
  st.global.u16 [%rd1], %h2;
  {
    .reg .b32 %t;
    .param .b64 x;
    .param .b32 y;
    .param .b32 r;
    mov.b32 %t, %f3;
    st.param.b64 [x], %rd2;
    st.param.b32 [y], %t;
    call (r), ask, (x, y);
    ld.param.b32 %r4, [r];
  }
  call.uni (%r5), twice, (%r4);
  and.b32 %r6, %r5, 3;
CASES: .branchtargets ZERO, ONE, OUT;
  brx.idx %r6, CASES;
ZERO:
  st.shared.u32 [tile+4], %r5;
  bar.sync 0;
  ld.shared.u32 %r7, [flags];
  bra NEXT;
ONE:
  atom.global.add.u32 %r7, [counter], 1;
  ld.const.f32 %f4, [factors+8];
  st.local.u64 [depot+8], %rd4;
NEXT:
  xor.b32 %r2, %r7, %r6;
  setp.lt.s32 %p4, %r2, 100;
  @%p4 bra LOOP;
OUT:
  ret;
  trap;
}
)";

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
    ++count;
  }
  REQUIRE(count > 0);
  return text;
}

std::string body(const std::string& statements) {
  return R"(.version 8.0
.target sm_80
.address_size 64
.extern .func (.reg .b32 r) g(.reg .b32 x);
.visible .entry f(.param .u64 p, .param .u32 n)
{
.reg .pred %p<9>;
.reg .b32 %r<20>;
.reg .b64 %rd<9>;
)" + statements +
         "\n}\n";
}

}  // namespace

TEST_CASE("one thing replaced in a module, and what is told of it") {
  const std::initializer_list<Row> rows = {
      {"fma.rn.f32", "fma.rz.f32",
       "changed work => work / [op]fma.rn.f32 %f3, %f1, %f2, 0f3F800000; => fma.rz.f32 %f3, %f1, %f2, 0f3F800000;"},
      {"0f3F800000;", "0f3F800001;",
       "changed work => work / [8]fma.rn.f32 %f3, %f1, %f2, 0f3F800000; => fma.rn.f32 %f3, %f1, %f2, 0f3F800001;"},
      {"%f1, %f2, 0f3F", "%f2, %f1, 0f3F",
       "changed work => work / [6]fma.rn.f32 %f3, %f1, %f2, 0f3F800000; => fma.rn.f32 %f3, %f2, %f1, 0f3F800000;"},
      {"{%f1, %f2}, [", "{%f2, %f1}, [",
       "changed work => work / [1]ld.global.v2.f32 {%f1, %f2}, [%rd2+16]; => ld.global.v2.f32 {%f2, %f1}, [%rd2+16];"},
      {"[%rd2+16]", "[%rd2+24]",
       "changed work => work / [2]ld.global.v2.f32 {%f1, %f2}, [%rd2+16]; => ld.global.v2.f32 {%f1, %f2}, [%rd2+24];"},
      {"[%rd2+16]", "[%rd2]",
       "changed work => work / [2]ld.global.v2.f32 {%f1, %f2}, [%rd2+16]; => ld.global.v2.f32 {%f1, %f2}, [%rd2];"},
      {"[%rd2+16]", "[%rd1+16]",
       "changed work => work / [2]ld.global.v2.f32 {%f1, %f2}, [%rd2+16]; => ld.global.v2.f32 {%f1, %f2}, [%rd1+16];"},
      {"setp.gt.and.f32", "setp.gt.or.f32",
       "changed work => work / [op]setp.gt.and.f32 %p2|%p3, %f3, 0f00000000, !%p1; => setp.gt.or.f32 %p2|%p3, %f3, "
       "0f00000000, !%p1;"},
      {"%p2|%p3", "%p3|%p2",
       "changed work => work / [1]setp.gt.and.f32 %p2|%p3, %f3, 0f00000000, !%p1; => setp.gt.and.f32 %p3|%p2, %f3, "
       "0f00000000, !%p1;"},
      {"%p2|%p3", "%p2",
       "changed work => work / [1]setp.gt.and.f32 %p2|%p3, %f3, 0f00000000, !%p1; => setp.gt.and.f32 %p2, %f3, "
       "0f00000000, !%p1;"},
      {", !%p1;", ", %p1;",
       "changed work => work / [8]setp.gt.and.f32 %p2|%p3, %f3, 0f00000000, !%p1; => setp.gt.and.f32 %p2|%p3, %f3, "
       "0f00000000, %p1;"},
      {"@%p2 add", "@!%p2 add",
       "changed work => work / [guard]@%p2 add.u32 %r3, %r2, 4; => @!%p2 add.u32 %r3, %r2, 4;"},
      {"@%p2 add", "@%p3 add", "changed work => work / [guard]@%p2 add.u32 %r3, %r2, 4; => @%p3 add.u32 %r3, %r2, 4;"},
      {"@%p2 add", "add",
       "changed work => work / [guard]@%p2 add.u32 %r3, %r2, 4; => add.u32 %r3, %r2, 4; / live 10 => 9"},
      {"%r2, 4;", "%r2, 5;", "changed work => work / [4]@%p2 add.u32 %r3, %r2, 4; => @%p2 add.u32 %r3, %r2, 5;"},
      {"%r2, 4;", "%r1, 4;",
       "changed work => work / [2]@%p2 add.u32 %r3, %r2, 4; => @%p2 add.u32 %r3, %r1, 4; / live 10 => 11"},
      {"%r3, %r2, 4", "%r8, %r2, 4",
       "changed work => work / [1]@%p2 add.u32 %r3, %r2, 4; => @%p2 add.u32 %r8, %r2, 4;"},
      {"%tid.x", "%tid.y", "changed work => work / [2]mov.u32 %r2, %tid.x; => mov.u32 %r2, %tid.y;"},
      {"%tid.x", "%ntid.x", "changed work => work / [2]mov.u32 %r2, %tid.x; => mov.u32 %r2, %ntid.x;"},
      {"mov.u64 %rd3, pointers;", "mov.u64 %rd3, counter;",
       "changed work => work / [2]mov.u64 %rd3, pointers; => mov.u64 %rd3, counter;"},
      {"mov.u64 %rd3, pointers;", "mov.b64 %rd3, pointers;", "same code / 1 respelled"},
      {"mov.u64 %rd3, pointers;", "mov.u64 %rd3, pointers+8;",
       "changed work => work / [2]mov.u64 %rd3, pointers; => mov.u64 %rd3, pointers+8;"},
      {"[s+8]", "[s]", "changed work => work / [2]ld.param.u64 %rd4, [s+8]; => ld.param.u64 %rd4, [s];"},
      {"ld.param.u64 %rd4", "ld.param.b64 %rd4", "same code / 1 respelled"},
      {"ld.param.u64 %rd4", "ld.param.s64 %rd4", "same code / 1 respelled"},
      {"ld.param.u32 %r1, [n]", "ld.param.s32 %r1, [n]", "same code / 1 respelled"},
      {"st.global.u16", "st.global.b16", "same code / 1 respelled"},
      {"st.global.u16", "st.global.u8",
       "changed work => work / [op]st.global.u16 [%rd1], %h2; => st.global.u8 [%rd1], %h2;"},
      {"shl.b16", "shl.b32", "changed work => work / [op]shl.b16 %h2, %h1, 3; => shl.b32 %h2, %h1, 3;"},
      {"setp.lt.s32", "setp.lt.u32",
       "changed work => work / [op]setp.lt.s32 %p4, %r2, 100; => setp.lt.u32 %p4, %r2, 100;"},
      {"mad.wide.u32", "mad.wide.s32",
       "changed work => work / [op]mad.wide.u32 %rd2, %r2, 8, %rd1; => mad.wide.s32 %rd2, %r2, 8, %rd1;"},
      {"  mov.b32 %t, %f3;\n", "", "changed work => work / -mov.b32 %t, %f3; / live 10 => 11"},
      {"mov.b32 %t, %f3;", "mov.b32 %t, 5;", "changed work => work / [2]mov.b32 %t, %f3; => mov.b32 %t, 5;"},
      {"ask, (x, y)", "ask, (x, x)", "changed work => work / [4]call (r), ask, (x, y); => call (r), ask, (x, x);"},
      {"st.param.b32 [y], %t", "st.param.b32 [y], %r2",
       "changed work => work / [2]st.param.b32 [y], %t; => st.param.b32 [y], %r2;"},
      {"call (r), ask, (x, y)", "call.uni (r), ask, (x, y)",
       "changed work => work / [op]call (r), ask, (x, y); => call.uni (r), ask, (x, y);"},
      {"(%r5), twice", "(%r8), twice",
       "changed work => work / [1]call.uni (%r5), twice, (%r4); => call.uni (%r8), twice, (%r4); / live 10 => 11"},
      {"twice, (%r4)", "twice, (%r3)",
       "changed work => work / [4]call.uni (%r5), twice, (%r4); => call.uni (%r5), twice, (%r3);"},
      {".branchtargets ZERO, ONE, OUT", ".branchtargets ONE, ZERO, OUT",
       "changed work => work / .branchtargets ZERO, ONE, OUT; => .branchtargets ONE, ZERO, OUT;"},
      {".branchtargets ZERO, ONE, OUT", ".branchtargets ZERO, ONE",
       "changed work => work / -.branchtargets ZERO, ONE, OUT; / +.branchtargets ZERO, ONE;"},
      {".branchtargets ZERO, ONE, OUT", ".branchtargets ZERO, ONE, ONE",
       "changed work => work / .branchtargets ZERO, ONE, OUT; => .branchtargets ZERO, ONE, ONE;"},
      {"brx.idx %r6", "brx.idx %r5", "changed work => work / [1]brx.idx %r6, CASES; => brx.idx %r5, CASES;"},
      {"[tile+4]", "[flags+4]",
       "changed work => work / [1]st.shared.u32 [tile+4], %r5; => st.shared.u32 [flags+4], %r5;"},
      {"[tile+4]", "[tile+8]",
       "changed work => work / [1]st.shared.u32 [tile+4], %r5; => st.shared.u32 [tile+8], %r5;"},
      {"bar.sync 0;", "bar.sync 1;", "changed work => work / [1]bar.sync 0; => bar.sync 1;"},
      {"  bar.sync 0;\n", "", "changed work => work / -bar.sync 0;"},
      {"  bar.sync 0;\n", "  bar.sync 0;\n  bar.sync 0;\n", "changed work => work / +bar.sync 0;"},
      {"  bra NEXT;\n", "", "changed work => work / -bra NEXT;"},
      {"  bra NEXT;\n", "  bra OUT;\n", "changed work => work / [1]bra NEXT; => bra OUT;"},
      {"atom.global.add", "atom.global.max",
       "changed work => work / [op]atom.global.add.u32 %r7, [counter], 1; => atom.global.max.u32 %r7, [counter], 1;"},
      {"[counter], 1", "[other], 1",
       "changed work => work / [2]atom.global.add.u32 %r7, [counter], 1; => atom.global.add.u32 %r7, [other], 1;"},
      {"[factors+8]", "[factors+4]",
       "changed work => work / [2]ld.const.f32 %f4, [factors+8]; => ld.const.f32 %f4, [factors+4];"},
      {"[depot+8]", "[depot]",
       "changed work => work / [1]st.local.u64 [depot+8], %rd4; => st.local.u64 [depot], %rd4;"},
      {"  ld.const.f32 %f4, [factors+8];\n", "", "changed work => work / -ld.const.f32 %f4, [factors+8];"},
      {"@%p4 bra LOOP;", "@!%p4 bra LOOP;", "changed work => work / [guard]@%p4 bra LOOP; => @!%p4 bra LOOP;"},
      {"@%p4 bra LOOP;", "bra LOOP;", "changed work => work / -@%p4 bra LOOP; / [jump]+bra LOOP;"},
      {"@%p4 bra LOOP;\n", "", "changed work => work / -@%p4 bra LOOP;"},
      {"@%p1 bra OUT;", "@%p1 ret;", "changed work => work / -@%p1 bra OUT; / +@%p1 ret;"},
      {"@%p1 bra OUT;", "@%p1 bra NEXT;", "changed work => work / [1]@%p1 bra OUT; => @%p1 bra NEXT; / live 10 => 11"},
      {"  trap;\n}", "}", "same code / [unreachable]-trap;"},
      {"  trap;\n}", "  trap;\n  exit;\n}", "same code / [unreachable]+exit;"},
      {"  ret;\n  trap;\n}", "  exit;\n  trap;\n}", "changed work => work / [op]ret; => exit;"},
      {"  ret;\n  trap;\n}", "  trap;\n}", "changed work => work / -ret;"},
      {"xor.b32 %r2, %r7, %r6;", "xor.b32 %r2, %r6, %r7;",
       "changed work => work / [6]xor.b32 %r2, %r7, %r6; => xor.b32 %r2, %r6, %r7;"},
      {"xor.b32 %r2, %r7, %r6;", "or.b32 %r2, %r7, %r6;",
       "changed work => work / [op]xor.b32 %r2, %r7, %r6; => or.b32 %r2, %r7, %r6;"},
      {"xor.b32 %r2, %r7, %r6;\n", "xor.b32 %r2, %r7, %r6;\n  .pragma \"nounroll\";\n",
       "changed work => work / +.pragma \"nounroll\";"},
      {"LOOP", "AGAIN", "same code, strictly / labels LOOP>AGAIN"},
      {"NEXT", "$L_next", "same code, strictly / labels NEXT>$L_next"},
      {"%r7", "%r17", "same code, strictly / registers %r7>%r17"},
      {"%rd2", "%rd7", "same code, strictly / registers %rd2>%rd7"},
      {"%h1", "%h3", "same code, strictly / registers %h1>%h3"},
      {"tile", "plate", "same code, strictly / locals tile>plate"},
      {"depot", "__local_depot0", "same code, strictly / locals depot>__local_depot0"},
      {".shared .align 4 .b32 tile[32]", ".shared .align 4 .b32 tile[64]",
       "changed work => work / [declaration].shared .align 4 .b32 tile[32]; => .shared .align 4 .b32 tile[64];"},
      {".shared .align 4 .b32 tile[32]", ".shared .align 16 .b32 tile[32]",
       "changed work => work / [declaration].shared .align 4 .b32 tile[32]; => .shared .align 16 .b32 tile[32];"},
      {".shared .align 4 .b32 tile[32]", ".shared .align 4 .f32 tile[32]",
       "changed work => work / [declaration].shared .align 4 .b32 tile[32]; => .shared .align 4 .f32 tile[32];"},
      {".local .align 8 .b8 depot[16];", ".local .align 8 .b8 depot[32];",
       "changed work => work / [declaration].local .align 8 .b8 depot[16]; => .local .align 8 .b8 depot[32];"},
      {".reg .b32 %r<20>", ".reg .b32 %r<40>", "same code, strictly"},
      {".reg .b32 %r<20>", ".reg .u32 %r<20>", "same code, strictly"},
      {".reg .f32 %f<8>", ".reg .b32 %f<8>", "same code, strictly"},
      {".maxntid 256, 1, 1", ".maxntid 128, 1, 1",
       "changed work => work / [directive].maxntid 256, 1, 1 => .maxntid 128, 1, 1"},
      {".maxntid 256, 1, 1\n", "", "changed work => work / [directive]-.maxntid 256, 1, 1"},
      {".maxntid 256, 1, 1\n", ".maxntid 256, 1, 1\n.minnctapersm 2\n",
       "changed work => work / [directive]+.minnctapersm 2"},
      {".param .u32 n,", ".param .s32 n,", "changed work => work / [signature].param .u32 n => .param .s32 n"},
      {".param .u32 n,", ".param .u64 n,", "changed work => work / [signature].param .u32 n => .param .u64 n"},
      {".param .align 8 .b8 s[16]", ".param .align 16 .b8 s[16]",
       "changed work => work / [signature].param .align 8 .b8 s[16] => .param .align 16 .b8 s[16]"},
      {".param .align 8 .b8 s[16]", ".param .align 8 .b8 s[24]",
       "changed work => work / [signature].param .align 8 .b8 s[16] => .param .align 8 .b8 s[24]"},
      {".visible .entry work", ".entry work", "changed work => work / [signature].visible .entry work => .entry work"},
      {".visible .entry work", ".visible .entry labour", "same code / renamed work => labour by likeness same code"},
      {".global .align 4 .b32 other;", ".global .align 4 .b32 other = 5;", "changed other => other"},
      {".global .align 4 .b32 other;", ".visible .global .align 4 .b32 other;", "changed other => other"},
      {".global .align 4 .b32 other;", ".global .align 8 .b32 other;", "changed other => other"},
      {".global .align 4 .b32 other;\n", ".global .align 4 .b32 other;\n.global .b8 more;\n", "added  => more"},
      {"counter", "total",
       "added  => total / changed pointers => pointers / removed counter =>  / changed work => work / "
       "[2]atom.global.add.u32 %r7, [counter], 1; => atom.global.add.u32 %r7, [total], 1;"},
      {"generic(counter), generic(other)", "generic(other), generic(counter)", "changed pointers => pointers"},
      {"generic(other)}", "generic(other)+4}", "changed pointers => pointers"},
      {"0f40400000}", "0f40400001}", "changed factors => factors"},
      {", 33, 0}", ", 34, 0}", "changed message => message"},
      {"message[4]", "text[4]", "same code / renamed[unused] message => text"},
      {".global .align 1 .b8 message[4] = {104, 105, 33, 0};\n", "", "removed message => "},
      {".extern .shared .align 16 .b8 dynamic[];\n", "", "same code / removed[unused] dynamic => "},
      {".extern .func (.param .b32 r) ask(.param .b64 x, .param .b32 y);",
       ".extern .func (.param .b32 r) ask(.param .b64 a, .param .b32 b);", "same code, strictly"},
      {".extern .func (.param .b32 r) ask(.param .b64 x, .param .b32 y);",
       ".extern .func (.param .b32 r) ask(.param .b64 x, .param .b64 y);", "changed ask => ask"},
      {".func unused()", ".func idle()", "same code / renamed unused => idle by likeness same code"},
      {".func unused()\n{\n  ret;\n}\n", "", "removed unused => "},
      {".func unused()\n{\n  ret;\n}\n", ".func unused()\n{\n  trap;\n}\n",
       "changed unused => unused / [op]ret; => trap;"},
      {"shl.b32 r, x, 1;", "shl.b32 r, x, 2;", "changed twice => twice / [4]shl.b32 r, x, 1; => shl.b32 r, x, 2;"},
      {"shl.b32 r, x, 1;", "add.u32 r, x, x;", "changed twice => twice / -shl.b32 r, x, 1; / +add.u32 r, x, x;"},
      {".version 8.0", ".version 8.1", "same code / version 8.0 => 8.1"},
      {".target sm_80", ".target sm_90", "same code / target sm_80 => sm_90"},
      {".target sm_80", ".target sm_80, debug", "same code / target sm_80 => sm_80, debug"},
      {".address_size 64\n", "", "same code / address_size 64 => 32"},
      {"mov.u32 %r2, %tid.x;\n  mov.u64 %rd3, pointers;", "mov.u64 %rd3, pointers;\n  mov.u32 %r2, %tid.x;",
       "changed work => work / -mov.u32 %r2, %tid.x; / +mov.u32 %r2, %tid.x;"},
      {"  cvt.u16.u32 %h1, %r3;\n  shl.b16 %h2, %h1, 3;\n", "\n",
       "changed work => work / -cvt.u16.u32 %h1, %r3; / -shl.b16 %h2, %h1, 3;"},
      {"%r1", "%r2",
       "changed work => work / [4]setp.ge.u32 %p1, %r2, %r1; => setp.ge.u32 %p1, %r2, %r2; / registers %r1>%r2"},
      {"%p1", "%p3",
       "changed work => work / [1]setp.gt.and.f32 %p2|%p3, %f3, 0f00000000, !%p1; => setp.gt.and.f32 %p2|%p3, %f3, "
       "0f00000000, !%p3; / registers %p1>%p3"},
      {"bra LOOP", "bra NEXT", "changed work => work / [1]@%p4 bra LOOP; => @%p4 bra NEXT;"},
      {"[x], %rd2", "[x+4], %rd2", "changed work => work / [1]st.param.b64 [x], %rd2; => st.param.b64 [x+4], %rd2;"},
      {"{generic(counter), generic(other)}", "{generic(counter)}", "changed pointers => pointers"},
      {"    ld.param.b32 %r4, [r];\n", "", "changed work => work / -ld.param.b32 %r4, [r]; / live 10 => 11"},
      {"  .reg .f32 %f<8>;\n", "  .reg .f32 %f<5>;\n", "same code, strictly"},
      {".func (.reg .b32 r) twice", ".pragma \"nounroll\";\n.func (.reg .b32 r) twice", "added  => "},
      {".func (.reg .b32 r) twice", ".shared .align 4 .b32 mine[4];\n.func (.reg .b32 r) twice",
       "same code / added[unused]  => mine"},
      {".func (.reg .b32 r) twice", ".extern .global .b32 theirs;\n.func (.reg .b32 r) twice",
       "same code / added[unused]  => theirs"},
      {".func (.reg .b32 r) twice", ".extern .func more(.param .b64 x);\n.func (.reg .b32 r) twice",
       "same code / added[unused]  => more"},
      {".func (.reg .b32 r) twice", ".extern .global .b32 theirs; // theirs\n.func (.reg .b32 r) twice",
       "added  => theirs"},
      {".maxntid 256, 1, 1\n", ".maxntid 256, 1, 1\n.noreturn\n", "changed work => work / [directive]+.noreturn"},
      {".maxntid 256, 1, 1", ".maxntid 256,1,1", "same code, strictly"},
      {".maxntid 256, 1, 1", ".reqntid 256, 1, 1",
       "changed work => work / [directive]-.maxntid 256, 1, 1 / [directive]+.reqntid 256, 1, 1"},
      {".visible .entry work", ".weak .entry work",
       "changed work => work / [signature].visible .entry work => .weak .entry work"},
  };
  for (const Row& row : rows) {
    INFO(row.from << " => " << row.to);
    CHECK(DiffText(module_text, replaced(module_text, row.from, row.to)).all() == row.told);
  }
}

TEST_CASE("pairs of bodies") {
  const std::initializer_list<Row> rows = {
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;", "mov.u32 %r2, 1; st.global.u32 [%rd1], %r2; ret;",
       "same code, strictly / registers %r1>%r2"},
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;", "mov.u32 %r2, 1; st.global.u32 [%rd1], %r1; ret;",
       "changed f => f / [1]mov.u32 %r1, 1; => mov.u32 %r2, 1; / live 3 => 4"},
      {"mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;",
       "mov.u32 %r2, 1; mov.u32 %r1, 2; add.u32 %r3, %r2, %r1; st.global.u32 [%rd1], %r3; ret;",
       "same code, strictly / registers %r1>%r2,%r2>%r1"},
      {"mov.u32 %r1, 1; mov.u32 %r2, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;",
       "mov.u32 %r2, 1; mov.u32 %r1, 2; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3; ret;",
       "changed f => f / [6]add.u32 %r3, %r1, %r2; => add.u32 %r3, %r1, %r2; / registers %r1>%r2,%r2>%r1"},
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; mov.u32 %r2, 2; st.global.u32 [%rd1], %r2; ret;",
       "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; mov.u32 %r1, 2; st.global.u32 [%rd1], %r1; ret;",
       "same code, strictly / registers %r2>%r1"},
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; mov.u32 %r2, 2; st.global.u32 [%rd1], %r1; ret;",
       "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; mov.u32 %r1, 2; st.global.u32 [%rd1], %r1; ret;",
       "changed f => f / [1]mov.u32 %r2, 2; => mov.u32 %r1, 2; / live 4 => 3"},
      {"@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: st.global.u32 [%rd1], %r1; ret;",
       "@!%p1 bra A; mov.u32 %r1, 2; bra B; A: mov.u32 %r1, 1; B: st.global.u32 [%rd1], %r1; ret;",
       "same code / [jump]-bra B; / [jump]+bra B; / moved 1: mov.u32 %r1, 1; … mov.u32 %r1, 1; to mov.u32 %r1, 1; … "
       "mov.u32 %r1, 1;"},
      {"@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: st.global.u32 [%rd1], %r1; ret;",
       "@%p1 bra A; mov.u32 %r1, 2; bra B; A: mov.u32 %r1, 1; B: st.global.u32 [%rd1], %r1; ret;",
       "changed f => f / [1]@%p1 bra A; => @%p1 bra A; / -mov.u32 %r1, 1; / [jump]-bra B; / [jump]+bra B; / +mov.u32 "
       "%r1, 1;"},
      {"@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: st.global.u32 [%rd1], %r1; ret;",
       "@!%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: st.global.u32 [%rd1], %r1; ret;",
       "changed f => f / [guard]@%p1 bra A; => @!%p1 bra A;"},
      {"@%p1 bra A; mov.u32 %r1, 1; bra B; A: mov.u32 %r1, 2; B: st.global.u32 [%rd1], %r1; ret;",
       "@%p1 bra A; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret; A: mov.u32 %r1, 2; st.global.u32 [%rd1], %r1; ret;",
       "changed f => f / [jump]-bra B; / +st.global.u32 [%rd1], %r1; / +ret;"},
      {"@%p1 bra A; trap; A: st.global.u32 [%rd1], 1; ret;", "@!%p1 bra A; st.global.u32 [%rd1], 1; ret; A: trap;",
       "same code, strictly / moved 1: trap; … trap; to trap; … trap;"},
      {"@%p1 bra A; trap; A: st.global.u32 [%rd1], 1; ret;", "@!%p1 bra A; st.global.u32 [%rd1], 2; ret; A: trap;",
       "changed f => f / [2]st.global.u32 [%rd1], 1; => st.global.u32 [%rd1], 2; / moved 1: trap; … trap; to trap; … "
       "trap;"},
      {"@%p1 bra A; trap; A: st.global.u32 [%rd1], 1; ret;", "@!%p1 trap; st.global.u32 [%rd1], 1; ret;",
       "changed f => f / -@%p1 bra A; / [guard]trap; => @!%p1 trap;"},
      {"@%p1 bra A; bra B; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;",
       "@%p1 bra A; st.global.u32 [%rd1], 2; ret; A: st.global.u32 [%rd1], 1; ret;",
       "same code / [jump]-bra B; / moved 2: st.global.u32 [%rd1], 1; … ret; to st.global.u32 [%rd1], 1; … ret;"},
      {"@%p1 bra A; bra B; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;",
       "@!%p1 bra B; st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;", "same code / [jump]-bra B;"},
      {"bra B; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; bra A;",
       "st.global.u32 [%rd1], 2; st.global.u32 [%rd1], 1; ret;",
       "same code / [jump]-bra B; / [jump]-bra A; / moved 1: st.global.u32 [%rd1], 2; … st.global.u32 [%rd1], 2; to "
       "st.global.u32 [%rd1], 2; … st.global.u32 [%rd1], 2;"},
      {"bra B; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; bra A;",
       "st.global.u32 [%rd1], 1; st.global.u32 [%rd1], 2; ret;",
       "changed f => f / -bra B; / -ret; / [jump]-bra A; / +ret;"},
      {"L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;",
       "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @!%p1 bra M; bra L; M: ret;", "same code / [jump]+bra L;"},
      {"L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;",
       "bra T; L: add.u32 %r1, %r1, 1; T: setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;", "changed f => f / +bra T;"},
      {"L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;",
       "add.u32 %r1, %r1, 1; L: setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;",
       "changed f => f / [1]@%p1 bra L; => @%p1 bra L;"},
      {"L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; ret;",
       "L: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 9; @%p1 bra L; bra L; ret;", "changed f => f / +bra L;"},
      {"ret; st.global.u32 [%rd1], 1;", "ret;", "same code / [unreachable]-st.global.u32 [%rd1], 1;"},
      {"ret; st.global.u32 [%rd1], 1;", "ret; st.global.u32 [%rd1], 2;",
       "same code / [unreachable][2]st.global.u32 [%rd1], 1; => st.global.u32 [%rd1], 2;"},
      {"bra E; st.global.u32 [%rd1], 1; E: ret;", "ret;",
       "same code / [jump]-bra E; / [unreachable]-st.global.u32 [%rd1], 1;"},
      {"bra E; st.global.u32 [%rd1], 1; E: ret;", "st.global.u32 [%rd1], 1; E: ret;",
       "changed f => f / -bra E; / live 0 => 2"},
      {"exit;", "ret;", "changed f => f / [op]exit; => ret;"},
      {"@%p1 exit; ret;", "@%p1 exit;", "changed f => f / -ret;"},
      {"@%p1 exit; ret;", "ret;", "changed f => f / -@%p1 exit;"},
      {"bar.sync 0; bar.sync 1; bar.sync 2;", "bar.sync 2; bar.sync 0; bar.sync 1;",
       "changed f => f / +bar.sync 2; / -bar.sync 2;"},
      {"bar.sync 0; bar.sync 1; bar.sync 2; bar.sync 3;", "bar.sync 0; bar.sync 2; bar.sync 3;",
       "changed f => f / -bar.sync 1;"},
      {"bar.sync 0; bar.sync 1; bar.sync 2; bar.sync 3;", "bar.sync 0; bar.sync 9; bar.sync 2; bar.sync 3;",
       "changed f => f / [1]bar.sync 1; => bar.sync 9;"},
      {"bar.sync 0; bar.sync 0; bar.sync 0;", "bar.sync 0; bar.sync 0;", "changed f => f / -bar.sync 0;"},
      {"bar.sync 0; bar.sync 0;", "bar.sync 0; bar.sync 0; bar.sync 0; bar.sync 0;",
       "changed f => f / +bar.sync 0; / +bar.sync 0;"},
      {"bar.sync 1; membar.gl; bar.sync 1; membar.gl; bar.sync 1;", "bar.sync 1; membar.gl; bar.sync 1;",
       "changed f => f / -membar.gl; / -bar.sync 1;"},
      {"bar.sync 1; membar.gl; bar.sync 1;", "bar.sync 1; membar.cta; membar.gl; bar.sync 1; membar.gl; bar.sync 1;",
       "changed f => f / +membar.cta; / +membar.gl; / +bar.sync 1;"},
      {"ts: .branchtargets A, B; brx.idx %r1, ts; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;",
       "ts: .branchtargets B, A; brx.idx %r1, ts; A: st.global.u32 [%rd1], 2; ret; B: st.global.u32 [%rd1], 1; ret;",
       "same code, strictly / moved 2: st.global.u32 [%rd1], 1; … ret; to st.global.u32 [%rd1], 1; … ret; / labels "
       "A>B,B>A"},
      {"ts: .branchtargets A, B; brx.idx %r1, ts; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;",
       "ts: .branchtargets A, B; brx.idx %r1, ts; B: st.global.u32 [%rd1], 2; ret; A: st.global.u32 [%rd1], 1; ret;",
       "same code, strictly / moved 2: st.global.u32 [%rd1], 1; … ret; to st.global.u32 [%rd1], 1; … ret;"},
      {"ts: .branchtargets A, B; brx.idx %r1, ts; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;",
       "ts: .branchtargets A, A; brx.idx %r1, ts; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; ret;",
       "changed f => f / .branchtargets A, B; => .branchtargets A, A;"},
      {"ts: .branchtargets A, B; @%p1 brx.idx %r1, ts; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; "
       "ret;",
       "ts: .branchtargets A, B; @!%p1 brx.idx %r1, ts; A: st.global.u32 [%rd1], 1; ret; B: st.global.u32 [%rd1], 2; "
       "ret;",
       "changed f => f / [guard]@%p1 brx.idx %r1, ts; => @!%p1 brx.idx %r1, ts;"},
      {"{ .reg .b32 %t; mov.u32 %t, 1; st.global.u32 [%rd1], %t; } { .reg .b32 %t; mov.u32 %t, 2; st.global.u32 "
       "[%rd1], %t; } ret;",
       "{ .reg .b32 %t, %u; mov.u32 %t, 1; st.global.u32 [%rd1], %t; mov.u32 %u, 2; st.global.u32 [%rd1], %u; } ret;",
       "same code, strictly / registers %t>%u"},
      {"{ .param .b32 x; st.param.b32 [x], 1; }", "{ .param .b32 y; st.param.b32 [y], 1; }",
       "same code, strictly / locals x>y"},
      {"{ .param .b32 x; st.param.b32 [x], 1; }", "{ .param .b64 x; st.param.b32 [x], 1; }",
       "changed f => f / [declaration].param .b32 x; => .param .b64 x;"},
      {".shared .b32 s; .shared .b32 t; st.shared.u32 [s], 1; st.shared.u32 [t], 2;",
       ".shared .b32 t; .shared .b32 s; st.shared.u32 [s], 1; st.shared.u32 [t], 2;", "same code, strictly"},
      {".shared .b32 s; .shared .b32 t; st.shared.u32 [s], 1; st.shared.u32 [t], 2;",
       ".shared .b32 s; .shared .b32 t; st.shared.u32 [t], 1; st.shared.u32 [s], 2;",
       "same code, strictly / locals s>t,t>s"},
      {".shared .b32 s; .shared .b32 t; st.shared.u32 [s], 1;", ".shared .b32 s; st.shared.u32 [s], 1;",
       "same code / [declaration][unused]-.shared .b32 t;"},
      {".shared .b32 s; st.shared.u32 [s], 1;", ".shared .b32 s; .shared .b32 more; st.shared.u32 [s], 1;",
       "same code / [declaration][unused]+.shared .b32 more;"},
      {".shared .b32 s; st.shared.u32 [s], 1;", ".shared .b32 s; .shared .b32 more; st.shared.u32 [more], 1;",
       "same code / [declaration][unused]+.shared .b32 s; / locals s>more"},
      {"add.cc.u32 %r1, %r2, %r3; addc.u32 %r4, %r5, %r6;", "add.cc.u32 %r1, %r2, %r3; add.u32 %r4, %r5, %r6;",
       "changed f => f / [op]addc.u32 %r4, %r5, %r6; => add.u32 %r4, %r5, %r6;"},
      {"mov.u32 %r1, 5; mov.u32 %r2, %r1; st.global.u32 [%rd1], %r2;",
       "mov.u32 %r1, 0x5; mov.u32 %r2, %r1; st.global.u32 [%rd1], %r2;", "same code, strictly"},
      {"mov.u32 %r1, 5;", "mov.u32 %r1, 2+3;", "same code, strictly"},
      {"mov.u32 %r1, -1;", "mov.u32 %r1, 0xffffffff;",
       "changed f => f / [2]mov.u32 %r1, -1; => mov.u32 %r1, 0xffffffff;"},
      {"mov.u32 %r1, 5;", "mov.u32 %r1, 5U;", "same code, strictly"},
      {"st.global.v2.u32 [%rd1], {%r1, %r2};", "st.global.v2.u32 [%rd1], {%r3, %r4};",
       "same code, strictly / registers %r1>%r3,%r2>%r4"},
      {"st.global.v2.u32 [%rd1], {%r1, %r2};", "st.global.v2.u32 [%rd1], {%r3, %r3};",
       "changed f => f / [2]st.global.v2.u32 [%rd1], {%r1, %r2}; => st.global.v2.u32 [%rd1], {%r3, %r3}; / registers "
       "%r1>%r3 / live 4 => 3"},
      {"st.global.v2.u32 [%rd1], {%r1, %r2};", "st.global.v2.u32 [%rd1], {%r1, _};",
       "changed f => f / [2]st.global.v2.u32 [%rd1], {%r1, %r2}; => st.global.v2.u32 [%rd1], {%r1, _}; / live 4 => 3"},
      {".loc 1 2 3 mov.u32 %r1, 5;", "mov.u32 %r1, 5;", "same code, strictly"},
      {".pragma \"nounroll\"; mov.u32 %r1, 5;", "mov.u32 %r1, 5;", "changed f => f / -.pragma \"nounroll\";"},
      {".pragma \"nounroll\"; mov.u32 %r1, 5;", ".pragma \"noreorder\"; mov.u32 %r1, 5;",
       "changed f => f / [1].pragma \"nounroll\"; => .pragma \"noreorder\";"},
      {"@%p1 mov.u32 %r1, 5; @!%p1 mov.u32 %r1, 6;", "@!%p1 mov.u32 %r1, 6; @%p1 mov.u32 %r1, 5;",
       "changed f => f / -@%p1 mov.u32 %r1, 5; / +@%p1 mov.u32 %r1, 5;"},
      {"setp.lt.u32 %p1, %r1, %r2; @%p1 trap;", "setp.ge.u32 %p1, %r1, %r2; @!%p1 trap;",
       "changed f => f / [op]setp.lt.u32 %p1, %r1, %r2; => setp.ge.u32 %p1, %r1, %r2; / [guard]@%p1 trap; => @!%p1 "
       "trap;"},
      {"ld.global.u32 %r1, [%rd1]; ld.global.u32 %r2, [%rd1+4]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3;",
       "ld.global.u32 %r2, [%rd1+4]; ld.global.u32 %r1, [%rd1]; add.u32 %r3, %r1, %r2; st.global.u32 [%rd1], %r3;",
       "changed f => f / -ld.global.u32 %r1, [%rd1]; / +ld.global.u32 %r1, [%rd1];"},
      {"A: bar.sync 1; @%p1 bra A; B: bar.sync 2; @%p2 bra B; C: bar.sync 3; @%p3 bra C; ret;",
       "B: bar.sync 2; @%p2 bra B; A: bar.sync 1; @%p1 bra A; C: bar.sync 3; @%p3 bra C; ret;",
       "changed f => f / -bar.sync 1; / -@%p1 bra A; / +bar.sync 1; / +@%p1 bra A;"},
      {"@%p1 bra X; bar.sync 1; bar.sync 2; bar.sync 3; X: ret;",
       "@!%p1 bra Y; X: ret; Y: bar.sync 1; bar.sync 2; bar.sync 3; bra X;",
       "same code / [jump]+bra X; / moved 1: ret; … ret; to ret; … ret;"},
      {"@%p1 bra X; bar.sync 1; bar.sync 2; bar.sync 3; X: ret;",
       "@!%p1 bra Y; X: ret; Y: bar.sync 1; bar.sync 3; bra X;",
       "changed f => f / -bar.sync 2; / [jump]+bra X; / moved 1: ret; … ret; to ret; … ret;"},
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; call (%r1), g, (%r3); st.global.u32 [%rd1], %r1; ret;",
       "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; call (%r2), g, (%r3); st.global.u32 [%rd1], %r2; ret;",
       "same code, strictly / registers %r1>%r2"},
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; call (%r1), g, (%r1); st.global.u32 [%rd1], %r1; ret;",
       "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; call (%r2), g, (%r1); st.global.u32 [%rd1], %r2; ret;",
       "same code, strictly / registers %r1>%r2"},
      {"mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; call (%r1), g, (%r3); st.global.u32 [%rd1], %r1; ret;",
       "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; call (%r2), g, (%r3); st.global.u32 [%rd1], %r1; ret;",
       "changed f => f / [1]call (%r1), g, (%r3); => call (%r2), g, (%r3);"},
      {".reg .b64 %fp; call (%r1), %fp, (%r2), Q; Q: .callprototype (.reg .b32 _) _ (.reg .b32 _);",
       ".reg .b64 %fp; call (%r1), %fp, (%r2), Q; Q: .callprototype (.reg .b32 _) _ (.reg .b64 _);",
       "changed f => f / [1].callprototype (.reg .b32 _) _ (.reg .b32 _); => .callprototype (.reg .b32 _) _ (.reg .b64 "
       "_);"},
      {".reg .b64 %fp; T: .calltargets g; call (%r1), %fp, (%r2), T;",
       ".reg .b64 %fp; U: .calltargets g; call (%r1), %fp, (%r2), U;", "same code, strictly / labels T>U"},
      {"@%p1 bra X; { X: bar.sync 1; } X: bar.sync 2; ret;", "@%p1 bra Y; { X: bar.sync 1; } Y: bar.sync 2; ret;",
       "same code, strictly / labels X>Y"},
      {"@%p1 bra X; { X: bar.sync 1; @%p2 bra X; } X: bar.sync 2; ret;",
       "@%p1 bra X; { Y: bar.sync 1; @%p2 bra X; } X: bar.sync 2; ret;",
       "changed f => f / [1]@%p2 bra X; => @%p2 bra X;"},
      {"mov.u32 %r1, %r2; mov.u32 %r2, %r1; st.global.v2.u32 [%rd1], {%r1, %r2};",
       "mov.u32 %r2, %r1; mov.u32 %r1, %r2; st.global.v2.u32 [%rd1], {%r2, %r1};",
       "same code, strictly / registers %r1>%r2,%r2>%r1"},
      {"setp.lt.u32 %p1, %r1, 5; @%p1 bra A; bra B; A: bar.sync 1; B: ret;",
       "setp.lt.u32 %p1, %r1, 5; @!%p1 bra B; bar.sync 1; B: ret;", "same code / [jump]-bra B;"},
      {".reg .v2 .b32 %v; mov.u32 %r1, %v.x;", ".reg .v2 .b32 %v; mov.u32 %r1, %v.y;",
       "changed f => f / [2]mov.u32 %r1, %v.x; => mov.u32 %r1, %v.y;"},
      {".reg .v2 .b32 %v; mov.u32 %v.x, 1; mov.u32 %v.y, 2; st.global.v2.b32 [%rd1], %v;",
       ".reg .v2 .b32 %w; mov.u32 %w.x, 1; mov.u32 %w.y, 2; st.global.v2.b32 [%rd1], %w;",
       "same code, strictly / registers %v>%w"},
      {"vadd.s32.u32.s32 %r1, %r2.b0, %r3;", "vadd.s32.u32.s32 %r1, %r2.b1, %r3;",
       "changed f => f / [2]vadd.s32.u32.s32 %r1, %r2.b0, %r3; => vadd.s32.u32.s32 %r1, %r2.b1, %r3;"},
      {"selp.b32 %r1, %r2, %r3, %p1;", "selp.b32 %r1, %r3, %r2, %p1;",
       "same code, strictly / registers %r2>%r3,%r3>%r2"},
      {"st.global.u32 [%rd1+-4], %r1;", "st.global.u32 [%rd1-4], %r1;", "same code, strictly"},
      {"tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5, %r6}];",
       "tex.2d.v4.f32.f32 {%r1, %r2, %r3, %r4}, [%rd1, {%r6, %r5}];",
       "same code, strictly / registers %r5>%r6,%r6>%r5"},
      {"mov.f32 %r1, 0f3F800000;", "mov.f32 %r1, 1.0;",
       "changed f => f / [2]mov.f32 %r1, 0f3F800000; => mov.f32 %r1, 1.0;"},
      {"mov.u64 %rd1, f;", "mov.u64 %rd1, g;", "changed f => f / [2]mov.u64 %rd1, f; => mov.u64 %rd1, g;"},
      {"L1: bar.sync 1; @%p1 bra L1; L2: bar.sync 1; @%p2 bra L2; bar.sync 2; ret;",
       "L1: bar.sync 1; @%p1 bra L1; bar.sync 2; ret;", "changed f => f / -bar.sync 1; / -@%p2 bra L2;"},
      {"L1: bar.sync 1; @%p1 bra L1; bar.sync 2; ret;",
       "L1: bar.sync 1; @%p1 bra L1; L2: bar.sync 1; @%p2 bra L2; bar.sync 2; ret;",
       "changed f => f / +bar.sync 1; / +@%p2 bra L2;"},
      {"add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; st.global.u32 [%rd1], %r1;",
       "add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 2; add.u32 %r4, %r3, 3; st.global.u32 [%rd1], %r4;",
       "same code, strictly / registers %r1>%r2,%r1>%r3,%r1>%r4"},
      {"add.u32 %r1, %r1, 1; add.u32 %r1, %r1, 2; add.u32 %r1, %r1, 3; st.global.u32 [%rd1], %r1;",
       "add.u32 %r2, %r1, 1; add.u32 %r3, %r2, 2; add.u32 %r4, %r2, 3; st.global.u32 [%rd1], %r4;",
       "changed f => f / [2]add.u32 %r1, %r1, 3; => add.u32 %r4, %r2, 3; / registers %r1>%r2,%r1>%r3,%r1>%r4 / live 3 "
       "=> 4"},
      {"@%p1 bra A; add.u32 %r1, %r1, 1; bra B; A: add.u32 %r2, %r2, 1; B: st.global.v2.u32 [%rd1], {%r1, %r2};",
       "@%p1 bra A; add.u32 %r2, %r2, 1; bra B; A: add.u32 %r1, %r1, 1; B: st.global.v2.u32 [%rd1], {%r2, %r1};",
       "same code, strictly / registers %r1>%r2,%r2>%r1"},
      {"mov.u32 %r1, 1; mov.u32 %r2, 1; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r2;",
       "mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; st.global.u32 [%rd1], %r1;",
       "changed f => f / -mov.u32 %r2, 1; / [2]st.global.u32 [%rd1], %r2; => st.global.u32 [%rd1], %r1; / live 4 => 3"},
      {"@%p1 bra A; @%p2 bra A; @%p3 bra A; ret; A: trap;", "@%p2 bra A; @%p1 bra A; @%p3 bra A; ret; A: trap;",
       "same code, strictly / registers %p1>%p2,%p2>%p1"},
      {"@%p1 bra A; @%p2 bra A; @%p3 bra A; ret; A: trap;", "@%p1 bra A; @%p3 bra A; ret; A: trap;",
       "changed f => f / -@%p2 bra A;"},
      {"@%p1 bra A; ret; A: trap;", "@%p1 trap; ret;", "changed f => f / -@%p1 bra A; / +@%p1 trap; / -trap;"},
      {"bra A; B: bar.sync 2; bra C; A: bar.sync 1; bra B; C: bar.sync 3; ret;",
       "bar.sync 1; bar.sync 2; bar.sync 3; ret;",
       "same code / [jump]-bra A; / [jump]-bra C; / [jump]-bra B; / moved 1: bar.sync 2; … bar.sync 2; to bar.sync 2; "
       "… bar.sync 2;"},
      {"bra A; B: bar.sync 2; bra C; A: bar.sync 1; bra B; C: bar.sync 3; ret;",
       "bar.sync 1; bar.sync 9; bar.sync 3; ret;",
       "changed f => f / [jump]-bra A; / -bar.sync 2; / [jump]-bra C; / [jump]-bra B; / +bar.sync 9;"},
      {".reg .b32 %b<9000>; mov.u32 %b8000, 1; mov.u32 %b17, 2; st.global.v2.u32 [%rd1], {%b8000, %b17}; st.global.u32 "
       "[%rd1], %b17;",
       "mov.u32 %r1, 1; mov.u32 %r2, 2; st.global.v2.u32 [%rd1], {%r1, %r2}; st.global.u32 [%rd1], %r2;",
       "same code, strictly / registers %b17>%r2,%b8000>%r1"},
      {".reg .b32 %b<9000>; mov.u32 %b8000, 1; mov.u32 %b17, 2; st.global.v2.u32 [%rd1], {%b8000, %b17}; st.global.u32 "
       "[%rd1], %b17;",
       "mov.u32 %r1, 1; mov.u32 %r2, 2; st.global.v2.u32 [%rd1], {%r1, %r2}; st.global.u32 [%rd1], %r1;",
       "changed f => f / [2]st.global.u32 [%rd1], %b17; => st.global.u32 [%rd1], %r1; / registers %b17>%r2,%b8000>%r1"},
      {".reg .b32 %b<9000>; mov.u32 %b8000, 1; mov.u32 %b17, 2; st.global.v2.u32 [%rd1], {%b8000, %b17}; st.global.u32 "
       "[%rd1], %b17;",
       ".reg .b32 %c<9000>; mov.u32 %c1, 1; mov.u32 %c7000, 2; st.global.v2.u32 [%rd1], {%c1, %c7000}; st.global.u32 "
       "[%rd1], %c7000;",
       "same code, strictly / registers %b17>%c7000,%b8000>%c1"},
      {"mov.u64 %rd1, 1;", "mov.u64 %rd1, 0x100000001;",
       "changed f => f / [2]mov.u64 %rd1, 1; => mov.u64 %rd1, 0x100000001;"},
      {"mov.u64 %rd1, 0x4000000000000001;", "mov.u64 %rd1, 1;",
       "changed f => f / [2]mov.u64 %rd1, 0x4000000000000001; => mov.u64 %rd1, 1;"},
      {"mov.u64 %rd1, 0x4000000000000001;", "mov.u64 %rd1, 4611686018427387905;", "same code, strictly"},
      {"mov.u64 %rd1, -1;", "mov.u64 %rd1, 0xffffffff;",
       "changed f => f / [2]mov.u64 %rd1, -1; => mov.u64 %rd1, 0xffffffff;"},
      {"mov.u64 %rd1, 0x7fffffff;", "mov.u64 %rd1, 0x80000000;",
       "changed f => f / [2]mov.u64 %rd1, 0x7fffffff; => mov.u64 %rd1, 0x80000000;"},
      {".global .b32 v = 5; ld.global.u32 %r1, [v];", ".global .b32 v = 6; ld.global.u32 %r1, [v];",
       "changed f => f / [declaration].global .b32 v = 5; => .global .b32 v = 6;"},
      {".global .b32 v = 5; ld.global.u32 %r1, [v];", ".global .b32 w = 5; ld.global.u32 %r1, [w];",
       "same code, strictly / locals v>w"},
      {".global .b32 v = 5; .global .b32 w = 6; ld.global.u32 %r1, [v]; ld.global.u32 %r2, [w];",
       ".global .b32 v = 6; .global .b32 w = 5; ld.global.u32 %r1, [v]; ld.global.u32 %r2, [w];",
       "changed f => f / [declaration].global .b32 v = 5; => .global .b32 v = 6; / [declaration].global .b32 w = 6; => "
       ".global .b32 w = 5;"},
      {".global .b32 v = 5; .global .b32 w = 6; ld.global.u32 %r1, [v]; ld.global.u32 %r2, [w];",
       ".global .b32 w = 6; .global .b32 v = 5; ld.global.u32 %r1, [v]; ld.global.u32 %r2, [w];",
       "same code, strictly"},
      {"bra.uni L; bar.sync 1; L: bar.sync 2; M: bra M;", "bar.sync 2; N: bra N;",
       "same code / [jump]-bra.uni L; / [unreachable]-bar.sync 1; / labels M>N"},
      {"bar.sync 1; M: bar.sync 2; bra M;", "bar.sync 1; M: bra N; N: bar.sync 2; bra M;", "same code / [jump]+bra N;"},
      {"bar.sync 1; M: bra N; N: bra M;", "bar.sync 1; M: bra M;", "changed f => f / -bra N;"},
      {"bar.sync 1; M: bra N; N: bra M;", "bar.sync 1; ret;", "changed f => f / -bra N; / [jump]-bra M; / +ret;"},
  };
  for (const Row& row : rows) {
    INFO(row.from << " => " << row.to);
    CHECK(DiffText(body(row.from), body(row.to)).all() == row.told);
  }
}
