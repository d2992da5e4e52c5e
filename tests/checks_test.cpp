// The semantic checks: small modules with what is wrong in them, and nothing to object to in what ptxas accepts.
#include "analysis/checks.h"

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "analysis/requirements.h"
#include "tests/catch.h"
#include "tests/parser_corpus.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

constexpr std::string_view header = ".version 8.0\n.target sm_75\n.address_size 64\n";

// Rule and line, relative to the first line of `text`: "UNDECLARED 2, TYPE 3".
std::string findings(const std::string& text, Level least = Level::error) {
  const Module module = parse(std::string(header) + text, "test.ptx");
  std::string found;
  for (const Diagnostic& d : module.diagnostics())
    if (d.level >= least) found += "parser: " + d.message + "; ";
  for (const Diagnostic& d : check_semantics(module)) {
    if (d.level < least) continue;
    if (!found.empty()) found += ", ";
    found += d.rule.substr(4) + " " + std::to_string(module.position(d.span).line - 3);
  }
  return found;
}

// A kernel with registers of all kinds; `body` begins on line 4.
std::string kernel(const std::string& body, const std::string& before = {}, const std::string& after = {}) {
  return before + ".visible .entry k(.param .u32 n)\n{\n" +
         ".reg .pred %p<4>; .reg .b32 %r<10>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .reg .b16 %rs<4>; .reg .u32 %u<4>; "
         ".reg .f64 %fd<4>;\n" +
         body + "\nret;\n}\n" + after;
}

}  // namespace

TEST_CASE("names that are not declared, or too late") {
  CHECK(findings(kernel("mov.u32 %r10, 1;")) == "UNDECLARED 4");
  CHECK(findings(kernel("ld.global.u32 %r1, [g];", "", ".global .u32 g;")) == "UNDECLARED 4");
  CHECK(findings(kernel("call f, ();", "", ".func f() { ret; }")) == "UNDECLARED 4");
  CHECK(findings(kernel("mov.u32 y, 1;\n.reg .b32 y;")) == "UNDECLARED 4");
  CHECK(findings(kernel("{ .reg .b32 y; }\nmov.u32 y, 1;")) == "UNDECLARED 5");
  CHECK(findings(kernel("mov.u32 %r1, %warpsize;")) == "UNDECLARED 4");
  CHECK(findings(kernel("@%zz mov.u32 %r2, 1;")) == "UNDECLARED 4");
  CHECK(findings(kernel("mov.u32 %r1, x;\nmov.u32 %r2, x;")) == "UNDECLARED 4");  // once for each name
  CHECK(findings(".global .u64 g = zz;\n.global .u32 zz;") == "UNDECLARED 1");
  CHECK(findings(kernel("call (%r1), %rd1, (%r2), zz;")) == "UNDECLARED 4");
  CHECK(findings(kernel("mov.u32 %r1, WARP_SZ; mov.u32 %r2, %tid.x; mov.u64 %rd1, k;")).empty());
}

TEST_CASE("names declared twice") {
  CHECK(findings(kernel(".reg .b32 n;")) == "REDECLARED 4");
  CHECK(findings(kernel(".reg .b32 g; mov.u32 g, 1;", ".global .u32 g;")).empty());
  CHECK(findings(kernel(".reg .b32 x; .shared .u32 x;")) == "REDECLARED 4");
  CHECK(findings(kernel(".reg .b32 %r5;")) == "REDECLARED 4");
  CHECK(findings(kernel(".reg .b32 %r<3>;")) == "REDECLARED 4");
  CHECK(findings(kernel("{ .reg .f32 %r<3>; mov.f32 %r1, 0f00000000; }")).empty());
  CHECK(findings(kernel("{ .param .b32 p; } { .param .b32 p; }")).empty());
  CHECK(findings(kernel("A: mov.u32 %r1, 1;\nA: mov.u32 %r1, 1;")) == "REDECLARED 5");
  CHECK(findings(kernel("A: mov.u32 %r1, 1;\n{ A: mov.u32 %r1, 1; }")).empty());
  CHECK(findings(".global .u32 g;\n.global .u32 g;") == "REDECLARED 2");
  CHECK(findings(".extern .global .u32 g;\n.extern .global .u32 g;").empty());
  CHECK(findings(".func f() { ret; }\n.func f() { ret; }") == "REDECLARED 2");
  CHECK(findings(".func f(.param .u32 a);\n.func f(.param .u32 a) { ret; }").empty());
  CHECK(findings(".func f(.param .u32 a);\n.func f() { ret; }") == "REDECLARED 2");
  CHECK(findings(".entry e(.param .u32 a, .param .u32 a) { ret; }") == "REDECLARED 1");
}

