#include "analysis/diff.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/diff_align.h"
#include "analysis/diff_function.h"
#include "analysis/stats.h"
#include "report/diff.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

std::string module_of(const std::string& body,
                      const std::string& header = ".visible .entry f(.param .u64 p, .param .u32 n)") {
  return ".version 8.0\n.target sm_80\n.address_size 64\n" + header +
         "\n{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n" + body + "\n}\n";
}

struct Compared {
  Module a, b;
  ModuleDiff diff;
  Compared(const std::string& left, const std::string& right)
      : a(parse(left, "a.ptx")), b(parse(right, "b.ptx")), diff(diff_modules(a, b)) {}
  [[nodiscard]] std::string verdict() const { return report::diff_verdict(a, b, diff); }
  [[nodiscard]] const FunctionDiff& function() const { return diff.functions.front(); }
  // "-14 exit; / +… / !…": what the edits are, in one string.
  [[nodiscard]] std::string edits() const {
    std::string out;
    for (const FunctionDiff& one : diff.functions)
      for (const Edit& edit : one.edits) {
        const auto text = [](const Module& module, const EditSide& side) {
          return std::string(module.text(side.span));
        };
        if (!out.empty()) out += " / ";
        if (edit.effect != EditEffect::changes) out += "idle ";
        if (edit.op == EditOp::remove) out += "-" + text(a, edit.a);
        if (edit.op == EditOp::insert) out += "+" + text(b, edit.b);
        if (edit.op == EditOp::replace) out += text(a, edit.a) + " => " + text(b, edit.b);
      }
    return out;
  }
};

Compared bodies(const std::string& left, const std::string& right) { return {module_of(left), module_of(right)}; }

const std::string loop = R"(
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
L1:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra L2;
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd1], %r2;
  bra L1;
L2:
  ret;)";

}  // namespace

TEST_CASE("A module and itself") {
  CHECK(bodies(loop, loop).verdict() == "identical, byte for byte");
  const Compared spaced = bodies(loop, loop + "\n// that is all\n");
  CHECK(spaced.verdict() == "same code");
  CHECK(spaced.diff.same_code);
  CHECK_FALSE(spaced.diff.identical);
}

TEST_CASE("Names are variables") {
  const Compared other = bodies(loop, R"(
  ld.param.u64 %rd7, [p];
  ld.param.u32 %r9, [n];
  mov.u32 %r3, 0;
  .loc 1 2 3
$again:
  setp.ge.u32 %p5, %r3, %r9;
  @%p5 bra $out;
  add.u32 %r3, %r3, 1;
  st.global.u32 [%rd7], %r3;
  bra $again;
$out:
  ret;)");
  CHECK(other.verdict() == "same code; registers and local names renamed");
  CHECK(other.function().registers.size() == 4);
  CHECK(other.function().labels == std::vector<std::pair<std::string, std::string>>{{"L2", "$out"}, {"L1", "$again"}});
  // Parameters are known by their place.
  CHECK(Compared(module_of("ld.param.u32 %r1, [n]; st.global.u32 [%rd1], %r1;"),
                 module_of("ld.param.u32 %r1, [count]; st.global.u32 [%rd1], %r1;",
                           ".visible .entry f(.param .u64 where, .param .u32 count)"))
            .diff.same_code);
}

TEST_CASE("One edit each") {
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = loop;
    text.replace(text.find(from), from.size(), to);
    const Compared result = bodies(loop, text);
    CHECK_FALSE(result.diff.same_code);
    return result.edits();
  };
  CHECK(changed("setp.ge.u32", "setp.gt.u32") == "setp.ge.u32 %p1, %r2, %r1; => setp.gt.u32 %p1, %r2, %r1;");
  CHECK(changed("%r2, %r2, 1", "%r2, %r2, 2") == "add.u32 %r2, %r2, 1; => add.u32 %r2, %r2, 2;");
  CHECK(changed("%p1, %r2, %r1", "%p1, %r1, %r2") == "setp.ge.u32 %p1, %r2, %r1; => setp.ge.u32 %p1, %r1, %r2;");
  CHECK(changed("[%rd1], %r2", "[%rd1], %r1") == "st.global.u32 [%rd1], %r2; => st.global.u32 [%rd1], %r1;");
  CHECK(changed("@%p1 bra", "@!%p1 bra") == "@%p1 bra L2; => @!%p1 bra L2;");
  CHECK(changed("bra L1;", "bra L2;") == "bra L1; => bra L2;");
  CHECK(changed("bra L1;", "") == "-bra L1;");
  CHECK(changed("  st.global.u32 [%rd1], %r2;\n", "") == "-st.global.u32 [%rd1], %r2;");
  CHECK(changed("  ret;", "  st.global.u32 [%rd1], %r2;\n  ret;") == "+st.global.u32 [%rd1], %r2;");
  CHECK(changed("[p]", "[p+4]") == "ld.param.u64 %rd1, [p]; => ld.param.u64 %rd1, [p+4];");
  CHECK(changed("  add.u32", "  @%p1 add.u32") == "add.u32 %r2, %r2, 1; => @%p1 add.u32 %r2, %r2, 1;");
}

