// A file that takes the place of another in one step.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <string>
#include <string_view>

namespace ptxscope::cli {

/// What is written to it takes the place of `target` with commit(), whole or not at all, however the process ends. Without
/// commit() nothing is left of it.
class Replacement {
 public:
  explicit Replacement(std::string target);
  ~Replacement();
  Replacement(const Replacement&) = delete;
  Replacement& operator=(const Replacement&) = delete;

  /// 0, or errno: also of a folder that takes no new file. After an error nothing more is written.
  [[nodiscard]] int error() const { return error_; }
  int write(std::string_view text);
  int commit(::mode_t mode);

 private:
  // Signals wait, in this thread, from hold() on; those that end the process are all that are meant.
  void hold();
  void let_go();
  [[nodiscard]] bool asked_to_end() const;
  bool open_nameless();
  void open_named();
  void remove();

  std::string target_, folder_;
  std::string name_;      // "" while the new file has none
  std::string nameless_;  // where it can be had then
  int file_ = -1;
  int error_ = 0;
  bool holds_ = false;
  ::sigset_t ending_{}, before_{};
};

/// write(), until all is written. A file larger than allowed (setrlimit(2)) is an error like others. 0, or errno.
[[nodiscard]] int write_all(int file, std::string_view text);

}  // namespace ptxscope::cli
