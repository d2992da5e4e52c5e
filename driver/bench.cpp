#include "driver/bench.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "driver/bench_buffers.h"
#include "driver/bench_timer.h"
#include "driver/clocks.h"
#include "driver/device.h"

namespace ptxscope::driver {

namespace {

using namespace analysis;
using std::chrono::steady_clock;

// Long enough that an event's resolution (half a microsecond) is a two-thousandth.
constexpr double measurement_us = 1000;
constexpr auto warm_up = std::chrono::milliseconds(50);
constexpr auto first_warm_up = std::chrono::milliseconds(400);  // the clocks go up

std::string first_line(std::string_view text) {
  while (text.starts_with('\n')) text.remove_prefix(1);
  return std::string(text.substr(0, text.find('\n')));
}

std::string extents(const std::array<std::uint32_t, 3>& size) {
  std::string text = std::to_string(size[0]);
  for (std::size_t axis = 1; axis < 3; ++axis)
    if (size[1] != 1 || size[2] != 1) text += "," + std::to_string(size[axis]);
  return text;
}

class Bench {
 public:
  Bench(Session session, const BenchRequest& request, BenchMeasurement& measurement)
      : session_(std::move(session)),
        request_(request),
        plan_(*request.plan),
        measurement_(measurement),
        timer_(session_, request.cold, std::chrono::seconds(request.seconds)) {}

  /// A sentence, when nothing can be measured.
  std::string prepare() {
    describe_device();
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i)
      if (std::string sentence = load(i); !sentence.empty()) return sentence;
    return timer_.open().sentence;
  }

  /// False: the measurement has stopped.
  bool measure(std::uint64_t n) {
    launch_ = launch_of(plan_, n);
    BenchSize size;
    size.n = n;
    size.grid = launch_.grid;
    size.block = launch_.block;
    size.bytes = launch_.bytes;
    buffers_ = std::make_unique<BenchBuffers>(session_, plan_, request_.seed);
    const bool keeps = request_.check && plan_.kernels.size() > 1;
    if (Error error = buffers_->make(launch_, keeps); error.failed()) return stop(n, error.sentence);
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) calls_[i] = call_of(i);
    std::string problem = run_once(size);
    if (problem.empty()) problem = take_times(size);
    if (problem.empty()) problem = damage_text(false);
    if (!problem.empty()) return stop(n, problem);
    measurement_.sizes.push_back(std::move(size));
    buffers_.reset();
    return true;
  }
  [[nodiscard]] bool is_stuck() const { return timer_.is_stuck(); }

 private:
  bool stop(std::uint64_t n, std::string sentence) {
    measurement_.stop = BenchStop{n, std::move(sentence)};
    return false;
  }

  void describe_device() {
    const DeviceInfo& info = session_.device();
    BenchDevice& device = measurement_.device;
    device.name = info.name;
    device.capability = std::to_string(info.capability / 10) + "." + std::to_string(info.capability % 10);
    device.cuda = std::to_string(info.cuda_major) + "." + std::to_string(info.cuda_minor);
    device.driver = kernel_module_version("/proc/driver/nvidia/version");
    device.multiprocessors = info.multiprocessors;
    device.l2_bytes = static_cast<std::uint64_t>(std::max(0, session_.attribute(DeviceAttribute::l2_cache_size)));
    std::array<char, 64> bus_id{};
    DeviceHandle handle = 0;
    const Cuda& cuda = session_.cuda();
    if (cuda.device_get(&handle, info.ordinal) == Status::success &&
        cuda.device_get_pci_bus_id(bus_id.data(), static_cast<int>(bus_id.size()), handle) == Status::success)
      clocks_ = std::make_unique<Clocks>(bus_id.data());
  }

  // "A (vecadd of rust.ptx)"
  [[nodiscard]] std::string who(std::size_t i) const {
    return std::string(i == 0 ? "A" : "B") + " (" + plan_.kernels[i].name + " of " + plan_.kernels[i].file + ")";
  }

  std::string load(std::size_t i) {
    LoadOutcome loaded = session_.load(request_.images[i]);
    if (loaded.error.failed()) {
      const std::string reason = first_line(loaded.error_log);
      return who(i) + ": the driver does not take it: " + (reason.empty() ? loaded.error.sentence : reason) +
             "; ptxscope load " + plan_.kernels[i].file + " says more";
    }
    modules_[i] = std::move(loaded.module);
    auto function = session_.function(modules_[i], plan_.kernels[i].name);
    if (!function) return who(i) + ": " + function.error.sentence;
    functions_[i] = *function;
    BenchSubject& subject = i == 0 ? measurement_.a : *measurement_.b;
    subject.registers = static_cast<std::uint64_t>(session_.attribute(*function, FunctionAttribute::registers));
    return {};
  }

