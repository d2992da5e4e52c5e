#include "cli/replace_file.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <ctime>
#include <filesystem>
#include <functional>
#include <random>
#include <utility>

namespace ptxscope::cli {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

// Those that end the process; one that is ignored, as nohup wants, does not.
::sigset_t signals_that_end() {
  ::sigset_t set;
  ::sigemptyset(&set);
  for (const int signal : ending_signals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::sigaddset(&set, signal);
  }
  return set;
}

// Makes `make(path)` succeed for a new name in `folder`; the name, or "" with errno.
std::string with_new_name(const std::string& folder, const std::function<bool(const char*)>& make) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyz0123456789";
  std::random_device random;
  for (int tries = 0; tries < 100; ++tries) {
    std::string path = folder + "/.ptxscope.";
    for (int i = 0; i < 8; ++i) path += letters[random() % letters.size()];
    if (make(path.c_str())) return path;
    if (errno != EEXIST) break;
  }
  return {};
}

}  // namespace

Replacement::Replacement(std::string target) : target_(std::move(target)), ending_(signals_that_end()) {
  folder_ = std::filesystem::path(target_).parent_path().string();
  if (folder_.empty()) folder_ = ".";
  if (!open_nameless()) open_named();
}

Replacement::~Replacement() { remove(); }

void Replacement::hold() {
  if (!holds_) ::pthread_sigmask(SIG_BLOCK, &ending_, &before_);
  holds_ = true;
}

void Replacement::let_go() {
  if (std::exchange(holds_, false)) ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);  // what waits comes now
}

bool Replacement::asked_to_end() const {
  ::sigset_t pending;
  if (!holds_ || ::sigpending(&pending) != 0) return false;
  return std::ranges::any_of(ending_signals, [&](int signal) {
    return ::sigismember(&pending, signal) == 1 && ::sigismember(&ending_, signal) == 1;
  });
}

// A file without a name is gone with the process, whatever ends it. Some file systems have no such files, and without
// /proc there is no way to name it later.
bool Replacement::open_nameless() {
  file_ = ::open(folder_.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (file_ < 0) return false;
  nameless_ = "/proc/self/fd/" + std::to_string(file_);
  if (::access(nameless_.c_str(), F_OK) == 0) return true;
  ::close(std::exchange(file_, -1));
  return false;
}

void Replacement::open_named() {
  hold();
  name_ = with_new_name(folder_, [&](const char* path) {
    file_ = ::open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
    return file_ >= 0;
  });
  if (file_ >= 0) return;
  error_ = errno;
  let_go();
}

void Replacement::remove() {
  if (file_ >= 0) ::close(std::exchange(file_, -1));
  if (!name_.empty()) ::unlink(name_.c_str());
  name_.clear();
  let_go();
}

int Replacement::write(std::string_view text) {
  constexpr std::size_t piece = std::size_t{4} << 20;
  for (; !text.empty() && error_ == 0; text.remove_prefix(std::min(piece, text.size()))) {
    error_ = asked_to_end() ? EINTR : write_all(file_, text.substr(0, piece));
    if (error_ != 0) remove();
  }
  return error_;
}

int Replacement::commit(::mode_t mode) {
  if (error_ != 0) return error_;
  hold();
  if (::fchmod(file_, mode) != 0) error_ = errno;
  if (error_ == 0 && name_.empty()) {
    name_ = with_new_name(folder_, [&](const char* path) {
      return ::linkat(AT_FDCWD, nameless_.c_str(), AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0;
    });
    if (name_.empty()) error_ = errno;
  }
  if (::close(std::exchange(file_, -1)) != 0 && error_ == 0) error_ = errno;
  if (error_ == 0 && ::rename(name_.c_str(), target_.c_str()) != 0) error_ = errno;
  if (error_ == 0) name_.clear();
  remove();
  return error_;
}

int write_all(int file, std::string_view text) {
  ::sigset_t too_large;
  ::sigset_t before;
  ::sigemptyset(&too_large);
  ::sigaddset(&too_large, SIGXFSZ);
  ::pthread_sigmask(SIG_BLOCK, &too_large, &before);
  int error = 0;
  while (!text.empty() && error == 0) {
    const ::ssize_t written = ::write(file, text.data(), text.size());
    if (written >= 0) text.remove_prefix(static_cast<std::size_t>(written));
    else if (errno != EINTR) error = errno;
  }
  constexpr timespec at_once{};
  if (error == EFBIG) ::sigtimedwait(&too_large, nullptr, &at_once);
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

}  // namespace ptxscope::cli
