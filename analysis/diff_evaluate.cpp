#include "analysis/diff_evaluate.h"

#include <algorithm>

#include "analysis/diff_function.h"

namespace ptxscope::analysis::diff {

namespace {

// How two items compare under a mapping.
struct Comparison {
  bool comparable = false;  // as many operands
  bool opcode_differs = false, guard_differs = false;
  std::uint32_t operands = 0, differing = 0;
  std::uint32_t operands_differ = 0;  // bits, see Edit
  bool is_permutation = false;        // the same registers in another order
  [[nodiscard]] bool is_same() const { return comparable && !opcode_differs && !guard_differs && differing == 0; }
};

class Evaluator {
 public:
  Evaluator(const BodyFlow& a, const BodyFlow& b, Alignment alignment, const std::vector<Coarse>& coarse)
      : flow_a_(a),
        flow_b_(b),
        a_(a.body()),
        b_(b.body()),
        coarse_(coarse),
        pairs_left_(4096 + 32 * (std::uint64_t{a.size()} + b.size())),
        out_{std::move(alignment), Variables(a.body()), Variables(b.body()), {}, {}, {}, 0, false} {}

  Evaluation run() {
    index_coarse();
    part_unlike_pairs();
    map_variables();
    marks_.assign(a_.size(), Mark{});
    mark_operands();
    pair_gaps();
    mark_labels();
    mark_flow();
    emit();
    compare_locals();
    for (const ItemEdit& edit : out_.edits) out_.changes += edit.effect == EditEffect::changes ? 1 : 0;
    for (const LocalEdit& edit : out_.locals) out_.changes += edit.effect == EditEffect::changes ? 1 : 0;
    return std::move(out_);
  }

 private:
  struct Mark {  // of an item of A with a partner
    bool replaced = false, continues_elsewhere = false;
    bool opcode_differs = false, guard_differs = false;
    std::uint32_t operands_differ = 0;
  };

  std::vector<std::uint32_t>& a_to_b() { return out_.alignment.a_to_b; }
  std::vector<std::uint32_t>& b_to_a() { return out_.alignment.b_to_a; }

  // Keys are hashes, and hashes may be equal by chance or by somebody's will.
  void part_unlike_pairs() {
    for (std::uint32_t i = 0; i < a_.size(); ++i)
      if (a_to_b()[i] != no_index && !same_shape(a_, b_, i, a_to_b()[i])) out_.alignment.part(i);
  }

  std::vector<Vote> votes() {
    std::vector<Vote> all;
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = a_to_b()[i];
      if (j == no_index) continue;
      const std::uint32_t first_a = a_.items[i].first_token;
      const std::uint32_t first_b = b_.items[j].first_token;
      for (std::uint32_t t = 0; t < a_.tokens_of(i).size(); ++t) {
        const std::uint32_t x = out_.a.of(first_a + t);
        if (x != no_index) all.push_back({x, out_.b.of(first_b + t)});
      }
    }
    return all;
  }

  std::vector<const Vote*> against(const std::vector<Vote>& all) const {
    std::vector<const Vote*> out;
    for (const Vote& vote : all)
      if (!out_.mapping.agrees(vote.a, vote.b)) out.push_back(&vote);
    return out;
  }

  static std::vector<std::uint32_t> written_more_than_once(const Body& body, std::vector<std::uint32_t> registers) {
    std::ranges::sort(registers);
    registers.erase(std::unique(registers.begin(), registers.end()), registers.end());
    std::vector<std::uint8_t> writes(body.register_count, 0);
    for (const Token one : body.tokens)
      if (token::kind(one) == TokenKind::reg && (one & token::writes) != 0) {
        std::uint8_t& count = writes[token::variable(one)];
        if (count < 2) ++count;
      }
    std::erase_if(registers, [&](std::uint32_t r) { return writes[r] < 2; });
    return registers;
  }

  void map_variables() {
    std::vector<Vote> all = votes();
    out_.mapping = elect(out_.a, out_.b, all);
    const std::vector<const Vote*> wrong = against(all);
    if (wrong.empty()) return;
    split_registers(wrong);
    improve_mapping();
  }

