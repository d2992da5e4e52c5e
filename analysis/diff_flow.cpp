#include "analysis/diff_flow.h"

#include <algorithm>
#include <utility>

namespace ptxscope::analysis::diff {

BodyFlow::BodyFlow(const Body& body) : body_(&body) {
  resolve();
  reach();
}

void BodyFlow::resolve() {
  const std::uint32_t count = size();
  resolved_.assign(count + 1U, no_index);
  resolved_[count] = count;
  std::vector<std::uint32_t> chain;
  for (std::uint32_t i = 0; i < count; ++i) {
    chain.clear();
    std::uint32_t at = i;
    // no_index - 1: on the chain now.
    while (resolved_[at] == no_index && goes(at) == Goes::jump) {
      resolved_[at] = no_index - 1;
      chain.push_back(at);
      at = body_->target(at);
    }
    std::uint32_t end = resolved_[at];
    if (end == no_index) end = at;
    if (end == no_index - 1) end = *std::ranges::min_element(chain);
    for (const std::uint32_t jump : chain) resolved_[jump] = end;
    if (resolved_[i] == no_index) resolved_[i] = end;
  }
}

void BodyFlow::reach() {
  reachable_.assign(size() + 1U, false);
  std::vector<std::uint32_t> work{0};
  bool labels_done = false;
  while (!work.empty()) {
    const std::uint32_t item = work.back();
    work.pop_back();
    if (reachable_[item]) continue;
    reachable_[item] = true;
    if (item == size()) continue;
    if (goes(item) == Goes::indirect && std::exchange(labels_done, true)) {
      if (body_->items[item].guarded) work.push_back(item + 1);
      continue;
    }
    successors(item, [&](std::uint32_t to) {
      if (!reachable_[to]) work.push_back(to);
    });
  }
}

namespace {

// Goes through both graphs at once.
class FlowWalk {
 public:
  FlowWalk(const BodyFlow& a, const BodyFlow& b, const Keys& a_keys, const Keys& b_keys, Alignment& out)
      : a_(a),
        b_(b),
        a_keys_(a_keys),
        b_keys_(b_keys),
        out_(out),
        bound_a_(a.body().register_count, no_index),
        bound_b_(b.body().register_count, no_index) {}

  void run() {
    work_.push_back({a_.resolved(0), b_.resolved(0)});
    for (std::uint32_t i = 0; i < a_.size(); ++i)
      if (out_.a_to_b[i] != no_index) {
        bind(i, out_.a_to_b[i]);
        push_successors(i, out_.a_to_b[i]);
      }
    // What is sure first: one wrong pair of branches leads to others.
    while (!work_.empty() || next_deferred_ < deferred_.size()) {
      const bool is_sure = !work_.empty();
      const Pair pair = is_sure ? work_.back() : deferred_[next_deferred_++];
      if (is_sure) work_.pop_back();
      follow(pair.a, pair.b, !is_sure);
    }
  }

 private:
  struct Pair {
    std::uint32_t a, b;
  };

  // Visits the registers that the tokens of both stand for, place by place.
  template <typename Visit>
  void each_register(std::uint32_t a, std::uint32_t b, Visit visit) const {
    const auto left = a_.body().tokens_of(a);
    const auto right = b_.body().tokens_of(b);
    for (std::size_t t = 0; t < std::min(left.size(), right.size()); ++t)
      if (token::kind(left[t]) == TokenKind::reg && token::kind(right[t]) == TokenKind::reg)
        visit(left[t], token::variable(left[t]), token::variable(right[t]));
  }

  // What the pair says of which register is which: the latest one written counts.
  void bind(std::uint32_t a, std::uint32_t b) {
    each_register(a, b, [&](Token one, std::uint32_t x, std::uint32_t y) {
      const bool is_open = bound_a_[x] == no_index && bound_b_[y] == no_index;
      if ((one & token::writes) == 0 && !is_open) return;
      if (bound_a_[x] != no_index) bound_b_[bound_a_[x]] = no_index;
      if (bound_b_[y] != no_index) bound_a_[bound_b_[y]] = no_index;
      bound_a_[x] = y;
      bound_b_[y] = x;
    });
  }

