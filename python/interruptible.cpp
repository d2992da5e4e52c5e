#include "python/interruptible.h"

#include <pybind11/pybind11.h>

#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace py = pybind11;

namespace ptxscope::python {

namespace {

bool on_main_thread() {
  const py::object main = py::module_::import("threading").attr("main_thread")().attr("ident");
  return main.equal(py::int_(PyThread_get_thread_ident()));
}

// Work on a thread of its own.
class Worker {
 public:
  explicit Worker(const std::function<void(const Stop&)>& work)
      : thread_([this, &work] {
          try {
            work(stop_);
          } catch (...) {
            thrown_ = std::current_exception();
          }
          const std::lock_guard lock(mutex_);
          has_ended_ = true;
          ended_.notify_one();
        }) {}

  // False: it has not ended by then.
  bool wait(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return ended_.wait_for(lock, time, [this] { return has_ended_; });
  }
  // What the work threw is not wanted.
  void stop() {
    stop_.store(true, std::memory_order_relaxed);
    thread_.join();
  }
  void finish() {
    thread_.join();
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  Stop stop_{false};
  std::mutex mutex_;  // of has_ended_
  std::condition_variable ended_;
  bool has_ended_ = false;
  std::exception_ptr thrown_;
  std::jthread thread_;  // last: it uses the others
};

}  // namespace

void run_interruptible(const std::function<void(const Stop&)>& work) {
  const bool gets_signals = on_main_thread();
  std::optional<Worker> worker;
  {
    const py::gil_scoped_release released;
    try {
      if (gets_signals) worker.emplace(work);
    } catch (const std::system_error&) {
      // There is no thread to be had: this one does it.
    }
    if (!worker) return work(Stop(false));
  }
  // Handlers need the interpreter's lock, which is had for no longer than they take.
  for (;;) {
    bool has_ended = false;
    {
      constexpr std::chrono::milliseconds between_looks{10};
      const py::gil_scoped_release released;
      has_ended = worker->wait(between_looks);
      if (has_ended) worker->finish();
    }
    if (has_ended) return;
    if (PyErr_CheckSignals() == 0) continue;
    const py::error_already_set
        raised;  // takes it from the interpreter, which must have none while another thread runs
    {
      const py::gil_scoped_release released;
      worker->stop();
    }
    throw raised;
  }
}

}  // namespace ptxscope::python
