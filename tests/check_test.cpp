// What a module needs and whether it fits, as rules: the header's target and version, what reads it, where it runs.
#include "analysis/check.h"

#include <string>
#include <string_view>

#include "tests/catch.h"

namespace {

using namespace ptxscope;
using analysis::CheckQuestion;
using analysis::CheckReport;

CheckReport answer(const Module& module, const CheckQuestion& question = {}) {
  return analysis::check(module, question);
}

Module kernel(std::string_view version, std::string_view target, std::string_view body) {
  std::string text = ".version " + std::string(version) + "\n.target " + std::string(target) + "\n";
  text +=
      ".visible .entry k()\n{\n  .reg .b32 %r<4>;\n  .reg .b64 %rd<4>;\n  .reg .pred %p<4>;\n  .shared .align 16 .b8 "
      "s[64];\n";
  text += std::string(body) + "\n  ret;\n}\n";
  return parse(std::move(text), "k.ptx");
}

constexpr std::string_view wgmma = "  wgmma.fence.sync.aligned;";
constexpr std::string_view redux = "  redux.sync.add.s32 %r0, %r1, -1;";  // 7.0, sm_80 and later
constexpr std::string_view vote = "  vote.all.pred %p0, %p1;";            // until 6.3 on sm_70 and later

isa::TargetIndex target(std::string_view name) { return isa::find_target(name).value(); }
isa::Version version(std::string_view text) { return isa::parse_version(text).value(); }

std::string rules_of(const analysis::Fit& fit) {
  std::string text;
  for (const analysis::Problem& problem : fit.problems)
    text +=
        (text.empty() ? "" : " ") + problem.diagnostic.rule + ":" +
        (problem.diagnostic.remedy.empty() ? "?"
                                           : problem.diagnostic.remedy.substr(0, problem.diagnostic.remedy.find(';')));
  return text;
}

std::string rules_of(std::string_view ptx_version, std::string_view ptx_target, std::string_view body,
                     const CheckQuestion& question = {}) {
  const Module module = kernel(ptx_version, ptx_target, body);
  return rules_of(answer(module, question).answer());
}

CheckQuestion on_device(unsigned number) {
  CheckQuestion question;
  question.devices.push_back({"", number});
  return question;
}

CheckQuestion with_target(std::string_view name) {
  CheckQuestion question;
  question.target = target(name);
  return question;
}

CheckQuestion read_by(std::string_view highest) {
  CheckQuestion question;
  question.readers.push_back({"driver 1", version(highest), true});
  return question;
}

}  // namespace

TEST_CASE("what a module needs is the sum of its lines") {
  const Module module = kernel("8.0", "sm_90a", std::string(wgmma) + "\n" + std::string(redux));
  const CheckReport report = answer(module);
  CHECK(report.ok());
  CHECK(report.complete);
  CHECK(isa::describe(report.targets) == "sm_90a");
  CHECK(analysis::lowest_version(report.requirement, target("sm_90a")) == version("8.0"));
  CHECK_FALSE(analysis::lowest_version(report.requirement, target("sm_120")));
}

TEST_CASE("needs that another need covers do not decide") {
  const Module module = kernel("8.0", "sm_90a", std::string(wgmma) + "\n" + std::string(redux));
  for (const analysis::FeatureNeed& need : answer(module).needs)
    CHECK(need.decides == (need.requirement.targets() == *isa::parse_targets("sm_90a")));
}

TEST_CASE("the remedy is the nearest header that takes the whole module") {
  CHECK(rules_of("8.0", "sm_90a", wgmma).empty());
  // The same device: its suffix.
  CHECK(rules_of("8.0", "sm_90", wgmma) == "PTX-TARGET:write .target sm_90a");
  // A later one, and the version that it needs.
  CHECK(rules_of("6.5", "sm_75", redux) == "PTX-TARGET:write .version 7.0 and .target sm_80");
  // The version alone.
  CHECK(rules_of("7.8", "sm_90a", "") == "PTX-ISA:write .version 8.0");
  CHECK(rules_of("8.0", "sm_120", "") == "PTX-ISA:write .version 8.7");
}

