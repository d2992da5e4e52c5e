#include "driver/bench_buffers.h"

#include <algorithm>
#include <cstring>

namespace ptxscope::driver {

namespace {

using analysis::BenchBuffer;
using analysis::Difference;

constexpr std::size_t front = 512;  // keeps the alignment that cuMemAlloc gives
constexpr std::size_t back = 4096;
constexpr unsigned char untouched = 0xa5;
constexpr std::size_t piece = std::size_t{16} << 20;  // what of a buffer is in this process's memory at a time

std::string bytes_text(std::uint64_t bytes) {
  if (bytes < 10'000'000) return std::to_string((bytes + 999) / 1000) + " kB";
  if (bytes < 10'000'000'000) return std::to_string(bytes / 1'000'000) + " MB";
  return std::to_string(bytes / 1'000'000'000) + " GB";
}

// The size of a piece that holds whole elements.
std::size_t piece_of(std::size_t bytes, std::size_t at) { return std::min(piece, bytes - at); }

}  // namespace

Error BenchBuffers::make(const analysis::BenchLaunch& launch, bool keeps_results) {
  const Cuda& cuda = session_.cuda();
  std::uint64_t needed = 0;
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    const std::uint64_t bytes = launch.counts[i] * size_of(plan_.buffers[i].type);
    needed += front + back + bytes;
    if (plan_.buffers[i].may_be_written()) needed += bytes * (keeps_results ? 2 : 1);
  }
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
  if (Error error = session_.check("cuMemGetInfo", cuda.mem_get_info(&free_bytes, &total_bytes)); error.failed())
    return error;
  if (needed > free_bytes)
    return {Status::out_of_memory, "the buffers need " + bytes_text(needed) + " of the GPU's memory, " +
                                       bytes_text(free_bytes) + " are free; leave this size out" +
                                       (keeps_results ? ", or --check, or mark what is only read with :in"
                                                      : ", or mark what is only read with :in")};
  for (std::size_t i = 0; i < plan_.buffers.size(); ++i) {
    OnDevice one;
    one.bytes = launch.counts[i] * size_of(plan_.buffers[i].type);
    const std::size_t room = std::max<std::size_t>(one.bytes, 1);
    for (auto& [memory, bytes, is_wanted] :
         {std::tuple<Buffer*, std::size_t, bool>{&one.memory, front + one.bytes + back, true},
          {&one.first, room, plan_.buffers[i].may_be_written()},
          {&one.kept, room, plan_.buffers[i].may_be_written() && keeps_results}}) {
      if (!is_wanted) continue;
      auto allocated = session_.allocate(bytes);
      if (!allocated) return allocated.error;
      *memory = std::move(*allocated);
    }
    one.data = one.memory.get() + front;
    buffers_.push_back(std::move(one));
    if (Error error = session_.check("cuMemsetD8", cuda.memset_8(buffers_[i].memory.get(), untouched, front));
        error.failed())
      return error;
    if (Error error =
            session_.check("cuMemsetD8", cuda.memset_8(buffers_[i].data + buffers_[i].bytes, untouched, back));
        error.failed())
      return error;
    if (Error error = fill(i); error.failed()) return error;
  }
  return {};
}

Error BenchBuffers::fill(std::size_t buffer) const {
  const Cuda& cuda = session_.cuda();
  const BenchBuffer& plan = plan_.buffers[buffer];
  const OnDevice& one = buffers_[buffer];
  if (one.bytes == 0) return {};
  if (plan.fill.kind == analysis::Fill::Kind::zero) {
    if (Error error = session_.check("cuMemsetD8", cuda.memset_8(one.data, 0, one.bytes)); error.failed()) return error;
  } else {
    std::vector<std::byte> host(std::min(piece, one.bytes));
    for (std::size_t at = 0; at < one.bytes; at += piece) {
      const std::span part(host.data(), piece_of(one.bytes, at));
      analysis::fill_elements(plan.fill, plan.type, seed_of(buffer), at / size_of(plan.type), part);
      if (Error error = session_.check("cuMemcpyHtoD", cuda.memcpy_to_device(one.data + at, part.data(), part.size()));
          error.failed())
        return error;
    }
  }
  if (!plan.may_be_written()) return {};
  return session_.check("cuMemcpyDtoD", cuda.memcpy_on_device(one.first.get(), one.data, one.bytes));
}

Error BenchBuffers::reset() const {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const OnDevice& one = buffers_[i];
    if (!plan_.buffers[i].may_be_written() || one.bytes == 0) continue;
    const Status status = session_.cuda().memcpy_on_device_async(one.data, one.first.get(), one.bytes, nullptr);
    if (Error error = session_.check("cuMemcpyDtoDAsync", status); error.failed()) return error;
  }
  return {};
}

std::string BenchBuffers::damage(bool inputs, Error& error) const {
  std::vector<unsigned char> host(back);
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const OnDevice& one = buffers_[i];
    for (const auto& [address, bytes, is_front] :
         {std::tuple{one.memory.get(), front, true}, {one.data + one.bytes, back, false}}) {
      error = session_.check("cuMemcpyDtoH", session_.cuda().memcpy_to_host(host.data(), address, bytes));
      if (error.failed()) return {};
      const auto written = [](unsigned char byte) { return byte != untouched; };
      const auto first = std::find_if(host.begin(), host.begin() + static_cast<std::ptrdiff_t>(bytes), written);
      if (first == host.begin() + static_cast<std::ptrdiff_t>(bytes)) continue;
      const std::string where =
          is_front ? "a byte in front of it" : "byte " + std::to_string(first - host.begin() + 1) + " behind its end";
      return "writes outside of buffer " + plan_.buffers[i].label + ", " + where + ": is it too small with " +
             plan_.buffers[i].count.text() + " elements, or the grid too large?";
    }
    if (!inputs || plan_.buffers[i].may_be_written()) continue;
    std::string sentence = damaged_input(i, error);
    if (error.failed() || !sentence.empty()) return sentence;
  }
  return {};
}

