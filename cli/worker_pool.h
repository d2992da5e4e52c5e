// Work on many things in processes of their own, each with a limit of time and memory: one that crashes, hangs or eats
// all memory costs its own answer and nothing else.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace ptxscope::cli {

struct WorkerLimits {
  unsigned jobs = 1;
  unsigned seconds = 60;     ///< for one item
  std::uint64_t memory = 0;  ///< bytes of address space of one process; 0: no limit
};

enum class WorkEnd : std::uint8_t { done, timeout, out_of_memory, crashed };

struct WorkOutcome {
  std::size_t item = 0;
  WorkEnd end = WorkEnd::done;
  std::string answer;  ///< done: what `work` returned
  std::string reason;  ///< crashed: "signal 11 (Segmentation fault)"
};

/// Calls `work(i)` for each i below `count` in one of `jobs` copies of this process, and `take` in this one, in order of
/// i. `take` returns false to end it all. Other threads of this process must hold no lock that `work` needs. Returns a
/// sentence where no process could be made, else "".
[[nodiscard]] std::string run_workers(std::size_t count, const WorkerLimits& limits,
                                      const std::function<std::string(std::size_t)>& work,
                                      const std::function<bool(const WorkOutcome&)>& take);

}  // namespace ptxscope::cli
