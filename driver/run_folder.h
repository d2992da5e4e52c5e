// The private folder of a run: it holds the socket and what is passed on about modules.
#pragma once

#include <string>

namespace ptxscope::driver {

/// A folder that nobody else may look into. It goes with this object; where the process is killed, the next run takes it
/// away: a lock on it, which ends with the process, tells.
class RunFolder {
 public:
  RunFolder() = default;
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  /// Makes it, and takes away those that killed runs left beside it. Returns a sentence on failure, else "".
  [[nodiscard]] std::string make();
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  int lock_ = -1;
};

}  // namespace ptxscope::driver