  [[nodiscard]] BenchCall call_of(std::size_t i) const {
    BenchCall call{functions_[i], launch_.grid, launch_.block, launch_.shared, launch_.values[i]};
    for (const BenchPlacement& placement : plan_.kernels[i].placements) {
      if (!placement.buffer) continue;
      const DevicePointer address = buffers_->address(*placement.buffer);
      auto& bytes = call.values[placement.parameter];
      for (unsigned k = 0; k < 8 && placement.offset + k < bytes.size(); ++k)
        bytes[placement.offset + k] = static_cast<std::byte>((address >> (8 * k)) & 0xffU);
    }
    return call;
  }

  // What failed, and the call of explain-trap that looks into it.
  [[nodiscard]] std::string failure_text(std::size_t i, const Error& error) const {
    std::string text = who(i) + " with grid " + extents(launch_.grid) + " and block " + extents(launch_.block) +
                       " fails: " + error.sentence;
    if (error.status != Status::launch_failed && error.status != Status::illegal_address &&
        error.status != Status::assert_failed && error.status != Status::misaligned_address)
      return text;
    text += "; look into it by: ptxscope explain-trap --kernel '" + plan_.kernels[i].name + "' --grid " +
            extents(launch_.grid) + " --block " + extents(launch_.block);
    if (!request_.command.empty()) text += " " + request_.command;
    for (const BenchPlacement& placement : plan_.kernels[i].placements) {
      if (placement.buffer) continue;
      std::uint64_t bits = 0;
      const auto& bytes = launch_.values[i][placement.parameter];
      for (unsigned k = 0; k < placement.bytes && placement.offset + k < bytes.size(); ++k)
        bits |= std::to_integer<std::uint64_t>(bytes[placement.offset + k]) << (8 * k);
      text += " --arg " + placement.label + "=" + std::to_string(bits);
    }
    return text + " " + plan_.kernels[i].file;
  }

  [[nodiscard]] std::string damage_text(bool inputs) const {
    Error error;
    const std::string damage = buffers_->damage(inputs, error);
    if (error.failed()) return error.sentence;
    return damage.empty() ? damage : "one of the kernels " + damage;
  }

  // Each kernel once: that they run at all, stay within their buffers, and compute the same.
  std::string run_once(BenchSize& size) {
    for (std::size_t i = 0; i < plan_.kernels.size(); ++i) {
      const Cuda& cuda = session_.cuda();
      if (launch_.shared > 48 * 1024 && cuda.func_set_attribute != nullptr) {
        const Status status = cuda.func_set_attribute(functions_[i], FunctionAttribute::max_dynamic_shared_bytes,
                                                      static_cast<int>(launch_.shared));
        if (status != Status::success) return failure_text(i, session_.check("cuFuncSetAttribute", status));
      }
      Error error = buffers_->reset();
      if (!error.failed()) error = calls_[i].launch(session_);
      if (!error.failed()) error = timer_.finish();
      if (error.failed()) return failure_text(i, error);
      const std::string damage = buffers_->damage(request_.check, error);
      if (error.failed()) return failure_text(i, error);
      if (!damage.empty()) return who(i) + " " + damage;
      if (!request_.check || plan_.kernels.size() < 2) continue;
      error = i == 0 ? buffers_->keep_results() : compare(size);
      if (error.failed()) return error.sentence;
    }
    return {};
  }

  [[nodiscard]] bool has_buffer(std::size_t kernel, std::size_t buffer) const {
    return std::ranges::any_of(plan_.kernels[kernel].placements,
                               [&](const BenchPlacement& one) { return one.buffer == buffer; });
  }