TEST_CASE("branches to nowhere") {
  CHECK(findings(kernel("bra NOWHERE;")) == "LABEL 4");
  CHECK(findings(kernel("bra IN;\n{ IN: mov.u32 %r1, 1; }")) == "LABEL 4");
  CHECK(findings(kernel("{ bra OUT; }\nOUT: mov.u32 %r1, 1;")).empty());
  CHECK(findings(kernel("bra %r1;")) == "LABEL 4");
  CHECK(findings(kernel("bra n;")) == "LABEL 4");
  CHECK(findings(kernel("ts: .branchtargets A, B;\nbrx.idx %r1, ts;\nA: mov.u32 %r1, 1;")) == "LABEL 4");
  CHECK(findings(kernel("brx.idx %r1, ts;\nts: .branchtargets A;\nA: mov.u32 %r1, 1;")) == "LABEL 4");
  CHECK(findings(kernel("L: mov.u64 %rd1, L;")) == "LABEL 4");
}

TEST_CASE("operand counts and forms") {
  CHECK(findings(kernel("add.u32 %r1, %r2;")) == "OPERANDS 4");
  CHECK(findings(kernel("add.u32 %r1, %r2, %r3, %r4;")) == "OPERANDS 4");
  CHECK(findings(kernel("add.u32 5, %r2, %r3;")) == "OPERANDS 4");
  CHECK(findings(kernel("ld.global.u32 %r1, %rd1;")) == "OPERANDS 4");
  CHECK(findings(kernel("add.u32 %r1, [%rd1], %r3;")) == "OPERANDS 4");
  CHECK(findings(kernel("add.u32 %r1, %tid.x, %r3;")) == "OPERANDS 4");
  CHECK(findings(kernel("ld.global.v4.u32 {%r1, %r2}, [%rd1];")) == "OPERANDS 4");
  CHECK(findings(kernel("call f, ();", ".extern .func f(.param .u32 a);")) == "OPERANDS 4");
  CHECK(findings(kernel("call k2, ();", ".entry k2() { ret; }")) == "OPERANDS 4");
  CHECK(findings(kernel("{ .param .b64 p; call f, (p); }", ".extern .func f(.param .u32 a);")) == "TYPE 4");
  CHECK(findings(kernel("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3; mbarrier.arrive.shared.b64 _, [%r1];")).empty());
}

TEST_CASE("register classes") {
  CHECK(findings(kernel("@%r1 mov.u32 %r2, 1;")) == "TYPE 4");
  CHECK(findings(kernel("add.s32 %f1, %f1, %f1;")) == "TYPE 4, TYPE 4, TYPE 4");
  CHECK(findings(kernel("add.s32 %r1, %r1, %rd1;")) == "TYPE 4");
  CHECK(findings(kernel("add.f32 %r1, %r1, %r1; and.b32 %f1, %f1, %f1; mov.b32 %f1, %u1;")).empty());
  CHECK(findings(kernel("setp.eq.s32 %r1, %r1, %r1;")) == "TYPE 4");
  CHECK(findings(kernel("mul.wide.s32 %r1, %r1, %r1;")) == "TYPE 4");
  CHECK(findings(kernel("mul.wide.s32 %rd1, %r1, %r1;")).empty());
  CHECK(findings(kernel("ld.global.u8 %r1, [%rd1]; ld.global.u16 %rd1, [%rd1]; st.global.u32 [%rd1], %rd1;")).empty());
  CHECK(findings(kernel("ld.global.u32 %rs1, [%rd1];")) == "TYPE 4");
  CHECK(findings(kernel("ld.global.f32 %fd1, [%rd1];")) == "TYPE 4");
  CHECK(findings(kernel("ld.global.u32 %r1, [%f1];")) == "TYPE 4");
  CHECK(findings(kernel("shl.b64 %rd1, %rd1, %r1;")).empty());
  CHECK(findings(kernel("shl.b64 %rd1, %rd1, %rd2;")) == "TYPE 4");
  CHECK(findings(kernel("add.f32 %f1, %f1, 1;")) == "TYPE 4");
  CHECK(findings(kernel("add.s32 %r1, %r1, 0f00000000;")) == "TYPE 4");
  CHECK(findings(kernel("mov.b32 %r1, {%rs1, %r2};")) == "TYPE 4");
  CHECK(findings(kernel("mov.b64 {%r1, %f1}, %rd1; st.global.v2.b32 [%rd1], {%r1, %f1};")).empty());
  CHECK(findings(".shared .b32 x[];") == "TYPE 1");
  CHECK(findings(".extern .shared .b32 x[];").empty());
}

