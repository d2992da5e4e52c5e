// What each instruction leaves in its register, with its width and sign: analysis/evaluate.cpp (PTX ISA 9.7).
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

// a, b and tid.x in %r1 to %r3, c and d in %rd1 and %rd2, e in %rs1, g and h in %f1 and %fd1; a < b and c == d in %p1 and
// %p2.
const std::string before = R"(
.const .b32 table[4];
.global .b32 var[4];
.shared .b32 s[4];
.visible .entry k(.param .u32 a, .param .u32 b, .param .u64 c, .param .u64 d, .param .u16 e, .param .s8 f,
                  .param .f32 g, .param .f64 h, .param .align 4 .b8 i[16])
{
  .local .b32 l[4];
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<9>;
  .reg .f64 %fd<9>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  mov.u32 %r3, %tid.x;
  ld.param.u64 %rd1, [c];
  ld.param.u64 %rd2, [d];
  ld.param.u16 %rs1, [e];
  ld.param.f32 %f1, [g];
  ld.param.f64 %fd1, [h];
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

TEST_CASE("arithmetic, logic and shifts") {
  check({
      {"add.u32 %r9, %r1, %r2;", "%r9", "(add b:32 a:32)"},
      {"add.s32 %r9, %r1, 7;", "%r9", "(add a:32 7)"},
      {"add.sat.s32 %r9, %r1, %r2;", "%r9", "{add.sat.s32:32 a:32 b:32}"},
      {"add.cc.u32 %r8, %r1, %r2; addc.u32 %r9, %r1, %r2;", "%r9", "?the carry of an earlier instruction"},
      {"add.f32 %f5, %f1, %f1;", "%f5", "{add.f32:32 g:32 g:32}"},
      {"sub.u64 %rd9, %rd1, %rd2;", "%rd9", "(sub c:64 d:64)"},
      {"sub.sat.s32 %r9, %r1, %r2;", "%r9", "{sub.sat.s32:32 a:32 b:32}"},
      {"mul.lo.u32 %r9, %r1, %r2;", "%r9", "(mul b:32 a:32)"},
      {"mul.hi.u32 %r9, %r1, %r2;", "%r9", "(mul_hi_u b:32 a:32)"},
      {"mul.hi.s32 %r9, %r1, %r2;", "%r9", "(mul_hi_s b:32 a:32)"},
      {"mul.wide.u32 %rd9, %r1, %r2;", "%rd9", "(mul (zext64 b:32) (zext64 a:32))"},
      {"mul.wide.s32 %rd9, %r1, %r2;", "%rd9", "(mul (sext64 b:32) (sext64 a:32))"},
      {"mul.wide.u16 %r9, %rs1, %rs1;", "%r9", "(mul (zext32 e:16) (zext32 e:16))"},
      {"mad.lo.s32 %r9, %r1, %r2, %r3;", "%r9", "(add (mul b:32 a:32) tid.x)"},
      {"mad.hi.s32 %r9, %r1, %r2, %r3;", "%r9", "(add (mul_hi_s b:32 a:32) tid.x)"},
      {"mad.hi.u32 %r9, %r1, %r2, %r3;", "%r9", "(add (mul_hi_u b:32 a:32) tid.x)"},
      {"mad.hi.sat.s32 %r9, %r1, %r2, %r3;", "%r9", "{mad.hi.sat.s32:32 a:32 b:32 tid.x}"},
      {"mad.wide.u32 %rd9, %r1, %r2, %rd1;", "%rd9", "(add (mul (zext64 b:32) (zext64 a:32)) c:64)"},
      {"mad.wide.s32 %rd9, %r1, %r2, %rd1;", "%rd9", "(add (mul (sext64 b:32) (sext64 a:32)) c:64)"},
      {"mul24.lo.u32 %r9, %r1, %r3;", "%r9", "(mul tid.x (and a:32 16777215))"},
      {"mul24.lo.u32 %r9, %r3, %r1;", "%r9", "(mul (and a:32 16777215) tid.x)"},
      {"mul24.hi.u32 %r9, %r1, %r2;", "%r9", "{mul24.hi.u32:32 a:32 b:32}"},
      {"mul24.lo.s32 %r9, %r1, %r2;", "%r9", "{mul24.lo.s32:32 a:32 b:32}"},
      {"cvt.u32.u16 %r8, %rs1; mul24.lo.u32 %r9, %r8, %r8;", "%r9", "(mul (zext32 e:16) (zext32 e:16))"},
      {"mov.u32 %r8, %ntid.y; mad24.lo.u32 %r9, %r8, %r1, %r2;", "%r9", "(add (mul (and a:32 16777215) ntid.y) b:32)"},
      {"mov.u32 %r8, %ctaid.x; mul24.lo.u32 %r9, %r8, %r3;", "%r9", "(mul tid.x (and ctaid.x 16777215))"},
      {"div.u32 %r9, %r1, %r2;", "%r9", "(div_u a:32 b:32)"},
      {"div.s32 %r9, %r1, %r2;", "%r9", "(div_s a:32 b:32)"},
      {"div.rn.f32 %f5, %f1, %f1;", "%f5", "{div.rn.f32:32 g:32 g:32}"},
      {"rem.u32 %r9, %r1, %r2;", "%r9", "(rem_u a:32 b:32)"},
      {"rem.s64 %rd9, %rd1, %rd2;", "%rd9", "(rem_s c:64 d:64)"},
      {"abs.s32 %r9, %r1;", "%r9", "(abs a:32)"},
      {"neg.s32 %r9, %r1;", "%r9", "(neg a:32)"},
      {"abs.f32 %f5, %f1;", "%f5", "{abs.f32:32 g:32}"},
      {"neg.f64 %fd7, %fd1;", "%fd7", "{neg.f64:64 h:64}"},
      {"min.u32 %r9, %r1, %r2;", "%r9", "(min_u b:32 a:32)"},
      {"min.s32 %r9, %r1, %r2;", "%r9", "(min_s b:32 a:32)"},
      {"max.u64 %rd9, %rd1, %rd2;", "%rd9", "(max_u d:64 c:64)"},
      {"max.s64 %rd9, %rd1, %rd2;", "%rd9", "(max_s d:64 c:64)"},
      {"min.f32 %f5, %f1, 0f3F800000;", "%f5", "{min.f32:32 g:32 1065353216}"},
      {"max.s16x2 %r9, %r1, %r2;", "%r9", "{max.s16x2:32 a:32 b:32}"},
      {"max.relu.s16x2 %r9, %r1, %r2;", "%r9", "{max.relu.s16x2:32 a:32 b:32}"},
      {"and.b32 %r9, %r1, %r2;", "%r9", "(and b:32 a:32)"},
      {"or.b64 %rd9, %rd1, %rd2;", "%rd9", "(or d:64 c:64)"},
      {"xor.b32 %r9, %r1, %r2;", "%r9", "(xor b:32 a:32)"},
      {"and.pred %p7, %p1, %p2;", "%p7", "(and (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"or.pred %p7, %p1, %p2;", "%p7", "(or (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"xor.pred %p7, %p1, %p2;", "%p7", "(xor (lt_u a:32 b:32) (eq c:64 d:64))"},
      {"not.b32 %r9, %r1;", "%r9", "(not a:32)"},
      {"not.pred %p7, %p1;", "%p7", "(ge_u a:32 b:32)"},
      {"cnot.b32 %r9, %r1;", "%r9", "(select (eq a:32 0) 1 0)"},
      {"cnot.b64 %rd9, %rd1;", "%rd9", "(select (eq c:64 0) 1 0)"},
      {"shl.b32 %r9, %r1, %r2;", "%r9", "(shl a:32 b:32)"},
      {"shl.b64 %rd9, %rd1, 3;", "%rd9", "(mul c:64 8)"},
      {"shr.u32 %r9, %r1, %r2;", "%r9", "(shr_u a:32 b:32)"},
      {"shr.s32 %r9, %r1, 4;", "%r9", "(shr_s a:32 4)"},
      {"shr.b64 %rd9, %rd1, %r2;", "%rd9", "(shr_u c:64 b:32)"},
      {"shf.l.wrap.b32 %r9, %r1, %r2, %r3;", "%r9",
       "(trunc32 (shr_u (shl (or (mul (zext64 b:32) 4294967296) (zext64 a:32)) (and tid.x 31)) 32))"},
      {"shf.l.clamp.b32 %r9, %r1, %r2, %r3;", "%r9",
       "(trunc32 (shr_u (shl (or (mul (zext64 b:32) 4294967296) (zext64 a:32)) (min_u tid.x 32)) 32))"},
      {"shf.r.wrap.b32 %r9, %r1, %r2, 8;", "%r9",
       "(trunc32 (shr_u (or (mul (zext64 b:32) 4294967296) (zext64 a:32)) 8))"},
      {"shf.r.clamp.b32 %r9, %r1, %r2, 40;", "%r9",
       "(trunc32 (shr_u (or (mul (zext64 b:32) 4294967296) (zext64 a:32)) 32))"},
  });
}

TEST_CASE("fields, bytes and bits") {
  check({
      {"bfe.u32 %r9, %r1, 4, 12;", "%r9", "(and (shr_u a:32 4) 4095)"},
      {"bfe.s32 %r9, %r1, 4, 12;", "%r9", "(shr_s (mul a:32 65536) 20)"},
      {"bfe.s32 %r9, %r1, 20, 12;", "%r9", "(shr_s a:32 20)"},
      {"bfe.s32 %r9, %r1, 24, 12;", "%r9", "{bfe.s32:32 a:32 24 12}"},
      {"bfe.u32 %r9, %r1, 4, 0;", "%r9", "0"},
      {"bfe.u32 %r9, %r1, 4, 32;", "%r9", "(shr_u a:32 4)"},
      {"bfe.u32 %r9, %r1, 260, 268;", "%r9", "(and (shr_u a:32 4) 4095)"},
      {"bfe.u64 %rd9, %rd1, 8, 63;", "%rd9", "(and (shr_u c:64 8) 9223372036854775807)"},
      {"bfe.u32 %r9, %r1, %r2, 12;", "%r9", "{bfe.u32:32 a:32 b:32 12}"},
      {"bfe.u32 %r9, %r1, 4, %r2;", "%r9", "{bfe.u32:32 a:32 4 b:32}"},
      {"bfi.b32 %r9, %r1, %r2, 4, 12;", "%r9", "(or (mul (and a:32 4095) 16) (and b:32 4294901775))"},
      {"bfi.b32 %r9, %r1, %r2, 4, 0;", "%r9", "b:32"},
      {"bfi.b32 %r9, %r1, %r2, 32, 4;", "%r9", "b:32"},
      {"bfi.b32 %r9, %r1, %r2, 31, 4;", "%r9", "(or (mul (and a:32 15) 2147483648) (and b:32 2147483647))"},
      {"bfi.b64 %rd9, %rd1, %rd2, 0, 64;", "%rd9", "c:64"},
      {"bfi.b32 %r9, %r1, %r2, %r3, 4;", "%r9", "{bfi.b32:32 a:32 b:32 tid.x 4}"},
      {"bfi.b32 %r9, %r1, %r2, 4, %r3;", "%r9", "{bfi.b32:32 a:32 b:32 4 tid.x}"},
      {"prmt.b32 %r9, %r1, %r2, 0x3210;", "%r9", "a:32"},
      {"prmt.b32 %r9, %r1, %r2, 0x7654;", "%r9", "b:32"},
      {"prmt.b32 %r9, %r1, %r2, 0x5410;", "%r9",
       "(or (or (or (and a:32 255) (mul (and (shr_u a:32 8) 255) 256)) (mul (and b:32 255) 65536)) (mul (and (shr_u "
       "b:32 8) 255) 16777216))"},
      {"prmt.b32 %r9, %r1, %r2, 0x13210;", "%r9", "a:32"},
      {"prmt.b32 %r9, %r1, %r2, 0x3218;", "%r9", "{prmt.b32:32 a:32 b:32 12824}"},
      {"prmt.b32 %r9, %r1, %r2, %r3;", "%r9", "{prmt.b32:32 a:32 b:32 tid.x}"},
      {"prmt.b32.f4e %r9, %r1, %r2, 1;", "%r9", "{prmt.b32.f4e:32 a:32 b:32 1}"},
      {"popc.b32 %r9, %r1;", "%r9", "(popc a:32)"},
      {"popc.b64 %r9, %rd1;", "%r9", "(trunc32 (popc c:64))"},
      {"clz.b32 %r9, %r1;", "%r9", "(clz a:32)"},
      {"clz.b64 %r9, %rd1;", "%r9", "(trunc32 (clz c:64))"},
      {"brev.b32 %r9, %r1;", "%r9", "(brev a:32)"},
      {"brev.b64 %rd9, %rd1;", "%rd9", "(brev c:64)"},
      {"bfind.u32 %r9, %r1;", "%r9", "{bfind.u32:32 a:32}"},
      {"bfind.u64 %r9, %rd1;", "%r9", "{bfind.u64:32 c:64}"},
      {"fns.b32 %r9, %r1, 0, 1;", "%r9", "{fns.b32:32 a:32 0 1}"},
      {"dp4a.u32.u32 %r9, %r1, %r2, %r3;", "%r9", "{dp4a.u32.u32:32 a:32 b:32 tid.x}"},
  });
}

TEST_CASE("lop3: the tables with a name of their own, and the rows of any other") {
  check({
      {"lop3.b32 %r9, %r1, %r2, %r3, 0;", "%r9", "0"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xff;", "%r9", "4294967295"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0x80;", "%r9", "(and tid.x (and a:32 b:32))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xfe;", "%r9", "(or tid.x (or a:32 b:32))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0x96;", "%r9", "(xor tid.x (xor a:32 b:32))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xc0;", "%r9", "(and a:32 b:32)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xa0;", "%r9", "(and a:32 tid.x)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0x88;", "%r9", "(and b:32 tid.x)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xfc;", "%r9", "(or a:32 b:32)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xfa;", "%r9", "(or a:32 tid.x)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xee;", "%r9", "(or b:32 tid.x)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0x3c;", "%r9", "(xor a:32 b:32)"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xe0;", "%r9", "(and a:32 (or b:32 tid.x))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xa8;", "%r9", "(and tid.x (or a:32 b:32))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xf8;", "%r9", "(or a:32 (and b:32 tid.x))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0xea;", "%r9", "(or tid.x (and a:32 b:32))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0x04;", "%r9", "(and (and b:32 (not a:32)) (not tid.x))"},
      {"lop3.b32 %r9, %r1, %r2, %r3, 0x12;", "%r9",
       "(or (and tid.x (and (not a:32) (not b:32))) (and (and a:32 (not b:32)) (not tid.x)))"},
      {"lop3.or.b32 %r9|%p7, %r1, %r2, %r3, 0xc0, %p1;", "%r9", "(and a:32 b:32)"},
      {"lop3.or.b32 %r9|%p7, %r1, %r2, %r3, 0xc0, %p1;", "%p7", "(or (ne (and a:32 b:32) 0) (lt_u a:32 b:32))"},
      {"lop3.and.b32 %r9|%p7, %r1, %r2, %r3, 0xc0, %p1;", "%p7", "(and (ne (and a:32 b:32) 0) (lt_u a:32 b:32))"},
  });
}

TEST_CASE("comparisons and choices") {
  check({
      {"setp.lt.s32 %p7, %r1, %r2;", "%p7", "(lt_s a:32 b:32)"},
      {"setp.lo.u32 %p7, %r1, %r2;", "%p7", "(lt_u a:32 b:32)"},
      {"setp.hs.u32 %p7, %r1, 5;", "%p7", "(ge_u a:32 5)"},
      {"setp.gt.u16 %p7, %rs1, 5;", "%p7", "(gt_u e:16 5)"},
      {"setp.lt.and.s32 %p8|%p7, %r1, %r2, %p2;", "%p8", "(and (lt_s a:32 b:32) (eq c:64 d:64))"},
      {"setp.lt.and.s32 %p8|%p7, %r1, %r2, %p2;", "%p7", "(and (ge_s a:32 b:32) (eq c:64 d:64))"},
      {"setp.lt.or.s32 %p8|%p7, %r1, %r2, !%p2;", "%p7", "(or (ge_s a:32 b:32) (ne c:64 d:64))"},
      {"setp.ne.xor.u32 %p7, %r1, %r2, %p2;", "%p7", "(xor (ne a:32 b:32) (eq c:64 d:64))"},
      {"setp.lt.f32 %p7, %f1, 0f00000000;", "%p7", "(flt.f32 g:32 0)"},
      {"setp.geu.f64 %p7, %fd1, %fd1;", "%p7", "(fgeu.f64 h:64 h:64)"},
      {"setp.num.f32 %p7, %f1, %f1;", "%p7", "(fnum.f32 g:32 g:32)"},
      {"setp.nan.f32 %p8|%p7, %f1, %f1;", "%p7", "(fnum.f32 g:32 g:32)"},
      {"setp.lt.f16x2 %p8|%p7, %r1, %r2;", "%p8", "?a packed compare"},
      {"set.lt.u32.s32 %r9, %r1, %r2;", "%r9", "(select (lt_s a:32 b:32) 4294967295 0)"},
      {"set.lt.and.u32.s32 %r9, %r1, %r2, %p2;", "%r9", "(select (and (lt_s a:32 b:32) (eq c:64 d:64)) 4294967295 0)"},
      {"set.lt.f32.u32 %f5, %r1, %r2;", "%f5", "(select (lt_u a:32 b:32) 1065353216 0)"},
      {"set.gt.s32.f32 %r9, %f1, 0f00000000;", "%r9", "(select (fgt.f32 g:32 0) 4294967295 0)"},
      {"set.gt.f16.f16 %rs6, %rs1, %rs1;", "%rs6", "{set.gt.f16.f16:16 e:16 e:16}"},
      {"selp.b32 %r9, %r1, %r2, %p1;", "%r9", "(min_u b:32 a:32)"},
      {"selp.b64 %rd9, %rd1, 5, %p1;", "%rd9", "(select (lt_u a:32 b:32) c:64 5)"},
      {"selp.f32 %f5, %f1, 0f00000000, %p1;", "%f5", "(select (lt_u a:32 b:32) g:32 0)"},
      {"slct.u32.s32 %r9, %r1, %r2, %r3;", "%r9", "(select (ge_s tid.x 0) a:32 b:32)"},
      {"slct.u32.f32 %r9, %r1, %r2, %f1;", "%r9", "{slct.u32.f32:32 a:32 b:32 g:32}"},
      {"testp.finite.f32 %p7, %f1;", "%p7", "{testp.finite.f32:1 g:32}"},
  });
}

TEST_CASE("conversions and addresses") {
  check({
      {"cvt.u64.u32 %rd9, %r1;", "%rd9", "(zext64 a:32)"},
      {"cvt.s64.s32 %rd9, %r1;", "%rd9", "(sext64 a:32)"},
      {"cvt.u32.u64 %r9, %rd1;", "%r9", "c:32"},
      {"cvt.u32.u8 %r9, %r1;", "%r9", "(zext32 a:8)"},
      {"cvt.s32.s8 %r9, %r1;", "%r9", "(sext32 a:8)"},
      {"cvt.u16.u32 %rs6, %r1;", "%rs6", "a:16"},
      {"cvt.u8.u32 %r9, %r1;", "%r9", "(zext32 a:8)"},
      {"cvt.s8.s32 %r9, %r1;", "%r9", "(sext32 a:8)"},
      {"cvt.sat.u8.s32 %r9, %r1;", "%r9", "(zext32 {cvt.sat.u8.s32:8 a:32})"},
      {"cvt.rn.f32.u32 %f5, %r1;", "%f5", "{cvt.rn.f32.u32:32 a:32}"},
      {"cvt.rzi.u32.f32 %r9, %f1;", "%r9", "{cvt.rzi.u32.f32:32 g:32}"},
      {"cvt.f64.f32 %fd7, %f1;", "%fd7", "{cvt.f64.f32:64 g:32}"},
      {"cvta.to.global.u64 %rd9, %rd1;", "%rd9", "c:64"},
      {"cvta.to.shared.u64 %rd9, %rd1;", "%rd9", "{cvta.to.shared.u64:64 c:64}"},
      {"cvta.to.local.u64 %rd9, %rd1;", "%rd9", "{cvta.to.local.u64:64 c:64}"},
      {"mov.u64 %rd8, l; cvta.local.u64 %rd9, %rd8;", "%rd9", "$l"},
      {"mov.u64 %rd8, s; add.u64 %rd8, %rd8, %rd1; cvta.shared.u64 %rd9, %rd8;", "%rd9",
       "{cvta.shared.u64:64 (add c:64 $s)}"},
      {"isspacep.global %p7, %rd1;", "%p7", "{isspacep.global:1 c:64}"},
  });
}

TEST_CASE("moves and special registers") {
  check({
      {"mov.u32 %r9, %r1;", "%r9", "a:32"},
      {"mov.u32 %r9, -1;", "%r9", "4294967295"},
      {"mov.b32 %r9, %f1;", "%r9", "g:32"},
      {"mov.f32 %f5, 0f3F800000;", "%f5", "1065353216"},
      {"mov.f32 %f5, 1.5;", "%f5", "1069547520"},
      {"mov.f64 %fd7, 0f3F800000;", "%fd7", "4607182418800017408"},
      {"mov.f64 %fd7, 1.5;", "%fd7", "4609434218613702656"},
      {"mov.pred %p7, 1;", "%p7", "1"},
      {"mov.pred %p7, %p1;", "%p7", "(lt_u a:32 b:32)"},
      {"mov.u64 %rd9, var;", "%rd9", "$var"},
      {"mov.u64 %rd9, var+8;", "%rd9", "?a constant expression over symbols"},
      {"mov.b64 %rd9, {%r1, %r2};", "%rd9", "(or (zext64 a:32) (mul (zext64 b:32) 4294967296))"},
      {"mov.b32 %r9, {%rs1, 5};", "%r9", "(or (zext32 e:16) 327680)"},
      {"mov.b64 {%r8, %r9}, %rd1;", "%r8", "c:32"},
      {"mov.b64 {%r8, %r9}, %rd1;", "%r9", "(trunc32 (shr_u c:64 32))"},
      {"mov.b32 {%rs8, %rs7}, %r1;", "%rs7", "(trunc16 (shr_u a:32 16))"},
      {"mov.b128 {%rd8, %rd9}, {%rd1, %rd2};", "%rd9", "{element:64 {mov.b128:64 c:64 d:64} 1}"},
      {"mov.u32 %r9, %ntid.z;", "%r9", "ntid.z"},
      {"mov.u32 %r9, %laneid;", "%r9", "laneid"},
      {"mov.u32 %r9, WARP_SZ;", "%r9", "32"},
      {"mov.u32 %r9, %clock;", "%r9", "{clock:32}"},
      {"mov.u64 %rd9, %globaltimer;", "%rd9", "{globaltimer:64}"},
      {"mov.u64 %rd9, %gridid;", "%rd9", "gridid:64"},
      {"mov.u16 %rs6, %tid.x;", "%rs6", "tid.x:16"},
      {"mov.u32 %r9, %pm3;", "%r9", "{pm3:32}"},
      {"mov.u32 %r9, %dynamic_smem_size;", "%r9", "dynamic_smem_size"},
  });
}

TEST_CASE("what other threads say, and what is only named") {
  check({
      {"mul24.hi.u32 %r9, %tid.x, %r1;", "%r9", "{mul24.hi.u32:32 (zext64 tid.x) a:32}"},
      {"mul24.hi.u32 %r9, 5, %r1;", "%r9", "{mul24.hi.u32:32 5 a:32}"},
      {"fma.rn.f64 %fd7, %fd1, 0d4000000000000000, 0f3F800000;", "%fd7",
       "{fma.rn.f64:64 h:64 4611686018427387904 1065353216}"},
      {"vote.sync.all.pred %p7, %p1, -1;", "%p7", "{vote.all:1 (lt_u a:32 b:32)}"},
      {"vote.sync.any.pred %p7, !%p1, -1;", "%p7", "{vote.any:1 (ge_u a:32 b:32)}"},
      {"vote.sync.uni.pred %p7, %p1, -1;", "%p7", "{vote.uni:1 (lt_u a:32 b:32)}"},
      {"vote.sync.ballot.b32 %r9, %p1, -1;", "%r9", "{vote.ballot:32 (lt_u a:32 b:32)}"},
      {"vote.sync.all.pred %p7, 1, -1;", "%p7", "1"},
      {"mov.pred %p8, 0; vote.sync.any.pred %p7, %p8, -1;", "%p7", "0"},
      {"mov.pred %p8, 0; vote.sync.uni.pred %p7, %p8, -1;", "%p7", "{vote.uni:1 0}"},
      {"mov.pred %p8, 1; vote.sync.ballot.b32 %r9, %p8, -1;", "%r9", "{vote.ballot:32 1}"},
      {"shfl.sync.up.b32 %r9|%p7, %r1, 1, 0, -1;", "%r9", "{shfl.up:32 a:32}"},
      {"shfl.sync.up.b32 %r9|%p7, %r1, 1, 0, -1;", "%p7", "{shfl.up.in_range:1}"},
      {"shfl.sync.idx.b32 %r9|%p7, %r1, %r2, 31, -1;", "%r9", "{shfl.idx:32 a:32 b:32}"},
      {"shfl.sync.idx.b32 %r9|%p7, %r1, %r2, 31, -1;", "%p7", "{shfl.idx.in_range:1 b:32}"},
      {"activemask.b32 %r9;", "%r9", "{activemask:32}"},
      {"match.any.sync.b32 %r9, %r1, -1;", "%r9", "{match.any.sync.b32:32 a:32 18446744073709551615}"},
      {"match.all.sync.b32 %r9|%p7, %r1, -1;", "%p7", "{match.all.sync.b32:1 a:32 18446744073709551615}"},
      {"elect.sync %r9|%p7, -1;", "%p7", "{elect.sync:1 18446744073709551615}"},
      {"fma.rn.f32 %f5, %f1, 0f40000000, %f1;", "%f5", "{fma.rn.f32:32 g:32 1073741824 g:32}"},
      {"sqrt.rn.f64 %fd7, %fd1;", "%fd7", "{sqrt.rn.f64:64 h:64}"},
      {"atom.global.add.u32 %r9, [%rd1+4], %r1;", "%r9", "{atom.global.add.u32:32 (add c:64 4) a:32}"},
      {"tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [%rd1, {%r1}];", "%f6",
       "{element:32 {tex.1d.v4.f32.s32:32 c:64 a:32} 1}"},
      {"tex.1d.v4.f32.s32 {%f5, %f6, %f7, %f8}, [%rd1, {%r1}];", "%f8",
       "{element:32 {tex.1d.v4.f32.s32:32 c:64 a:32} 3}"},
      {"madc.hi.u32 %r9, %r1, %r2, %r3;", "%r9", "?the carry of an earlier instruction"},
      {"sad.u32 %r9, %r1, %r2, %r3;", "%r9", "{sad.u32:32 a:32 b:32 tid.x}"},
      {"vadd.s32.u32.s32 %r9, %r1, %r2;", "%r9", "{vadd.s32.u32.s32:32 a:32 b:32}"},
      {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r8, %r9}, [%r1];", "%r8",
       "{ldmatrix.sync.aligned.m8n8.x2.shared.b16:32 a:32}"},
      {"ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%r8, %r9}, [%r1];", "%r9",
       "{element:32 {ldmatrix.sync.aligned.m8n8.x2.shared.b16:32 a:32} 1}"},
      {"vadd.s32.u32.s32 %r9, %r1, %r2.b1;", "%r9", "{vadd.s32.u32.s32:32 a:32 {b1:32 b:32}}"},
      {"vadd.s32.u32.s32 %r9, %r1.h1, -%r2;", "%r9", "{vadd.s32.u32.s32:32 {h1:32 a:32} (neg b:32)}"},
      {"set.gt.and.f16.f16 %rs6, %rs1, %rs1, !%p1;", "%rs6", "{set.gt.and.f16.f16:16 e:16 e:16 (ge_u a:32 b:32)}"},
      {"bfe.u64 %rd9, var+8, %r1, 12;", "%rd9", "{bfe.u64:64 ?a constant expression over symbols a:32 12}"},
      {"tex.2d.v4.f32.f32 {%f5, %f6, %f7, %f8}, [%rd1, {%f1, %f1}];", "%f5", "{tex.2d.v4.f32.f32:32 c:64 g:32 g:32}"},
  });
}
