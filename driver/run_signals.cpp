#include "driver/run_signals.h"

#include <fcntl.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <ctime>

namespace ptxscope::driver {

namespace {

// Of this process alone: its faults, its place at the terminal, its limits.
constexpr std::array own_signals{SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGTTIN, SIGTTOU, SIGXCPU, SIGXFSZ};

sigset_t passed_on() {
  sigset_t set;
  sigfillset(&set);
  for (const int one : own_signals) sigdelset(&set, one);
  return set;
}

// What this process was started with, taken before main() changes any of it: the command gets it back.
constexpr std::array changed_signals{SIGPIPE, SIGCHLD, SIGXFSZ};
struct Inherited {
  std::array<struct sigaction, changed_signals.size()> actions{};
  Inherited() {
    for (std::size_t i = 0; i < changed_signals.size(); ++i) sigaction(changed_signals[i], nullptr, &actions[i]);
  }
};
const Inherited inherited;

// As the signal does by itself: not at all where it is ignored, or where no shell could continue us.
void stop_as_by(int signal) {
  sigset_t one;
  sigemptyset(&one);
  sigaddset(&one, signal);
  raise(signal);
  sigprocmask(SIG_UNBLOCK, &one, nullptr);  // here it stops
  sigprocmask(SIG_BLOCK, &one, nullptr);
}

bool is_in_foreground() {
  const int terminal = open("/dev/tty", O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
  if (terminal < 0) return false;
  const bool is_ours = tcgetpgrp(terminal) == getpgrp();
  close(terminal);
  return is_ours;
}

}  // namespace

CommandSignals::CommandSignals() {
  const sigset_t set = passed_on();
  sigprocmask(SIG_BLOCK, &set, &before_);
  descriptor_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  // Where SIGCHLD is ignored the kernel keeps no exit status, and nothing tells that the command has ended.
  signal(SIGCHLD, SIG_DFL);
  // A file of ours that may not grow is an error like others.
  signal(SIGXFSZ, SIG_IGN);
}

CommandSignals::~CommandSignals() {
  // What came meanwhile was for the command.
  const sigset_t set = passed_on();
  const timespec none{};
  while (sigtimedwait(&set, nullptr, &none) > 0) continue;
  sigprocmask(SIG_SETMASK, &before_, nullptr);
  if (descriptor_ >= 0) close(descriptor_);
}

void CommandSignals::restore_in_child() const {
  for (std::size_t i = 0; i < changed_signals.size(); ++i)
    sigaction(changed_signals[i], &inherited.actions[i], nullptr);
  sigprocmask(SIG_SETMASK, &before_, nullptr);
}

void CommandSignals::pass_on(pid_t command) const {
  signalfd_siginfo info{};
  while (read(descriptor_, &info, sizeof info) == static_cast<ssize_t>(sizeof info)) {
    const auto signal = static_cast<int>(info.ssi_signo);
    const auto sender = static_cast<pid_t>(info.ssi_pid);
    const bool is_sent = info.ssi_code == SI_USER || info.ssi_code == SI_QUEUE || info.ssi_code == SI_TKILL;
    // The command knows of those that it sends to its whole group. Our own: a pipe that was closed.
    if (is_sent && signal != SIGCHLD && sender != command && sender != getpid()) {
      sigval value{};
      value.sival_ptr = reinterpret_cast<void*>(info.ssi_ptr);  // NOLINT(performance-no-int-to-ptr): passed on as it is
      if (info.ssi_code == SI_QUEUE) sigqueue(command, signal, value);
      else kill(command, signal);
    }
    if (signal == SIGTSTP) stop_as_by(signal);
  }
}

void CommandSignals::stop_with_command(int signal) {
  const bool is_of_terminal = signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
  if (is_of_terminal && is_in_foreground()) stop_as_by(SIGTSTP);
}

}  // namespace ptxscope::driver
