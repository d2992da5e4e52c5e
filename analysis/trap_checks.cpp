#include "analysis/trap_checks.h"

#include <algorithm>

namespace ptxscope::analysis {

namespace {

class Classifier {
 public:
  explicit Classifier(const CheckContext& context) : context_(context), pool_(*context.pool) {}

  [[nodiscard]] Check of(ExprId condition, unsigned depth = 0) const {
    const Expr& e = pool_[condition];
    if (depth > 32) return Check::other;
    if (e.op == ExprOp::or_) {
      const Check a = of(pool_.kid(condition, 0), depth + 1);
      const Check b = of(pool_.kid(condition, 1), depth + 1);
      if (a == b) return a;
      // A range check is several compares; one of them names the length.
      if ((a == Check::bounds && is_order(pool_.kid(condition, 1))) ||
          (b == Check::bounds && is_order(pool_.kid(condition, 0))))
        return Check::bounds;
      if ((a == Check::bounds && b == Check::overflow) || (b == Check::bounds && a == Check::overflow))
        return Check::bounds;
      return Check::other;
    }
    if (e.op == ExprOp::and_) {
      if (is_division_overflow(condition)) return Check::overflow;
      const Check a = of(pool_.kid(condition, 0), depth + 1);
      const Check b = of(pool_.kid(condition, 1), depth + 1);
      return a == b ? a : Check::other;
    }
    if (e.op == ExprOp::eq || e.op == ExprOp::ne)
      return equality(e.op, pool_.kid(condition, 0), pool_.kid(condition, 1));
    if (is_order(condition)) return order(condition);
    return Check::other;
  }

 private:
  [[nodiscard]] bool is_order(ExprId id) const {
    const ExprOp op = pool_[id].op;
    return op >= ExprOp::lt_u && op <= ExprOp::ge_s;
  }

  [[nodiscard]] ExprId bare(ExprId id) const {
    while (pool_[id].op == ExprOp::zext || pool_[id].op == ExprOp::sext || pool_[id].op == ExprOp::trunc)
      id = pool_.kid(id, 0);
    return id;
  }

  // The role of a parameter or of its field; unknown for anything else.
  [[nodiscard]] ParameterRole role_of(ExprId id, bool* in_slice = nullptr) const {
    const Expr& e = pool_[bare(id)];
    if (e.op != ExprOp::parameter || e.payload >= context_.parameters.size()) return ParameterRole::unknown;
    const ParameterInfo& info = context_.parameters[e.payload];
    for (const ParameterInfo::Field& field : info.fields) {
      if (field.offset != e.value) continue;
      if (in_slice != nullptr) *in_slice = field.slice.has_value();
      return field.role;
    }
    if (in_slice != nullptr) *in_slice = info.slice.has_value();
    return info.role;
  }

  [[nodiscard]] bool is_slice_length(ExprId id) const {
    id = bare(id);
    const Expr& e = pool_[id];
    if (e.op == ExprOp::min_u || e.op == ExprOp::min_s)
      return is_slice_length(pool_.kid(id, 0)) || is_slice_length(pool_.kid(id, 1));
    bool in_slice = false;
    return role_of(id, &in_slice) == ParameterRole::length && in_slice;
  }

  // A bound as a program has it at hand: a parameter, something loaded, a constant, the smaller of such.
  [[nodiscard]] bool is_plain_bound(ExprId id) const {
    id = bare(id);
    const Expr& e = pool_[id];
    switch (e.op) {
      case ExprOp::parameter:
        return role_of(id) != ParameterRole::pointer;
      case ExprOp::constant:
        return e.value != 0;
      case ExprOp::load:
      case ExprOp::special:
        return true;
      case ExprOp::min_u:
      case ExprOp::min_s:
        return is_plain_bound(pool_.kid(id, 0)) && is_plain_bound(pool_.kid(id, 1));
      case ExprOp::phi: {
        const auto kids = pool_.kids(id);
        return !kids.empty() && std::all_of(kids.begin(), kids.end(), [&](ExprId k) {
          return pool_[bare(k)].op == ExprOp::parameter || pool_[bare(k)].op == ExprOp::load;
        });
      }
      default:
        return false;
    }
  }

