// What modules need: analysis/requirements.h, and the words that the table sees of each directive.
#include "analysis/requirements.h"

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/checks.h"
#include "analysis/directive_words.h"
#include "tests/catch.h"

using namespace ptxscope;
using analysis::ModuleRequirement;
using analysis::requirements;

namespace {

Module module_of(const std::string& rest) { return parse(".version 9.0\n.target sm_90\n" + rest, "test.ptx"); }
Module body_of(const std::string& body) { return module_of(".visible .entry k()\n{\n" + body + "\nret;\n}\n"); }

// "7.8 sm_90+", as short as a test can say it: the lowest version and what takes it.
std::string needed(const Module& module) {
  const ModuleRequirement found = requirements(module);
  if (found.needed.targets().empty()) return "never";
  std::string text = to_string(found.needed.lowest_version());
  if (found.needed.targets() != isa::all_targets()) text += " " + isa::describe(found.needed.targets());
  return text;
}

// `.global: b32 module`, a line for each directive of a statement. The words of declarations, which come again by
// themselves, are left out.
std::vector<std::string> words(const Module& module, StatementKind kind) {
  std::vector<std::string> result;
  const auto functions = module.functions();
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const auto inside = std::ranges::find_if(
        functions, [i](const Function& f) { return f.has_body && f.header < i && i < f.body_end; });
    const Statement statement = module.statement(i);
    if (statement.kind() != kind) continue;
    analysis::for_each_directive(statement, inside == functions.end() ? nullptr : &*inside,
                                 [&](const analysis::DirectiveUse& use) {
                                   if (std::ranges::find(use.words, use.head.substr(1)) != use.words.end()) return;
                                   std::string line = std::string(use.head) + ":";
                                   for (const std::string_view word : use.words) line += " " + std::string(word);
                                   result.push_back(line);
                                 });
  }
  return result;
}
using Words = std::vector<std::string>;

// The text that each place of the first reason covers.
std::vector<std::string> places_of(const Module& module, const std::string& feature) {
  std::vector<std::string> result;
  for (const analysis::Reason& reason : requirements(module).reasons)
    if (reason.clause->feature() == feature)
      for (const Span place : reason.places) result.emplace_back(module.text(place));
  return result;
}

}  // namespace

TEST_CASE("an empty kernel needs nothing but what its target needs") {
  CHECK(needed(body_of("")) == "1.0");
  CHECK(requirements(body_of("")).reasons.empty());
}

TEST_CASE("the need of a module is the larger of all needs, target by target") {
  const Module module = module_of(
      ".entry k() .maxnreg 32\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, %laneid;\nmov.u32 %r1, %lanemask_lt;\nret;\n}\n");
  const ModuleRequirement found = requirements(module);
  CHECK(to_string(found.needed.lowest_version()) == "2.0");
  CHECK(found.needed.targets() == *isa::parse_targets("sm_20+"));
}

TEST_CASE("declarations count though nothing uses them") {
  CHECK(needed(module_of(".global .texref t;")) == "1.5");
  CHECK(needed(body_of(".reg .b128 %q;")) == "8.3 sm_70 and later");
  CHECK(needed(module_of(".weak .func f() { ret; }")) == "3.1");
  CHECK(needed(module_of(".func f() .noreturn;")) == "6.4 sm_30 and later");
  CHECK(needed(module_of(".shared .f16x2 h;")) == "4.2 sm_53 and later");
}

TEST_CASE("initial values need what they are made of") {
  CHECK(needed(module_of(".global .b32 x = 5;")) == "1.0");
  CHECK(needed(module_of(".global .b32 a;\n.global .u64 x = a;")) == "2.1");
  CHECK(needed(module_of(".global .b32 a;\n.global .u64 x = generic(a);")) == "3.1");
  CHECK(needed(module_of(".global .b32 a;\n.global .u8 x[1] = {0xff(a)};")) == "7.1");
  CHECK(needed(module_of(".global .u8 x[1] = {0xff(1000)};")) == "7.2");
}

