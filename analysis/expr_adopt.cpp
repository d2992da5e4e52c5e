// Expressions that several threads made, each in a pool of its own, brought together in one.
#include "analysis/expr.h"
#include "analysis/expr_fold.h"

namespace ptxscope::analysis {

namespace {

bool has_text(ExprOp op) { return op == ExprOp::unknown || op == ExprOp::special || op == ExprOp::function; }

}  // namespace

ExprId ExprPool::adopt_node(const ExprPool& other, ExprId id, const Adopted& done) {
  Expr e = other[id];
  if (has_text(e.op)) e.payload = text_id(other.texts_[e.payload]);
  if (e.op == ExprOp::unknown) e.value = nodes_.size();  // one of its own, as it was there
  std::vector<ExprId> kids;
  for (const ExprId kid : other.kids(id)) kids.push_back(done.at(static_cast<std::uint32_t>(kid)));
  // The order of both sides is that of their numbers, which are others here.
  const bool is_ordered = kids.size() == 2 && fold::commutes(e.op) && e.bits != 1 && !is_constant(kids[1]);
  if (is_ordered && kids[1] < kids[0]) std::swap(kids[0], kids[1]);
  return intern(e, kids);
}

ExprId ExprPool::adopt(const ExprPool& other, ExprId id, Adopted& done) {
  // Depth first without recursion. A value carried around a loop is there before what flows into it, so that the way
  // around ends; its kids are set when all of them are.
  struct Open {
    ExprId id;
    bool is_entered;
  };
  std::vector<Open> open{{id, false}};
  std::vector<ExprId> loops;
  while (!open.empty()) {
    const Open top = open.back();
    open.pop_back();
    const auto key = static_cast<std::uint32_t>(top.id);
    if (top.is_entered) {
      if (!done.contains(key)) done.emplace(key, adopt_node(other, top.id, done));
      continue;
    }
    if (done.contains(key)) continue;
    const Expr& e = other[top.id];
    if (e.op == ExprOp::phi) {
      done.emplace(key, phi(e.payload, e.bits));
      loops.push_back(top.id);
    } else {
      open.push_back({top.id, true});
    }
    for (const ExprId kid : other.kids(top.id)) open.push_back({kid, false});
  }
  std::vector<ExprId> kids;
  for (const ExprId loop : loops) {
    kids.clear();
    for (const ExprId kid : other.kids(loop)) kids.push_back(done.at(static_cast<std::uint32_t>(kid)));
    set_phi_kids(done.at(static_cast<std::uint32_t>(loop)), kids);
  }
  return done.at(static_cast<std::uint32_t>(id));
}

}  // namespace ptxscope::analysis
