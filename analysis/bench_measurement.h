// One comparison of two kernels' times, as it was measured: what driver/bench.h fills in, the writers of report/bench.h
// show, and `bench --replay` reads again.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/bench_data.h"

namespace ptxscope::analysis {

/// One of the two, A or B.
struct BenchSubject {
  std::string file;                        ///< of its module, as given
  std::string kernel;                      ///< as in the PTX
  std::optional<std::uint64_t> registers;  ///< of the compiled kernel, a thread
};

/// The GPU that was measured on.
struct BenchDevice {
  std::string name;                   ///< as the driver calls it: "NVIDIA H200"
  std::string driver;                 ///< "580.65.06"; empty: not told
  std::string cuda;                   ///< "13.0"
  std::string capability;             ///< "9.0"
  std::uint64_t multiprocessors = 0;  ///< 0: not told
  std::uint64_t l2_bytes = 0;         ///< size of the L2 cache, which `cold` overwrites
};

/// What NVML told while the GPU was at work.
struct BenchClocks {
  std::uint64_t sm_mhz = 0;            ///< clock of the multiprocessors
  std::uint64_t memory_mhz = 0;        ///< clock of the memory
  std::vector<std::string> slowed_by;  ///< "power cap", "heat": what kept the clocks down
};

/// One pair: A and B, one right after the other.
struct BenchPair {
  double a_us = 0;       ///< of one launch: the time of all launches in the measurement, divided
  double b_us = 0;       ///< 0 where there is no B
  bool b_first = false;  ///< B was measured before A
};

/// The results of A and B in one buffer, after one launch each from the same contents.
struct BenchCheck {
  std::string buffer;     ///< label of the buffer
  double tolerance = 0;   ///< relative, as default_tolerance() has it
  Difference difference;  ///< over all its elements
};

/// All that was measured at one size.
struct BenchSize {
  std::uint64_t n = 0;                          ///< the size
  std::array<std::uint32_t, 3> grid{1, 1, 1};   ///< blocks
  std::array<std::uint32_t, 3> block{1, 1, 1};  ///< threads of a block
  std::uint64_t launches = 1;                   ///< in one measurement, one right after the other
  std::optional<std::uint64_t> bytes;           ///< read and written by one launch, where it is known
  std::optional<double> empty_us;               ///< a launch of an empty kernel, measured in the same way
  std::vector<BenchPair> pairs;                 ///< in the order measured
  std::optional<BenchClocks> clocks;            ///< nullopt: NVML was not there to ask
  std::vector<BenchCheck> checks;  ///< of each buffer that may be written; empty: not asked for, or there is no B
};

/// Why the measurement ended before the last size.
struct BenchStop {
  std::uint64_t n = 0;  ///< the size at which it ended
  std::string message;  ///< a sentence: the size, the kernel, what happened and the way out
};

/// The whole of a measurement; `ptxscope.bench/1` has its pairs.
struct BenchMeasurement {
  BenchSubject a;                      ///< the first kernel
  std::optional<BenchSubject> b;       ///< the second; nullopt: one kernel alone was timed
  std::vector<std::string> arguments;  ///< as they were given: "a=f32[n]:in"
  std::vector<std::string> notes;      ///< what was filled in without being given
  std::string grid;                    ///< blocks, by the formulas that were given
  std::string block;                   ///< threads, likewise
  BenchDevice device;                  ///< where it was measured
  bool cold = false;                   ///< the L2 cache was overwritten before each launch
  bool checked = false;                ///< results of A and B were compared
  std::uint64_t seed = 0;              ///< of the random contents of buffers
  std::vector<BenchSize> sizes;        ///< in the order measured; those after a stop are missing
  std::optional<BenchStop> stop;       ///< nullopt: all sizes were measured
};

}  // namespace ptxscope::analysis
