// Signals while a command runs: those sent to ptxscope are for the command.
#pragma once

#include <sys/types.h>

#include <csignal>

namespace ptxscope::driver {

/// Blocks every signal that a person or a program may send to this process, and passes it on to the command: exit and
/// job control are then the command's. What a terminal sends goes to its whole process group, and reaches the command by
/// itself.
class CommandSignals {
 public:
  CommandSignals();
  ~CommandSignals();
  CommandSignals(const CommandSignals&) = delete;
  CommandSignals& operator=(const CommandSignals&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }  ///< readable: there is one; -1: none could be had
  /// For the command, before it is started: signals as this process found them.
  void restore_in_child() const;
  /// Passes on what came, and stops where the terminal or the sender wants that.
  void pass_on(pid_t command) const;
  /// The command was stopped by that signal: a shell that waits in the foreground sees it by this process.
  static void stop_with_command(int signal);

 private:
  sigset_t before_{};
  int descriptor_ = -1;
};

}  // namespace ptxscope::driver
