// What loads give: parameters, what was stored to `.shared` and `.local` variables, what calls return. analysis/memory.cpp
#include <string>

#include "tests/catch.h"
#include "tests/value_text.h"

using ptxscope::analysis::testing::check_values;
using ptxscope::analysis::testing::kernel;
using ptxscope::analysis::testing::Valued;

TEST_CASE("loads by state space, width and place") {
  check_values(
      kernel,
      {
          {"ld.global.v2.u64 {%rd8, %rd9}, [%rd1];", "%rd9", "(global.u64 (add c:64 8))"},
          {"ld.global.nc.v4.u8 {%r7, %r8, %r9, %r6}, [%rd1+4];", "%r9", "(zext32 (global.u8 (add c:64 6)))"},
          {"ld.global.s8 %r9, [%rd1];", "%r9", "(sext32 (global.s8 c:64))"},
          {"ld.param.s8 %r9, [f];", "%r9", "(sext32 f:8)"},
          {"ld.param.u8 %r9, [i+3];", "%r9", "(zext32 i[3]:8)"},
          {"ld.param.v2.u32 {%r8, %r9}, [i+8];", "%r9", "i[12]:32"},
          {"ld.param.u32 %r9, [c+4];", "%r9", "c[4]:32"},
          {"ld.const.u32 %r9, [table+4];", "%r9", "(const.u32.const $table+4)"},
          {"ld.const.u32 %r9, [%rd1];", "%r9", "(const.u32.const c:64)"},
          {"ld.global.u32 %r9, [var+4];", "%r9", "(global.u32 $var+4)"},
          {"ld.u32 %r9, [var+4];", "%r9", "(global.u32 $var+4)"},
          {"mov.u64 %rd8, var; add.u64 %rd8, %rd8, %rd1; ld.u32 %r9, [%rd8];", "%r9", "(global.u32 (add c:64 $var))"},
          {"mov.u64 %rd8, var; add.u64 %rd8, %rd1, %rd8; ld.u32 %r9, [%rd8+4];", "%r9",
           "(global.u32 (add (add $var c:64) 4))"},
          {"mov.u64 %rd8, l; add.u64 %rd8, %rd8, %rd1; ld.u32 %r9, [%rd8];", "%r9",
           "?local memory read at a computed place"},
          {"mov.u64 %rd8, l; add.u64 %rd8, %rd8, %rd1; ld.local.u32 %r9, [%rd8];", "%r9",
           "?local memory read at a computed place"},
          {"mov.u64 %rd8, i; add.u64 %rd8, %rd8, %rd1; ld.param.u32 %r9, [%rd8];", "%r9",
           "(param.u32.const (add c:64 $i) i:8)"},
          {"ld.param.u32 %r9, [%rd1];", "%r9", "?a parameter read at a computed place"},
          {"ld.local.u32 %r9, [%rd1];", "%r9", "?local memory"},
          {"ld.shared.u32 %r9, [%rd1];", "%r9", "(shared.u32 c:64)"},
          {"ld.shared.u32 %r9, [s+4];", "%r9", "(shared.u32 $s+4)"},
          {"ld.local.u32 %r9, [l];", "%r9", "?local memory read before it is written"},
      });
}

// Any thread of the block may have stored there: the value is a load, with what is known to be stored behind it.
TEST_CASE("shared memory: what this function stores to the same place") {
  check_values(
      kernel,
      {
          {"st.shared.u32 [s+4], %r1; ld.shared.u32 %r9, [s+4];", "%r9", "(shared.u32 $s+4 a:32)"},
          {"st.shared.u32 [s+4], %r1; st.shared.u32 [s+4], %r2; st.shared.u32 [s+4], %r1; ld.shared.u32 %r9, [s+4];",
           "%r9", "(shared.u32 $s+4 a:32 b:32)"},
          {"st.shared.u32 [s], %r1; st.shared.u16 [s+4], %rs1; st.shared.v2.u32 [s+4], {%r1, %r2}; st.global.u32 "
           "[s+4], %r1; ld.shared.u32 %r9, [s+4];",
           "%r9", "(shared.u32 $s+4)"},
          {"st.u32 [s+4], %r2; ld.shared.u32 %r9, [s+4];", "%r9", "(shared.u32 $s+4 b:32)"},
          {"ld.shared.u32 %r8, [s]; st.shared.u32 [s], %r8; ld.shared.u32 %r9, [s];", "%r9",
           "(shared.u32 $s (shared.u32 $s))"},
      });
}

