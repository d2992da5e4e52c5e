// Blocks, edges and what follows from them, on small functions.
#include "analysis/cfg.h"

#include <algorithm>
#include <map>
#include <string>

#include "analysis/function_flow.h"
#include "analysis/names.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

Module module_of(const std::string& body, const std::string& before = {}) {
  return parse(".version 8.0\n.target sm_75\n.address_size 64\n" + before +
                   ".visible .entry k(.param .u32 n)\n{\n.reg .pred %p<8>; .reg .b32 %r<16>; .reg .b64 %rd<4>;\n" +
                   body + "\n}\n",
               "test.ptx");
}

std::uint32_t function_index(const Module& module, std::string_view name) {
  const auto functions = module.functions();
  for (std::uint32_t i = 0; i < functions.size(); ++i)
    if (functions[i].has_body && module.name(functions[i].name) == name) return i;
  FAIL("no function " << name);
  return 0;
}

// "0>1 1>2:%p1 1>3:!%p1 | 2:trap": edges with predicates, then blocks that end otherwise than by branch or fall-through.
std::string shape(const Module& module, const Cfg& cfg) {
  const Function& function = module.functions()[cfg.function];
  std::string text;
  for (const Edge& edge : cfg.edges) {
    if (!text.empty()) text += ' ';
    text += std::to_string(edge.from) + ">" + std::to_string(edge.to);
    if (edge.conditional)
      text += std::string(":") + (edge.negated ? "!" : "") + module.register_name(function, edge.predicate);
    for (std::size_t i = 0; i < edge.cases.size(); ++i) text += (i == 0 ? "#" : ",") + std::to_string(edge.cases[i]);
  }
  text += " |";
  for (const Block& block : cfg.blocks) {
    const std::map<BlockEnd, std::string> names = {
        {BlockEnd::ret, "ret"}, {BlockEnd::exit, "exit"}, {BlockEnd::trap, "trap"}};
    if (const auto name = names.find(block.end); name != names.end())
      text += " " + std::to_string(block.id) + ":" + name->second + (block.conditional_end ? "?" : "");
    if (block.falls_off_end) text += " " + std::to_string(block.id) + ":off";
  }
  return text;
}

std::string shape(const std::string& body, const std::string& before = {}) {
  const Module module = module_of(body, before);
  return shape(module, build_cfg(module, function_index(module, "k")));
}

}  // namespace

TEST_CASE("blocks and edges") {
  CHECK(shape("ret;") == " | 0:ret");
  CHECK(shape("") == " | 0:off");
  CHECK(shape("setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nmov.u32 %r1, 1;\nA: ret;") == "0>2:%p1 0>1:!%p1 1>2 | 2:ret");
  CHECK(shape("@!%p1 bra A;\nmov.u32 %r1, 1;\nA: ret;") == "0>2:!%p1 0>1:%p1 1>2 | 2:ret");
  CHECK(shape("A: mov.u32 %r1, 1;\n@%p1 bra A;\nret;") == "0>1 1>1:%p1 1>2:!%p1 | 2:ret");
  CHECK(shape("@%p1 trap;\nret;") == "0>1:!%p1 | 0:trap? 1:ret");
  CHECK(shape("@%p1 exit;\nmov.u32 %r1, 1;") == "0>1:!%p1 | 0:exit? 1:off");
  CHECK(shape("@%p1 ret;") == " | 0:ret? 0:off");
  CHECK(shape("bra A;\nmov.u32 %r1, 1;\nA: trap;\nexit;") == "0>2 1>2 | 2:trap 3:exit");
  CHECK(shape("bra.uni A;\nA:") == "0>1 | 1:off");
}

TEST_CASE("labels for the debugger start no block") {
  CHECK(shape("$L__func_begin0: mov.u32 %r1, 1;\n$L__tmp0: mov.u32 %r2, 1;\nret;\n$L__tmp1:\n$L__func_end0:") ==
        " | 0:ret");
  const Module module = module_of("bra B;\n$L__tmp0:\nA: B: C: mov.u32 %r1, 1;\nret;\nUNUSED: exit;");
  const Cfg cfg = build_cfg(module, 0);
  REQUIRE(cfg.blocks.size() == 3);
  CHECK(module.name(cfg.blocks[1].label) == "B");
  CHECK(module.name(cfg.blocks[2].label) == "UNUSED");
}

TEST_CASE("tables of targets") {
  const std::string body = "ts: .branchtargets A, B, A,\n C;\n@%p1 brx.idx %r1, ts;\nret;\nA: trap;\nB: exit;\nC: ret;";
  CHECK(shape(body) == "0>2:%p1#0,2 0>3:%p1#1 0>4:%p1#3 0>1:!%p1 | 1:ret 2:trap 3:exit 4:ret");
  const Module module = module_of("brx.idx %r1, ts;");
  const Cfg cfg = build_cfg(module, 0);
  CHECK_FALSE(cfg.complete);
  CHECK(cfg.diagnostics.size() == 1);
}

