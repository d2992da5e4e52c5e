// The rows that `ptxscope scan` writes: JSON lines, one a kernel (docs/scan.md).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/module_summary.h"
#include "parser/module.h"

namespace ptxscope::report {

/// What a row is about, and how reading it went.
enum class ScanStatus : std::uint8_t {
  ok,             ///< a kernel
  no_kernel,      ///< a module without kernels
  unreadable,     ///< a file, or a module in one, that could not be read: `error` says why
  timeout,        ///< a file that took longer than it may
  out_of_memory,  ///< … more memory
  crashed,        ///< a file at which the process that read it ended
};
[[nodiscard]] std::string_view spelling(ScanStatus status);  ///< "ok", "no-kernel", "out-of-memory", …

/// The file that rows are about, as it was when it was read.
struct ScannedFile {
  std::string name;           ///< as rows have it
  std::uint64_t size = 0;     ///< bytes
  std::int64_t mtime_ns = 0;  ///< since 1970
  std::string sha256;         ///< of all its bytes; empty: not read
};

/// The rows of one file. finish() makes them text: what all rows of a file say, like their number, is then known.
class ScanRows {
 public:
  /// `program_version`: of ptxscope; it stands in each row.
  ScanRows(ScannedFile file, std::string_view program_version);
  ~ScanRows();  ///< rows that finish() was not asked for are gone
  ScanRows(const ScanRows&) = delete;
  ScanRows& operator=(const ScanRows&) = delete;

  /// A row for each kernel of the module, or one of ScanStatus::no_kernel. The module need not outlive this.
  void add(const Module& module, const analysis::ModuleSummary& summary);
  /// `module`: the name of the one in the file; empty: the file as a whole.
  void add_failure(ScanStatus status, std::string_view module, std::string_view error);
  /// Whole lines.
  [[nodiscard]] std::string finish() const;

 private:
  struct Content;
  std::unique_ptr<Content> content_;
};

/// What a row says of its file, for a scan that goes on where another one ended.
struct ScanRowFile {
  ScannedFile file;        ///< as it was when the row was written
  std::uint64_t rows = 0;  ///< of that file in all
  bool failed = false;     ///< timeout, out of memory or crashed: another time it may do
};
/// False: this is no whole row of that version of the program.
[[nodiscard]] bool read_scan_row(std::string_view line, std::string_view program_version, ScanRowFile& row);

/// The rows, with another time of change of their file.
[[nodiscard]] std::string with_mtime(std::string_view rows, std::int64_t mtime_ns);

}  // namespace ptxscope::report
