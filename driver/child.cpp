#include "driver/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace ptxscope::driver {

namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t most_output = std::size_t{1} << 20;

// Reads until the other end is closed or the time is over; false: it is over.
bool read_until(int from, Clock::time_point deadline, std::string& output) {
  std::array<char, 4096> bytes;
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd one{from, POLLIN, 0};
    const int ready = ::poll(&one, 1, static_cast<int>(left));
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return false;
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    if (output.size() < most_output) output.append(bytes.data(), static_cast<std::size_t>(count));
  }
}

// false: still running at the deadline. A process in the kernel, asking a GPU that does not answer, may outlive SIGKILL:
// nothing waits for it.
bool wait_until(pid_t child, Clock::time_point deadline, int& status) {
  for (;;) {
    const pid_t done = ::waitpid(child, &status, WNOHANG);
    if (done == child || (done < 0 && errno != EINTR)) return done == child;
    if (Clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

ChildAnswer run_child(const std::function<void(int to_parent)>& child_body, unsigned seconds) {
  ChildAnswer answer;
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    answer.error = std::string("could not be started: ") + std::strerror(errno);
    return answer;
  }
  const pid_t child = ::fork();
  if (child < 0) {
    answer.error = std::string("could not be started: ") + std::strerror(errno);
    ::close(ends[0]);
    ::close(ends[1]);
    return answer;
  }
  if (child == 0) {
    ::setpgid(0, 0);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    const int nowhere = ::open("/dev/null", O_RDWR);
    if (nowhere >= 0) ::dup2(nowhere, STDIN_FILENO);
    child_body(ends[1]);
    ::_exit(127);
  }
  ::setpgid(child, child);
  ::close(ends[1]);
  const auto deadline = Clock::now() + std::chrono::seconds(seconds);
  const bool in_time = read_until(ends[0], deadline, answer.output);
  ::close(ends[0]);
  int status = 0;
  if (!in_time || !wait_until(child, deadline, status)) {
    ::kill(-child, SIGKILL);
    wait_until(child, Clock::now() + std::chrono::seconds(1), status);
    answer.error = "not done after " + std::to_string(seconds) + " s";
  } else if (WIFSIGNALED(status)) {
    answer.error = "ended by signal " + std::to_string(WTERMSIG(status));
  } else if (WEXITSTATUS(status) != 0) {
    answer.error = "exit status " + std::to_string(WEXITSTATUS(status));
  } else {
    answer.ended = true;
  }
  return answer;
}

}  // namespace

ChildAnswer run_program(const std::vector<std::string>& command, unsigned seconds) {
  std::vector<char*> arguments;
  for (const std::string& word : command) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  return run_child(
      [&](int to_parent) {
        ::dup2(to_parent, STDOUT_FILENO);
        ::dup2(to_parent, STDERR_FILENO);
        ::signal(SIGPIPE, SIG_DFL);
        ::execv(arguments.front(), arguments.data());
      },
      seconds);
}

ChildAnswer run_apart(const std::function<std::string()>& body, unsigned seconds) {
  return run_child(
      [&](int to_parent) {
        ::dup2(STDIN_FILENO, STDOUT_FILENO);
        ::dup2(STDIN_FILENO, STDERR_FILENO);
        const std::string answer = body();
        std::size_t written = 0;
        while (written < answer.size()) {
          const ssize_t count = ::write(to_parent, answer.data() + written, answer.size() - written);
          if (count < 0 && errno != EINTR) ::_exit(126);
          if (count > 0) written += static_cast<std::size_t>(count);
        }
        ::_exit(0);
      },
      seconds);
}

}  // namespace ptxscope::driver
