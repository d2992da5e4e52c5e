// This machine's GPUs and driver, asked through the CUDA Driver API, which is opened at run time: nothing of CUDA is
// needed to build or to start.
#pragma once

#include <string>
#include <vector>

namespace ptxscope::driver {

/// A GPU of this machine.
struct Device {
  std::string name;         ///< "NVIDIA H200"
  unsigned capability = 0;  ///< 90 for compute capability 9.0
};

/// What this machine has.
struct Machine {
  unsigned cuda_major = 0;      ///< the newest CUDA the driver supports: 13 of 13.0
  unsigned cuda_minor = 0;      ///< 0 of 13.0
  std::string driver;           ///< "580.65.06"; empty: not told
  std::vector<Device> devices;  ///< as CUDA_VISIBLE_DEVICES lets them be seen, at least one
};

/// A machine, or why nothing is known of it.
struct MachineResult {
  Machine machine;    ///< without meaning when there is an error
  std::string error;  ///< a sentence: what is missing and the way out; empty: found
};
/// Opens and initialises the driver in this process.
[[nodiscard]] MachineResult this_machine();

/// The version in what the kernel module says of itself; "" when it cannot be read or told:
/// "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.65.06  Sun …", "… Open Kernel Module for x86_64  580.65.06 …".
[[nodiscard]] std::string kernel_module_version(const std::string& path);

}  // namespace ptxscope::driver
