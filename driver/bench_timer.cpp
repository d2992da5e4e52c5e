#include "driver/bench_timer.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <thread>

namespace ptxscope::driver {

namespace {

// `hold` waits until the first of two words in memory of the host is set; when that takes longer than so many
// nanoseconds it sets the second one and ends. PTX that any driver of the last ten years takes.
constexpr const char* kernels = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry hold(.param .u64 words, .param .u64 limit)
{
  .reg .pred %p<3>;
  .reg .b32 %r<3>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [words];
  ld.param.u64 %rd2, [limit];
  mov.u64 %rd3, %globaltimer;
again:
  ld.volatile.u32 %r1, [%rd1];
  setp.ne.u32 %p1, %r1, 0;
  @%p1 bra done;
  mov.u64 %rd4, %globaltimer;
  sub.u64 %rd5, %rd4, %rd3;
  setp.lt.u64 %p2, %rd5, %rd2;
  @%p2 bra again;
  mov.u32 %r2, 1;
  st.volatile.u32 [%rd1+4], %r2;
done:
  ret;
}
.visible .entry empty()
{
  ret;
}
)";
constexpr std::uint64_t hold_nanoseconds = 2'000'000'000;
constexpr int most_attempts = 6;

std::vector<std::byte> bytes_of(std::uint64_t value) {
  std::vector<std::byte> bytes(sizeof value);
  std::memcpy(bytes.data(), &value, sizeof value);
  return bytes;
}

}  // namespace

Error BenchCall::launch(const Session& session) const {
  std::vector<void*> parameters;
  for (const auto& value : values) parameters.push_back(const_cast<std::byte*>(value.data()));
  return session.check("cuLaunchKernel",
                       session.cuda().launch_kernel(function, grid[0], grid[1], grid[2], block[0], block[1], block[2],
                                                    shared, nullptr, parameters.data(), nullptr));
}

BenchTimer::~BenchTimer() {
  if (flags_ != nullptr && !is_stuck_) session_.cuda().mem_free_host(const_cast<std::uint32_t*>(flags_));
}

Error BenchTimer::open() {
  LoadOutcome loaded = session_.load(kernels);
  if (loaded.error.failed()) return loaded.error;
  module_ = std::move(loaded.module);
  for (const auto& [call, name] : {std::pair{&hold_, "hold"}, {&empty_, "empty"}}) {
    auto function = session_.function(module_, name);
    if (!function) return function.error;
    call->function = *function;
  }
  void* memory = nullptr;
  const Status status = session_.cuda().mem_host_alloc(&memory, 2 * sizeof(std::uint32_t), host_alloc_device_map);
  if (Error error = session_.check("cuMemHostAlloc", status); error.failed()) return error;
  flags_ = static_cast<std::uint32_t*>(memory);
  // With unified addresses (64-bit, compute capability 2.0 and later) the GPU uses the same pointer.
  hold_.values = {bytes_of(reinterpret_cast<std::uintptr_t>(memory)), bytes_of(hold_nanoseconds)};

  auto end = session_.event();
  if (!end) return end.error;
  end_ = std::move(*end);
  for (std::uint64_t i = 0; i < (cold_ ? 2 * most_launches_ : 2); ++i) {
    auto event = session_.event();
    if (!event) return event.error;
    events_.push_back(std::move(*event));
  }
  if (cold_) {
    const int l2 = session_.attribute(DeviceAttribute::l2_cache_size);
    scratch_bytes_ = 2 * std::max<std::size_t>(static_cast<std::size_t>(std::max(l2, 0)), std::size_t{4} << 20);
    auto scratch = session_.allocate(scratch_bytes_);
    if (!scratch) return scratch.error;
    scratch_ = std::move(*scratch);
  }
  // All that is to be launched while the GPU is held has to be loaded before: loading may wait for the GPU.
  flags_[0] = 1;
  flags_[1] = 0;
  for (const BenchCall* call : {&hold_, &empty_})
    if (Error error = call->launch(session_); error.failed()) return error;
  return finish();
}

