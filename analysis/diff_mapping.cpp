#include "analysis/diff_mapping.h"

#include <algorithm>
#include <unordered_map>

namespace ptxscope::analysis::diff {

Variables::Variables(const Body& body) : body_(&body), of_token_(body.tokens.size(), no_index) {
  first_local_ = body.register_count;
  first_split_ = first_local_ + static_cast<std::uint32_t>(body.locals.size());
  count_ = first_split_;
  for (std::size_t i = 0; i < body.tokens.size(); ++i) {
    const Token one = body.tokens[i];
    if (token::kind(one) == TokenKind::reg) of_token_[i] = token::variable(one);
    if (token::kind(one) == TokenKind::local) of_token_[i] = first_local_ + token::variable(one);
  }
}

std::string Variables::name(std::uint32_t variable) const {
  if (is_local(variable)) return std::string(body_->module->name(body_->locals[local(variable)]->name));
  return body_->module->register_name(*body_->function, body_->register_number(reg(variable)));
}

namespace {

class Partition {
 public:
  std::uint32_t add() {
    parents_.push_back(static_cast<std::uint32_t>(parents_.size()));
    return parents_.back();
  }
  std::uint32_t find(std::uint32_t node) {
    while (parents_[node] != node) node = parents_[node] = parents_[parents_[node]];
    return node;
  }
  void unite(std::uint32_t a, std::uint32_t b) { parents_[find(a)] = find(b); }
  void clear() { parents_.clear(); }

 private:
  std::vector<std::uint32_t> parents_;
};

// Blocks of a body, for following one register at a time.
struct Blocks {
  std::vector<std::uint32_t> of_item;
  std::vector<std::uint32_t> first_item;  // one more at the end
  std::vector<std::uint32_t> predecessor_starts, predecessors;
  // Indirect branches lead to every label: blocks with a label have all these as predecessors too.
  std::vector<std::uint32_t> indirect;
  std::vector<bool> has_label;

  explicit Blocks(const BodyFlow& flow) {
    const Body& body = flow.body();
    const std::uint32_t count = body.size();
    std::vector<bool> leads(count + 1U, false);
    leads[0] = true;
    for (const BodyLabel& label : body.labels) leads[label.target] = true;
    for (std::uint32_t i = 0; i < count; ++i)
      if (body.items[i].goes != Goes::on) leads[i + 1] = true;
    of_item.resize(count + 1U);
    for (std::uint32_t i = 0; i <= count; ++i) {
      if (leads[i] || i == count) first_item.push_back(i);
      of_item[i] = static_cast<std::uint32_t>(first_item.size()) - 1;
    }
    const std::size_t blocks = first_item.size();  // the last one is the end
    has_label.assign(blocks, false);
    for (const BodyLabel& label : body.labels) has_label[of_item[label.target]] = true;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t block = 0; block + 1 < blocks; ++block) {
      const std::uint32_t last = first_item[block + 1] - 1;
      if (body.items[last].goes == Goes::indirect) {
        indirect.push_back(block);
        if (body.items[last].guarded) edges.emplace_back(block + 1, block);
        continue;
      }
      flow.successors(last, [&](std::uint32_t to) { edges.emplace_back(of_item[to], block); });
    }
    std::ranges::sort(edges);
    predecessor_starts.assign(blocks + 1, 0);
    for (const auto& [to, from] : edges) ++predecessor_starts[to + 1];
    for (std::size_t i = 0; i < blocks; ++i) predecessor_starts[i + 1] += predecessor_starts[i];
    predecessors.reserve(edges.size());
    for (const auto& [to, from] : edges) predecessors.push_back(from);
  }
};

// The webs of one register: each token that names it gets a node, united with the definitions that reach it.
class Webs {
 public:
  Webs(const BodyFlow& flow, const Blocks& blocks) : flow_(flow), blocks_(blocks) {}

