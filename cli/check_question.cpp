#include "cli/check_question.h"

#include <algorithm>

#include "cli/suggest.h"
#include "driver/device.h"
#include "isa/devices.h"
#include "isa/releases.h"

namespace ptxscope::cli {

namespace {

void ask_target(const std::string& text, AskedCheck& asked) {
  asked.question.target = isa::find_target(text);
  if (asked.question.target) return;
  asked.error =
      "target " + text + ": there is no such .target" + suggest_target(text) + " (ptxscope targets lists all)";
}

void ask_isa(const std::string& text, AskedCheck& asked) {
  asked.question.version = read_version(text);
  if (asked.question.version) return;
  asked.error = "isa " + text + ": there is no such PTX ISA version" + suggest_version(text) +
                " (known: " + to_string(isa::versions().front()) + " to " + to_string(isa::versions().back()) +
                "; ptxscope releases lists all)";
}

void ask_cuda(const std::string& text, AskedCheck& asked) {
  const auto version = isa::parse_cuda_version(text);
  const isa::Release* const release = version ? isa::find_release(*version) : nullptr;
  if (release == nullptr) {
    std::vector<std::string> known;
    for (const isa::Release& one : isa::releases())
      if (one.cuda != isa::CudaVersion{}) known.push_back(to_string(one.cuda));
    asked.error =
        "cuda " + text + ": no such release is known" + suggest_number(text, known) + " (ptxscope releases lists all)";
    return;
  }
  asked.words.cuda = to_string(release->cuda);
  asked.words.remarks.push_back("CUDA " + *asked.words.cuda + " takes PTX up to " + to_string(release->ptx));
  asked.question.readers.push_back({"CUDA " + *asked.words.cuda, release->ptx, false});
}

void ask_driver(const std::string& text, AskedCheck& asked) {
  const auto driver = isa::parse_driver_version(text);
  if (!driver) {
    asked.error = "driver " + text +
                  ": not a driver's version; expected what nvidia-smi shows, as in 570.86.10 or "
                  "595.97, or a branch, as in 570";
    return;
  }
  const isa::DriverSupport support = isa::support_of(*driver);
  if (support.release == nullptr) {
    asked.error = "driver " + text + ": older than every driver whose PTX ISA is known (ptxscope releases lists all)";
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

void ask_number(const std::string& text, AskedCheck& asked) {
  std::optional<unsigned> number = isa::parse_capability(text);
  if (const auto target = read_target(text); !number && target) number = isa::targets()[*target].number;
  const isa::Device* const device = number ? isa::find_device(*number) : nullptr;
  if (device == nullptr) {
    std::vector<std::string> known;
    for (const isa::Device& one : isa::devices()) known.push_back(isa::capability_of(one.number));
    asked.error = "device=" + text + ": no device of such a compute capability is known" + suggest_number(text, known) +
                  " (known: " + known.front() + " to " + known.back() + ")";
    return;
  }
  asked.question.devices.push_back({"", device->number});
  asked.words.devices.push_back("compute capability " + isa::capability_of(device->number) + " (" +
                                std::string(device->architecture) + ")");
}

void ask_machine(AskedCheck& asked) {
  const driver::MachineResult found = driver::this_machine();
  if (!found.error.empty()) {
    asked.error = "device: " + found.error;
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
    asked.error = "device: this machine's driver is of CUDA " + cuda + ", of which nothing is known";
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

}  // namespace

AskedCheck understand(const CheckRequest& request) {
  AskedCheck asked;
  if (!request.target.empty()) ask_target(request.target, asked);
  if (asked.error.empty() && !request.isa.empty()) ask_isa(request.isa, asked);
  if (asked.error.empty() && !request.cuda.empty()) ask_cuda(request.cuda, asked);
  if (asked.error.empty() && !request.driver.empty()) ask_driver(request.driver, asked);
  if (asked.error.empty() && request.device == "this") ask_machine(asked);
  else if (asked.error.empty() && !request.device.empty()) ask_number(request.device, asked);
  return asked;
}

}  // namespace ptxscope::cli
