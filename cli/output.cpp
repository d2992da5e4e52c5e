#include "cli/output.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace ptxscope::cli {
namespace {

// 0, or errno.
int write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(file, text.data(), text.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      return errno;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string sentence(const std::string& path, int error) {
  const char* way_out = "";
  if (error == ENOENT) way_out = "; the folder must exist";
  if (error == EACCES || error == EROFS) way_out = "; choose a place you may write to";
  if (error == EISDIR) way_out = "; -o takes a file's name";
  if (error == ENOSPC) way_out = "; make room, or choose another place";
  return path + ": cannot be written: " + std::strerror(error) + way_out;
}

}  // namespace

std::string write_output(const std::string& path, std::string_view text, bool& closed_pipe) {
  closed_pipe = false;
  if (path.empty() || path == "-") {
    const int error = write_all(STDOUT_FILENO, text);
    closed_pipe = error == EPIPE;
    return error == 0 || closed_pipe ? "" : sentence("standard output", error);
  }

  // Through a link, also one that leads nowhere yet, it is the file behind it that is written.
  std::error_code ignored;
  std::string target = path;
  for (int links = 0; links < 16 && std::filesystem::is_symlink(target, ignored); ++links) {
    target = (std::filesystem::path(target).parent_path() / std::filesystem::read_symlink(target, ignored)).string();
  }
  struct stat old {};
  const bool exists = ::stat(target.c_str(), &old) == 0;
  if (exists && S_ISDIR(old.st_mode)) return sentence(path, EISDIR);
  if (exists && !S_ISREG(old.st_mode)) {  // a device or a pipe: nothing to replace
    const int file = ::open(target.c_str(), O_WRONLY | O_CLOEXEC);
    if (file < 0) return sentence(path, errno);
    const int error = write_all(file, text);
    ::close(file);
    closed_pipe = error == EPIPE;
    return error == 0 || closed_pipe ? "" : sentence(path, error);
  }
  if (exists && ::access(target.c_str(), W_OK) != 0) return sentence(path, errno);

  std::string temporary = target + ".XXXXXX";
  const int file = ::mkstemp(temporary.data());
  if (file < 0) return sentence(path, errno);
  const ::mode_t mask = ::umask(0);
  ::umask(mask);
  const ::mode_t mode = exists ? old.st_mode & 07777U : 0666U & ~mask;
  int error = write_all(file, text);
  if (::fchmod(file, mode) != 0 && error == 0) error = errno;
  if (::close(file) != 0 && error == 0) error = errno;
  if (error == 0 && ::rename(temporary.c_str(), target.c_str()) != 0) error = errno;
  if (error == 0) return {};
  ::unlink(temporary.c_str());
  return sentence(path, error);
}

}  // namespace ptxscope::cli
