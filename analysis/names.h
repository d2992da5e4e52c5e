// Mangled names of C++ (Itanium) and Rust (legacy and v0) and the patterns that people give to pick a kernel.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

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

/// What several patterns pick, and which of them pick nothing. `patterns` must outlive it; none: all names.
class NameSelection {
 public:
  /// Nothing was picked yet.
  explicit NameSelection(std::span<const std::string> patterns) : patterns_(patterns), matched_(patterns.size()) {}
  /// Whether some pattern is the whole of it (matches_name), or there are none; notes which.
  [[nodiscard]] bool picks(std::string_view name);
  /// The patterns that no name so far was the whole of.
  [[nodiscard]] std::vector<std::string> unmatched() const;

 private:
  std::span<const std::string> patterns_;
  std::vector<bool> matched_;
};

}  // namespace ptxscope::analysis
