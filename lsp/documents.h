// The documents that are open, each in its newest version. On any thread.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "lsp/snapshot.h"

namespace ptxscope::lsp {

using SnapshotPointer = std::shared_ptr<const Snapshot>;

class Documents {
 public:
  /// nullptr: it is not open.
  [[nodiscard]] SnapshotPointer find(const std::string& uri) const {
    const std::lock_guard lock(mutex_);
    const auto found = open_.find(uri);
    return found == open_.end() ? nullptr : found->second;
  }
  void set(SnapshotPointer snapshot) {
    const std::lock_guard lock(mutex_);
    open_.insert_or_assign(snapshot->uri(), std::move(snapshot));
  }
  void close(const std::string& uri) {
    const std::lock_guard lock(mutex_);
    open_.erase(uri);
  }
  [[nodiscard]] bool is_newest(const SnapshotPointer& snapshot) const { return find(snapshot->uri()) == snapshot; }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, SnapshotPointer> open_;
};

}  // namespace ptxscope::lsp
