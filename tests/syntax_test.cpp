// What each piece of a line is, as editors colour it.
#include "analysis/syntax.h"

#include <string>

#include "tests/catch.h"

using namespace ptxscope::analysis;

namespace {

std::string_view name_of(SyntaxRole role) {
  switch (role) {
    case SyntaxRole::comment:
      return "comment";
    case SyntaxRole::directive:
      return "directive";
    case SyntaxRole::label:
      return "label";
    case SyntaxRole::type:
      return "type";
    case SyntaxRole::reg:
      return "reg";
    case SyntaxRole::special:
      return "special";
    case SyntaxRole::number:
      return "number";
    case SyntaxRole::string:
      return "string";
    case SyntaxRole::name:
      return "name";
    case SyntaxRole::unknown:
      return "unknown";
    case SyntaxRole::arithmetic:
      return "arithmetic";
    case SyntaxRole::memory:
      return "memory";
    case SyntaxRole::control:
      return "control";
    case SyntaxRole::barrier:
      return "barrier";
    case SyntaxRole::matrix:
      return "matrix";
    case SyntaxRole::trap:
      return "trap";
    default:
      return "text";
  }
}

// "reg %p1, control bra, …": the pieces of the line, each with its role in front.
std::string roles(std::string_view line, LineState state = {}) {
  std::string out;
  for (const SyntaxRun& run : syntax_of(line, state)) {
    if (!out.empty()) out += ", ";
    out += std::string(name_of(run.role)) + " " + std::string(line.substr(run.begin, run.end - run.begin));
  }
  return out;
}

}  // namespace

TEST_CASE("the pieces of an instruction") {
  CHECK(roles("\t@!%p1 bra $L__BB0_2;") == "reg %p1, control bra, label $L__BB0_2");
  CHECK(roles("$L__BB0_2: add.s32 %r1, %r1, -1;") ==
        "label $L__BB0_2:, arithmetic add, type .s32, reg %r1, reg %r1, number 1");
  CHECK(roles("ld.shared::cta.u32 %r1, [tile+0x10]; // first") ==
        "memory ld, type .shared::cta.u32, reg %r1, name tile, number 0x10, comment // first");
  CHECK(roles("mad.lo.s32 %r1, %ctaid.x, %ntid.x, %tid.x;") ==
        "arithmetic mad, type .lo.s32, reg %r1, special %ctaid.x, special %ntid.x, special %tid.x");
  CHECK(roles("bar.sync 0; trap;") == "barrier bar, type .sync, number 0, trap trap");
  CHECK(roles("frobnicate.b32 %r1, _;") == "unknown frobnicate, unknown .b32, reg %r1, name _");
}

TEST_CASE("numbers in each of their forms") {  // PTX ISA 4.5
  CHECK(roles("add.f32 %f1, %f1, 0f3F800000;") == "arithmetic add, type .f32, reg %f1, reg %f1, number 0f3F800000");
  CHECK(roles("add.f64 %fd1, %fd1, 1.5e3;") == "arithmetic add, type .f64, reg %fd1, reg %fd1, number 1.5e3");
  CHECK(roles("and.b32 %r1, %r1, 0b101U;") == "arithmetic and, type .b32, reg %r1, reg %r1, number 0b101U");
  CHECK(roles("st.global.v2.u32 [%rd1], {1, 2};") == "memory st, type .global.v2.u32, reg %rd1, number 1, number 2");
}

TEST_CASE("directives, strings, and what goes on from the line before") {
  CHECK(roles(".reg .b32 %r<4>;") == "directive .reg, type .b32, reg %r, number 4");
  CHECK(roles(".file 1 \"a.cu\"") == "directive .file, number 1, string \"a.cu\"");
  CHECK(roles("/* one */ ret; /* two") == "comment /* one */, control ret, comment /* two");
  CHECK(roles("still */ ret;", {.in_comment = true, .starts_statement = true}) == "comment still */, control ret");
  CHECK(roles("%r1, add;", {.in_comment = false, .starts_statement = false}) == "reg %r1, name add");
}

TEST_CASE("guards and registers without %") {
  CHECK(roles("@p bra L;") == "reg p, control bra, name L");
  CHECK(roles("@!p trap;") == "reg p, trap trap");
  CHECK(roles("@ p ret; ret;") == "reg p, control ret, control ret");
  CHECK(roles("L : bra L;") == "label L :, control bra, name L");
  CHECK(roles("a::b;") == "unknown a::b");
}

TEST_CASE("the word under the cursor") {
  const auto word = [](std::string_view line, std::string_view around) {
    return std::string(word_at(line, line.find(around)));
  };
  CHECK(word("add.s32 %r1,%r2;", "dd") == "add.s32");
  CHECK(word("add.s32 %r1,%r2;", "s32") == "add.s32");
  CHECK(word("add.s32 %r1,%r2;", "%r1") == "%r1");
  CHECK(word("add.s32 %r1,%r2;", "1,") == "%r1");
  CHECK(word("add.s32 %r1,%r2;", "2;") == "%r2");
  CHECK(word("mov.u32 %r1,%tid.x;", "tid") == "%tid.x");
  CHECK(word("a%b", "a").size() == 1);
  CHECK(word("a%b", "b") == "%b");
  CHECK(word("ld.shared::cta.u32", "cta") == "ld.shared::cta.u32");
  CHECK(word("ld.shared::cta.u32", "::") == "ld.shared::cta.u32");
  CHECK(word("ld.shared::cta.u32", ":cta") == "ld.shared::cta.u32");
  CHECK(word("L: ret;", "L") == "L");
  CHECK(word("L:ret;", "ret") == "ret");
  CHECK(word("L: ret;", ":").empty());
  CHECK(word("L:: ret;", "L") == "L");
  CHECK(word("a b", " ").empty());
  CHECK(word_at("abc", 3).empty());
  CHECK(word_at("", 0).empty());
}
