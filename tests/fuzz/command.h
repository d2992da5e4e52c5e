// A command of ptxscope run in this process, as a person runs it: its words, files in memory, and what it writes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ptxscope::cli {
class Program;
}

namespace ptxscope::fuzz {

/// A file that is nowhere but in memory, with a path for a command line.
class MemoryFile {
 public:
  MemoryFile();
  explicit MemoryFile(std::string_view bytes) : MemoryFile() { set(bytes); }
  ~MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  void set(std::string_view bytes) const;
  [[nodiscard]] std::string bytes() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

 private:
  int descriptor_;
  std::string path_;
};

/// Remembers the standard error of the process, for what is said of finds. Before the first command.
void start_catching();

/// What a command did.
struct Outcome {
  int exit_code = 0;
  std::string out;  ///< standard output
  std::string err;  ///< standard error
};

/// `add`: the command's add_NAME(). `words`: its name, options and files; of `words` only options may come from an input.
/// Requires that the exit code is one of those documented and that standard error may be shown in a terminal.
[[nodiscard]] Outcome run_command(void (*add)(cli::Program&), std::vector<std::string> words);

}  // namespace ptxscope::fuzz
