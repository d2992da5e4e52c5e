// Lines of the source files that a PTX module names, where they are at hand.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ptxscope::report {

/// Reads source files on demand and keeps them. A module is untrusted and names any path it likes: only regular files
/// that are called like source code are read, up to 16 MiB of each, 64 files in all.
class SourceLines {
 public:
  /// `ptx_file`: relative names are looked for in its folder, then in the current one.
  explicit SourceLines(std::string_view ptx_file);

  /// The line (from 1) without the white space around it, fit to be shown; nullopt when it is not at hand.
  [[nodiscard]] std::optional<std::string> line(const std::string& file, std::uint32_t number);
  /// All of it as it is; empty when it is not at hand. Valid as long as this object.
  [[nodiscard]] std::string_view text(const std::string& file) { return content(file); }

 private:
  const std::string& content(const std::string& file);

  std::string folder_;
  std::map<std::string, std::string> contents_;  // empty: not at hand
};

}  // namespace ptxscope::report
