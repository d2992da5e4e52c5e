// The program that `ptxscope run` is to start: where it is, and what keeps it from being started or watched.
#pragma once

#include <string>
#include <vector>

namespace ptxscope::driver {

/// Exit statuses of a command that was not started, as env and shells have them.
enum NotStarted : int { not_executable = 126, not_found = 127 };

struct FoundProgram {
  std::string path;   ///< empty: none, and `error` says why
  std::string error;  ///< a sentence: place, reason, way out
  int exit_code = 0;  ///< then: 126 or 127
};

/// By PATH, as execvp does.
[[nodiscard]] FoundProgram find_program(const std::string& name);

/// Why execve failed on that path; `reason` is errno.
[[nodiscard]] FoundProgram not_started(const std::string& path, int reason);

/// What keeps a library from being preloaded, in words; empty: nothing that is seen here. `would_show`: with the library the
/// program would not even start, or the loader would say something in it.
[[nodiscard]] std::string preload_obstacle(const std::string& path, bool& would_show);

/// A command line as a person would type it.
[[nodiscard]] std::string as_typed(const std::vector<std::string>& command);

}  // namespace ptxscope::driver
