// Which files a scan looks into.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxscope::cli {

struct ScanFile {
  std::string path;
  bool is_named = false;  ///< by itself, not found in a folder or a list: one without PTX is told of
  bool is_there = false;  ///< and a regular file
  std::uint64_t size = 0;
  std::int64_t mtime_ns = 0;
};

struct ScanFiles {
  std::vector<ScanFile> files;  ///< each once: words in their order, files of a folder by name
  std::vector<std::string> problems;
};

/// Folders and all below them, and files by name; `listed` are those of a list. Links to folders are not followed.
/// `leave_out`: the scan's own output.
[[nodiscard]] ScanFiles find_scan_files(const std::vector<std::string>& words, const std::vector<std::string>& listed,
                                        const std::string& leave_out);

/// The paths in a file, "-": standard input, one on each line; where it holds NUL bytes, those stand between them.
/// False: it cannot be read.
[[nodiscard]] bool read_paths(const std::string& path, std::vector<std::string>& paths);

}  // namespace ptxscope::cli
