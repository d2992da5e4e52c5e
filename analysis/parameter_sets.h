// Which parameters an expression depends on, for many expressions of one pool: each node is looked at once.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "analysis/expr.h"

namespace ptxscope::analysis {

/// ExprPool::parameters(), remembered. The pool may grow between two questions.
class ParameterSets {
 public:
  explicit ParameterSets(const ExprPool& pool) : pool_(pool) {}
  /// Parameters below this expression, ascending, each once.
  [[nodiscard]] const std::vector<std::uint32_t>& of(ExprId id);

 private:
  using Set = std::vector<std::uint32_t>;
  // Of the search for strongly connected components (Tarjan): values carried around a loop depend on each other.
  struct Visit {
    std::uint32_t node = 0;
    std::uint32_t next_kid = 0;
  };
  static constexpr std::uint32_t unknown = 0xffffffffU;
  // A set of more than these is worked out anew each time: many such sets would not fit.
  static constexpr std::size_t largest_kept = 256;

  void find_below(std::uint32_t root);
  void enter(std::uint32_t node);
  void leave(std::uint32_t node);
  [[nodiscard]] std::span<const ExprId> kids_of(std::uint32_t node) const;
  [[nodiscard]] std::uint32_t number_of(Set set);

  const ExprPool& pool_;
  std::vector<std::uint32_t> set_of_;  // by node: which of sets_
  std::vector<const Set*> sets_;
  std::map<Set, std::uint32_t> numbers_;
  Set large_;  // the last one that was too large to be kept
  std::uint32_t too_large_ = unknown;

  std::vector<std::uint32_t> order_, lowest_;  // by node, 0: not entered
  std::vector<std::uint32_t> component_;
  std::vector<Visit> path_;
  std::uint32_t entered_ = 0;
};

}  // namespace ptxscope::analysis
