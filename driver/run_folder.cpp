#include "driver/run_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <string_view>
#include <vector>

namespace ptxscope::driver {

namespace {

constexpr std::string_view prefix = "ptxscope-run-";
// Between the making of a folder and the lock on it there is a moment.
constexpr std::time_t settled_seconds = 60;
constexpr std::size_t most_entries = 100000;  // of a folder for temporary files
constexpr std::size_t most_removed = 64;

std::string parent_folder() {
  // Short, because the path of a socket is short: 108 bytes.
  for (const char* variable : {"XDG_RUNTIME_DIR", "TMPDIR"}) {
    const char* path = std::getenv(variable);
    if (path != nullptr && path[0] == '/' && std::strlen(path) < 60 && access(path, W_OK | X_OK) == 0) return path;
  }
  return "/tmp";
}

struct CloseFolder {
  void operator()(DIR* folder) const { closedir(folder); }
};
using Folder = std::unique_ptr<DIR, CloseFolder>;

// Takes the descriptor over.
Folder listed(int descriptor) {
  Folder folder(descriptor < 0 ? nullptr : fdopendir(descriptor));
  if (folder == nullptr && descriptor >= 0) close(descriptor);
  return folder;
}

// Files only: a run makes no folders in its own.
void remove_files(int folder) {
  const Folder entries = listed(openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (entries == nullptr) return;
  while (const dirent* entry = readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") unlinkat(folder, entry->d_name, 0);
  }
}

// A folder of this user that no living run holds.
bool is_abandoned(int folder) {
  struct stat status {};
  return fstat(folder, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 07777U) == 0700 &&
         std::time(nullptr) - status.st_mtime >= settled_seconds && flock(folder, LOCK_EX | LOCK_NB) == 0;
}

// Everything by descriptors: a name may be exchanged for a link at any moment.
void remove_abandoned(const std::string& parent) {
  const Folder entries = listed(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (entries == nullptr) return;
  std::vector<std::string> names;
  std::size_t seen = 0;
  while (const dirent* entry = readdir(entries.get())) {
    if (++seen > most_entries || names.size() >= most_removed) break;
    if (std::string_view(entry->d_name).starts_with(prefix)) names.emplace_back(entry->d_name);
  }
  for (const std::string& name : names) {
    const int folder = openat(dirfd(entries.get()), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (folder < 0) continue;
    if (is_abandoned(folder)) {
      remove_files(folder);
      unlinkat(dirfd(entries.get()), name.c_str(), AT_REMOVEDIR);
    }
    close(folder);
  }
}

}  // namespace

RunFolder::~RunFolder() {
  if (lock_ >= 0) {
    remove_files(lock_);
    rmdir(path_.c_str());
    close(lock_);
  }
}

std::string RunFolder::make() {
  const std::string parent = parent_folder();
  remove_abandoned(parent);
  std::string folder = parent + "/" + std::string(prefix) + "XXXXXX";
  if (mkdtemp(folder.data()) == nullptr)
    return parent + ": no folder can be made there (" + std::strerror(errno) +
           "); set TMPDIR to one that can be written";
  path_ = folder;
  lock_ = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (lock_ < 0) {
    const std::string reason = std::strerror(errno);
    rmdir(folder.c_str());
    return folder + ": cannot be opened (" + reason + "); raise ulimit -n, or set TMPDIR to a folder on a local disk";
  }
  // Where there are no locks nothing is taken away: the next run gets none either.
  flock(lock_, LOCK_EX | LOCK_NB);
  return "";
}

}  // namespace ptxscope::driver
