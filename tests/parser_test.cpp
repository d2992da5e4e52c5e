// What a Module says about small texts.
#include "parser/module.h"

#include <bit>
#include <initializer_list>
#include <string>
#include <vector>

#include "parser/normalize.h"
#include "tests/catch.h"
#include "tests/parser_compare.h"

namespace ptxscope {
namespace {

// What is read, and what is to come of it.
struct Row {
  const char* text;
  const char* expected;
};

const std::string head = ".version 9.0\n.target sm_90a, debug\n.address_size 64\n";

Module in_body(const std::string& statements) {
  return parse(head +
                   ".visible .entry k(.param .u64 p)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<10>;\n.reg .b64 %rd<10>;\n" +
                   statements + "\n}\n",
               "test.ptx");
}

std::string messages(const Module& module) {
  std::string result;
  for (const Diagnostic& diagnostic : module.diagnostics()) {
    const Position position = module.position(diagnostic.span);
    result += std::to_string(position.line) + ":" + std::to_string(position.column) + ": " + diagnostic.message + " [" +
              diagnostic.rule + "]\n";
  }
  return result;
}

// An operand as a person would write down what it is.
std::string shown(const Operand& operand) {
  const Module& module = operand.module();
  const std::string sign = operand.negated() ? "!" : "";
  const std::string dot = operand.selector() == Selector::none ? "" : "." + std::string(spelling(operand.selector()));
  const auto list = [&](const char* open, const char* close) {
    std::string result = open;
    bool first = true;
    for (const Operand child : operand.children()) {
      result += (first ? "" : " ") + shown(child);
      first = false;
    }
    return result + close;
  };
  switch (operand.kind()) {
    case OperandKind::reg:
      return sign + module.register_name(module.functions().back(), operand.reg()) + dot;
    case OperandKind::name:
      return sign + "name:" + std::string(module.name(operand.name())) + dot;
    case OperandKind::integer:
      return std::to_string(operand.integer());
    case OperandKind::floating:
      return operand.is_single()
                 ? std::to_string(std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits()))) + "f"
                 : std::to_string(std::bit_cast<double>(operand.bits()));
    case OperandKind::sink:
      return "_";
    case OperandKind::vector:
      return list("{", "}");
    case OperandKind::pair:
      return list("<", ">");
    case OperandKind::address: {
      std::string result = "[" + shown(operand.base());
      if (const auto index = operand.index()) result += " index " + shown(*index);
      if (operand.displacement() != 0) result += " + " + std::to_string(operand.displacement());
      return result + "]";
    }
    case OperandKind::tuple_address:
      return list("[[", "]]");
    case OperandKind::list:
      return list("(", ")");
    case OperandKind::expression:
      return "expression:" + std::string(operand.text());
    case OperandKind::string:
      return "string:" + std::string(operand.text());
  }
  return "?";
}

// All operands of the last instruction before the closing brace.
std::string operands(const std::string& instruction) {
  const Module module = in_body(instruction);
  INFO(messages(module));
  CHECK_FALSE(module.has_errors());
  const Statement statement = module.statement(module.statement_count() - 2);
  std::string result;
  if (const auto guard = statement.guard())
    result += (guard->negated ? "@!" : "@") + shown(guard->predicate).substr(guard->negated ? 1 : 0) + " ";
  result += statement.opcode().text;
  for (const Operand operand : statement.operands()) result += " " + shown(operand);
  return result;
}

std::vector<std::int64_t> values(const std::string& declaration) {
  const Module module = parse(head + declaration + "\n", "test.ptx");
  INFO(messages(module));
  CHECK_FALSE(module.has_errors());
  std::vector<std::int64_t> result;
  for (const InitializerValue& value : module.initializer(module.variables().back())) result.push_back(value.value);
  return result;
}

}  // namespace

