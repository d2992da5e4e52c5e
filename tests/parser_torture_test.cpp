// Texts made to break readers: nothing crashes, nothing hangs, nothing fills the memory.
#include <string>

#include "parser/module.h"
#include "parser/normalize.h"
#include "parser/scanner.h"
#include "tests/catch.h"
#include "tests/parser_compare.h"

namespace ptxscope {
namespace {

std::string repeated(std::string_view part, std::size_t times) {
  std::string result;
  result.reserve(part.size() * times);
  for (std::size_t i = 0; i < times; ++i) result += part;
  return result;
}

// Parses with all that can be asked, and holds the statements to the text.
Module parsed(const std::string& text) {
  Module module = parse(text, "torture.ptx");
  std::uint32_t end = 0;
  bool in_order = true;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Statement statement = module.statement(i);
    in_order = in_order && statement.span().begin >= end && statement.span().end >= statement.span().begin;
    end = statement.span().end;
    if (i > 2000) continue;
    for (const Operand operand : statement.operands()) (void)operand.text();
    if (statement.kind() == StatementKind::loc) (void)module.source_location(i);
  }
  REQUIRE(in_order);
  REQUIRE(end <= text.size());
  for (const auto variables : {module.variables(), module.local_variables()}) {
    for (const Variable& variable : variables) {
      (void)module.initializer(variable);
      (void)module.initializer_bytes(variable);
    }
  }
  (void)module.producer();
  return module;
}

const std::string head = ".version 9.0\n.target sm_90\n";
const std::string body = head + ".entry k() {\n.reg .b32 %r<9>;\n";

}  // namespace

TEST_CASE("a million brackets") {
  for (const std::string_view bracket :
       {"{", "(", "[", "}", ")", "]", "-", "!", "(.s64)", "1?", "a:", "<", "@", "&&", ";", "a[", "a(", "{{,", "%r1|"}) {
    CAPTURE(bracket);
    // A million for those that a reader could recurse on; the others have only to be many.
    const std::size_t many = bracket == "{" || bracket == "(" || bracket == "[" || bracket == "-" ? 1'000'000 : 100'000;
    parsed(head + repeated(bracket, many));
    parsed(body + repeated(bracket, many));
    parsed(body + "mov.u32 %r1, " + repeated(bracket, many) + ";\nret;\n}");
    parsed(head + ".global .u32 x = " + repeated(bracket, many) + ";\n");
    parsed(head + ".global .u32 x[] = {" + repeated(bracket, many) + "};\n");
    parsed(head + ".section .debug_info {" + repeated(bracket, many) + "}\n");
    parsed(head + ".func f(" + repeated(bracket, many) + ");\n");
  }
}

