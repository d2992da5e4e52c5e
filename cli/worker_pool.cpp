#include "cli/worker_pool.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <map>
#include <new>
#include <utility>
#include <vector>

#include "cli/replace_file.h"

namespace ptxscope::cli {

namespace {

using Clock = std::chrono::steady_clock;

// Answers that wait for an earlier one: how many, and how large, until no further item is handed out.
constexpr std::size_t most_ahead = 4096;
constexpr std::size_t most_waiting_bytes = std::size_t{64} << 20;

// What goes before an answer on its way.
struct AnswerHead {
  std::uint64_t bytes = 0;
  bool out_of_memory = false;
};

bool read_exactly(int file, void* into, std::size_t bytes) {
  auto* at = static_cast<char*>(into);
  while (bytes > 0) {
    const ::ssize_t got = ::read(file, at, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    at += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

template <class Plain>
bool write_plain(int file, const Plain& value) {
  return write_all(file, {reinterpret_cast<const char*>(&value), sizeof value}) == 0;
}

void limit_memory(std::uint64_t bytes) {
#if !defined(PTXSCOPE_SANITIZED)  // their shadow memory alone is larger than any limit
  if (bytes == 0) return;
  ::rlimit limit{};
  if (::getrlimit(RLIMIT_AS, &limit) != 0) return;
  limit.rlim_cur = std::min<::rlim_t>(bytes, limit.rlim_max);
  static_cast<void>(::setrlimit(RLIMIT_AS, &limit));
#else
  static_cast<void>(bytes);
#endif
}

// In the child: one item after another, until there is none.
[[noreturn]] void serve(int channel, const WorkerLimits& limits, const std::function<std::string(std::size_t)>& work) {
  // A core file for each text that something crashes at would fill the disk.
  const ::rlimit none{};
  static_cast<void>(::setrlimit(RLIMIT_CORE, &none));
  limit_memory(limits.memory);
  std::size_t item = 0;
  while (read_exactly(channel, &item, sizeof item)) {
    std::string answer;
    AnswerHead head;
    try {
      answer = work(item);
    } catch (const std::bad_alloc&) {
      head.out_of_memory = true;
      answer.clear();
    }
    head.bytes = answer.size();
    if (!write_plain(channel, head) || write_all(channel, answer) != 0) break;
  }
  ::_exit(0);
}

class Pool {
 public:
  Pool(std::size_t count, const WorkerLimits& limits, const std::function<std::string(std::size_t)>& work,
       const std::function<bool(const WorkOutcome&)>& take)
      : count_(count), limits_(limits), work_(work), take_(take), workers_(std::max(1U, limits.jobs)) {}

  ~Pool() {
    for (Worker& worker : workers_) end(worker);
  }
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  std::string run() {
    const ::pid_t self = ::getpid();
    while (taken_ < count_ && !stopped_) {
      for (Worker& worker : workers_) {
        if (!may_hand_out()) break;
        if (worker.is_busy) continue;
        if (std::string problem = start(worker, self); !problem.empty()) {
          if (std::ranges::none_of(workers_, &Worker::is_busy)) return problem;
          break;
        }
        hand_out(worker);
      }
      wait();
    }
    return {};
  }

 private:
  struct Worker {
    ::pid_t process = -1;
    int channel = -1;
    bool is_busy = false;
    std::size_t item = 0;
    Clock::time_point deadline;
    std::string received;  // of the answer, its head before it
  };

  [[nodiscard]] bool may_hand_out() const {
    return next_ < count_ && next_ - taken_ < most_ahead && (waiting_bytes_ < most_waiting_bytes || next_ == taken_);
  }

  std::string start(Worker& worker, ::pid_t self) {
    if (worker.process > 0) return {};
    std::array<int, 2> ends{};
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
      return std::string("no channel to another process could be made: ") + std::strerror(errno) +
             "; try fewer with --jobs";
    const ::pid_t process = ::fork();
    if (process < 0) {
      const int error = errno;
      ::close(ends[0]);
      ::close(ends[1]);
      return std::string("no process could be made: ") + std::strerror(error) + "; try fewer with --jobs";
    }
    if (process == 0) {
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (::getppid() != self) ::_exit(0);  // it ended before
      ::close(ends[0]);
      for (const Worker& other : workers_)
        if (other.channel >= 0) ::close(other.channel);
      serve(ends[1], limits_, work_);
    }
    ::close(ends[1]);
    worker.process = process;
    worker.channel = ends[0];
    return {};
  }

  void hand_out(Worker& worker) {
    worker.item = next_++;
    worker.is_busy = true;
    worker.received.clear();
    worker.deadline = Clock::now() + std::chrono::seconds(limits_.seconds);
    if (!write_plain(worker.channel, worker.item)) finish(worker, WorkEnd::crashed);
  }

  // Until an answer, an end or a deadline.
  void wait() {
    std::vector<::pollfd> files;
    std::vector<Worker*> busy;
    Clock::time_point first = Clock::time_point::max();
    for (Worker& worker : workers_) {
      if (!worker.is_busy) continue;
      files.push_back({worker.channel, POLLIN, 0});
      busy.push_back(&worker);
      first = std::min(first, worker.deadline);
    }
    if (busy.empty()) return;
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(first - Clock::now()).count();
    const int ready = ::poll(files.data(), files.size(), static_cast<int>(std::clamp<long>(left, 0, 60'000)));
    if (ready < 0) return;  // a signal
    for (std::size_t i = 0; i < busy.size(); ++i) {
      if (files[i].revents != 0) receive(*busy[i]);
      else if (Clock::now() >= busy[i]->deadline) finish(*busy[i], WorkEnd::timeout);
    }
  }

  void receive(Worker& worker) {
    std::array<char, 65536> buffer{};
    const ::ssize_t got = ::read(worker.channel, buffer.data(), buffer.size());
    if (got < 0 && errno == EINTR) return;
    if (got <= 0) return finish(worker, WorkEnd::crashed);
    worker.received.append(buffer.data(), static_cast<std::size_t>(got));
    AnswerHead head;
    if (worker.received.size() < sizeof head) return;
    std::memcpy(&head, worker.received.data(), sizeof head);
    if (worker.received.size() < sizeof head + head.bytes) return;
    if (head.out_of_memory) return finish(worker, WorkEnd::out_of_memory);
    worker.is_busy = false;
    keep({worker.item, WorkEnd::done, worker.received.substr(sizeof head), {}});
  }

  // A worker that did not answer is not asked again: who knows what is left of it.
  void finish(Worker& worker, WorkEnd how) {
    const int status = end(worker);
    std::string reason;
    if (how == WorkEnd::crashed) {
      if (WIFSIGNALED(status)) {
        const int signal = WTERMSIG(status);
        reason = "signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
      } else {
        reason = "exit status " + std::to_string(WEXITSTATUS(status));
      }
    }
    worker.is_busy = false;
    keep({worker.item, how, {}, std::move(reason)});
  }

  // The status of the process. One that has ended by itself keeps its own.
  int end(Worker& worker) {
    int status = 0;
    if (worker.channel >= 0) ::close(std::exchange(worker.channel, -1));  // which ends one that waits for an item
    if (worker.process > 0) {
      const ::pid_t process = std::exchange(worker.process, -1);
      // A crash closes the channel a moment before the process is gone.
      bool is_gone = false;
      for (int tries = 0; tries < 100 && worker.is_busy && Clock::now() < worker.deadline && !is_gone; ++tries) {
        is_gone = ::waitpid(process, &status, WNOHANG) == process;
        if (!is_gone) ::poll(nullptr, 0, 10);
      }
      if (!is_gone) {
        ::kill(process, SIGKILL);
        while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
        }
      }
    }
    return status;
  }

  void keep(WorkOutcome outcome) {
    waiting_bytes_ += outcome.answer.size();
    const std::size_t item = outcome.item;
    waiting_.emplace(item, std::move(outcome));
    while (!waiting_.empty() && waiting_.begin()->first == taken_ && !stopped_) {
      const WorkOutcome first = std::move(waiting_.begin()->second);
      waiting_.erase(waiting_.begin());
      waiting_bytes_ -= first.answer.size();
      ++taken_;
      stopped_ = !take_(first);
    }
  }

  std::size_t count_;
  const WorkerLimits& limits_;
  const std::function<std::string(std::size_t)>& work_;
  const std::function<bool(const WorkOutcome&)>& take_;
  std::vector<Worker> workers_;
  std::map<std::size_t, WorkOutcome> waiting_;
  std::size_t waiting_bytes_ = 0;
  std::size_t next_ = 0;   // to hand out
  std::size_t taken_ = 0;  // all before were
  bool stopped_ = false;
};

}  // namespace

std::string run_workers(std::size_t count, const WorkerLimits& limits,
                        const std::function<std::string(std::size_t)>& work,
                        const std::function<bool(const WorkOutcome&)>& take) {
  return Pool(count, limits, work, take).run();
}

}  // namespace ptxscope::cli
