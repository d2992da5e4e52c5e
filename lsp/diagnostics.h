// Publishes diagnostics, on a thread of its own: a while after the last change, so that nobody waits who types.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

#include "lsp/answers.h"
#include "lsp/documents.h"

namespace ptxscope::lsp {

class DiagnosticsPublisher {
 public:
  using Send = std::function<void(const std::string& message)>;
  DiagnosticsPublisher(const Documents& documents, Send send);
  ~DiagnosticsPublisher();
  DiagnosticsPublisher(const DiagnosticsPublisher&) = delete;
  DiagnosticsPublisher& operator=(const DiagnosticsPublisher&) = delete;

  /// Once, before any document.
  void set_client(const Client& client) { client_ = client; }
  /// `settled`: now; else when there was no change for a while.
  void ask(SnapshotPointer snapshot, bool settled);
  /// There are none any more. What is being worked out for it is dropped.
  void clear(const std::string& uri);

 private:
  using Clock = std::chrono::steady_clock;
  struct Due {
    SnapshotPointer snapshot;
    Clock::time_point at;
  };
  void run();
  void publish(const SnapshotPointer& snapshot);

  const Documents& documents_;
  Send send_;
  Client client_;
  std::mutex mutex_;
  std::mutex publish_mutex_;  // what is sent last is what holds
  std::condition_variable changed_;
  std::map<std::string, Due> due_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ptxscope::lsp
