#include <algorithm>
#include <string>

#include "analysis/check.h"
#include "analysis/retarget.h"
#include "tests/catch.h"

using namespace ptxscope;
using analysis::Retargeting;
using analysis::RetargetWish;

namespace {

isa::Version version(const char* text) { return *isa::parse_version(text); }
isa::TargetIndex target(const char* name) { return *isa::find_target(name); }

RetargetWish to_target(const char* name) {
  RetargetWish wish;
  wish.target = target(name);
  return wish;
}
RetargetWish to_lowest() {
  RetargetWish wish;
  wish.lowest_target = wish.lowest_version = true;
  return wish;
}

std::string kernel(const std::string& header, const std::string& body) {
  return header + ".address_size 64\n.visible .entry k()\n{\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n" + body +
         "  ret;\n}\n";
}

Retargeting run(const std::string& text, const RetargetWish& wish) { return retarget(parse(text, "k.ptx"), wish); }

std::string header_of(const Retargeting& result) {
  if (!result.fits) return "does not fit";
  return isa::to_string(*result.version) + " " + std::string(isa::targets()[*result.target].name);
}

}  // namespace

TEST_CASE("Only the words of the header change") {
  const std::string before =
      "// made by hand\r\n.version \t 8.7 // here\r\n.target sm_120a , /*t*/ texmode_independent\r\n";
  const std::string after =
      "// made by hand\r\n.version \t 7.0 // here\r\n.target sm_80 , /*t*/ texmode_independent\r\n";
  RetargetWish wish = to_target("sm_80");
  wish.version = version("7.0");
  const Retargeting result = run(kernel(before, "  mov.u32 %r1, %tid.x;\r\n"), wish);
  REQUIRE(result.fits);
  CHECK(result.text == kernel(after, "  mov.u32 %r1, %tid.x;\r\n"));
  CHECK(result.changes.size() == 2);
}

TEST_CASE("Every .target that is named becomes the new one") {
  const Retargeting result =
      run(kernel(".version 8.0\n.target sm_70, sm_75\n.target sm_80\n", ""), to_target("sm_90a"));
  REQUIRE(result.fits);
  CHECK(result.text == kernel(".version 8.0\n.target sm_90a, sm_90a\n.target sm_90a\n", ""));
}

TEST_CASE("Nothing to change gives the same text") {
  const std::string text = kernel(".version 8.0\n.target sm_80\n", "");
  const Retargeting result = run(text, to_target("sm_80"));
  REQUIRE(result.fits);
  CHECK(result.text == text);
  CHECK(result.changes.empty());
}

TEST_CASE("The version stays where it does with the target, else the nearest is taken") {
  CHECK(header_of(run(kernel(".version 8.0\n.target sm_80\n", ""), to_target("sm_75"))) == "8.0 sm_75");
  CHECK(header_of(run(kernel(".version 8.0\n.target sm_80\n", ""), to_target("sm_120a"))) == "8.7 sm_120a");
}

TEST_CASE("A version that is asked for is not replaced") {
  RetargetWish wish = to_target("sm_120a");
  wish.version = version("8.0");
  const Retargeting result = run(kernel(".version 8.0\n.target sm_80\n", ""), wish);
  CHECK_FALSE(result.fits);
  CHECK(result.text.empty());
  REQUIRE_FALSE(result.problems.empty());
  CHECK_FALSE(result.problems.front().remedy.empty());
}

TEST_CASE("min is the lowest version of the target, and the lowest target that takes the code") {
  RetargetWish wish;
  wish.lowest_version = true;
  const std::string cluster = "  barrier.cluster.arrive;\n";
  CHECK(header_of(run(kernel(".version 8.7\n.target sm_90\n", cluster), wish)) == "7.8 sm_90");
  CHECK(header_of(run(kernel(".version 8.7\n.target sm_120a\n", cluster), wish)) == "8.7 sm_120a");
  CHECK(header_of(run(kernel(".version 8.7\n.target sm_120a\n", cluster), to_lowest())) == "7.8 sm_90");
}

TEST_CASE("Where no base target takes the code, a family-specific one is lowest, then an architecture-specific one") {
  const std::string header = ".version 8.8\n.target sm_103a\n";
  CHECK(header_of(run(kernel(header, "  tcgen05.wait::ld.sync.aligned;\n"), to_lowest())) == "8.8 sm_100f");
  CHECK(header_of(run(kernel(".version 8.8\n.target sm_90a\n", "  wgmma.fence.sync.aligned;\n"), to_lowest())) ==
        "8.0 sm_90a");
}

