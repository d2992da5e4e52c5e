// The parent's side of `ptxscope run`: takes connections, has modules prepared by child processes, and notices records.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "driver/run.h"
#include "driver/run_collect.h"

namespace ptxscope::driver {

class RunServer {
 public:
  explicit RunServer(const RunOptions& options) : options_(options) {}
  ~RunServer();
  RunServer(const RunServer&) = delete;
  RunServer& operator=(const RunServer&) = delete;

  /// Makes the private folder and the socket in it. Returns a sentence on failure, else "".
  [[nodiscard]] std::string open();
  [[nodiscard]] const std::string& folder() const { return clients_.folder; }
  [[nodiscard]] RunClients& clients() { return clients_; }

  /// Waits for something to happen, at most that long, and answers it. `also`: one more descriptor to wake up for.
  void serve(int also, std::chrono::milliseconds patience);
  /// A child process has ended: true when it was one of ours.
  bool take_ended(pid_t pid, int status);
  /// New records since the last call; with `also_unfinished` those too whose writer did not come to its end.
  void look_for_records(const std::function<void(RunClient&, std::uint32_t slot)>& told, bool also_unfinished);

 private:
  struct Work {
    std::size_t client = 0;
    run::Load load{};
    pid_t pid = -1;
    std::chrono::steady_clock::time_point until{};
    bool is_overdue = false;
  };
  void accept_client();
  void read_client(std::size_t index);
  void take_hello(std::size_t index, const run::Hello& hello, int descriptor);
  void start_waiting_work();
  void stop_overdue_work();
  void start(Work& work);
  [[nodiscard]] std::string file_of(const Work& work, const char* what) const;
  void reply(const Work& work, const AnswerSummary& summary);

  const RunOptions& options_;
  RunClients clients_;
  int listener_ = -1;
  std::vector<Work> running_;
  std::deque<Work> waiting_;
  std::vector<int> unnamed_;  // sockets without a hello yet
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace ptxscope::driver
