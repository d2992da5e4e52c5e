// The buffers of one size on the GPU, with room around each that nobody may write to.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analysis/bench_arguments.h"
#include "driver/context.h"

namespace ptxscope::driver {

// Everything goes through the default stream, one after the other.
class BenchBuffers {
 public:
  BenchBuffers(const Session& session, const analysis::BenchPlan& plan, std::uint64_t seed)
      : session_(session), plan_(plan), seed_(seed) {}

  /// Allocates and fills. `keeps_results`: there is room to keep what one kernel wrote.
  [[nodiscard]] Error make(const analysis::BenchLaunch& launch, bool keeps_results);
  [[nodiscard]] DevicePointer address(std::size_t buffer) const { return buffers_[buffer].data; }

  /// Queues that buffers that may be written get their first contents back.
  [[nodiscard]] Error reset() const;
  /// What was written where nothing may be: around a buffer; with `inputs` also into buffers marked `in`. A sentence;
  /// "" when all is as it was.
  [[nodiscard]] std::string damage(bool inputs, Error& error) const;
  /// Keeps the contents of the buffers that may be written.
  [[nodiscard]] Error keep_results() const;
  /// Holds the contents of one against what was kept (as A).
  [[nodiscard]] Error compare(std::size_t buffer, double tolerance, analysis::Difference& difference) const;

 private:
  struct OnDevice {
    Buffer memory, first, kept;
    DevicePointer data = 0;
    std::size_t bytes = 0;
  };
  [[nodiscard]] Error fill(std::size_t buffer) const;
  [[nodiscard]] std::string damaged_input(std::size_t buffer, Error& error) const;
  [[nodiscard]] std::uint64_t seed_of(std::size_t buffer) const { return seed_ * 1000003 + buffer; }

  const Session& session_;
  const analysis::BenchPlan& plan_;
  std::uint64_t seed_;
  std::vector<OnDevice> buffers_;
};

}  // namespace ptxscope::driver