TEST_CASE("an unknown instruction is a warning, once for each spelling") {
  CHECK(findings(kernel("frob.u32 %r1, %r2;\nfrob.u32 %r1, %r2;\nfrob.u64 %rd1;"), Level::warning) ==
        "UNKNOWN 4, UNKNOWN 6");
}

TEST_CASE("operand counts of every version that was held against ptxas") {
  for (const char* version : {"9.1", "9.5"}) {
    const Module module = parse(
        ".version " + std::string(version) + "\n.target sm_100\n.entry k() { .reg .b64 d<9>; add.u64 d1, d2; ret; }",
        "test.ptx");
    const auto found = check_semantics(module);
    REQUIRE(found.size() == 1);
    CHECK(found[0].level == Level::error);
  }
}

TEST_CASE("special registers are as wide as mov") {
  for (const char* wrong : {"mov.u64 %rd1, %tid.x;", "mov.u16 %rs1, %laneid;", "mov.u32 %r1, %clock64;",
                            "mov.u32 %r1, %is_explicit_cluster;", "mov.f32 %f1, %tid.x;"})
    CHECK(findings(kernel(wrong)) == "TYPE 4");
  CHECK(findings(kernel("mov.u32 %r1, %tid;")) == "OPERANDS 4");
  CHECK(findings(kernel("mov.u16 %rs1, %tid.x; mov.u16 %rs1, %ctaid.x; mov.u32 %r1, %gridid; mov.b64 %rd1, %clock64;"
                        "mov.pred %p1, %is_explicit_cluster; mov.b32 %r1, %laneid; mov.u64 %rd1, %gridid;"))
            .empty());
}

TEST_CASE("numbers as addresses, vectors of atomics, a type too many") {
  CHECK(findings(kernel("ld.global.u32 %r1, [16];")) == "OPERANDS 4");
  CHECK(findings(kernel("st.shared.u32 [16], %r1;")) == "OPERANDS 4");
  CHECK(findings(kernel("ld.local.u32 %r1, [16];")).empty());
  CHECK(findings(kernel("atom.global.v2.f32.add %f1, [%rd1], %f2;")) == "OPERANDS 4, OPERANDS 4");
  CHECK(findings(kernel("atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f1, %f2, %f3};")) == "OPERANDS 4");
  CHECK(findings(kernel("atom.global.v2.f32.add {%f1, %f2}, [%rd1], {%f1, %f2};")).empty());
  CHECK(findings(kernel("add.s32.s32 %r1, %r1, %r1;")) == "MODIFIER 4");
}

TEST_CASE("aliases and results") {
  CHECK(findings(".alias f, g;") == "UNDECLARED 1, UNDECLARED 1");
  CHECK(findings(".func f();\n.alias f, g;\n.func g() { ret; }") == "UNDECLARED 2");
  CHECK(findings(".func g() { ret; }\n.func f();\n.alias f, g;").empty());
  CHECK(findings(".func (.param .u32 a, .param .u32 b) f() { ret; }") == "PLACE 1, PLACE 1");
  CHECK(findings(".func (.reg .u32 a, .reg .u32 b) f() { ret; }").empty());
}

TEST_CASE("forms of a PTX newer than what was held against ptxas are never errors") {
  const Module module =
      parse(".version 9.6\n.target sm_100\n.entry k() { .reg .b32 r; add.s32 r, r, r, r; ret; }", "test.ptx");
  const auto found = check_semantics(module);
  REQUIRE(found.size() == 1);
  CHECK(found[0].level == Level::warning);
}

