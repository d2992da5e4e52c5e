#include "analysis/diff_function.h"

#include <algorithm>
#include <numeric>

#include "analysis/diff_evaluate.h"
#include "analysis/diff_slide.h"

namespace ptxscope::analysis::diff {

namespace {

// Keys that also say what the operands are made of: a register is known by what defines it, a result by what uses it, a
// branch by what it leads to. They survive renaming, and a change shows in the keys of its neighbours only.
std::vector<Key> refined_keys(const Body& body, const std::vector<Key>& keys) {
  std::vector<Key> definitions(body.register_count, 0);
  std::vector<Key> uses(body.register_count, 0);
  const auto each_register = [&](std::uint32_t item, auto visit) {
    const auto tokens = body.tokens_of(item);
    for (std::size_t t = 0; t < tokens.size(); ++t)
      if (token::kind(tokens[t]) == TokenKind::reg) visit(tokens[t], t);
  };
  for (std::uint32_t i = 0; i < body.size(); ++i)
    each_register(i, [&](Token one, std::size_t place) {
      // Sums: the order of definitions or uses does not matter.
      if ((one & token::writes) != 0) definitions[token::variable(one)] += mix(keys[i], place);
      if ((one & token::reads) != 0) uses[token::variable(one)] += mix(keys[i], place);
    });
  std::vector<Key> refined(keys.size());
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    Key hash = mix(1, keys[i]);
    each_register(i, [&](Token one, std::size_t) {
      if ((one & token::reads) != 0) hash = mix(hash, definitions[token::variable(one)]);
      if ((one & token::writes) != 0) hash = mix(hash, uses[token::variable(one)]);
    });
    for (const Token one : body.tokens_of(i)) {
      if (token::kind(one) != TokenKind::label) continue;
      const std::uint32_t target = body.labels[token::variable(one)].target;
      hash = mix(hash, target < body.size() ? keys[target] : 0);
    }
    refined[i] = hash;
  }
  return refined;
}

Keys keys_of(const Body& body) {
  Keys keys;
  keys.shape = shape_keys(body);
  keys.near = refined_keys(body, keys.shape);
  keys.far = refined_keys(body, keys.near);
  return keys;
}

// What has no partner yet, in order.
void align_rest(const Keys& a, const Keys& b, std::uint64_t& budget, Alignment& alignment,
                std::vector<Coarse>& coarse) {
  std::vector<std::uint32_t> rest_a, rest_b;
  for (std::uint32_t i = 0; i < alignment.a_to_b.size(); ++i)
    if (alignment.a_to_b[i] == no_index) rest_a.push_back(i);
  for (std::uint32_t i = 0; i < alignment.b_to_a.size(); ++i)
    if (alignment.b_to_a[i] == no_index) rest_b.push_back(i);
  if (rest_a.empty() || rest_b.empty()) return;
  const auto gather = [](const std::vector<Key>& keys, const std::vector<std::uint32_t>& indices) {
    std::vector<Key> out;
    out.reserve(indices.size());
    for (const std::uint32_t i : indices) out.push_back(keys[i]);
    return out;
  };
  const std::vector<Key> near_a = gather(a.near, rest_a), near_b = gather(b.near, rest_b);
  const std::vector<Key> shape_a = gather(a.shape, rest_a), shape_b = gather(b.shape, rest_b);
  Aligner aligner({{near_a, near_b}, {shape_a, shape_b}}, budget);
  Alignment found(rest_a.size(), rest_b.size());
  aligner.align({0, static_cast<std::uint32_t>(rest_a.size())}, {0, static_cast<std::uint32_t>(rest_b.size())}, found);
  for (std::uint32_t i = 0; i < rest_a.size(); ++i)
    if (found.a_to_b[i] != no_index) alignment.join(rest_a[i], rest_b[found.a_to_b[i]]);
  for (const Coarse& one : aligner.coarse()) {
    // Only stretches that are stretches of the text too can be told as such.
    const Range x{rest_a[one.a.begin], rest_a[one.a.end - 1] + 1};
    const Range y{rest_b[one.b.begin], rest_b[one.b.end - 1] + 1};
    if (x.size() == one.a.size() && y.size() == one.b.size()) coarse.push_back({x, y});
  }
}

bool has_open(const Alignment& alignment) {
  return std::ranges::find(alignment.a_to_b, no_index) != alignment.a_to_b.end() &&
         std::ranges::find(alignment.b_to_a, no_index) != alignment.b_to_a.end();
}

std::vector<Move> moves_of(const Body& a, const Body& b, const Alignment& alignment) {
  std::vector<Move> out;
  std::vector<std::uint32_t> in_a, in_b;
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    if (alignment.a_to_b[i] == no_index || a.items[i].goes == Goes::jump) continue;
    in_a.push_back(i);
    in_b.push_back(alignment.a_to_b[i]);
  }
  std::size_t next = 0;
  const std::vector<std::uint32_t> in_place = longest_increasing(in_b);
  Range a_run, b_run;
  const auto flush = [&] {
    if (a_run.empty()) return;
    out.push_back({a.items[a_run.begin].statement, a.items[a_run.end - 1].statement, b.items[b_run.begin].statement,
                   b.items[b_run.end - 1].statement, a_run.size()});
    a_run = {};
  };
  for (std::uint32_t k = 0; k < in_a.size(); ++k) {
    if (next < in_place.size() && in_place[next] == k) {
      ++next;
      flush();
      continue;
    }
    const bool goes_on = !a_run.empty() && in_a[k] == a_run.end && in_b[k] == b_run.end;
    if (!goes_on) {
      flush();
      a_run = {in_a[k], in_a[k]};
      b_run = {in_b[k], in_b[k]};
    }
    ++a_run.end;
    ++b_run.end;
  }
  flush();
  return out;
}

