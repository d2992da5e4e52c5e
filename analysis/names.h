// Mangled names of C++ (Itanium) and Rust (legacy and v0) and the patterns that people give to pick a kernel.
#pragma once

#include <string>
#include <string_view>

namespace ptxscope::analysis {

/// "vecadd(float*, int)", "core::panicking::panic_bounds_check". Empty when the name is not mangled, or when it is too
/// long, nests too deeply or would grow beyond all use (a few bytes of back references can stand for gigabytes).
[[nodiscard]] std::string demangled(std::string_view name);

/// The demangled name without the parameter list, return type and enclosing function's arguments: "scan<float>",
/// "ns::vecadd". Empty as above.
[[nodiscard]] std::string demangled_without_parameters(std::string_view name);

/// Whether `pattern`, in which `*` stands for any characters, is the whole of: the name as it is; demangled; demangled
/// without parameters; or that without its template arguments.
[[nodiscard]] bool matches_name(std::string_view pattern, std::string_view name);

}  // namespace ptxscope::analysis