TEST_CASE("local memory: whole, in parts, in pieces, and through pointers") {
  check_values(
      kernel,
      {
          {"st.local.u32 [l], %r1; ld.local.u32 %r9, [l];", "%r9", "a:32"},
          {"st.local.u32 [l], %r1; ld.local.u32 %r9, [l+4];", "%r9", "?local memory read before it is written"},
          {"st.local.u32 [l], %r1; st.local.u32 [l], %r2; ld.local.u32 %r9, [l];", "%r9", "b:32"},
          {"st.local.u64 [l], %rd1; ld.local.u32 %r9, [l+4];", "%r9", "(trunc32 (shr_u c:64 32))"},
          {"st.local.u64 [l], %rd1; ld.local.u32 %r9, [l];", "%r9", "c:32"},
          {"st.local.u64 [l], %rd1; ld.local.u16 %rs6, [l+6];", "%rs6", "(trunc16 (shr_u c:64 48))"},
          {"st.local.u32 [l], %r1; st.local.u32 [l+4], %r2; ld.local.u64 %rd9, [l];", "%rd9",
           "(or (mul (zext64 b:32) 4294967296) (zext64 a:32))"},
          {"st.local.u16 [l+2], %rs1; st.local.u32 [l+4], %r2; ld.local.u64 %rd9, [l];", "%rd9",
           "?local memory that is also accessed in other ways"},
          {"st.local.u16 [l], %rs1; st.local.u16 [l+2], %rs1; st.local.u32 [l+4], %r2; ld.local.u64 %rd9, [l];", "%rd9",
           "(or (mul (zext64 b:32) 4294967296) (zext64 (or (zext32 e:16) (mul (zext32 e:16) 65536))))"},
          {"st.local.u32 [l+4], %r2; ld.local.u64 %rd9, [l];", "%rd9",
           "?local memory that is also accessed in other ways"},
          {"st.local.v2.u32 [l+8], {%r1, %r2}; ld.local.u32 %r9, [l+12];", "%r9", "b:32"},
          {"st.local.v2.u32 [l+8], {%r1, %r2}; ld.local.v2.u32 {%r8, %r9}, [l+8];", "%r9", "b:32"},
          {"st.local.u32 [l], %r1; st.local.u16 [l+2], %rs1; ld.local.u32 %r9, [l];", "%r9",
           "?local memory that is also accessed in other ways"},
          {"st.local.u32 [l], %r1; st.local.u16 [l+4], %rs1; ld.local.u32 %r9, [l];", "%r9", "a:32"},
          {"@%p1 st.local.u32 [l], %r1; ld.local.u32 %r9, [l];", "%r9",
           "(select (lt_u a:32 b:32) a:32 ?local memory read before it is written)"},
          {"st.local.u32 [l], %r2; @%p2 st.local.u32 [l], %r1; ld.local.u32 %r9, [l];", "%r9",
           "(select (eq c:64 d:64) a:32 b:32)"},
          {"mov.u64 %rd8, l; st.u32 [%rd8+4], %r1; ld.u32 %r9, [%rd8+4];", "%r9", "a:32"},
          {"mov.u64 %rd8, l; cvta.local.u64 %rd8, %rd8; st.u32 [%rd8], %r1; ld.local.u32 %r9, [l];", "%r9", "a:32"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; add.u64 %rd8, %rd8, %rd1; st.local.u32 [%rd8], %r2; ld.local.u32 "
           "%r9, [l];",
           "%r9", "?local memory that is also accessed in other ways"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; add.u64 %rd8, %rd8, %rd1; ld.local.u32 %r8, [%rd8]; ld.local.u32 "
           "%r9, [l];",
           "%r9", "?local memory that is also accessed in other ways"},
          {"st.local.u32 [l], %r1; st.u32 [%rd1], %r2; ld.local.u32 %r9, [l];", "%r9", "a:32"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; st.global.u64 [%rd1], %rd8; st.u32 [%rd1], %r2; ld.local.u32 "
           "%r9, [l];",
           "%r9", "?local memory that a pointer given away may reach"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; st.global.u64 [%rd1], %rd8; st.global.u32 [%rd1], %r2; "
           "ld.local.u32 %r9, [l];",
           "%r9", "a:32"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; st.global.v2.u64 [%rd1], {%rd2, %rd8}; st.u32 [%rd1], %r2; "
           "ld.local.u32 %r9, [l];",
           "%r9", "?local memory that a pointer given away may reach"},
          {"st.local.u32 [l], %r1; st.global.u64 [%rd1], l; st.u32 [%rd1], %r2; ld.local.u32 %r9, [l];", "%r9",
           "?local memory that a pointer given away may reach"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; atom.global.exch.b64 %rd9, [%rd1], %rd8; ld.local.u32 %r9, [l];",
           "%r9", "?local memory that a pointer given away may reach"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; atom.exch.b32 %r9, [%rd8], %r2; ld.local.u32 %r9, [l];", "%r9",
           "?local memory that is also accessed in other ways"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; st.global.u64 [%rd1], %rd8; atom.global.add.u32 %r8, [%rd1], 1; "
           "ld.local.u32 %r9, [l];",
           "%r9", "?local memory that a pointer given away may reach"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; st.global.u64 [%rd1], %rd8; red.global.add.u32 [%rd1], 1; "
           "ld.local.u32 %r9, [l];",
           "%r9", "?local memory that a pointer given away may reach"},
          {"st.local.u32 [l], %r1; mov.u64 %rd8, l; st.global.u64 [%rd1], %rd8; st.u32 [%rd1], 1; st.local.u32 [l], "
           "%r2; ld.local.u32 %r9, [l];",
           "%r9", "b:32"},
          {".reg .b128 %q; st.local.u32 [l+4], %r1; st.local.b128 [l], %q; ld.local.u32 %r9, [l+4];", "%r9",
           "?local memory that is also accessed in other ways"},
          {"st.local.u32 [l], 7; ld.local.u32 %r9, [l];", "%r9", "7"},
          {"st.local.f32 [l], 0f3F800000; ld.local.f32 %f5, [l];", "%f5", "1065353216"},
      });
}

