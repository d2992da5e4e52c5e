#include "lsp/requests.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace ptxscope::lsp {

RequestQueue::RequestQueue(const Documents& documents, Send send)
    : documents_(documents), send_(std::move(send)), thread_([this] { run(); }) {}

RequestQueue::~RequestQueue() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    cancelled_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void RequestQueue::add(Request request) {
  constexpr std::size_t most = 10'000;
  {
    const std::lock_guard lock(mutex_);
    if (waiting_.size() < most) {
      waiting_.push_back(std::move(request));
      changed_.notify_all();
      return;
    }
  }
  send_(response(request.id, Failure{ErrorCode::server_cancelled, std::to_string(most) + " requests wait already"}));
}

void RequestQueue::cancel(const Json& id) {
  {
    const std::lock_guard lock(mutex_);
    if (running_ && *running_ == id) cancelled_ = true;
    const auto found = std::ranges::find(waiting_, id, &Request::id);
    if (found == waiting_.end()) return;
    waiting_.erase(found);
  }
  send_(response(id, Failure{ErrorCode::request_cancelled, "cancelled"}));
}

Answer RequestQueue::answer(const Request& request) const {
  // To read an old text of this size again would keep the new one waiting.
  constexpr std::size_t large = std::size_t{1} << 20U;
  const Snapshot& snapshot = *request.snapshot;
  if (snapshot.text().bytes().size() > large && !snapshot.is_parsed() && !documents_.is_newest(request.snapshot))
    return Failure{ErrorCode::content_modified, "the document was changed meanwhile"};
  const std::function<bool()> is_cancelled = [this] { return cancelled_.load(); };
  try {
    return request.answer({snapshot, request.params, client_, is_cancelled});
  } catch (const std::exception& error) {  // out of memory
    return Failure{ErrorCode::internal_error, error.what()};
  }
}

void RequestQueue::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (waiting_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Request request = std::move(waiting_.front());
    waiting_.pop_front();
    running_ = request.id;
    cancelled_ = false;
    lock.unlock();
    Answer result = answer(request);
    lock.lock();
    running_.reset();
    if (stopping_) return;
    if (cancelled_) result = Failure{ErrorCode::request_cancelled, "cancelled"};
    lock.unlock();
    send_(response(request.id, result));
    lock.lock();
  }
}

}  // namespace ptxscope::lsp
