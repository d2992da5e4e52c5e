// Names of parameters from debug information: sections and DWARF written here by hand, broken ones, and the corpus.
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "analysis/debug_names.h"
#include "analysis/traps.h"
#include "tests/catch.h"

namespace {

using namespace ptxscope;
using analysis::debug_parameter_names;

using Names = std::vector<std::string>;

// The text of a section, value by value, and how many bytes it stands for.
class Section {
 public:
  Section& b8(unsigned value) { return put(".b8 ", std::to_string(value), 1); }
  Section& b8(std::initializer_list<unsigned> values) {
    for (const unsigned value : values) b8(value);
    return *this;
  }
  Section& b16(unsigned value) { return b8(value & 0xffU).b8(value >> 8U); }
  Section& b32(const std::string& value) { return put(".b32 ", value, 4); }
  Section& b32(std::uint64_t value) { return b32(std::to_string(value)); }
  Section& b64(const std::string& value) { return put(".b64 ", value, 8); }
  Section& string(const std::string& text) {
    for (const char c : text) b8(static_cast<unsigned char>(c));
    return b8(0);
  }
  [[nodiscard]] std::uint64_t size() const { return size_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  Section& put(const char* type, const std::string& value, unsigned bytes) {
    text_ += type + value + "\n";
    size_ += bytes;
    return *this;
  }

  std::string text_;
  std::uint64_t size_ = 0;
};

std::string in_section(const std::string& name, const std::string& body) {
  return ".section " + name + "\n{\n" + body + "}\n";
}

// A unit of DWARF 2 to 4 in 32-bit format; offsets of its entries count from its begin, 11 bytes before `entries`.
std::string unit(const Section& entries, unsigned version = 2) {
  Section header;
  header.b32(entries.size() + 7).b16(version).b32(".debug_abbrev").b8(8);
  return header.text() + entries.text();
}
constexpr std::uint64_t header_size = 11;

std::string kernel(const std::string& parameters, const std::string& sections) {
  return ".version 8.0\n.target sm_80, debug\n.address_size 64\n.visible .entry k(" + parameters +
         ")\n{\n.reg .b32 %r<2>;\n$L__func_begin0:\nmov.b32 %r1, 0;\nret;\n$L__func_end0:\n}\n" + sections;
}

Names names_of(const std::string& text, std::string_view function = "k") {
  const Module module = parse(text, "test.ptx");
  const Function* f = module.find_function(module.find_name(function));
  REQUIRE(f != nullptr);
  return debug_parameter_names(module, *f);
}

// compile_unit (1), subprogram with low_pc and name (2), formal_parameter with name and type (3), base_type with
// byte_size (4), pointer_type (5), structure_type with byte_size (6), formal_parameter that is artificial (7).
std::string abbreviations() {
  Section s;
  s.b8({1, 0x11, 1, 0, 0});
  s.b8({2, 0x2e, 1, 0x11, 0x01, 0x03, 0x08, 0, 0});
  s.b8({3, 0x05, 0, 0x03, 0x08, 0x49, 0x13, 0, 0});
  s.b8({4, 0x24, 0, 0x0b, 0x0b, 0, 0});
  s.b8({5, 0x0f, 0, 0, 0});
  s.b8({6, 0x13, 0, 0x0b, 0x0b, 0, 0});
  s.b8({7, 0x05, 0, 0x34, 0x0c, 0x03, 0x08, 0x49, 0x13, 0, 0});
  s.b8(0);
  return in_section(".debug_abbrev", s.text());
}

// Types first, so that their places are known: u32, u64, pointer, a structure of 16 bytes, one of none.
constexpr std::uint64_t u32_type = header_size + 1, u64_type = u32_type + 2, pointer_type = u64_type + 2,
                        slice_type = pointer_type + 1, unit_type = slice_type + 2;

Section with_types() {
  Section s;
  s.b8(1).b8({4, 4}).b8({4, 8}).b8(5).b8({6, 16}).b8({6, 0});
  return s;
}

std::string debug_info(const std::vector<std::pair<std::string, std::uint64_t>>& parameters,
                       const std::string& label = "$L__func_begin0", const std::string& name = "k") {
  Section s = with_types();
  s.b8(2).b64(label).string(name);
  for (const auto& [parameter, type] : parameters) s.b8(3).string(parameter).b32(type);
  s.b8(0).b8(0);
  return abbreviations() + in_section(".debug_info", unit(s));
}

std::filesystem::path shared() {
  const char* given = std::getenv("PTXSCOPE_SHARED");
  return given != nullptr ? given : "../shared";
}

}  // namespace

TEST_CASE("Names are those of the subprogram's formal parameters") {
  const std::string three = ".param .u64 p0, .param .u32 p1, .param .u64 p2";
  CHECK(names_of(kernel(three, debug_info({{"table", pointer_type}, {"n", u32_type}, {"out", pointer_type}}))) ==
        Names{"table", "n", "out"});
  // By the label, whatever the name; by the name, where there is no such label.
  CHECK(names_of(kernel(three, debug_info({{"a", pointer_type}, {"b", u32_type}, {"c", pointer_type}},
                                          "$L__func_begin0", "ns::k"))) == Names{"a", "b", "c"});
  CHECK(names_of(kernel(three, debug_info({{"a", pointer_type}, {"b", u32_type}, {"c", pointer_type}}, "0"))) ==
        Names{"a", "b", "c"});
  // The namesake in another place is not this one.
  CHECK(names_of(
            kernel(three, debug_info({{"a", pointer_type}, {"b", u32_type}, {"c", pointer_type}}, "$L__func_begin7")))
            .empty());
  CHECK(names_of(kernel(three, debug_info({{"a", pointer_type}}, "0", "other"))).empty());
  CHECK(names_of(kernel(three, "")).empty());
  CHECK(names_of(kernel("", debug_info({{"a", pointer_type}}))).empty());
}

TEST_CASE("An argument in parts names all of them; one that is not passed names none") {
  const std::string opened = ".param .u64 p0, .param .u64 p1, .param .u64 p2";
  CHECK(names_of(kernel(opened, debug_info({{"a", slice_type}, {"n", u64_type}}))) == Names{"a", "a", "n"});
  CHECK(names_of(kernel(opened, debug_info({{"z", unit_type}, {"n", u64_type}, {"a", slice_type}}))) ==
        Names{"n", "a", "a"});
  CHECK(names_of(kernel(".param .align 8 .b8 p0[16], .param .u32 p1",
                        debug_info({{"view", slice_type}, {"n", u32_type}}))) == Names{"view", "n"});
  // One that the compiler dropped: which names are left for which parameters is not known.
  CHECK(names_of(kernel(opened, debug_info({{"a", slice_type}}))).empty());
  CHECK(names_of(kernel(opened, debug_info({{"a", slice_type}, {"b", slice_type}}))).empty());
}

// DW_TAG_array_type (8), a subrange by its upper bound (9), by its count (10), one without either (13); typedef (11), const (12).
TEST_CASE("An argument is as large as its type, through arrays and aliases") {
  Section more;
  more.b8({8, 0x01, 1, 0x49, 0x13, 0, 0}).b8({9, 0x21, 0, 0x2f, 0x0b, 0, 0}).b8({10, 0x21, 0, 0x37, 0x0b, 0, 0});
  more.b8({11, 0x16, 0, 0x49, 0x13, 0, 0}).b8({12, 0x26, 0, 0x49, 0x13, 0, 0}).b8({13, 0x21, 0, 0, 0});
  std::string abbreviation = abbreviations();
  const std::size_t end = abbreviation.rfind(".b8 0\n}");
  abbreviation.insert(end, more.text());
  // Whether an argument of the type that `make` adds, which gives where it begins, and a u32 behind it are passed in so many
  // words of 4 bytes and one more.
  const auto names = [&](unsigned words, const std::function<std::uint64_t(Section&)>& make) {
    Section s = with_types();
    const std::uint64_t type = make(s);
    s.b8(2).b64("$L__func_begin0").string("k");
    s.b8(3).string("box").b32(type).b8(3).string("n").b32(u32_type).b8(0).b8(0);
    std::string parameters;
    for (unsigned i = 0; i < words; ++i) parameters += ".param .u32 p" + std::to_string(i) + ", ";
    Names expected(words, "box");
    expected.emplace_back("n");
    return names_of(kernel(parameters + ".param .u32 last", abbreviation + in_section(".debug_info", unit(s)))) ==
           expected;
  };
  const auto array = [](Section& s, std::uint64_t of, std::initializer_list<std::pair<unsigned, unsigned>> ranges) {
    const std::uint64_t at = header_size + s.size();
    s.b8(8).b32(of);
    for (const auto& [kind, number] : ranges) {
      s.b8(kind);
      if (kind != 13) s.b8(number);
    }
    s.b8(0);
    return at;
  };
  const auto alias = [](Section& s, unsigned kind, std::uint64_t of) {
    const std::uint64_t at = header_size + s.size();
    s.b8(kind).b32(of);
    return at;
  };
  const auto five = [&](Section& s) { return array(s, u32_type, {{9, 4}}); };  // u32[5]
  CHECK(names(5, five));
  CHECK_FALSE(names(4, five));
  CHECK_FALSE(names(6, five));
  CHECK(names(6, [&](Section& s) { return array(s, u32_type, {{10, 6}}); }));          // u32[6]
  CHECK(names(6, [&](Section& s) { return array(s, u32_type, {{9, 1}, {10, 3}}); }));  // u32[2][3]
  CHECK_FALSE(names(2, [&](Section& s) { return array(s, u32_type, {{9, 1}, {10, 3}}); }));
  CHECK(names(6, [&](Section& s) { return array(s, pointer_type, {{10, 3}}); }));           // void*[3]
  CHECK(names(12, [&](Section& s) { return array(s, slice_type, {{9, 2}}); }));             // struct of 16 bytes [3]
  CHECK(names(6, [&](Section& s) { return alias(s, 11, array(s, u32_type, {{9, 5}})); }));  // typedef of u32[6]
  CHECK(names(6, [&](Section& s) { return array(s, alias(s, 12, alias(s, 11, u64_type)), {{9, 2}}); }));
  CHECK_FALSE(names(2, [&](Section& s) { return array(s, u32_type, {{13, 0}}); }));  // u32[]
}

TEST_CASE("What could not be shown or told apart is no name") {
  const std::string three = ".param .u64 p0, .param .u64 p1, .param .u64 p2";
  CHECK(names_of(kernel(three, debug_info({{"a", u64_type}, {"a", u64_type}, {"b", u64_type}}))) ==
        Names{"a", "", "b"});
  CHECK(names_of(kernel(three, debug_info({{"", u64_type}, {"\x1b[31m", u64_type}, {"größe", u64_type}}))) ==
        Names{"", "", "größe"});
  CHECK(names_of(kernel(three, debug_info({{"x y", u64_type}, {"1", u64_type}, {std::string(300, 'x'), u64_type}})))
            .empty());
}

TEST_CASE("nvcc's locations say which parameter it is") {
  Section abbreviations;
  abbreviations.b8({1, 0x11, 1, 0, 0});
  abbreviations.b8({2, 0x2e, 1, 0x11, 0x01, 0x03, 0x08, 0, 0});
  abbreviations.b8({3, 0x05, 0, 0x02, 0x0a, 0x03, 0x08, 0, 0}).b8(0);
  Section s;
  s.b8(1).b8(2).b64("$L__func_begin0").string("k");
  s.b8(3).b8(9).b8(3).b64("p1").string("second");
  s.b8(3).b8(9).b8(3).b64("p0").string("first");
  s.b8(0).b8(0);
  CHECK(names_of(kernel(".param .u64 p0, .param .u64 p1",
                        in_section(".debug_abbrev", abbreviations.text()) + in_section(".debug_info", unit(s)))) ==
        Names{"first", "second"});
}

TEST_CASE("Instances name by their origin; text stands in .debug_str; linkage names count before names") {
  Section abbreviations;
  abbreviations.b8({1, 0x11, 1, 0, 0});
  // The abstract function: linkage name and name in .debug_str; its parameter.
  abbreviations.b8({2, 0x2e, 1, 0x87, 0x40, 0x0e, 0x03, 0x0e, 0, 0});
  abbreviations.b8({3, 0x05, 0, 0x03, 0x0e, 0, 0});
  // The concrete one, and its parameter.
  abbreviations.b8({4, 0x2e, 1, 0x11, 0x01, 0x31, 0x13, 0, 0});
  abbreviations.b8({5, 0x05, 0, 0x31, 0x13, 0, 0});
  abbreviations.b8({6, 0x2e, 0, 0x11, 0x01, 0x47, 0x13, 0, 0}).b8(0);
  Section s;
  s.b8(1);
  const std::uint64_t abstract = header_size + s.size();
  s.b8(2).b32("$L__linkage").b32("$L__name");
  const std::uint64_t parameter = header_size + s.size();
  s.b8(3).b32(".debug_str+2").b8(0);
  Section instance = s;
  instance.b8(4).b64("0").b32(abstract).b8(5).b32(parameter).b8(0).b8(0);
  Section bare = s;
  bare.b8(6).b64("0").b32(abstract).b8(0);
  const std::string rest =
      in_section(".debug_abbrev", abbreviations.text()) +
      in_section(".debug_str",
                 ".b8 120, 0, 110 // \"x\", \"n\"\n.b8 0\n$L__name:\n.b8 102, 0\n$L__linkage: .b8 107 .b8 0\n");
  for (const Section& entries : {instance, bare}) {
    CHECK(names_of(kernel(".param .u64 p0", rest + in_section(".debug_info", unit(entries)))) == Names{"n"});
    CHECK(names_of(kernel(".param .u64 p0", rest + in_section(".debug_info", unit(entries, 4)))) == Names{"n"});
    // Not by the name, `f`, when there is a linkage name.
    CHECK(names_of(kernel(".param .u64 p0", rest + in_section(".debug_info", unit(entries))) +
                       ".func f(.param .b64 q) { ret; }\n",
                   "f")
              .empty());
  }
}

TEST_CASE("DWARF 5, and lengths as a difference of labels") {
  Section abbreviations;
  abbreviations.b8({1, 0x11, 1, 0x72, 0x17, 0, 0});
  abbreviations.b8({2, 0x2e, 1, 0x11, 0x1b, 0x03, 0x25, 0x3f, 0x19, 0x3b, 0x21, 5, 0, 0});
  abbreviations.b8({3, 0x05, 0, 0x02, 0x18, 0x03, 0x1f, 0x49, 0x13, 0, 0});
  abbreviations.b8({4, 0x26, 0, 0x49, 0x13, 0, 0});
  abbreviations.b8({5, 0x24, 0, 0x0b, 0x0b, 0, 0}).b8(0);
  Section s;
  s.b16(5).b8(1).b8(8).b32(".debug_abbrev");
  s.b8(1).b32("$L__offsets");
  const std::uint64_t base = 4 + s.size();
  s.b8({5, 8});
  const std::uint64_t constant = 4 + s.size();
  s.b8(4).b32(base);
  s.b8(2).b8(0).b8(1);  // name: string 1
  s.b8(3).b8(0).b32("$L__line_string").b32(constant).b8(0).b8(0);
  const std::string info = ".b32 $L__end-$L__begin\n$L__begin:\n" + s.text() + "$L__end:\n";
  const std::string offsets = ".b32 12\n.b16 5\n.b16 0\n$L__offsets:\n.b32 0\n.b32 $L__k\n";
  CHECK(names_of(kernel(
            ".param .u64 p0",
            in_section(".debug_abbrev", abbreviations.text()) + in_section(".debug_info", info) +
                in_section(".debug_str_offsets", offsets) + in_section(".debug_str", ".b8 0\n$L__k: .b8 107, 0\n") +
                in_section(".debug_line_str", ".b8 0\n$L__line_string: .b8 0x6e, 0156, 0b0\n"))) == Names{"nn"});
}

TEST_CASE("@@DWARF lines are sections too") {
  const std::string text = kernel(".param .u64 p0",
                                  "@@DWARF .section .debug_abbrev, \"\", @progbits\n"
                                  "@@DWARF .byte 0x1, 0x11, 0x1, 0, 0\n"
                                  "@@DWARF .byte 2, 0x2e, 1, 0x11, 1, 3, 8, 0, 0, 3, 5, 0, 3, 8, 0, 0, 0\n"
                                  "@@DWARF .section .debug_info, \"\", @progbits\n"
                                  "@@DWARF .4byte 28\n"
                                  "@@DWARF .byte 2, 0\n"
                                  "@@DWARF .4byte .debug_abbrev\n"
                                  "@@DWARF .byte 8, 1, 2\n"
                                  "@@DWARF .quad $L__func_begin0\n"
                                  "@@DWARF .byte 0x6b, 0, 3, 0x6c, 0x65, 0x6e, 0, 0, 0\n");
  CHECK(names_of(text) == Names{"len"});
}

TEST_CASE("Broken debug information gives no names and ends") {
  const std::string one = ".param .u64 p0";
  const auto with_info = [&](const Section& s) {
    return kernel(one, abbreviations() + in_section(".debug_info", unit(s)));
  };

  SECTION("cut anywhere") {
    const std::string whole = kernel(one, debug_info({{"a", u64_type}}));
    for (std::size_t size = 0; size < whole.size(); size += 3) {
      const Module module = parse(whole.substr(0, size), "test.ptx");
      for (const Function& f : module.functions()) {
        const Names names = debug_parameter_names(module, f);
        CHECK((names.empty() || names == Names{"a"}));
      }
    }
  }
  SECTION("bytes of any value") {
    std::mt19937 random(7);
    const std::string whole = kernel(one, debug_info({{"a", slice_type}, {"b", u32_type}}));
    for (int round = 0; round < 400; ++round) {
      std::string text = whole;
      const std::size_t begin = text.find(".section");
      for (int change = 0; change < 4; ++change) {
        const std::size_t at = text.find(".b8 ", begin + random() % (text.size() - begin - 100));
        if (at == std::string::npos) continue;
        text.replace(at + 4, text.find('\n', at) - at - 4, std::to_string(random() % 256));
      }
      const Module module = parse(text, "test.ptx");
      for (const Function& f : module.functions()) CHECK(debug_parameter_names(module, f).size() <= 1);
    }
  }
  SECTION("an origin that is its own") {
    Section a;
    a.b8({1, 0x11, 1, 0, 0})
        .b8({2, 0x2e, 1, 0x11, 0x01, 0x31, 0x13, 0, 0})
        .b8({3, 0x05, 0, 0x31, 0x13, 0x49, 0x13, 0, 0});
    a.b8({4, 0x16, 0, 0x49, 0x13, 0, 0}).b8(0);
    Section s;
    s.b8(1);
    const std::uint64_t self = header_size + s.size();
    s.b8(2).b64("$L__func_begin0").b32(self);
    const std::uint64_t parameter = header_size + s.size();
    s.b8(3).b32(parameter).b32(parameter + 9);
    s.b8(4).b32(parameter + 9).b8(0).b8(0);  // a typedef of itself
    CHECK(names_of(kernel(one, in_section(".debug_abbrev", a.text()) + in_section(".debug_info", unit(s)))).empty());
  }
  SECTION("numbers without end") {
    Section s;
    for (int i = 0; i < 5000; ++i) s.b8(0xff);
    CHECK(names_of(with_info(s)).empty());
    Section a;
    for (int i = 0; i < 5000; ++i) a.b8(0x80);
    CHECK(names_of(kernel(one, in_section(".debug_abbrev", a.text()) + debug_info({{"a", u64_type}}))).empty());
  }
  SECTION("a unit as long as can be, one of no length, an abbreviation that is not there") {
    CHECK(names_of(kernel(one, abbreviations() +
                                   in_section(".debug_info", ".b32 0xfffffff0\n.b8 2,0\n.b32 0\n.b8 8\n.b8 1\n")))
              .empty());
    CHECK(names_of(kernel(one, abbreviations() +
                                   in_section(".debug_info", ".b32 -1\n.b64 -1\n.b8 4,0\n.b64 -5\n.b8 8\n.b8 1\n")))
              .empty());
    CHECK(names_of(kernel(one, abbreviations() + in_section(".debug_info", ".b32 0, 0, 0, 0\n"))).empty());
    Section s;
    s.b8(1).b8(99);
    CHECK(names_of(with_info(s)).empty());
  }
  SECTION("text that is no section") {
    CHECK(
        names_of(
            kernel(one, ".section .debug_info { .b8 ( - + , \"\\\" .b32 a-b-c, .debug_abbrev - 5 .b8 }\n@@DWARF\n@@\n"))
            .empty());
  }
}

TEST_CASE("Many units over one table of abbreviations cost no more than their size") {
  // Each names the table one byte further on, so that all of it is read for each.
  Section a;
  for (unsigned i = 0; i < 20000; ++i) a.b8({1, 0x11, 0, 0, 0});
  std::string info;
  for (unsigned i = 0; i < 4000; ++i) {
    Section header;
    header.b32(9).b16(2).b32(".debug_abbrev+" + std::to_string(i * 5)).b8(8).b8({1, 1});
    info += header.text();
  }
  CHECK(names_of(kernel(".param .u64 p0", in_section(".debug_abbrev", a.text()) + in_section(".debug_info", info)))
            .empty());
}

TEST_CASE("Labels come from debug information, and from --names before that") {
  const std::string text =
      ".version 8.0\n.target sm_80, debug\n.address_size 64\n.visible .entry k(.param .u64 p0, .param .u64 p1, .param "
      ".u32 p2)\n{\n"
      ".reg .pred %p<2>;\n.reg .b32 %r<4>;\n.reg .b64 %rd<5>;\n$L__func_begin0:\n"
      "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r1, %tid.x;\ncvt.u64.u32 %rd3, %r1;\n"
      "setp.ge.u64 %p1, %rd3, %rd2;\n@%p1 bra $L__BB0_2;\nadd.s64 %rd4, %rd1, %rd3;\nld.param.u32 %r2, [p2];\n"
      "st.global.u8 [%rd4], %r2;\nret;\n$L__BB0_2:\ntrap;\n$L__func_end0:\n}\n";
  const auto labels = [](const std::string& of, const analysis::TrapOptions& options) {
    const Module module = parse(of, "test.ptx");
    const auto report = analysis::explain_traps(module, options);
    REQUIRE(report.functions.size() == 1);
    REQUIRE(report.functions[0].traps.size() == 1);
    Names list;
    for (const auto& parameter : report.functions[0].params) list.push_back(parameter.label);
    return list;
  };
  CHECK(labels(text, {}) == Names{"arg0.ptr", "arg0.len", "arg1"});
  CHECK(labels(text + debug_info({{"a", slice_type}, {"x", u32_type}}), {}) == Names{"a.ptr", "a.len", "x"});
  // Two arguments in the source, though they go together.
  CHECK(labels(text + debug_info({{"data", pointer_type}, {"n", u64_type}, {"x", u32_type}}), {}) ==
        Names{"data", "n", "x"});
  CHECK(labels(text + debug_info({{"data", pointer_type}, {"n", u64_type}, {"", u32_type}}), {}) ==
        Names{"data", "n", "arg2"});
  analysis::TrapOptions options;
  options.names = {"given"};
  CHECK(labels(text + debug_info({{"a", slice_type}, {"x", u32_type}}), options) ==
        Names{"given.ptr", "given.len", "arg1"});
}

TEST_CASE("Debug information of nvcc and Clang in the corpus") {
  const auto names_in = [](const char* file, std::string_view function) -> Names {
    const auto read = parse_file((shared() / file).string());
    REQUIRE(read.module);
    const Function* f = read.module->find_function(read.module->find_name(function));
    REQUIRE(f != nullptr);
    return debug_parameter_names(*read.module, *f);
  };
  if (!std::filesystem::exists(shared() / "corpus")) {
    WARN("no corpus at " << shared() << ": skipped (set PTXSCOPE_SHARED)");
    return;
  }
  CHECK(names_in("traps/36_nvcc_G_trap_in_callee.ptx", "vadd") == Names{"a", "b", "c", "alen", "blen", "clen"});
  CHECK(names_in("traps/06_oxide_gather_lineinfo.ptx", "gather").empty());
  CHECK(names_in("corpus/generated/llvm/clang19.k_cuda.sm_90.O0g.ptx", "saxpy") == Names{"y", "x", "a", "n"});
  CHECK(names_in("corpus/generated/llvm/clang19.k_cuda.sm_90.O0g.ptx", "_ZN1BC1Ef") == Names{"this", "q"});
  CHECK(names_in("corpus/generated/sm_90a/launch.G.ptx", "_Z2lbPfPKf3Cfg") == Names{"o", "i", "c"});

  // The kernels of all files that nvcc -G wrote have them, and never another number than there are parameters.
  unsigned kernels = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(shared() / "corpus" / "generated")) {
    if (!entry.path().filename().string().ends_with(".G.ptx")) continue;
    const auto read = parse_file(entry.path().string());
    REQUIRE(read.module);
    analysis::DebugNames names(*read.module);
    for (const Function& f : read.module->functions()) {
      const Names found = names.of_parameters(f);
      CHECK((found.empty() || found.size() == f.parameters.size()));
      if (f.kind != FunctionKind::entry || f.parameters.empty()) continue;
      INFO(entry.path() << ": " << read.module->name(f.name));
      CHECK(!found.empty());
      ++kernels;
    }
  }
  CHECK(kernels > 100);
}