  // `tokens`: (item, token) of the register, in order. Returns a node for each; false: took too long.
  bool run(std::span<const std::pair<std::uint32_t, std::uint32_t>> tokens, std::uint64_t& budget,
           std::vector<std::uint32_t>& nodes) {
    partition_.clear();
    in_.clear();
    out_.clear();
    work_.clear();
    nodes.assign(tokens.size(), no_index);
    for (std::size_t i = 0; i < tokens.size();) {
      const std::uint32_t block = blocks_.of_item[tokens[i].first];
      std::uint32_t now = no_index;  // what the register holds
      while (i < tokens.size() && blocks_.of_item[tokens[i].first] == block) {
        const std::uint32_t item = tokens[i].first;
        std::size_t end = i;
        while (end < tokens.size() && tokens[end].first == item) ++end;
        const bool guarded = flow_.body().items[item].guarded;
        for (std::size_t k = i; k < end; ++k) {
          const Token one = flow_.body().tokens[tokens[k].second];
          const bool keeps_old = (one & token::reads) != 0 || guarded;
          if (!keeps_old) continue;
          if (now == no_index) now = live_in(block);
          nodes[k] = now;
        }
        std::uint32_t written = no_index;
        for (std::size_t k = i; k < end; ++k) {
          const Token one = flow_.body().tokens[tokens[k].second];
          if ((one & token::writes) == 0) continue;
          if (nodes[k] != no_index) {
            written = nodes[k];
          } else {
            if (written == no_index) written = partition_.add();
            nodes[k] = written;
          }
        }
        if (written != no_index) now = written;
        i = end;
      }
      if (now != no_index) {
        const auto known = in_.find(block);
        if (known == in_.end() || known->second != now) out_[block] = now;
      }
    }
    while (!work_.empty()) {
      const std::uint32_t block = work_.back();
      work_.pop_back();
      const auto join = [&](std::uint32_t predecessor) {
        const auto end = out_.find(predecessor);
        const std::uint32_t node = end != out_.end() ? end->second : live_in(predecessor);
        partition_.unite(node, in_.at(block));
      };
      const std::uint32_t first = blocks_.predecessor_starts[block];
      const std::uint32_t last = blocks_.predecessor_starts[block + 1];
      const std::size_t cost = 1 + last - first + (blocks_.has_label[block] ? blocks_.indirect.size() : 0);
      if (budget < cost) return false;
      budget -= cost;
      for (std::uint32_t i = first; i < last; ++i) join(blocks_.predecessors[i]);
      if (blocks_.has_label[block])
        for (const std::uint32_t from : blocks_.indirect) join(from);
    }
    for (std::uint32_t& node : nodes)
      if (node != no_index) node = partition_.find(node);
    return true;
  }

 private:
  std::uint32_t live_in(std::uint32_t block) {
    const auto [entry, is_new] = in_.try_emplace(block, 0);
    if (is_new) {
      entry->second = partition_.add();
      work_.push_back(block);
    }
    return entry->second;
  }

  const BodyFlow& flow_;
  const Blocks& blocks_;
  Partition partition_;
  std::unordered_map<std::uint32_t, std::uint32_t> in_, out_;
  std::vector<std::uint32_t> work_;
};

}  // namespace

void Variables::split(const BodyFlow& flow, std::span<const std::uint32_t> registers) {
  if (registers.empty()) return;
  const Blocks blocks(flow);
  std::vector<std::uint32_t> slot(body_->register_count, no_index);
  for (std::uint32_t i = 0; i < registers.size(); ++i) slot[registers[i]] = i;
  std::vector<std::vector<std::pair<std::uint32_t, std::uint32_t>>> tokens(registers.size());
  for (std::uint32_t item = 0; item < body_->size(); ++item)
    for (std::uint32_t t = body_->items[item].first_token; t < body_->items[item + 1].first_token; ++t) {
      const Token one = body_->tokens[t];
      if (token::kind(one) == TokenKind::reg && slot[token::variable(one)] != no_index)
        tokens[slot[token::variable(one)]].emplace_back(item, t);
    }
  Webs webs(flow, blocks);
  std::uint64_t budget = 4'000'000 + 16 * body_->tokens.size();
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t i = 0; i < registers.size(); ++i) {
    if (!webs.run(tokens[i], budget, nodes)) return;
    std::unordered_map<std::uint32_t, std::uint32_t> variable_of;
    for (std::size_t k = 0; k < nodes.size(); ++k) {
      if (nodes[k] == no_index) continue;
      // The first web keeps the register's own number.
      const bool is_first = variable_of.empty();
      const auto [entry, is_new] = variable_of.try_emplace(nodes[k], is_first ? registers[i] : count_);
      if (is_new && !is_first) {
        split_from_.push_back(registers[i]);
        ++count_;
      }
      of_token_[tokens[i][k].second] = entry->second;
    }
  }
}

