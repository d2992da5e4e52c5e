// doctor: NVVM IR in text form. And the log of the driver's compiler, which load reads.
#include "cli/command.h"
#include "driver/load.h"
#include "driver/nvvm_ir.h"
#include "report/load.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/module_properties.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void read_ir(const Input& input) {
  const driver::NvvmModule module = driver::read_nvvm_module("fuzz.ll", input.text);
  for (const driver::NvvmVersion& library :
       {driver::NvvmVersion{1, 6, 3, 0}, driver::NvvmVersion{2, 0, 3, 1}, driver::NvvmVersion{2, 0, 3, 2}}) {
    for (const bool with_debug_info : {false, true}) {
      if (driver::refusal(module, library, with_debug_info).empty()) continue;
      require(!driver::lines_to_write(module, library).empty(), "what is refused has a way out");
    }
  }
  const MemoryFile file(input.text);
  // A folder without CUDA in the place of this machine.
  std::vector<std::string> words{"doctor", "--color=always", "--root=/proc/self/fdinfo"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_doctor, words);
  if (outcome.out.starts_with("{")) require_json(outcome.out, "ptxscope.doctor/1");
  else require_terminal(outcome.out, "doctor");
}

void read_log(const Input& input) {
  const Module module =
      parse(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\nret;\n}\n", "fuzz.ptx");
  report::LoadedFile file;
  file.load.log = driver::read_jit_log(input.text, input.other);
  file.load.raw_log = input.text;
  require_spans(module, report::jit_diagnostics(module, file.load.log));
  require_terminal(report::load_text(module, file, {.color = true, .width = 80}), "load");
  require_json(report::load_json(module, file), "ptxscope.load/1");
}

void read(const Input& input) {
  read_ir(input);
  read_log(input);
}

}  // namespace

Target doctor_target() {
  return {.name = "doctor", .form = Form::text, .run = read, .options = {{"--format", {"text", "json"}}}};
}

}  // namespace ptxscope::fuzz
