// ptxscope stats: counts of each function and in total, of one file or several side by side.
#include <CLI/App.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "cli/command.h"
#include "cli/help.h"
#include "cli/kernel_names.h"
#include "cli/ptxas.h"
#include "isa/targets.h"
#include "report/stats.h"

namespace ptxscope::cli {

namespace {

struct StatsFlags {
  std::vector<std::string> kernels, targets;
  std::string sort, live, ptxas;
  bool csv = false;
  bool opcodes = false;
  bool checks = false;
  std::optional<unsigned> seconds;
};

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text;
}

// What the flags say, checked before any file is read. False: reported.
bool understand(Run& run, const StatsFlags& flags) {
  const std::vector<std::string> keys = report::stats_keys();
  if (!flags.sort.empty() && std::ranges::find(keys, flags.sort) == keys.end()) {
    const std::string guess = nearest(flags.sort, keys);
    run.fail("--sort " + flags.sort + ": there is no such count" +
             (guess.empty() ? "" : "; did you mean " + guess + "?") + " (there are " + joined(keys) + ")");
    return false;
  }
  if (!flags.live.empty() && flags.live != "column" && flags.live != "table") {
    run.fail("--live=" + flags.live + ": must be column or table");
    return false;
  }
  if (!flags.targets.empty() && flags.ptxas.empty()) {
    run.fail("--target is what ptxas compiles for: it needs --ptxas");
    return false;
  }
  if (flags.seconds && flags.ptxas.empty()) {
    run.fail("--seconds is how long ptxas may take: it needs --ptxas");
    return false;
  }
  for (const std::string& target : flags.targets) {
    if (isa::find_target(target)) continue;
    std::vector<std::string> known;
    for (const isa::Target& one : isa::targets()) known.emplace_back(one.name);
    const std::string guess = nearest(target, known);
    run.fail("--target " + target + ": there is no such .target" +
             (guess.empty() ? "" : "; did you mean " + guess + "?") + " (ptxscope targets lists all)");
    return false;
  }
  if (flags.csv && run.is_json()) {
    run.fail("--csv and --format json are two formats; choose one");
    return false;
  }
  if ((flags.csv || run.format() == "csv") && !flags.live.empty()) {
    run.fail("--live is about each instruction, and --csv has a row for each function; --format json has both");
    return false;
  }
  return true;
}

void compile(Run& run, const StatsFlags& flags, const std::string& ptxas, const Module& module,
             report::FileStats& file) {
  std::vector<std::string> targets = flags.targets;
  if (targets.empty() && !module.header().targets.empty()) targets.emplace_back(module.header().targets.front());
  if (targets.empty()) run.fail(module.file_name() + ": has no .target; say what ptxas is to compile for, by --target");
  const bool has_kernel = std::ranges::any_of(module.functions(), [](const Function& function) {
    return function.has_body && function.kind == FunctionKind::entry;
  });
  constexpr unsigned usual_seconds = 120;
  for (const std::string& target : targets) {
    PtxasAnswer answer =
        ask_ptxas(ptxas, module.text(), module.file_name(), target, flags.seconds.value_or(usual_seconds));
    if (answer.error.empty() && answer.compiled.accepted && answer.compiled.kernels.empty() && has_kernel)
      answer.error = ptxas + ": ended well with " + module.file_name() + ", " + target +
                     ", but said nothing of its kernels, as ptxas -v does; --ptxas=PATH names another program";
    if (!answer.error.empty()) {
      run.fail(answer.error);
      continue;
    }
    if (!answer.compiled.accepted) run.object();
    file.compiled.push_back(std::move(answer.compiled));
  }
}

// What is found out of a module before anything is said of it.
struct Findings {
  std::vector<Diagnostic> checks;
  report::FileStats file;
};

Findings count(const StatsFlags& flags, const Module& module, unsigned jobs) {
  Findings findings{cheap_checks(module, jobs), {}};
  report::FileStats& file = findings.file;
  file.counts = analysis::count_module(module, flags.kernels, jobs);
  if (!flags.live.empty()) {
    const auto reporter = std::make_shared<analysis::LiveReporter>(module);
    file.live = [reporter](std::uint32_t function) { return reporter->of(function); };
  }
  if (flags.checks) file.safety = analysis::find_safety_branches(module, flags.kernels, {});
  return findings;
}

// Patterns, and the files that have nothing of that name.
using Missing = std::map<std::string, std::vector<std::string>>;

// A pattern that names something in some of the files; KernelNames speaks of those that name nothing in any.
void warn_of(Run& run, const Missing& missing, std::size_t modules) {
  for (const auto& [pattern, files] : missing) {
    if (files.size() == modules) continue;
    for (const std::string& file : files) run.warn(file + ": --kernel " + pattern + ": nothing in it is called that");
  }
}

void write_stats(Run& run, const StatsFlags& flags) {
  if (!understand(run, flags)) return;
  const std::string ptxas = flags.ptxas.empty() ? "" : find_ptxas(flags.ptxas);
  if (ptxas.empty() && !flags.ptxas.empty()) {
    run.fail("--ptxas: " + (flags.ptxas == "ptxas"
                                ? std::string("no ptxas in PATH, $CUDA_PATH/bin or /usr/local/cuda/bin; "
                                              "--ptxas=PATH says where it is")
                                : flags.ptxas + ": no program is there"));
    return;
  }
  const bool is_csv = flags.csv || run.format() == "csv";
  const bool is_single = run.options().files.size() == 1;
  report::StatsTextOptions text;
  text.style = run.style();
  text.sort = flags.sort;
  text.opcodes = flags.opcodes;
  text.live = flags.live == "table"    ? report::LiveView::table
              : flags.live == "column" ? report::LiveView::column
                                       : report::LiveView::none;
  text.selects = !flags.kernels.empty();
  KernelNames names(flags.kernels);
  std::vector<report::FileStats> files;
  std::string single;  // what is said of one file that is the only one
  std::string parts;   // of several files: what is said of each by itself
  Missing missing;
  std::size_t modules = 0;
  const auto look = [&](const Module& module, unsigned jobs) { return count(flags, module, jobs); };
  run.each_module<Findings>(look, [&](const Module& module, Findings& findings) -> std::string {
    ++modules;
    names.look_into(module);
    const std::vector<Diagnostic>& found = findings.checks;
    run.report_all(module, found);
    report::FileStats& file = findings.file;
    if (!ptxas.empty()) compile(run, flags, ptxas, module, file);
    for (const std::string& pattern : file.counts.unmatched) missing[pattern].push_back(file.counts.file);
    const bool is_empty = file.counts.functions.empty() && !flags.kernels.empty() && is_single;
    if (run.is_json())
      return is_empty ? "" : run.document([&](const report::Sink& sink) {
        report::stats_json(sink, module, file, flags.sort, found);
      });
    if (run.has_one_document() && !is_csv)
      return is_empty ? ""
                      : run.document([&](const report::Sink& sink) { report::stats_text(sink, module, file, text); });
    // Of standard input there may be several modules; that shows at the end.
    if (!is_csv) {
      const std::string part = report::stats_parts(module, file, text);
      if (is_single && !is_empty && modules == 1) single = report::stats_summary(module, file, text) + part;
      if (!part.empty()) parts += report::stats_heading(file, text) + part;
    }
    file.live = nullptr;
    if (!is_csv) file.safety.clear();
    files.push_back(std::move(file));
    return {};
  });
  names.report(run);
  warn_of(run, missing, modules);
  if (run.is_json() || files.empty()) return;
  if (is_csv) run.add_document(report::stats_csv(files, flags.sort, flags.opcodes));
  else if (!is_single || files.size() > 1) run.add_document(report::stats_comparison(files, text) + parts);
  else if (!single.empty()) run.add_document(std::move(single));
}

}  // namespace

