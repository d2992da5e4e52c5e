// scan: the rows of a module, and rows that an earlier scan left, which may be damaged.
#include "report/scan.h"

#include "analysis/module_summary.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

constexpr std::string_view version = "0";

// The lines of a text, its last one too where it has no end.
template <typename Visit>
void each_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    visit(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

void write_rows(const Input& input) {
  const Module module = parse(input.text, "fuzz.ptx");
  const report::ScannedFile file{"dir/\xff<a>.ptx", input.text.size(), -1, "0123"};
  report::ScanRows rows(file, version);
  rows.add(module, analysis::summarize(module));
  rows.add_failure(report::ScanStatus::unreadable, input.text.substr(0, 40), input.other.substr(0, 40));
  std::size_t count = 0;
  each_line(report::with_mtime(rows.finish(), 7), [&](std::string_view line) {
    require_json(line, "");
    report::ScanRowFile row;
    require(report::read_scan_row(line, version, row), "a row that was written is read", line);
    require(row.file.mtime_ns == 7 && row.file.size == file.size, "a row is about its file", line);
    ++count;
  });
  require(count >= 2, "a module has a row");
}

void scan(const Input& input) {
  write_rows(input);
  each_line(input.other, [](std::string_view line) {
    report::ScanRowFile row;
    (void)report::read_scan_row(line, version, row);
  });
}

}  // namespace

Target scan_target() { return {.name = "scan", .form = Form::ptx, .run = scan}; }

}  // namespace ptxscope::fuzz