  // A register that serves several values may be several registers on the other side.
  void split_registers(const std::vector<const Vote*>& wrong) {
    std::vector<std::uint32_t> in_a, in_b;
    const auto add = [](const Variables& variables, std::uint32_t variable, std::vector<std::uint32_t>& list) {
      if (variable != no_index && !variables.is_local(variable)) list.push_back(variables.reg(variable));
    };
    for (const Vote* vote : wrong) {
      add(out_.a, vote->a, in_a);
      add(out_.b, vote->b, in_b);
      add(out_.b, out_.mapping.a_to_b[vote->a], in_b);
      add(out_.a, out_.mapping.b_to_a[vote->b], in_a);
    }
    in_a = written_more_than_once(a_, std::move(in_a));
    in_b = written_more_than_once(b_, std::move(in_b));
    if (in_a.empty() && in_b.empty()) return;
    Variables whole_a = out_.a;
    Variables whole_b = out_.b;
    Mapping whole = out_.mapping;
    const std::size_t before = wrong.size();
    out_.a.split(flow_a_, in_a);
    out_.b.split(flow_b_, in_b);
    std::vector<Vote> again = votes();
    out_.mapping = elect(out_.a, out_.b, again);
    if (against(again).size() < before) return;
    out_.a = std::move(whole_a);
    out_.b = std::move(whole_b);
    out_.mapping = std::move(whole);
  }

  // Votes are counted by operand, edits by statement: exchanges the partners of two variables where fewer statements are
  // wrong then.
  void improve_mapping() {
    std::vector<std::vector<std::uint32_t>> items(out_.a.count());  // by variable of A: where it occurs
    std::vector<std::uint32_t> wrong;
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = a_to_b()[i];
      if (j == no_index) continue;
      if (!fits(i)) wrong.push_back(i);
      for (std::uint32_t t = a_.items[i].first_token; t < a_.items[i + 1].first_token; ++t) {
        const std::uint32_t x = out_.a.of(t);
        if (x != no_index && (items[x].empty() || items[x].back() != i)) items[x].push_back(i);
      }
    }
    constexpr std::size_t most_wrong = 20'000;  // with more there is nothing to save
    constexpr std::size_t most_items = 64;      // of a variable: a partner that many agree on stays
    if (wrong.size() > most_wrong) return;
    std::vector<std::uint32_t> touched;
    for (const std::uint32_t i : wrong) {
      const std::uint32_t first_a = a_.items[i].first_token;
      const std::uint32_t first_b = b_.items[a_to_b()[i]].first_token;
      for (std::uint32_t t = 0; t < a_.tokens_of(i).size(); ++t) {
        const std::uint32_t x = out_.a.of(first_a + t);
        if (x == no_index) continue;
        const std::uint32_t y = out_.b.of(first_b + t);
        if (out_.mapping.agrees(x, y)) continue;
        const std::uint32_t x_other = out_.mapping.b_to_a[y];
        touched = items[x];
        if (x_other != no_index) touched.insert(touched.end(), items[x_other].begin(), items[x_other].end());
        if (touched.size() > 2 * most_items) continue;
        std::ranges::sort(touched);
        touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
        const auto count_wrong = [&] {
          return std::ranges::count_if(touched, [&](std::uint32_t k) { return !fits(k); });
        };
        const auto before = count_wrong();
        const std::uint32_t y_other = out_.mapping.a_to_b[x];
        const auto set = [&](std::uint32_t a, std::uint32_t b) {
          if (a != no_index) out_.mapping.a_to_b[a] = b;
          if (b != no_index) out_.mapping.b_to_a[b] = a;
        };
        set(x, y);
        set(x_other, y_other);
        if (count_wrong() < before) continue;
        set(x, y_other);
        set(x_other, y);
      }
    }
  }

  // Whether the tokens of an operand are the same; variables that have no partner yet may be each other's.
  bool agrees(const OperandPair& pair) const {
    if (!pair.same_shape) return false;
    for (std::uint32_t k = 0; k < pair.a.size(); ++k) {
      const std::uint32_t x = out_.a.of(pair.a.begin + k);
      if (x == no_index) continue;
      const std::uint32_t y = out_.b.of(pair.b.begin + k);
      if (y == no_index || (!out_.mapping.agrees(x, y) && !out_.mapping.open(x, y))) return false;
    }
    return true;
  }