void add_stats(Program& program) {
  auto flags = std::make_shared<StatsFlags>();
  CLI::App& app = program.add(
      {.name = "stats",
       .summary = "counts of each function: instructions, branches, registers, memory; several files side by side",
       .formats = {"text", "json", "csv"},
       .examples = {"ptxscope stats kernel.ptx", "ptxscope stats --sort max_live --csv *.ptx",
                    "ptxscope stats --checks rust.ptx cuda.ptx",
                    "ptxscope stats --live=table --kernel 'vec*' kernel.ptx",
                    "ptxscope stats --ptxas --target sm_80 --target sm_90 kernel.ptx"},
       .takes_jobs = true},
      [flags](Run& run) { write_stats(run, *flags); });
  app.add_option("--kernel", flags->kernels, "only functions of this name, mangled or demangled; * stands for anything")
      ->type_name("NAME");
  app.add_option("--sort", flags->sort, "functions in this order: name, or a count (called as in --csv), largest first")
      ->type_name("KEY");
  app.add_flag("--csv", flags->csv, "the same as --format csv: a row for each function");
  app.add_flag("--opcodes", flags->opcodes, "also how often each opcode stands there");
  app.add_flag("--checks", flags->checks,
               "also what each branch is for: the bounds check of which slice, a null check, or neither");
  app.add_flag("--live{column}", flags->live,
               "also the registers live at each instruction, and what lives longest where most are; --live=table: a "
               "mark for each register");
  app.add_flag("--ptxas{ptxas}", flags->ptxas,
               "also what ptxas makes of each kernel: registers, spills, stack, shared and constant bytes; "
               "--ptxas=PATH names the program");
  app.add_option("--target", flags->targets, "what ptxas compiles for; several times: each (default: the module's)")
      ->type_name("TARGET");
  app.add_option("--seconds", flags->seconds, "how long ptxas may take for one module and target (default: 120)")
      ->type_name("N");
}

}  // namespace ptxscope::cli
