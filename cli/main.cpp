#include "cli/command.h"

int main(int argc, char** argv) {
  using namespace ptxscope::cli;
  Program program;
#ifdef PTXSCOPE_HAS_EXPLAIN_TRAP
  add_explain_trap(program);
#endif
#ifdef PTXSCOPE_HAS_CFG
  add_cfg(program);
#endif
  add_print(program);
  return program.run(argc, argv);
}