TEST_CASE("a header that does not exist") {
  CHECK(rules_of("7.9", "sm_80", redux).starts_with("PTX-ISA:write .version "));
  CHECK(rules_of("8.0", "sm_99", redux).find("PTX-TARGET:write .target sm_") != std::string::npos);
}

TEST_CASE("spellings that later versions refuse") {
  CHECK(rules_of("6.3", "sm_70", vote).empty());
  const Module module = kernel("7.0", "sm_70", vote);
  const CheckReport report = answer(module);
  REQUIRE(report.declared.problems.size() == 1);
  CHECK(report.declared.problems[0].diagnostic.rule == "PTX-REMOVED");
  CHECK(report.declared.problems[0].diagnostic.remedy.find(".version 6.3") != std::string::npos);
}

TEST_CASE("another target is asked for in place of the header's") {
  const Module module = kernel("8.0", "sm_90", wgmma);
  CHECK(answer(module, with_target("sm_90a")).ok());
  CHECK_FALSE(answer(module, with_target("sm_90a")).declared.ok());
  CHECK_FALSE(answer(module, with_target("sm_120a")).ok());
  const CheckReport report = answer(kernel("8.0", "sm_90a", ""), with_target("sm_90"));
  CHECK(report.ok());
  REQUIRE(report.against->explanations.size() == 2);
  CHECK(report.against->explanations[1] ==
        ".target sm_90a, which the module says, runs on compute capability 9.0 only: also on 9.0");
}

TEST_CASE("a driver takes PTX up to its own version") {
  CHECK(rules_of("8.0", "sm_80", redux, read_by("8.0")).empty());
  // Nothing in it needs more: the version may be written lower.
  CHECK(rules_of("8.7", "sm_80", redux, read_by("8.0")) == "PTX-ISA:write .version 8.0");
  // It does need more: a line of its own says so.
  const std::string both = rules_of("8.0", "sm_90a", wgmma, read_by("7.8"));
  CHECK(both.find("write") == std::string::npos);
  CHECK(both.find("PTX-ISA:use a driver R525") != std::string::npos);
}

TEST_CASE("code for one architecture runs on no other") {
  CHECK(rules_of("8.0", "sm_90a", "", on_device(90)).empty());
  CHECK(rules_of("8.0", "sm_90a", "", on_device(120)) == "PTX-TARGET:write .target sm_90");
  CHECK(rules_of("8.0", "sm_90a", wgmma, on_device(120)).find("PTX-TARGET:no .target that runs there") == 0);
  CHECK(rules_of("8.8", "sm_100f", "", on_device(103)).empty());
  CHECK(rules_of("8.8", "sm_100f", "", on_device(120)) == "PTX-TARGET:write .target sm_100");
  CHECK(rules_of("8.0", "sm_90", "", on_device(80)) == "PTX-TARGET:write .target sm_80");
  CHECK(rules_of("7.0", "sm_80", "", on_device(120)).empty());
}

TEST_CASE("what no target has together is said with both lines") {
  const Module module = kernel("8.8", "sm_90a", std::string(wgmma) + "\n  tcgen05.fence::before_thread_sync;");
  const CheckReport report = answer(module);
  CHECK(report.targets.empty());
  REQUIRE(report.declared.problems.size() == 1);
  const Diagnostic& problem = report.declared.problems[0].diagnostic;
  CHECK(problem.remedy.find("split it") != std::string::npos);
  REQUIRE(problem.notes.size() == 2);
  CHECK(module.position(problem.notes[1].span).line == 9);
}

TEST_CASE("an instruction that is not known leaves the answer open") {
  const CheckReport report = answer(kernel("8.0", "sm_90", "  frobnicate.b32 %r0, %r1;"));
  CHECK(report.declared.ok());
  CHECK_FALSE(report.complete);
  CHECK_FALSE(report.ok());
}