TEST_CASE("Which of several like statements is missing is told by the registers") {
  for (int gone = 1; gone <= 6; ++gone) {
    INFO("number " << gone);
    std::string left;
    std::string right;
    for (int i = 1; i <= 6; ++i) {
      left += "cvt.u64.u32 %rd" + std::to_string(i) + ", %r" + std::to_string(i) + ";\n";
      // Renumbered, and one is missing.
      if (i != gone) right += "cvt.u64.u32 %rd" + std::to_string(7 - i) + ", %r" + std::to_string(17 - i) + ";\n";
    }
    for (int i = 1; i <= 6; ++i) {
      left +=
          "st.global.u32 [%rd" + std::to_string(i) + "+" + std::to_string(8 * i) + "], %r" + std::to_string(i) + ";\n";
      right += "st.global.u32 [%rd" + std::to_string(7 - i) + "+" + std::to_string(8 * i) + "], %r" +
               std::to_string(17 - i) + ";\n";
    }
    const std::string missing = "cvt.u64.u32 %rd" + std::to_string(gone) + ", %r" + std::to_string(gone) + ";";
    CHECK(bodies(left, right).edits() == "-" + missing);
    CHECK(bodies(right, left).edits() == "+" + missing);
    // The same behind another edit, up to which both are compared from the end.
    CHECK(bodies("bar.sync 0;\nmembar.gl;\n" + left, "membar.gl;\n" + right).edits() == "-bar.sync 0; / -" + missing);
    CHECK(bodies("membar.gl;\n" + left, "bar.sync 0;\nmembar.gl;\n" + right).edits() == "+bar.sync 0; / -" + missing);
  }
  CHECK(bodies(R"(
    cvt.u64.u32 %rd1, %r1;
    cvt.u64.u32 %rd2, %r2;
    add.s64 %rd2, %rd2, 1;
    add.s64 %rd1, %rd1, 1;
    ret;)",
               R"(
    cvt.u64.u32 %rd4, %r4;
    cvt.u64.u32 %rd3, %r3;
    add.s64 %rd3, %rd3, 1;
    ret;)")
            .edits() == "-add.s64 %rd1, %rd1, 1;");
}

TEST_CASE("A register that serves several values") {
  const std::string one = R"(
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  mov.u32 %r1, 2;
  st.global.u32 [%rd1+4], %r1;
  ret;)";
  const std::string two = R"(
  mov.u32 %r5, 1;
  st.global.u32 [%rd1], %r5;
  mov.u32 %r6, 2;
  st.global.u32 [%rd1+4], %r6;
  ret;)";
  CHECK(bodies(one, two).diff.same_code);
  CHECK(bodies(two, one).diff.same_code);
  // Here the second definition may not happen, and the first value is used then.
  const std::string guarded = R"(
  mov.u32 %r1, 1;
  st.global.u32 [%rd1], %r1;
  @%p1 mov.u32 %r1, 2;
  st.global.u32 [%rd1+4], %r1;
  ret;)";
  const std::string apart = R"(
  mov.u32 %r5, 1;
  st.global.u32 [%rd1], %r5;
  @%p1 mov.u32 %r6, 2;
  st.global.u32 [%rd1+4], %r6;
  ret;)";
  CHECK_FALSE(bodies(guarded, apart).diff.same_code);
}

TEST_CASE("Blocks in another order") {
  const std::string moved = R"(
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, 0;
  bra L1;
L3:
  add.u32 %r2, %r2, 1;
  st.global.u32 [%rd1], %r2;
  bra L1;
L2:
  ret;
L1:
  setp.ge.u32 %p1, %r2, %r1;
  @%p1 bra L2;
  bra L3;
)";
  const Compared result = bodies(loop, moved);
  CHECK(result.diff.same_code);
  CHECK_FALSE(result.function().moves.empty());
  // The same with the branch's sense turned over.
  std::string turned = moved;
  turned.replace(turned.find("@%p1 bra L2;\n  bra L3;"), 22, "@!%p1 bra L3;\n  bra L2;");
  CHECK(bodies(loop, turned).diff.same_code);
  // And where a branch was forgotten, it is not the same.
  std::string broken = moved;
  broken.replace(broken.find("  bra L1;\nL3:"), 13, "L3:");
  CHECK_FALSE(bodies(loop, broken).diff.same_code);
}

TEST_CASE("Nothing that computes something else is the same code") {
  // The same statements, in another order of execution.
  CHECK_FALSE(bodies("mov.u32 %r1, 1; mov.u32 %r1, 2; st.global.u32 [%rd1], %r1; ret;",
                     "mov.u32 %r1, 2; mov.u32 %r1, 1; st.global.u32 [%rd1], %r1; ret;")
                  .diff.same_code);
  // An endless loop against none.
  CHECK_FALSE(bodies("L: bra L;", "").diff.same_code);
  CHECK_FALSE(bodies("L: bra L;", "bra L; L: ret;").diff.same_code);
  // Two values for one register.
  CHECK_FALSE(
      bodies("add.u32 %r1, %r2, %r3; st.global.u32 [%rd1], %r1;", "add.u32 %r1, %r2, %r2; st.global.u32 [%rd1], %r1;")
          .diff.same_code);
  CHECK_FALSE(
      bodies("add.u32 %r1, %r2, %r2; st.global.u32 [%rd1], %r1;", "add.u32 %r1, %r2, %r3; st.global.u32 [%rd1], %r1;")
          .diff.same_code);
  // A table of branches in another order.
  const std::string table = R"(
  brx.idx %r1, ts;
ts: .branchtargets A, B;
A: mov.u32 %r2, 1; bra C;
B: mov.u32 %r2, 2;
C: st.global.u32 [%rd1], %r2; ret;)";
  std::string other = table;
  other.replace(other.find("A, B"), 4, "B, A");
  CHECK_FALSE(bodies(table, other).diff.same_code);
  CHECK(bodies(table, table + "// ").diff.same_code);
}

