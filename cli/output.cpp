#include "cli/output.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/replace_file.h"

namespace ptxscope::cli {
namespace {

// The descriptor of this process that a path names: opening it anew would lose the place in a file, and fails for a
// socket.
std::optional<int> descriptor_named(std::string_view path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    const char* end = path.data() + path.size();
    int number = 0;
    const auto read = std::from_chars(path.data() + folder.size(), end, number);
    if (read.ec == std::errc() && read.ptr == end && number >= 0) return number;
  }
  return std::nullopt;
}

// Where the text goes, and by which way.
struct Place {
  enum class Kind { descriptor, in_place, replaced } kind = Kind::replaced;
  int descriptor = -1;
  std::string target;  // through links the file behind them, also one that is not there yet
  std::optional<::mode_t> mode;
  int error = 0;
};

Place place_of(const std::string& path) {
  Place place;
  if (const auto named = path.empty() || path == "-" ? STDOUT_FILENO : descriptor_named(path)) {
    place.kind = Place::Kind::descriptor;
    place.descriptor = *named;
    const int flags = ::fcntl(*named, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY) place.error = EBADF;
    return place;
  }
  place.target = path;
  struct stat old {};
  // A link of /proc leads to what has no path: a pipe, a file that is deleted.
  const bool exists = ::stat(path.c_str(), &old) == 0;
  const int reason = errno;
  if (exists && S_ISDIR(old.st_mode)) place.error = EISDIR;
  if (exists && !S_ISREG(old.st_mode)) {
    place.kind = Place::Kind::in_place;
    if (place.error == 0 && ::access(path.c_str(), W_OK) != 0) place.error = errno;
    return place;
  }
  if (!exists && reason != ENOENT) place.error = reason;
  std::error_code ignored;
  for (int links = 0; links < 16 && std::filesystem::is_symlink(place.target, ignored); ++links) {
    const std::filesystem::path link = place.target;
    place.target = (link.parent_path() / std::filesystem::read_symlink(link, ignored)).string();
  }
  // "new/" names a folder.
  if (!exists && place.target.ends_with('/')) place.error = EISDIR;
  if (!exists) return place;
  place.mode = old.st_mode & 07777U;
  struct stat found {};
  const bool is_found = ::stat(place.target.c_str(), &found) == 0;
  if (!is_found || found.st_ino != old.st_ino || found.st_dev != old.st_dev) place.kind = Place::Kind::in_place;
  if (::access(path.c_str(), W_OK) != 0) place.error = errno;
  return place;
}

std::string shown(const std::string& path) { return path.empty() || path == "-" ? "standard output" : path; }

}  // namespace

std::string not_written(const std::string& path, int error) {
  const char* way_out = "";
  if (error == ENOENT) way_out = "; the folder must exist";
  if (error == ENOTDIR) way_out = "; what stands before its last / must be a folder";
  if (error == EACCES || error == EROFS || error == EPERM) way_out = "; choose a place you may write to";
  if (error == EISDIR) way_out = "; name a file, not a folder";
  if (error == ENOSPC || error == EDQUOT) way_out = "; make room, or choose another place";
  if (error == EFBIG) way_out = "; raise the limit on the size of files (ulimit -f)";
  if (error == ENAMETOOLONG || error == ELOOP) way_out = "; choose another name";
  if (error == EBADF) way_out = "; it is not open for writing: redirect it, or name a file";
  if (error == ENXIO) way_out = "; nothing stands behind it";
  return path + ": cannot be written: " + std::strerror(error) + way_out;
}

// Where the pieces go. It is opened with the first of them.
struct Output::Target {
  Place place;
  int file = -1;                           // of a place that is written to as it is
  std::optional<Replacement> replacement;  // of one that is replaced
  int error = 0;

  // A standard output that is closed is no trouble to a command that has nothing to write there.
  explicit Target(const std::string& path)
      : place(place_of(path)), error(place.kind == Place::Kind::descriptor ? 0 : place.error) {}

  void write(const std::string& path, std::string_view text) {
    if (error == 0 && !text.empty()) error = place.error;
    if (error != 0) return;
    if (place.kind == Place::Kind::replaced) {
      if (!replacement) replacement.emplace(place.target);
      error = replacement->write(text);
      return;
    }
    if (place.kind == Place::Kind::in_place && file < 0) {
      file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
      if (file < 0) error = errno;
    }
    if (error == 0) error = write_all(place.kind == Place::Kind::in_place ? file : place.descriptor, text);
  }

  void finish() {
    if (error == 0 && replacement) {
      const ::mode_t mask = ::umask(0);
      ::umask(mask);
      error = replacement->commit(place.mode.value_or(0666U & ~mask));
    }
    if (file >= 0 && ::close(file) != 0 && error == 0) error = errno;
    file = -1;
  }
};

Output::Output(std::string path) : path_(std::move(path)) {}
Output::~Output() = default;

void Output::write(std::string_view text) {
  constexpr std::size_t enough = std::size_t{1} << 20;
  text_ += text;
  if (text_.size() >= enough) flush();
}

void Output::flush() {
  if (!target_) target_ = std::make_unique<Target>(path_);
  target_->write(path_, text_);
  text_.clear();
}

std::string Output::finish(bool& closed_pipe) {
  flush();
  target_->finish();
  const int error = target_->error;
  closed_pipe = error == EPIPE;
  return error == 0 || closed_pipe ? "" : not_written(shown(path_), error);
}

std::string write_output(const std::string& path, std::string_view text, bool& closed_pipe) {
  Output output(path);
  output.write(text);
  return output.finish(closed_pipe);
}

void keep_standard_descriptors() {
  for (const int standard : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    if (::fcntl(standard, F_GETFD) >= 0 || errno != EBADF) continue;
    // The lowest number that is free is this one; the wrong way round, so that using it fails as before.
    (void)::open("/dev/null", (standard == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);
  }
}

std::string why_not_written(const std::string& path) {
  const Place place = place_of(path);
  int error = place.error;
  if (error == 0 && place.kind == Place::Kind::replaced) error = Replacement(place.target).error();
  return error == 0 ? "" : not_written(shown(path), error);
}

}  // namespace ptxscope::cli
