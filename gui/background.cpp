#include "gui/background.h"

#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QEvent>
#include <QRunnable>
#include <QThread>
#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

namespace ptxscope::gui {
namespace {

// What goes from one thread to another does so under a lock of ours. Qt's pool and its events order things as well, but
// by locks inside of Qt's libraries, which the thread sanitizer cannot see.

// GUI thread to pool.
class Piece : public QRunnable {
 public:
  explicit Piece(std::function<void()> work) : work_(std::move(work)) {}
  void run() override {
    { const std::lock_guard lock(passing()); }  // what was written before start() is there from here on
    work_();
  }
  static void start(std::function<void()> work, int priority) {
    Piece* piece = nullptr;
    {
      const std::lock_guard lock(passing());
      piece = new Piece(std::move(work));
    }
    background_pool().start(piece, priority);  // which deletes it
  }

 private:
  static std::mutex& passing() {
    static std::mutex mutex;
    return mutex;
  }
  std::function<void()> work_;
};

// Pool to GUI thread: one event for each call, so that what a person does comes between two of them.
class Mailbox : public QObject {
 public:
  void post(std::function<void()> call) {
    auto event = std::make_unique<QEvent>(QEvent::User);
    {
      const std::lock_guard lock(mutex_);
      calls_.push_back(std::move(call));
    }
    QCoreApplication::postEvent(this, event.release());
  }

 protected:
  void customEvent(QEvent* /*event*/) override {
    std::function<void()> call;
    {
      const std::lock_guard lock(mutex_);
      call = std::move(calls_.front());
      calls_.pop_front();
    }
    call();
  }

 private:
  std::mutex mutex_;
  std::deque<std::function<void()>> calls_;
};

// Made on the GUI thread, by the first work. Never deleted, as the pool: late work may still post to it.
Mailbox& mailbox() {
  static auto* const made = new Mailbox;
  return *made;
}

}  // namespace

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

void run_in_background(std::function<void()> work, int priority) {
  static_cast<void>(mailbox());
  Piece::start(std::move(work), priority);
}

void call_on_gui_thread(std::function<void()> call) { mailbox().post(std::move(call)); }

void yield_to_gui() {
  // On Linux the nice value belongs to the thread. Where it cannot be set, the work runs all the same.
  static thread_local const bool done = [] {
    constexpr int nice = 5;
    return ::setpriority(PRIO_PROCESS, static_cast<id_t>(::syscall(SYS_gettid)), nice) == 0;
  }();
  static_cast<void>(done);
}

}  // namespace ptxscope::gui
