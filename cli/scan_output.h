// The file that `ptxscope scan` writes: JSON lines, which a later run goes on with. At any time it holds whole rows, all
// but perhaps the last one, which a run that is killed may leave torn and the next one takes out.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "report/scan.h"

namespace ptxscope::cli {

/// The rows of one file in the output.
struct KnownRows {
  report::ScanRowFile about;
  std::uint64_t begin = 0, end = 0;  ///< bytes
};

class ScanOutput {
 public:
  /// Empty `path`: standard output, of which nothing is known.
  ScanOutput(std::string path, std::string_view program_version) : path_(std::move(path)), version_(program_version) {}
  ~ScanOutput();
  ScanOutput(const ScanOutput&) = delete;
  ScanOutput& operator=(const ScanOutput&) = delete;

  /// Reads what is there. A sentence where that cannot be, or another scan writes there; else "".
  [[nodiscard]] std::string open();
  /// nullptr: no rows, or not all.
  [[nodiscard]] const KnownRows* known(const std::string& file) const;
  /// The rows as they were when open() read them.
  [[nodiscard]] std::string rows_of(const KnownRows& known) const;

  /// Takes out all rows but those of these files, all of them known.
  [[nodiscard]] std::string keep(const std::vector<std::string>& files);
  /// Whole lines, all of one file.
  [[nodiscard]] std::string append(const std::string& file, std::string_view rows);
  /// Puts the rows into the order of these files; those that have none are left out.
  [[nodiscard]] std::string order(const std::vector<std::string>& files);
  /// The reader of standard output went away: nothing to talk about.
  [[nodiscard]] bool is_closed_pipe() const { return closed_pipe_; }

 private:
  struct Rows {
    std::string file;
    std::uint64_t begin = 0, end = 0;
  };
  [[nodiscard]] std::string open_and_lock();
  [[nodiscard]] std::string lock();
  void read_rows();
  void note_line(std::string_view line, std::uint64_t begin);
  [[nodiscard]] std::string rewrite(const std::vector<Rows>& rows);

  std::string path_;
  std::string target_;  // path_, or where that leads as a link
  std::string version_;
  int file_ = -1;  // what is written to, and locked
  int old_ = -1;   // what open() read; the same, or what was there before
  std::uint64_t size_ = 0;
  ::mode_t mode_ = 0666;
  bool closed_pipe_ = false;
  std::unordered_map<std::string, KnownRows> known_;
  std::vector<Rows> rows_;  // what stands in file_, in order
};

}  // namespace ptxscope::cli
