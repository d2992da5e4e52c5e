#include "cli/scan_output.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/output.h"
#include "cli/replace_file.h"

namespace ptxscope::cli {

namespace {

// As much of the bytes as there is.
std::string read_at(int file, std::uint64_t begin, std::uint64_t bytes) {
  std::string text(bytes, '\0');
  std::size_t used = 0;
  while (used < text.size()) {
    const ::ssize_t got = ::pread(file, text.data() + used, text.size() - used, static_cast<::off_t>(begin + used));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    used += static_cast<std::size_t>(got);
  }
  text.resize(used);
  return text;
}

}  // namespace

ScanOutput::~ScanOutput() {
  if (old_ >= 0 && old_ != file_) ::close(old_);
  if (file_ >= 0) ::close(file_);
}

std::string ScanOutput::lock() {
  if (::flock(file_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return {};  // not every file system has locks
  return path_ + ": another scan is writing it; wait for its end, or choose another name";
}

std::string ScanOutput::open() {
  if (path_.empty()) {
    file_ = ::dup(STDOUT_FILENO);
    return {};
  }
  if (std::string problem = open_and_lock(); !problem.empty()) return problem;
  std::error_code none;
  target_ = std::filesystem::canonical(path_, none).string();
  if (none) target_ = path_;
  // Something else would be lost: a report, a kernel. The first row may be torn.
  constexpr std::string_view first_bytes = "{\"schema\":\"ptxscope.scan/";
  if (!first_bytes.starts_with(read_at(file_, 0, first_bytes.size())))
    return path_ + ": is there already and holds no rows of a scan; remove it, or choose another name";
  read_rows();
  return {};
}

std::string ScanOutput::open_and_lock() {
  for (;;) {
    file_ = ::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    if (file_ < 0) return not_written(path_, errno);
    struct stat status {};
    if (::fstat(file_, &status) != 0 || !S_ISREG(status.st_mode))
      return path_ + ": is no regular file; without -o the rows go to standard output";
    if (std::string problem = lock(); !problem.empty()) return problem;
    // Between the two, another scan may have put a new file there, and ended.
    struct stat there {};
    if (::stat(path_.c_str(), &there) == 0 && there.st_ino == status.st_ino && there.st_dev == status.st_dev) {
      old_ = file_;
      size_ = static_cast<std::uint64_t>(there.st_size);
      mode_ = there.st_mode & 07777U;
      return {};
    }
    ::close(std::exchange(file_, -1));
  }
}

void ScanOutput::read_rows() {
  constexpr std::uint64_t piece = std::uint64_t{1} << 22;
  std::string text;         // from `begin` on
  std::uint64_t begin = 0;  // in the file
  for (std::uint64_t at = 0; at < size_;) {
    const std::string more = read_at(file_, at, std::min(piece, size_ - at));
    if (more.empty()) break;
    at += more.size();
    text += more;
    std::size_t line = 0;
    for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', line)) {
      note_line(std::string_view(text).substr(line, end - line), begin + line);
      line = end + 1;
    }
    text.erase(0, line);
    begin += line;
  }
  // Only files with all their rows, next to each other and once, are known.
  std::vector<Rows> whole;
  for (const Rows& rows : rows_) {
    const auto found = known_.find(rows.file);
    if (found == known_.end()) continue;
    if (found->second.begin != rows.begin) continue;  // others of that file stand further below
    if (found->second.about.rows != 0) known_.erase(found);
    else whole.push_back(rows);
  }
  rows_ = std::move(whole);
}

// While rows are read, KnownRows::about.rows counts down those that are still to come.
void ScanOutput::note_line(std::string_view line, std::uint64_t begin) {
  report::ScanRowFile row;
  const std::uint64_t end = begin + line.size() + 1;
  if (!report::read_scan_row(line, version_, row) || row.rows == 0) return;
  const std::string file = row.file.name;
  const bool goes_on = !rows_.empty() && rows_.back().file == file && rows_.back().end == begin;
  const auto found = known_.find(file);
  if (goes_on && found != known_.end() && found->second.about.rows > 0) {
    --found->second.about.rows;
    found->second.about.failed = found->second.about.failed || row.failed;
    rows_.back().end = found->second.end = end;
    return;
  }
  --row.rows;
  known_.insert_or_assign(file, KnownRows{row, begin, end});
  rows_.push_back({file, begin, end});
}

const KnownRows* ScanOutput::known(const std::string& file) const {
  const auto found = known_.find(file);
  return found == known_.end() ? nullptr : &found->second;
}

std::string ScanOutput::rows_of(const KnownRows& known) const {
  return read_at(old_, known.begin, known.end - known.begin);
}

std::string ScanOutput::keep(const std::vector<std::string>& files) {
  if (path_.empty()) return {};
  std::uint64_t bytes = 0;
  std::vector<Rows> rows;
  for (const std::string& file : files) {
    const KnownRows& known = known_.at(file);
    rows.push_back({file, known.begin, known.end});
    bytes += known.end - known.begin;
  }
  if (bytes == size_) return {};
  std::ranges::sort(rows, {}, &Rows::begin);
  return rewrite(rows);
}

std::string ScanOutput::rewrite(const std::vector<Rows>& rows) {
  const std::string part = target_ + ".part";
  const int file = ::open(part.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_APPEND | O_CLOEXEC, 0666);
  const auto failed = [&](int error) {
    if (file >= 0) ::close(file);
    ::unlink(part.c_str());
    return not_written(part, error) + "; " + path_ + " was left as it was";
  };
  if (file < 0) return failed(errno);
  std::vector<Rows> written;
  std::uint64_t size = 0;
  for (const Rows& one : rows) {
    const std::string text = read_at(file_, one.begin, one.end - one.begin);
    if (text.size() != one.end - one.begin) return failed(EIO);
    if (const int error = write_all(file, text); error != 0) return failed(error);
    written.push_back({one.file, size, size + text.size()});
    size += text.size();
  }
  static_cast<void>(::flock(file, LOCK_EX | LOCK_NB));
  if (::fchmod(file, mode_) != 0 || ::rename(part.c_str(), target_.c_str()) != 0) return failed(errno);
  if (file_ != old_) ::close(file_);
  file_ = file;
  size_ = size;
  rows_ = std::move(written);
  return {};
}

std::string ScanOutput::append(const std::string& file, std::string_view rows) {
  if (rows.empty()) return {};
  const int error = write_all(file_, rows);
  closed_pipe_ = path_.empty() && error == EPIPE;
  if (error != 0 && path_.empty()) return not_written("standard output", error);
  if (error != 0) return not_written(path_, error) + "; the rows before are there, and a later run goes on behind them";
  rows_.push_back({file, size_, size_ + rows.size()});
  size_ += rows.size();
  return {};
}

std::string ScanOutput::order(const std::vector<std::string>& files) {
  if (path_.empty()) return {};
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < files.size(); ++i) places.emplace(files[i], i);
  std::vector<Rows> rows = rows_;
  const auto place = [&](const Rows& one) { return places.at(one.file); };
  if (std::ranges::is_sorted(rows, {}, place)) return {};
  std::ranges::stable_sort(rows, {}, place);
  return rewrite(rows);
}

}  // namespace ptxscope::cli
