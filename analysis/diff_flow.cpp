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
  FlowWalk(const BodyFlow& a, const BodyFlow& b, std::span<const Key> a_keys, std::span<const Key> b_keys,
           Alignment& out)
      : a_(a), b_(b), a_keys_(a_keys), b_keys_(b_keys), out_(out) {}

  void run() {
    work_.emplace_back(a_.resolved(0), b_.resolved(0));
    for (std::uint32_t i = 0; i < a_.size(); ++i)
      if (out_.a_to_b[i] != no_index) push_successors(i, out_.a_to_b[i]);
    while (!work_.empty()) {
      const auto [a, b] = work_.back();
      work_.pop_back();
      follow(a, b);
    }
  }

 private:
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
      work_.emplace_back(a_.taken(a), same ? b_.taken(b) : b_.next(b));
      work_.emplace_back(a_.next(a), same ? b_.next(b) : b_.taken(b));
    } else if (goes_on(a_, a)) {
      work_.emplace_back(a_.next(a), b_.next(b));
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
      work_.emplace_back(a_.resolved(x), b_.resolved(y));
      // The table itself stands where no control comes.
      if (is_open(x, y) && a_keys_[x] == b_keys_[y]) {
        out_.join(x, y);
        push_successors(x, y);
      }
    }
  }

  void follow(std::uint32_t a, std::uint32_t b) {
    while (is_open(a, b)) {
      if (a_keys_[a] != b_keys_[b]) {
        if (!find_together_again(a, b)) return;
        continue;
      }
      out_.join(a, b);
      if (a_.goes(a) != Goes::on) return push_successors(a, b);
      push_labels(a, b);
      a = a_.next(a);
      b = b_.next(b);
    }
  }

  // A statement more here or there: goes on with the nearest two that are equal.
  bool find_together_again(std::uint32_t& a, std::uint32_t& b) {
    constexpr std::size_t furthest = 24;
    trace(a_, a, out_.a_to_b, furthest, trace_a_);
    trace(b_, b, out_.b_to_a, furthest, trace_b_);
    const std::size_t most = trace_a_.size() + trace_b_.size();
    for (std::size_t distance = 1; distance < most; ++distance) {
      for (std::size_t i = distance < trace_b_.size() ? 0 : distance - trace_b_.size() + 1;
           i <= distance && i < trace_a_.size(); ++i) {
        const std::size_t j = distance - i;
        if (!are_equal(i, j)) continue;
        const bool ends = i + 1 == trace_a_.size() && j + 1 == trace_b_.size();
        // One statement alone may be equal by chance, unless just one was changed.
        if (!ends && distance > 2 && !are_equal(i + 1, j + 1)) continue;
        a = trace_a_[i];
        b = trace_b_[j];
        return true;
      }
    }
    return false;
  }

  bool are_equal(std::size_t i, std::size_t j) const {
    return i < trace_a_.size() && j < trace_b_.size() && a_keys_[trace_a_[i]] == b_keys_[trace_b_[j]];
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
  std::span<const Key> a_keys_, b_keys_;
  Alignment& out_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> work_;
  std::vector<std::uint32_t> trace_a_, trace_b_;
};

}  // namespace

void align_along_flow(const BodyFlow& a, const BodyFlow& b, std::span<const Key> a_keys, std::span<const Key> b_keys,
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
