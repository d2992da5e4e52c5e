// ptxscope check: what a module needs, and whether it fits a target, a CUDA release, a driver, a device.
#include "analysis/check.h"

#include <CLI/App.hpp>
#include <algorithm>

#include "cli/command.h"
#include "cli/suggest.h"
#include "driver/device.h"
#include "isa/devices.h"
#include "isa/releases.h"
#include "report/check.h"

namespace ptxscope::cli {

namespace {

struct CheckFlags {
  std::string target, isa, cuda, driver, device;
  bool all = false;
};

// The flags understood; `error`: a sentence.
struct Asked {
  analysis::CheckQuestion question;
  report::CheckWords words;
  std::string error;
};

void ask_target(const std::string& text, Asked& asked) {
  asked.question.target = isa::find_target(text);
  if (asked.question.target) return;
  asked.error =
      "--target " + text + ": there is no such .target" + suggest_target(text) + " (ptxscope targets lists all)";
}

void ask_isa(const std::string& text, Asked& asked) {
  asked.question.version = read_version(text);
  if (asked.question.version) return;
  asked.error = "--isa " + text + ": there is no such PTX ISA version" + suggest_version(text) +
                " (known: " + to_string(isa::versions().front()) + " to " + to_string(isa::versions().back()) +
                "; ptxscope releases lists all)";
}

void ask_cuda(const std::string& text, Asked& asked) {
  const auto version = isa::parse_cuda_version(text);
  const isa::Release* const release = version ? isa::find_release(*version) : nullptr;
  if (release == nullptr) {
    std::vector<std::string> known;
    for (const isa::Release& one : isa::releases())
      if (one.cuda != isa::CudaVersion{}) known.push_back(to_string(one.cuda));
    asked.error = "--cuda " + text + ": no such release is known" + suggest_number(text, known) +
                  " (ptxscope releases lists all)";
    return;
  }
  asked.words.cuda = to_string(release->cuda);
  asked.words.remarks.push_back("CUDA " + *asked.words.cuda + " takes PTX up to " + to_string(release->ptx));
  asked.question.readers.push_back({"CUDA " + *asked.words.cuda, release->ptx, false});
}

void ask_driver(const std::string& text, Asked& asked) {
  const auto driver = isa::parse_driver_version(text);
  if (!driver) {
    asked.error = "--driver " + text +
                  ": not a driver's version; expected what nvidia-smi shows, as in 570.86.10 or "
                  "595.97, or a branch, as in 570";
    return;
  }
  const isa::DriverSupport support = isa::support_of(*driver);
  if (support.release == nullptr) {
    asked.error = "--driver " + text + ": older than every driver whose PTX ISA is known (ptxscope releases lists all)";
    return;
  }
  using Platform = isa::DriverSupport::Platform;
  const isa::Release& release = *support.release;
  // As it was given, but for a letter before it: "999.1" is not 999.01 to who wrote it.
  asked.words.driver = text.substr(text.find_first_of("0123456789"));
  std::string remark = "driver " + *asked.words.driver;
  if (support.platform == Platform::windows) remark += " (a Windows number)";
  if (support.platform == Platform::linux_os) remark += " (a Linux number)";
  remark += " is of " + name_of(release) + ", branch R" + std::to_string(release.branch) + ": it takes PTX up to " +
            to_string(release.ptx);
  if (support.at_least) remark += ", or more: it is newer than every branch known here";
  if (support.preview) remark += "; it is older than the first driver that was released with it";
  asked.words.remarks.push_back(remark);
  asked.question.readers.push_back({"driver " + *asked.words.driver, release.ptx, true});
}

void ask_number(const std::string& text, Asked& asked) {
  std::optional<unsigned> number = isa::parse_capability(text);
  if (const auto target = read_target(text); !number && target) number = isa::targets()[*target].number;
  const isa::Device* const device = number ? isa::find_device(*number) : nullptr;
  if (device == nullptr) {
    std::vector<std::string> known;
    for (const isa::Device& one : isa::devices()) known.push_back(isa::capability_of(one.number));
    asked.error = "--device=" + text + ": no device of such a compute capability is known" +
                  suggest_number(text, known) + " (known: " + known.front() + " to " + known.back() + ")";
    return;
  }
  asked.question.devices.push_back({"", device->number});
  asked.words.devices.push_back("compute capability " + isa::capability_of(device->number) + " (" +
                                std::string(device->architecture) + ")");
}

void ask_machine(Asked& asked) {
  const driver::MachineResult found = driver::this_machine();
  if (!found.error.empty()) {
    asked.error = "--device: " + found.error;
    return;
  }
  const driver::Machine& machine = found.machine;
  const std::string cuda = std::to_string(machine.cuda_major) + "." + std::to_string(machine.cuda_minor);
  const isa::CudaVersion version{static_cast<std::uint16_t>(machine.cuda_major),
                                 static_cast<std::uint16_t>(machine.cuda_minor)};
  // The newest release that is not newer than the driver's own.
  const isa::Release* newest = nullptr;
  for (const isa::Release& release : isa::releases())
    if (release.cuda != isa::CudaVersion{} && release.cuda <= version) newest = &release;
  if (newest == nullptr) {
    asked.error = "--device: this machine's driver is of CUDA " + cuda + ", of which nothing is known";
    return;
  }
  asked.words.driver = machine.driver.empty() ? "of CUDA " + cuda : machine.driver;
  std::string remark = "this machine's driver is of CUDA " + cuda + " and takes PTX up to " + to_string(newest->ptx);
  if (newest->cuda != version) remark += ", or more: CUDA " + cuda + " is not known here";
  asked.words.remarks.push_back(remark);
  asked.question.readers.push_back({"this machine's driver (CUDA " + cuda + ")", newest->ptx, true});
  for (const driver::Device& device : machine.devices) {
    const std::string words = device.name + ", compute capability " + isa::capability_of(device.capability);
    if (std::find(asked.words.devices.begin(), asked.words.devices.end(), words) != asked.words.devices.end()) continue;
    asked.words.devices.push_back(words);
    asked.question.devices.push_back({device.name, device.capability});
  }
}

Asked understand(const CheckFlags& flags) {
  Asked asked;
  if (!flags.target.empty()) ask_target(flags.target, asked);
  if (asked.error.empty() && !flags.isa.empty()) ask_isa(flags.isa, asked);
  if (asked.error.empty() && !flags.cuda.empty()) ask_cuda(flags.cuda, asked);
  if (asked.error.empty() && !flags.driver.empty()) ask_driver(flags.driver, asked);
  if (asked.error.empty() && flags.device == "this") ask_machine(asked);
  else if (asked.error.empty() && !flags.device.empty()) ask_number(flags.device, asked);
  return asked;
}

std::size_t places_for(const Run& run, const CheckFlags& flags) {
  constexpr std::size_t for_people = 5;
  constexpr std::size_t for_programs = 1000;  // code scanning shows fewer
  if (flags.all) return 0;
  return run.format() == "text" ? for_people : for_programs;
}

void check_files(Run& run, const CheckFlags& flags) {
  const Asked asked = understand(flags);
  if (!asked.error.empty()) {
    run.fail(asked.error);
    return;
  }
  report::SarifLog sarif(PTXSCOPE_VERSION);
  run.each_module([&](const Module& module) {
    const analysis::CheckReport report = analysis::check(module, asked.question, {places_for(run, flags)});
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
                    "ptxscope check --cuda 12.8 --format sarif -o check.sarif *.ptx"}},
      [flags](Run& run) { check_files(run, *flags); });
  app.add_option("--target", flags->target,
                 "would the code be taken if its header said this .target? for example sm_120a")
      ->type_name("TARGET");
  app.add_option("--isa", flags->isa, "the same for .version; for example 8.7")->type_name("VERSION");
  app.add_option("--cuda", flags->cuda, "does ptxas of this CUDA release take it? for example 12.8")
      ->type_name("RELEASE");
  app.add_option("--driver", flags->driver,
                 "does this driver load it? as nvidia-smi shows it, Linux or Windows: 570.86.10, 595.97")
      ->type_name("VERSION");
  app.add_flag(
      "--device{this}", flags->device,
      "does it load and run on this machine's GPU and driver? --device=12.0: on a GPU of that compute capability");
  app.add_flag("--all", flags->all, "every need with all its lines, every target with its version");
}

}  // namespace ptxscope::cli