TEST_CASE("operands of every form") {
  for (const auto& [text, expected] : std::initializer_list<Row>{
           {"add.u32 %r1, %r2, -5;", "add.u32 %r1 %r2 -5"},
           {"@!%p1 bra L;", "@!%p1 bra name:L"},
           {"@%p1 ret;", "@%p1 ret"},
           {"ret;", "ret"},
           {"mov.u32 %r1, %tid.x;", "mov.u32 %r1 name:%tid.x"},
           {"mov .u32 %r1, %tid .x;", "mov.u32 %r1 name:%tid.x"},
           {"ld.global.v4.u32 {%r1, _, %r2, %r3}, [%rd1+16];", "ld.global.v4.u32 {%r1 _ %r2 %r3} [%rd1 + 16]"},
           {"ld.global.u32 %r1, [%rd1+-4];", "ld.global.u32 %r1 [%rd1 + -4]"},
           {"ld.global.u32 %r1, [%rd1-4];", "ld.global.u32 %r1 [%rd1 + -4]"},
           {"ld.global.u32 %r1, [%rd1+4+4*2];", "ld.global.u32 %r1 [%rd1 + 12]"},
           {"ld.global.u32 %r1, [%rd1-4+2];", "ld.global.u32 %r1 [%rd1 + -2]"},
           {"ld.global.u32 %r1, [%rd1+0x123456789a];", "ld.global.u32 %r1 [%rd1 + 78187493530]"},
           {"ld.shared.u32 %r1, [table+%r2];", "ld.shared.u32 %r1 [name:table index %r2]"},
           {"ld.shared.u32 %r1, [table+%r2+8];", "ld.shared.u32 %r1 [name:table index %r2 + 8]"},
           {"ld.shared.u32 %r1, [16];", "ld.shared.u32 %r1 [16]"},
           {"ld.shared.u32 %r1, [-%rd1];", "ld.shared.u32 %r1 [expression:-%rd1]"},
           {"ld.param.u64 %rd1, [k_param_0];", "ld.param.u64 %rd1 [name:k_param_0]"},
           {"setp.eq.and.u32 %p1|_, %r1, %r2, !%p2;", "setp.eq.and.u32 <%p1 _> %r1 %r2 !%p2"},
           {"tex.2d.v4.f32.s32 {%r1,%r2,%r3,%r4}|%p1, [t, s, {%r5, %r6}], %r7;",
            "tex.2d.v4.f32.s32 <{%r1 %r2 %r3 %r4} %p1> [[name:t name:s {%r5 %r6}]] %r7"},
           {"x [[%r1], {%r2}];", "x [[[%r1] {%r2}]]"},
           {"vadd.u32.u32.u32 %r1, %r2.b0, %r3.h1;", "vadd.u32.u32.u32 %r1 %r2.b0 %r3.h1"},
           {"mma.sync {%r1}, {0, 1}, {%r1.x, -1};", "mma.sync {%r1} {0 1} {%r1.x -1}"},
           {"call (%r1), f, (%r2, 5, [%rd1]), proto;", "call (%r1) name:f (%r2 5 [%rd1]) name:proto"},
           {"ld.u32 %r1, [%rd1].unified;", "ld.u32 %r1 [%rd1]"},
           {"mov.u32 %r1, WARP_SZ;", "mov.u32 %r1 32"},
           {"mov.u32 %r1, WARP_SZ*2;", "mov.u32 %r1 64"},
           {"ld.u32 %r1, [WARP_SZ];", "ld.u32 %r1 [32]"},
           {"ld.u32 %r1, [a .x+4];", "ld.u32 %r1 [name:a.x + 4]"},
           {"ld.u32 %r1, [a.x];", "ld.u32 %r1 [name:a.x]"},
           {"call f;", "call name:f"},
           {"call.uni (%r1),\nf,\n(\n);", "call.uni (%r1) name:f ()"},
           {"mov.u32 %r1, -%r2;", "mov.u32 %r1 !%r2"},
       }) {
    CHECK(operands(text) == expected);
  }
}