  Comparison compare(std::uint32_t i, std::uint32_t j) {
    Comparison result;
    result.opcode_differs = a_.tokens_of(i)[0] != b_.tokens_of(j)[0];
    result.guard_differs = a_.items[i].guarded != b_.items[j].guarded;
    result.comparable = pair_operands(a_, b_, i, j, pairs_);
    std::vector<std::uint32_t>& wanted = wanted_;
    std::vector<std::uint32_t>& there = there_;
    wanted.clear();
    there.clear();
    bool only_registers = true;
    std::uint32_t place = 0;
    for (const OperandPair& pair : pairs_) {
      const bool differs = !agrees(pair);
      if (pair.is_guard) {
        result.guard_differs |= differs;
        if (differs && a_.items[i].goes == Goes::branch && b_.items[j].goes == Goes::branch)
          result.guard_differs = !differs_in_sense_only(pair);
        continue;
      }
      ++result.operands;
      if (differs) {
        ++result.differing;
        result.operands_differ |= 1U << std::min(place, 31U);
        if (is_parameter(a_, pair.a) && is_parameter(b_, pair.b)) {
          wanted.push_back(~token::variable(a_.tokens[pair.a.begin]));
          there.push_back(~token::variable(b_.tokens[pair.b.begin]));
          ++place;
          continue;
        }
        only_registers &= pair.same_shape;
        for (std::uint32_t k = 0; k < pair.a.size() && pair.same_shape; ++k) {
          const std::uint32_t x = out_.a.of(pair.a.begin + k);
          if (x == no_index) continue;
          const std::uint32_t partner = out_.mapping.a_to_b[x];
          wanted.push_back(partner == no_index ? no_index : out_.b.reg(partner));
          there.push_back(out_.b.reg(out_.b.of(pair.b.begin + k)));
        }
      }
      ++place;
    }
    if (result.differing > 1 && only_registers) {
      std::ranges::sort(wanted);
      std::ranges::sort(there);
      result.is_permutation = wanted == there;
    }
    return result;
  }

  static bool is_parameter(const Body& body, Range operand) {
    return operand.size() == 1 && token::kind(body.tokens[operand.begin]) == TokenKind::parameter;
  }

  // `@%p` against `@!%p`: for a branch the check of the flow decides.
  bool differs_in_sense_only(const OperandPair& pair) const {
    if (pair.a.size() != 1 || pair.b.size() != 1) return false;
    const std::uint32_t x = out_.a.of(pair.a.begin);
    const std::uint32_t y = out_.b.of(pair.b.begin);
    return x != no_index && y != no_index && (out_.mapping.agrees(x, y) || out_.mapping.open(x, y));
  }

  // One edit, or a statement that went and another that came?
  static bool is_one_edit(const Comparison& c) {
    if (!c.comparable) return false;
    if (c.guard_differs) return c.differing == 0 && !c.opcode_differs;
    return c.differing <= 1 || c.differing * 2 <= c.operands || c.is_permutation;
  }

  void mark(std::uint32_t i, const Comparison& comparison) {
    Mark& mark = marks_[i];
    mark.replaced = true;
    mark.opcode_differs |= comparison.opcode_differs;
    mark.guard_differs |= comparison.guard_differs;
    mark.operands_differ |= comparison.operands_differ;
  }