TEST_CASE("kernel parameters are measured with their alignment") {
  const auto size = [](const std::string& parameters) {
    return needed(module_of(".entry k(" + parameters + ") { ret; }"));
  };
  CHECK(size(".param .b8 a[256]") == "1.4");
  CHECK(size(".param .b8 a[257]") == "1.5");
  CHECK(size(".param .b8 a[4352]") == "1.5");
  CHECK(size(".param .b8 a[4345], .param .align 8 .b8 b[8]") == "8.1 sm_70 and later");
}

TEST_CASE("what no version takes is said in a sentence") {
  const auto first_reason = [](const Module& module) {
    for (const analysis::Reason& reason : requirements(module).reasons)
      if (reason.clause->requirement.targets().empty()) return reason.clause->feature();
    return std::string("nothing");
  };
  CHECK(first_reason(body_of(".reg .bf16 %h;")) ==
        ".bf16 is a type of instructions only; variables and registers for it are .b16");
  CHECK(first_reason(module_of(".func f() .maxntid 32 { ret; }")) == ".maxntid is for kernels (.entry)");
  CHECK(first_reason(body_of(".reg .b16 %h;")) == "nothing");
}

TEST_CASE("what later versions do not take has a last version") {
  const ModuleRequirement found = requirements(module_of(".tex .u32 t;"));
  CHECK(to_string(found.last.lowest[0]) == "1.4");
  REQUIRE(found.removed.size() == 1);
  CHECK(found.removed[0].clause->text.find(".texref") != std::string_view::npos);
}

TEST_CASE("places are the opcode without its guard, or the word of the directive") {
  const Module module = body_of(".reg .pred %p;\n.reg .b32 %r<2>;\n@!%p  vote .ballot.sync.b32 %r1, %p, -1;");
  const auto reasons = requirements(module).reasons;
  REQUIRE(!reasons.empty());
  CHECK(module.text(reasons[0].places.at(0)) == "vote .ballot.sync.b32");

  CHECK(places_of(module_of(".entry k() .maxntid 1 .maxnreg 32 { ret; }"), ".maxnreg") == Words{".maxnreg"});
  CHECK(places_of(module_of(".visible .weak .global .b32 x;"), ".weak") == Words{".weak"});
  CHECK(places_of(body_of(".reg .b32 %r;\nmov.u32 %r, %lanemask_lt;"), "%lanemask_lt") == Words{"%lanemask_lt"});
}

TEST_CASE("places are kept as many as asked for, and all are counted") {
  std::string body = ".reg .b32 %r;\n";
  for (int i = 0; i < 20; ++i) body += "mov.u32 %r, %lanemask_lt;\n";
  const Module module = body_of(body);
  const auto with = [&](std::size_t places) { return requirements(module, {places}).reasons.at(0); };
  CHECK(with(5).places.size() == 5);
  CHECK(with(5).count == 20);
  CHECK(with(0).places.size() == 20);
}

TEST_CASE("an instruction or a directive that the table does not know is named once") {
  const ModuleRequirement found = requirements(body_of("frobnicate.x;\nfrobnicate.y;\n.frob 1;"));
  REQUIRE(found.unknown.size() == 2);
  CHECK(found.unknown[0].message.find("frobnicate") != std::string::npos);
  CHECK(found.unknown[1].message.find(".frob") != std::string::npos);
}

TEST_CASE("opcodes are held against the forms of the manual, in any order of modifiers") {
  const auto found = [](const std::string& instruction) {
    const Module module = body_of(".reg .b32 %r<4>;\n.reg .b64 %d<4>;\n.reg .f32 %f<4>;\n" + instruction);
    const auto diagnostics = analysis::check_semantics(module);
    if (diagnostics.empty()) return std::string();
    const Diagnostic& first = diagnostics.front();
    return std::string(module.text(first.span)) + ": " + first.message +
           (first.remedy.empty() ? "" : "; " + first.remedy);
  };
  CHECK(found("membar.cluster;") == "membar.cluster: '.cluster' is no modifier of membar");
  CHECK(found("mul.s32 %r1, %r2, %r3;") == "mul.s32: mul.s32 lacks a modifier; add .lo or .hi");
  CHECK(found("div.rn.u64 %d1, %d2, %d3;") ==
        "div.rn.u64: the manual has no form of div with these modifiers together");
  CHECK(found("add.f32.rn %f1, %f2, %f3;").empty());
  CHECK(found("add.sat.sat.f32 %f1, %f2, %f3;").empty());
}