TEST_CASE("What no path leads to, and jumps that lead nowhere else") {
  const Compared dropped = bodies("@%p1 bra L; trap; exit; L: ret;", "@%p1 bra L; trap; L: ret;");
  CHECK(dropped.diff.same_code);
  CHECK(dropped.edits() == "idle -exit;");
  CHECK(dropped.verdict() == "same code; 1 × `exit;` dropped after `trap;`");
  const Compared jump = bodies("mov.u32 %r1, 1; bra L; L: st.global.u32 [%rd1], %r1; ret;",
                               "mov.u32 %r1, 1; L: st.global.u32 [%rd1], %r1; ret;");
  CHECK(jump.diff.same_code);
  CHECK(jump.edits() == "idle -bra L;");
}

TEST_CASE("Header, signature, directives, declarations") {
  const std::string body = "ret;";
  std::string other = module_of(body);
  other.replace(other.find("8.0"), 3, "8.7");
  other.replace(other.find("sm_80"), 5, "sm_120a");
  CHECK(Compared(module_of(body), other).verdict() ==
        "same code; header differs: .version 8.0 → 8.7, .target sm_80 → sm_120a");
  CHECK(Compared(module_of(body), module_of(body, ".entry f(.param .u64 p, .param .u32 n)"))
            .diff.functions[0]
            .edits.size() == 1);
  CHECK(Compared(module_of(body), module_of(body, ".visible .entry f(.param .u64 p, .param .u64 n)")).edits() ==
        ".param .u32 n => .param .u64 n");
  const std::string head = ".visible .entry f(.param .u64 p, .param .u32 n) ";
  CHECK(Compared(module_of(body, head + ".maxntid 256, 1, 1"), module_of(body, head + ".maxntid 256,1,1"))
            .diff.same_code);
  CHECK(Compared(module_of(body, head + ".maxntid 256, 1, 1"), module_of(body, head + ".maxntid 128, 1, 1")).edits() ==
        ".maxntid 256, 1, 1 => .maxntid 128, 1, 1");
  const Compared shared = bodies(".shared .align 4 .b8 s[64]; st.shared.u32 [s], %r1;",
                                 ".shared .align 4 .b8 t[128]; st.shared.u32 [t], %r1;");
  CHECK_FALSE(shared.diff.same_code);
  CHECK(shared.function().edits.size() == 1);
  const std::string global = ".version 8.0\n.target sm_80\n.global .u32 x = ";
  CHECK(Compared(global + "5;\n", global + "0x5;\n").diff.same_code);
  const Compared value = {global + "5;\n", global + "6;\n"};
  CHECK_FALSE(value.diff.same_code);
  CHECK(value.verdict() == "different: 1 declaration differs");
  // Prototypes.
  const std::string prototype = ".version 8.0\n.target sm_80\n.extern .func (.param .b32 r) g(.param .b";
  const Compared widened = {prototype + "32 x);\n", prototype + "64 x);\n"};
  CHECK_FALSE(widened.diff.same_code);
  REQUIRE(widened.diff.declarations.size() == 1);
  CHECK(widened.diff.declarations[0].a_name == "g");
  CHECK(widened.diff.declarations[0].b_name == "g");
  // What nothing refers to and nobody else can name.
  const auto with = [&](const std::string& declaration) {
    const std::string text = module_of(body);
    return Compared(text, text + declaration).diff.same_code;
  };
  CHECK(with(".extern .shared .align 16 .b8 x[];\n"));
  CHECK(with(".shared .b32 x;\n"));
  CHECK_FALSE(with(".global .b32 x;\n"));
  CHECK_FALSE(with(".shared .b32 x;\n.visible .entry g() { .reg .b32 %r1; ld.shared.u32 %r1, [x]; ret; }\n"));
}

TEST_CASE("Functions are matched by name, by stripped name, by likeness") {
  const auto two = [](const std::string& f, const std::string& g) {
    return ".version 8.0\n.target sm_80\n.address_size 64\n.func " + f +
           "()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, 1;\nadd.u32 %r2, %r1, 7;\nret;\n}\n.visible .entry " + g +
           "()\n{\ncall " + f + ";\nret;\n}\n";
  };
  const Compared hash = {two("_ZN1a1b17h0123456789abcdefE", "k"), two("_ZN1a1b17hfedcba9876543210E", "k")};
  CHECK(hash.diff.same_code);
  CHECK(hash.diff.functions[0].matched_by == MatchedBy::stripped_name);
  CHECK(hash.diff.functions[0].status == FunctionStatus::renamed);
  CHECK(hash.verdict() == "same code; 1 function renamed");
  const Compared alike = {two("old", "k"), two("fresh", "other")};
  CHECK(alike.diff.same_code);
  CHECK(alike.verdict() == "same code; 2 functions renamed, 1 of them looked up by name from outside");
  // Calling another function is a difference.
  const std::string calls =
      ".version 8.0\n.target sm_80\n.extern .func x;\n.extern .func y;\n.visible .entry k()\n{\ncall ";
  CHECK_FALSE(Compared(calls + "x;\n}\n", calls + "y;\n}\n").diff.same_code);
  CHECK(stripped_name("_ZN3foo3bar17h0123456789abcdefE") == "_ZN3foo3barE");
  CHECK(stripped_name("_RNvCs1234_7mycrate3foo") == "_RNvC7mycrate3foo");
  CHECK(stripped_name("_ZN38_INTERNAL_9f3f0c7f_4_k_cu_2c9e4f4d_1233fooE") == "_ZN_INTERNAL_3fooE");
  CHECK(stripped_name("_ZN4cuda3__447_GLOBAL__N__7fbf8179_14_thrust_sort_cu_e8ce4d0a6ignoreE") ==
        "_ZN4cuda3__4_GLOBAL__N__6ignoreE");
  CHECK(stripped_name("_ZN3cub18CUB_300001_SM_12006detail11EmptyKernelIvEEvv") ==
        stripped_name("_ZN3cub17CUB_300001_SM_8006detail11EmptyKernelIvEEvv"));
  CHECK(stripped_name("_ZN6thrust24THRUST_300001_SM_1200_NS3seqE") == "_ZN6thrustTHRUST_3000013seqE");
  CHECK(stripped_name("_ZN6thrust27THRUST_300001_SM_800_900_NS3seqE") == "_ZN6thrustTHRUST_3000013seqE");
  CHECK(stripped_name("_ZN6thrust23THRUST_300001_SM_800_XX3seqE") == "_ZN6thrust23THRUST_300001_SM_800_XX3seqE");
  CHECK(stripped_name("_ZN4X_SM_80_3E") == "_ZN4X_SM_80_3E");
  CHECK(stripped_name("_SM_80") == "_SM_80");
  CHECK(stripped_name("plain") == "plain");
}