  void mark_operands() {
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = a_to_b()[i];
      if (j == no_index || fits(i)) continue;
      const Comparison comparison = compare(i, j);
      if (comparison.is_same()) continue;
      if (is_one_edit(comparison)) mark(i, comparison);
      else out_.alignment.part(i);
    }
  }

  // Whether all variables of an aligned pair are each other's partners.
  bool fits(std::uint32_t i) const {
    const std::uint32_t first_a = a_.items[i].first_token;
    const std::uint32_t first_b = b_.items[out_.alignment.a_to_b[i]].first_token;
    for (std::uint32_t t = 0; t < a_.tokens_of(i).size(); ++t) {
      const std::uint32_t x = out_.a.of(first_a + t);
      if (x != no_index && !out_.mapping.agrees(x, out_.b.of(first_b + t))) return false;
    }
    return true;
  }

  // How well one replaces the other; 0: not at all.
  int likeness(std::uint32_t i, std::uint32_t j) {
    if (token::kind(a_.tokens_of(i)[0]) != token::kind(b_.tokens_of(j)[0])) return 0;
    if ((a_.items[i].goes == Goes::jump) != (b_.items[j].goes == Goes::jump)) return 0;
    const Comparison c = compare(i, j);
    if (c.is_same()) return 100;
    if (token::kind(a_.tokens_of(i)[0]) == TokenKind::directive) return !c.opcode_differs && is_one_edit(c) ? 60 : 0;
    if (!c.opcode_differs) return is_one_edit(c) ? 90 - 5 * static_cast<int>(std::min(c.differing, 8U)) : 0;
    if (!c.comparable || c.guard_differs) return 0;
    const bool same_mnemonic = mnemonic(a_, i) == mnemonic(b_, j);
    if (c.differing == 0) return same_mnemonic ? 80 : 60;
    return same_mnemonic && is_one_edit(c) && c.operands > 1 ? 40 : 0;
  }

  static std::string_view mnemonic(const Body& body, std::uint32_t item) {
    return body.module->statement(body.items[item].statement).opcode().mnemonic;
  }

  // Statements without partner between the same neighbours.
  void pair_gaps() {
    std::uint32_t i = 0;
    while (i < a_.size()) {
      if (a_to_b()[i] != no_index) {
        ++i;
        continue;
      }
      Range gap{i, i};
      while (gap.end < a_.size() && a_to_b()[gap.end] == no_index) ++gap.end;
      i = gap.end;
      Range other;
      const std::uint32_t after = gap.begin == 0 ? 0 : a_to_b()[gap.begin - 1] + 1;
      const std::uint32_t before = gap.end == a_.size() ? b_.size() : a_to_b()[gap.end];
      if (after < b_.size() && b_to_a()[after] == no_index) {
        other = {after, after};
        while (other.end < b_.size() && b_to_a()[other.end] == no_index) ++other.end;
      } else if (before > 0 && b_to_a()[before - 1] == no_index) {
        other = {before, before};
        while (other.begin > 0 && b_to_a()[other.begin - 1] == no_index) --other.begin;
      } else {
        continue;
      }
      pair_gap(gap, other);
    }
  }

  void pair_gap(Range x, Range y) {
    for (std::uint32_t k = x.begin; k < x.end; ++k)
      if (coarse_at(k, true) != nullptr) return;
    constexpr std::uint64_t most = 1U << 14U;  // of pairs looked at
    const std::uint64_t area = std::uint64_t{x.size()} * y.size();
    const bool is_large = area > most || area > pairs_left_;
    if (!is_large) pairs_left_ -= area;
    if (is_large) {
      for (std::uint32_t k = 0; k < std::min(x.size(), y.size()); ++k)
        if (likeness(x.begin + k, y.begin + k) > 0) join_replaced(x.begin + k, y.begin + k);
      return;
    }
    // The pairs of most likeness that do not cross.
    const std::size_t width = y.size() + 1U;
    std::vector<int> sums((x.size() + std::size_t{1}) * width, 0);
    std::vector<int> scores(area, 0);
    for (std::uint32_t i = x.size(); i-- > 0;)
      for (std::uint32_t j = y.size(); j-- > 0;) {
        const int score = likeness(x.begin + i, y.begin + j);
        scores[i * std::size_t{y.size()} + j] = score;
        int& sum = sums[i * width + j];
        sum = std::max(sums[(i + 1) * width + j], sums[i * width + j + 1]);
        if (score > 0) sum = std::max(sum, score + sums[(i + 1) * width + j + 1]);
      }
    std::uint32_t i = 0;
    std::uint32_t j = 0;
    while (i < x.size() && j < y.size()) {
      const int score = scores[i * std::size_t{y.size()} + j];
      if (score > 0 && sums[i * width + j] == score + sums[(i + 1) * width + j + 1]) {
        join_replaced(x.begin + i++, y.begin + j++);
      } else if (sums[i * width + j] == sums[(i + 1) * width + j]) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  void join_replaced(std::uint32_t i, std::uint32_t j) {
    const Comparison comparison = compare(i, j);
    out_.alignment.join(i, j);
    for (const OperandPair& pair : pairs_) {
      if (!pair.same_shape) continue;
      for (std::uint32_t k = 0; k < pair.a.size(); ++k) {
        const std::uint32_t x = out_.a.of(pair.a.begin + k);
        const std::uint32_t y = out_.b.of(pair.b.begin + k);
        if (x != no_index && y != no_index && out_.mapping.open(x, y)) out_.mapping.join(x, y);
      }
    }
    if (!comparison.is_same()) mark(i, comparison);
  }

  // Labels that are operands of other things than branches.
  void mark_labels() {
    const Correspondence corresponds(flow_a_, flow_b_, out_.alignment);
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = a_to_b()[i];
      if (j == no_index || a_.items[i].goes == Goes::branch || a_.items[i].goes == Goes::jump) continue;
      const auto left = a_.tokens_of(i);
      const auto right = b_.tokens_of(j);
      for (std::size_t t = 0; t < std::min(left.size(), right.size()); ++t) {
        if (token::kind(left[t]) != TokenKind::label || token::kind(right[t]) != TokenKind::label) continue;
        const std::uint32_t x = a_.labels[token::variable(left[t])].target;
        const std::uint32_t y = b_.labels[token::variable(right[t])].target;
        if (!corresponds(x, y)) marks_[i].replaced = true;
      }
    }
  }

  void mark_flow() {
    jump_matters_a_.assign(a_.size(), false);
    jump_matters_b_.assign(b_.size(), false);
    const std::vector<FlowFault> faults = flow_faults(flow_a_, flow_b_, out_.alignment);
    out_.has_flow_faults = !faults.empty();
    for (const FlowFault& fault : faults) {
      switch (fault.kind) {
        case FlowFault::Kind::pair: {
          Mark& mark = marks_[fault.a];
          mark.replaced = true;
          if (a_.items[fault.a].guarded && guard_sense(a_, fault.a) != guard_sense(b_, fault.b))
            mark.guard_differs = true;
          else mark.operands_differ |= 1;
          break;
        }
        case FlowFault::Kind::next:
          if (a_to_b()[fault.a] != fault.b) {  // the start of the function
            out_.edits.push_back({fault.a, fault.b, 1, 1, EditEffect::changes, true, false, false, 0});
            break;
          }
          if (!marks_[fault.a].replaced) marks_[fault.a].continues_elsewhere = true;
          marks_[fault.a].replaced = true;
          break;
        case FlowFault::Kind::jump_only_a:
          jump_matters_a_[fault.a] = true;
          break;
        case FlowFault::Kind::jump_only_b:
          jump_matters_b_[fault.b] = true;
          break;
        case FlowFault::Kind::jumps_apart:
          jump_matters_a_[fault.a] = true;
          jump_matters_b_[fault.b] = true;
          break;
      }
    }
  }

  static bool guard_sense(const Body& body, std::uint32_t item) {
    return body.items[item].guarded && (body.tokens_of(item)[1] & token::negated) != 0;
  }

  static EditEffect effect_of(const BodyFlow& flow, std::uint32_t item, const std::vector<bool>& jump_matters) {
    const bool is_instruction = token::kind(flow.body().tokens_of(item)[0]) == TokenKind::opcode;
    if (is_instruction && !flow.reachable(item)) return EditEffect::unreachable;
    if (flow.is_jump(item) && flow.resolved(item) != item && !jump_matters[item]) return EditEffect::jump;
    return EditEffect::changes;
  }

  EditEffect effect_of_pair(std::uint32_t i, std::uint32_t j) const {
    const bool are_instructions = token::kind(a_.tokens_of(i)[0]) == TokenKind::opcode;
    if (are_instructions && !flow_a_.reachable(i) && !flow_b_.reachable(j)) return EditEffect::unreachable;
    // `bra.uni` for `bra`, to where control went before.
    const bool are_jumps = flow_a_.is_jump(i) && flow_b_.is_jump(j);
    if (are_jumps && marks_[i].operands_differ == 0 && !marks_[i].continues_elsewhere) return EditEffect::jump;
    return EditEffect::changes;
  }

  void index_coarse() {
    if (coarse_.empty()) return;
    coarse_of_a_.assign(a_.size(), no_index);
    coarse_of_b_.assign(b_.size(), no_index);
    for (std::uint32_t k = 0; k < coarse_.size(); ++k) {
      std::fill(coarse_of_a_.begin() + coarse_[k].a.begin, coarse_of_a_.begin() + coarse_[k].a.end, k);
      std::fill(coarse_of_b_.begin() + coarse_[k].b.begin, coarse_of_b_.begin() + coarse_[k].b.end, k);
    }
  }

  const Coarse* coarse_at(std::uint32_t item, bool in_a) const {
    if (coarse_.empty()) return nullptr;
    const std::uint32_t index = in_a ? coarse_of_a_[item] : coarse_of_b_[item];
    return index == no_index ? nullptr : &coarse_[index];
  }

  void emit() {
    std::vector<bool> told(coarse_.size(), false);
    const auto tell = [&](const Coarse* one) {
      const auto index = static_cast<std::size_t>(one - coarse_.data());
      if (told[index]) return;
      told[index] = true;
      out_.edits.push_back({one->a.begin, one->b.begin, one->a.size(), one->b.size()});
    };
    for (std::uint32_t i = 0; i < a_.size(); ++i) {
      const std::uint32_t j = a_to_b()[i];
      if (j == no_index) {
        if (const Coarse* one = coarse_at(i, true)) tell(one);
        else out_.edits.push_back({i, no_index, 1, 0, effect_of(flow_a_, i, jump_matters_a_)});
        continue;
      }
      const Mark& mark = marks_[i];
      if (!mark.replaced) continue;
      out_.edits.push_back({i, j, 1, 1, effect_of_pair(i, j), mark.continues_elsewhere, mark.opcode_differs,
                            mark.guard_differs, mark.operands_differ});
    }
    for (std::uint32_t j = 0; j < b_.size(); ++j) {
      if (b_to_a()[j] != no_index) continue;
      if (const Coarse* one = coarse_at(j, false)) tell(one);
      else out_.edits.push_back({no_index, j, 0, 1, effect_of(flow_b_, j, jump_matters_b_)});
    }
  }

  bool same_local(std::uint32_t x, std::uint32_t y) const {
    const Variable& left = *a_.locals[x];
    const Variable& right = *b_.locals[y];
    return same_declaration(left, right) && a_.module->text(left.initializer) == b_.module->text(right.initializer);
  }

  static std::vector<bool> used_locals(const Body& body) {
    std::vector<bool> used(body.locals.size(), false);
    for (const Token one : body.tokens)
      if (token::kind(one) == TokenKind::local) used[token::variable(one)] = true;
    return used;
  }

  void compare_locals() {
    std::vector<std::uint32_t> a_to_b_locals(a_.locals.size(), no_index);
    std::vector<bool> taken(b_.locals.size(), false);
    for (std::uint32_t v = 0; v < out_.mapping.a_to_b.size(); ++v) {
      if (!out_.a.is_local(v) || out_.mapping.a_to_b[v] == no_index) continue;
      const std::uint32_t x = out_.a.local(v);
      const std::uint32_t y = out_.b.local(out_.mapping.a_to_b[v]);
      a_to_b_locals[x] = y;
      taken[y] = true;
      if (!same_local(x, y)) out_.locals.push_back({x, y, EditEffect::changes});
    }
    const std::vector<bool> used_a = used_locals(a_);
    const std::vector<bool> used_b = used_locals(b_);
    const auto effect = [](bool used) { return used ? EditEffect::changes : EditEffect::unused; };
    // The others, as they stand in the text: alike ones are each other's, then those of one name.
    std::vector<std::uint32_t> rest_a, rest_b;
    for (std::uint32_t x = 0; x < a_.locals.size(); ++x)
      if (a_to_b_locals[x] == no_index) rest_a.push_back(x);
    for (std::uint32_t y = 0; y < b_.locals.size(); ++y)
      if (!taken[y]) rest_b.push_back(y);
    std::size_t next = 0;
    for (const std::uint32_t x : rest_a) {
      if (next < rest_b.size() && same_local(x, rest_b[next])) {
        ++next;
      } else if (next < rest_b.size() && rest_a.size() == rest_b.size()) {
        out_.locals.push_back({x, rest_b[next], effect(used_a[x] || used_b[rest_b[next]])});
        ++next;
      } else {
        out_.locals.push_back({x, no_index, effect(used_a[x])});
      }
    }
    for (; next < rest_b.size(); ++next) out_.locals.push_back({no_index, rest_b[next], effect(used_b[rest_b[next]])});
  }

  const BodyFlow& flow_a_;
  const BodyFlow& flow_b_;
  const Body& a_;
  const Body& b_;
  const std::vector<Coarse>& coarse_;
  std::vector<std::uint32_t> coarse_of_a_, coarse_of_b_;  // by item; empty: none is
  std::uint64_t pairs_left_;                              // that may be looked at in gaps, bounding the time
  Evaluation out_;
  std::vector<Mark> marks_;
  std::vector<bool> jump_matters_a_, jump_matters_b_;
  std::vector<OperandPair> pairs_;
  std::vector<std::uint32_t> wanted_, there_;
};

}  // namespace

Evaluation evaluate(const BodyFlow& a, const BodyFlow& b, Alignment alignment, const std::vector<Coarse>& coarse) {
  return Evaluator(a, b, std::move(alignment), coarse).run();
}

}  // namespace ptxscope::analysis::diff