TEST_CASE("numbers and constant expressions") {
  for (const auto& [text, expected] : std::initializer_list<Row>{
           {"0x1F", "31"},
           {"0777", "511"},
           {"0b1011U", "11"},
           {"18446744073709551615", "-1"},
           {"0x7fffffffffffffff", "9223372036854775807"},
           {"-9223372036854775808", "-9223372036854775808"},
           {"140737488355328", "140737488355328"},
           {"-140737488355329", "-140737488355329"},
           {"(4+5)*2", "18"},
           {"(4+5)", "9"},
           {"((7))", "7"},
           {"1+2*3<<1", "14"},
           {"1 ? 2 : 3 ? 4 : 5", "2"},
           {"-1 >> 1", "-1"},
           {"(.u64) -1 >> 60", "15"},
           {"!0 + ~0 - - 3", "3"},
           {"7 % 4 / 2 | 8 ^ 2 & 3", "11"},
           {"5 % 0", "expression:5 % 0"},
           {"1 < 2 && 2 >= 2 || 0 != 0", "1"},
           {"0f3f800000", "1.000000f"},
           {"-0f3f800000", "-1.000000f"},
           {"0d3ff8000000000000", "1.500000"},
           {".5", "0.500000"},
           {"-1e3", "-1000.000000"},
           {"1.5+2", "3.500000"},
           {"table+4", "expression:table+4"},
           {"generic(x)+8", "expression:generic(x)+8"},
           {"a[3]", "expression:a[3]"},
       }) {
    CHECK(operands(std::string("mov.b64 %rd1, ") + text + ";") == std::string("mov.b64 %rd1 ") + expected);
  }
}

TEST_CASE("places of operands") {
  const Module module = in_body("@!%p1 ld.global.v2.u32 {%r1, %r2}, [%rd1+-4];");
  const Statement statement = module.statement(module.statement_count() - 2);
  CHECK(statement.guard()->predicate.text() == "%p1");
  CHECK(statement.operands()[0].text() == "{%r1, %r2}");
  CHECK(statement.operands()[0].children()[1].text() == "%r2");
  CHECK(statement.operands()[1].text() == "[%rd1+-4]");
  CHECK(statement.operands()[1].base().text() == "%rd1");
}

TEST_CASE("registers are numbered within their function, and scopes hide and end") {
  const Module module = parse(head +
                                  ".func g() { .reg .b32 x; mov.u32 x, 1; ret; }\n"
                                  ".func f() {\n"
                                  ".reg .b32 x, %r<3>, a<12>, z<0>;\n"
                                  "mov.u32 x, %r2;\n"  // statement 8
                                  "{ .reg .b64 x; .reg .b32 %r<2>; mov.u32 x, %r1; mov.u32 %r2, %r01; }\n"
                                  "mov.u32 a11, x; mov.u32 %r3, a12; mov.u32 z0, z;\n}\n",
                              "test.ptx");
  INFO(messages(module));
  REQUIRE_FALSE(module.has_errors());
  REQUIRE(module.functions().size() == 2);
  const Function& f = module.functions()[1];
  CHECK(f.register_count == 1 + 3 + 12 + 1 + 2);
  REQUIRE(f.registers.size() == 5);
  CHECK(module.functions()[0].register_count == 1);
  std::vector<std::string> seen;
  for (std::uint32_t i = f.body_begin; i < f.body_end; ++i) {
    const Statement statement = module.statement(i);
    if (statement.kind() != StatementKind::instruction) continue;
    for (const Operand operand : statement.operands()) {
      seen.push_back(operand.kind() == OperandKind::reg
                         ? std::to_string(operand.reg()) + "=" + module.register_name(f, operand.reg())
                         : std::string(operand.text()));
    }
  }
  CHECK(seen == std::vector<std::string>{"0=x", "3=%r2", "16=x", "18=%r1", "3=%r2", "18=%r1", "15=a11", "0=x", "%r3",
                                         "a12", "z0", "z"});
  CHECK(f.registers[0].scope_end == f.body_end);
  CHECK(f.registers[3].scope_end < f.body_end);
  CHECK(module.statement(f.registers[3].scope_end).kind() == StatementKind::scope_end);
  CHECK(module.register_declaration(f, 4).count == 12);
  CHECK(module.name(module.register_declaration(f, 18).name) == "%r");
}

