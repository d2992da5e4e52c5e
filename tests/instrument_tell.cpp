// What is told of records: instrument_tell FILE.ptx RECORD… writes a document of schema ptxscope.run/1 with a trap for
// each file of 4096 bytes. For tests that write records without a GPU.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>

#include "report/run.h"

int main(int argc, char** argv) {
  using namespace ptxscope;
  if (argc < 2) {
    std::fputs("usage: instrument_tell FILE.ptx RECORD...\n", stderr);
    return 2;
  }
  ReadResult read = parse_file(argv[1]);
  if (!read.module) {
    std::fprintf(stderr, "%s\n", read.error.c_str());
    return 2;
  }
  analysis::RunReport report;
  report.driver_opened = true;
  analysis::RunModule module;
  module.number = 1;
  module.outcome = analysis::RunOutcome::instrumented;
  module.code = std::make_shared<analysis::RunCode>(std::move(*read.module));
  report.modules.push_back(std::move(module));
  for (int i = 2; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    analysis::RunTrap trap;
    trap.module = 1;
    for (const char c : bytes) trap.record.push_back(static_cast<std::byte>(c));
    report.traps.push_back(std::move(trap));
  }
  std::fputs(report::run_json(report).c_str(), stdout);
  return 0;
}