Error BenchTimer::record(Event event) {
  return session_.check("cuEventRecord", session_.cuda().event_record(event, nullptr));
}

Error BenchTimer::wait(Event event) {
  if (session_.cuda().event_query == nullptr)
    return session_.check("cuEventSynchronize", session_.cuda().event_synchronize(event));
  const auto end = std::chrono::steady_clock::now() + limit_;
  for (;;) {
    const Status status = session_.cuda().event_query(event);
    if (status != Status::not_ready) return session_.check("cuEventQuery", status);
    if (std::chrono::steady_clock::now() > end) {
      is_stuck_ = true;
      return {Status::launch_timeout,
              "still running after " + std::to_string(limit_.count()) + " s; --seconds gives it longer"};
    }
    std::this_thread::sleep_for(std::chrono::microseconds(20));
  }
}

Error BenchTimer::finish() {
  if (Error error = record(end_.get()); error.failed()) return error;
  return wait(end_.get());
}

Error BenchTimer::hold() {
  flags_[0] = 0;
  flags_[1] = 0;
  std::atomic_thread_fence(std::memory_order_seq_cst);
  return hold_.launch(session_);
}

void BenchTimer::let_go() {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  flags_[0] = 1;
}

Error BenchTimer::overwrite_cache() {
  return session_.check("cuMemsetD32Async",
                        session_.cuda().memset_32_async(scratch_.get(), 0, scratch_bytes_ / 4, nullptr));
}

Error BenchTimer::time(const BenchCall& call, std::uint64_t launches, double& microseconds) {
  launches = std::clamp<std::uint64_t>(launches, 1, most_launches_);
  return cold_ ? time_cold(call, launches, microseconds) : time_warm(call, launches, microseconds);
}

Error BenchTimer::time_warm(const BenchCall& call, std::uint64_t launches, double& microseconds) {
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    if (Error error = hold(); error.failed()) return error;
    Error error = record(events_[0].get());
    for (std::uint64_t i = 0; i < launches && !error.failed(); ++i) error = call.launch(session_);
    if (!error.failed()) error = record(events_[1].get());
    let_go();
    if (!error.failed()) error = wait(events_[1].get());
    if (error.failed()) return error;
    if (flags_[1] != 0) {
      // The queue was full, or this process away for too long: the GPU had to wait for launches.
      most_launches_ = launches = std::max<std::uint64_t>(launches / 2, 1);
      continue;
    }
    float milliseconds = 0;
    error = session_.check("cuEventElapsedTime",
                           session_.cuda().event_elapsed_time(&milliseconds, events_[0].get(), events_[1].get()));
    microseconds = static_cast<double>(milliseconds) * 1000 / static_cast<double>(launches);
    return error;
  }
  return {Status::unknown, "this process does not get to queue a few launches within 2 s; is the machine overloaded?"};
}

Error BenchTimer::time_cold(const BenchCall& call, std::uint64_t launches, double& microseconds) {
  for (std::uint64_t i = 0; i < launches; ++i) {
    Error error = overwrite_cache();
    if (!error.failed()) error = record(events_[2 * i].get());
    if (!error.failed()) error = call.launch(session_);
    if (!error.failed()) error = record(events_[2 * i + 1].get());
    if (error.failed()) return error;
  }
  if (Error error = wait(events_[2 * launches - 1].get()); error.failed()) return error;
  double sum = 0;
  for (std::uint64_t i = 0; i < launches; ++i) {
    float milliseconds = 0;
    const Status status =
        session_.cuda().event_elapsed_time(&milliseconds, events_[2 * i].get(), events_[2 * i + 1].get());
    if (Error error = session_.check("cuEventElapsedTime", status); error.failed()) return error;
    sum += static_cast<double>(milliseconds);
  }
  microseconds = sum * 1000 / static_cast<double>(launches);
  return {};
}

}  // namespace ptxscope::driver
