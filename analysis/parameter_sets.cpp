#include "analysis/parameter_sets.h"

#include <algorithm>
#include <iterator>

namespace ptxscope::analysis {

const std::vector<std::uint32_t>& ParameterSets::of(ExprId id) {
  const auto root = static_cast<std::uint32_t>(id);
  if (set_of_.size() < pool_.size()) {
    set_of_.resize(pool_.size(), unknown);
    order_.resize(pool_.size(), 0);
    lowest_.resize(pool_.size(), 0);
  }
  if (set_of_[root] == unknown) find_below(root);
  if (set_of_[root] != too_large_) return *sets_[set_of_[root]];
  large_ = pool_.parameters(id);
  return large_;
}

// What chose the way at a join of numbers is not behind the number; see ExprPool::parameters().
std::span<const ExprId> ParameterSets::kids_of(std::uint32_t node) const {
  const auto kids = pool_.kids(ExprId{node});
  const Expr& e = pool_[ExprId{node}];
  return e.op == ExprOp::select && e.value != 0 ? kids.subspan(1) : kids;
}

std::uint32_t ParameterSets::number_of(Set set) {
  const bool is_large = set.size() > largest_kept;
  if (is_large) set.assign(1, unknown);
  const auto [at, is_new] = numbers_.try_emplace(std::move(set), static_cast<std::uint32_t>(sets_.size()));
  if (is_new) sets_.push_back(&at->first);
  if (is_large) too_large_ = at->second;
  return at->second;
}

void ParameterSets::enter(std::uint32_t node) {
  order_[node] = lowest_[node] = ++entered_;
  component_.push_back(node);
  path_.push_back({node, 0});
}

// The node closes a component: all nodes of it have the same parameters.
void ParameterSets::leave(std::uint32_t node) {
  if (lowest_[node] != order_[node]) return;
  const auto begin = std::find(component_.rbegin(), component_.rend(), node).base() - 1;
  Set all;
  bool is_large = false;
  for (auto member = begin; member != component_.end(); ++member) {
    const Expr& e = pool_[ExprId{*member}];
    if (e.op == ExprOp::parameter) all.push_back(e.payload);
    for (const ExprId kid : kids_of(*member)) {
      const std::uint32_t set = set_of_[static_cast<std::uint32_t>(kid)];
      if (set == unknown) continue;  // of this component
      is_large |= set == too_large_;
      if (!is_large) all.insert(all.end(), sets_[set]->begin(), sets_[set]->end());
    }
    if (all.size() > 4 * largest_kept || member + 1 == component_.end()) {
      std::sort(all.begin(), all.end());
      all.erase(std::unique(all.begin(), all.end()), all.end());
      is_large |= all.size() > largest_kept;
    }
  }
  if (is_large) all.assign(largest_kept + 1, 0);
  const std::uint32_t number = number_of(std::move(all));
  for (auto member = begin; member != component_.end(); ++member) set_of_[*member] = number;
  component_.erase(begin, component_.end());
}

void ParameterSets::find_below(std::uint32_t root) {
  enter(root);
  while (!path_.empty()) {
    const std::uint32_t node = path_.back().node;
    const auto kids = kids_of(node);
    if (path_.back().next_kid < kids.size()) {
      const auto kid = static_cast<std::uint32_t>(kids[path_.back().next_kid++]);
      if (order_[kid] == 0) enter(kid);
      else if (set_of_[kid] == unknown) lowest_[node] = std::min(lowest_[node], order_[kid]);
      continue;
    }
    path_.pop_back();
    if (!path_.empty()) lowest_[path_.back().node] = std::min(lowest_[path_.back().node], lowest_[node]);
    leave(node);
  }
}

}  // namespace ptxscope::analysis
