// ptxscope run: a program with the driver watched, and traps explained.
#include "report/run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cli/command.h"
#include "cli/output.h"
#include "driver/run.h"

namespace ptxscope::cli {

namespace {

struct RunFlags {
  std::string json;
  bool requires_launch = false;
  bool is_quiet = false;
  bool is_verbose = false;
  bool only_observes = false;
  bool triton_cache = false;
  std::vector<std::string> names;
};

void say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

// Messages go to standard error: what the command prints is its own.
report::TextStyle error_style(const Run& run) {
  report::TextStyle style = run.style();
  if (run.options().color == "auto" && isatty(STDERR_FILENO) == 0) style.color = false;
  return style;
}

bool launched_any(const analysis::RunReport& report) {
  std::uint64_t launches = report.graph_launches;
  for (const analysis::RunKernel& kernel : report.kernels) launches += kernel.launches - kernel.failed;
  return launches != 0;
}

// --names, split at its commas; an empty one stands for an argument that keeps its own name. Empty and `problem`: bad usage.
std::vector<std::string> split_names(const std::vector<std::string>& lists, std::string& problem) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t comma = std::min(list.find(',', begin), list.size());
      std::string name = list.substr(begin, comma - begin);
      if (!name.empty() && std::ranges::find(names, name) != names.end())
        problem = "--names " + list + ": two arguments would be called " + name + "; give each a name of its own";
      names.push_back(std::move(name));
      begin = comma + 1;
    }
  return names;
}

void run_program(Run& run, const RunFlags& flags) {
  driver::RunOptions options;
  options.command = run.options().words;
  options.record = !flags.only_observes;
  options.triton_cache = flags.triton_cache;
  std::string problem;
  options.names = split_names(flags.names, problem);
  if (!problem.empty()) return run.fail(problem);
  options.preload = driver::find_preload();
  if (flags.is_verbose || !flags.json.empty()) options.code_bytes = std::uint64_t{64} << 20U;
  if (options.command.empty())
    return run.fail("no command: say what to run after --, as in ptxscope run -- ./app --size 1000");
  if (options.preload.empty())
    return run.fail(
        "libptxscope-preload.so was not found beside the executable or in ../lib/ptxscope; PTXSCOPE_PRELOAD says where "
        "it is");
  const report::TextStyle style = error_style(run);
  if (!flags.is_quiet)
    options.on_trap = [&](const analysis::RunReport& so_far, const analysis::RunTrap& trap) {
      say(report::run_trap_text(so_far, trap, style));
    };
  const driver::RunResult result = driver::run_command(options);
  if (!result.error.empty()) {
    run.fail(result.error);
    return run.exit_with(result.exit_code);
  }
  if (!flags.is_quiet) say(report::run_summary_text(result.report, style, flags.is_verbose));
  run.exit_with(result.exit_code);
  if (!flags.json.empty()) {
    bool closed_pipe = false;
    problem = write_output(flags.json, report::run_json(result.report), closed_pipe);
    if (!problem.empty()) run.fail(problem);
  }
  if (flags.requires_launch && !launched_any(result.report)) {
    run.warn("no kernel ran, and --require-launch was given");
    if (result.exit_code == 0) run.exit_with(objection);
  }
}

}  // namespace

void add_run(Program& program) {
  auto flags = std::make_shared<RunFlags>();
  CLI::App& app = program.add(
      {.name = "run",
       .summary = "runs a program that loads PTX, and says which check failed when a kernel traps",
       .examples = {"ptxscope run -- ./app --size 1000",
                    "ptxscope run --require-launch --json run.json -- python3 train.py", "ptxscope run -v -- ./app"},
       .words = "-- COMMAND..."},
      [flags](Run& run) { run_program(run, *flags); });
  app.add_option("--json", flags->json, "also all that was seen, as JSON, into this file")->type_name("FILE");
  app.add_option("--names", flags->names, "names for the kernels' arguments, in their order: a,b,c or a,,c")
      ->type_name("NAMES");
  app.add_flag("--require-launch", flags->requires_launch, "exit code 1 if the command ends well and no kernel ran");
  app.add_flag("-q,--quiet", flags->is_quiet, "not a word about the run");
  app.add_flag("-v,--verbose", flags->is_verbose, "also each module loaded and each kernel launched");
  app.add_flag("--no-record", flags->only_observes, "load modules as they are; only say what was loaded and launched");
  app.add_flag("--triton-cache", flags->triton_cache,
               "machine code that lies in Triton's cache: load the PTX beside it, recording");
}

}  // namespace ptxscope::cli