TEST_CASE("declarations that are wrong by themselves") {
  const auto found = [](const std::string& text) {
    const auto diagnostics = analysis::check_semantics(module_of(text));
    return diagnostics.empty() ? std::string() : diagnostics.front().message;
  };
  CHECK(found(".global .align 3 .b32 a;") == "the alignment of 'a' is no power of two");
  CHECK(found(".shared .b32 a = 1;") == "'a' is in .shared, where nothing has an initial value");
  CHECK(found(".global .f16 a = 1.0;") == "variables of type .f16 have no initial value");
  CHECK(found(".entry k() .maxntid 1, 2, 3, 4 { ret; }") == ".maxntid takes one to three numbers, not 4");
  CHECK(found(".entry k() .maxntid 32 .reqntid 32 { ret; }") == ".maxntid and .reqntid exclude each other");
  CHECK(found(".entry k() .reqntid 32 .blocksareclusters { ret; }") ==
        ".blocksareclusters asks for .reqnctapercluster too");
  CHECK(found(".entry k(.reg .b32 a) { ret; }") == "parameters of kernels are in .param, not in .reg");
  CHECK(found(".file 1 \"a\"\n.file 1 \"b\"\n") == ".file 1 is declared twice");
  CHECK(found(".file 1 \"a\"\n.file 2 \"a\"\n").empty());
}

TEST_CASE("what .target's options ask of a module") {
  const auto found = [](const std::string& target, const std::string& rest) {
    const Module module = parse(".version 9.0\n.target " + target + "\n" + rest, "test.ptx");
    const auto diagnostics = analysis::check_semantics(module);
    return diagnostics.empty() ? std::string() : diagnostics.front().message;
  };
  CHECK(found("sm_90", ".global .samplerref s;") == "'s' is a .samplerref, which .target texmode_unified has not");
  CHECK(found("sm_90, texmode_independent", ".global .samplerref s;").empty());
  CHECK(found("sm_90, debug", "") == ".target debug in a module without a .section of debugging information");
  CHECK(found("sm_90, debug", ".section .debug_info { .b8 0 }").empty());
  CHECK(found("sm_90, fast", "") == "'fast' is neither a target nor an option of .target");
}

TEST_CASE("words of variables") {
  CHECK(words(module_of(".visible .global .align 4 .v4 .f32 x[2] = {1.0, 2.0}, y;"), StatementKind::variable) ==
        Words{".global: align v4 f32 array initialized module", ".visible: global"});
  CHECK(words(module_of(".extern .shared .b8 x[];"), StatementKind::variable) ==
        Words{".shared: b8 array open module", ".extern: shared"});
  CHECK(words(module_of(".const[3] .b32 x;"), StatementKind::variable) == Words{".const: bank b32 module"});
  CHECK(words(module_of(".global .attribute(.managed, .unified(1, 2)) .b32 x;"), StatementKind::variable) ==
        Words{".global: b32 module", ".attribute: managed global", ".attribute: unified global"});
  CHECK(words(body_of(".reg .b32 %r<4>, x;"), StatementKind::registers) == Words{".reg: b32 range body"});
}

TEST_CASE("words of functions") {
  CHECK(words(module_of(".entry k(.param .u64 .ptr .global .align 8 p) .maxntid 1, 2 { ret; }"),
              StatementKind::function) ==
        Words{".param: u64 ptr ptr_space ptr_align entry", ".maxntid: entry", ".entry: parameters"});
  CHECK(words(module_of(".extern .func (.param .b32 r) f(.param .b32 a) .noreturn;"), StatementKind::function) ==
        Words{".param: b32 func result", ".param: b32 func", ".noreturn: func", ".extern: func",
              ".func: returns parameters prototype"});
}

