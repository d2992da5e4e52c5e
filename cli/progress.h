// What a command is at, on standard error: only where that is a terminal, and only of what takes over a second.
#pragma once

#include <string>

namespace ptxscope::cli {

/// From now on the command is at this ("reading big.ptx, 48 MB"); "": nothing that takes time. Any thread.
void show_progress(std::string what);

/// Takes the line away, so that something else can be written to standard error. It comes back if the work goes on.
void hide_progress();

}  // namespace ptxscope::cli
