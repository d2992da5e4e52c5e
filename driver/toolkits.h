// The parts of CUDA on this machine: toolkits by PATH, by variables and in their usual folders, and the wheels of the
// active Python environment.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/doctor.h"

namespace ptxscope::driver {

/// Paths as seen from a folder that stands in for /.
class Surroundings {
 public:
  explicit Surroundings(std::string root);
  /// Where a path of that world is in this one: "/usr" → "/srv/image/usr". Links are followed in that world: an absolute
  /// one begins at its root.
  [[nodiscard]] std::string real(const std::string& path) const {
    return root_.empty() ? path : root_ + followed(path);
  }
  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] bool is_file(const std::string& path) const;
  [[nodiscard]] bool is_program(const std::string& path) const;
  [[nodiscard]] bool is_folder(const std::string& path) const;
  /// Names in a folder, in order, at most some thousands.
  [[nodiscard]] std::vector<std::string> names_in(const std::string& folder) const;
  /// The path with its links followed, in that world; the path itself where that fails.
  [[nodiscard]] std::string resolved(const std::string& path) const;
  /// The first `bytes` of a file; "" when it cannot be read.
  [[nodiscard]] std::string head(const std::string& path, std::size_t bytes = 65536) const;
  /// A variable of the environment; "" when it is not set.
  [[nodiscard]] static std::string variable(const char* name);
  /// The folders of a variable such as PATH, without empty and relative ones.
  [[nodiscard]] static std::vector<std::string> folders_of(const std::string& list);

 private:
  [[nodiscard]] std::string followed(const std::string& path) const;

  std::string root_;
};

/// Those in use first; each folder once.
[[nodiscard]] std::vector<Toolkit> find_toolkits(const Surroundings& around);

/// Variables that name a toolkit's folder in which there is nothing of CUDA: "CUDA_HOME=/opt/cuda".
[[nodiscard]] std::vector<std::string> empty_variables(const Surroundings& around);

}  // namespace ptxscope::driver
