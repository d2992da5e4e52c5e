// What can be folded in a text, and where its comments run over several lines.
#include "analysis/outline.h"

#include <string>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

std::string folds(const std::string& text) {
  std::string all;
  for (const Fold& one : outline_of(parse(text, "k.ptx")).folds) {
    constexpr const char* kinds[] = {"function", "scope", "block", "data"};
    all += (all.empty() ? "" : ", ") + std::string(kinds[static_cast<int>(one.kind)]) + " " +
           std::to_string(one.first) + "-" + std::to_string(one.last);
  }
  return all;
}

std::string comments(const std::string& text) {
  const Module module = parse(text, "k.ptx");
  std::string all;
  for (const Span& one : outline_of(module).long_comments) all += "[" + std::string(module.text(one)) + "]";
  return all;
}

}  // namespace

TEST_CASE("functions, scopes, blocks and lists of values can be folded") {
  CHECK(folds("").empty());
  CHECK(folds(".version 8.0\n.target sm_80\n").empty());
  const std::string text =
      ".version 8.0\n.target sm_80\n"               // 1, 2
      ".global .b32 a[2] = {1,\n2};\n"              // 3, 4
      ".global .b32 b[2] = {1, 2};\n"               // 5: one line is not folded
      ".global .b32 c[2];\n"                        // 6
      ".func one() { ret; }\n"                      // 7
      ".visible .entry k(.param .u32 n,\n"          // 8
      "  .param .u32 m)\n{\n"                       // 9, 10
      "  ret;\nA:\n  ret;\n  ret;\nB:\nC:\n"        // 11 to 16
      "  {\n  D:\n  ret;\n  {\n  ret;\n  }\n  }\n"  // 17 to 23
      "  ret;\n}\n"                                 // 24, 25
      ".section .debug_str\n{\n.b8 0\n}\n";         // 26 to 29
  CHECK(folds(text) == "data 3-4, function 8-25, block 12-14, block 16-24, scope 17-23, scope 20-22, data 26-29");
  // Two that begin on one line: the outer one stays.
  CHECK(folds(".version 8.0\n.target sm_80\n.func f() { L: ret;\n ret;\n}\n") == "function 3-5");
  // A body that is not closed, and one closed once too often.
  CHECK(folds(".version 8.0\n.target sm_80\n.func f() {\n{\nret;\n") == "function 3-5");
}

TEST_CASE("comments over several lines, not those in strings") {
  CHECK(comments("/* one */ /* two\nlines */ // /* no\n /* end\n*/") == "[/* two\nlines */][/* end\n*/]");
  CHECK(comments(".file 1 \"/* no\"\n/* yes\n*/") == "[/* yes\n*/]");
  CHECK(comments("\"not closed /*\n/* a\nb */") == "[/* a\nb */]");
  CHECK(comments("a / b\n/* c\n*/") == "[/* c\n*/]");
  CHECK(comments("/* not closed\n") == "[/* not closed\n]");
  CHECK(comments("// \" \n/* a\n*/") == "[/* a\n*/]");
}

TEST_CASE("lines, and the longest") {
  const auto lines = [](const std::string& text) {
    const Outline outline = outline_of(parse(text, "k.ptx"));
    return std::to_string(outline.lines) + " " + std::to_string(outline.longest_line);
  };
  CHECK(lines("") == "1 0");
  CHECK(lines("abc") == "1 3");
  CHECK(lines("abc\n") == "2 3");
  CHECK(lines("a\nabcd\nab") == "3 4");
}
