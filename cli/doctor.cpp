// ptxscope doctor: what stands between this machine and running PTX; which libNVVM takes a module of NVVM IR.
#include "driver/doctor.h"

#include <CLI/App.hpp>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "cli/command.h"
#include "report/doctor.h"

namespace ptxscope::cli {

namespace {

struct DoctorFlags {
  std::string root;
};

// The text of a file; `error`: a sentence.
std::optional<std::string> read_text(const std::string& path, std::string& error) {
  constexpr std::uintmax_t largest = std::uintmax_t{1} << 30;
  std::error_code code;
  if (!std::filesystem::is_regular_file(path, code)) {
    error = path + ": " + (std::filesystem::exists(path, code) ? "not a file" : "no such file") +
            "; doctor takes NVVM IR in text form (.ll)";
    return std::nullopt;
  }
  if (std::filesystem::file_size(path, code) > largest) {
    error = path + ": larger than 1 GiB; doctor reads only the module's metadata: give it those lines alone";
    return std::nullopt;
  }
  std::ifstream file(path, std::ios::binary);
  std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) {
    error = path + ": cannot be read; may you read it?";
    return std::nullopt;
  }
  return text;
}

void examine(Run& run, const DoctorFlags& flags) {
  if (!flags.root.empty() && !std::filesystem::is_directory(flags.root)) {
    run.fail("--root " + flags.root + ": no such folder; it stands in for /");
    return;
  }
  const std::vector<std::string>& files = run.options().words;
  if (files.size() > 1) {
    run.fail("one module at a time; " + files[1] + " is a second one");
    return;
  }
  report::DoctorReport report;
  if (!files.empty()) {
    std::string error;
    const auto text = read_text(files.front(), error);
    if (text) report.module = driver::read_nvvm_module(files.front(), *text);
    if (report.module && !report.module->error.empty()) error = files.front() + ": " + report.module->error;
    if (!error.empty()) {
      run.fail(error);
      return;
    }
  }
  report.findings = driver::look_around({flags.root, !report.module.has_value()});
  report.checks =
      report.module ? driver::judge_module(report.findings, *report.module) : driver::judge(report.findings);
  if (!driver::all_well(report.checks)) run.object();
  run.add_document(run.is_json() ? report::doctor_json(report) : report::doctor_text(report, run.style()));
}

}  // namespace

void add_doctor(Program& program) {
  const auto flags = std::make_shared<DoctorFlags>();
  CLI::App& app = program.add(
      {.name = "doctor",
       .summary = "what stands between this machine and running PTX: driver, GPUs, toolkits, and what does not match",
       .formats = {"text", "json"},
       .examples = {"ptxscope doctor", "ptxscope doctor --format json", "ptxscope doctor kernel.ll"},
       .words = "[FILE.ll]"},
      [flags](Run& run) { examine(run, *flags); });
  app.add_option("--root", flags->root, "look into FOLDER as if it were /, for example a container's file system")
      ->type_name("FOLDER");
}

}  // namespace ptxscope::cli
