// Asking NVIDIA's assembler what it makes of a module: `ptxas -v`.
#pragma once

#include <string>
#include <string_view>

#include "report/stats.h"

namespace ptxscope::cli {

/// The program's path: `wanted` if it has a slash, else looked for in PATH, $CUDA_PATH/bin, $CUDA_HOME/bin and
/// /usr/local/cuda/bin. Empty: not there.
[[nodiscard]] std::string find_ptxas(const std::string& wanted);

struct PtxasAnswer {
  report::CompiledModule compiled;
  std::string error;  ///< a sentence: ptxas could not be asked. A refusal is no error.
};

/// Compiles the text for the target (`sm_80`) in a folder of its own under the system's temporary one, which is removed.
/// No shell is involved; gives up after `seconds`.
[[nodiscard]] PtxasAnswer ask_ptxas(const std::string& path, std::string_view text, const std::string& file_name,
                                    const std::string& target, unsigned seconds);

}  // namespace ptxscope::cli
