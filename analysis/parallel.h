// Work on several threads at once, with results that do not depend on how many there are: what is split is split the same
// way on any machine, each piece writes to a place of its own, and the pieces are put together in their order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "analysis/stop.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// The processor's cores that this process may use; at least 1.
[[nodiscard]] unsigned available_jobs();

/// Calls `work(i)` once for each i below `count`, on up to `jobs` threads, this one included; in order where `jobs` is 1
/// or no thread can be made. Comes back when all are done. `work` writes to what belongs to i alone, and does not throw.
/// Once `stop` is set, it is called for no further one.
void for_each_index(std::size_t count, unsigned jobs, const std::function<void(std::size_t)>& work,
                    StopFlag stop = nullptr);

/// A run of neighbours in a list.
struct IndexRange {
  std::size_t begin = 0;  ///< the first place
  std::size_t end = 0;    ///< behind the last place
};

/// Cuts a list of function indices into runs of some ten thousand statements each. The cut depends on the module alone.
[[nodiscard]] std::vector<IndexRange> cut_by_statements(const Module& module, std::span<const std::uint32_t> functions);
/// The same of all functions of the module.
[[nodiscard]] std::vector<IndexRange> cut_by_statements(const Module& module);

}  // namespace ptxscope::analysis
