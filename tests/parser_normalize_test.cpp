// The one layout: an equal module, and nothing changes when it is done again.
#include "parser/normalize.h"

#include <string>

#include "tests/catch.h"
#include "tests/parser_compare.h"
#include "tests/parser_corpus.h"

namespace ptxscope {
namespace {

void holds(const std::string& text) {
  const Module module = parse(text, "a");
  const std::string once = normalized(module);
  const Module again = parse(once, "a");
  CHECK(normalized(again) == once);
  const auto found = difference(module, again, false);
  if (found) FAIL_CHECK(*found);
}

}  // namespace

TEST_CASE("one layout for all") {
  const std::string a =
      "\xef\xbb\xbf.version\t9.0 .target sm_90,debug\r\n.address_size 64 // wide\n"
      ".visible.entry k ( .param.u64 p ,.param .u32 n ).maxntid 16,8 { .reg .b32 %r< 4 > ; L : @! %p1 ld .global .u32 "
      "%r1 , [ %rd1 + - 4 ] ; mov.u32 %r1,%tid .x; mov.u32 %r1 ,( 1+2 )% 3; setp.eq.u32 %p1 | _ ,%r1,/* why */-1;\n"
      ".loc 1 2 3 , function_name f+1,inlined_at 1 2 3 call(%r1),f,(%r2);ret ;}\n"
      ".global.u8 x [ 2 ] = { 1,2 };.section .debug_info { .b8 1,2 L2: .b64 L2 + 3 .b32 .debug_abbrev }";
  CHECK(normalized(parse(a, "a")) ==
        ".version 9.0\n"
        ".target sm_90, debug\n"
        ".address_size 64\n"
        "// wide\n"
        "\n"
        ".visible .entry k(\n"
        "    .param .u64 p,\n"
        "    .param .u32 n) .maxntid 16, 8\n"
        "{\n"
        "    .reg .b32 %r<4>;\n"
        "L:\n"
        "    @!%p1 ld.global.u32 %r1, [%rd1+-4];\n"
        "    mov.u32 %r1, %tid.x;\n"
        "    mov.u32 %r1, (1+2) % 3;\n"
        "    /* why */\n"
        "    setp.eq.u32 %p1|_, %r1, -1;\n"
        "    .loc 1 2 3, function_name f+1, inlined_at 1 2 3\n"
        "    call (%r1), f, (%r2);\n"
        "    ret;\n"
        "}\n"
        ".global .u8 x[2] = {1, 2};\n"
        ".section .debug_info {\n"
        "    .b8 1, 2\n"
        "    L2:\n"
        "    .b64 L2+3\n"
        "    .b32 .debug_abbrev\n"
        "}\n");
  holds(a);
}

TEST_CASE("the layout holds what does not parse") {
  for (const std::string text :
       {"", "}", "ret", "add a,, b;\nret }", "\"open\nx;", "/* open", "x y z\nw;\n# 1 \"a\"\nx\n# 2\n;",
        ".func f\n.func g { {", "a & & b; c < < d; e / / f;\n", ".foo a b c;", "\xff;", ".reg .b32 %r<", "- - - 5;",
        "mov a, 5 % %r1;", "@@x\n@ @p x;", "@p .x y;"}) {
    CAPTURE(text);
    holds(text);
  }
}

TEST_CASE("the layout holds the corpus") {
  const auto files = corpus::files();
  if (files.empty()) WARN("no corpus at " << corpus::folder().string() << "; set PTXSCOPE_SHARED");
  std::size_t size = 0;
  for (const auto& file : files) {
    const std::string text = corpus::read(corpus::folder() / file.path);
    // The largest files hold nothing that smaller ones do not.
    if (text.size() > 300'000 && !corpus::full_run()) continue;
    size += text.size();
    CAPTURE(file.path);
    holds(text);
  }
}

}  // namespace ptxscope