// Edits in the order of A, an insertion after what stands before it in B and what is gone from there.
void add_edits(const Body& a, const Body& b, const Evaluation& evaluation, FunctionDiff& out) {
  struct Placed {
    std::uint64_t place;
    const ItemEdit* edit;
  };
  std::vector<std::uint32_t> before(b.size() + 1U, 0);  // by item of B: one more than the item of A before it
  for (std::uint32_t i = 0; i < b.size(); ++i)
    before[i + 1] = evaluation.alignment.b_to_a[i] == no_index ? before[i] : evaluation.alignment.b_to_a[i] + 1;
  std::vector<std::uint32_t> before_in_b(a.size() + 1U, 0);
  for (std::uint32_t i = 0; i < a.size(); ++i)
    before_in_b[i + 1] =
        evaluation.alignment.a_to_b[i] == no_index ? before_in_b[i] : evaluation.alignment.a_to_b[i] + 1;
  std::vector<std::uint32_t> gap_end(a.size() + 1U, a.size());  // by item of A: the next one that has a partner
  for (std::uint32_t i = a.size(); i-- > 0;)
    gap_end[i] = evaluation.alignment.a_to_b[i] == no_index ? gap_end[i + 1] : i;
  for (std::uint32_t i = 0; i <= b.size(); ++i) before[i] = gap_end[before[i]];
  std::vector<Placed> placed;
  for (const ItemEdit& edit : evaluation.edits) {
    const std::uint64_t place = edit.a != no_index ? std::uint64_t{edit.a} * 2 + 1 : std::uint64_t{before[edit.b]} * 2;
    placed.push_back({place, &edit});
  }
  std::ranges::stable_sort(placed, {}, &Placed::place);
  const auto side = [](const Body& body, std::uint32_t item, std::uint32_t count) {
    if (item == no_index) return EditSide{};
    const std::uint32_t statement = body.items[item].statement;
    Span span = body.module->statement(statement).span();
    if (count > 1) span.end = body.module->statement(body.items[item + count - 1].statement).span().end;
    return EditSide{statement, count, span};
  };
  for (const Placed& one : placed) {
    const ItemEdit& item = *one.edit;
    Edit edit;
    edit.op = item.a == no_index ? EditOp::insert : item.b == no_index ? EditOp::remove : EditOp::replace;
    edit.effect = item.effect;
    edit.continues_elsewhere = item.continues_elsewhere;
    edit.opcode_differs = item.opcode_differs;
    edit.guard_differs = item.guard_differs;
    edit.operands_differ = item.operands_differ;
    edit.a = side(a, item.a, item.a_count);
    edit.b = side(b, item.b, item.b_count);
    if (item.a == no_index && before[item.b] > 0) edit.a.after = a.items[before[item.b] - 1].statement;
    if (item.b == no_index && before_in_b[item.a] > 0) edit.b.after = b.items[before_in_b[item.a] - 1].statement;
    if (item.a_count > 1 || item.b_count > 1) out.too_different = true;
    if (edit.effect == EditEffect::changes) out.same_code = false;
    out.edits.push_back(edit);
  }
}

void add_declaration_edits(const Body& a, const Body& b, const Evaluation& evaluation, FunctionDiff& out) {
  for (const LocalEdit& local : evaluation.locals) {
    Edit edit;
    edit.part = EditPart::declaration;
    edit.op = local.a == no_index ? EditOp::insert : local.b == no_index ? EditOp::remove : EditOp::replace;
    edit.effect = local.effect;
    if (local.a != no_index)
      edit.a = {a.locals[local.a]->statement, 1, a.module->statement(a.locals[local.a]->statement).span()};
    if (local.b != no_index)
      edit.b = {b.locals[local.b]->statement, 1, b.module->statement(b.locals[local.b]->statement).span()};
    if (edit.effect == EditEffect::changes) out.same_code = false;
    out.edits.push_back(edit);
  }
}