TEST_CASE("a variable or parameter of the same name hides a register") {
  const Module module = parse(head +
                                  ".func f(.param .b32 q, .reg .b32 w) { .reg .b32 x; { .local .b32 x; mov.u32 w, x; } "
                                  "mov.u32 q, x; }",
                              "test.ptx");
  INFO(messages(module));
  const Function& f = module.functions()[0];
  std::string kinds;
  for (std::uint32_t i = f.body_begin; i < f.body_end; ++i) {
    if (module.statement(i).kind() != StatementKind::instruction) continue;
    for (const Operand operand : module.statement(i).operands())
      kinds += operand.kind() == OperandKind::reg ? 'r' : 'n';
  }
  CHECK(kinds == "rnnr");
}

TEST_CASE("registers of the module are registers of each function that uses them") {
  const Module module = parse(head +
                                  ".reg .b32 x, y<3>;\n.func f() { mov.u32 x, y2; { mov.u32 x, 1; } }\n"
                                  ".func g() { .reg .b32 z; mov.u32 z, y1; }\n",
                              "test.ptx");
  const Function& f = module.functions()[0];
  const Function& g = module.functions()[1];
  CHECK(f.register_count == 4);
  CHECK(f.registers.size() == 2);
  CHECK(g.register_count == 4);
  CHECK(module.register_name(g, 2) == "y1");
}

TEST_CASE("functions") {
  const Module module = parse(
      head +
          ".extern .func (.param .b32 r) printf_like(.param .b64 a, .param .align 8 .b8 b[24]) .noreturn;\n"
          ".weak .entry add(.param .u64 .ptr .global .align 16 p, .param .u32 n)\n.maxntid 16, 8, 1 .minnctapersm 2\n"
          "{ ret; }\n.func plain { ret; }\n.visible .func (.reg .u32 %res) old(.reg .u32 %a) { ret; }\n",
      "test.ptx");
  INFO(messages(module));
  REQUIRE_FALSE(module.has_errors());
  REQUIRE(module.functions().size() == 4);
  const Function& first = module.functions()[0];
  CHECK(first.linkage == Linkage::external);
  CHECK(first.noreturn);
  CHECK_FALSE(first.has_body);
  REQUIRE(first.parameters.size() == 2);
  CHECK(first.parameters[1].size == 24);
  CHECK(first.parameters[1].alignment == 8);
  CHECK(first.return_parameters.size() == 1);
  const Function& kernel = module.functions()[1];
  CHECK(module.name(kernel.name) == "add");
  CHECK(kernel.kind == FunctionKind::entry);
  CHECK(kernel.linkage == Linkage::weak);
  CHECK(kernel.has_body);
  CHECK(kernel.parameters[0].is_pointer);
  CHECK(kernel.parameters[0].pointer_space == StateSpace::global);
  CHECK(kernel.parameters[0].pointer_alignment == 16);
  CHECK(kernel.parameters[0].size == 8);
  REQUIRE(kernel.directives.size() == 2);
  CHECK(kernel.directives[0].word == ".maxntid");
  CHECK(kernel.directives[0].values == std::vector<std::int64_t>{16, 8, 1});
  CHECK(module.text(kernel.span).substr(0, 11) == ".weak .entr");
  CHECK(module.text(kernel.span).ends_with("{ ret; }"));
  CHECK(module.text(kernel.name_span) == "add");
  CHECK(module.find_function(module.find_name("plain")) == &module.functions()[2]);
  CHECK(module.functions()[3].registers.size() == 2);
  CHECK(module.find_function(module.find_name("nothing")) == nullptr);
}

TEST_CASE("the definition of a function goes before its prototypes") {
  const Module module = parse(head + ".func f;\n.func f { ret; }\n.func f\n.func g { ret; }\n", "test.ptx");
  INFO(messages(module));
  CHECK_FALSE(module.has_errors());
  CHECK(module.find_function(module.find_name("f"))->has_body);
  CHECK(module.functions().size() == 4);
}