  Error compare(BenchSize& size) {
    for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
      const BenchBuffer& buffer = plan_.buffers[i];
      if (!buffer.may_be_written() || !has_buffer(0, i) || !has_buffer(1, i)) continue;
      BenchCheck check{buffer.label, 0, {}};
      if (is_floating(buffer.type)) check.tolerance = request_.tolerance.value_or(default_tolerance(buffer.type));
      if (Error error = buffers_->compare(i, check.tolerance, check.difference); error.failed()) return error;
      size.checks.push_back(std::move(check));
    }
    return {};
  }

  // One measurement, all that belongs before it included.
  Error take(std::size_t kernel, std::uint64_t launches, double& microseconds) {
    Error error = buffers_->reset();
    if (!error.failed()) error = calls_[kernel].launch(session_);
    if (!error.failed()) error = timer_.time(calls_[kernel], launches, microseconds);
    return error;
  }

  std::string take_times(BenchSize& size) {
    const std::size_t kernels = plan_.kernels.size();
    double longest = 0;
    for (std::size_t i = 0; i < kernels; ++i) {
      double once = 0;
      for (int attempt = 0; attempt < 3; ++attempt)
        if (Error error = take(i, 4, once); error.failed()) return failure_text(i, error);
      longest = std::max(longest, once);
    }
    size.launches = std::clamp<std::uint64_t>(
        static_cast<std::uint64_t>(std::ceil(measurement_us / std::max(longest, 0.1))), 1, timer_.most_launches());
    if (std::string problem = take_empty(size); !problem.empty()) return problem;

    const auto begin = steady_clock::now();
    const auto least = measurement_.sizes.empty() ? first_warm_up : warm_up;
    for (unsigned i = 0; i < 2 || steady_clock::now() - begin < least; ++i)
      if (std::string problem = take_pair(size, i % 2 == 1, nullptr); !problem.empty()) return problem;
    size.launches = std::min(size.launches, timer_.most_launches());
    for (unsigned i = 0; i < request_.pairs; ++i)
      if (std::string problem = take_pair(size, i % 2 == 1, &size.pairs); !problem.empty()) return problem;
    return read_clocks(size);
  }

  std::string take_pair(const BenchSize& size, bool b_first, std::vector<BenchPair>* pairs) {
    const bool has_b = plan_.kernels.size() > 1;
    BenchPair pair;
    pair.b_first = has_b && b_first;
    for (const bool is_b : {pair.b_first, !pair.b_first}) {
      if (is_b && !has_b) continue;
      Error error = take(is_b ? 1 : 0, size.launches, is_b ? pair.b_us : pair.a_us);
      if (error.failed()) return failure_text(is_b ? 1 : 0, error);
    }
    if (pairs != nullptr) pairs->push_back(pair);
    return {};
  }

  std::string take_empty(BenchSize& size) {
    std::vector<double> times;
    for (int i = 0; i < 7; ++i) {
      double microseconds = 0;
      if (Error error = timer_.time(timer_.empty(), size.launches, microseconds); error.failed()) return error.sentence;
      times.push_back(microseconds);
    }
    std::ranges::sort(times);
    size.empty_us = times[times.size() / 2];
    return {};
  }

  // The clocks while A runs: the GPU has work for some milliseconds when they are asked for.
  std::string read_clocks(BenchSize& size) {
    if (clocks_ == nullptr) return {};
    const auto launches = static_cast<std::uint64_t>(size.launches);
    for (int round = 0; round < 4; ++round)
      for (std::uint64_t i = 0; i < std::min<std::uint64_t>(launches, 200); ++i)
        if (Error error = calls_[0].launch(session_); error.failed()) return failure_text(0, error);
    size.clocks = clocks_->read();
    const Error error = timer_.finish();
    return error.failed() ? failure_text(0, error) : std::string();
  }

  Session session_;  // ends last
  const BenchRequest& request_;
  const BenchPlan& plan_;
  BenchMeasurement& measurement_;
  std::array<LoadedModule, 2> modules_;
  std::array<FunctionHandle, 2> functions_{};
  BenchTimer timer_;
  std::unique_ptr<BenchBuffers> buffers_;
  BenchLaunch launch_;
  std::array<BenchCall, 2> calls_;
  std::unique_ptr<Clocks> clocks_;
};

}  // namespace

BenchOutcome measure(const BenchRequest& request, BenchMeasurement& measurement) {
  auto session = Session::open(request.device);
  if (!session) return {session.error.sentence, false};
  auto bench = std::make_unique<Bench>(std::move(*session), request, measurement);
  BenchOutcome outcome{bench->prepare(), false};
  if (outcome.error.empty())
    for (const std::uint64_t n : request.sizes)
      if (!bench->measure(n)) break;
  outcome.is_stuck = bench->is_stuck();
  // Releasing anything would wait for the kernel that does not end.
  if (outcome.is_stuck) static_cast<void>(bench.release());
  return outcome;
}

}  // namespace ptxscope::driver