  [[nodiscard]] bool is_used_index(ExprId index) const {
    const ExprId name = bare_index(pool_, index);
    if (pool_.is_constant(name)) return false;
    const auto uses = [&](const std::set<ExprId>& set) { return set.contains(name) || set.contains(index); };
    if (context_.used_afterwards != nullptr && !uses(*context_.used_afterwards)) return false;
    return uses(context_.use->indices);
  }

  // Every access through this index goes to a slice, which has a length of its own: another bound is another check.
  [[nodiscard]] bool only_in_slices(ExprId index) const {
    const ExprId name = bare_index(pool_, index);
    if (context_.use->slice_free_indices.contains(name)) return false;
    bool any = false;
    for (const auto& [place, used] : context_.use->indexed) {
      if (used != name) continue;
      any = true;
      bool in_slice = place.first < context_.parameters.size() && context_.parameters[place.first].slice.has_value();
      if (place.first < context_.parameters.size()) {
        for (const auto& field : context_.parameters[place.first].fields)
          in_slice |= field.offset == place.second && field.slice.has_value();
      }
      if (!in_slice) return false;
    }
    return any;
  }

  [[nodiscard]] Check order(ExprId condition) const {
    ExprId larger = pool_.kid(condition, 0);
    ExprId smaller = pool_.kid(condition, 1);
    const ExprOp op = pool_[condition].op;
    if (op == ExprOp::lt_u || op == ExprOp::le_u || op == ExprOp::lt_s || op == ExprOp::le_s)
      std::swap(larger, smaller);
    // Fails when larger >= smaller: larger is the index, smaller the bound.
    if (is_sum_overflow(larger, smaller)) return Check::overflow;
    if (pool_.is_constant(smaller) && context_.use->shift_amounts.contains(bare(larger))) return Check::overflow;
    if (is_slice_length(smaller)) return Check::bounds;
    if (is_plain_bound(smaller) && is_used_index(larger)) {
      if (role_of(smaller) == ParameterRole::scalar && only_in_slices(larger)) return Check::other;
      return Check::bounds;
    }
    // A negative index, after a signed compare: index < 0.
    if (pool_.is_constant(larger, 0) && is_used_index(smaller) && (op == ExprOp::lt_s || op == ExprOp::gt_s))
      return Check::bounds;
    return Check::other;
  }

  // a + b < a, or < b: the sum wrapped around.
  [[nodiscard]] bool is_sum_overflow(ExprId larger, ExprId smaller) const {
    smaller = bare(smaller);
    if (pool_[smaller].op != ExprOp::add) return false;
    return pool_.kid(smaller, 0) == larger || pool_.kid(smaller, 1) == larger;
  }

  [[nodiscard]] Check equality(ExprOp op, ExprId a, ExprId b) const {
    if (pool_.is_constant(a)) std::swap(a, b);
    const ExprId left = bare(a);
    const Expr& e = pool_[left];
    if (op == ExprOp::eq && pool_.is_constant(b, 0)) {
      if (context_.use->divisors.contains(left)) return Check::divide_by_zero;
      if (e.op == ExprOp::parameter && context_.use->divisor_places.contains({e.payload, e.value}))
        return Check::divide_by_zero;
      if (role_of(left) == ParameterRole::pointer) return Check::null;
      if (is_slice_length(left)) return Check::bounds;  // an empty slice has no first element
      return Check::other;
    }
    if (op == ExprOp::ne && pool_.is_constant(b, 0) && e.op == ExprOp::and_ && pool_.is_constant(pool_.kid(left, 1))) {
      const std::uint64_t low = pool_[pool_.kid(left, 1)].value;
      const auto parameters = pool_.parameters(pool_.kid(left, 0));
      const bool pointer = std::any_of(parameters.begin(), parameters.end(), [&](std::uint32_t i) {
        return i < context_.parameters.size() && (context_.parameters[i].role == ParameterRole::pointer ||
                                                  context_.parameters[i].role == ParameterRole::aggregate);
      });
      if (low != 0 && (low & (low + 1)) == 0 && low < 4096 && pointer &&
          role_of(pool_.kid(left, 0)) == ParameterRole::pointer)
        return Check::alignment;
      if (low != 0 && (low & (low + 1)) == 0 && low < 4096 && pointer && pool_[pool_.kid(left, 0)].op == ExprOp::add)
        return Check::alignment;
    }
    if (op == ExprOp::ne && (e.op == ExprOp::mul_hi_u || e.op == ExprOp::mul_hi_s)) return Check::overflow;
    return Check::other;
  }

