#include "gui/background.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QThread>
#include <algorithm>

namespace ptxscope::gui {

QThreadPool& background_pool() {
  // Not QThreadPool::globalInstance(): Qt paints with the help of that one, and waits for it. Never deleted: its
  // destructor would wait for work that cannot be interrupted.
  static QThreadPool* const pool = [] {
    auto* const made = new QThreadPool;
    made->setMaxThreadCount(std::max(4, QThread::idealThreadCount()));
    return made;
  }();
  return *pool;
}

void yield_to_gui() {
  // On Linux the nice value belongs to the thread. Where it cannot be set, the work runs all the same.
  static thread_local const bool done = [] {
    constexpr int nice = 5;
    return ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), nice) == 0;
  }();
  static_cast<void>(done);
}

}  // namespace ptxscope::gui
