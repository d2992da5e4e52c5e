// ptxscope report: a module, or two and their difference, as one page for a browser.
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <filesystem>
#include <memory>

#include "analysis/diff.h"
#include "analysis/module_report.h"
#include "cli/command.h"
#include "cli/kernel_names.h"
#include "report/page.h"

namespace ptxscope::cli {

namespace {

struct ReportFlags {
  std::vector<std::string> kernels;
};

// Bytes of PTX of the functions that --kernel names: more than of those that nobody asked for.
constexpr std::size_t most_bytes_asked_for = std::size_t{12} << 20;

void write_page(Run& run, const ReportFlags& flags) {
  const std::vector<std::string>& paths = run.options().words;
  if (paths.empty()) {
    run.fail("no file given; name one, or two for their difference (- is standard input)");
    return;
  }
  if (paths.size() > 2) {
    run.fail("a page is of one file, or of two and their difference; " + std::to_string(paths.size()) + " were given");
    return;
  }
  if (paths == std::vector<std::string>{"-", "-"}) {
    run.fail("standard input (-) can be read only once");
    return;
  }
  if (run.options().output.empty() && ::isatty(STDOUT_FILENO) == 1) {
    run.fail("the page is for a browser, not for this terminal; name a file for it: -o report.html");
    return;
  }
  std::array<std::string, 2> file_names;
  std::array<std::optional<TextBuffer>, 2> texts;
  for (std::size_t i = 0; i < paths.size(); ++i) texts[i] = run.read_text(paths[i], file_names[i]);
  std::vector<Module> modules;
  for (std::optional<Module>& module : run.parse_both(std::move(texts), file_names))
    if (module) modules.push_back(std::move(*module));
  if (modules.size() < paths.size()) return;
  const std::string& output = run.options().output;
  for (const Module& module : modules) {
    std::error_code none;
    if (output.empty() || !std::filesystem::equivalent(split_selector(module.file_name()).path, output, none)) continue;
    run.fail("-o " + output + ": this file is read, and would be lost; choose another name");
    return;
  }
  KernelNames names(flags.kernels);
  for (const Module& module : modules) names.look_into(module);
  names.report(run);
  std::vector<analysis::ModuleReport> reports;
  std::vector<report::PageFile> files;
  for (const Module& module : modules) {
    analysis::ModuleReportOptions options;
    options.patterns = flags.kernels;
    options.jobs = run.jobs();
    if (!flags.kernels.empty()) options.most_bytes = most_bytes_asked_for;
    reports.push_back(analysis::report_module(module, options));
    run.report(module, reports.back().check.diagnostics);
  }
  const auto shows_nothing = [](const analysis::ModuleReport& one) { return one.flow.functions.empty(); };
  if (!flags.kernels.empty() && std::ranges::all_of(reports, shows_nothing)) return;
  for (std::size_t i = 0; i < modules.size(); ++i)
    files.push_back({&modules[i], &reports[i], report::draw_functions(modules[i], reports[i].flow)});
  std::optional<analysis::ModuleDiff> diff;
  if (modules.size() == 2) diff = analysis::diff_modules(modules[0], modules[1], {});
  report::PageOptions options;
  options.version = PTXSCOPE_VERSION;
  run.add_document(report::page_html(files, diff ? &*diff : nullptr, options));
}

}  // namespace

void add_report(Program& program) {
  auto flags = std::make_shared<ReportFlags>();
  CLI::App& app = program.add(
      {.name = "report",
       .summary =
           "one page for a browser: traps, control flow, live registers, requirements; of two files the difference",
       .formats = {"html"},
       .examples = {"ptxscope report kernel.ptx -o report.html", "ptxscope report old.ptx new.ptx -o report.html",
                    "ptxscope report --kernel 'scan*' large.ptx -o report.html"},
       .words = "FILE [FILE]",
       .takes_jobs = true},
      [flags](Run& run) { write_page(run, *flags); });
  app.add_option("--kernel", flags->kernels,
                 "show these in full, mangled or demangled; * stands for anything (default: as many as fit, those with "
                 "traps first)")
      ->type_name("NAME");
}

}  // namespace ptxscope::cli
