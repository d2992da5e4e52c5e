// The scanner and the lexer that ANTLR makes from PtxLexer.g4 give the same tokens.
#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "tests/catch.h"
#include "tests/lexer_compare.h"
#include "tests/parser_corpus.h"

namespace ptxscope {
namespace {}  // namespace

TEST_CASE("scanner and ANTLR lexer agree on what is hard") {
  const std::vector<std::string> texts = {
      "",
      " \t\r\n\f\v",
      std::string("a\0b", 3),
      "\xef\xbb\xbf.version 9.0",
      "\xef\xbb",
      "\xef",
      "\xe9\xff\x80",
      "// comment\n/* a * / ** */ x /* open",
      "/*",
      "/**",
      "/*/",
      "/**/x",
      "/* a */ b */",
      "// \xc3\xa9\rx",
      "1 12 0 00 07 08 09 0777U 0x 0x1 0X1fU 0xg 0b 0b1 0b2 0b101U 12U 12u 1x 0f3f800000 0F3F800000 0f3f80000 "
      "0f3f8000001",
      "0d3ff0000000000000 0D3ff000000000000 0d3ff00000000000000 0f3f800000x",
      "1.5 1. .5 .5e3 .5e+3 .5e .5x .5_ 1e5 1e+5 1e 1e+ 1e5x 1.5e-7x 1.e5 00.5 0x1.5 08.5 1.2.3 .5.6 ..5 1..2",
      "a a1 _ _a __ $ $a % %a %1 %% a%b a$b _1 $1",
      "ld.global.v4.f32 cp.async.bulk.shared::cluster.global %tid.x %r1.b0 a. a.. a.:: a.b:: a.b::c a.b::c::d a.b: :c "
      "a::b",
      ".version .target .address_size .file .loc .section .pragma .entry .func .alias .branchtargets .calltargets "
      ".callprototype .extern .visible .weak .common .maxnreg .maxntid .reqntid .minnctapersm .maxnctapersm .noreturn "
      ".explicitcluster .reqnctapercluster .maxclusterrank .blocksareclusters .abi_preserve .abi_preserve_control .reg "
      ".sreg .const .global .local .param .shared .tex .pred .b8 .b16 .b32 .b64 .b128 .u8 .u16 .u32 .u64 .s8 .s16 .s32 "
      ".s64 .f16 .f16x2 .f32 .f64 .bf16 .bf16x2 .texref .samplerref .surfref .v2 .v4 .v8 .align .ptr .attribute",
      ".b9 .f128 .v3 .regs .re .shared::cta .global::x .E .1d .2x .128x256b . .; .%a ._ .$",
      ".sp::2:4 .sp::2:a .sp:2:4 .a::b:4::c .a::4x:4x .a::b: sp::2:4.x1",
      "\"abc\" \"C:\\d\\\"\n \"\\\"\n \"a\\\"b\" \"a\\\\\" \"\\\n\" \"open\n\"\" \"a\\",
      "; , : { } ( ) [ ] < > = @ ! ~ + - * / % & | ^ ? << >> <= >= == != && || <<= >>> === !== &&& ||| ::",
      "@@DWARF .byte 1, 2\n@@\n@ @",
      "# 1 \"a.cu\"\n#\r#x",
      "%r<100>, {0,1} [r+-4] !%p p|q ?:",
      "'`\\",
  };
  for (const std::string& text : texts) {
    CAPTURE(text);
    CHECK(lexer_difference(text).empty());
    // Cut anywhere, it is still the same.
    for (std::size_t n = 0; n < text.size(); ++n) {
      const std::string result = lexer_difference(text.substr(0, n));
      if (!result.empty()) FAIL_CHECK("cut at " << n << ": " << result);
    }
  }
}

TEST_CASE("scanner and ANTLR lexer agree on pairs of characters") {
  std::string text;
  for (int a = 0; a < 256; ++a) {
    for (int b = 0; b < 256; ++b) {
      if ((a == '/' && b == '*') || (a == '/' && b == '/')) continue;
      text += static_cast<char>(a);
      text += static_cast<char>(b);
      text += '\n';
    }
  }
  CHECK(lexer_difference(text) == "");
}

// In a usual run each line of the corpus once, with all numbers taken as equal; PTXSCOPE_FULL=1 takes every file whole.
TEST_CASE("scanner and ANTLR lexer agree on the corpus") {
  const auto files = corpus::files();
  if (files.empty()) {
    WARN("no corpus at " << corpus::folder().string() << "; set PTXSCOPE_SHARED");
    return;
  }
  std::unordered_set<std::string> seen;
  std::string lines;
  for (const auto& file : files) {
    const std::string text = corpus::read(corpus::folder() / file.path);
    if (corpus::full_run()) {
      CAPTURE(file.path);
      CHECK(lexer_difference(text) == "");
      continue;
    }
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string line = text.substr(begin, end - begin);
      begin = end + 1;
      std::string shape;
      for (const char c : line) {
        const bool digit = c >= '0' && c <= '9';
        if (digit && !shape.empty() && shape.back() == '0') continue;
        shape.push_back(digit ? '0' : c);
      }
      if (seen.insert(shape.substr(0, 120)).second) lines += line.substr(0, 4000) + "\n";
    }
  }
  CHECK(lexer_difference(lines) == "");
}

}  // namespace ptxscope
