// `ptxscope run`: a program is started with a library in front of the driver (driver/preload), which asks this process
// what to load and leaves its records in shared memory. Reading and instrumenting happen here, in short-lived child
// processes, so that nothing in a module can harm the program or end the run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/run_report.h"

namespace ptxscope::driver {

/// What run_command() is to do.
struct RunOptions {
  std::vector<std::string> command;  ///< the program, looked for in PATH, and its arguments
  bool record = true;                ///< false: modules are loaded as they are
  std::string preload;               ///< path of libptxscope-preload.so
  bool triton_cache = false;         ///< machine code that lies in Triton's cache: load the PTX beside it
  std::vector<std::string> names;    ///< of the kernels' arguments, as in analysis::TrapOptions
  unsigned load_seconds = 20;        ///< for reading and instrumenting one module; then the original is loaded
  std::uint64_t code_bytes = 0;      ///< of modules without a trap, how much is read for the report (RunModule::code)
  /// Called as soon as a record is seen, with what is known by then.
  std::function<void(const analysis::RunReport& so_far, const analysis::RunTrap& trap)> on_trap;
};

/// How the run went.
struct RunResult {
  analysis::RunReport report;  ///< what was seen; empty when the command was not started
  int exit_code = 0;           ///< the command's; 128+n when signal n ended it; 127: not found, 126: not executable
  std::string error;           ///< a sentence: why the command was not started; empty: it was
};

/// Starts the command, waits for its end, and tells what was seen. Signals sent to this process meanwhile are passed on
/// (CommandSignals): an interrupt reaches the command, whose end is then waited for.
[[nodiscard]] RunResult run_command(const RunOptions& options);

/// The preloaded library: $PTXSCOPE_PRELOAD, or beside the executable, or in ../lib/ptxscope from there. Empty: none.
[[nodiscard]] std::string find_preload();

/// What `run` makes of an image. Public for tests: no driver takes part.
struct PreparedImage {
  bool is_replaced = false;       ///< `text` is to be loaded instead
  std::string target;             ///< of the PTX taken: "sm_90"; empty: none
  std::string reason;             ///< why it is loaded as it was, or what is special; a sentence without a full stop
  std::string remedy;             ///< what to do about it; empty: nothing
  bool has_ptx = false;           ///< PTX was found in it
  bool had_machine_code = false;  ///< for all the devices
  unsigned beyond_limit = 0;      ///< places that do not record, because there are too many
  std::string ptx;                ///< as it was
  std::string text;               ///< instrumented
  std::string record_name;        ///< Instrumented::record_name
  unsigned max_registers = 0;     ///< of the image's options for ptxas, which count for the replacement too; 0: none
  int optimization = -1;          ///< likewise; -1: none
  std::vector<analysis::KernelLayout> kernels;  ///< of `text`
};
/// `capabilities`: of the devices, 90 for 9.0; empty: not known, and the highest target is taken.
[[nodiscard]] PreparedImage prepare_image(std::span<const std::byte> image, bool is_text,
                                          std::span<const unsigned> capabilities);

}  // namespace ptxscope::driver
