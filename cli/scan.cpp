// ptxscope scan: a row a kernel, of all PTX in many files.
#include <unistd.h>

#include <CLI/App.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <unordered_set>

#include "analysis/module_summary.h"
#include "analysis/sha256.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/output.h"
#include "cli/progress.h"
#include "cli/scan_files.h"
#include "cli/scan_output.h"
#include "cli/worker_pool.h"
#include "driver/child.h"
#include "report/scan.h"

namespace ptxscope::cli {

namespace {

using report::ScanStatus;

struct ScanFlags {
  std::string files_from;
  unsigned seconds = 60;
  std::uint64_t memory = 4096;  // MiB
  bool retry = false;
  bool compares_hash = false;
};

// The first character of a worker's answer.
constexpr char new_rows = 'R';
constexpr char same_bytes = 'S';  // as the rows that are there say
constexpr char nothing = 'N';     // no PTX in it, and nobody said that there was

bool is_text_without_ptx(const InputFile& file) {
  return !file.is_container && !file.path.ends_with(".ptx") && !starts_with_version(file.bytes);
}

// In a process of its own: all rows of a file.
std::string look_into(const ScanFile& file, const std::string& known_sha256) {
  report::ScannedFile about{file.path, file.size, file.mtime_ns, {}};
  InputReader reader;
  const InputFile& opened = reader.open(file.path);
  about.sha256 = opened.bytes.empty() ? "" : analysis::sha256(opened.bytes);
  if (!known_sha256.empty() && about.sha256 == known_sha256) return {same_bytes};
  const bool is_unread = !opened.error.empty() && opened.listing.format == ContainerFormat::unknown;
  const bool is_without = !opened.error.empty() || is_text_without_ptx(opened);
  const bool is_expected =
      file.is_named || file.path.ends_with(".ptx") || (is_unread && (file.size > 0 || !file.is_there));
  if (is_without && !is_expected) return {nothing};
  report::ScanRows rows(about, PTXSCOPE_VERSION);
  if (is_without) {
    const std::string error = opened.error.empty() ? "this is a text without PTX" : opened.error;
    rows.add_failure(ScanStatus::unreadable, "", error);
    return new_rows + rows.finish();
  }
  const bool is_plain = !opened.is_container;
  for (Input& input : reader.read_all(file.path)) {
    if (!input.text) {
      rows.add_failure(ScanStatus::unreadable, is_plain ? "" : input.name, input.error);
      continue;
    }
    const Module module = parse(std::move(*input.text), input.name);
    rows.add(module, analysis::summarize(module));
  }
  return new_rows + rows.finish();
}

std::string failure_row(const ScanFile& file, const WorkOutcome& outcome, const ScanFlags& flags) {
  report::ScanRows rows({file.path, file.size, file.mtime_ns, {}}, PTXSCOPE_VERSION);
  if (outcome.end == WorkEnd::timeout)
    rows.add_failure(ScanStatus::timeout, "",
                     "not done after " + std::to_string(flags.seconds) + " s; --seconds gives it more");
  else if (outcome.end == WorkEnd::out_of_memory)
    rows.add_failure(ScanStatus::out_of_memory, "",
                     "needs more than " + std::to_string(flags.memory) + " MiB; --memory gives it more");
  else rows.add_failure(ScanStatus::crashed, "", "the process that read it ended by " + outcome.reason);
  return rows.finish();
}

class Scan {
 public:
  Scan(Run& run, const ScanFlags& flags, std::string path)
      : run_(run), flags_(flags), output_(std::move(path), PTXSCOPE_VERSION) {}

  // False: it ended before its end.
  bool look(std::vector<ScanFile> files) {
    show_progress("scan, reading the rows that are there");
    if (std::string problem = output_.open(); !problem.empty()) return fail(problem);
    std::vector<std::string> kept;
    std::vector<std::string> all;
    for (ScanFile& file : files) {
      all.push_back(file.path);
      const KnownRows* const known = output_.known(file.path);
      if (known != nullptr && is_current(file, *known)) kept.push_back(file.path);
      else to_do_.push_back(std::move(file));
    }
    reused_ = kept.size();
    if (std::string problem = output_.keep(kept); !problem.empty()) return fail(problem);
    const WorkerLimits limits{run_.jobs(), flags_.seconds, flags_.memory << 20U};
    const std::string problem = run_workers(
        to_do_.size(), limits, [&](std::size_t i) { return look_into(to_do_[i], sha256_before(to_do_[i])); },
        [&](const WorkOutcome& outcome) { return take(outcome); });
    show_progress("");
    if (!problem.empty()) return fail(problem);
    if (is_over_) return false;
    if (std::string unordered = output_.order(all); !unordered.empty()) return fail(unordered);
    say_sums(all.size());
    return true;
  }

 private:
  bool fail(const std::string& problem) {
    run_.fail(problem);
    return false;
  }

  [[nodiscard]] bool is_current(const ScanFile& file, const KnownRows& known) const {
    if (flags_.retry && known.about.failed) return false;
    return file.is_there && !flags_.compares_hash && file.size == known.about.file.size &&
           file.mtime_ns == known.about.file.mtime_ns;
  }

  [[nodiscard]] std::string sha256_before(const ScanFile& file) const {
    const KnownRows* const known = output_.known(file.path);
    if (known == nullptr || known->about.failed || known->about.file.size != file.size) return {};
    return known->about.file.sha256;
  }

