// How values are simplified when they are made: equal values are to be one expression. analysis/expr_simplify.cpp
#include <string>

#include "tests/catch.h"
#include "tests/value_text.h"

using ptxscope::analysis::testing::Valued;

namespace {

struct Row {
  std::string code;
  std::string reg;
  std::string holds;
};

// a and b in %r1 and %r2, c and d in %rd1 and %rd2, e in %rs1, g in %f1; a < b and c == d in %p1 and %p2.
const std::string before = R"(
.global .b32 var[4];
.visible .entry k(.param .u32 a, .param .u32 b, .param .u64 c, .param .u64 d, .param .u16 e, .param .s8 f,
                  .param .f32 g)
{
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<9>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  ld.param.u64 %rd1, [c];
  ld.param.u64 %rd2, [d];
  ld.param.u16 %rs1, [e];
  ld.param.f32 %f1, [g];
  setp.lt.u32 %p1, %r1, %r2;
  setp.eq.u64 %p2, %rd1, %rd2;
)";

void check(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(row.code);
    CHECK(Valued(before + row.code + "\n  ret;\n}\n").value(row.reg) == row.holds);
  }
}

}  // namespace

TEST_CASE("arithmetic with constants and with itself, choices of constants") {
  check({
      {"add.u32 %r9, %r1, 0;", "%r9", "a:32"},
      {"add.u32 %r9, 3, %r1;", "%r9", "(add a:32 3)"},
      {"add.u32 %r8, %r1, 3; add.u32 %r9, %r8, 4;", "%r9", "(add a:32 7)"},
      {"add.u32 %r8, %r1, 3; add.u32 %r9, %r8, -3;", "%r9", "a:32"},
      {"add.u32 %r8, %r1, 3; add.u32 %r9, %r8, %r2;", "%r9", "(add (add b:32 a:32) 3)"},
      {"add.u32 %r8, %r1, 3; add.u32 %r9, %r2, %r8;", "%r9", "(add (add a:32 b:32) 3)"},
      {"add.u32 %r8, %r1, 3; add.u32 %r7, %r2, 4; add.u32 %r9, %r8, %r7;", "%r9", "(add (add b:32 a:32) 7)"},
      {"sub.u32 %r9, %r1, 3;", "%r9", "(add a:32 4294967293)"},
      {"sub.u32 %r9, %r1, %r1;", "%r9", "0"},
      {"add.u32 %r8, %r1, %r2; sub.u32 %r9, %r8, %r1;", "%r9", "b:32"},
      {"add.u32 %r8, %r1, %r2; sub.u32 %r9, %r8, %r2;", "%r9", "a:32"},
      {"sub.u32 %r8, %r1, %r2; add.u32 %r9, %r8, %r2;", "%r9", "a:32"},
      {"sub.u32 %r8, %r1, %r2; add.u32 %r9, %r2, %r8;", "%r9", "a:32"},
      {"sub.u32 %r8, %r1, %r2; add.u32 %r9, %r8, %r1;", "%r9", "(add a:32 (sub a:32 b:32))"},
      {"add.u32 %r9, %r1, %r1;", "%r9", "(mul a:32 2)"},
      {"mov.u64 %rd8, var; add.u64 %rd9, %rd8, 12;", "%rd9", "$var+12"},
      {"mul.lo.u32 %r9, %r1, 0;", "%r9", "0"},
      {"mul.lo.u32 %r9, %r1, 1;", "%r9", "a:32"},
      {"mul.lo.u32 %r8, %r1, 6; mul.lo.u32 %r9, %r8, 7;", "%r9", "(mul a:32 42)"},
      {"mul.lo.u32 %r8, %r1, 6; shl.b32 %r9, %r8, 2;", "%r9", "(mul a:32 24)"},
      {"mul.lo.u32 %r9, 6, 7;", "%r9", "42"},
      {"and.b32 %r9, %r1, 0;", "%r9", "0"},
      {"and.b32 %r9, %r1, -1;", "%r9", "a:32"},
      {"and.b32 %r8, %r1, 15; and.b32 %r9, %r8, 6;", "%r9", "(and a:32 6)"},
      {"and.b32 %r9, %r1, %r1;", "%r9", "a:32"},
      {"cvt.u32.u16 %r8, %rs1; and.b32 %r9, %r8, 0xffff;", "%r9", "(zext32 e:16)"},
      {"cvt.u32.u16 %r8, %rs1; and.b32 %r9, %r8, 0x1ffff;", "%r9", "(zext32 e:16)"},
      {"cvt.u32.u16 %r8, %rs1; and.b32 %r9, %r8, 0x7fff;", "%r9", "(and (zext32 e:16) 32767)"},
      {"or.b32 %r9, %r1, 0;", "%r9", "a:32"},
      {"or.b32 %r9, %r1, -1;", "%r9", "4294967295"},
      {"or.b32 %r9, %r1, %r1;", "%r9", "a:32"},
      {"xor.b32 %r9, %r1, 0;", "%r9", "a:32"},
      {"xor.b32 %r9, %r1, -1;", "%r9", "(not a:32)"},
      {"xor.b32 %r9, %r1, %r1;", "%r9", "0"},
      {"not.b32 %r8, %r1; not.b32 %r9, %r8;", "%r9", "a:32"},
      {"neg.s32 %r8, %r1; neg.s32 %r9, %r8;", "%r9", "a:32"},
      {"not.b32 %r9, 5;", "%r9", "4294967290"},
      {"neg.s32 %r9, 5;", "%r9", "4294967291"},
      {"div.u32 %r9, %r1, 1;", "%r9", "a:32"},
      {"div.s32 %r9, %r1, 1;", "%r9", "a:32"},
      {"div.u32 %r9, 7, 0;", "%r9", "(div_u 7 0)"},
      {"div.s32 %r9, -7, 2;", "%r9", "4294967293"},
      {"div.u32 %r9, -7, 2;", "%r9", "2147483644"},
      {"rem.s32 %r9, -7, 2;", "%r9", "4294967295"},
      {"min.u32 %r9, %r1, -1;", "%r9", "a:32"},
      {"min.u32 %r9, %r1, 0;", "%r9", "0"},
      {"min.s32 %r9, %r1, 0;", "%r9", "(min_s a:32 0)"},
      {"max.u32 %r9, %r1, 0;", "%r9", "a:32"},
      {"max.u32 %r9, %r1, -1;", "%r9", "4294967295"},
      {"min.u32 %r9, %r1, %r1;", "%r9", "a:32"},
      {"max.s32 %r9, %r1, %r1;", "%r9", "a:32"},
      {"min.s32 %r9, -3, 2;", "%r9", "4294967293"},
      {"max.u32 %r9, -3, 2;", "%r9", "4294967293"},
      {"shl.b32 %r9, %r1, 0;", "%r9", "a:32"},
      {"shl.b32 %r9, %r1, 31;", "%r9", "(mul a:32 2147483648)"},
      {"shl.b32 %r9, %r1, 32;", "%r9", "0"},
      {"shr.u32 %r9, %r1, 32;", "%r9", "0"},
      {"shr.s32 %r9, %r1, 32;", "%r9", "(shr_s a:32 32)"},
      {"shr.u32 %r8, %r1, 10; shr.u32 %r9, %r8, 21;", "%r9", "(shr_u a:32 31)"},
      {"shr.u32 %r8, %r1, 10; shr.u32 %r9, %r8, 22;", "%r9", "0"},
      {"cvt.u32.u16 %r8, %rs1; shr.u32 %r9, %r8, 16;", "%r9", "0"},
      {"cvt.u32.u16 %r8, %rs1; shr.u32 %r9, %r8, 15;", "%r9", "(shr_u (zext32 e:16) 15)"},
      {"selp.b32 %r8, 3, 5, %p1; add.u32 %r9, %r8, 2;", "%r9", "(select (lt_u a:32 b:32) 5 7)"},
      {"selp.b32 %r8, 3, 5, %p1; shl.b32 %r9, %r8, 2;", "%r9", "(select (lt_u a:32 b:32) 12 20)"},
      {"selp.b32 %r8, 3, 5, %p1; cvt.u64.u32 %rd9, %r8;", "%rd9", "(select (lt_u a:32 b:32) 3 5)"},
      {"selp.b32 %r8, -3, 5, %p1; cvt.s64.s32 %rd9, %r8;", "%rd9", "(select (lt_u a:32 b:32) 18446744073709551613 5)"},
      {"selp.b32 %r8, 0x10003, 5, %p1; cvt.u16.u32 %rs6, %r8;", "%rs6", "(select (lt_u a:32 b:32) 3 5)"},
      {"selp.b32 %r8, 3, 5, %p1; setp.eq.u32 %p7, %r8, 3;", "%p7", "(lt_u a:32 b:32)"},
      {"selp.b32 %r8, 3, 5, %p1; setp.gt.u32 %p7, %r8, 3;", "%p7", "(ge_u a:32 b:32)"},
      {"selp.b32 %r8, 3, 5, %p1; setp.gt.u32 %p7, %r8, 2;", "%p7", "1"},
      {"selp.b32 %r9, %r2, %r2, %p1;", "%r9", "b:32"},
      {"not.pred %p8, %p2; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "(select (ne c:64 d:64) a:32 b:32)"},
      {"vote.sync.any.pred %p8, %p1, -1; not.pred %p7, %p8; selp.b32 %r9, %r1, %r2, %p7;", "%r9",
       "(select {vote.any:1 (lt_u a:32 b:32)} b:32 a:32)"},
      {"mov.pred %p8, 1; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "a:32"},
      {"mov.pred %p8, 0; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "b:32"},
      {"setp.lt.u32 %p8, %r1, %r2; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "(min_u b:32 a:32)"},
      {"setp.lt.u32 %p8, %r1, %r2; selp.b32 %r9, %r2, %r1, %p8;", "%r9", "(max_u a:32 b:32)"},
      {"setp.ge.u32 %p8, %r1, %r2; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "(max_u b:32 a:32)"},
      {"setp.le.s32 %p8, %r1, %r2; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "(min_s b:32 a:32)"},
      {"setp.gt.s32 %p8, %r1, %r2; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "(max_s b:32 a:32)"},
      {"setp.eq.s32 %p8, %r1, %r2; selp.b32 %r9, %r1, %r2, %p8;", "%r9", "(select (eq a:32 b:32) a:32 b:32)"},
      {"mov.pred %p7, 1; @%p1 mov.pred %p7, %p2;", "%p7", "(or (ge_u a:32 b:32) (eq c:64 d:64))"},
      {"mov.pred %p7, 0; @%p1 mov.pred %p7, %p2;", "%p7", "(and (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"mov.pred %p7, %p2; @%p1 mov.pred %p7, 1;", "%p7", "(or (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"mov.pred %p7, %p2; @%p1 mov.pred %p7, 0;", "%p7", "(and (ge_u a:32 b:32) (eq c:64 d:64))"},
  });
}

TEST_CASE("widening and cutting") {
  check({
      {"cvt.u64.u32 %rd8, %r1; cvt.u32.u64 %r9, %rd8;", "%r9", "a:32"},
      {"cvt.u64.u32 %rd8, %r1; cvt.u16.u64 %rs6, %rd8;", "%rs6", "a:16"},
      {"cvt.s64.s32 %rd8, %r1; cvt.u32.u64 %r9, %rd8;", "%r9", "a:32"},
      {"cvt.u32.u16 %r8, %rs1; cvt.u64.u32 %rd9, %r8;", "%rd9", "(zext64 e:16)"},
      {"cvt.u32.u16 %r8, %rs1; cvt.s64.s32 %rd9, %r8;", "%rd9", "(zext64 e:16)"},
      {"cvt.s32.s16 %r8, %rs1; cvt.s64.s32 %rd9, %r8;", "%rd9", "(sext64 e:16)"},
      {"cvt.s32.s16 %r8, %rs1; cvt.u64.u32 %rd9, %r8;", "%rd9", "(zext64 (sext32 e:16))"},
      {"and.b32 %r8, %r1, 0x7fffffff; cvt.s64.s32 %rd9, %r8;", "%rd9", "(zext64 (and a:32 2147483647))"},
      {"and.b32 %r8, %r1, 0x80000000; cvt.s64.s32 %rd9, %r8;", "%rd9", "(sext64 (and a:32 2147483648))"},
      {"cvt.s64.s32 %rd9, -5;", "%rd9", "18446744073709551611"},
      {"mov.u64 %rd8, -5; cvt.u32.u64 %r9, %rd8;", "%r9", "4294967291"},
      {"cvt.u64.u32 %rd7, %r1; cvt.u64.u32 %rd8, %r2; add.u64 %rd8, %rd7, %rd8; cvt.u32.u64 %r9, %rd8;", "%r9",
       "(add b:32 a:32)"},
      {"cvt.u64.u32 %rd7, %r1; add.u64 %rd8, %rd7, 0x100000005; cvt.u32.u64 %r9, %rd8;", "%r9", "(add a:32 5)"},
      {"cvt.u64.u32 %rd7, %r1; cvt.u64.u32 %rd8, %r2; xor.b64 %rd8, %rd7, %rd8; cvt.u32.u64 %r9, %rd8;", "%r9",
       "(xor b:32 a:32)"},
      {"mul.wide.u32 %rd7, %r1, %r2; add.u64 %rd8, %rd7, 4; cvt.u32.u64 %r9, %rd8;", "%r9", "(add (mul b:32 a:32) 4)"},
      {"add.u64 %rd8, %rd1, %rd2; cvt.u32.u64 %r9, %rd8;", "%r9", "(trunc32 (add d:64 c:64))"},
      {"shr.u64 %rd8, %rd1, 3; cvt.u32.u64 %r9, %rd8;", "%r9", "(trunc32 (shr_u c:64 3))"},
      {"shr.u64 %rd8, %rd1, 3; cvt.u32.u64 %r8, %rd8; cvt.u16.u32 %rs6, %r8;", "%rs6", "(trunc16 (shr_u c:64 3))"},
  });
}

TEST_CASE("comparisons and predicates") {
  check({
      {"selp.u32 %r8, 1, 0, %p1; or.b32 %r9, %r8, 1; setp.eq.u32 %p7, %r9, 1;", "%p7", "1"},
      {"selp.u32 %r8, 1, 0, %p1; xor.b32 %r9, %r8, 1; setp.eq.u32 %p7, %r9, 0;", "%p7", "(lt_u a:32 b:32)"},
      {"selp.u32 %r8, 1, 0, %p1; or.b32 %r9, %r8, 2; setp.eq.u32 %p7, %r9, 0;", "%p7", "0"},
      {"selp.u32 %r8, 1, 0, %p1; and.b32 %r9, %r8, 2; setp.eq.u32 %p7, %r9, 0;", "%p7", "1"},
      {"setp.eq.u32 %p7, 3, 3;", "%p7", "1"},
      {"setp.lt.s32 %p7, -1, 1;", "%p7", "1"},
      {"setp.lt.u32 %p7, -1, 1;", "%p7", "0"},
      {"setp.eq.u32 %p7, %r1, %r1;", "%p7", "1"},
      {"setp.le.u32 %p7, %r1, %r1;", "%p7", "1"},
      {"setp.ge.s32 %p7, %r1, %r1;", "%p7", "1"},
      {"setp.lt.u32 %p7, %r1, %r1;", "%p7", "0"},
      {"setp.ne.s32 %p7, %r1, %r1;", "%p7", "0"},
      {"setp.lt.u32 %p7, %r1, 0;", "%p7", "0"},
      {"setp.ge.u32 %p7, %r1, 0;", "%p7", "1"},
      {"setp.lt.s32 %p7, %r1, 0;", "%p7", "(lt_s a:32 0)"},
      {"setp.gt.u32 %p7, %r1, -1;", "%p7", "0"},
      {"setp.le.u32 %p7, %r1, -1;", "%p7", "1"},
      {"setp.gt.s32 %p7, %r1, -1;", "%p7", "(gt_s a:32 4294967295)"},
      {"add.u32 %r8, %r1, 4; setp.eq.u32 %p7, %r8, 6;", "%p7", "(eq a:32 2)"},
      {"add.u32 %r8, %r1, 4; setp.ne.u32 %p7, %r8, 2;", "%p7", "(ne a:32 4294967294)"},
      {"add.u32 %r8, %r1, 4; setp.lt.u32 %p7, %r8, 6;", "%p7", "(lt_u (add a:32 4) 6)"},
      {"sub.u32 %r8, %r1, %r2; setp.eq.u32 %p7, %r8, 0;", "%p7", "(eq a:32 b:32)"},
      {"sub.u32 %r8, %r1, %r2; setp.eq.u32 %p7, %r8, 1;", "%p7", "(eq (sub a:32 b:32) 1)"},
      {"xor.b32 %r8, %r1, %r2; setp.ne.u32 %p7, %r8, 0;", "%p7", "(ne b:32 a:32)"},
      {"cvt.u64.u32 %rd8, %r1; setp.lt.u64 %p7, %rd8, 77;", "%p7", "(lt_u a:32 77)"},
      {"cvt.u64.u32 %rd8, %r1; setp.lt.s64 %p7, %rd8, 77;", "%p7", "(lt_s (zext64 a:32) 77)"},
      {"cvt.u64.u32 %rd8, %r1; setp.eq.u64 %p7, %rd8, 0x100000000;", "%p7", "0"},
      {"cvt.u64.u32 %rd8, %r1; setp.ne.u64 %p7, %rd8, 0x100000000;", "%p7", "1"},
      {"cvt.u64.u32 %rd8, %r1; setp.lt.u64 %p7, %rd8, 0x100000000;", "%p7", "(lt_u (zext64 a:32) 4294967296)"},
      {"cvt.s64.s32 %rd8, %r1; setp.lt.s64 %p7, %rd8, -77;", "%p7", "(lt_s a:32 4294967219)"},
      {"cvt.s64.s32 %rd8, %r1; setp.lt.u64 %p7, %rd8, 77;", "%p7", "(lt_u (sext64 a:32) 77)"},
      {"cvt.s64.s32 %rd8, %r1; setp.eq.s64 %p7, %rd8, -1;", "%p7", "(eq a:32 4294967295)"},
      {"cvt.u32.u16 %r8, %rs1; setp.lt.u32 %p7, %r8, 77;", "%p7", "(lt_u e:16 77)"},
      {"cvt.s32.s8 %r8, %r1; setp.lt.s32 %p7, %r8, -7;", "%p7", "(lt_s a:8 249)"},
      {"cvt.s32.s16 %r8, %rs1; setp.lt.s32 %p7, %r8, -7;", "%p7", "(lt_s e:16 65529)"},
      {"selp.u32 %r8, 1, 0, %p1; setp.ne.u32 %p7, %r8, 0;", "%p7", "(lt_u a:32 b:32)"},
      {"selp.u32 %r8, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2; and.b32 %r9, %r8, %r7; setp.ne.u32 %p7, %r9, 0;", "%p7",
       "(and (eq c:64 d:64) (lt_u a:32 b:32))"},
      {"selp.u32 %r8, 1, 0, %p1; selp.u32 %r7, 0, 1, %p2; or.b32 %r9, %r8, %r7; setp.eq.u32 %p7, %r9, 0;", "%p7",
       "(and (eq c:64 d:64) (ge_u a:32 b:32))"},
      {"selp.u32 %r8, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2; xor.b32 %r9, %r8, %r7; setp.eq.u32 %p7, %r9, 1;", "%p7",
       "(xor (eq c:64 d:64) (lt_u a:32 b:32))"},
      {"selp.u32 %r8, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2; xor.b32 %r9, %r8, %r7; setp.gt.u32 %p7, %r9, 1;", "%p7", "0"},
      {"selp.u32 %r8, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2; xor.b32 %r9, %r8, %r7; setp.lt.u32 %p7, %r9, 1;", "%p7",
       "(not (xor (eq c:64 d:64) (lt_u a:32 b:32)))"},
      {"selp.u32 %r8, 1, 0, %p1; selp.u32 %r7, 1, 0, %p2; or.b32 %r9, %r8, %r7; setp.ge.u32 %p7, %r9, 0;", "%p7", "1"},
      {"selp.u16 %rs6, 1, 0, %p1; cvt.u32.u16 %r8, %rs6; setp.eq.u32 %p7, %r8, 0;", "%p7", "(ge_u a:32 b:32)"},
      {"selp.u32 %r8, 1, 0, %p1; or.b32 %r9, %r8, %r1; setp.eq.u32 %p7, %r9, 0;", "%p7",
       "(eq (or a:32 (select (lt_u a:32 b:32) 1 0)) 0)"},
      {"and.b32 %r8, %r1, 1; setp.eq.u32 %p7, %r8, 1;", "%p7", "(ne (and a:32 1) 0)"},
      {"and.b32 %r8, %r1, 1; setp.eq.u32 %p7, %r8, 0;", "%p7", "(eq (and a:32 1) 0)"},
      {"and.b32 %r8, %r1, 1; setp.ne.u32 %p7, %r8, 0;", "%p7", "(ne (and a:32 1) 0)"},
      {"and.b64 %rd8, %rd1, 1; setp.eq.u64 %p7, %rd8, 1;", "%p7", "(ne (and c:64 1) 0)"},
      {"selp.u32 %r8, 1, 0, %p1; and.b32 %r9, %r8, 1; setp.eq.u32 %p7, %r9, 1;", "%p7", "(lt_u a:32 b:32)"},
      {"not.pred %p8, %p1; not.pred %p7, %p8;", "%p7", "(lt_u a:32 b:32)"},
      {"and.pred %p8, %p1, %p2; not.pred %p7, %p8;", "%p7", "(or (ge_u a:32 b:32) (ne c:64 d:64))"},
      {"or.pred %p8, %p1, %p2; not.pred %p7, %p8;", "%p7", "(and (ge_u a:32 b:32) (ne c:64 d:64))"},
      {"xor.pred %p8, %p1, %p2; not.pred %p7, %p8;", "%p7", "(not (xor (lt_u a:32 b:32) (eq c:64 d:64)))"},
      {"setp.lt.f32 %p8, %f1, 0f00000000; not.pred %p7, %p8;", "%p7", "(fgeu.f32 g:32 0)"},
      {"not.pred %p8, %p1; and.pred %p7, %p1, %p8;", "%p7", "0"},
      {"not.pred %p8, %p1; or.pred %p7, %p8, %p1;", "%p7", "1"},
      {"and.pred %p8, %p1, %p2; or.pred %p7, %p8, %p1;", "%p7", "(lt_u a:32 b:32)"},
      {"and.pred %p8, %p1, %p2; or.pred %p7, %p2, %p8;", "%p7", "(eq c:64 d:64)"},
      {"or.pred %p8, %p1, %p2; and.pred %p7, %p8, %p1;", "%p7", "(lt_u a:32 b:32)"},
      {"and.pred %p8, %p1, %p2; and.pred %p7, %p8, %p2;", "%p7", "(and (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"and.pred %p8, %p1, %p2; and.pred %p7, %p1, %p8;", "%p7", "(and (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"not.pred %p8, %p1; or.pred %p6, %p8, %p2; and.pred %p7, %p1, %p6;", "%p7",
       "(and (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"not.pred %p8, %p1; or.pred %p6, %p8, %p2; and.pred %p7, %p6, %p1;", "%p7",
       "(and (eq c:64 d:64) (lt_u a:32 b:32))"},
      {"not.pred %p8, %p1; and.pred %p6, %p8, %p2; or.pred %p7, %p1, %p6;", "%p7",
       "(or (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"not.pred %p8, %p2; and.pred %p6, %p1, %p2; and.pred %p5, %p1, %p8; or.pred %p7, %p6, %p5;", "%p7",
       "(lt_u a:32 b:32)"},
      {"not.pred %p8, %p2; or.pred %p6, %p1, %p2; or.pred %p5, %p1, %p8; and.pred %p7, %p6, %p5;", "%p7",
       "(lt_u a:32 b:32)"},
      {"and.pred %p8, %p1, %p2; not.pred %p6, %p8; and.pred %p7, %p8, %p6;", "%p7", "0"},
      {"and.pred %p7, %p1, 1;", "%p7", "(lt_u a:32 b:32)"},
      {"setp.eq.u32 %p8, %r1, 7; selp.u32 %r8, 1, 0, %p8; setp.eq.u32 %p7, %r8, 1;", "%p7", "(eq a:32 7)"},
  });
}