TEST_CASE("What does not fit is listed with its line, and nothing is written") {
  const Retargeting result =
      run(kernel(".version 8.0\n.target sm_90a\n", "  wgmma.fence.sync.aligned;\n"), to_target("sm_80"));
  CHECK_FALSE(result.fits);
  CHECK(result.text.empty());
  CHECK(result.changes.empty());
  REQUIRE(result.problems.size() == 1);
  CHECK(result.problems.front().rule == "PTX-TARGET");
}

TEST_CASE("A text with errors or with instructions that are not known is not retargeted") {
  CHECK_FALSE(run(kernel(".version 8.0\n.target sm_80\n", "  mov.u32 %r1, ;\n"), to_target("sm_80")).fits);
  CHECK_FALSE(run(kernel(".version 8.0\n.target sm_80\n", "  frobnicate.u32 %r1;\n"), to_target("sm_80")).fits);
  CHECK_FALSE(run("", to_target("sm_80")).fits);
}

TEST_CASE("Older spellings are used only when asked for, and only where they help") {
  const std::string body = "  ld.shared::cta.u32 %r1, [%rd1];\n";
  RetargetWish wish = to_target("sm_80");
  wish.version = version("7.0");
  const std::string header = ".version 8.0\n.target sm_90\n";
  const Retargeting refused = run(kernel(header, body), wish);
  CHECK_FALSE(refused.fits);
  CHECK(refused.rewrite_would_help);

  wish.rewrite = true;
  const Retargeting rewritten = run(kernel(header, body), wish);
  REQUIRE(rewritten.fits);
  CHECK(rewritten.text == kernel(".version 7.0\n.target sm_80\n", "  ld.shared.u32 %r1, [%rd1];\n"));

  wish.version = version("7.8");
  const Retargeting as_it_is = run(kernel(header, body), wish);
  REQUIRE(as_it_is.fits);
  CHECK(as_it_is.text == kernel(".version 7.8\n.target sm_80\n", body));
}

TEST_CASE("An opcode with white space in it is rewritten too") {
  RetargetWish wish = to_target("sm_80");
  wish.version = version("7.0");
  wish.rewrite = true;
  const Retargeting result =
      run(kernel(".version 8.0\n.target sm_80\n", "  ld /* a */ .shared::cta .u32 %r1, [%rd1];\n"), wish);
  REQUIRE(result.fits);
  CHECK(result.text == kernel(".version 7.0\n.target sm_80\n", "  ld /* a */ .shared .u32 %r1, [%rd1];\n"));
}

TEST_CASE("Where any target would do, what is told of is what the code needs") {
  RetargetWish wish;
  wish.lowest_target = true;
  wish.version = version("1.0");
  const Retargeting result = run(kernel(".version 8.0\n.target sm_90\n", "  mov.u32 %r1, %clock_hi;\n"), wish);
  CHECK_FALSE(result.fits);
  REQUIRE_FALSE(result.problems.empty());
  for (const Diagnostic& problem : result.problems) CHECK(problem.remedy.find("sm_90") == std::string::npos);
  CHECK(result.problems.back().message.find("5.0") != std::string::npos);
}

TEST_CASE("What is wrong with the text is told once") {
  const Retargeting result =
      run(kernel(".version 8.0\n.target sm_80\n", "  foo.bar.s32 %r1;\n  add.rzz.s32 %r1, %r1, %r1;\n"), to_lowest());
  for (const Diagnostic& one : result.problems)
    CHECK(std::ranges::count_if(result.problems, [&](const Diagnostic& other) { return other.span == one.span; }) == 1);
}

TEST_CASE("A text that the grammar takes but ptxas does not is not retargeted") {
  const std::string before = ".version 8.0\n.target sm_80\n";
  const Retargeting names = run(kernel(before, "  mov.u32 %r1, %nowhere;\n"), to_lowest());
  CHECK_FALSE(names.fits);
  CHECK(names.text.empty());
  REQUIRE(names.problems.size() == 1);
  CHECK(names.problems[0].rule == "PTX-UNDECLARED");
  CHECK(run(kernel(before, "  bra L;\n"), to_lowest()).problems.at(0).rule == "PTX-LABEL");
  CHECK(run(kernel(before, "L:\nL:\n"), to_lowest()).problems.at(0).rule == "PTX-REDECLARED");
  CHECK(run(kernel(before, "L: bra L;\n"), to_lowest()).fits);
}
