#include "cli/command.h"
#include "cli/output.h"

int main(int argc, char** argv) {
  using namespace ptxscope::cli;
  keep_standard_descriptors();
  Program program;
  add_explain_trap(program);
  add_check(program);
  add_retarget(program);
  add_cfg(program);
  add_stats(program);
  add_diff(program);
  add_report(program);
  add_extract(program);
  add_bench(program);
  add_gui(program);
  add_print(program);
  add_doctor(program);
  add_load(program);
  add_lsp(program);
  add_instrument(program);
  add_explain(program);
  add_run(program);
  add_scan(program);
  add_targets(program);
  add_releases(program);
  add_completion(program);
  add_man(program);
  return program.run(argc, argv);
}
