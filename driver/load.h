// Loading a module on the device, and what the driver's compiler made of it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "driver/context.h"
#include "parser/diagnostic.h"

namespace ptxscope::driver {

/// A message of the driver's compiler.
struct JitMessage {
  Level level = Level::error;  ///< how grave, in the compiler's words
  std::uint32_t line = 0;      ///< of the PTX; 0: the message names none
  std::string function;        ///< that the message names; empty: none
  std::string text;            ///< the message, the place in front of it taken off
};

/// What a kernel's code needs, in the words of the log.
struct JitUsage {
  std::string function;            ///< mangled, as in the PTX
  std::uint64_t stack = 0;         ///< bytes
  std::uint64_t spill_stores = 0;  ///< bytes
  std::uint64_t spill_loads = 0;   ///< bytes
  std::uint64_t barriers = 0;      ///< hardware barriers
};

/// A log taken apart.
struct JitLog {
  std::vector<JitMessage> messages;  ///< without the lines that are read into `usage`
  std::vector<JitUsage> usage;       ///< one for each function it tells of
};
/// Reads the driver's two logs, which are ptxas' messages: "ptxas application ptx input, line 12; error   : …".
[[nodiscard]] JitLog read_jit_log(std::string_view info, std::string_view errors);

/// How many blocks of a size fit on a multiprocessor.
struct Occupancy {
  unsigned block = 0;                  ///< threads
  int blocks = 0;                      ///< at once on one multiprocessor; 0: it cannot be launched so
  int threads_at_most = 0;             ///< of a multiprocessor
  [[nodiscard]] double share() const;  ///< of those threads that are in use, warps being filled: 0 to 1
};

/// What the driver tells of a kernel that is loaded.
struct LoadedKernel {
  std::string name;                  ///< as in the PTX
  std::string error;                 ///< the driver does not tell of it: a sentence
  int registers = 0;                 ///< of a thread
  int local_bytes = 0;               ///< of a thread
  int shared_bytes = 0;              ///< of a block, static
  int const_bytes = 0;               ///< of the module's constants that it may use
  int max_threads = 0;               ///< of a block, as it was compiled
  int ptx_version = 0;               ///< 90: compiled from PTX of .target sm_90
  int binary_version = 0;            ///< 90: machine code for sm_90
  std::vector<Occupancy> occupancy;  ///< by the block sizes asked for
};

/// What load() is to do.
struct LoadOptions {
  int device = 0;                  ///< as CUDA_VISIBLE_DEVICES counts them
  unsigned repeat = 1;             ///< how often it is loaded, for the time
  std::vector<unsigned> blocks;    ///< sizes in threads
  std::size_t dynamic_shared = 0;  ///< bytes of a block, for the occupancy
};

/// What loading gave.
struct LoadReport {
  DeviceInfo device;                  ///< the one it was loaded on
  bool is_loaded = false;             ///< every time
  Error error;                        ///< of the first load that failed
  std::vector<double> milliseconds;   ///< of each load
  double compiler_milliseconds = 0;   ///< the median of what the driver tells; 0: not told
  JitLog log;                         ///< of the first load
  std::string raw_log;                ///< its two logs as they came
  bool log_is_cut = false;            ///< a log was longer than the room for it
  std::vector<LoadedKernel> kernels;  ///< those asked about, in that order; empty: it was not loaded

  [[nodiscard]] double median() const;  ///< of `milliseconds`; 0: there are none
  /// It was not loaded because of what the module is, not for want of memory, a compiler or a GPU that answers.
  [[nodiscard]] bool is_refused() const;
};

/// Opens the device for load(): modules are loaded whole, whatever CUDA_MODULE_LOADING says, and the driver's compiler
/// is started, so that what is measured later is the module.
[[nodiscard]] Result<Session> open_for_loading(int device);

/// Loads `ptx` and asks about `kernels`, by their names in the PTX.
[[nodiscard]] LoadReport load(const Session& session, const std::string& ptx, const std::vector<std::string>& kernels,
                              const LoadOptions& options);

}  // namespace ptxscope::driver
