// Calls that Ctrl-C ends. Python runs its signal handlers on its main thread only, and only when that thread asks for it,
// which it does not do as long as it is inside of a call.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <type_traits>
#include <utility>

namespace ptxscope::python {

/// Set when what a call was to give is not wanted any more. Work looks at it now and then, or hands it to an analysis.
using Stop = std::atomic<bool>;

/// What work throws that found the flag set: nobody sees it.
struct Stopped {};
inline void end_if(const Stop& stop) {
  if (stop.load(std::memory_order_relaxed)) throw Stopped();
}

/// Runs the work without the interpreter's lock, which the caller holds, and comes back when it has ended. On Python's main
/// thread signal handlers are run meanwhile; when one raises (Ctrl-C: KeyboardInterrupt), the flag is set, and that is
/// thrown. Other threads of Python get no signals: there the work runs to its end.
void run_interruptible(const std::function<void(const Stop&)>& work);

/// The same with a result.
template <class Work>
std::invoke_result_t<Work, const Stop&> interruptible(Work work) {
  std::optional<std::invoke_result_t<Work, const Stop&>> result;
  run_interruptible([&](const Stop& stop) { result.emplace(work(stop)); });
  return std::move(*result);
}

}  // namespace ptxscope::python
