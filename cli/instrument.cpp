// ptxscope instrument: the module as `ptxscope run` would load it.
#include "report/instrument.h"

#include "cli/command.h"
#include "cli/input.h"

namespace ptxscope::cli {

void add_instrument(Program& program) {
  program.add(
      {.name = "instrument",
       .summary = "the module as `run` loads it: with code that notes what happened in front of each trap",
       .formats = {"text", "json"},
       .examples = {"ptxscope instrument kernel.ptx -o recording.ptx", "ptxscope instrument kernel.ptx --format json"},
       .writes_ptx = true},
      [](Run& run) {
        if (run.options().files.size() > 1)
          return run.fail("one file at a time: each has an output of its own" + name_one_of(run.options().files));
        run.each_module([&](const Module& module) {
          const analysis::Instrumented result = analysis::instrument(module);
          std::string output = run.options().output == "-" ? "" : run.options().output;
          const bool is_apart = run.is_json() || !output.empty();
          if (is_apart && !run.write_apart(result.text)) output.clear();
          else if (!run.is_json())
            for (const std::string& sentence : report::instrument_sentences(module, result)) run.warn(sentence);
          if (run.is_json()) return report::instrument_json(module, result, output);
          return is_apart ? std::string() : result.text;
        });
      });
}

}  // namespace ptxscope::cli