  // MIN / -1.
  [[nodiscard]] bool is_division_overflow(ExprId condition) const {
    bool minimum = false;
    bool minus_one = false;
    std::vector<ExprId> stack{condition};
    while (!stack.empty()) {
      const ExprId top = stack.back();
      stack.pop_back();
      const Expr& e = pool_[top];
      if (e.op == ExprOp::and_) {
        stack.push_back(pool_.kid(top, 0));
        stack.push_back(pool_.kid(top, 1));
      } else if (e.op == ExprOp::eq && pool_.is_constant(pool_.kid(top, 1))) {
        const Expr& c = pool_[pool_.kid(top, 1)];
        const unsigned bits = c.bits;
        if (bits >= 8 && c.value == 1ULL << (bits - 1)) minimum = true;
        if (c.value == (bits >= 64 ? ~0ULL : (1ULL << bits) - 1)) minus_one = true;
      }
    }
    return minimum && minus_one;
  }

  const CheckContext& context_;
  const ExprPool& pool_;
};

}  // namespace

void UnknownFinder::enter(std::uint32_t node) {
  order_[node] = lowest_[node] = ++entered_;
  is_found_[node] = pool_[ExprId{node}].op == ExprOp::unknown ? 1 : 0;
  component_.push_back(node);
  path_.push_back({node, 0});
}

// What was found below it is below the node that led here; a node that closes a component answers for all of it.
void UnknownFinder::leave(std::uint32_t node) {
  path_.pop_back();
  if (!path_.empty()) {
    const std::uint32_t above = path_.back().node;
    lowest_[above] = std::min(lowest_[above], lowest_[node]);
    is_found_[above] |= is_found_[node];
  }
  if (lowest_[node] != order_[node]) return;
  for (std::uint32_t member = no_index; member != node; component_.pop_back()) {
    member = component_.back();
    is_found_[member] = is_found_[node];
    is_answered_[member] = 1;
  }
}

bool UnknownFinder::is_below(ExprId id) {
  const auto root = static_cast<std::uint32_t>(id);
  if (order_.size() < pool_.size()) {
    order_.resize(pool_.size(), 0);
    lowest_.resize(pool_.size(), 0);
    is_found_.resize(pool_.size(), 0);
    is_answered_.resize(pool_.size(), 0);
  }
  if (is_answered_[root] == 0) enter(root);
  while (!path_.empty()) {
    const std::uint32_t node = path_.back().node;
    const auto kids = pool_.kids(ExprId{node});
    if (path_.back().next_kid == kids.size()) {
      leave(node);
      continue;
    }
    const auto kid = static_cast<std::uint32_t>(kids[path_.back().next_kid++]);
    if (order_[kid] == 0) enter(kid);
    else if (is_answered_[kid] != 0) is_found_[node] |= is_found_[kid];
    else lowest_[node] = std::min(lowest_[node], order_[kid]);
  }
  return is_found_[root] != 0;
}

Check classify(const CheckContext& context, ExprId condition) {
  if (context.pool->is_constant(condition, 1)) return Check::unconditional;
  const bool has_unknown =
      context.unknowns != nullptr ? context.unknowns->is_below(condition) : context.pool->has_unknown(condition);
  if (has_unknown) return Check::unknown;
  return Classifier(context).of(condition);
}

}  // namespace ptxscope::analysis