  bool take(const WorkOutcome& outcome) {
    const ScanFile& file = to_do_[outcome.item];
    show_progress("scan, " + std::to_string(outcome.item + 1) + " of " + std::to_string(to_do_.size()) + " files");
    std::string rows;
    if (outcome.end != WorkEnd::done) {
      rows = failure_row(file, outcome, flags_);
      ++failed_;
    } else if (outcome.answer.front() == new_rows) {
      rows = outcome.answer.substr(1);
    } else if (outcome.answer.front() == same_bytes) {
      rows = report::with_mtime(output_.rows_of(*output_.known(file.path)), file.mtime_ns);
      ++reused_;
    } else {
      ++without_;
    }
    const std::string problem = output_.append(file.path, rows);
    is_over_ = !problem.empty();
    if (is_over_ && output_.is_closed_pipe()) run_.exit_with(failure);
    else if (is_over_) run_.fail(problem);
    return !is_over_;
  }

  void say_sums(std::size_t files) {
    std::string text = std::to_string(files) + (files == 1 ? " file" : " files");
    if (reused_ != 0) text += ", " + std::to_string(reused_) + " as before";
    if (without_ != 0) text += ", " + std::to_string(without_) + " without PTX";
    if (failed_ != 0) text += ", " + std::to_string(failed_) + " given up (see status and error of their rows)";
    run_.warn(text);
  }

  Run& run_;
  const ScanFlags& flags_;
  ScanOutput output_;
  std::vector<ScanFile> to_do_;
  std::size_t reused_ = 0, without_ = 0, failed_ = 0;
  bool is_over_ = false;
};

// Parquet is written by the Python module, with pyarrow: nothing that this program is linked with can.
class ParquetWriter {
 public:
  ParquetWriter() {
    const char* const given = std::getenv("PTXSCOPE_PYTHON");  // set by the package's own command
    python_ = given != nullptr && *given != '\0' ? given : "python3";
  }

  // A sentence where it cannot be done; else "".
  [[nodiscard]] std::string why_not() const {
    const driver::ChildAnswer answer = run({"--check"});
    if (answer.ended) return {};
    return "Parquet is written by the Python package with pyarrow, and " + python_ +
           " does not have both: pip install pyarrow, and in a clone of ptxscope pip install .; or let -o name a "
           ".jsonl "
           "file";
  }

  [[nodiscard]] std::string write(const std::string& rows, const std::string& parquet) const {
    const driver::ChildAnswer answer = run({rows, parquet});
    if (answer.ended) return {};
    return parquet + ": " + answer.error + ": " + answer.output + "; the rows are in " + rows;
  }

 private:
  [[nodiscard]] driver::ChildAnswer run(std::vector<std::string> words) const {
    constexpr unsigned seconds = 3600;
    words.insert(words.begin(), {python_, "-m", "ptxscope.parquet"});
    return driver::run_program(words, seconds);
  }

  std::string python_;
};

void scan(Run& run, const ScanFlags& flags) {
  const std::vector<std::string>& words = run.options().words;
  std::vector<std::string> listed;
  if (!flags.files_from.empty() && !read_paths(flags.files_from, listed))
    return run.fail("--files-from " + flags.files_from +
                    ": cannot be read; name a file with a path on each line, or -");
  if (std::ranges::find(words, "-") != words.end())
    return run.fail("-: standard input is no folder; --files-from - reads a list of paths from it");
  if (words.empty() && flags.files_from.empty())
    return run.fail("say where to look: folders, or files (ptxscope scan --help shows examples)");
  constexpr std::uint64_t most_memory = std::uint64_t{1} << 30;  // MiB
  if (flags.seconds == 0) return run.fail("--seconds 0: must be at least 1");
  if (flags.memory > most_memory)
    return run.fail("--memory " + std::to_string(flags.memory) +
                    ": more than there can be; it is in MiB, and 0 is no limit");
  std::string path = run.take_output();
  if (path == "-") path.clear();
  const std::string parquet = path.ends_with(".parquet") ? path : "";
  const ParquetWriter writer;
  if (!parquet.empty()) {
    if (std::string problem = writer.why_not(); !problem.empty()) return run.fail("-o " + path + ": " + problem);
    if (std::string problem = why_not_written(parquet); !problem.empty()) return run.fail(problem);
    path += ".jsonl";
  }
  show_progress("scan, looking for files");
  ScanFiles found = find_scan_files(words, listed, parquet.empty() ? path : parquet);
  for (const std::string& problem : found.problems) run.warn(problem);
  const bool is_done = Scan(run, flags, path).look(std::move(found.files));
  if (!is_done || parquet.empty()) return;
  if (std::string problem = writer.write(path, parquet); !problem.empty()) run.fail(problem);
}

}  // namespace

void add_scan(Program& program) {
  const auto flags = std::make_shared<ScanFlags>();
  CLI::App& app = program.add(
      {.name = "scan",
       .summary =
           "a row for each kernel of all PTX in folders and files, as JSON lines or Parquet; goes on where it ended",
       .examples = {"ptxscope scan build/ -o kernels.jsonl",
                    "ptxscope scan --jobs 16 ~/.triton/cache -o triton.parquet",
                    "find . -name '*.ptx' -print0 | ptxscope scan --files-from - -o kernels.jsonl"},
       .words = "DIR|FILE...",
       .takes_jobs = true},
      [flags](Run& run) { scan(run, *flags); });
  app.add_option("--files-from", flags->files_from,
                 "also the paths in FILE, one on each line or with NUL between them; - is standard input")
      ->type_name("FILE");
  app.add_option("--seconds", flags->seconds, "how long one file may take (default: 60)")->type_name("N");
  app.add_option("--memory", flags->memory, "how much memory one file may take, in MiB; 0: no limit (default: 4096)")
      ->type_name("MIB");
  app.add_flag("--retry", flags->retry, "also files that were given up before: time, memory, a crash");
  app.add_flag("--hash", flags->compares_hash,
               "do not trust size and time of change: read each file and compare its SHA-256");
}

}  // namespace ptxscope::cli
