// What kind of check a condition is: bounds, null, division by zero, overflow, alignment, or other.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "analysis/slices.h"
#include "analysis/traps.h"

namespace ptxscope::analysis {

/// Whether unknowns lie below expressions of one pool. Each node is looked at once, however many are asked about: a value
/// carried around a loop may lead to most of a function. Only for values that are worked out.
class UnknownFinder {
 public:
  /// The pool may grow, and must outlive it.
  explicit UnknownFinder(const ExprPool& pool) : pool_(pool) {}
  [[nodiscard]] bool is_below(ExprId id);  ///< as ExprPool::has_unknown()

 private:
  void enter(std::uint32_t node);
  void leave(std::uint32_t node);

  struct Open {
    std::uint32_t node;
    std::uint32_t next_kid;
  };
  const ExprPool& pool_;
  std::uint32_t entered_ = 0;
  // By node. Those of one component (Tarjan's) reach each other and have one answer.
  std::vector<std::uint32_t> order_, lowest_;
  std::vector<char> is_found_, is_answered_;
  std::vector<Open> path_;
  std::vector<std::uint32_t> component_;
};

struct CheckContext {
  ExprPool* pool = nullptr;
  const ParameterUse* use = nullptr;
  std::span<const ParameterInfo> parameters;
  /// Where the trap returns as far as the compiler knows (nvcc's inline `trap`): the indices that the code after it
  /// uses. A bounds check guards what follows; nullptr where that tells nothing.
  const std::set<ExprId>* used_afterwards = nullptr;
  UnknownFinder* unknowns = nullptr;  ///< of the pool, where many conditions are asked about
};

/// The kind of the check that fails when `condition` holds. Check::unknown when the condition has unknown parts;
/// Check::unconditional when it always holds.
[[nodiscard]] Check classify(const CheckContext& context, ExprId condition);

}  // namespace ptxscope::analysis