  // Reads of registers that are others' by now.
  int conflicts(std::uint32_t a, std::uint32_t b) const {
    int count = 0;
    each_register(a, b, [&](Token one, std::uint32_t x, std::uint32_t y) {
      if ((one & token::reads) == 0 || bound_a_[x] == y) return;
      count += bound_a_[x] != no_index || bound_b_[y] != no_index ? 1 : 0;
    });
    return count;
  }

  void join(std::uint32_t a, std::uint32_t b) {
    out_.join(a, b);
    bind(a, b);
  }

  bool is_open(std::uint32_t a, std::uint32_t b) const {
    return a < a_.size() && b < b_.size() && out_.a_to_b[a] == no_index && out_.b_to_a[b] == no_index;
  }

  bool same_polarity(std::uint32_t a, std::uint32_t b) const {
    const auto is_negated = [](const Body& body, std::uint32_t item) {
      return (body.tokens_of(item)[1] & token::negated) != 0;
    };
    return is_negated(a_.body(), a) == is_negated(b_.body(), b);
  }

  static bool goes_on(const BodyFlow& flow, std::uint32_t item) {
    const Goes goes = flow.goes(item);
    return goes != Goes::stop && goes != Goes::jump && (goes != Goes::indirect || flow.body().items[item].guarded);
  }

  void push_successors(std::uint32_t a, std::uint32_t b) {
    if (a_.goes(a) != b_.goes(b)) return;
    if (a_.goes(a) == Goes::branch) {
      const bool same = same_polarity(a, b);
      work_.push_back({a_.taken(a), same ? b_.taken(b) : b_.next(b)});
      work_.push_back({a_.next(a), same ? b_.next(b) : b_.taken(b)});
    } else if (goes_on(a_, a)) {
      work_.push_back({a_.next(a), b_.next(b)});
    }
    // Labels that are operands of other things: tables of branches.
    if (a_.goes(a) == Goes::indirect || a_.goes(a) == Goes::on) push_labels(a, b);
  }

  void push_labels(std::uint32_t a, std::uint32_t b) {
    const auto left = a_.body().tokens_of(a);
    const auto right = b_.body().tokens_of(b);
    for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
      if (token::kind(left[i]) != TokenKind::label || token::kind(right[i]) != TokenKind::label) continue;
      const std::uint32_t x = a_.body().labels[token::variable(left[i])].target;
      const std::uint32_t y = b_.body().labels[token::variable(right[i])].target;
      work_.push_back({a_.resolved(x), b_.resolved(y)});
      // The table itself stands where no control comes.
      if (is_open(x, y) && a_keys_.shape[x] == b_keys_.shape[y]) {
        join(x, y);
        push_successors(x, y);
      }
    }
  }

  void follow(std::uint32_t a, std::uint32_t b, bool may_guess) {
    while (is_open(a, b)) {
      if (a_keys_.shape[a] != b_keys_.shape[b] || conflicts(a, b) > 0) {
        const Pair from{a, b};
        if (!find_together_again(a, b)) return;
        if (!may_guess && a_keys_.near[a] != b_keys_.near[b]) return deferred_.push_back(from);
      }
      join(a, b);
      if (a_.goes(a) != Goes::on) return push_successors(a, b);
      push_labels(a, b);
      a = a_.next(a);
      b = b_.next(b);
    }
  }

  // Statements more here or there, or changed: goes on with the first pair of those ways through what follows on both
  // sides that have most in common. What equal strong keys say counts more, so that in a run of look-alikes the right ones
  // are found.
  bool find_together_again(std::uint32_t& a, std::uint32_t& b) {
    constexpr std::size_t furthest = 32;
    trace(a_, a, out_.a_to_b, furthest, trace_a_);
    trace(b_, b, out_.b_to_a, furthest, trace_b_);
    const std::size_t width = trace_b_.size() + 1;
    sums_.assign((trace_a_.size() + 1) * width, 0);
    const auto sum = [&](std::size_t i, std::size_t j) -> int& { return sums_[i * width + j]; };
    for (std::size_t i = trace_a_.size(); i-- > 0;)
      for (std::size_t j = trace_b_.size(); j-- > 0;) {
        const int score = score_of(trace_a_[i], trace_b_[j]);
        int& best = sum(i, j);
        best = std::max(sum(i + 1, j), sum(i, j + 1));
        if (score > 0) best = std::max(best, score + sum(i + 1, j + 1));
      }
    std::size_t i = 0;
    std::size_t j = 0;
    while (i < trace_a_.size() && j < trace_b_.size() && sum(i, j) > 0) {
      const int score = score_of(trace_a_[i], trace_b_[j]);
      if (score > 0 && sum(i, j) == score + sum(i + 1, j + 1)) {
        if (score > replaced) {
          a = trace_a_[i];
          b = trace_b_[j];
          return true;
        }
        ++i;
        ++j;
      } else if (sum(i, j) == sum(i + 1, j)) {
        ++i;
      } else {
        ++j;
      }
    }
    return false;
  }

