// What `ptxscope run` saw: plain data, filled in by driver/run_server, written by report/run_*.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/instrument.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// A module's text and what was made of it. Both live as long as the report.
struct RunCode {
  /// Reads nothing of `m` but text; `names`: as in TrapOptions.
  explicit RunCode(Module m, std::vector<std::string> names = {})
      : module(std::move(m)), instrumented(instrument(module, {.names = std::move(names)})) {}
  Module module;              ///< what the program wanted to load
  Instrumented instrumented;  ///< what it got, sites and records' layout included
};

/// What became of a module that a program loaded.
enum class RunOutcome : std::uint8_t {
  instrumented,  ///< our text was loaded
  untouched,     ///< the original was loaded: nothing in it can trap, or nothing could be recorded (`reason`)
  fell_back,     ///< the driver refused our text (`our_log`), the original was loaded
  refused,       ///< the driver refused the original too, or at once
  no_ptx,        ///< machine code only; loaded as it was
};
[[nodiscard]] std::string_view spelling(RunOutcome outcome);  ///< "instrumented", "untouched", "fell-back", …

/// Whether a kernel ran at all, as far as it can be known.
enum class LaunchVerdict : std::uint8_t {
  launched,          ///< at least one kernel was
  nothing_launched,  ///< each process of the command was watched to its end, and none launched a kernel
  cannot_tell,       ///< none was seen, but not all was watched: RunReport::unwatched says what was not
};
[[nodiscard]] std::string_view spelling(LaunchVerdict verdict);  ///< "launched", "nothing-launched", "cannot-tell"

/// A process of the command of which not all was seen.
struct RunUnwatched {
  std::int64_t pid = 0;        ///< of that process
  std::string program;         ///< its name, as far as known
  std::string reason;          ///< what the process did: "started without the library", …; its subject is left out
  std::string remedy;          ///< a sentence without a full stop; empty: nothing is known that helps
  bool opened_driver = false;  ///< the driver's library was opened in it
};

/// A module that the program loaded, and what became of it.
struct RunModule {
  std::uint32_t number = 0;                    ///< from 1, in the order of loading
  std::int64_t pid = 0;                        ///< that loaded it
  std::string origin;                          ///< "./app", "/usr/lib/libx.so"; empty: not known
  std::string call;                            ///< "cuModuleLoadData"
  std::string target;                          ///< of the PTX that was taken: "sm_90"; empty: none
  std::uint64_t bytes = 0;                     ///< of the image that the program gave
  RunOutcome outcome = RunOutcome::untouched;  ///< see RunOutcome
  std::string reason;                          ///< of untouched, refused, no_ptx: a sentence without a full stop
  std::string remedy;                          ///< what to do about it; empty: nothing
  std::string error;                           ///< of refused: "CUDA_ERROR_INVALID_PTX"
  std::string jit_log;                         ///< the driver's words about the original
  std::string our_log;                         ///< the driver's words about our text
  std::string unrecorded;                      ///< of instrumented: why its traps are not recorded; empty: they are
  std::optional<double> load_ms;               ///< in the driver
  std::optional<double> prepared_ms;           ///< reading and instrumenting
  bool had_machine_code = false;               ///< for the device, which the PTX took the place of
  std::shared_ptr<const RunCode> code;         ///< nullptr: no PTX
};

/// All launches of one kernel that ended in the same way.
struct RunKernel {
  std::int64_t pid = 0;                  ///< that launched it
  std::string name;                      ///< as in the module; empty: not known
  std::uint32_t module = 0;              ///< RunModule::number; 0: not known
  std::uint64_t launches = 0;            ///< all, refused ones included
  std::uint64_t failed = 0;              ///< refused by the launch call itself
  std::string error;                     ///< of the last one refused: "CUDA_ERROR_INVALID_VALUE"
  bool trapped = false;                  ///< a trap of it was recorded
  std::array<std::uint32_t, 3> grid{};   ///< blocks of the last launch
  std::array<std::uint32_t, 3> block{};  ///< threads of a block, likewise
  std::uint32_t shared_bytes = 0;        ///< dynamic
  std::vector<std::uint32_t> devices;    ///< where it ran, by RunReport::devices; empty: not known
};

/// One launch as it was noted on the way to the driver.
struct RunLaunch {
  std::string kernel;                    ///< as in the module
  std::uint32_t module = 0;              ///< RunModule::number; 0: not known
  std::array<std::uint32_t, 3> grid{};   ///< blocks
  std::array<std::uint32_t, 3> block{};  ///< threads of a block
  std::uint32_t shared_bytes = 0;        ///< dynamic
  std::uint64_t stream = 0;              ///< the driver's handle; 0: the default stream
  std::vector<std::byte> parameters;     ///< as much as was noted, by KernelLayout's offsets
};

/// A record that an instrumented module left.
struct RunTrap {
  std::int64_t pid = 0;                 ///< of the process whose module wrote it
  std::uint32_t module = 0;             ///< RunModule::number
  std::optional<std::uint32_t> device;  ///< by RunReport::devices
  std::vector<std::byte> record;        ///< its bytes: decode_record() with the module's RunCode reads them
  /// Noted launches of the module's kernels, latest first: the one that trapped is found by its shape.
  std::vector<RunLaunch> launches;
};

/// An error that the driver told the program of.
struct RunError {
  std::int64_t pid = 0;    ///< that was told
  std::string call;        ///< "cuCtxSynchronize"
  int code = 0;            ///< CUresult: 719
  std::string name;        ///< "CUDA_ERROR_LAUNCH_FAILED"
  bool explained = false;  ///< a record says why
};

/// What was seen of a command from its start to its end.
struct RunReport {
  std::string command;                                 ///< as typed, for people
  std::int64_t pid = 0;                                ///< of the command itself
  bool driver_opened = false;                          ///< by a process that was seen
  LaunchVerdict verdict = LaunchVerdict::cannot_tell;  ///< whether kernels ran
  std::vector<RunUnwatched> unwatched;                 ///< some of them
  std::uint64_t more_unwatched = 0;                    ///< how many more
  std::string driver_version;                          ///< "13.0"; empty: not known
  std::vector<std::string> devices;                    ///< "NVIDIA H200 (sm_90)"
  std::optional<int> exit_status;                      ///< of the command
  std::optional<int> signal;                           ///< that killed it
  bool observed_only = false;                          ///< --no-record
  std::vector<RunModule> modules;                      ///< in order of number
  std::vector<RunKernel> kernels;                      ///< one for each kernel and process
  std::uint64_t graph_launches = 0;                    ///< launches of whole graphs, whose kernels are not in `kernels`
  std::vector<RunTrap> traps;                          ///< in the order in which they were noticed
  std::vector<RunError> errors;                        ///< in the order in which they were told
  std::vector<std::string> notes;                      ///< sentences with a full stop, remedies included
};

}  // namespace ptxscope::analysis
