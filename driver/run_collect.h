// From the shared memory of the processes to a RunReport.
#pragma once

#include <string>
#include <vector>

#include "driver/run_client.h"

namespace ptxscope::driver {

/// All processes that opened the driver, in the order in which they did, and what they share.
struct RunClients {
  std::vector<std::unique_ptr<RunClient>> all;
  std::uint32_t modules = 0;  ///< numbers given so far
  std::string folder;
  int board = -1;                  ///< run::Board, open: whatever becomes of its name
  int board_error = 0;             ///< errno: why there is none
  std::vector<std::string> names;  ///< RunOptions::names
  bool has_other_version = false;  ///< a process came that speaks another protocol
  std::uint64_t lost = 0;          ///< processes that could not be taken on
  bool lacks_memory = false;       ///< a module's text could not be read for that
  /// By the text's file: several modules may have the same.
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::shared_ptr<const analysis::RunCode>> codes;
};

/// The number of a process's module among all modules of the run.
std::uint32_t module_number(RunClients& clients, RunClient& client, std::uint32_t module);

/// Records that were written and not yet told of: index of the slot for each.
[[nodiscard]] std::vector<std::uint32_t> new_records(const RunClient& client, bool also_unfinished);

/// What a record and the launches say.
[[nodiscard]] analysis::RunTrap collect_trap(RunClients& clients, RunClient& client, std::uint32_t slot);

/// Reads the texts of instrumented modules, at most so many bytes in all: a report tells what was left alone in them.
void read_codes(RunClients& clients, std::uint64_t bytes);

/// Fills in modules, kernels, errors, devices. Traps and what is about the command are the caller's.
void collect(RunClients& clients, analysis::RunReport& report);

}  // namespace ptxscope::driver