TEST_CASE("each remedy is for its own obstacle") {
  // The reader takes it with a lower version, the device runs it with none.
  CheckQuestion question = on_device(70);
  question.readers.push_back({"driver 1", version("8.0"), true});
  const std::string both = rules_of("8.7", "sm_80", redux, question);
  CHECK(both.find("PTX-ISA:write .version 8.0") != std::string::npos);
  CHECK(both.find("PTX-TARGET:no .target that runs there has all of this code") != std::string::npos);
  // There is a header for the device, which the reader is too old for.
  question = on_device(103);
  question.readers.push_back({"driver 1", version("8.0"), true});
  const std::string later = rules_of("8.6", "sm_100a", "  tcgen05.fence::before_thread_sync;", question);
  CHECK(later.find("does not exist") == std::string::npos);
  CHECK(later.find("PTX-TARGET:write .version 8.8 and .target sm_100f") != std::string::npos);
  CHECK(later.find("with .version 8.8 and .target sm_100f") != std::string::npos);
}

TEST_CASE("text that only the grammar reads is no answer") {
  const auto is_fine = [](std::string_view text) { return answer(parse(std::string(text), "k.ptx")).ok(); };
  using namespace std::string_view_literals;
  CHECK(is_fine(".version 8.0\n.target sm_80\n.entry k() { ret; }"));
  CHECK(is_fine("# 1 \"a.cu\"\n.version\t\f8.0 .target /* \xc3\xa9 \v \xef\xbb\xbf */ sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8.0\n.target sm_80\n.entry k() { ret; }\0"sv));
  CHECK_FALSE(is_fine(".version 8.0\n.target sm_80\n// \0\n.entry k() { ret; }"sv));
  CHECK_FALSE(is_fine("\xef\xbb\xbf.version 8.0\n.target sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8.0\n.target sm_80\n\v.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8.0\n.target sm_80\n.file 1 \"\xc3\xa9\"\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version\n8.0\n.target sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8.0e0\n.target sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8\n.target sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".target sm_80\n.version 8.0\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".file 1 \"a\"\n.version 8.0\n.target sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8.0\n.pragma \"nounroll\";\n.target sm_80\n.entry k() { ret; }"));
  CHECK_FALSE(is_fine(".version 8.0\n.target texmode_independent, sm_80\n.entry k() { ret; }"));
}

TEST_CASE("needs: those that decide first, then by their first place, with how often") {
  const Module module = kernel("8.0", "sm_90a",
                               "  activemask.b32 %r1;\n  redux.sync.add.s32 %r0, %r1, -1;\n  activemask.b32 %r2;\n"
                               "  wgmma.fence.sync.aligned;\n  redux.sync.min.s32 %r0, %r1, -1;\n"
                               "  wgmma.fence.sync.aligned;\n  mov.u32 %r0, %clock_hi;");
  std::string all;
  for (const analysis::FeatureNeed& need : answer(module).needs) {
    all += (need.decides ? "! " : "") + need.name + " " + std::to_string(need.count) + ":";
    for (const Span place : need.places) all += " " + std::to_string(module.position(place.begin).line);
    all += "\n";
  }
  CHECK(all ==
        "! warpgroup matrix multiply 2: 12 14\n"
        "activemask 2: 9 11\n"
        "redux.sync 2: 10 13\n"
        "%clock_hi 1: 15\n");
}

TEST_CASE("strings are ASCII, and what stands between words is white space or a comment") {
  const auto rules = [](const std::string& text) {
    std::string all;
    for (const Diagnostic& one : answer(parse(".version 8.0\n.target sm_80\n" + text, "k.ptx")).diagnostics)
      all += (all.empty() ? "" : " ") + one.rule + (one.level == Level::error ? "" : "?");
    return all;
  };
  CHECK(rules(".file 1 \"a.cu\"\n.pragma \"nounroll\";\n").empty());
  CHECK(rules(".file 1 \"\xc3\xa4.cu\"\n.file 2 \"\xc3\xb6.cu\"\n") == "PTX-LEX");  // said once
  CHECK(rules("// \xc3\xa4\n/* \xc3\xb6 */\n") == "PTX-LEX?");                      // in comments newer ones take it
  CHECK(rules("// \v\n").empty());
  CHECK(rules("\v.func f();\v\n") == "PTX-LEX");
  CHECK(rules("\xef\xbb\xbf.func f();\n") == "PTX-LEX");
}
