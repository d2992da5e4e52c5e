#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>

#include "report/cfg.h"

extern char** environ;

namespace ptxscope::report {

namespace {

// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int value = -1) : value_(value) {}
  ~Descriptor() { close(); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  void reset(int value) {
    close();
    value_ = value;
  }
  void close() {
    if (value_ >= 0) ::close(value_);
    value_ = -1;
  }
  [[nodiscard]] int get() const { return value_; }

 private:
  int value_;
};

// Our ends and the child's of its three streams. Its input is a socket, so that writing to a child that went away is an
// error and no signal.
struct Streams {
  Descriptor input, output, messages;
  Descriptor child_input, child_output, child_messages;

  bool open() {
    std::array<int, 2> pair{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0) return false;
    input.reset(pair[0]);
    child_input.reset(pair[1]);
    if (::pipe2(pair.data(), O_CLOEXEC) != 0) return false;
    output.reset(pair[0]);
    child_output.reset(pair[1]);
    if (::pipe2(pair.data(), O_CLOEXEC) != 0) return false;
    messages.reset(pair[0]);
    child_messages.reset(pair[1]);
    return true;
  }
};

// Starts `dot -Tsvg`; 0, or errno.
int start_dot(Streams& streams, pid_t& child) {
  posix_spawn_file_actions_t actions;
  if (const int error = ::posix_spawn_file_actions_init(&actions); error != 0) return error;
  ::posix_spawn_file_actions_adddup2(&actions, streams.child_input.get(), STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, streams.child_output.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, streams.child_messages.get(), STDERR_FILENO);
  char program[] = "dot";
  char format[] = "-Tsvg";
  std::array<char*, 3> arguments{program, format, nullptr};
  const int error = ::posix_spawnp(&child, program, &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  streams.child_input.close();
  streams.child_output.close();
  streams.child_messages.close();
  return error;
}

// Appends what is there to read; false when the stream has ended.
bool read_some(const Descriptor& from, std::string& into, std::size_t limit) {
  std::array<char, 65536> buffer{};
  const ssize_t count = ::read(from.get(), buffer.data(), buffer.size());
  if (count < 0) return errno == EINTR || errno == EAGAIN;
  if (count == 0) return false;
  if (into.size() < limit) into.append(buffer.data(), static_cast<std::size_t>(count));
  return true;
}

// Feeds the child and reads from it until it has closed its output; false when the time is up.
bool exchange(Streams& streams, std::string_view text, std::string& output, std::string& messages, unsigned seconds) {
  constexpr std::size_t most_output = std::size_t{1} << 30;
  constexpr std::size_t most_messages = 4096;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  if (text.empty()) streams.input.close();
  while (streams.output.get() >= 0 || streams.messages.get() >= 0) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
    if (left <= 0) return false;
    std::array<pollfd, 3> waiting{pollfd{streams.input.get(), POLLOUT, 0}, pollfd{streams.output.get(), POLLIN, 0},
                                  pollfd{streams.messages.get(), POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), static_cast<int>(left)) < 0 && errno != EINTR) return false;
    if (waiting[0].revents != 0) {
      const ssize_t count = ::send(streams.input.get(), text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
      if (count > 0) text.remove_prefix(static_cast<std::size_t>(count));
      if ((count < 0 && errno != EAGAIN && errno != EINTR) || text.empty()) streams.input.close();
    }
    if (waiting[1].revents != 0 && !read_some(streams.output, output, most_output)) streams.output.close();
    if (waiting[2].revents != 0 && !read_some(streams.messages, messages, most_messages)) streams.messages.close();
  }
  return true;
}

std::string first_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

}  // namespace

Drawing draw_svg(std::string_view dot, unsigned seconds) {
  Drawing drawing;
  Streams streams;
  if (!streams.open()) {
    drawing.error = std::string("Graphviz could not be started: ") + std::strerror(errno);
    return drawing;
  }
  pid_t child = 0;
  if (const int error = start_dot(streams, child); error != 0) {
    drawing.is_missing = error == ENOENT;
    drawing.error = error == ENOENT ? "SVG is drawn by Graphviz, whose program dot is not in PATH; install the package "
                                      "graphviz, or use --format dot"
                                    : std::string("Graphviz' dot could not be started: ") + std::strerror(error);
    return drawing;
  }
  std::string output, messages;
  const bool in_time = exchange(streams, dot, output, messages, seconds);
  if (!in_time) ::kill(child, SIGKILL);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (!in_time) {
    drawing.error = "Graphviz' dot was not done after " + std::to_string(seconds) +
                    " s; pick one function with --kernel, or use --format dot and another layout (sfdp)";
  } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0 || output.empty()) {
    drawing.error = "Graphviz' dot failed" + (messages.empty() ? std::string() : ": " + first_line(messages));
  } else {
    drawing.svg = std::move(output);
  }
  return drawing;
}

}  // namespace ptxscope::report