  static constexpr int replaced = 1;  // the one may stand for the other
  int score_of(std::uint32_t a, std::uint32_t b) const {
    if (a_keys_.shape[a] == b_keys_.shape[b]) {
      const int score = a_keys_.far[a] == b_keys_.far[b] ? 12 : a_keys_.near[a] == b_keys_.near[b] ? 10 : 8;
      return std::max(score - 3 * conflicts(a, b), replaced + 1);
    }
    return a_.body().items[a].opcode == b_.body().items[b].opcode ? replaced : 0;
  }

  static void trace(const BodyFlow& flow, std::uint32_t from, const std::vector<std::uint32_t>& partners,
                    std::size_t most, std::vector<std::uint32_t>& out) {
    out.clear();
    while (out.size() < most && from < flow.size() && partners[from] == no_index) {
      out.push_back(from);
      if (!goes_on(flow, from)) return;
      from = flow.next(from);
    }
  }

  const BodyFlow& a_;
  const BodyFlow& b_;
  const Keys &a_keys_, &b_keys_;
  Alignment& out_;
  std::vector<Pair> work_, deferred_;
  std::size_t next_deferred_ = 0;
  std::vector<std::uint32_t> bound_a_, bound_b_;  // by register
  std::vector<std::uint32_t> trace_a_, trace_b_;
  std::vector<int> sums_;
};

}  // namespace

void align_along_flow(const BodyFlow& a, const BodyFlow& b, const Keys& a_keys, const Keys& b_keys,
                      Alignment& alignment) {
  FlowWalk(a, b, a_keys, b_keys, alignment).run();
}

namespace {

constexpr std::uint32_t anywhere = no_index;

// By item: the first aligned one that runs when control comes there; `anywhere` where that cannot be told.
std::vector<std::uint32_t> settle(const BodyFlow& flow, const std::vector<std::uint32_t>& partners) {
  const std::uint32_t count = flow.size();
  std::vector<std::uint32_t> settled(count + 1U, anywhere);
  std::vector<std::uint8_t> state(count + 1U, 0);  // 1: on the way, 2: known
  settled[count] = count;
  state[count] = 2;
  std::vector<std::uint32_t> chain;
  for (std::uint32_t i = 0; i < count; ++i) {
    chain.clear();
    std::uint32_t at = flow.resolved(i);
    std::uint32_t end = anywhere;
    for (;;) {
      if (state[at] == 2) {
        end = settled[at];
        break;
      }
      if (state[at] == 1) break;
      state[at] = 1;
      chain.push_back(at);
      if (partners[at] != no_index) {
        end = at;
        break;
      }
      const Goes goes = flow.goes(at);
      if (goes != Goes::on && goes != Goes::may_stop) break;
      at = flow.next(at);
    }
    for (const std::uint32_t one : chain) {
      settled[one] = end;
      state[one] = 2;
    }
  }
  return settled;
}

}  // namespace

Correspondence::Correspondence(const BodyFlow& a, const BodyFlow& b, const Alignment& alignment)
    : a_(&a),
      b_(&b),
      alignment_(&alignment),
      settled_a_(settle(a, alignment.a_to_b)),
      settled_b_(settle(b, alignment.b_to_a)) {}

bool Correspondence::operator()(std::uint32_t a, std::uint32_t b) const {
  const std::uint32_t x = settled_a_[a_->resolved(a)];
  const std::uint32_t y = settled_b_[b_->resolved(b)];
  if (x == anywhere || y == anywhere) return true;
  if (x == a_->size() || y == b_->size()) return x == a_->size() && y == b_->size();
  return alignment_->a_to_b[x] == y;
}

namespace {

class FlowCheck {
 public:
  FlowCheck(const BodyFlow& a, const BodyFlow& b, const Alignment& alignment)
      : a_(a), b_(b), alignment_(alignment), corresponds_(a, b, alignment) {}