TEST_CASE("Functions in another order") {
  const auto function = [](const std::string& name, int value) {
    return ".visible .entry " + name + "()\n{\n.reg .b32 %r<4>;\nmov.u32 %r1, " + std::to_string(value) +
           ";\nret;\n}\n";
  };
  const std::string head = ".version 8.0\n.target sm_80\n";
  const Compared result = {head + function("f", 1) + function("g", 2), head + function("g", 2) + function("f", 1)};
  CHECK(result.verdict() == "same code; functions reordered");
  const Compared added = {head + function("f", 1), head + function("f", 1) + function("long_other", 2)};
  CHECK(added.verdict() == "different: 1 function added");
}

TEST_CASE("The shortest edit of two sequences") {
  // Against the table of the textbook.
  std::mt19937 random(7);
  for (int round = 0; round < 400; ++round) {
    std::vector<diff::Key> a(random() % 40), b(random() % 40);
    for (auto& one : a) one = random() % 5;
    for (auto& one : b) one = random() % 5;
    std::vector<std::vector<unsigned>> longest(a.size() + 1, std::vector<unsigned>(b.size() + 1, 0));
    for (std::size_t i = a.size(); i-- > 0;)
      for (std::size_t j = b.size(); j-- > 0;)
        longest[i][j] = a[i] == b[j] ? longest[i + 1][j + 1] + 1 : std::max(longest[i + 1][j], longest[i][j + 1]);
    std::uint64_t budget = 1'000'000;
    diff::Alignment alignment(a.size(), b.size());
    // Keys that occur once are anchors only where there is one level and they are in order: none of it here, so that the
    // result is the shortest.
    std::vector<diff::Key> twice_a(a), twice_b(b);
    twice_a.insert(twice_a.end(), {0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
    twice_b.insert(twice_b.end(), {0, 1, 2, 3, 4, 0, 1, 2, 3, 4});
    diff::Alignment padded(twice_a.size(), twice_b.size());
    diff::Aligner aligner({{twice_a, twice_b}}, budget);
    aligner.align({0, static_cast<std::uint32_t>(a.size())}, {0, static_cast<std::uint32_t>(b.size())}, padded);
    unsigned found = 0;
    std::uint32_t last = 0;
    bool ordered = true;
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (padded.a_to_b[i] == no_index) continue;
      ordered &= a[i] == b[padded.a_to_b[i]] && (found == 0 || padded.a_to_b[i] > last);
      last = padded.a_to_b[i];
      ++found;
    }
    REQUIRE(ordered);
    // Anchors may cost a little.
    REQUIRE(found <= longest[0][0]);
    REQUIRE(found + 2 >= longest[0][0]);
  }
}

TEST_CASE("Long functions that have nothing in common take bounded time") {
  std::string left, right;
  for (int i = 0; i < 30'000; ++i) {
    left += "add.u32 %r" + std::to_string(i % 7) + ", %r" + std::to_string(i % 5) + ", " + std::to_string(i) + ";\n";
    right += "sub.u32 %r" + std::to_string(i % 7) + ", %r" + std::to_string(i % 5) + ", " + std::to_string(i) + ";\n";
  }
  const Compared result = bodies(left, right);
  CHECK_FALSE(result.diff.same_code);
}

TEST_CASE("What too few steps are left for is told as one stretch") {
  const std::string first = "add.u32 %r2, %r1, 1;\nmul.lo.u32 %r2, %r2, %r1;\nxor.b32 %r2, %r2, %r1;";
  const std::string second = "sub.u32 %r2, %r1, 1;\nshl.b32 %r2, %r2, 4;";
  const auto with_ends = [](const std::string& middle) {
    return module_of("ld.param.u32 %r1, [n];\n" + middle + "\nst.global.u32 [%rd1], %r2;\nret;");
  };
  const Module a = parse(with_ends(first), "a.ptx");
  const Module b = parse(with_ends(second), "b.ptx");
  diff::SharedNames names(a, b);
  diff::Body body_a, body_b;
  diff::BodyReader(diff::Side::a, a, names).read(a.functions().front(), body_a);
  diff::BodyReader(diff::Side::b, b, names).read(b.functions().front(), body_b);
  std::uint64_t steps = 0;
  FunctionDiff result;
  diff::compare_bodies(body_a, body_b, false, steps, result);
  CHECK(result.too_different);
  CHECK_FALSE(result.same_code);
  REQUIRE(result.edits.size() == 1);
  CHECK(result.edits[0].op == EditOp::replace);
  CHECK(result.edits[0].a.count == 3);
  CHECK(a.text(result.edits[0].a.span) == first);
  CHECK(result.edits[0].b.count == 2);
  CHECK(b.text(result.edits[0].b.span) == second);
}

TEST_CASE("Registers that are declared by the billion") {
  const std::string text =
      ".version 8.0\n.target sm_80\n.entry f()\n{\n.reg .b32 %r<4000000000>;\nmov.u32 %r3999999999, 1;\n";
  CHECK(Compared(text + "}\n", text + "\n}\n").diff.same_code);
  // Many more than are used: each is told apart all the same.
  const auto stores = [](const std::string& first, const std::string& second, const std::string& used) {
    return ".version 8.0\n.target sm_80\n.entry f()\n{\n.reg .b32 %r<1000000>;\nmov.u32 " + first + ", 1;\nmov.u32 " +
           second + ", 2;\nst.global.u32 [0], " + used + ";\n}\n";
  };
  CHECK(Compared(stores("%r5", "%r999998", "%r5"), stores("%r999998", "%r7", "%r999998")).diff.same_code);
  CHECK_FALSE(Compared(stores("%r5", "%r999998", "%r5"), stores("%r5", "%r999998", "%r999998")).diff.same_code);
}

TEST_CASE("A name in a block hides the same name outside, up to the end of the block") {
  const std::string header = ".shared .align 4 .b32 v;\n.visible .entry f(.param .u64 p, .param .u32 n)";
  const auto reads_behind = [&](const std::string& inner) {
    return module_of("{ .shared .align 4 .b32 " + inner + "; st.shared.u32 [" + inner +
                         "], 1; } ld.shared.u32 %r1, [v]; st.global.u32 [%rd1], %r1; ret;",
                     header);
  };
  CHECK(Compared(reads_behind("v"), reads_behind("w")).diff.same_code);
  const std::string reads_inside = module_of(
      "{ .shared .align 4 .b32 w; st.shared.u32 [w], 1; ld.shared.u32 %r1, [w]; } st.global.u32 [%rd1], %r1; ret;",
      header);
  CHECK_FALSE(Compared(reads_behind("v"), reads_inside).diff.same_code);
}

TEST_CASE("Which register stands for which is elected") {
  const auto body_of = [](diff::Side side, const Module& module, diff::SharedNames& names) {
    diff::Body body;
    diff::BodyReader(side, module, names).read(module.functions().front(), body);
    return body;
  };
  const std::string stores = "st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r2; ret;";
  const Module a = parse(module_of(stores), "a.ptx");
  const Module b = parse(module_of(stores), "b.ptx");
  diff::SharedNames names(a, b);
  const diff::Body body_a = body_of(diff::Side::a, a, names);
  const diff::Body body_b = body_of(diff::Side::b, b, names);
  const diff::Variables in_a(body_a);
  const diff::Variables in_b(body_b);
  // The variables of the registers at the ends of the two stores.
  const auto stored = [](const diff::Body& body, const diff::Variables& variables, std::uint32_t item) {
    return variables.of(body.items[item + 1].first_token - 1);
  };
  const std::uint32_t first_a = stored(body_a, in_a, 0);
  const std::uint32_t first_b = stored(body_b, in_b, 0);
  const std::uint32_t second_b = stored(body_b, in_b, 1);
  const auto elected = [&](std::vector<diff::Vote> votes) { return diff::elect(in_a, in_b, votes).a_to_b[first_a]; };
  // Most votes; of as many the one of the same name.
  CHECK(elected({{first_a, first_b}, {first_a, second_b}, {first_a, second_b}}) == second_b);
  CHECK(elected({{first_a, second_b}, {first_a, first_b}}) == first_b);
  // Without a name to go by, the one that comes first.
  CHECK(bodies("st.global.u32 [%rd1], %r1; st.global.u32 [%rd1+4], %r1; ret;",
               "st.global.u32 [%rd1], %r8; st.global.u32 [%rd1+4], %r9; ret;")
            .edits() == "st.global.u32 [%rd1+4], %r1; => st.global.u32 [%rd1+4], %r9;");
}

TEST_CASE("Registers in statements that nobody can read") {
  const auto with = [](const std::string& q, const std::string& statement) {
    return module_of(".reg .b32 " + q + ";\nmov.u32 " + q + ", 1;\nmov.u32 %r1, 2;\n" + statement +
                     "\nst.global.u32 [%rd1], " + q + ";\nst.global.u32 [%rd1+4], %r1;\nret;");
  };
  CHECK(Compared(with("%q", "new.b32 %q => %r1;"), with("%z", "new.b32 %z => %r1;")).diff.same_code);
  CHECK_FALSE(Compared(with("%q", "new.b32 %q => %r1;"), with("%q", "new.b32 %r1 => %q;")).diff.same_code);
  const Compared other = {with("%q", "new.b32 %q => %r1;"), with("%q", "old.b32 %q => %r1;")};
  CHECK_FALSE(other.diff.same_code);
  CHECK(other.edits() == "new.b32 %q => %r1; => old.b32 %q => %r1;");
}

TEST_CASE("Prototypes of calls through a register") {
  const auto calls = [](const std::string& parameter) {
    return module_of("proto: .callprototype _ (" + parameter + " _);\n{ .param .b32 x; call %rd1, (x), proto; }\nret;");
  };
  CHECK(Compared(calls(".param .b32"), calls(".param  .b32")).diff.same_code);
  const Compared wider = {calls(".param .b32"), calls(".param .b64")};
  CHECK_FALSE(wider.diff.same_code);
  CHECK(wider.edits() == ".callprototype _ (.param .b32 _); => .callprototype _ (.param .b64 _);");
}

TEST_CASE("Registers of 128 bits are no others") {  // PTX ISA 8.3
  const auto moves = [](const std::string& type, const std::string& name) {
    return ".version 8.3\n.target sm_70\n.address_size 64\n.visible .entry f()\n{\n.reg ." + type + " %" + name +
           "<3>;\nmov." + type + " %" + name + "1, %" + name + "2;\nret;\n}\n";
  };
  CHECK(Compared(moves("b128", "q"), moves("b128", "r")).diff.same_code);
  CHECK_FALSE(Compared(moves("b128", "q"), moves("b64", "q")).diff.same_code);
}

TEST_CASE("Addresses with a displacement, as operands of mov") {
  const auto address = [](const std::string& name, const std::string& displacement) {
    return module_of("mov.u32 %r1, " + name + displacement + "; st.global.u32 [%rd1], %r1; ret;",
                     ".shared .align 4 .b32 " + name + "[4];\n.visible .entry f(.param .u64 p, .param .u32 n)");
  };
  CHECK(Compared(address("v", "+4"), address("v", " + 4")).diff.same_code);
  CHECK_FALSE(Compared(address("v", "+4"), address("v", "+8")).diff.same_code);
  CHECK_FALSE(Compared(address("v", "+4"), address("v", "")).diff.same_code);
}

TEST_CASE("Type words that mean the same bits are no difference") {
  const auto same = [](const std::string& left, const std::string& right) {
    const Compared both = bodies(left + " st.global.u32 [%rd1], %r1; ret;", right + " st.global.u32 [%rd1], %r1; ret;");
    if (both.diff.same_code) CHECK(both.function().respelled > 0);
    return both.diff.same_code;
  };
  CHECK(same("ld.param.u64 %rd1, [p];", "ld.param.b64 %rd1, [p];"));
  CHECK(same("ld.global.nc.f32 %r1, [%rd1];", "ld.global.nc.b32 %r1, [%rd1];"));
  CHECK(same("ld.global.v2.s32 {%r1, %r2}, [%rd1];", "ld.global.v2.u32 {%r1, %r2}, [%rd1];"));
  CHECK(same("ld.global.u8 %r1, [%rd1];", "ld.global.b8 %r1, [%rd1];"));
  CHECK(same("mov.u32 %r1, %tid.x;", "mov.b32 %r1, %tid.x;"));
  CHECK(same("add.s32 %r1, %r2, 1;", "add.u32 %r1, %r2, 1;"));
  CHECK(same("mad.lo.s32 %r1, %r2, %r3, %r4;", "mad.lo.u32 %r1, %r2, %r3, %r4;"));
  CHECK(same("setp.eq.s32 %p1, %r2, 0; @%p1 exit;", "setp.eq.b32 %p1, %r2, 0; @%p1 exit;"));
  CHECK(same("shr.u32 %r1, %r2, 3;", "shr.b32 %r1, %r2, 3;"));
  // Sign, carry, order and width tell them apart.
  CHECK_FALSE(same("ld.global.s8 %r1, [%rd1];", "ld.global.u8 %r1, [%rd1];"));
  CHECK_FALSE(same("ld.global.u32 %r1, [%rd1];", "ld.global.u64 %r1, [%rd1];"));
  CHECK_FALSE(same("shr.s32 %r1, %r2, 3;", "shr.u32 %r1, %r2, 3;"));
  CHECK_FALSE(same("setp.lt.s32 %p1, %r2, 0; @%p1 exit;", "setp.lt.u32 %p1, %r2, 0; @%p1 exit;"));
  CHECK_FALSE(same("add.sat.s32 %r1, %r2, 1;", "add.u32 %r1, %r2, 1;"));
  CHECK_FALSE(same("mul.wide.s32 %rd1, %r2, 4;", "mul.wide.u32 %rd1, %r2, 4;"));
  CHECK_FALSE(same("mul.hi.s32 %r1, %r2, 4;", "mul.hi.u32 %r1, %r2, 4;"));
  CHECK_FALSE(same("add.f32 %r1, %r2, %r3;", "add.s32 %r1, %r2, %r3;"));
  CHECK_FALSE(same("mov.b32 {%r1, %r2}, %rd1;", "mov.u32 {%r1, %r2}, %rd1;"));
}

TEST_CASE("Values that name what is not there") {
  const std::string text = ".version 8.0\n.target sm_80\n.global .u32 x[2] = {1, nothing};\n";
  CHECK(Compared(text, text + "\n").diff.same_code);
  CHECK_FALSE(Compared(text, ".version 8.0\n.target sm_80\n.global .u32 x[2] = {1, other};\n").diff.same_code);
  CHECK_FALSE(Compared(text, ".version 8.0\n.target sm_80\n.global .u32 y[2] = {1, nothing+4};\n").diff.same_code);
}

TEST_CASE("diff counts what stats counts") {
  const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.reg .b32 %outside;
.shared .align 4 .b8 common[64];
.extern .shared .align 16 .b8 dynamic[];
.func g()
{
  .local .align 8 .b8 stack[24];
  .reg .v4 .f32 %v;
  .reg .b32 %r<3>;
  ld.shared.u32 %r1, [common+4];
  cp.async.ca.shared.global [common], [%r1], 4;
  cp.async.wait_all;
  atom.shared.add.u32 %r2, [common], %outside;
  ret;
}
.visible .entry f()
{
  .shared .b32 own;
  .reg .pred %p<2>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<2>;
  mov.u32 %r1, common;
  mov.u32 %r2, dynamic;
  st.shared.u32 [own], %r1;
  @%p1 bra L;
  bar.sync 0;
  call g, ();
  made.up %r1;
L:
  trap;
}
)";
  const Compared both = {text, text + "\n"};
  const ModuleStats stats = count_module(both.a);
  const auto same = [](const Counts& counts, const CodeStats& code) {
    CHECK(counts[Count::instructions] == code.instructions);
    CHECK(counts[Count::branches] == code.branches);
    CHECK(counts[Count::conditional_branches] == code.conditional_branches);
    CHECK(counts[Count::calls] == code.calls);
    CHECK(counts[Count::traps] == code.traps);
    CHECK(counts[Count::barriers] == code.barriers);
    CHECK(counts[Count::shared_bytes] == code.shared_bytes);
    CHECK(counts[Count::local_bytes] == code.local_bytes);
    std::uint64_t registers = 0;
    for (const std::uint64_t count : code.declared) registers += count;
    CHECK(counts[Count::registers] == registers);
  };
  REQUIRE(stats.functions.size() == 2);
  same(both.diff.functions[0].a_counts, stats.functions[0].counts);
  same(both.diff.functions[1].b_counts, stats.functions[1].counts);
  same(both.diff.a_counts, stats.totals);
  CHECK(both.diff.a_counts[Count::shared_bytes] == 68);
  CHECK(both.diff.functions[0].a_counts[Count::registers] == 7);
  CHECK(both.diff.functions[0].a_counts[Count::loads] == 2);
  CHECK(both.diff.functions[0].a_counts[Count::stores] == 1);
  CHECK(both.diff.functions[0].a_counts[Count::atomics] == 1);
}

