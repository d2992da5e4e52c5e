// For each place where a kernel of a PTX file can trap: the line, and what must hold to get there.
#include <iostream>

#include "analysis/traps.h"
#include "parser/module.h"
#include "report/diagnostics.h"
#include "report/expression.h"
#include "report/terminal.h"

namespace analysis = ptxscope::analysis;
namespace report = ptxscope::report;

int main(int count, char** arguments) {
  if (count != 2) {
    std::cerr << "usage: consumer FILE.ptx\n";
    return 2;
  }
  const ptxscope::ReadResult read = ptxscope::parse_file(arguments[1]);
  if (!read.module) {
    std::cerr << read.error << '\n';
    return 2;
  }
  const ptxscope::Module& module = *read.module;
  std::cerr << report::to_text(module, module.diagnostics(), {});
  const analysis::TrapReport traps = analysis::explain_traps(module);
  for (const analysis::FunctionTraps& kernel : traps.functions) {
    const report::Labels labels(kernel.params);
    for (const analysis::Trap& trap : kernel.traps)
      for (const analysis::Way& way : trap.ways)
        std::cout << report::printable(trap.function) << ", line " << module.line_of_statement(trap.statement) << ": "
                  << report::to_text(module, *traps.pool, way.path, labels) << '\n';
  }
  return module.has_errors() ? 1 : 0;
}
