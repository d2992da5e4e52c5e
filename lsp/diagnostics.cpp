#include "lsp/diagnostics.h"

#include <algorithm>
#include <utility>

namespace ptxscope::lsp {
namespace {

constexpr std::chrono::milliseconds settle{200};

std::string published(const std::string& uri, std::optional<std::int64_t> version, Json list) {
  Json params = {{"uri", uri}, {"diagnostics", std::move(list)}};
  if (version) params["version"] = *version;
  return notification("textDocument/publishDiagnostics", std::move(params));
}

}  // namespace

DiagnosticsPublisher::DiagnosticsPublisher(const Documents& documents, Send send)
    : documents_(documents), send_(std::move(send)), thread_([this] { run(); }) {}

DiagnosticsPublisher::~DiagnosticsPublisher() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void DiagnosticsPublisher::ask(SnapshotPointer snapshot, bool settled) {
  {
    const std::lock_guard lock(mutex_);
    std::string uri = snapshot->uri();
    due_.insert_or_assign(std::move(uri), Due{std::move(snapshot), Clock::now() + (settled ? settle * 0 : settle)});
  }
  changed_.notify_all();
}

void DiagnosticsPublisher::clear(const std::string& uri) {
  {
    const std::lock_guard lock(mutex_);
    due_.erase(uri);
  }
  const std::lock_guard lock(publish_mutex_);
  send_(published(uri, std::nullopt, Json::array()));
}

void DiagnosticsPublisher::run() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    if (due_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const auto first = std::ranges::min_element(due_, {}, [](const auto& one) { return one.second.at; });
    const Clock::time_point at = first->second.at;
    if (Clock::now() < at) {
      changed_.wait_until(lock, at);
      continue;
    }
    const SnapshotPointer snapshot = std::move(first->second.snapshot);
    due_.erase(first);
    lock.unlock();
    publish(snapshot);
    lock.lock();
  }
}

void DiagnosticsPublisher::publish(const SnapshotPointer& snapshot) {
  if (!documents_.is_newest(snapshot)) return;
  std::string message = published(snapshot->uri(), snapshot->version(), diagnostics(*snapshot, client_));
  const std::lock_guard lock(publish_mutex_);
  if (documents_.is_newest(snapshot)) send_(message);
}

}  // namespace ptxscope::lsp
