// ptxscope run: a program with the driver watched, and traps explained.
#include "report/run.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iostream>

#include "cli/command.h"
#include "cli/launch_words.h"
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

// Without -o all goes to standard error: what the command prints is its own.
report::TextStyle error_style(const Run& run) {
  report::TextStyle style = run.style();
  if (run.options().output.empty() && run.options().color == "auto" && isatty(STDERR_FILENO) == 0) style.color = false;
  return style;
}

// --require-launch, of a command that ended well.
void require_launch(Run& run, const analysis::RunReport& report, int command_status) {
  if (report.verdict == analysis::LaunchVerdict::launched) return;
  const bool is_known = report.verdict == analysis::LaunchVerdict::nothing_launched;
  if (is_known) run.warn("no kernel ran, and --require-launch was given");
  else
    run.warn(
        "whether a kernel ran cannot be told, and --require-launch was given; what was not watched is said without "
        "--quiet and by --json");
  if (command_status == 0) run.exit_with(is_known ? objection : failure);
}

// All of --names. With a `problem`: bad usage.
std::vector<std::string> names_of(const std::vector<std::string>& lists, std::string& problem) {
  std::vector<std::string> names;
  for (const std::string& list : lists)
    for (std::string& name : split_names(list)) {
      if (!name.empty() && std::ranges::find(names, name) != names.end())
        problem = "--names " + list + ": two arguments would be called " + name + "; give each a name of its own";
      names.push_back(std::move(name));
    }
  return names;
}

// What of the flags does not go together, or names what cannot be written; empty: all well. A run may take hours, and may
// not be possible twice: that is said before.
std::string misuse(const Run& run, const RunFlags& flags) {
  const std::string& output = run.options().output;
  if (run.options().words.empty())
    return "no command: say what to run after --, as in ptxscope run -- ./app --size 1000";
  if (!output.empty() && flags.is_quiet)
    return "-o " + output + " and --quiet: with --quiet there is nothing to write; leave one of them out";
  if (!output.empty() && output == flags.json)
    return "-o and --json both name " + output + "; give each a file of its own";
  for (const std::string& path : {output, flags.json}) {
    std::string problem = path.empty() ? std::string() : why_not_written(path);
    if (!problem.empty()) return problem;
  }
  return {};
}

// What is said about the run: to standard error, while it is on, or to -o, at its end.
class Told {
 public:
  explicit Told(Run& run) : run_(run), style_(error_style(run)) {}
  [[nodiscard]] const report::TextStyle& style() const { return style_; }
  void add(std::string text) {
    if (run_.options().output.empty()) say(text);
    else text_ += text;
  }
  void finish() {
    if (!run_.options().output.empty()) write(run_, run_.take_output(), text_);
  }
  // The command's exit status stays, whatever becomes of what is written about it.
  static void write(Run& run, const std::string& path, std::string_view text) {
    bool closed_pipe = false;
    if (const std::string problem = write_output(path, text, closed_pipe); !problem.empty()) run.warn(problem);
  }

 private:
  Run& run_;
  report::TextStyle style_;
  std::string text_;
};

void run_program(Run& run, const RunFlags& flags) {
  driver::RunOptions options;
  options.command = run.options().words;
  options.record = !flags.only_observes;
  options.triton_cache = flags.triton_cache;
  std::string problem;
  options.names = names_of(flags.names, problem);
  if (problem.empty()) problem = misuse(run, flags);
  if (!problem.empty()) return run.fail(problem);
  options.preload = driver::find_preload();
  const bool reads_all = flags.is_verbose || !flags.json.empty() || !options.names.empty();
  if (reads_all) options.code_bytes = std::uint64_t{64} << 20U;
  if (options.preload.empty())
    return run.fail(
        "libptxscope-preload.so was not found beside the executable or in ../lib/ptxscope; PTXSCOPE_PRELOAD says where "
        "it is");
  Told told(run);
  if (!flags.is_quiet)
    options.on_trap = [&](const analysis::RunReport& so_far, const analysis::RunTrap& trap) {
      told.add(report::run_trap_text(so_far, trap, told.style()));
    };
  const driver::RunResult result = driver::run_command(options);
  if (!result.error.empty()) {
    run.fail(result.error);
    return run.exit_with(result.exit_code);
  }
  run.exit_with(result.exit_code);
  if (!flags.is_quiet) told.add(report::run_summary_text(result.report, told.style(), flags.is_verbose));
  told.finish();
  if (!flags.json.empty()) Told::write(run, flags.json, report::run_json(result.report));
  if (flags.requires_launch) require_launch(run, result.report, result.exit_code);
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
  app.add_option("--json", flags->json, "also write all that was seen, as JSON")->type_name("FILE");
  app.add_option("--names", flags->names, "names for the kernels' arguments, in their order: a,b,c or a,,c")
      ->type_name("NAMES");
  app.add_flag("--require-launch", flags->requires_launch,
               "exit status 1 if the command ends well and no kernel ran, 2 if that cannot be told");
  app.add_flag("-q,--quiet", flags->is_quiet, "say nothing about the run, not even a trap");
  app.add_flag("-v,--verbose", flags->is_verbose, "also say what became of each module and each kernel");
  app.add_flag("--no-record", flags->only_observes, "load modules as they are; only say what was loaded and launched");
  app.add_flag("--triton-cache", flags->triton_cache,
               "machine code that lies in Triton's cache: load the PTX beside it, recording");
  app.get_option("--output")->description("write what is said to FILE, at the end, not to standard error");
  app.footer(app.get_footer() +
             "\nexit status\n"
             "  that of COMMAND; 128+N where signal N ended it; 127 and 126 where it was not found or\n"
             "  could not be started; 2 where run itself could not be carried out\n");
}

}  // namespace ptxscope::cli