TEST_CASE("pragmas between a header and its body") {
  const Module module = parse(head + ".entry k() .pragma \"nounroll\"; { ret; }\n", "test.ptx");
  INFO(messages(module));
  CHECK_FALSE(module.has_errors());
  CHECK(module.functions()[0].has_body);
  CHECK(module.functions()[0].directives.back().word == ".pragma");
}

TEST_CASE("who wrote the text") {
  const auto producer = [](const std::string& text) { return parse(text, "test.ptx").producer(); };
  CHECK(producer("//\n// Generated by NVIDIA NVVM Compiler\n//\n// Cuda compilation tools, release 13.0, V13.0.88\n"
                 "// Based on NVVM 7.0.1\n") == "NVIDIA NVVM 13.0");
  CHECK(producer("// Generated by LLVM NVPTX Back-End\n") == "LLVM NVPTX");
  CHECK(producer(".version 1.4\n// nvopencc 3.2 built on 2010-11-06\n") == "nvopencc 3.2");
  CHECK(producer("// Generated by a \x1b[31mtool\n") == "a ?[31mtool");
  CHECK(producer(".version 9.0\n").empty());
}

TEST_CASE("initialisers") {
  using Values = std::vector<std::int64_t>;
  CHECK(values(".global .u32 x = (1+2)*3;") == Values{9});
  CHECK(values(".global .s8 x[4] = {-1, 0x10, 0b11, 010};") == Values{-1, 16, 3, 8});
  CHECK(values(".global .u8 x[2][3] = {{1, 2}, {4, 5, 6}};") == Values{1, 2, 0, 4, 5, 6});
  CHECK(values(".global .u8 x[][2] = {{1}, {2}, {3}};") == Values{1, 0, 2, 0, 3, 0});
  CHECK(values(".global .f32 x[3] = {1.5, 0f3f800000, 2};") == Values{0x3fc00000, 0x3f800000, 0x40000000});
  CHECK(values(".global .f64 x = 1.0;") == Values{0x3ff0000000000000});
  const Module module = parse(head +
                                  ".global .u8 a[7];\n.global .u64 t[4] = {a, generic(a)+8, a-4, 7}, u = 5;\n"
                                  ".global .u8 m[2] = {0xff(a), 0xff00(generic(a)+3)};\n"
                                  ".global .align 1 .b8 s[] = {72, 105, 0};\n.extern .shared .b8 d[];",
                              "test.ptx");
  INFO(messages(module));
  REQUIRE_FALSE(module.has_errors());
  const auto t = module.initializer(*module.find_variable(module.find_name("t")));
  REQUIRE(t.size() == 4);
  CHECK((t[0].is_symbol && !t[0].is_generic && t[0].value == 0 && module.name(t[0].symbol) == "a"));
  CHECK((t[1].is_symbol && t[1].is_generic && t[1].value == 8));
  CHECK((t[2].is_symbol && t[2].value == -4));
  CHECK((!t[3].is_symbol && t[3].value == 7));
  const auto m = module.initializer(*module.find_variable(module.find_name("m")));
  CHECK((m[0].mask == 0xff && module.name(m[0].symbol) == "a"));
  CHECK((m[1].mask == 0xff00 && m[1].is_generic && m[1].value == 3));
  const Variable& s = *module.find_variable(module.find_name("s"));
  CHECK(s.size == 3);
  CHECK(module.initializer_bytes(s) == std::string("Hi\0", 3));
  CHECK(module.initializer_bytes(*module.find_variable(module.find_name("t"))) == std::nullopt);
  CHECK(module.find_variable(module.find_name("d"))->size == 0);
  CHECK(module.find_variable(module.find_name("u"))->statement ==
        module.find_variable(module.find_name("t"))->statement);
}

TEST_CASE("long lists are read without keeping them") {
  std::string list = "0";
  for (int i = 1; i < 100000; ++i) list += i % 3 == 0 ? ", sym" : ", " + std::to_string(i % 256);
  const Module module = parse(head + ".global .u64 x[] = {" + list + "};\n", "test.ptx");
  INFO(messages(module));
  REQUIRE_FALSE(module.has_errors());
  CHECK(module.variables()[0].dimensions == std::vector<std::uint64_t>{100000});
  CHECK(module.initializer(module.variables()[0]).size() == 100000);
}

