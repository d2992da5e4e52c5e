// The driver's logs, and the metadata of NVVM IR: text that comes from elsewhere.
#include <random>
#include <string>

#include "driver/load.h"
#include "driver/nvvm_ir.h"
#include "tests/catch.h"

using namespace ptxscope;
using namespace ptxscope::driver;

TEST_CASE("messages of the driver's compiler, with and without a line") {
  const JitLog log = read_jit_log("",
                                  "ptxas application ptx input, line 12; error   : Unknown symbol 'foo'\n"
                                  "ptxas application ptx input, line 13; warning : something; line 3; odd\n"
                                  "ptxas fatal   : Ptx assembly aborted due to errors\n");
  REQUIRE(log.messages.size() == 2);
  CHECK(log.messages[0].line == 12);
  CHECK(log.messages[0].level == Level::error);
  CHECK(log.messages[0].text == "Unknown symbol 'foo'");
  CHECK(log.messages[1].line == 13);
  CHECK(log.messages[1].level == Level::warning);
  CHECK(log.messages[1].text == "something; line 3; odd");
}

TEST_CASE("an abort alone is kept") {
  const JitLog log = read_jit_log("", "ptxas fatal   : Ptx assembly aborted due to errors");
  REQUIRE(log.messages.size() == 1);
  CHECK(log.messages[0].line == 0);
}

TEST_CASE("what kernels use, in the words of several versions") {
  const JitLog log = read_jit_log(
      "ptxas info    : 0 bytes gmem\n"
      "ptxas info    : Compiling entry function 'first' for 'sm_90'\n"
      "ptxas info    : Function properties for first\n"
      "    8 bytes stack frame, 4 bytes spill stores, 12 bytes spill loads\n"
      "ptxas info    : Used 32 registers, used 2 barriers, 776 bytes cumulative stack size\n"
      "ptxas info    : Compile time = 1.0 ms\n"
      "ptxas info    : Compiling entry function 'second' for 'sm_90'\n"
      "ptxas info    : Function properties for 'second'\n"
      "ptxas         .     0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
      "ptxas info    : Used 8 registers, 376 bytes cmem[0]\n"
      "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored in the function 'second'\n",
      "");
  REQUIRE(log.usage.size() == 2);
  CHECK(log.usage[0].function == "first");
  CHECK(log.usage[0].stack == 8);
  CHECK(log.usage[0].spill_stores == 4);
  CHECK(log.usage[0].spill_loads == 12);
  CHECK(log.usage[0].barriers == 2);
  CHECK(log.usage[1].function == "second");
  CHECK(log.usage[1].spill_stores == 0);
  REQUIRE(log.messages.size() == 1);
  CHECK(log.messages[0].level == Level::note);
  CHECK(log.messages[0].function == "second");
}

TEST_CASE("occupancy counts whole warps") {
  CHECK(Occupancy{33, 16, 2048}.share() == 0.5);
  CHECK(Occupancy{256, 8, 2048}.share() == 1.0);
  CHECK(Occupancy{256, 8, 0}.share() == 0.0);
}

TEST_CASE("the median of several loads") {
  LoadReport report;
  CHECK(report.median() == 0);
  report.milliseconds = {5, 1, 3};
  CHECK(report.median() == 3);
  report.milliseconds = {5, 1, 3, 4};
  CHECK(report.median() == 3.5);
}

TEST_CASE("any bytes are read to the end, as a log and as a module") {
  std::mt19937 random(7);
  const std::string pieces[] = {"ptxas",
                                " info    : ",
                                "error   : ",
                                ", line ",
                                ";",
                                "\n",
                                "'",
                                "function '",
                                "bytes stack frame",
                                "99999999999999999999",
                                "Function properties for ",
                                "Used ",
                                "!nvvmir.version = !{!",
                                "!",
                                "{",
                                "}",
                                "i32 ",
                                " = ",
                                "4294967296",
                                "metadata ",
                                "\"Debug Info Version\",",
                                "!llvm.module.flags = !{!1}",
                                "target ",
                                "\"",
                                "{",
                                "=",
                                ";",
                                "\xff",
                                std::string(1, '\0')};
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    for (int i = 0; i < 40; ++i) text += pieces[random() % std::size(pieces)];
    const JitLog log = read_jit_log(text, text);
    CHECK(log.messages.size() <= 200);
    const NvvmModule module = read_nvvm_module("random.ll", text);
    const NvvmVersion library{2, 0, 3, 2};
    if (!refusal(module, library, true).empty()) CHECK_FALSE(lines_to_write(module, library).empty());
  }
}

TEST_CASE("what is written takes the module past the library that refused it") {
  const NvvmVersion library{2, 0, 3, 2};
  const std::string head = "target triple = \"nvptx64-nvidia-cuda\"\n";
  for (const std::string rest :
       {"!7 = !{i32 1}\n", "!nvvmir.version = !{!0}\n!0 = !{i32 1, i32 0}\n",
        "!llvm.dbg.cu = !{!3}\n!nvvmir.version = !{!0, !1}\n!0 = !{i32 2, i32 0}\n!1 = !{i32 9}\n"}) {
    std::string text = head + rest;
    const NvvmModule before = read_nvvm_module("a.ll", text);
    REQUIRE_FALSE(refusal(before, library, before.has_debug_info).empty());
    // Does as the lines say.
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    const std::string advice = lines_to_write(before, library);
    for (std::size_t at = 0; at < advice.size();) {
      const std::size_t end = std::min(advice.find('\n', at), advice.size());
      const std::string line = advice.substr(at, end - at);
      at = end + 1;
      const std::string content = line.substr(line.find(": ") + 2);
      if (line.starts_with("write in line ")) {
        std::string& old = lines.at(std::stoul(line.substr(14)) - 1);
        old = old.substr(0, old.find("= ") + 2) + content;
      } else {
        lines.push_back(content);
      }
    }
    text.clear();
    for (const std::string& line : lines) text += line + "\n";
    const NvvmModule after = read_nvvm_module("a.ll", text);
    CHECK(refusal(after, library, after.has_debug_info).empty());
  }
}