TEST_CASE("ptxas accepts it, so there is nothing to object to") {
  const auto files = corpus::files();
  if (files.empty()) WARN("no corpus at " << corpus::folder().string() << "; set PTXSCOPE_SHARED");
  for (const auto& file : files) {
    if (!file.accepted) continue;
    const Module module = parse(corpus::read(corpus::folder() / file.path), file.path);
    for (const Diagnostic& d : check_semantics(module)) {
      INFO(file.path << ":" << module.position(d.span).line << ": " << d.message);
      CHECK(d.level != Level::error);
    }
  }
}

TEST_CASE("ptxas rejects it for what these checks are about: they find it in the same place") {
  const std::regex kind(
      "Arguments mismatch|Illegal operand type|Unknown symbol|Duplicate definition|requires call prototype|"
      "Predicate expression|incomplete type|Illegal call target|vector size mismatch");
  const std::regex place("line ([0-9]+)");
  // Their operand counts depend on the shape of the matrices.
  const std::vector<std::string> beyond = {"public/patrick-toulme+pyptx/wgmma_gemm_tile.ptx"};
  std::size_t found = 0;
  for (const auto& file : corpus::files()) {
    std::smatch line;
    if (file.accepted || !std::regex_search(file.message, kind) || !std::regex_search(file.message, line, place))
      continue;
    if (std::ranges::find(beyond, file.path) != beyond.end()) continue;
    const auto wanted = static_cast<std::uint32_t>(std::stoul(line[1]));
    const Module module = parse(corpus::read(corpus::folder() / file.path), file.path);
    const auto diagnostics = check_semantics(module);
    INFO(file.path << ": " << file.message);
    // ptxas gives the first line of a call that is spread over several.
    CHECK(std::ranges::any_of(diagnostics, [&](const Diagnostic& d) {
      const std::uint32_t at = module.position(d.span).line;
      return d.level == Level::error && (at == wanted || at == wanted + 1);
    }));
    ++found;
  }
  if (!corpus::files().empty()) CHECK(found > 100);
}

TEST_CASE("instructions like one in order are checked where they differ") {
  // Each line is the first but for what stands wrong in it.
  CHECK(findings(kernel("add.s32 %r1, %r2, %r3;\nadd.s32 %r4, %r5, %f1;\nadd.s32 %r4, %r5, %rd1;")) ==
        "TYPE 5, TYPE 6");
  CHECK(findings(kernel("add.s32 %r1, %r2, 1;\nadd.s32 %r1, %r2, 1.0;")) == "TYPE 5");
  CHECK(findings(kernel("mov.u32 %r1, %tid.x;\nmov.u32 %r1, %tid;\nmov.u32 %r1, %clock64;")) == "OPERANDS 5, TYPE 6");
  CHECK(findings(kernel("@%p1 mov.u32 %r1, 1;\n@%r1 mov.u32 %r1, 1;")) == "TYPE 5");
  CHECK(findings(kernel("st.v2.u32 [%rd1], {%r1, %r2};\nst.v2.u32 [%rd1], {%r1, %rd2};\nst.v2.u32 [%rd1], {%r1};")) ==
        "TYPE 5, OPERANDS 6");
  CHECK(findings(kernel("ld.u32 %r1, [%rd1];\nld.u32 %r1, [%f1];\nld.u32 %r1, [16];")) == "TYPE 5, OPERANDS 6");
  CHECK(findings(kernel("add.s32 %r1, %f1, 1;\nadd.s32 %r1, %f1, 1;")) == "TYPE 4, TYPE 5");  // each is told
}

TEST_CASE("every instruction form that ptxas takes") {
  std::ifstream forms(corpus::folder().parent_path() / "oracle" / "truth.jsonl");
  if (!forms) WARN("no list of forms; set PTXSCOPE_SHARED");
  std::string line;
  while (std::getline(forms, line)) {
    const auto form = nlohmann::json::parse(line);
    std::string text = form["module"];
    for (const auto& [key, value] :
         {std::pair("@VERSION@", std::string("9.0")), std::pair("@TARGET@", std::string(form["targets"].back()))})
      for (std::size_t at = text.find(key); at != std::string::npos; at = text.find(key))
        text.replace(at, std::string_view(key).size(), value);
    const Module module = parse(text, "form.ptx");
    // The list was made with ptxas 13.0; a few of its forms are refused by newer ones.
    if (requirements(module).needed.targets().empty()) continue;
    for (const Diagnostic& d : check_semantics(module)) {
      INFO(std::string(form["text"]) << ": " << d.message);
      CHECK(d.level == Level::note);
    }
  }
}