  std::vector<FlowFault> run() {
    if (a_.size() > 0 && b_.size() > 0 && !corresponds_(0, 0)) blame_way(0, 0, no_index, no_index);
    for (std::uint32_t a = 0; a < a_.size(); ++a) {
      const std::uint32_t b = alignment_.a_to_b[a];
      if (b != no_index && a_.reachable(a) && b_.reachable(b)) check(a, b);
    }
    return std::move(faults_);
  }

 private:
  void add(FlowFault::Kind kind, std::uint32_t a, std::uint32_t b) { faults_.push_back({kind, a, b}); }

  bool is_negated(const BodyFlow& flow, std::uint32_t item) const {
    return (flow.body().tokens_of(item)[1] & token::negated) != 0;
  }

  void check(std::uint32_t a, std::uint32_t b) {
    const Goes goes = a_.goes(a);
    if (goes != b_.goes(b)) return;  // another opcode or guard: an edit already
    switch (goes) {
      case Goes::branch:
        return check_branch(a, b);
      case Goes::jump:
        // Only a jump to itself runs.
        if (a_.resolved(a) == a && b_.resolved(b) != b) add(FlowFault::Kind::pair, a, b);
        return;
      case Goes::stop:
        return;
      case Goes::indirect:
        if (!a_.body().items[a].guarded) return;
        [[fallthrough]];
      case Goes::on:
      case Goes::may_stop:
        if (!corresponds_(a + 1, b + 1)) blame_way(a + 1, b + 1, a, b);
        return;
    }
  }

  // Of what control comes to, without skipping anything: turning a branch over is not taken for granted.
  bool are_partners(std::uint32_t a, std::uint32_t b) const {
    const std::uint32_t x = a_.resolved(a);
    const std::uint32_t y = b_.resolved(b);
    if (x == a_.size() || y == b_.size()) return x == a_.size() && y == b_.size();
    return alignment_.a_to_b[x] == y;
  }

  void check_branch(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t to_a = a_.body().target(a);
    const std::uint32_t to_b = b_.body().target(b);
    const bool swapped_fits = are_partners(to_a, b + 1) && are_partners(a + 1, to_b);
    if (is_negated(a_, a) != is_negated(b_, b)) {
      if (!swapped_fits) add(FlowFault::Kind::pair, a, b);
      return;
    }
    const bool taken_fits = corresponds_(to_a, to_b);
    if (!taken_fits && swapped_fits && !corresponds_(a + 1, b + 1)) return add(FlowFault::Kind::pair, a, b);
    if (!taken_fits && !blame_jumps(to_a, to_b)) add(FlowFault::Kind::pair, a, b);
    if (!corresponds_(a + 1, b + 1)) blame_way(a + 1, b + 1, a, b);
  }

  // The branches lead to jumps that are each other's partners: they are to blame.
  bool blame_jumps(std::uint32_t a, std::uint32_t b) {
    if (!a_.is_jump(a) || !b_.is_jump(b) || alignment_.a_to_b[a] != b) return false;
    add(FlowFault::Kind::pair, a, b);
    return true;
  }

  // What stands at a and b is reached from the aligned from_a and from_b, and leads to different places.
  void blame_way(std::uint32_t a, std::uint32_t b, std::uint32_t from_a, std::uint32_t from_b) {
    if (blame_jumps(a, b)) return;
    const bool jump_a = a_.is_jump(a) && alignment_.a_to_b[a] == no_index;
    const bool jump_b = b_.is_jump(b) && alignment_.b_to_a[b] == no_index;
    if (jump_a && jump_b) return add(FlowFault::Kind::jumps_apart, a, b);
    if (jump_a) return add(FlowFault::Kind::jump_only_a, a, no_index);
    if (jump_b) return add(FlowFault::Kind::jump_only_b, no_index, b);
    if (from_a == no_index) {
      from_a = 0;
      from_b = 0;
    }
    add(FlowFault::Kind::next, from_a, from_b);
  }

  const BodyFlow& a_;
  const BodyFlow& b_;
  const Alignment& alignment_;
  Correspondence corresponds_;
  std::vector<FlowFault> faults_;
};

}  // namespace

std::vector<FlowFault> flow_faults(const BodyFlow& a, const BodyFlow& b, const Alignment& alignment) {
  return FlowCheck(a, b, alignment).run();
}

}  // namespace ptxscope::analysis::diff