TEST_CASE("words of debugging directives") {
  CHECK(words(module_of(".file 1 \"a.cu\", 12, 34\n"), StatementKind::file) == Words{".file: timestamp"});
  CHECK(words(body_of(".loc 1 2 3, function_name L, inlined_at 1 2 3\n"), StatementKind::loc) ==
        Words{".loc: function_name inlined_at"});
  CHECK(words(module_of(".section .debug_info { L: .b8 1, -2\n .b32 L+3\n .b64 .debug_str }"),
              StatementKind::section) == Words{".section: label b8 negative b32 symbol offset b64 name"});
  CHECK(words(module_of(".section .debug_info { .b32 L, 3\n .b8 1 }"), StatementKind::section) ==
        Words{".section: b32 symbol b8"});
}

TEST_CASE("words of pragmas, one use for each string") {
  CHECK(words(body_of(".pragma \"nounroll\", \"used_bytes_mask 0xf\";"), StatementKind::pragma) ==
        Words{".pragma: nounroll body", ".pragma: used_bytes_mask body"});
}

TEST_CASE("what operands are made of counts, too") {
  // cp.async.ca copies 4, 8 or 16 bytes.
  const auto copy = [](const std::string& bytes) {
    return needed(
        body_of(".reg .b32 %r<2>;\n.reg .b64 %rd<2>;\ncp.async.ca.shared.global [%r1], [%rd1], " + bytes + ";"));
  };
  CHECK(copy("8") == "7.0 sm_80 and later");
  CHECK(copy("3") == "never");
}

TEST_CASE("a call is no use of a function's address") {
  const auto uses = [](const std::string& body) {
    return places_of(
        module_of(".func f() { ret; }\n.visible .entry k()\n{\n.reg .b64 %rd<2>;\n" + body + "\nret;\n}\n"),
        "the address of a function");
  };
  CHECK(uses("call f;").empty());
  CHECK(uses("mov.u64 %rd1, f;") == std::vector<std::string>{"f"});
}

// Runs of some ten thousand statements are looked at by themselves and put together.
TEST_CASE("a module that is looked at in pieces needs what its functions need") {
  constexpr unsigned functions = 3;
  constexpr unsigned lines = 12000;
  std::string text;
  for (unsigned f = 0; f < functions; ++f) {
    text += ".visible .entry k" + std::to_string(f) + "()\n{\n.reg .b32 %r<3>;\n";
    for (unsigned i = 0; i < lines; ++i) {
      if (i % 100 == 0) text += "redux.sync.add.s32 %r1, %r2, -1;\n";
      else if (i % 1000 == 1) text += "foo.b32 %r1;\nbar" + std::to_string(f) + ".b32 %r1;\n";
      else text += "add.u32 %r1, %r1, %r2;\n";
    }
    if (f == 2) text += "wgmma.fence.sync.aligned;\n";
    text += "ret;\n}\n";
  }
  const Module module = module_of(text);
  for (const unsigned jobs : {1U, 3U}) {
    const ModuleRequirement found = requirements(module, {.places = 200, .jobs = jobs});
    const auto reason = [&](const std::string& feature) -> const analysis::Reason& {
      const auto at = std::ranges::find_if(
          found.reasons, [&](const analysis::Reason& one) { return one.clause->feature() == feature; });
      REQUIRE(at != found.reasons.end());
      return *at;
    };
    const analysis::Reason& redux = reason("redux.sync");
    CHECK(redux.count == functions * lines / 100);
    REQUIRE(redux.places.size() == 200);  // 120 of the first, 80 of the second function
    CHECK(std::ranges::is_sorted(redux.places, {}, &Span::begin));
    CHECK(module.position(redux.places[119].begin).line < module.position(redux.places[120].begin).line - 99);
    CHECK(reason("warpgroup matrix multiply").count == 1);
    std::vector<std::string> unknown;
    for (const Diagnostic& one : found.unknown) unknown.push_back(one.message.substr(0, one.message.find(" is not")));
    CHECK(unknown ==
          Words{"the instruction foo", "the instruction bar0", "the instruction bar1", "the instruction bar2"});
  }
}
