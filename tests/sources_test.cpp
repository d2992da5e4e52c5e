// Lines of the source: `.loc`, the way a line was inlined, and LLVM's comment that tells it.
#include "analysis/sources.h"

#include <string>

#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::analysis;

namespace {

// "c.cu:9:2 < b.cu:7:1 < a.cu:3:4": the outermost call first, of the last instruction.
std::string source(const std::string& body) {
  const Module module = parse(
      ".version 8.0\n.target sm_80\n.file 1 \"a.cu\"\n.file 2 \"b.cu\"\n.file 3 \"c.cu\"\n.visible .entry k()\n{\n"
      "$begin:\n" +
          body + "\nmembar.gl;\n}\n",
      "k.ptx");
  for (const Diagnostic& one : module.diagnostics()) FAIL(one.message << "\n" << body);
  const Function& function = module.functions().front();
  const auto place = source_of(module, function, function.body_end - 1);
  if (!place) return "none";
  const auto text = [](const SourcePlace& one) {
    return one.file + ":" + std::to_string(one.line) + ":" + std::to_string(one.column);
  };
  std::string all = text(*place);
  for (const SourcePlace& inner : place->inlined_at) all += " < " + text(inner);
  return all;
}

}  // namespace

TEST_CASE("the last .loc before a statement") {
  CHECK(source("") == "none");
  CHECK(source(".loc 1 3 4") == "a.cu:3:4");
  CHECK(source(".loc 1 3 4\nret;\n.loc 2 5 6\nret;") == "b.cu:5:6");
  CHECK(source(".loc 9 3 4") == ":3:4");  // a file that is not named
  CHECK(source(".loc 1 0 0") == "none");  // LLVM: code of no line
  CHECK(source(".loc 1 3 4\n.loc 1 0 0") == "none");
}

TEST_CASE("what was inlined is told from the outermost call inwards") {
  CHECK(source(".loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "b.cu:7:1 < a.cu:3:4");
  // b.cu:7:1 was inlined itself.
  CHECK(source(".loc 2 7 1, function_name $begin, inlined_at 3 9 2\nret;\n"
               ".loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "c.cu:9:2 < b.cu:7:1 < a.cu:3:4");
  // Another column, line or file is another place; a plain .loc says nothing.
  CHECK(source(".loc 2 7 5, function_name $begin, inlined_at 3 9 2\nret;\n"
               ".loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "b.cu:7:1 < a.cu:3:4");
  CHECK(source(".loc 2 8 1, function_name $begin, inlined_at 3 9 2\nret;\n"
               ".loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "b.cu:7:1 < a.cu:3:4");
  CHECK(source(".loc 1 7 1, function_name $begin, inlined_at 3 9 2\nret;\n"
               ".loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "b.cu:7:1 < a.cu:3:4");
  CHECK(source(".loc 2 7 1\nret;\n.loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "b.cu:7:1 < a.cu:3:4");
  // The last of several that could be it; one behind does not count.
  CHECK(source(".loc 2 7 1, function_name $begin, inlined_at 1 1 1\nret;\n"
               ".loc 2 7 1, function_name $begin, inlined_at 3 9 2\nret;\n"
               ".loc 1 3 4, function_name $begin, inlined_at 2 7 1") == "c.cu:9:2 < b.cu:7:1 < a.cu:3:4");
  // Itself inlined in itself: each .loc is asked once.
  CHECK(source(".loc 1 3 4, function_name $begin, inlined_at 1 3 4") == "a.cu:3:4 < a.cu:3:4");
}

TEST_CASE("LLVM tells inlining in a comment") {
  CHECK(source(".loc 1 3 4 // a.rs:3:4 @[ b.rs:7:1 ]") == "b.rs:7:1 < a.cu:3:4");
  CHECK(source(".loc 1 3 4 // a.rs:3:4 @[ b.rs:7:1 @[ dir/c.rs:9:2 ] ]") == "dir/c.rs:9:2 < b.rs:7:1 < a.cu:3:4");
  CHECK(source(".loc 1 3 4 // a.rs:3:4") == "a.cu:3:4");
  for (const char* broken :
       {"@[ b.rs ]", "@[ b.rs:7 ]", "@[ :7:1 ]", "@[ b.rs:x:1 ]", "@[ b.rs:7:y ]", "@[ b.rs:0:1 ]"})
    CHECK(source(std::string(".loc 1 3 4 // a.rs:3:4 ") + broken) == "a.cu:3:4");
}
