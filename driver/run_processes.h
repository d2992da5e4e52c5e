// All processes of the command, from the board on which they note themselves: what of them was watched.
#pragma once

#include <string>

#include "driver/run_collect.h"

namespace ptxscope::driver {

/// Puts an empty board into the folder. Where that fails, each process counts as not watched.
void make_board(const std::string& folder);

/// Fills in what was not watched, and whether a kernel ran. Kernels, exit status and signal must be there already.
void settle_verdict(const RunClients& clients, analysis::RunReport& report);

}  // namespace ptxscope::driver
