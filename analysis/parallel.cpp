#include "analysis/parallel.h"

#include <sched.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <system_error>
#include <thread>

namespace ptxscope::analysis {

unsigned available_jobs() {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
    return static_cast<unsigned>(CPU_COUNT(&set));
  return std::max(1U, std::thread::hardware_concurrency());
}

void for_each_index(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work, StopFlag stop) {
  std::atomic<std::size_t> next{0};
  const auto take = [&] {
    for (std::size_t i = next.fetch_add(1); i < count && !is_stopped(stop); i = next.fetch_add(1)) work(i);
  };
  std::vector<std::jthread> threads;
  const std::size_t helpers = std::min<std::size_t>(jobs == 0 ? 0 : jobs - 1, count == 0 ? 0 : count - 1);
  threads.reserve(helpers);
  for (std::size_t i = 0; i < helpers; ++i) {
    try {
      threads.emplace_back(take);
    } catch (const std::system_error&) {
      break;  // no more threads to be had: those there are do the work
    }
  }
  take();
}

std::vector<IndexRange> cut_by_statements(const Module& module, std::span<const std::uint32_t> functions) {
  constexpr std::size_t enough = 32'768;  // statements: some milliseconds, large against the start of a piece
  std::vector<IndexRange> ranges;
  std::size_t statements = 0;
  for (std::size_t i = 0; i < functions.size(); ++i) {
    if (ranges.empty() || statements >= enough) {
      ranges.push_back({i, i});
      statements = 0;
    }
    ranges.back().end = i + 1;
    const Function& function = module.functions()[functions[i]];
    if (function.has_body) statements += function.body_end - function.body_begin;
    ++statements;
  }
  return ranges;
}

std::vector<IndexRange> cut_by_statements(const Module& module) {
  std::vector<std::uint32_t> all(module.functions().size());
  std::iota(all.begin(), all.end(), 0U);
  return cut_by_statements(module, all);
}

}  // namespace ptxscope::analysis