TEST_CASE("Registers that are parameters are known by their place") {
  const auto function = [](const std::string& body, const std::string& parameters = "(.reg .b32 a, .reg .b32 b)") {
    return ".version 7.8\n.target sm_80\n.address_size 64\n.func (.reg .b32 r, .reg .b32 s) f" + parameters + "\n{\n" +
           body + "\n}\n";
  };
  const auto edits = [&](const std::string& left, const std::string& right) {
    return Compared(function(left), function(right)).edits();
  };
  CHECK(edits("sub.s32 r,a,b;ret;", "sub.s32 r,b,a;ret;") == "sub.s32 r,a,b; => sub.s32 r,b,a;");
  CHECK(edits("mov.b32 r,a;ret;", "mov.b32 r,b;ret;") == "mov.b32 r,a; => mov.b32 r,b;");
  CHECK(edits("mov.b32 r,a;ret;", "mov.b32 s,a;ret;") == "mov.b32 r,a; => mov.b32 s,a;");
  CHECK_FALSE(
      Compared(function("mov.b32 r,a;mov.b32 s,b;ret;"), function("mov.b32 s,a;mov.b32 r,b;ret;")).diff.same_code);
  // The place counts, not the name.
  CHECK_FALSE(Compared(function("mov.b32 r,a;ret;"), function("mov.b32 r,a;ret;", "(.reg .b32 b, .reg .b32 a)"))
                  .diff.same_code);
  CHECK(Compared(function("mov.b32 r,a;ret;"), function("mov.b32 r,x;ret;", "(.reg .b32 x, .reg .b32 y)"))
            .diff.same_code);
  // In expressions, and of several of one name.
  CHECK_FALSE(Compared(function("ld.global.b32 r,[a+b];ret;"), function("ld.global.b32 r,[b+a];ret;")).diff.same_code);
  const std::string family = "(.reg .b32 a<4>)";
  CHECK_FALSE(Compared(function("mov.b32 r,a1;ret;", family), function("mov.b32 r,a2;ret;", family)).diff.same_code);
}

