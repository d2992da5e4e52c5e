#include "analysis/contradiction.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/expr_fold.h"

namespace ptxscope::analysis {

namespace {

constexpr std::size_t max_facts = 96;
constexpr std::size_t max_nodes = 40;

enum class Order : std::uint8_t { none, at_most, below };

// "a before b" relations of one signedness, closed under transitivity.
class Orders {
 public:
  Orders(const ExprPool& pool, bool is_signed) : pool_(pool), signed_(is_signed) {}

  void add(ExprId a, ExprId b, Order order) {
    const auto i = node(a);
    const auto k = node(b);
    if (!i || !k) return;
    relation_[*i][*k] = std::max(relation_[*i][*k], order);
    ++relations_;
  }

  [[nodiscard]] bool has_strict_cycle() {
    if (relations_ < 2) return false;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      for (std::size_t k = 0; k < nodes_.size(); ++k) {
        if (i != k) relate_constants(i, k);
      }
    }
    for (std::size_t via = 0; via < nodes_.size(); ++via) {
      for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (relation_[i][via] == Order::none) continue;
        for (std::size_t k = 0; k < nodes_.size(); ++k) {
          if (relation_[via][k] == Order::none) continue;
          relation_[i][k] = std::max({relation_[i][k], relation_[i][via], relation_[via][k]});
        }
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (relation_[i][i] == Order::below) return true;
    }
    return false;
  }

 private:
  std::optional<std::size_t> node(ExprId id) {
    const auto at = std::find(nodes_.begin(), nodes_.end(), id);
    if (at != nodes_.end()) return static_cast<std::size_t>(at - nodes_.begin());
    if (nodes_.size() >= max_nodes) return std::nullopt;
    nodes_.push_back(id);
    return nodes_.size() - 1;
  }

  void relate_constants(std::size_t i, std::size_t k) {
    const Expr& a = pool_[nodes_[i]];
    const Expr& b = pool_[nodes_[k]];
    if (a.op != ExprOp::constant || b.op != ExprOp::constant || a.bits != b.bits) return;
    if (fold::compare(signed_ ? ExprOp::lt_s : ExprOp::lt_u, a.value, b.value, a.bits)) relation_[i][k] = Order::below;
  }

  const ExprPool& pool_;
  bool signed_;
  std::vector<ExprId> nodes_;
  unsigned relations_ = 0;
  std::array<std::array<Order, max_nodes>, max_nodes> relation_{};
};

}  // namespace

bool contradictory(ExprPool& pool, std::span<const ExprId> conditions) {
  std::vector<ExprId> facts;
  std::unordered_set<std::uint32_t> seen;
  std::vector<ExprId> stack(conditions.begin(), conditions.end());  // the last, and nearest, first
  while (!stack.empty() && facts.size() < max_facts) {
    const ExprId top = stack.back();
    stack.pop_back();
    if (!seen.insert(static_cast<std::uint32_t>(top)).second) continue;
    if (pool.is_constant(top, 0)) return true;
    if (pool[top].op == ExprOp::and_) {
      stack.push_back(pool.kid(top, 1));
      stack.push_back(pool.kid(top, 0));
      continue;
    }
    facts.push_back(top);
  }
  Orders with_sign(pool, true);
  Orders without_sign(pool, false);
  // Equalities of different spelling (s32, b32) are different nodes.
  for (const ExprId fact : facts) {
    if (pool[fact].op != ExprOp::eq) continue;
    for (const ExprId other : facts) {
      if (pool[other].op == ExprOp::ne && pool.kid(other, 0) == pool.kid(fact, 0) &&
          pool.kid(other, 1) == pool.kid(fact, 1))
        return true;
    }
  }
  for (const ExprId fact : facts) {
    if (seen.contains(static_cast<std::uint32_t>(pool.negate(fact)))) return true;
    const Expr e = pool[fact];
    if (e.op < ExprOp::eq || e.op > ExprOp::ge_s) continue;
    ExprId a = pool.kid(fact, 0);
    ExprId b = pool.kid(fact, 1);
    // Both sides widened alike compare like their narrow selves, without a sign.
    while (pool[a].op == ExprOp::zext && pool[b].op == ExprOp::zext &&
           pool[pool.kid(a, 0)].bits == pool[pool.kid(b, 0)].bits && e.op < ExprOp::lt_s) {
      a = pool.kid(a, 0);
      b = pool.kid(b, 0);
    }
    const auto relate = [&](Orders& orders, ExprId low, ExprId high, Order order) {
      orders.add(low, high, order);
      // Below the smaller of two is below both; above the larger likewise.
      const bool is_signed = &orders == &with_sign;
      const Expr h = pool[high];
      if (h.op == (is_signed ? ExprOp::min_s : ExprOp::min_u)) {
        for (const ExprId k : std::vector<ExprId>{pool.kid(high, 0), pool.kid(high, 1)}) orders.add(low, k, order);
      }
      const Expr l = pool[low];
      if (l.op == (is_signed ? ExprOp::max_s : ExprOp::max_u)) {
        for (const ExprId k : std::vector<ExprId>{pool.kid(low, 0), pool.kid(low, 1)}) orders.add(k, high, order);
      }
    };
    switch (e.op) {
      case ExprOp::eq:
        relate(with_sign, a, b, Order::at_most);
        relate(with_sign, b, a, Order::at_most);
        relate(without_sign, a, b, Order::at_most);
        relate(without_sign, b, a, Order::at_most);
        break;
      case ExprOp::lt_u:
        relate(without_sign, a, b, Order::below);
        break;
      case ExprOp::le_u:
        relate(without_sign, a, b, Order::at_most);
        break;
      case ExprOp::gt_u:
        relate(without_sign, b, a, Order::below);
        break;
      case ExprOp::ge_u:
        relate(without_sign, b, a, Order::at_most);
        break;
      case ExprOp::lt_s:
        relate(with_sign, a, b, Order::below);
        break;
      case ExprOp::le_s:
        relate(with_sign, a, b, Order::at_most);
        break;
      case ExprOp::gt_s:
        relate(with_sign, b, a, Order::below);
        break;
      case ExprOp::ge_s:
        relate(with_sign, b, a, Order::at_most);
        break;
      default:
        break;
    }
  }
  return with_sign.has_strict_cycle() || without_sign.has_strict_cycle();
}

}  // namespace ptxscope::analysis
