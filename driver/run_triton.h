// Triton's cache: a folder for each kernel, in which NAME.cubin, that the program loads, lies beside NAME.ptx.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace ptxscope::driver {

/// The PTX beside the file that has these bytes; nothing: there is none, or it was not found within a bounded time.
[[nodiscard]] std::optional<std::string> find_triton_ptx(const std::string& folder, std::span<const std::byte> code);

}  // namespace ptxscope::driver