TEST_CASE("Registers of the module are one for all functions") {
  const auto module = [](const std::string& one, const std::string& other) {
    return ".version 2.3\n.target sm_20\n.reg .b32 g;\n.reg .b32 h<4>;\n.func f\n{\nmov.b32 " + one +
           ",1;\nret;\n}\n.func k\n{\nmov.b32 " + other + ",g;\nret;\n}\n";
  };
  CHECK(Compared(module("g", "h1"), module("g", "h1") + "\n").diff.same_code);
  CHECK_FALSE(Compared(module("g", "h1"), module("h1", "h1")).diff.same_code);
  CHECK_FALSE(Compared(module("g", "h1"), module("g", "h2")).diff.same_code);
}

TEST_CASE("Functions of one name but for a hash are matched by what they do") {
  const auto function = [](const std::string& hash, const std::string& body) {
    return ".func _ZN4core1f17h" + hash + "E(.param .b64 i)\n{\n.reg .b64 %rd<4>;\nld.param.u64 %rd1,[i];\n" + body +
           "\nret;\n}\n";
  };
  const auto call = [](const std::string& hash) {
    return "{\n.param .b64 x;\nst.param.b64 [x],%rd1;\ncall _ZN4core1f17h" + hash + "E,(x);\n}";
  };
  const std::string header = ".version 7.8\n.target sm_80\n.address_size 64\n";
  const std::string store = "st.u32 [%rd1],1;";
  const std::string load = "ld.u64 %rd2,[%rd1];\nst.u64 [%rd2+8],%rd1;";
  const std::string a1 = "0000000000000001", a2 = "0000000000000002", a3 = "0000000000000003";
  const std::string b1 = "000000000000000a", b2 = "000000000000000b", b3 = "000000000000000c";
  const Compared swapped(header + function(a1, store) + function(a2, load),
                         header + function(b1, load) + function(b2, store));
  CHECK(swapped.verdict() == "same code; functions reordered; 2 functions renamed");
  CHECK(swapped.diff.functions[0].matched_by == MatchedBy::stripped_name);
  // Known only once what they call is.
  const Compared callers(header + function(a1, store) + function(a2, call(a1)) + function(a3, call(a2)),
                         header + function(b3, store) + function(b2, call(b3)) + function(b1, call(b2)));
  CHECK(callers.diff.same_code);
  const Compared reversed(header + function(a1, store) + function(a2, call(a1)) + function(a3, call(a2)),
                          header + ".func _ZN4core1f17h" + b1 + "E(.param .b64 i);\n.func _ZN4core1f17h" + b3 +
                              "E(.param .b64 i);\n" + function(b2, call(b1)) + function(b1, call(b3)) +
                              function(b3, store));
  CHECK(reversed.diff.same_code);
  // One changed: the others are still each other's.
  const Compared changed(header + function(a1, store) + function(a2, load),
                         header + function(b1, load) + function(b2, "st.u32 [%rd1],2;"));
  CHECK(changed.edits() == "st.u32 [%rd1],1; => st.u32 [%rd1],2;");
}