Mapping elect(const Variables& a, const Variables& b, std::vector<Vote>& votes) {
  struct Candidate {
    std::uint32_t a, b;
    std::uint64_t weight;
    std::uint32_t first;  // place of the first vote
    bool same_name;
  };
  std::vector<Candidate> candidates;
  std::vector<std::uint32_t> order(votes.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::sort(order, [&](std::uint32_t x, std::uint32_t y) {
    if (votes[x].a != votes[y].a) return votes[x].a < votes[y].a;
    if (votes[x].b != votes[y].b) return votes[x].b < votes[y].b;
    return x < y;
  });
  for (const std::uint32_t i : order) {
    const Vote& vote = votes[i];
    if (candidates.empty() || candidates.back().a != vote.a || candidates.back().b != vote.b)
      candidates.push_back({vote.a, vote.b, 0, i, false});
    ++candidates.back().weight;
  }
  // Names are looked at only where there is a choice.
  std::vector<std::uint32_t> choices_a(a.count(), 0);
  std::vector<std::uint32_t> choices_b(b.count(), 0);
  for (const Candidate& one : candidates) {
    ++choices_a[one.a];
    ++choices_b[one.b];
  }
  for (Candidate& one : candidates)
    if (choices_a[one.a] > 1 || choices_b[one.b] > 1) one.same_name = a.name(one.a) == b.name(one.b);
  std::ranges::sort(candidates, [](const Candidate& x, const Candidate& y) {
    if (x.weight != y.weight) return x.weight > y.weight;
    if (x.same_name != y.same_name) return x.same_name;
    return x.first < y.first;
  });
  Mapping mapping{std::vector<std::uint32_t>(a.count(), no_index), std::vector<std::uint32_t>(b.count(), no_index)};
  for (const Candidate& one : candidates)
    if (mapping.open(one.a, one.b)) mapping.join(one.a, one.b);
  return mapping;
}

bool pair_operands(const Body& a, const Body& b, std::uint32_t item_a, std::uint32_t item_b,
                   std::vector<OperandPair>& out) {
  out.clear();
  const auto end_of = [](const Body& body, std::uint32_t token, std::uint32_t end) {
    while (++token < end && (body.tokens[token] & token::starts_operand) == 0) {
    }
    return token;
  };
  const std::uint32_t end_a = a.items[item_a + 1].first_token;
  const std::uint32_t end_b = b.items[item_b + 1].first_token;
  std::uint32_t at_a = end_of(a, a.items[item_a].first_token, end_a);
  std::uint32_t at_b = end_of(b, b.items[item_b].first_token, end_b);
  bool is_guard = a.items[item_a].guarded && b.items[item_b].guarded;
  if (a.items[item_a].guarded && !is_guard) at_a = end_of(a, at_a, end_a);
  if (b.items[item_b].guarded && !is_guard) at_b = end_of(b, at_b, end_b);
  // Whether it is read or written is the opcode's doing.
  constexpr Token access = token::reads | token::writes;
  while (at_a < end_a && at_b < end_b) {
    OperandPair pair{{at_a, end_of(a, at_a, end_a)}, {at_b, end_of(b, at_b, end_b)}, is_guard, false};
    pair.same_shape = pair.a.size() == pair.b.size();
    for (std::uint32_t k = 0; pair.same_shape && k < pair.a.size(); ++k) {
      const Token left = token::shape(a.tokens[pair.a.begin + k]) | access;
      pair.same_shape = left == (token::shape(b.tokens[pair.b.begin + k]) | access);
    }
    out.push_back(pair);
    at_a = pair.a.end;
    at_b = pair.b.end;
    is_guard = false;
  }
  return at_a == end_a && at_b == end_b;
}

bool same_shape(const Body& a, const Body& b, std::uint32_t item_a, std::uint32_t item_b) {
  const auto left = a.tokens_of(item_a);
  const auto right = b.tokens_of(item_b);
  if (left.size() != right.size()) return false;
  const bool is_branch = a.items[item_a].goes == Goes::branch && b.items[item_b].goes == Goes::branch;
  for (std::size_t i = 0; i < left.size(); ++i) {
    const Token mask = is_branch && i == 1 ? ~token::negated : ~Token{0};
    if ((token::shape(left[i]) & mask) != (token::shape(right[i]) & mask)) return false;
  }
  return true;
}

}  // namespace ptxscope::analysis::diff