void add_names_of(const Body& a, const Body& b, const Evaluation& evaluation, FunctionDiff& out) {
  for (std::uint32_t i = 0; i < evaluation.mapping.a_to_b.size(); ++i) {
    if (evaluation.mapping.a_to_b[i] == no_index) continue;
    std::string name = evaluation.a.name(i);
    std::string other = evaluation.b.name(evaluation.mapping.a_to_b[i]);
    if (name == other) continue;
    auto& list = evaluation.a.is_local(i) ? out.locals : out.registers;
    list.emplace_back(std::move(name), std::move(other));
  }
  for (auto* list : {&out.registers, &out.locals}) {
    std::ranges::stable_sort(*list, {}, [](const auto& pair) { return pair.first; });
    list->erase(std::unique(list->begin(), list->end()), list->end());
  }
  const auto spelled = [](const Body& body, Token one) {
    return std::string(body.module->name(body.module->statement(body.labels[token::variable(one)].statement).label()));
  };
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const std::uint32_t partner = evaluation.alignment.a_to_b[i];
    if (partner == no_index) continue;
    const auto left = a.tokens_of(i);
    const auto right = b.tokens_of(partner);
    for (std::size_t t = 0; t < std::min(left.size(), right.size()); ++t) {
      if (token::kind(left[t]) != TokenKind::label || token::kind(right[t]) != TokenKind::label) continue;
      const std::uint32_t x = a.labels[token::variable(left[t])].target;
      const std::uint32_t y = b.labels[token::variable(right[t])].target;
      if (x >= a.size() || evaluation.alignment.a_to_b[x] != y) continue;
      auto pair = std::pair(spelled(a, left[t]), spelled(b, right[t]));
      if (pair.first != pair.second) out.labels.push_back(std::move(pair));
    }
  }
  std::ranges::sort(out.labels);
  out.labels.erase(std::unique(out.labels.begin(), out.labels.end()), out.labels.end());
}

}  // namespace

void compare_bodies(const Body& a, const Body& b, bool with_names, std::uint64_t& budget, FunctionDiff& out) {
  const BodyFlow flow_a(a);
  const BodyFlow flow_b(b);
  const Keys keys_a = keys_of(a);
  const Keys keys_b = keys_of(b);

  // As the text goes; then what moved in it.
  Alignment in_order(a.size(), b.size());
  Aligner aligner({{keys_a.far, keys_b.far}, {keys_a.near, keys_b.near}, {keys_a.shape, keys_b.shape}}, budget);
  aligner.align({0, a.size()}, {0, b.size()}, in_order);
  slide_gaps(a, b, keys_a.shape, keys_b.shape, in_order);
  Evaluation best = evaluate(flow_a, flow_b, in_order, aligner.coarse());
  std::size_t best_cost = best.changes;
  const auto consider = [&](Alignment alignment, const std::vector<Coarse>& coarse) {
    Evaluation other = evaluate(flow_a, flow_b, std::move(alignment), coarse);
    // Where something is different all the same, a move has to be worth its while.
    const std::size_t moves = other.changes == 0 ? 0 : moves_of(a, b, other.alignment).size();
    if (other.changes + moves >= best_cost) return;
    best = std::move(other);
    best_cost = best.changes + moves;
  };
  const bool may_have_moved =
      best.changes > 0 && aligner.coarse().empty() && (has_open(in_order) || best.has_flow_faults);
  if (may_have_moved && has_open(in_order)) {
    Alignment alignment = in_order;
    align_along_flow(flow_a, flow_b, keys_a, keys_b, alignment);
    consider(std::move(alignment), {});
  }

  // As control goes, which is right for blocks in another order.
  if (may_have_moved && best.changes > 0) {
    Alignment alignment(a.size(), b.size());
    align_along_flow(flow_a, flow_b, keys_a, keys_b, alignment);
    std::vector<Coarse> coarse;
    align_rest(keys_a, keys_b, budget, alignment, coarse);
    consider(std::move(alignment), coarse);
  }
  add_declaration_edits(a, b, best, out);
  add_edits(a, b, best, out);
  out.moves = moves_of(a, b, best.alignment);
  if (!out.edits.empty() || !out.moves.empty())
    for (std::uint32_t i = 0; i < a.size(); ++i)
      if (best.alignment.a_to_b[i] != no_index)
        out.partners.emplace_back(a.items[i].statement, b.items[best.alignment.a_to_b[i]].statement);
  for (std::uint32_t i = 0; i < a.size(); ++i) {
    const std::uint32_t partner = best.alignment.a_to_b[i];
    // What is an edit besides is told as that.
    const bool same = partner != no_index && a.tokens_of(i)[0] == b.tokens_of(partner)[0];
    out.respelled += same && a.items[i].opcode != b.items[partner].opcode ? 1 : 0;
  }
  if (with_names) add_names_of(a, b, best, out);
}

}  // namespace ptxscope::analysis::diff
