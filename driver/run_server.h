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
#include "driver/run_cache.h"
#include "driver/run_collect.h"
#include "driver/run_folder.h"

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
  /// True: something came, and more may be there.
  bool serve(int also, std::chrono::milliseconds patience);
  /// A child process has ended: true when it was one of ours.
  bool take_ended(pid_t pid, int status);
  /// New records since the last call; with `also_unfinished` those too whose writer did not come to its end.
  void look_for_records(const std::function<void(RunClient&, std::uint32_t slot)>& told, bool also_unfinished);

 private:
  struct Work {
    std::size_t client = 0;
    int socket = -1;  // where the answer goes
    run::Load load{};
    pid_t pid = -1;
    std::chrono::steady_clock::time_point until{};
    bool is_overdue = false;
  };
  struct Connection {
    int socket;
    std::chrono::steady_clock::time_point since;
  };
  [[nodiscard]] bool has_room() const;
  void accept_all();
  bool read_connection(int socket);
  void take_hello(const run::Hello& hello, int descriptor);
  bool take_load(int socket, const run::Load& load);
  void start_waiting_work();
  void stop_overdue_work();
  void start(Work& work);
  [[nodiscard]] std::string file_of(const Work& work, const char* what) const;
  void reply(const Work& work, const AnswerSummary& summary);

  const RunOptions& options_;
  RunFolder folder_;
  RunClients clients_;
  int listener_ = -1;
  std::deque<Work> running_, waiting_;
  std::vector<Connection> connections_;  // by which nothing came yet
  std::size_t most_connections_ = 64;
  RunCache cache_;
  std::uint64_t kept_bytes_ = 0;
};

}  // namespace ptxscope::driver
