// ptxscope print: the module back, byte for byte or in one canonical layout.
#include "analysis/checks.h"
#include "cli/command.h"
#include "parser/normalize.h"

namespace ptxscope::cli {

void add_print(Program& program) {
  const auto normalize = std::make_shared<bool>(false);
  CLI::App& app = program.add(
      {.name = "print",
       .summary = "the module back, byte for byte, with all diagnostics on standard error",
       .examples = {"ptxscope print kernel.ptx > copy.ptx", "ptxscope print --normalize a.ptx b.ptx",
                    "nvcc -ptx -o - kernel.cu | ptxscope print --normalize -"},
       .writes_ptx = true,
       .takes_jobs = true},
      [normalize](Run& run) {
        run.each_module([&](const Module& module,
                            Run::Found) { return *normalize ? normalized(module) : std::string(module.text()); },
                        [](const Module& module) { return analysis::check_semantics(module); });
      });
  app.add_flag("--normalize", *normalize, "in one canonical layout: one statement a line, indented by scope");
}

}  // namespace ptxscope::cli
