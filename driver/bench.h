// Times kernels on a GPU: A and B in turn, on the same buffers, by device events.
//
// A measurement is a number of launches, one right after the other, between two events; the GPU is kept waiting until
// all of them are queued, so that the time is the GPU's and not that of queueing. Before each measurement the buffers
// that may be written get their first contents back, and one launch goes ahead that is not timed. With `cold` the L2
// cache is overwritten before each launch, and each launch has its own two events.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/bench_arguments.h"
#include "analysis/bench_measurement.h"

namespace ptxscope::driver {

/// What measure() is to do.
struct BenchRequest {
  const analysis::BenchPlan* plan = nullptr;  ///< must outlive the call
  std::array<std::string, 2> images;          ///< PTX of A and B; B only where the plan has two kernels
  std::vector<std::uint64_t> sizes;           ///< launch_of() gives no error for any of them
  int device = 0;                             ///< as CUDA_VISIBLE_DEVICES counts them
  std::uint64_t seed = 1;                     ///< of the random contents of buffers
  unsigned pairs = 30;                        ///< of A and B at each size; without a B, measurements of A
  bool cold = false;                          ///< overwrite the L2 cache before each launch
  bool check = false;                         ///< compare results
  std::optional<double> tolerance;            ///< of that, for floating-point; nullopt: by type
  unsigned seconds = 60;                      ///< the longest that launches waited for at once may take
  std::string command;  ///< "--names a,b": what explain-trap needs to know labels by, for messages
};

/// How it went.
struct BenchOutcome {
  std::string error;  ///< nothing could be measured, a sentence; empty: `measurement` holds the sizes up to its stop
  /// A kernel is still running and cannot be ended: this process must end without a word more to the driver.
  bool is_stuck = false;
};

/// Fills in device, subjects' registers, sizes and stop of `measurement`.
[[nodiscard]] BenchOutcome measure(const BenchRequest& request, analysis::BenchMeasurement& measurement);

}  // namespace ptxscope::driver
