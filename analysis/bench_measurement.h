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
  std::string file;
  std::string kernel;                      ///< as in the PTX
  std::optional<std::uint64_t> registers;  ///< of the compiled kernel, a thread
};

struct BenchDevice {
  std::string name;
  std::string driver;      ///< "580.65.06"; empty: not told
  std::string cuda;        ///< "13.0"
  std::string capability;  ///< "9.0"
  std::uint64_t multiprocessors = 0;
  std::uint64_t l2_bytes = 0;
};

/// What NVML told while the GPU was at work.
struct BenchClocks {
  std::uint64_t sm_mhz = 0;
  std::uint64_t memory_mhz = 0;
  std::vector<std::string> slowed_by;  ///< "power cap", "heat": what kept the clocks down
};

/// One pair: A and B, one right after the other.
struct BenchPair {
  double a_us = 0;  ///< of one launch: the time of all launches in the measurement, divided
  double b_us = 0;  ///< 0 where there is no B
  bool b_first = false;
};

/// The results of A and B in one buffer, after one launch each from the same contents.
struct BenchCheck {
  std::string buffer;
  double tolerance = 0;
  Difference difference;
};

struct BenchSize {
  std::uint64_t n = 0;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint64_t launches = 1;          ///< in one measurement, one right after the other
  std::optional<std::uint64_t> bytes;  ///< read and written by one launch, where it is known
  std::optional<double> empty_us;      ///< a launch of an empty kernel, measured in the same way
  std::vector<BenchPair> pairs;        ///< in the order measured
  std::optional<BenchClocks> clocks;
  std::vector<BenchCheck> checks;
};

/// Why the measurement ended before the last size.
struct BenchStop {
  std::uint64_t n = 0;
  std::string message;  ///< a sentence: the size, the kernel, what happened and the way out
};

struct BenchMeasurement {
  BenchSubject a;
  std::optional<BenchSubject> b;
  std::vector<std::string> arguments;  ///< as they were given: "a=f32[n]:in"
  std::vector<std::string> notes;      ///< what was filled in without being given
  std::string grid, block;             ///< as formulas
  BenchDevice device;
  bool cold = false;
  bool checked = false;
  std::uint64_t seed = 0;
  std::vector<BenchSize> sizes;
  std::optional<BenchStop> stop;
};

}  // namespace ptxscope::analysis
