// The bytes of the debug sections that a module carries as text (PTX ISA 11.5).
#include "analysis/debug_sections.h"

#include <string>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

std::string hex(const DebugSection& section) {
  constexpr const char* digits = "0123456789abcdef";
  std::string text;
  for (const char c : section.bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += {digits[byte / 16], digits[byte % 16]};
  }
  for (const DebugSymbol& symbol : section.symbols)
    text += " " + std::string(symbol.name) + "@" + std::to_string(symbol.offset);
  return text;
}

std::string told(const std::string& text) {
  const Module module = parse(".version 8.0\n.target sm_80\n.address_size 64\n" + text, "k.ptx");
  const DebugSections sections = read_debug_sections(module);
  std::string all;
  const auto add = [&](const char* name, const DebugSection& section) {
    if (!section.bytes.empty()) all += (all.empty() ? "" : "; ") + std::string(name) + " " + hex(section);
  };
  add("info", sections.info);
  add("abbrev", sections.abbrev);
  add("str", sections.str);
  add("line_str", sections.line_str);
  add("str_offsets", sections.str_offsets);
  return all;
}

std::string info(const std::string& items) { return told(".section .debug_info\n{\n" + items + "\n}\n"); }

}  // namespace

TEST_CASE("values of each width, in each notation") {
  CHECK(info(".b8 1, 2,3\n.b8 255") == "info 010203ff");
  CHECK(info(".b8 0x1f, 017, 0b11, 7") == "info 1f0f0307");
  CHECK(info(".b8 08") == info(".b8 08"));
  CHECK(info(".b16 258\n.b32 0x01020304\n.b64 0x0102030405060708") == "info 0201040302010807060504030201");
  CHECK(info(".u16 1\n.s32 -1") == "info 0100ffffffff");
  CHECK(info(".b8 300") == "info 2c");  // the low byte
  CHECK(info(".b8 -1, 2 - 1, -(3), 1+1+1") == "info ff01fd03");
  CHECK(info(".b16 5 - -2, 5 - +2") == "info 07000300");
  CHECK(info(".b8 1 // .b8 2\n.b8 /* 3 */ 4\n, 5") == "info 010405");
}

TEST_CASE("labels and distances between them") {
  CHECK(info("begin:\n.b8 1, 2\nend:\n.b8 end - begin, end-begin+1\n.b16 end") ==
        "info 01020203"
        "0200");
  CHECK(told(".section .debug_str { .b8 0\nname: .b8 65, 0\n}\n.section .debug_info { .b32 name\n.b32 .debug_str\n"
             ".b32 .debug_abbrev+3\n}\n") == "info 010000000000000003000000; str 004100");
  // What stands in the code is a symbol, its bytes are 0; of a distance in the code nothing is known.
  CHECK(info(".b64 $L__func_begin0\n.b8 9\n.b32 there+4") ==
        "info 0000000000000000090400"
        "0000 $L__func_begin0@0 there@9");
  CHECK(info(".b32 $L__end - $L__begin") == "info 00000000");
  CHECK(info("same:\n.b8 1\nsame:\n.b8 same") == "info 0100");  // the first counts
}

TEST_CASE("which sections there are") {
  CHECK(
      told(
          ".section .debug_abbrev { .b8 1 }\n.section .debug_line { .b8 2 }\n.section .debug_line_str { .b8 3 }\n"
          ".section .debug_str_offsets { .b8 4 }\n.section .debug_loc { .b8 5 }\n.section .debug_abbrev { .b8 6 }\n") ==
      "abbrev 0106; line_str 03; str_offsets 04");
  CHECK(
      told(".func f() { ret; }\n.section .debug_info { .b8 1 }\n.func g() { ret; }\n.section .debug_str { .b8 2 }\n") ==
      "info 01; str 02");
}

TEST_CASE("@@DWARF lines go on with the section of the line before") {
  CHECK(told("@@DWARF .section .debug_info, \"\", @progbits\n@@DWARF .byte 1, 0x2\n@@DWARF .2byte 3\n@@DWARF .4byte 4\n"
             "@@DWARF .quad 5\n@@DWARF .8byte 6\n") == "info 010203000400000005000000000000000600000000000000");
  CHECK(told("@@DWARF .section .debug_info, \"\", @progbits\n@@DWARF .byte 1\n@@DWARF .section .debug_line\n"
             "@@DWARF .byte 2\n@@DWARF .section .debug_str\n@@DWARF .byte 3\n") == "info 01; str 03");
  CHECK(told("@@DWARF .section .debug_info\n@@DWARF here: .byte 7\n@@DWARF .4byte here + 2\n") == "info 0702000000");
  CHECK(told("@@DWARF .byte 1\n").empty());
  CHECK(told("@@OTHER .section .debug_info\n@@DWARF .byte 1\n").empty());
  CHECK(told(".section .debug_info { .b8 1 }\n@@DWARF .byte 2\n") == "info 01");
}
