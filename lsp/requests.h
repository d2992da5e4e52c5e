// Requests about documents, answered in their order on a thread of their own; each can be cancelled.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "lsp/answers.h"
#include "lsp/documents.h"

namespace ptxscope::lsp {

struct Request {
  Json id;
  Json params;
  AnswerFunction answer = nullptr;
  SnapshotPointer snapshot;  ///< as the document was when it was asked
};

class RequestQueue {
 public:
  using Send = std::function<void(const std::string& message)>;
  RequestQueue(const Documents& documents, Send send);
  /// What waits is not answered.
  ~RequestQueue();
  RequestQueue(const RequestQueue&) = delete;
  RequestQueue& operator=(const RequestQueue&) = delete;

  /// Once, before any request.
  void set_client(const Client& client) { client_ = client; }
  void add(Request request);
  /// A request that waits or is being answered; any other is left alone.
  void cancel(const Json& id);

 private:
  void run();
  [[nodiscard]] Answer answer(const Request& request) const;

  const Documents& documents_;
  Send send_;
  Client client_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Request> waiting_;
  std::optional<Json> running_;          // its id
  std::atomic<bool> cancelled_ = false;  // the one that runs
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace ptxscope::lsp