TEST_CASE("scopes") {
  CHECK(shape("{ @%p1 bra OUT;\n{ @%p1 bra A; mov.u32 %r1, 1; A: }\n{ @%p2 bra A; mov.u32 %r1, 2; A: } }\nOUT: ret;") ==
        "0>5:%p1 0>1:!%p1 1>3:%p1 1>2:!%p1 2>3 3>5:%p2 3>4:!%p2 4>5 | 5:ret");
  // An inner label hides an outer one.
  CHECK(shape("A: mov.u32 %r1, 1;\n{ bra A; mov.u32 %r1, 2; A: ret; }") == "0>2 1>2 | 2:ret");
}

TEST_CASE("a branch to nowhere is a diagnostic and the graph says that it is incomplete") {
  const Module module = module_of("@%p1 bra NOWHERE;\nret;");
  const Cfg cfg = build_cfg(module, 0);
  CHECK_FALSE(cfg.complete);
  REQUIRE(cfg.diagnostics.size() == 1);
  CHECK(cfg.diagnostics[0].level == Level::error);
  CHECK(cfg.incomplete_reasons.size() == 1);
}

TEST_CASE("calls that never return end a block") {
  const std::string noreturn = ".extern .func die() .noreturn;\n";
  CHECK(shape("@%p1 call die, ();\ncall die, ();\nret;", noreturn) == "0>1:!%p1 | 0:trap? 1:trap 2:ret");
  CHECK(shape("call f, ();\nret;", ".extern .func f();\n") == " | 0:ret");
  CHECK(shape("call f, ();\nret;", ".func f() { trap; ret; }\n") == " | 0:trap 1:ret");
  CHECK(shape("call f, ();\nret;", ".func f() { L: bra L; }\n") == " | 0:trap 1:ret");
  CHECK(shape("call f, ();\nret;", ".func g() { exit; }\n.func f() { call g, (); }\n") == " | 0:trap 1:ret");
  CHECK(shape("call f, ();\nret;", ".func f() { .reg .pred p; @p ret; trap; }\n") == " | 0:ret");
  CHECK(shape("call f, ();\nret;", ".func f() { call f, (); ret; }\n") == " | 0:ret");  // recursion: unsure
}

TEST_CASE("names of functions that never return") {
  for (const char* name :
       {"__assertfail", "__assert_fail", "abort", "panic_bounds_check", "julia_throw_boundserror_117",
        "julia__throw_argerror_3", "_RNvNtCs2DxGA1hvVcO_4core9panicking18panic_bounds_check",
        "_RNvNtCs2DxGA1hvVcO_4core6option13unwrap_failed", "_RNvNtNtCsdUysaEmMzSK_4core5slice5index16slice_index_fail",
        "_ZN4core9panicking5panic17h0123456789abcdefE",
        "_ZN4core9panicking11panic_const24panic_const_add_overflow17h0123456789abcdefE",
        "_ZSt20__throw_length_errorPKc", "_ZN4cuda3std3__426__throw_bad_variant_accessEv",
        "_ZN4cuda3std16__cccl_terminateEv"}) {
    INFO(name);
    CHECK(is_noreturn_name(name, false));
  }
  for (const char* name : {"vprintf", "gpu_report_exception", "_ZN4cuda3std3__420__throw_if_valuelessIJEEEvv",
                           "panicking", "panic_count_is_zero", "_ZN4mine9panicking5countEv",
                           "_ZN4core3fmt5write17h0123456789abcdefE", "trap", "_R", "_ZN", "_RNvNt", ""}) {
    INFO(name);
    CHECK_FALSE(is_noreturn_name(name, false));
  }
  // A body at hand is judged itself, but Rust's panics have type !.
  CHECK_FALSE(is_noreturn_name("abort", true));
  CHECK(is_noreturn_name("_ZN4core9panicking5panic17h0123456789abcdefE", true));
}

