// ptxscope check: what a module needs, and whether it fits a target, a CUDA release, a driver, a device.
#include "analysis/check.h"

#include <CLI/App.hpp>

#include "cli/check_question.h"
#include "cli/command.h"
#include "report/check.h"

namespace ptxscope::cli {

namespace {

struct CheckFlags {
  CheckRequest request;
  bool all = false;
};

std::size_t places_for(const Run& run, const CheckFlags& flags) {
  constexpr std::size_t for_people = 5;
  constexpr std::size_t for_programs = 1000;  // code scanning shows fewer
  if (flags.all) return 0;
  return run.format() == "text" ? for_people : for_programs;
}

void check_files(Run& run, const CheckFlags& flags) {
  const AskedCheck asked = understand(flags.request);
  if (!asked.error.empty()) {
    run.fail("--" + asked.error);
    return;
  }
  report::SarifLog sarif(PTXSCOPE_VERSION);
  const auto look = [&](const Module& module, unsigned jobs) {
    return analysis::check(module, asked.question, {places_for(run, flags), jobs});
  };
  run.each_module<analysis::CheckReport>(look, [&](const Module& module, analysis::CheckReport& report) {
    if (!report.ok()) run.object();
    if (run.is_json()) return report::check_json(module, report, asked.words);
    if (run.format() == "github") return report::check_github(module, report);
    if (run.format() == "sarif") {
      sarif.add(module, report);
      return std::string();
    }
    run.report(module, report.diagnostics);
    return report::check_text(module, report, asked.words, run.style(), flags.all);
  });
  if (run.format() == "sarif") run.add_document(sarif.text());
}

}  // namespace

void add_check(Program& program) {
  auto flags = std::make_shared<CheckFlags>();
  CLI::App& app = program.add(
      {.name = "check",
       .summary = "which .version, .target, CUDA and driver a module needs, by which lines; whether it fits others",
       .formats = {"text", "json", "sarif", "github"},
       .examples = {"ptxscope check kernel.ptx", "ptxscope check --target sm_120a kernel.ptx",
                    "ptxscope check --driver 595.97 kernel.ptx", "ptxscope check --device kernel.ptx",
                    "ptxscope check --cuda 12.8 --format sarif -o check.sarif *.ptx"},
       .takes_jobs = true},
      [flags](Run& run) { check_files(run, *flags); });
  app.add_option("--target", flags->request.target,
                 "would the code be taken if its header said this .target? for example sm_120a")
      ->type_name("TARGET");
  app.add_option("--isa", flags->request.isa, "the same for .version; for example 8.7")->type_name("VERSION");
  app.add_option("--cuda", flags->request.cuda, "does ptxas of this CUDA release take it? for example 12.8")
      ->type_name("RELEASE");
  app.add_option("--driver", flags->request.driver,
                 "does this driver load it? as nvidia-smi shows it, Linux or Windows: 570.86.10, 595.97")
      ->type_name("VERSION");
  app.add_flag(
      "--device{this}", flags->request.device,
      "does it load and run on this machine's GPU and driver? --device=12.0: on a GPU of that compute capability");
  app.add_flag("--all", flags->all, "every need with all its lines, every target with its version");
}

}  // namespace ptxscope::cli