std::string BenchBuffers::damaged_input(std::size_t buffer, Error& error) const {
  const BenchBuffer& plan = plan_.buffers[buffer];
  const OnDevice& one = buffers_[buffer];
  std::vector<std::byte> expected(std::min(piece, one.bytes));
  std::vector<std::byte> found(expected.size());
  for (std::size_t at = 0; at < one.bytes; at += piece) {
    const std::span part(expected.data(), piece_of(one.bytes, at));
    analysis::fill_elements(plan.fill, plan.type, seed_of(buffer), at / size_of(plan.type), part);
    error = session_.check("cuMemcpyDtoH", session_.cuda().memcpy_to_host(found.data(), one.data + at, part.size()));
    if (error.failed()) return {};
    if (std::memcmp(part.data(), found.data(), part.size()) != 0)
      return "writes to " + plan.label + ", which is marked in; mark it inout, so that both start with the same data";
  }
  return {};
}

Error BenchBuffers::keep_results() const {
  for (const OnDevice& one : buffers_) {
    if (one.kept.get() == 0 || one.bytes == 0) continue;
    const Status status = session_.cuda().memcpy_on_device(one.kept.get(), one.data, one.bytes);
    if (Error error = session_.check("cuMemcpyDtoD", status); error.failed()) return error;
  }
  return {};
}

Error BenchBuffers::compare(std::size_t buffer, double tolerance, Difference& difference) const {
  const OnDevice& one = buffers_[buffer];
  const Type type = plan_.buffers[buffer].type;
  std::vector<std::byte> a(std::min(piece, one.bytes));
  std::vector<std::byte> b(a.size());
  for (std::size_t at = 0; at < one.bytes; at += piece) {
    const std::size_t bytes = piece_of(one.bytes, at);
    for (const auto& [host, device] : {std::pair{a.data(), one.kept.get()}, {b.data(), one.data}}) {
      Error error = session_.check("cuMemcpyDtoH", session_.cuda().memcpy_to_host(host, device + at, bytes));
      if (error.failed()) return error;
    }
    analysis::compare_elements(type, tolerance, at / size_of(type), {a.data(), bytes}, {b.data(), bytes}, difference);
  }
  return {};
}

}  // namespace ptxscope::driver
