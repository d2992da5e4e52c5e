// Work off the GUI thread. A result comes back to the GUI thread as a queued call; when the object it is for is gone, or
// the work was cancelled, it is dropped. Work takes what it needs by value or by shared_ptr, never a widget.
#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QThreadPool>
#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <type_traits>
#include <utility>

namespace ptxscope::gui {

/// Shared by who started some work and the work. Copies mean the same work.
class Cancel {
 public:
  Cancel() : requested_(std::make_shared<std::atomic<bool>>(false)) {}
  void request() { requested_->store(true, std::memory_order_relaxed); }
  [[nodiscard]] bool requested() const { return requested_->load(std::memory_order_relaxed); }
  /// The same, for what looks at a flag itself. Lives as long as some copy of this does.
  [[nodiscard]] const std::atomic<bool>* flag() const { return requested_.get(); }

 private:
  std::shared_ptr<std::atomic<bool>> requested_;
};

/// What came of it: a value, or a sentence that says why there is none.
template <class T>
struct Outcome {
  std::optional<T> value;
  QString problem;
};

/// The threads of the viewer. A piece of work that takes minutes must not keep the others waiting, so that there are
/// always several; main() does not wait for them when the window is closed.
[[nodiscard]] QThreadPool& background_pool();
/// Runs `work` on a thread of the pool. To be called on the GUI thread. Larger `priority` goes first among those that wait.
void run_in_background(std::function<void()> work, int priority = 0);
/// Calls it on the GUI thread, behind what waits there already. To be called in work that runs in the background.
void call_on_gui_thread(std::function<void()> call);
/// Called on a thread of the pool: what the GUI thread does goes first.
void yield_to_gui();

/// Runs `work(cancel)` on another thread and then `done(Outcome<its result>)` on the GUI thread, unless cancelled or
/// `receiver` was deleted meanwhile. To be called on the GUI thread. Larger `priority` goes first among those that wait.
/// `cancel`: several pieces of work may share one; it is what is returned.
template <class Work, class Done>
Cancel in_background(QObject* receiver, Work work, Done done, int priority = 0, Cancel cancel = {}) {
  using Result = std::invoke_result_t<Work, const Cancel&>;
  run_in_background(
      [cancel, work = std::move(work), done = std::move(done), target = QPointer<QObject>(receiver)]() mutable {
        auto outcome = std::make_shared<Outcome<Result>>();
        if (!cancel.requested()) {
          yield_to_gui();
          try {
            outcome->value.emplace(work(cancel));
          } catch (const std::bad_alloc&) {
            outcome->problem = QStringLiteral("not enough memory; close other files or choose fewer functions");
          } catch (const std::exception& error) {
            outcome->problem = QStringLiteral("stopped by an error inside ptxscope: %1; please report it")
                                   .arg(QString::fromUtf8(error.what()));
          }
        }
        if (cancel.requested()) *outcome = {};  // what nobody will see may be large: it is freed here
        // The pointer is looked at on the GUI thread only.
        call_on_gui_thread(
            [cancel, outcome = std::move(outcome), done = std::move(done), target = std::move(target)]() mutable {
              if (!cancel.requested() && !target.isNull()) done(std::move(*outcome));
            });
      },
      priority);
  return cancel;
}

}  // namespace ptxscope::gui
