// The part of the CUDA Driver API that is used here, declared anew so that nothing of CUDA is needed to build or to
// start: the library is opened when a command asks for it. Names, numbers and signatures are those of the Driver API
// reference; a status or attribute that is not listed is still a valid value of its type.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace ptxscope::driver {

using DeviceHandle = int;                ///< CUdevice
using DevicePointer = std::uint64_t;     ///< CUdeviceptr
struct ContextObject;                    ///< never defined: the driver's
using Context = ContextObject*;          ///< CUcontext
struct ModuleObject;                     ///< never defined: the driver's
using ModuleHandle = ModuleObject*;      ///< CUmodule
struct FunctionObject;                   ///< never defined: the driver's
using FunctionHandle = FunctionObject*;  ///< CUfunction
struct StreamObject;                     ///< never defined: the driver's
using Stream = StreamObject*;            ///< CUstream; nullptr: the default stream
struct EventObject;                      ///< never defined: the driver's
using Event = EventObject*;              ///< CUevent

/// CUresult.
enum class Status : int {
  success = 0,
  invalid_value = 1,
  out_of_memory = 2,
  not_initialized = 3,
  stub_library = 34,  ///< the libcuda.so of a toolkit's stubs folder
  device_unavailable = 46,
  no_device = 100,
  invalid_device = 101,
  invalid_image = 200,
  invalid_context = 201,
  no_binary_for_gpu = 209,
  invalid_ptx = 218,
  jit_compiler_not_found = 221,
  unsupported_ptx_version = 222,
  jit_compilation_disabled = 223,
  unsupported_devside_sync = 225,
  invalid_source = 300,
  file_not_found = 301,
  symbol_not_found = 302,
  operating_system = 304,
  not_found = 500,
  not_ready = 600,
  illegal_address = 700,
  launch_out_of_resources = 701,
  launch_timeout = 702,
  assert_failed = 710,
  illegal_instruction = 715,
  misaligned_address = 716,
  launch_failed = 719,  ///< also what a trap gives
  not_permitted = 800,
  not_supported = 801,
  system_not_ready = 802,
  system_driver_mismatch = 803,
  compat_not_supported_on_device = 804,
  unknown = 999,
};

/// CUdevice_attribute.
enum class DeviceAttribute : int {
  max_threads_per_block = 1,
  max_block_x = 2,
  max_block_y = 3,
  max_block_z = 4,
  max_grid_x = 5,
  max_grid_y = 6,
  max_grid_z = 7,
  max_shared_per_block = 8,
  warp_size = 10,
  max_registers_per_block = 12,
  clock_rate = 13,  ///< kHz
  multiprocessor_count = 16,
  kernel_exec_timeout = 17,
  integrated = 18,
  can_map_host_memory = 19,
  compute_mode = 20,
  ecc_enabled = 32,
  memory_clock_rate = 36,  ///< kHz
  memory_bus_width = 37,   ///< bits
  l2_cache_size = 38,      ///< bytes
  max_threads_per_multiprocessor = 39,
  capability_major = 75,
  capability_minor = 76,
  max_shared_per_multiprocessor = 81,
  max_registers_per_multiprocessor = 82,
  max_shared_per_block_optin = 97,
  max_blocks_per_multiprocessor = 106,
};

/// CUfunction_attribute.
enum class FunctionAttribute : int {
  max_threads_per_block = 0,
  shared_bytes = 1,  ///< static
  const_bytes = 2,
  local_bytes = 3,  ///< of each thread
  registers = 4,
  ptx_version = 5,     ///< 90 for compute_90
  binary_version = 6,  ///< 90 for sm_90
  max_dynamic_shared_bytes = 8,
};

/// CUjit_option; the value of each travels as a void*.
enum class JitOption : int {
  wall_time = 2,  ///< written as a float, milliseconds
  info_log_buffer = 3,
  info_log_buffer_bytes = 4,  ///< in: room; out: how much was written
  error_log_buffer = 5,
  error_log_buffer_bytes = 6,
  optimization_level = 7,
  generate_debug_info = 11,
  log_verbose = 12,
  generate_line_info = 13,
  cache_mode = 14,  ///< 0: none
};

inline constexpr unsigned stream_non_blocking = 1;    ///< CU_STREAM_NON_BLOCKING
inline constexpr unsigned event_default = 0;          ///< CU_EVENT_DEFAULT
inline constexpr unsigned host_alloc_device_map = 2;  ///< CU_MEMHOSTALLOC_DEVICEMAP

/// The entry points. Every call may be made from any thread; a context is current for each thread apart.
struct Cuda {
#define REQUIRED(member, name, parameters) Status(*member) parameters = nullptr;
#define OPTIONAL(member, name, parameters) Status(*member) parameters = nullptr;
#include "driver/cuda_entries.def"
#undef REQUIRED
#undef OPTIONAL
  std::string path;  ///< of the library that was opened, as far as known: "/usr/lib/x86_64-linux-gnu/libcuda.so.1"

  /// "CUDA_ERROR_LAUNCH_FAILED (719)"; "error 12345" for one the driver has no name for.
  [[nodiscard]] std::string name_of(Status status) const;
  /// The driver's own words for it: "unspecified launch failure"; "" for one it has none for.
  [[nodiscard]] std::string words_of(Status status) const;
};

/// What keeps the library from being used.
enum class OpenFailure : std::uint8_t {
  none,
  not_found,    ///< no such library
  not_loaded,   ///< there, and the linker could not load it
  not_drivers,  ///< loaded, and functions are missing
};

/// The entry points, or why there are none.
struct CudaResult {
  std::shared_ptr<const Cuda> cuda;         ///< nullptr: `error` says why
  OpenFailure failure = OpenFailure::none;  ///< none: `cuda` is there
  std::string error;                        ///< a sentence: what is missing and the way out
};

/// Opens the driver's library: libcuda.so.1 by the linker's search, then where WSL 2 has it; on Windows nvcuda.dll. The
/// environment variable PTXSCOPE_LIBCUDA names another one, and then no other is tried. It is never closed again: the
/// driver's threads run in it. Nothing is initialised: call init(0) first (driver/context.h does).
[[nodiscard]] CudaResult open_cuda();
/// The library of that path, and no other.
[[nodiscard]] CudaResult open_cuda(const std::string& path);

}  // namespace ptxscope::driver
