// ptxscope load: the module on the device: time, the driver's messages, what each kernel uses.
#include "driver/load.h"

#include <CLI/App.hpp>
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <optional>

#include "analysis/check.h"
#include "analysis/names.h"
#include "cli/command.h"
#include "cli/kernel_names.h"
#include "isa/releases.h"
#include "report/check_parts.h"
#include "report/load.h"

namespace ptxscope::cli {

namespace {

struct LoadFlags {
  int device = 0;
  unsigned repeat = 1;
  std::vector<std::string> kernels, blocks;
  long long shared = 0;
  bool all_kernels = false;
};

// "256" and "16x16", up to three axes, in threads; nullopt: neither.
std::optional<unsigned> threads_of(std::string_view text) {
  constexpr unsigned most = 1U << 16;
  unsigned threads = 1;
  unsigned axes = 0;
  for (;;) {
    const std::size_t end = std::min(text.find('x'), text.size());
    unsigned number = 0;
    const auto [stop, error] = std::from_chars(text.data(), text.data() + end, number);
    if (error != std::errc{} || stop != text.data() + end || number == 0 || number > most) return std::nullopt;
    threads *= number;
    if (threads > most) return std::nullopt;
    if (end == text.size()) return threads;
    if (++axes == 3) return std::nullopt;
    text.remove_prefix(end + 1);
  }
}

// False: reported.
bool understand(Run& run, const LoadFlags& flags, driver::LoadOptions& options) {
  options.device = flags.device;
  options.repeat = flags.repeat;
  if (flags.device < 0) {
    run.fail("--device " + std::to_string(flags.device) + ": GPUs are numbered from 0");
    return false;
  }
  if (flags.shared < 0 || flags.shared > UINT32_MAX) {
    run.fail("--shared " + std::to_string(flags.shared) + ": expected bytes of a block's shared memory, 0 or more");
    return false;
  }
  options.dynamic_shared = static_cast<std::size_t>(flags.shared);
  if (flags.repeat < 1 || flags.repeat > 1000) {
    run.fail("--repeat " + std::to_string(flags.repeat) + ": from 1 to 1000");
    return false;
  }
  for (const std::string& list : flags.blocks) {
    for (std::size_t at = 0; at <= list.size();) {
      const std::size_t end = std::min(list.find(',', at), list.size());
      const std::string one = list.substr(at, end - at);
      const auto threads = threads_of(one);
      if (!threads) {
        run.fail("--block " + list + ": " + (one.empty() ? "nothing" : one) +
                 " is no block size; expected threads, 256, or 16x16, or 8x8x4");
        return false;
      }
      options.blocks.push_back(*threads);
      at = end + 1;
    }
  }
  return true;
}

// What check has against the module on this driver and device.
analysis::CheckReport reasons_of(const Module& module, const driver::DeviceInfo& device) {
  analysis::CheckQuestion question;
  const isa::CudaVersion cuda{static_cast<std::uint16_t>(device.cuda_major),
                              static_cast<std::uint16_t>(device.cuda_minor)};
  const isa::Release* newest = nullptr;
  for (const isa::Release& release : isa::releases())
    if (release.cuda != isa::CudaVersion{} && release.cuda <= cuda) newest = &release;
  if (newest != nullptr && cuda <= isa::releases().back().cuda)
    question.readers.push_back({"this machine's driver (CUDA " + isa::to_string(cuda) + ")", newest->ptx, true});
  question.devices.push_back({device.name, device.capability});
  return analysis::check(module, question);
}

void load_files(Run& run, const LoadFlags& flags) {
  driver::LoadOptions options;
  if (!understand(run, flags, options)) return;
  // Opened for the first file that can be read: what is wrong with the command line needs no GPU.
  std::optional<driver::Result<driver::Session>> session;
  KernelNames names(flags.kernels);
  run.each_module([&](const Module& module) {
    names.look_into(module);
    std::vector<std::string> kernels;
    for (const Function& function : module.functions()) {
      if (function.kind != FunctionKind::entry || !function.has_body) continue;
      const std::string name(module.name(function.name));
      const bool is_wanted =
          flags.kernels.empty() || std::ranges::any_of(flags.kernels, [&](const std::string& pattern) {
            return analysis::matches_name(pattern, name);
          });
      if (is_wanted) kernels.push_back(name);
    }
    if (!session) {
      session.emplace(driver::open_for_loading(flags.device));
      if (!*session) run.fail(session->error.sentence);
    }
    if (!*session) return std::string();
    report::LoadedFile file;
    file.load = driver::load(**session, std::string(module.text()), kernels, options);
    constexpr std::size_t shown = 20;
    if (!flags.all_kernels && kernels.size() > shown)
      file.kernels_left_out.assign(kernels.begin() + shown, kernels.end());
    std::vector<Diagnostic> diagnostics = report::jit_diagnostics(module, file.load.log);
    if (!file.load.is_loaded && !file.load.is_refused()) {
      run.fail(module.file_name() + ": " + file.load.error.sentence);
      return run.is_json() ? report::load_json(module, file) : std::string();
    }
    if (!file.load.is_loaded) {
      run.object();
      file.reasons = reasons_of(module, file.load.device);
      const std::vector<Diagnostic> reasons = report::all_diagnostics(module, *file.reasons);
      diagnostics.insert(diagnostics.end(), reasons.begin(), reasons.end());
    }
    if (run.is_json()) return report::load_json(module, file);
    run.report(module, diagnostics);
    return report::load_text(module, file, run.style());
  });
  names.report(run);
}

}  // namespace

void add_load(Program& program) {
  const auto flags = std::make_shared<LoadFlags>();
  CLI::App& app = program.add(
      {.name = "load",
       .summary = "loads a module on the GPU: time, the driver's messages, registers, spills, occupancy of each kernel",
       .formats = {"text", "json"},
       .examples = {"ptxscope load kernel.ptx", "ptxscope load --block 128,256,1024 kernel.ptx",
                    "ptxscope load --repeat 9 --kernel 'vec*' --format json kernel.ptx"}},
      [flags](Run& run) { load_files(run, *flags); });
  app.add_option("--device", flags->device, "the GPU, as CUDA numbers them (default: 0)")->type_name("N");
  app.add_option("--kernel", flags->kernels, "only kernels of this name, mangled or demangled; * stands for anything")
      ->type_name("NAME");
  app.add_flag("--all-kernels", flags->all_kernels, "list all kernels, not only the first 20");
  app.add_option("--block", flags->blocks, "occupancy for blocks of so many threads: 256, 16x16, 128,256,512")
      ->type_name("SIZES");
  app.add_option("--shared", flags->shared, "dynamic shared memory of a block for that, in bytes (default: 0)")
      ->type_name("BYTES");
  app.add_option("--repeat", flags->repeat, "load it so often, and tell the median time (default: 1)")->type_name("N");
}

}  // namespace ptxscope::cli