TEST_CASE("a gap in a long list is an error, however long the list") {
  for (const std::string list : {"{1, 2, , 3, 4}", "{1,,}", "{,}", "{, 1}", "{{1, 2}, , {3, 4}}", "{{1, , 2}, {3}}"}) {
    CAPTURE(list);
    CHECK(parse(head + ".global .u8 x[] = " + list + ";\n", "x").has_errors());
  }
  for (const std::string list : {".b8 1,,2", ".b8 ,1", ".b8 1,2,", ".b8 1,2 .b8 1,,1", ".b8"}) {
    CAPTURE(list);
    CHECK(parse(head + ".section .debug_info { .b8 1, 2 " + list + " }\n", "x").has_errors());
  }
}

TEST_CASE("header, files, places") {
  const Module module = parse("//\n// Generated by NVIDIA NVVM Compiler\n// Based on NVVM 20.0.0\n//\n" + head +
                                  ".file 3 \"a\\\\b \\\"c\\\".cu\", 12, 13\n.entry k() {\n"
                                  ".loc 3 7 5, function_name $L__info+3, inlined_at 3 40 9\nret;\n.loc 3 8 1\n}\n",
                              "test.ptx");
  INFO(messages(module));
  REQUIRE_FALSE(module.has_errors());
  CHECK(module.producer() == "NVIDIA NVVM 20.0.0");
  CHECK(module.header().at_least(8, 8));
  CHECK_FALSE(module.header().at_least(9, 1));
  CHECK(module.header().targets == std::vector<std::string_view>{"sm_90a"});
  CHECK(module.header().options == std::vector<std::string_view>{"debug"});
  CHECK(module.header().address_size == 64);
  CHECK(module.source_files()[0].name == "a\\b \"c\".cu");
  CHECK(module.source_files()[0].index == 3);
  std::vector<SourceLocation> locations;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    if (module.statement(i).kind() == StatementKind::loc) locations.push_back(module.source_location(i));
  }
  REQUIRE(locations.size() == 2);
  CHECK(locations[0].line == 7);
  CHECK(module.name(locations[0].function_name) == "$L__info");
  CHECK(locations[0].function_name_offset == 3);
  CHECK(locations[0].has_inlined_at);
  CHECK(locations[0].inlined_line == 40);
  CHECK_FALSE(locations[1].has_inlined_at);
}

TEST_CASE("lines") {
  const Module module = parse("a\r\nbc\n\nd", "test.ptx");
  CHECK(module.line_text(1) == "a");
  CHECK(module.line_text(2) == "bc");
  CHECK(module.line_text(3).empty());
  CHECK(module.line_text(4) == "d");
  CHECK(module.line_text(5).empty());
  CHECK(module.line_text(0).empty());
  CHECK(module.position(0) == Position{1, 1});
  CHECK(module.position(4) == Position{2, 2});
  CHECK(module.position(7) == Position{4, 1});
  CHECK(module.position(999) == Position{4, 2});
  std::string many;
  for (int i = 1; i < 5000; ++i) many += "// " + std::to_string(i) + "\n";
  const Module lines = parse(many, "test.ptx");
  for (const std::uint32_t line : {1U, 99U, 1000U, 4999U}) {
    CHECK(lines.line_text(line) == "// " + std::to_string(line));
    const auto offset = static_cast<std::uint32_t>(lines.line_text(line).data() - lines.text().data());
    CHECK(lines.position(offset) == Position{line, 1});
  }
}