TEST_CASE("Blocks that look alike in another order, with one edit") {
  constexpr int count = 200;
  const auto block = [](int i, bool changed) {
    const auto label = [](int n) { return n < count ? "L" + std::to_string(n) : "END"; };
    return label(i) + ":\nadd.s32 %r1,%r1," + std::to_string(i) + ";\n@%p1 bra " + label((i * 39 + 1) % count) + ";\n" +
           (changed ? "sub.s32 %r1,%r1,%r2;\n" : "") + "bra " + label(i + 1) + ";\n";
  };
  std::vector<int> order(count);
  for (int i = 0; i < count; ++i) order[static_cast<std::size_t>(i)] = i;
  std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::string a = "bra L0;\n";
  std::string b = a;
  for (int i = 0; i < count; ++i) a += block(i, false);
  for (const int i : order) b += block(i, i == 77);
  const Compared compared = bodies(a + "END:\nret;", b + "END:\nret;");
  CHECK(compared.function().edits_that_change() == 1);
}

TEST_CASE("One of many look-alikes is gone, and blocks stand in another order") {
  std::string run;
  for (int i = 2; i < 18; ++i) run += "add.s32 %r" + std::to_string(i) + ",%r" + std::to_string(i) + ",%r1;\n";
  const std::string gone = "add.s32 %r5,%r5,%r1;\n";
  std::string rest = run;
  rest.erase(rest.find(gone), gone.size());
  std::string before, after;
  for (int i = 2; i < 18; ++i) before += "mov.u32 %r" + std::to_string(i) + "," + std::to_string(i) + ";\n";
  for (int i = 2; i < 18; ++i)
    after += "st.global.u32 [%rd1+" + std::to_string(4 * i) + "],%r" + std::to_string(i) + ";\n";
  const Compared compared = bodies(before + "bra L1;\nL1:\n" + run + "bra L2;\nL2:\n" + after + "ret;",
                                   before + "bra L1;\nL2:\n" + after + "ret;\nL1:\n" + rest + "bra L2;");
  CHECK(compared.function().edits_that_change() == 1);
}

