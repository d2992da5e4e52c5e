// All processes of the command, from the board on which they note themselves: what of them was watched.
#pragma once

#include <string>

#include "driver/run_collect.h"

namespace ptxscope::driver {

/// Puts an empty board into the folder, and leaves it open. -1 and errno's number: there is none, and each process counts as
/// not watched.
[[nodiscard]] int make_board(const std::string& folder, int& error);

/// Processes that are still there though the command has ended get a moment for their own end.
void wait_for_rest(const RunClients& clients, std::int64_t command);

/// Fills in what was not watched, and whether a kernel ran. Kernels, exit status and signal must be there already.
void settle_verdict(const RunClients& clients, analysis::RunReport& report);

}  // namespace ptxscope::driver
