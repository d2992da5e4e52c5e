// This process on the board of all processes, so that it can be told what was watched and what was not.
#pragma once

#include <cstdint>

namespace ptxscope::preload {

/// Looks up what this library stands before. While there is one thread.
void find_process_functions();
/// Opens the board in the private folder and notes this process there. Once, before anything else.
void join_board(const char* folder);
/// In the child of a fork.
void join_board_again();
/// One or several of the flags of run::ProcessRow hold.
void flag_process(std::uint32_t flags, int error = 0);
/// A kernel was launched that nothing else counts.
void count_launch();
/// The id of `ptxscope run`; 0: not known.
[[nodiscard]] std::int64_t parent_process();
/// Whether it has shut system calls off: one that it does not make itself may end it.
[[nodiscard]] bool is_confined();
/// The process ends.
void leave_board();

}  // namespace ptxscope::preload
