// Asking what may hang or crash, a program or a library, in a process of its own with a limit of time.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace ptxscope::driver {

/// What came of it.
struct ChildAnswer {
  bool ended = false;  ///< by itself, with status 0
  std::string output;  ///< at most a megabyte of it
  std::string error;   ///< ended is false: "not done after 10 s", "ended by signal 11", "exit status 3"
};

/// Runs a program, no shell involved: its standard output and standard error together.
[[nodiscard]] ChildAnswer run_program(const std::vector<std::string>& command, unsigned seconds);

/// Calls `body` in a copy of this process: what it returns. Its own standard output and error go nowhere. This process
/// must have one thread.
[[nodiscard]] ChildAnswer run_apart(const std::function<std::string()>& body, unsigned seconds);

}  // namespace ptxscope::driver
