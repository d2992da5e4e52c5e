// Names of parameters in the source, from the debug information that a module carries (nvcc -G, clang -g, rustc).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

/// The debug information of one module. It is read at the first question, once; a module without costs nothing.
/// The Module must outlive it.
class DebugNames {
 public:
  explicit DebugNames(const Module& module);  ///< reads nothing yet
  ~DebugNames();
  DebugNames(const DebugNames&) = delete;
  DebugNames& operator=(const DebugNames&) = delete;

  /// One name for each of the function's parameters in the PTX; neighbours of the same name are one argument of the
  /// source that was passed in parts (a slice's pointer and length). "": no name that could be shown for this one.
  /// Empty when there is no debug information for the function, or when its parameters are not those of the PTX.
  /// Names are identifiers; beyond ASCII their bytes are not checked.
  [[nodiscard]] std::vector<std::string> of_parameters(const Function& function);

 private:
  class Tables;
  const Module& module_;
  std::unique_ptr<Tables> tables_;
};

/// The same for one function alone.
[[nodiscard]] std::vector<std::string> debug_parameter_names(const Module& module, const Function& function);

}  // namespace ptxscope::analysis
