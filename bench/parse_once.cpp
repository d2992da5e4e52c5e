// Reads one file into a Module and says how large it is. bench/compare.py measures the process from outside.
#include <cstdio>

#include "parser/module.h"

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: parse_once FILE\n");
    return 2;
  }
  const ptxscope::ReadResult result = ptxscope::parse_file(argv[1]);
  if (!result.module) {
    std::fprintf(stderr, "%s\n", result.error.c_str());
    return 1;
  }
  std::printf("%u statements, %zu diagnostics\n", result.module->statement_count(),
              result.module->diagnostics().size());
  return result.module->has_errors() ? 1 : 0;
}