TEST_CASE("what an instruction reads and writes") {
  const auto uses = [](const std::string& text) {
    const Module module = module_of(text, ".extern .func (.reg .b32 a) f(.reg .b32 b);\n");
    const Function& function = module.functions()[function_index(module, "k")];
    RegisterUses found;
    std::string out;
    for (std::uint32_t i = function.body_begin; i < function.body_end; ++i) {
      if (module.statement(i).kind() != StatementKind::instruction) continue;
      register_uses(module.statement(i), found);
      for (const RegisterNumber reg : found.writes) out += module.register_name(function, reg) + " ";
      out += "<-";
      for (const RegisterNumber reg : found.reads) out += " " + module.register_name(function, reg);
      if (found.guarded) out += " guarded";
      if (!found.known) out += " unknown";
    }
    return out;
  };
  CHECK(uses("add.u32 %r1, %r2, %r3;") == "%r1 <- %r2 %r3");
  CHECK(uses("@!%p1 ld.global.v2.u32 {%r1, _}, [%rd1+4];") == "%r1 <- %p1 %rd1 guarded");
  CHECK(uses("st.global.v2.u32 [%rd1], {%r1, %r2};") == "<- %rd1 %r1 %r2");
  CHECK(uses("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;") == "%p1 %p2 <- %r1 %r2 %p3");
  CHECK(uses("shfl.sync.idx.b32 %r1|%p1, %r2, %r3, %r4, %r5;") == "%r1 %p1 <- %r2 %r3 %r4 %r5");
  CHECK(uses("atom.global.cas.b32 %r1, [%rd1], %r2, %r3;") == "%r1 <- %rd1 %r2 %r3");
  CHECK(uses("red.global.add.u32 [%rd1], %r2;") == "<- %rd1 %r2");
  CHECK(uses("tex.1d.v4.s32.s32 {%r1, %r2, %r3, %r4}, [%rd1, {%r5}];") == "%r1 %r2 %r3 %r4 <- %rd1 %r5");
  CHECK(uses("call (%r1), f, (%r2);") == "%r1 <- %r2");
  CHECK(uses("bar.red.and.pred %p1, 0, %p2;") == "%p1 <- %p2");
  CHECK(uses("frob %r1, [%rd1];") == "%r1 <- %r1 %rd1 unknown");
}

TEST_CASE("live registers") {
  // Two 64-bit values across the branch, one predicate.
  const Module module = module_of(
      "mov.u64 %rd1, 1;\nmov.u64 %rd2, 2;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nadd.u64 %rd1, %rd1, %rd2;\nA: "
      "st.global.u64 [%rd1], %rd2;\nret;");
  const Cfg cfg = build_cfg(module, 0);
  const Liveness liveness = compute_liveness(module, cfg);
  REQUIRE(liveness.complete);
  CHECK(liveness.blocks[0].live_in.registers == 1);  // %r1, never written
  CHECK(liveness.blocks[1].live_in.registers == 4);
  CHECK(liveness.blocks[2].live_in.registers == 4);
  CHECK(liveness.max_live.registers == 5);
  CHECK(liveness.max_live.predicates == 1);
  // A write under a guard keeps the old value.
  const Module guarded = module_of("@%p1 mov.u32 %r1, 1;\nbra A;\nA: st.global.u32 [%rd1], %r1;\nret;");
  const Liveness kept = compute_liveness(guarded, build_cfg(guarded, 0));
  CHECK(kept.blocks[0].live_in.registers == 3);
}

TEST_CASE("guards and blocks bound to a trap") {
  const Module module =
      module_of("setp.eq.u32 %p1, %r1, 0;\n@%p1 bra A;\nbra B;\nA: bra C;\nC: trap;\nB: @%p1 bra C;\nret;");
  const Cfg cfg = build_cfg(module, 0);
  const auto definitions = find_guard_definitions(module, cfg);
  for (std::uint32_t i = 0; i < cfg.edges.size(); ++i)
    if (cfg.edges[i].conditional) CHECK(module.line_of_statement(definitions[i]) == 7);
  CHECK(find_blocks_bound_to_trap(cfg) == std::vector<bool>{false, false, true, true, false, false});
}

TEST_CASE("names and patterns") {
  CHECK(demangled("_Z6vecaddPfS_i") == "vecadd(float*, float*, int)");
  CHECK(demangled("_ZN4core9panicking5panic17h0123456789abcdefE") == "core::panicking::panic");
  CHECK(demangled("_RNvNtCs2DxGA1hvVcO_4core9panicking18panic_bounds_check") == "core::panicking::panic_bounds_check");
  CHECK(demangled("_ZN4core9panicking5panic17h0123456789abcdefE_$_llvm_$_123") == "core::panicking::panic");
  CHECK(demangled("vecadd").empty());
  CHECK(demangled(std::string(5000, 'a')).empty());
  CHECK(demangled("_ZN" + std::string(4000, 'N')).empty());
  for (const char* pattern :
       {"_Z4scanIfEvPT_", "void scan<float>(float*)", "scan<float>", "scan", "sc*", "*", "*scan*float*"}) {
    INFO(pattern);
    CHECK(matches_name(pattern, "_Z4scanIfEvPT_"));
  }
  for (const char* pattern : {"", "can", "scan(", "scan<int>", "*q*"})
    CHECK_FALSE(matches_name(pattern, "_Z4scanIfEvPT_"));
}

TEST_CASE("many labels of one name in scopes of their own take no time to speak of") {
  std::string body = "ret;\n";
  for (int i = 0; i < 20000; ++i) body += "{ @%p1 bra L; mov.u32 %r1, 1; L: }\n";
  for (int i = 0; i < 20000; ++i) body += "{ ";
  for (int i = 0; i < 20000; ++i) body += "@%p1 bra L; } ";
  const Module module = module_of(body + "\nL: ret;");
  CHECK(build_cfg(module, 0).complete);
}
