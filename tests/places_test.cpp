// Where a name stands: from a place in the text to what it names, to its declaration, and to all its places.
#include "analysis/places.h"

#include <array>
#include <span>
#include <string>

#include "analysis/register_values.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

const std::string text = R"(.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b32 cell;
.func first(.param .b32 n)
{
  .reg .b32 %r<3>;
  ld.param.b32 %r1, [n];
  ld.global.u32 %r2, [cell];
  ret;
}
.visible .entry second(.param .b32 n)
{
  .reg .b32 %r<3>;
  .shared .align 4 .b32 tile;
  ld.param.b32 %r1, [n];
  st.shared.b32 [tile], %r1;
again:
  st.global.u32 [cell], %r1;
  bra again;
}
)";

// "line:column" of each.
std::string places(const Module& module, std::span<const Span> spans) {
  std::string out;
  for (const Span& span : spans) {
    const Position at = module.position(span);
    out += (out.empty() ? "" : " ") + std::to_string(at.line) + ":" + std::to_string(at.column);
  }
  return out;
}

// Of the word that stands first behind `before`.
SymbolId named(const Module& module, const std::string& before, const std::string& word) {
  const auto found = symbol_at(module, static_cast<std::uint32_t>(text.find(word, text.find(before))));
  REQUIRE(found);
  CHECK(spelling(module, found->symbol) == word);
  return found->symbol;
}

}  // namespace

TEST_CASE("all places of a name, within what it belongs to") {
  const Module module = parse(text, "a.ptx");
  const auto all = [&](const std::string& before, const std::string& word) {
    return places(module, occurrences(module, named(module, before, word)));
  };
  CHECK(all(".func first", "%r1") == "8:16");
  CHECK(all(".entry second", "%r1") == "16:16 17:25 19:25");
  CHECK(all(".func first", "cell") == "4:23 9:23 19:18");
  CHECK(all(".entry second", "tile") == "15:25 17:18");
  CHECK(all(".entry second", "again") == "18:1 20:7");
}

TEST_CASE("where a name is declared") {
  const Module module = parse(text, "a.ptx");
  const auto declared = [&](const std::string& before, const std::string& word) {
    const auto span = declaration_of(module, named(module, before, word));
    return span ? places(module, std::array{*span}) : "nowhere";
  };
  CHECK(declared(".entry second", "cell") == "4:23");
  CHECK(declared("st.shared", "tile") == "15:25");
  CHECK(declared("bra", "again") == "18:1");
  CHECK(declared("st.shared", "%r1") == "14:13");
  CHECK(declared(".visible", "second") == "12:17");
}

TEST_CASE("the first place of a name in a statement") {
  const std::string body =
      ".version 8.0\n.target sm_80\n.func f()\n{\n  .reg .b32 %r<4>;\n  add.u32 %r1, %r2, %r2;\n  sub.u32 %r2, %r1, "
      "%r2;\n}\n";
  const Module module = parse(body, "a.ptx");
  const auto symbol = symbol_at(module, static_cast<std::uint32_t>(body.find("%r2")));
  REQUIRE(symbol);
  const auto first = [&](std::uint32_t line) {
    const Span span = symbol_in(module, statement_on_line(module, line), symbol->symbol);
    return span.empty() ? "none" : places(module, std::array{span});
  };
  CHECK(first(6) == "6:16");
  CHECK(first(7) == "7:11");
  CHECK(first(3) == "none");
  CHECK(symbol_in(module, 1000, symbol->symbol).empty());
}

TEST_CASE("which registers have a value at which place") {
  const Module module = parse(text + ".extern .func third(.param .b32 n);\n", "a.ptx");
  const std::uint32_t inside = statement_on_line(module, 8);  // of the first function, which has two registers
  CHECK(may_ask(module, 0, 0, inside));
  CHECK_FALSE(may_ask(module, 1, 0, inside));
  CHECK_FALSE(may_ask(module, 0, 1000, inside));
  CHECK_FALSE(may_ask(module, 0, 0, statement_on_line(module, 4)));
  CHECK_FALSE(may_ask(module, 2, 0, inside));  // no body
  CHECK_FALSE(may_ask(module, 3, 0, inside));  // no function
}

TEST_CASE("a name that its type or another name contains") {
  const std::string declarations =
      ".version 8.0\n.target sm_80\n.address_size 64\n"
      ".global .b8 b8[4];\n"                                       // 4
      ".global .b32 a$b, b, b_, b2;\n"                             // 5
      ".func f(.reg .b32 b32, .param .align 4 .b8 param[8])\n{\n"  // 6
      "  .reg .b16 %rs<3>, %r<3>;\n"                               // 8
      "  mov.u32 b32, b8;\n  mov.u32 b32, b;\n  mov.u32 b32, b_;\n  mov.u32 b32, b2;\n  ld.param.u32 b32, [param];\n"
      "  mov.b16 %r2, %rs1;\n  ret;\n}\n";
  const Module module = parse(declarations, "a.ptx");
  REQUIRE(module.diagnostics().empty());
  const auto declared = [&](const std::string& before, const std::string& word) {
    const std::size_t at = declarations.find(word, declarations.find(before) + before.size());
    const auto found = symbol_at(module, static_cast<std::uint32_t>(at));
    REQUIRE(found);
    const auto span = declaration_of(module, found->symbol);
    return span ? places(module, std::array{*span}) + " " + std::string(module.text(*span)) : "nowhere";
  };
  CHECK(declared("mov.u32 b32, ", "b8") == "4:13 b8[4]");
  CHECK(declared("mov.u32 b32, ", "b;") == "5:19 b");
  CHECK(declared("mov.u32 b32, ", "b_") == "5:22 b_");
  CHECK(declared("mov.u32 b32, ", "b2") == "5:26 b2");
  CHECK(declared("mov.u32 ", "b32") == "6:19 b32");
  CHECK(declared("[", "param]") == "6:44 param[8]");
  CHECK(declared("mov.b16 ", "%r2") == "8:21 %r<3>");
  CHECK(declared("mov.b16 %r2, ", "%rs1") == "8:13 %rs<3>");
  const auto all = [&](const std::string& before, const std::string& word) {
    const std::size_t at = declarations.find(word, declarations.find(before) + before.size());
    const auto found = symbol_at(module, static_cast<std::uint32_t>(at));
    REQUIRE(found);
    return places(module, occurrences(module, found->symbol));
  };
  CHECK(all("mov.u32 b32, ", "b8") == "4:13 9:16");
  CHECK(all("mov.u32 b32, ", "b;") == "5:19 10:16");
  CHECK(all("mov.u32 b32, ", "b_") == "5:22 11:16");
  CHECK(all("[", "param]") == "6:44 13:22");
}
