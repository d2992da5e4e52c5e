#include "cli/command.h"

int main(int argc, char** argv) {
  using namespace ptxscope::cli;
  Program program;
  add_explain_trap(program);
  add_cfg(program);
  add_print(program);
  return program.run(argc, argv);
}
