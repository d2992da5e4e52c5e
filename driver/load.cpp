#include "driver/load.h"

#include <algorithm>
#include <cstdlib>

#include "isa/targets.h"

namespace ptxscope::driver {

namespace {

// A module with nothing in it, of the device's own target.
void start_compiler(const Session& session) {
  const std::string target = "sm_" + std::to_string(session.device().capability);
  const auto index = isa::find_target(target);
  const std::string version = index ? isa::to_string(isa::targets()[*index].lowest) : "6.0";
  (void)session.load(".version " + version + "\n.target " + (index ? target : "sm_50") + "\n.address_size 64\n");
}

Occupancy occupancy_of(const Session& session, FunctionHandle function, unsigned block, std::size_t dynamic_shared) {
  Occupancy result;
  result.block = block;
  result.threads_at_most = session.attribute(DeviceAttribute::max_threads_per_multiprocessor);
  const int most = session.attribute(function, FunctionAttribute::max_threads_per_block);
  if (block == 0 || static_cast<long long>(block) > most) return result;
  int blocks = 0;
  const Status status =
      session.cuda().occupancy_max_active_blocks(&blocks, function, static_cast<int>(block), dynamic_shared);
  if (status == Status::success) result.blocks = blocks;
  return result;
}

LoadedKernel describe(const Session& session, const LoadedModule& module, const std::string& name,
                      const LoadOptions& options) {
  LoadedKernel kernel;
  kernel.name = name;
  const auto function = session.function(module, name);
  if (!function) {
    kernel.error = function.error.sentence;
    return kernel;
  }
  const auto ask = [&](FunctionAttribute attribute) { return session.attribute(*function, attribute); };
  kernel.registers = ask(FunctionAttribute::registers);
  kernel.local_bytes = ask(FunctionAttribute::local_bytes);
  kernel.shared_bytes = ask(FunctionAttribute::shared_bytes);
  kernel.const_bytes = ask(FunctionAttribute::const_bytes);
  kernel.max_threads = ask(FunctionAttribute::max_threads_per_block);
  kernel.ptx_version = ask(FunctionAttribute::ptx_version);
  kernel.binary_version = ask(FunctionAttribute::binary_version);
  // More than 48 KiB must be asked for (CUDA C++ Programming Guide, "Shared Memory").
  const auto shared = static_cast<int>(std::min<std::size_t>(options.dynamic_shared, std::size_t{1} << 30));
  if (shared > ask(FunctionAttribute::max_dynamic_shared_bytes) && session.cuda().func_set_attribute != nullptr)
    (void)session.cuda().func_set_attribute(*function, FunctionAttribute::max_dynamic_shared_bytes, shared);
  for (const unsigned block : options.blocks)
    kernel.occupancy.push_back(occupancy_of(session, *function, block, options.dynamic_shared));
  return kernel;
}

double median_of(std::vector<double> numbers) {
  if (numbers.empty()) return 0;
  std::ranges::sort(numbers);
  const std::size_t half = numbers.size() / 2;
  return numbers.size() % 2 == 1 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

}  // namespace

double Occupancy::share() const {
  constexpr unsigned warp = 32;
  if (threads_at_most <= 0) return 0;
  return static_cast<double>(blocks) * ((block + warp - 1) / warp * warp) / threads_at_most;
}

double LoadReport::median() const { return median_of(milliseconds); }

bool LoadReport::is_refused() const {
  constexpr Status of_module[] = {Status::invalid_image,           Status::no_binary_for_gpu, Status::invalid_ptx,
                                  Status::unsupported_ptx_version, Status::invalid_source,    Status::symbol_not_found,
                                  Status::unsupported_devside_sync};
  return !is_loaded && std::ranges::find(of_module, error.status) != std::end(of_module);
}

Result<Session> open_for_loading(int device) {
#ifdef _WIN32
  ::_putenv_s("CUDA_MODULE_LOADING", "EAGER");
#else
  ::setenv("CUDA_MODULE_LOADING", "EAGER", 1);
#endif
  Result<Session> session = Session::open(device);
  if (session) start_compiler(*session);
  return session;
}

LoadReport load(const Session& session, const std::string& ptx, const std::vector<std::string>& kernels,
                const LoadOptions& options) {
  LoadReport report;
  report.device = session.device();
  std::vector<double> compiling;
  for (unsigned round = 0; round < std::max(options.repeat, 1U); ++round) {
    LoadOutcome outcome = session.load(ptx);
    if (outcome.error.failed()) {
      report.is_loaded = false;
      report.error = std::move(outcome.error);
    } else {
      report.is_loaded = true;
      report.milliseconds.push_back(outcome.milliseconds);
      compiling.push_back(outcome.compiler_milliseconds);
    }
    if (round == 0 || outcome.module.get() == nullptr) {
      report.log = read_jit_log(outcome.info_log, outcome.error_log);
      report.raw_log = outcome.error_log + outcome.info_log;
      report.log_is_cut = outcome.log_is_cut;
    }
    if (!report.is_loaded) break;
    if (round == 0)
      for (const std::string& name : kernels)
        report.kernels.push_back(describe(session, outcome.module, name, options));
  }
  report.compiler_milliseconds = median_of(std::move(compiling));
  return report;
}

}  // namespace ptxscope::driver