TEST_CASE("messages say where, what and what was expected") {
  for (const auto& [text, expected] : std::initializer_list<Row>{
           {"add.u32 %r1, %r2", "10:1: expected ';' or ',' before '}' [PTX-SYNTAX]\n"},
           {"add.u32 %r1, %r2\nret;", "10:1: expected ';' before 'ret' [PTX-SYNTAX]\n"},
           {"mov.u32 %r1,, 5;", "9:13: expected a name, a number, a string, '[', '{' or '(' before ',' [PTX-SYNTAX]\n"},
           {"mov.u32 %r1, 09;", "9:14: '09' is not a number [PTX-LEX]\n"},
           {"mov.u32 %r1, \xc3\xa9;", "9:14: '\\xc3' does not belong to the language [PTX-LEX]\n"},
           {"ld.u32 %r1, [%rd1;", "9:18: expected ',' or ']' before ';' [PTX-SYNTAX]\n"},
           {".file 1 \"a", "9:9: this string has no end on its line [PTX-LEX]\n"},
           {"ret;;", "9:5: this ';' ends nothing, and ptxas refuses it [PTX-EMPTY]\n"},
       }) {
    CHECK(messages(in_body(text)) == expected);
  }
  CHECK(messages(parse("", "x")) == "1:1: the module has no .version directive [PTX-HEADER]\n");
  CHECK(messages(parse(head + "ret;\nret;\n}", "x")) ==
        "4:1: 'ret' stands outside of any function [PTX-PLACE]\n6:1: this '}' closes nothing [PTX-SCOPE]\n");
  CHECK(messages(parse(head + ".entry k() { ret;\n.entry j() { ret; }", "x")) ==
        "5:1: '.entry' stands in the body of 'k' [PTX-SCOPE]\n");
}

TEST_CASE("after an error the next statement is read") {
  const Module module = in_body("mov.u32 %r1,, 5;\nadd.u32 %r1, %r2, %r3\nsub.u32 %r1, %r2, %r3;\nfoo ) ;\nret;");
  std::string opcodes;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    if (module.statement(i).kind() == StatementKind::instruction) opcodes += module.statement(i).opcode().text + " ";
    if (module.statement(i).kind() == StatementKind::unparsed) opcodes += "? ";
  }
  CHECK(opcodes == "? add.u32 sub.u32 ? ret ");
  CHECK(module.diagnostics().size() == 3);
}

TEST_CASE("no more messages than asked for") {
  std::string text = head + ".entry k() {\n";
  for (int i = 0; i < 50; ++i) text += "x,;\n";
  ParseOptions options;
  options.max_diagnostics = 10;
  const Module module = parse(text + "}", "test.ptx", options);
  REQUIRE(module.diagnostics().size() == 11);
  CHECK(module.diagnostics().back().message == "40 more messages are not shown");
  CHECK(module.has_errors());
}

TEST_CASE("reading can be stopped") {
  std::string text = head + ".entry k() {\n";
  for (int i = 0; i < 1000; ++i) text += "bar.sync 0;\n";
  text += "}\n";
  std::atomic<bool> stop = false;
  ParseOptions options;
  options.stop = &stop;
  const Module whole = parse(text, "test.ptx", options);
  CHECK_FALSE(whole.has_errors());
  stop = true;
  const Module part = parse(text, "test.ptx", options);
  CHECK(part.statement_count() < whole.statement_count());
  REQUIRE(part.has_errors());
  CHECK(part.diagnostics().front().message == "reading was stopped here: what follows is not known");
  CHECK(part.diagnostics().front().remedy == "read it again");
  CHECK(part.text() == text);
}

TEST_CASE("modules move") {
  Module module = in_body("mov.u32 %r1, 0x123456789abcdef;");
  const Module moved = std::move(module);
  CHECK(shown(moved.statement(moved.statement_count() - 2).operands()[1]) == "81985529216486895");
}

TEST_CASE("a file that cannot be read is a sentence") {
  const ReadResult missing = parse_file("/no/such/file.ptx");
  CHECK_FALSE(missing.module.has_value());
  CHECK(missing.error == "/no/such/file.ptx: no such file");
  const ReadResult folder = parse_file("/");
  CHECK_FALSE(folder.module.has_value());
  CHECK(folder.error == "/: is a folder, not a file");
}

}  // namespace ptxscope