TEST_CASE("A comparison can be ended while functions are matched, and before each pair") {
  constexpr std::size_t functions = 20;
  const auto module = [](const std::string& prefix) {
    std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
    for (std::size_t i = 0; i < functions; ++i)
      text += ".visible .entry " + prefix + std::to_string(i) + "()\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, " +
              std::to_string(100 + i) + ";\nexit;\n}\n";
    return parse(text, prefix + ".ptx");
  };
  const Module a = module("left");
  const Module b = module("right");
  std::vector<std::size_t> done;
  DiffOptions options;
  options.goes_on = [&](std::size_t so_far, std::size_t all) {
    CHECK(all == functions);
    done.push_back(so_far);
    return true;
  };
  const ModuleDiff whole = diff_modules(a, b, options);
  CHECK(whole.functions.size() == functions);
  // By no name are they each other's: both sides' bodies are looked into first.
  CHECK(done.size() == 3 * functions);
  CHECK(std::ranges::count(done, std::size_t{0}) == std::ptrdiff_t{2 * functions + 1});
  CHECK(std::ranges::is_sorted(done));

  for (const std::size_t stop_at : {std::size_t{1}, functions + 3, 2 * functions + 5}) {
    std::size_t calls = 0;
    options.goes_on = [&](std::size_t, std::size_t) { return ++calls < stop_at; };
    const ModuleDiff part = diff_modules(a, b, options);
    CHECK(calls == stop_at);
    CHECK(part.functions.size() == (stop_at <= 2 * functions ? 0 : stop_at - 2 * functions - 1));
  }
}
