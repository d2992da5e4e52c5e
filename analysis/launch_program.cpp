#include "analysis/launch_program.h"

#include <algorithm>
#include <bit>

#include "analysis/expr_fold.h"

namespace ptxscope::analysis::launch {
namespace {

constexpr std::uint64_t saturating_multiply(std::uint64_t a, std::uint64_t b) {
  return a != 0 && b > ~std::uint64_t{0} / a ? ~std::uint64_t{0} : a * b;
}

bool is_compare(ExprOp op) { return op >= ExprOp::eq && op <= ExprOp::ge_s; }
bool is_leaf(ExprOp op) {
  return op == ExprOp::unknown || op == ExprOp::constant || op == ExprOp::parameter || op == ExprOp::special ||
         op == ExprOp::symbol || op == ExprOp::load || op == ExprOp::phi || op == ExprOp::call;
}
// A vote among threads that all give the same answer is that answer: the asking thread takes part in it.
bool is_vote(std::string_view name) { return name.starts_with("vote.all") || name.starts_with("vote.any"); }

std::optional<std::uint64_t> folded(const Node& node, std::array<std::uint64_t, 3> v) {
  switch (node.op) {
    case ExprOp::zext:
      return v[0];
    case ExprOp::sext:
      return fold::mask(fold::sign_extend(v[0], node.kid_bits), node.bits);
    case ExprOp::trunc:
      return fold::mask(v[0], node.bits);
    case ExprOp::select:
      return v[0] != 0 ? v[1] : v[2];
    case ExprOp::fcmp: {
      const auto holds = fold::float_compare(static_cast<FloatCompare>(node.value), v[0], v[1], node.type);
      return holds ? std::optional<std::uint64_t>(*holds ? 1 : 0) : std::nullopt;
    }
    default:
      break;
  }
  if (is_compare(node.op)) return fold::compare(node.op, v[0], v[1], node.kid_bits) ? 1 : 0;
  if (node.kid_count == 1) return fold::unary(node.op, v[0], node.bits);
  return fold::binary(node.op, v[0], v[1], node.bits);
}

std::uint8_t zeros_at_bottom(const Node& node, const std::vector<Node>& nodes) {
  const auto kid = [&](unsigned i) { return unsigned{nodes[node.kids[i]].low_zeros}; };
  unsigned zeros = 0;
  switch (node.op) {
    case ExprOp::constant:
      zeros = static_cast<unsigned>(std::countr_zero(node.value));
      break;
    case ExprOp::add:
    case ExprOp::sub:
      zeros = std::min(kid(0), kid(1));
      break;
    case ExprOp::mul:
      zeros = kid(0) + kid(1);
      break;
    case ExprOp::zext:
    case ExprOp::sext:
    case ExprOp::trunc:
    case ExprOp::neg:
      zeros = kid(0);
      break;
    default:
      break;
  }
  return static_cast<std::uint8_t>(std::min<unsigned>(zeros, node.bits));
}

}  // namespace

Box Environment::whole() const {
  Box box;
  box.count = {grid[2], grid[1], grid[0], block[2], block[1], block[0]};
  return box;
}

std::uint64_t Environment::threads() const {
  std::uint64_t all = 1;
  for (const std::uint32_t n : whole().count) all = saturating_multiply(all, n);
  return all;
}

Program::Program(const ExprPool& pool, Environment environment) : pool_(pool), environment_(std::move(environment)) {}

Slot Program::append(Node node) {
  node.low_zeros = zeros_at_bottom(node, nodes_);
  nodes_.push_back(node);
  return static_cast<Slot>(nodes_.size() - 1);
}

Slot Program::constant(std::uint64_t value, unsigned bits) {
  Node node;
  node.op = ExprOp::constant;
  node.bits = static_cast<std::uint8_t>(bits);
  node.value = fold::mask(value, bits);
  return append(node);
}

Slot Program::unknown(ExprId source, unsigned bits) {
  Node node;  // unknown as it is made
  node.bits = static_cast<std::uint8_t>(bits);
  node.source = source;
  return append(node);
}

Slot Program::coordinate(unsigned dimension, unsigned bits) {
  if (environment_.whole().count[dimension] == 1) return constant(0, bits);
  Node node;
  node.op = ExprOp::special;
  node.bits = 32;
  node.value = dimension;
  return resized(append(node), bits);
}

Slot Program::resized(Slot slot, unsigned bits) {
  if (nodes_[slot].bits == bits) return slot;
  Node node;
  node.op = nodes_[slot].bits < bits ? ExprOp::zext : ExprOp::trunc;
  node.bits = static_cast<std::uint8_t>(bits);
  node.kid_count = 1;
  node.kids[0] = slot;
  return operation(node);
}

Slot Program::special(std::string_view name, unsigned bits, ExprId source) {
  const std::array<std::uint32_t, 3>& grid = environment_.grid;
  const std::array<std::uint32_t, 3>& block = environment_.block;
  const std::size_t dot = name.find('.');
  const std::string_view base = name.substr(0, dot);
  if (dot != std::string_view::npos && name.size() == dot + 2 && name.back() >= 'x' && name.back() <= 'z') {
    const auto axis = static_cast<unsigned>(name.back() - 'x');
    if (base == "ntid") return constant(block[axis], bits);
    if (base == "nctaid") return constant(grid[axis], bits);
    if (base == "ctaid") return coordinate(2 - axis, bits);
    if (base == "tid") return coordinate(5 - axis, bits);
  }
  if (name == "tid.w" || name == "ctaid.w") return constant(0, bits);  // PTX ISA 10.1, 10.6: always zero
  if (name == "WARP_SZ") return constant(32, bits);
  // %warpid may change while a thread runs (PTX ISA 10.4): not known. %laneid follows from the thread's place.
  if (name == "laneid") {
    const auto join = [this](ExprOp op, Slot a, Slot b) {
      Node node;
      node.op = op;
      node.bits = 32;
      node.kid_count = 2;
      node.kids = {a, b, 0};
      return operation(node);
    };
    const Slot rows =
        join(ExprOp::add, coordinate(4, 32), join(ExprOp::mul, coordinate(3, 32), constant(block[1], 32)));
    const Slot linear = join(ExprOp::add, coordinate(5, 32), join(ExprOp::mul, rows, constant(block[0], 32)));
    return resized(
        name == "laneid" ? join(ExprOp::and_, linear, constant(31, 32)) : join(ExprOp::shr_u, linear, constant(5, 32)),
        bits);
  }
  return unknown(source, bits);
}

// A value whose low `bits` are those of `slot`, without the terms of a sum that leave them alone.
Slot Program::with_low_bits(Slot slot, unsigned bits, unsigned depth) {
  if (depth == 0) return slot;
  const Node node = nodes_[slot];
  switch (node.op) {
    case ExprOp::add:
      if (nodes_[node.kids[0]].low_zeros >= bits) return with_low_bits(node.kids[1], bits, depth - 1);
      if (nodes_[node.kids[1]].low_zeros >= bits) return with_low_bits(node.kids[0], bits, depth - 1);
      return slot;
    case ExprOp::zext:
    case ExprOp::sext:
    case ExprOp::trunc: {
      if (nodes_[node.kids[0]].bits < bits) return slot;
      const Slot inner = with_low_bits(node.kids[0], bits, depth - 1);
      return inner == node.kids[0] ? slot : resized(inner, node.bits);
    }
    default:
      return slot;
  }
}

Slot Program::operation(Node node) {
  node.kid_bits = nodes_[node.kids[0]].bits;
  const auto kid = [&](unsigned i) -> const Node& { return nodes_[node.kids[i]]; };
  const auto is_constant = [&](unsigned i) { return kid(i).op == ExprOp::constant; };
  const auto is_constant_of = [&](unsigned i, std::uint64_t value) { return is_constant(i) && kid(i).value == value; };

  bool all_constant = true;
  for (unsigned i = 0; i < node.kid_count; ++i) all_constant = all_constant && is_constant(i);
  if (all_constant) {
    std::array<std::uint64_t, 3> values{};
    for (unsigned i = 0; i < node.kid_count; ++i) values[i] = kid(i).value;
    if (const auto value = folded(node, values)) return constant(*value, node.bits);
    return unknown(node.source, node.bits);
  }
  if (node.op == ExprOp::select) {
    if (is_constant(0)) return kid(0).value != 0 ? node.kids[1] : node.kids[2];
    if (node.kids[1] == node.kids[2]) return node.kids[1];
    return append(node);
  }
  // Zero decides these whatever the other side is; so does one in a 1-bit `or`.
  for (unsigned i = 0; i < 2 && node.kid_count == 2; ++i) {
    if ((node.op == ExprOp::and_ || node.op == ExprOp::mul) && is_constant_of(i, 0)) return constant(0, node.bits);
    if (node.op == ExprOp::or_ && is_constant_of(i, fold::mask(~0ULL, node.bits))) return node.kids[i];
    if (node.op == ExprOp::and_ && is_constant_of(i, fold::mask(~0ULL, node.bits))) return node.kids[1 - i];
    if ((node.op == ExprOp::or_ || node.op == ExprOp::add) && is_constant_of(i, 0)) return node.kids[1 - i];
    if (node.op == ExprOp::mul && is_constant_of(i, 1)) return node.kids[1 - i];
  }
  if (node.kid_count == 2 && is_constant(1)) {
    const std::uint64_t c = kid(1).value;
    if (node.op == ExprOp::and_ && std::has_single_bit(c + 1)) {
      node.kids[0] = with_low_bits(node.kids[0], static_cast<unsigned>(std::countr_one(c)), 8);
    } else if (node.op == ExprOp::rem_u && std::has_single_bit(c)) {
      node.kids[0] = with_low_bits(node.kids[0], static_cast<unsigned>(std::countr_zero(c)), 8);
    }
    if (is_constant(0)) {
      if (const auto value = folded(node, {kid(0).value, c, 0})) return constant(*value, node.bits);
    }
  }
  return append(node);  // of something unknown too: it leads missing() to the leaf
}

Slot Program::compiled_node(ExprId id) {
  const Expr expression = pool_[id];
  const unsigned bits = expression.bits;
  switch (expression.op) {
    case ExprOp::constant:
      return constant(expression.value, bits);
    case ExprOp::special:
      return special(pool_.special_name(id), bits, id);
    case ExprOp::parameter: {
      const auto value = environment_.parameter(expression.payload, expression.value, bits);
      return value ? constant(*value, bits) : unknown(id, bits);
    }
    case ExprOp::unknown:
    case ExprOp::symbol:
    case ExprOp::load:
    case ExprOp::phi:
    case ExprOp::call:
      return unknown(id, bits);
    case ExprOp::function: {
      const auto kids = pool_.kids(id);
      if (!kids.empty() && bits == 1 && is_vote(pool_.name(id))) {
        const Slot kid = slots_.at(static_cast<std::uint32_t>(kids[0]));
        if (nodes_[kid].op == ExprOp::constant) return kid;
      }
      return unknown(id, bits);
    }
    default:
      break;
  }
  const auto kids = pool_.kids(id);
  if (kids.empty() || kids.size() > 3) return unknown(id, bits);
  if ((expression.op == ExprOp::eq || expression.op == ExprOp::ne) && pool_.is_constant(kids[1], 0)) {
    const Expr& left = pool_[kids[0]];
    if (left.op == ExprOp::parameter && environment_.not_null(left.payload, left.value, left.bits)) {
      return constant(expression.op == ExprOp::ne ? 1 : 0, 1);
    }
  }
  Node node;
  node.op = expression.op;
  node.bits = expression.bits;
  node.type = expression.type;
  node.value = expression.op == ExprOp::fcmp ? expression.value : 0;
  node.kid_count = static_cast<std::uint8_t>(kids.size());
  node.source = id;
  for (std::size_t i = 0; i < kids.size(); ++i) node.kids[i] = slots_.at(static_cast<std::uint32_t>(kids[i]));
  return operation(node);
}

Slot Program::compile(ExprId expression) {
  std::vector<std::pair<ExprId, std::size_t>> stack{{expression, 0}};
  const auto done = [this](ExprId id) { return slots_.contains(static_cast<std::uint32_t>(id)); };
  while (!stack.empty()) {
    const ExprId top = stack.back().first;
    const auto kids = is_leaf(pool_[top].op) ? std::span<const ExprId>() : pool_.kids(top);
    std::size_t& next = stack.back().second;
    while (next < kids.size() && done(kids[next])) ++next;
    if (next < kids.size()) {
      stack.emplace_back(kids[next], 0);
      continue;
    }
    if (!done(top)) slots_.emplace(static_cast<std::uint32_t>(top), compiled_node(top));
    stack.pop_back();
  }
  return slots_.at(static_cast<std::uint32_t>(expression));
}

Slot Program::any_of(const std::vector<Slot>& slots) {
  if (slots.empty()) return constant(0, 1);
  Slot all = slots.front();
  for (std::size_t i = 1; i < slots.size(); ++i) {
    Node node;
    node.op = ExprOp::or_;
    node.bits = 1;
    node.kid_count = 2;
    node.kids = {all, slots[i], 0};
    all = operation(node);
  }
  return all;
}

std::vector<Node> Program::extract(Slot root) const {
  std::vector<Slot> needed{root};
  std::unordered_map<Slot, Slot> place{{root, 0}};
  for (std::size_t i = 0; i < needed.size(); ++i) {
    const Node& node = nodes_[needed[i]];
    for (unsigned k = 0; k < node.kid_count; ++k) {
      if (place.emplace(node.kids[k], 0).second) needed.push_back(node.kids[k]);
    }
  }
  std::sort(needed.begin(), needed.end());  // operands stand before what uses them
  for (std::size_t i = 0; i < needed.size(); ++i) place[needed[i]] = static_cast<Slot>(i);
  std::vector<Node> out;
  out.reserve(needed.size());
  for (const Slot slot : needed) {
    out.push_back(nodes_[slot]);
    for (unsigned k = 0; k < out.back().kid_count; ++k) out.back().kids[k] = place.at(out.back().kids[k]);
  }
  return out;
}

// What keeps `root` from being known: leaves, and operations that have no value although their operands have one.
Program::Open Program::open(Slot root) const {
  const std::vector<Node> nodes = extract(root);
  std::vector<Range> ranges;
  evaluate(nodes, environment_.whole(), ranges);
  Open found;
  std::vector<Slot> todo{static_cast<Slot>(nodes.size() - 1)};
  std::vector<bool> seen(nodes.size(), false);
  seen[todo[0]] = true;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const Node& node = nodes[todo[i]];
    if (!ranges[todo[i]].may_be_unknown) continue;
    if (node.op == ExprOp::unknown) {
      found.leaves.push_back(node.source);
      continue;
    }
    bool by_itself = true;
    for (unsigned k = 0; k < node.kid_count; ++k) {
      by_itself = by_itself && !ranges[node.kids[k]].may_be_unknown;
      if (seen[node.kids[k]]) continue;
      seen[node.kids[k]] = true;
      todo.push_back(node.kids[k]);
    }
    if (by_itself) found.operations.push_back(node.source);
  }
  return found;
}

std::vector<ExprId> Program::missing(Slot root) const { return open(root).leaves; }

std::vector<ExprId> Program::undefined(Slot root) const { return open(root).operations; }

std::optional<std::uint64_t> Program::at(Slot root, const Coordinates& thread) const {
  Box box;
  box.low = thread;
  box.count.fill(1);
  std::vector<Range> ranges;
  evaluate(extract(root), box, ranges);
  return ranges.back().single() ? std::optional(ranges.back().low) : std::nullopt;
}

}  // namespace ptxscope::analysis::launch
