// The GPU's clocks, asked through NVML, which is opened at run time. It comes with the driver, but not into every
// container.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "analysis/bench_measurement.h"

namespace ptxscope::driver {

class Clocks {
 public:
  /// Of the device with that PCI bus id ("0000:3b:00.0"). Without NVML read() gives nothing.
  explicit Clocks(const std::string& bus_id);
  ~Clocks();
  Clocks(const Clocks&) = delete;
  Clocks& operator=(const Clocks&) = delete;

  /// As they are now.
  [[nodiscard]] std::optional<analysis::BenchClocks> read() const;

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace ptxscope::driver
