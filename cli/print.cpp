// ptxscope print: the module back, byte for byte.
#include "cli/command.h"

namespace ptxscope::cli {

void add_print(Program& program) {
  program.add({.name = "print",
               .summary = "the module back, byte for byte, with all diagnostics on standard error",
               .examples = {"print kernel.ptx", "print - < kernel.ptx > copy.ptx"}},
              [](Run& run) { run.each_module([](const Module& module) { return std::string(module.text()); }); });
}

}  // namespace ptxscope::cli