TEST_CASE("what a call returns, in terms of the caller") {
  check_values("", {
                       {R"(
         .func (.reg .b32 r) f(.reg .b32 x) { add.u32 r, x, 1; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; call (%r2), f, (%r1);)",
                        "%r2", "(add a:32 1)"},
                       {R"(
         .func (.reg .b32 r) f(.reg .b32 x) { add.u32 r, x, 1; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u32 %r1, [a]; call (%rd2), f, (%r1);)",
                        "%rd2", "(zext64 (add a:32 1))"},
                       {R"(
         .func (.reg .b32 r, .reg .b32 s) f(.reg .b32 x) { add.u32 r, x, 1; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; call (%r2, %r3), f, (%r1);)",
                        "%r2", "?one of several results of a call"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; add.u32 t, t, 1; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(add a:32 1)"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; add.u32 t, t, 1; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .b32 q; st.param.b32 [p], 7; call (q), f, (p); ld.param.b32 %r2, [q]; } { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r3, [q]; })",
                        "%r3", "(add a:32 1)"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; .reg .pred c; ld.param.u32 t, [x]; setp.eq.u32 c, t, 0; @c bra Z; st.param.u32 [r], 5; ret; Z: st.param.u32 [r], 6; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "L1=(phi 5 6)"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; .reg .pred c; ld.param.u32 t, [x]; setp.eq.u32 c, t, 0; @c bra Z; st.param.u32 [r], 5; bra E; Z: st.param.u32 [r], 6; E: ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(join (ne a:32 0) 5 6)"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; .reg .pred c; ld.param.u32 t, [x]; setp.eq.u32 c, t, 0; @c bra Z; st.param.u32 [r], 5; ret; Z: st.param.u32 [r], 5; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "5"},
                       {R"(
         .func (.param .b64 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.v2.u32 [r], {t, 9}; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .b64 q; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b64 %rd2, [q]; })",
                        "%rd2", "(or (zext64 a:32) 38654705664)"},
                       {R"(
         .func (.param .align 4 .b8 r[8]) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], 9; st.param.u32 [r+4], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .align 4 .b8 q[8]; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q+4]; })",
                        "%r2", "a:32"},
                       {R"(
         .func (.param .align 4 .b8 r[8]) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], 9; st.param.u16 [r+2], 1; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; ld.param.u32 %r1, [a]; { .param .b32 p; .param .align 4 .b8 q[8]; st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(call32 f a:32)"},
                       {R"(
         .func (.param .b32 r) f(.param .align 4 .b8 x[8]) { .reg .b32 t; ld.param.u32 t, [x+4]; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a, .param .u64 b) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [b]; { .param .align 4 .b8 p[8]; .param .b32 q; st.param.b64 [p], %rd1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(trunc32 (shr_u b:64 32))"},
                       {R"(
         .func (.param .b64 r) f(.param .align 4 .b8 x[8]) { .reg .b64 t; ld.param.u64 t, [x]; st.param.u64 [r], t; ret; }
         .entry k(.param .u32 a, .param .u32 b) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; { .param .align 4 .b8 p[8]; .param .b64 q; st.param.v2.b32 [p], {%r1, %r2}; call (q), f, (p); ld.param.b64 %rd2, [q]; })",
                        "%rd2", "(or (mul (zext64 b:32) 4294967296) (zext64 a:32))"},
                       {R"(
         .func (.param .b64 r) f(.param .align 4 .b8 x[8]) { .reg .b64 t; ld.param.u64 t, [x]; st.param.u64 [r], t; ret; }
         .entry k(.param .u32 a, .param .u32 b) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u32 %r1, [a]; ld.param.u32 %r2, [b]; { .param .align 4 .b8 p[8]; .param .b64 q; st.param.b32 [p+4], %r2; call (q), f, (p); ld.param.b64 %rd2, [q]; })",
                        "%rd2", "?an argument stored elsewhere"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .reg .pred c; ld.param.u32 %r1, [a]; setp.eq.u32 c, %r1, 0; { .param .b32 p; .param .b32 q; @c st.param.b32 [p], %r1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "?an argument stored under a guard"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .reg .pred c; ld.param.u32 %r1, [a]; setp.eq.u32 c, %r1, 0; { .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; @c call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "?the result of a call under a guard"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .reg .pred c; ld.param.u32 %r1, [a]; setp.eq.u32 c, %r1, 0; .param .b32 p; .param .b32 q; st.param.b32 [p], %r1; call (q), f, (p); @c bra L; L: ld.param.b32 %r2, [q];)",
                        "%r2", "?a return value whose call is elsewhere"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .param .b32 p; .param .b32 q; st.param.b32 [p], 3; { .param .b32 p; call (q), f, (p); } ld.param.b32 %r2, [q];)",
                        "%r2", "?an argument stored elsewhere"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; .param .b32 q; call (q), f, (7); ld.param.b32 %r2, [q];)",
                        "%r2", "7"},
                       {R"(
         .extern .func (.param .b32 r) f(.param .b32 x, .param .b16 y, .param .b64 z, .param .b8 w, .param .align 4 .b8 v[12]);
         .entry k(.param .u32 a, .param .u64 b) { .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .b16 %h; ld.param.u32 %r1, [a]; ld.param.u64 %rd1, [b]; cvt.u16.u32 %h, %r1; { .param .b32 x; .param .b16 y; .param .b64 z; .param .b8 w; .param .align 4 .b8 v[12]; .param .b32 q; st.param.b32 [x], %r1; st.param.b16 [y], %h; st.param.b64 [z], %rd1; st.param.b8 [w], 300; st.param.b32 [v+8], 1; call (q), f, (x, y, z, w, v); ld.param.b32 %r2, [q]; })",
                        "%r2", "(call32 f a:32 a:16 b:64 44 ?an argument stored elsewhere)"},
                       {R"(
         .extern .func (.param .b32 r) f();
         .entry k(.param .u32 a) { .reg .b32 %r<9>; { .param .b32 q; call (q), f; ld.param.b32 %r2, [q]; })",
                        "%r2", "(call32 f)"},
                       {R"(
         .extern .func (.param .b32 r) f();
         .entry k(.param .u32 a) { .reg .b32 %r<9>; { .param .b32 q; call (q), f; ld.param.b16 %r2, [q+2]; })",
                        "%r2", "(zext32 {field:16 (call16 f) 2})"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { .reg .b32 t; ld.param.u32 t, [x]; { .param .b32 p; .param .b32 q; st.param.b32 [p], t; call (q), f, (p); ld.param.b32 t, [q]; } st.param.u32 [r], t; ret; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; { .param .b32 p; .param .b32 q; st.param.b32 [p], 1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(call32 f 1)"},
                       {R"(
         .func (.param .b32 r) f(.param .b32 x) { trap; }
         .entry k(.param .u32 a) { .reg .b32 %r<9>; { .param .b32 p; .param .b32 q; st.param.b32 [p], 1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "?a return value whose call is elsewhere"},
                       {R"(
         .entry k(.param .u64 a) { .reg .b64 %rd<9>; .reg .b32 %r<9>; ld.param.u64 %rd1, [a]; { .param .b32 p; .param .b32 q; st.param.b32 [p], 5; P: .callprototype (.param .b32 _) _ (.param .b32 _); call (q), %rd1, (p), P; ld.param.b32 %r2, [q]; })",
                        "%r2", "(call32 ? 5)"},
                   });
}

TEST_CASE("a pointer to a local variable that a call gets") {
  check_values("", {
                       {R"(
         .func f(.reg .b64 x) { foo.b64 x; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .func (.param .b32 r) f(.param .b64 x) { .reg .b64 t; .reg .b32 v; ld.param.u64 t, [x]; ld.u32 v, [t+4]; st.param.u32 [r], v; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u32 %r1, [a]; mov.u64 %rd1, l; st.local.u32 [l+4], %r1; { .param .b64 p; .param .b32 q; st.param.b64 [p], %rd1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "a:32"},
                       {R"(
         .func (.param .b32 r) f(.param .b64 x) { .reg .b64 t; .reg .b32 v; ld.param.u64 t, [x]; ld.u32 v, [t+4]; st.param.u32 [r], v; ret; }
         .entry k(.param .u64 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; ld.param.u64 %rd1, [a]; { .param .b64 p; .param .b32 q; st.param.b64 [p], %rd1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(generic.u32 (add a:64 4))"},
                       {R"(
         .global .b32 g[4];
         .func (.param .b32 r) f(.param .b64 x) { .reg .b64 t; .reg .b32 v; ld.param.u64 t, [x]; ld.u32 v, [t+4]; st.param.u32 [r], v; ret; }
         .entry k(.param .u64 a) { .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, g; { .param .b64 p; .param .b32 q; st.param.b64 [p], %rd1; call (q), f, (p); ld.param.b32 %r2, [q]; })",
                        "%r2", "(generic.u32 $g+4)"},
                       {R"(
         .func f(.reg .b64 x) { .reg .b32 v; ld.u32 v, [x]; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "5"},
                       {R"(
         .func f(.reg .b64 x) { st.u32 [x], 6; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .func f(.reg .b64 x) { st.local.u32 [x], 6; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .func f(.reg .b64 x) { st.global.u32 [x], 6; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "5"},
                       {R"(
         .func f(.reg .b64 x) { st.shared.u32 [x], 6; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "5"},
                       {R"(
         .func f(.reg .b64 x) { .local .b32 m[2]; .reg .b64 t; mov.u64 t, m; st.local.u32 [m], 6; st.u32 [t+4], 6; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "5"},
                       {R"(
         .func f(.reg .b64 x) { .reg .b32 t; atom.add.u32 t, [x], 6; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .func g(.reg .b64 x) { st.u32 [x], 6; ret; }
         .func f(.reg .b64 x) { call g, (x); ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .func g(.reg .b64 x) { ret; }
         .func f(.reg .b64 x) { call g, (x); ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "5"},
                       {R"(
         .func f(.reg .b64 x) { call f, (x); ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .extern .func g(.param .b64 x);
         .func f(.reg .b64 x) { .param .b64 p; st.param.b64 [p], x; call g, (p); ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .extern .func g() .noreturn;
         .func f(.reg .b64 x) { call g; ret; }
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; call f, (%rd1); ld.local.u32 %r2, [l];)",
                        "%r2", "?in code that is never reached"},
                       {R"(
         .extern .func g(.param .b64 x);
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; mov.u64 %rd1, l; st.local.u32 [l], 5; { .param .b64 p; st.param.b64 [p], %rd1; call g, (p); } ld.local.u32 %r2, [l];)",
                        "%r2", "?local memory that a pointer given away may reach"},
                       {R"(
         .extern .func g(.param .b64 x);
         .entry k(.param .u32 a) { .local .b32 l[4]; .reg .b32 %r<9>; .reg .b64 %rd<9>; st.local.u32 [l], 5; { .param .b64 p; st.param.b64 [p], 7; call g, (p); } ld.local.u32 %r2, [l];)",
                        "%r2", "5"},
                   });
}

TEST_CASE("so many places in local memory that some are given up on, honestly") {
  std::string text = kernel + "  .local .b32 large[8000];\n";
  for (int i = 0; i < 5000; ++i)
    text += "st.local.u32 [large+" + std::to_string(4 * i) + "], " + std::to_string(i) + ";\n";
  text += "ld.local.u32 %r8, [large+40];\nld.local.u32 %r9, [l];\nret;\n}\n";
  Valued one(text, "k");
  CHECK(one.value("%r8") == "?local memory that is also accessed in other ways");
  CHECK(one.values().gave_up());
  std::string fewer = text;
  for (int i = 4000; i < 5000; ++i) {
    const std::string line = "st.local.u32 [large+" + std::to_string(4 * i) + "], " + std::to_string(i) + ";\n";
    fewer.erase(fewer.find(line), line.size());
  }
  Valued all(fewer, "k");
  CHECK(all.value("%r8") == "10");
  CHECK_FALSE(all.values().gave_up());
}
