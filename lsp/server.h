// The language server: what ptxscope knows of a module, for editors (Language Server Protocol 3.17).
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ptxscope::lsp {

struct Streams {
  /// Reads up to that many bytes, at least one; 0: the other side has closed.
  std::function<std::size_t(char* to, std::size_t most)> read;
  /// Writes all of it.
  std::function<void(std::string_view bytes)> write;
};

/// Serves until `exit` or the end of what comes. `version`: of this program. False: it ended without `shutdown`.
[[nodiscard]] bool serve(const Streams& streams, std::string_view version);

}  // namespace ptxscope::lsp
