// The types of the CUDA Driver API that the preloaded library passes on, by the Driver API reference. Handles are never
// looked into.
#pragma once

#include <cstddef>
#include <cstdint>

namespace ptxscope::preload {

using Handle = void*;  ///< CUmodule, CUfunction, CUkernel, CUlibrary, CUcontext, CUstream, CUlinkState, …
using DevicePointer = unsigned long long;

inline constexpr int success = 0;
inline constexpr int invalid_context = 201;
inline constexpr int not_found = 500;

/// Errors after which a context is of no more use: each later call in it gives the same.
inline bool is_sticky(int status) {
  return status == 700 || status == 702 || status == 710 || (status >= 714 && status <= 719);
}

/// CUjit_option.
enum JitOption : int {
  jit_max_registers = 0,
  jit_wall_time = 2,
  jit_info_log = 3,
  jit_info_log_bytes = 4,
  jit_error_log = 5,
  jit_error_log_bytes = 6,
  jit_optimization_level = 7,
};
inline constexpr int jit_input_ptx = 1;  ///< CUjitInputType

struct LaunchConfig {  ///< CUlaunchConfig
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  Handle stream;
  void* attributes;
  unsigned attribute_count;
};

struct KernelNode {  ///< CUDA_KERNEL_NODE_PARAMS_v1, and the start of _v2
  Handle function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared;
  void** parameters;
  void** extra;
};
struct KernelNode2 {  ///< CUDA_KERNEL_NODE_PARAMS_v2
  KernelNode node;
  Handle kernel;  ///< when node.function is null
  Handle context;
};

}  // namespace ptxscope::preload
