#include "analysis/expr.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "analysis/expr_fold.h"

namespace ptxscope::analysis {

std::string_view spelling(FloatCompare op) {
  static constexpr std::array<std::string_view, 14> words = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                                             "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
  return words.at(static_cast<std::size_t>(op));
}

FloatCompare negation(FloatCompare op) {
  using enum FloatCompare;
  switch (op) {
    case eq:
      return neu;
    case ne:
      return equ;
    case lt:
      return geu;
    case le:
      return gtu;
    case gt:
      return leu;
    case ge:
      return ltu;
    case equ:
      return ne;
    case neu:
      return eq;
    case ltu:
      return ge;
    case leu:
      return gt;
    case gtu:
      return le;
    case geu:
      return lt;
    case num:
      return nan;
    case nan:
      return num;
  }
  return nan;
}

namespace {

std::uint64_t hash_of(const Expr& e, std::span<const ExprId> kids) {
  std::uint64_t h = 0x9e3779b97f4a7c15ULL;
  const auto mix = [&h](std::uint64_t v) {
    h ^= v + 0x9e3779b97f4a7c15ULL + (h << 6U) + (h >> 2U);
    h *= 0xff51afd7ed558ccdULL;
  };
  mix(static_cast<std::uint64_t>(e.op) | (static_cast<std::uint64_t>(e.bits) << 8U) |
      (static_cast<std::uint64_t>(e.type) << 16U) | (static_cast<std::uint64_t>(e.space) << 24U));
  mix(e.payload);
  mix(e.value);
  for (const ExprId k : kids) mix(static_cast<std::uint64_t>(k) + 1);
  return h;
}

// What is part of a node's identity by its type. An order's signedness is in its operation; an equality keeps the type
// it was written with, so that it reads the same whatever else is in the pool.
bool has_own_type(ExprOp op) {
  return op == ExprOp::load || op == ExprOp::fcmp || op == ExprOp::eq || op == ExprOp::ne;
}

bool same_node(const Expr& a, const Expr& b) {
  const bool type_matters = has_own_type(a.op);
  return a.op == b.op && a.bits == b.bits && a.space == b.space && a.payload == b.payload && a.value == b.value &&
         a.kid_count == b.kid_count && (!type_matters || a.type == b.type);
}

}  // namespace

ExprPool::ExprPool() {
  nodes_.reserve(256);
  // Id 0 is a true value, so that a value-initialised ExprId is a valid, harmless one.
  static_cast<void>(constant(1, 1));
}

std::span<const ExprId> ExprPool::kids(ExprId id) const {
  const Expr& e = (*this)[id];
  return std::span<const ExprId>(kid_ids_).subspan(e.first_kid, e.kid_count);
}

std::uint32_t ExprPool::text_id(std::string_view text) {
  const auto [at, fresh] = text_ids_.try_emplace(std::string(text), static_cast<std::uint32_t>(texts_.size()));
  if (fresh) texts_.emplace_back(text);
  return at->second;
}

ExprId ExprPool::intern(Expr node, std::span<const ExprId> kids) {
  node.kid_count = static_cast<std::uint16_t>(kids.size());
  Expr key = node;
  if (!has_own_type(node.op)) key.type = Type::none;
  const auto hash = static_cast<std::uint32_t>(hash_of(key, kids) >> 32U);
  const std::uint32_t known = index_.find(hash, [&](std::uint32_t number) {
    const Expr& other = nodes_[number];
    return same_node(node, other) && std::equal(kids.begin(), kids.end(), kid_ids_.begin() + other.first_kid);
  });
  if (known != detail::HashIndex::none) return ExprId{known};
  node.first_kid = static_cast<std::uint32_t>(kid_ids_.size());
  if (kid_ids_.capacity() - kid_ids_.size() < kids.size()) {
    const std::vector<ExprId> own(kids.begin(), kids.end());  // kids may point into kid_ids_, which moves
    kid_ids_.insert(kid_ids_.end(), own.begin(), own.end());
  } else {
    for (const ExprId kid : kids) kid_ids_.push_back(kid);
  }
  const auto id = static_cast<ExprId>(nodes_.size());
  nodes_.push_back(node);
  index_.insert(hash, static_cast<std::uint32_t>(id));
  return id;
}

ExprId ExprPool::unknown(unsigned bits, std::string_view reason) {
  Expr e;
  e.op = ExprOp::unknown;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = text_id(reason);
  e.value = nodes_.size();  // fresh: an unknown equals nothing but itself
  return intern(e, {});
}

ExprId ExprPool::constant(std::uint64_t value, unsigned bits) {
  Expr e;
  e.op = ExprOp::constant;
  e.bits = static_cast<std::uint8_t>(bits);
  e.value = fold::mask(value, bits);
  return intern(e, {});
}

ExprId ExprPool::parameter(std::uint32_t index, std::uint64_t byte_offset, unsigned bits) {
  Expr e;
  e.op = ExprOp::parameter;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = index;
  e.value = byte_offset;
  return intern(e, {});
}

ExprId ExprPool::special(std::string_view name, unsigned bits) {
  Expr e;
  e.op = ExprOp::special;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = text_id(name);
  return intern(e, {});
}

ExprId ExprPool::symbol(NameId variable, std::int64_t addend, unsigned bits) {
  Expr e;
  e.op = ExprOp::symbol;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = static_cast<std::uint32_t>(variable);
  e.value = fold::mask(static_cast<std::uint64_t>(addend), bits);
  return intern(e, {});
}

ExprId ExprPool::load(StateSpace space, Type type, unsigned bits, ExprId address, std::uint32_t statement,
                      std::uint64_t instance, std::span<const ExprId> stored) {
  Expr e;
  e.op = ExprOp::load;
  e.bits = static_cast<std::uint8_t>(bits);
  e.type = type;
  e.space = space;
  e.payload = statement;
  e.value = instance;
  std::vector<ExprId> kids{address};
  kids.insert(kids.end(), stored.begin(), stored.end());
  return intern(e, kids);
}

ExprId ExprPool::phi(std::uint32_t key, unsigned bits) {
  Expr e;
  e.op = ExprOp::phi;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = key;
  e.value = nodes_.size();
  return intern(e, {});
}

void ExprPool::set_phi_kids(ExprId phi, std::span<const ExprId> kids) {
  Expr& e = nodes_[static_cast<std::uint32_t>(phi)];
  e.first_kid = static_cast<std::uint32_t>(kid_ids_.size());
  e.kid_count = static_cast<std::uint16_t>(std::min<std::size_t>(kids.size(), 0xffff));
  kid_ids_.insert(kid_ids_.end(), kids.begin(), kids.begin() + e.kid_count);
}

ExprId ExprPool::function(std::string_view name, unsigned bits, std::span<const ExprId> kids,
                          std::uint32_t distinguisher) {
  Expr e;
  e.op = ExprOp::function;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = text_id(name);
  e.value = distinguisher;
  return intern(e, kids);
}

ExprId ExprPool::call(NameId callee, std::uint32_t statement, unsigned bits, std::span<const ExprId> kids) {
  Expr e;
  e.op = ExprOp::call;
  e.bits = static_cast<std::uint8_t>(bits);
  e.payload = static_cast<std::uint32_t>(callee);
  e.value = statement;
  return intern(e, kids);
}

std::string_view ExprPool::name(ExprId function) const { return texts_[(*this)[function].payload]; }
std::string_view ExprPool::special_name(ExprId special) const { return texts_[(*this)[special].payload]; }
std::string_view ExprPool::reason(ExprId unknown) const { return texts_[(*this)[unknown].payload]; }

char ExprPool::global_index(ExprId id) const {
  const auto strip = [this](ExprId e) {
    while ((*this)[e].op == ExprOp::zext || (*this)[e].op == ExprOp::sext) e = kid(e, 0);
    return e;
  };
  id = strip(id);
  if ((*this)[id].op == ExprOp::trunc) id = strip(kid(id, 0));
  if ((*this)[id].op != ExprOp::add) return 0;
  const auto named = [&](ExprId e, std::string_view what) -> char {
    e = strip(e);
    if ((*this)[e].op != ExprOp::special) return 0;
    const std::string_view name = special_name(e);
    if (name.size() != what.size() + 2 || !name.starts_with(what) || name[what.size()] != '.') return 0;
    return name.back();
  };
  for (unsigned i = 0; i < 2; ++i) {
    const char axis = named(kid(id, i), "tid");
    const ExprId product = strip(kid(id, 1 - i));
    if (axis == 0 || (*this)[product].op != ExprOp::mul) continue;
    const ExprId p = kid(product, 0);
    const ExprId q = kid(product, 1);
    if ((named(p, "ctaid") == axis && named(q, "ntid") == axis) ||
        (named(q, "ctaid") == axis && named(p, "ntid") == axis)) {
      return axis;
    }
  }
  return 0;
}

std::vector<ExprId> ExprPool::postorder(ExprId id) const {
  std::vector<ExprId> order;
  std::unordered_set<std::uint32_t> seen;
  std::vector<std::pair<ExprId, unsigned>> stack;
  seen.insert(static_cast<std::uint32_t>(id));
  stack.emplace_back(id, 0);
  while (!stack.empty()) {
    const ExprId top = stack.back().first;
    const auto k = kids(top);
    if (stack.back().second < k.size()) {
      const ExprId next = k[stack.back().second++];
      if (seen.insert(static_cast<std::uint32_t>(next)).second) stack.emplace_back(next, 0);
      continue;
    }
    order.push_back(top);
    stack.pop_back();
  }
  return order;
}

std::size_t ExprPool::node_count(ExprId id, std::size_t limit) const {
  std::unordered_set<std::uint32_t> seen{static_cast<std::uint32_t>(id)};
  std::vector<ExprId> stack{id};
  while (!stack.empty() && seen.size() < limit) {
    const ExprId top = stack.back();
    stack.pop_back();
    for (const ExprId k : kids(top)) {
      if (seen.insert(static_cast<std::uint32_t>(k)).second) stack.push_back(k);
    }
  }
  return seen.size();
}

std::vector<std::uint32_t> ExprPool::parameters(ExprId id) const {
  std::vector<std::uint32_t> found;
  std::unordered_set<std::uint32_t> seen{static_cast<std::uint32_t>(id)};
  std::vector<ExprId> stack{id};
  while (!stack.empty()) {
    const ExprId top = stack.back();
    stack.pop_back();
    const Expr& e = (*this)[top];
    if (e.op == ExprOp::parameter) found.push_back(e.payload);
    auto below = kids(top);
    if (e.op == ExprOp::select && e.value != 0) below = below.subspan(1);
    for (const ExprId k : below) {
      if (seen.insert(static_cast<std::uint32_t>(k)).second) stack.push_back(k);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::optional<ExprId> ExprPool::find_unknown(ExprId id) const {
  std::unordered_set<std::uint32_t> seen{static_cast<std::uint32_t>(id)};
  std::vector<ExprId> open{id};
  while (!open.empty()) {
    const ExprId top = open.back();
    open.pop_back();
    if ((*this)[top].op == ExprOp::unknown) return top;
    for (const ExprId k : kids(top))
      if (seen.insert(static_cast<std::uint32_t>(k)).second) open.push_back(k);
  }
  return std::nullopt;
}

bool ExprPool::has_unknown(ExprId id) const { return find_unknown(id).has_value(); }

ExprId ExprPool::rebuilt(ExprId id, std::span<const ExprId> now, std::uint32_t instance) {
  const Expr e = (*this)[id];
  switch (e.op) {
    case ExprOp::load:
      return load(e.space, e.type, e.bits, now[0], e.payload, e.payload == 0 ? 0 : (e.value * 31) + instance + 1,
                  now.subspan(1));
    case ExprOp::function: {
      const std::string text(name(id));
      return function(text, e.bits, now, e.value == 0 ? 0 : static_cast<std::uint32_t>((e.value * 31) + instance + 1));
    }
    case ExprOp::call:
      return call(NameId{e.payload}, static_cast<std::uint32_t>((e.value * 31) + instance + 1), e.bits, now);
    case ExprOp::phi: {
      if (std::equal(now.begin(), now.end(), kids(id).begin(), kids(id).end())) return id;
      const ExprId fresh = phi(e.payload, e.bits);
      set_phi_kids(fresh, now);
      return fresh;
    }
    case ExprOp::zext:
      return extend(now[0], e.bits, false);
    case ExprOp::sext:
      return extend(now[0], e.bits, true);
    case ExprOp::trunc:
      return truncate(now[0], e.bits);
    case ExprOp::select:
      return select(now[0], now[1], now[2], e.value != 0);
    case ExprOp::fcmp:
      return float_compare(static_cast<FloatCompare>(e.value), e.type, now[0], now[1]);
    case ExprOp::neg:
    case ExprOp::abs:
    case ExprOp::not_:
    case ExprOp::popc:
    case ExprOp::clz:
    case ExprOp::brev:
      return unary(e.op, now[0]);
    case ExprOp::eq:
    case ExprOp::ne:
    case ExprOp::lt_u:
    case ExprOp::le_u:
    case ExprOp::gt_u:
    case ExprOp::ge_u:
    case ExprOp::lt_s:
    case ExprOp::le_s:
    case ExprOp::gt_s:
    case ExprOp::ge_s:
      return compare(e.op, e.type, now[0], now[1]);
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::mul:
    case ExprOp::mul_hi_u:
    case ExprOp::mul_hi_s:
    case ExprOp::div_u:
    case ExprOp::div_s:
    case ExprOp::rem_u:
    case ExprOp::rem_s:
    case ExprOp::min_u:
    case ExprOp::min_s:
    case ExprOp::max_u:
    case ExprOp::max_s:
    case ExprOp::and_:
    case ExprOp::or_:
    case ExprOp::xor_:
    case ExprOp::shl:
    case ExprOp::shr_u:
    case ExprOp::shr_s:
      return binary(e.op, now[0], now[1]);
    default:
      return id;
  }
}

}  // namespace ptxscope::analysis