TEST_CASE("deep scopes with a register in each") {
  const Module module = parsed(body + repeated("{ .reg .b32 x; mov.u32 x, %r1;\n", 100'000) + repeated("}", 100'001));
  CHECK_FALSE(module.has_errors());
  CHECK(module.functions()[0].register_count == 100'009);
  CHECK(normalized(module).size() < 100'000'000);
}

TEST_CASE("endless new shapes") {
  std::string text = body;
  // The statements count up in binary: a name for 0, a number for 1.
  for (int i = 1; i < 3000; ++i) {
    text += "x ";
    for (int bits = i; bits != 0; bits /= 2) text += bits % 2 == 0 ? "a," : "1,";
    text += "1;\n";
  }
  const Module module = parsed(text + "}");
  CHECK_FALSE(module.has_errors());
  CHECK(module.statement_count() > 3000);
}

TEST_CASE("endless wrong shapes") {
  std::string text = body;
  for (int i = 1; i < 3000; ++i) {
    text += "x ";
    for (int bits = i; bits != 0; bits /= 2) text += bits % 2 == 0 ? "a," : "1,";
    text += ";\n";
  }
  const Module module = parsed(text + "}");
  CHECK(module.has_errors());
}

TEST_CASE("a statement of a million words") {
  const Module module = parsed(body + "x " + repeated("a, ", 1'000'000) + "a;\nret;\n}");
  REQUIRE(module.has_errors());
  CHECK(module.diagnostics()[0].rule == "PTX-LIMIT");
  CHECK(module.statement(module.statement_count() - 2).opcode().text == "ret");
}

TEST_CASE("more registers at module level than there are numbers") {
  const std::string header = ".version 8.5\n.target sm_80\n.address_size 64\n";
  const Module module = parsed(header + ".reg .b64 %a<4000000000>;\n.reg .b64 %b<4000000000>;\n.reg .b64 %c<4>;\n" +
                               ".entry k()\n{\nadd.u64 %b6, %a5, %c1;\nret;\n}\n");
  REQUIRE(module.diagnostics().size() == 3);
  for (const Diagnostic& one : module.diagnostics()) CHECK(one.rule == "PTX-LIMIT");
  REQUIRE(module.functions().size() == 1);
  const Function& function = module.functions()[0];
  CHECK(function.register_count < 2'000'000);
  const Statement add = module.statement(function.body_begin + 1);
  REQUIRE(add.operands().size() == 3);
  CHECK(add.operands()[0].kind() == OperandKind::name);  // was not declared: %a takes all there are
  REQUIRE(add.operands()[1].kind() == OperandKind::reg);
  CHECK(module.register_name(function, add.operands()[1].reg()) == "%a5");
}

TEST_CASE("long words, strings and comments") {
  const std::string word(40'000'000, 'a');
  parsed(body + "mov.u32 " + word + ", %r1;\n}");
  parsed(body + word);
  parsed("/*" + word);
  parsed("// " + word);
  parsed(".file 1 \"" + word);
  parsed(".file 1 \"" + word + "\"");
  const std::string digits(1'000'000, '1');
  parsed(body + "mov.u32 %r" + digits + ", " + digits + ";\n}");
}

TEST_CASE("registers without end") {
  const Module module = parsed(head + ".func f() { .reg .b32 %a<4294967295>, %b<4294967295>, c; mov.u32 %a7, c; }\n" +
                               ".func g() { .reg .b32 %a<99999999999999999999>; }");
  CHECK(module.has_errors());
  CHECK(module.functions()[0].register_count < 2'000'000);
}

TEST_CASE("many ranges of registers") {
  std::string text = body;
  for (int i = 0; i < 20'000; ++i) text += ".reg .b32 a" + std::to_string(i) + "x<5>;\n";
  for (int i = 0; i < 20'000; ++i) text += "mov.u32 a" + std::to_string(i) + "x3, a1x5;\n";
  const Module module = parsed(text + "}");
  const Statement last = module.statement(module.statement_count() - 2);
  CHECK(last.operands()[0].kind() == OperandKind::reg);
  CHECK(last.operands()[1].kind() == OperandKind::name);
}

TEST_CASE("sizes without end") {
  const Module module = parsed(head +
                               ".global .b8 x[18446744073709551615][18446744073709551615] = {1};\n"
                               ".global .b8 y[4000000000][4000000000] = {{1},{2}};\n"
                               ".global .align 99999999999999999999 .b64 z[0] = {};\n");
  CHECK(module.variables().size() == 3);
}

TEST_CASE("the text ends anywhere") {
  const std::string text =
      "\xef\xbb\xbf// c\n.version 9.0\n.target sm_90, debug\n.file 1 \"a.cu\", 1, 2\n/* x */ .visible .entry k(.param "
      ".u64 "
      ".ptr .global .align 8 p) .maxntid 1,2,3 .pragma \"a\"; {\n.reg .b32 %r<9>; L: @!%p1 ld.global.v2.u32 {%r1,_}, "
      "[%rd1+-4]; call (%r1), f, (%r2, [%r1]), p; ts: .branchtargets L, M; tex.2d {%r1}|%p1, [t, {%r1, %r2}];\n"
      ".loc 1 2 3, function_name a+1, inlined_at 1 2 3\n mov.u32 %r1, (1+2)*a[3] ? 0f3f800000 : 1.5e3;\n}\n"
      ".global .u8 x[2][] = {{0xff(generic(a)+3), 1}, {\"s\"}};\n.section .debug_info { L2: .b8 1, 2 .b64 a-b }\n"
      "@@DWARF .byte 1\n# 1 \"a\"\n.alias a, b;\n.extern .func f()\n";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    const std::string cut = text.substr(0, n);
    const Module module = parsed(cut);
    ParseOptions options;
    options.use_shape_cache = false;
    const auto found = difference(module, parse(cut, "torture.ptx", options));
    if (found) FAIL_CHECK("cut at " << n << ": " << *found);
    const std::string once = normalized(module);
    CHECK(normalized(parse(once, "")) == once);
  }
}

TEST_CASE("each byte in turn is something else") {
  const std::string text =
      ".version 9.0\n.target sm_90\n.func f(.param .b32 a) { @%p ld.u32 %r1, [%r1+4]; .loc 1 2 3\n"
      "x: mov.u32 {a, b}, 1; }\n.global .u8 x[2] = {1, 2};\n.section .debug_str { .b8 1, 2 }\n";
  for (const char c : {'\0', '{', '}', '(', ';', ':', ',', '"', '#', '.', '\xff'}) {
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::string changed = text;
      changed[i] = c;
      const Module module = parsed(changed);
      const std::string once = normalized(module);
      if (normalized(parse(once, "")) != once) FAIL_CHECK("not stable: " << changed);
    }
  }
}

TEST_CASE("line ends of every kind") {
  for (const std::string_view end : {"\n", "\r\n", "\r", "\f\n", "\v"}) {
    const std::string e(end);
    const Module module =
        parsed(".version 9.0" + e + ".target sm_90" + e + ".entry k()" + e + "{" + e + "ret;" + e + "}" + e);
    CHECK(module.diagnostics().empty());
    CHECK(module.statement_count() == 6);
  }
}

}  // namespace ptxscope
