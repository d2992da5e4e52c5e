#include "analysis/instrument_values.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace ptxscope::analysis {
namespace {

constexpr std::size_t max_definitions = 48;  // looked at, on the way back from a guard
constexpr std::size_t max_nodes = 256;       // of a condition
constexpr std::size_t max_sides = 8;         // of compares, and as many values that they are made of
constexpr std::size_t max_inner = 8;

bool is_compare(ExprOp op) { return op >= ExprOp::eq && op <= ExprOp::fcmp; }

bool is_recorded_special(std::string_view name) {
  static constexpr std::array<std::string_view, 4> triples = {"ctaid", "tid", "nctaid", "ntid"};
  static constexpr std::array<std::string_view, 4> singles = {"laneid", "warpid", "smid", "gridid"};
  if (std::ranges::find(singles, name) != singles.end()) return true;
  if (name.size() < 2 || name[name.size() - 2] != '.' || name.back() < 'x' || name.back() > 'z') return false;
  name.remove_suffix(2);
  return !name.empty() && std::ranges::find(triples, name) != triples.end();
}

class Chooser {
 public:
  Chooser(FunctionValues& values, const Module& module, std::uint32_t place, bool at_end, bool with_parameters,
          std::uint32_t first_slot)
      : values_(values),
        module_(module),
        function_(values.function()),
        pool_(values.pool_of()),
        place_(place),
        at_end_(at_end),
        with_parameters_(with_parameters),
        first_slot_(first_slot) {}

  SiteValues choose(const std::vector<Deciding>& ways) {
    for (const Deciding& way : ways) collect(way);
    std::vector<ExprId> sides;
    for (const Deciding& way : ways) {
      for (const ExprId side : sides_of(way.condition))
        if (std::ranges::find(sides, side) == sides.end()) sides.push_back(side);
    }
    const bool single = ways.size() == 1;
    std::size_t chosen = 0;
    for (const ExprId side : sides) {
      if (pool_.is_constant(side)) continue;
      const bool follows = follows_from_record(pool_, side, with_parameters_);
      // What several ways compare would have to be kept for as long as any of them may be taken.
      if (follows && !single) continue;
      if (chosen >= max_sides) break;
      if (add(side, type_of_side_[side])) ++chosen;
    }
    std::size_t inner = 0;
    for (const ExprId side : sides) {
      for (const ExprId part : parts_of(side)) {
        if (inner >= max_inner) break;
        if (add(part, pool_[part].type)) ++inner;
      }
    }
    // What decided where its sides cannot be had.
    for (const Deciding& way : ways) {
      if (is_told(way.condition)) continue;
      const ExprId other = pool_.negate(way.condition);
      if (!add(way.condition, Type::pred)) add(other, Type::pred);
    }
    for (const Deciding& way : ways) {
      const auto compared = sides_of(way.condition);
      result_.told.push_back(is_told(way.condition) &&
                             std::ranges::all_of(compared, [&](ExprId side) { return is_told(side); }));
    }
    return std::move(result_);
  }

 private:
  // Registers on the way back from a guard, with the values they had where they were read.
  void collect(const Deciding& way) {
    if (way.branch == no_index) return;
    std::vector<std::pair<RegisterNumber, std::uint32_t>> open;
    RegisterUses uses;
    register_uses(module_.statement(way.branch), uses);
    for (const RegisterNumber reg : uses.reads) open.emplace_back(reg, way.branch);
    for (std::size_t i = 0; i < open.size() && i < max_definitions; ++i) {
      const auto [reg, at] = open[i];
      const ExprId value = values_.before(reg, at);
      if (is_usable(reg, value)) {
        held_.try_emplace(value, reg);
        // A wider copy, too, tells the value: its lower bits are the value's (cvt.u16.u8 of a byte that was loaded).
        ExprId narrow = value;
        while (pool_[narrow].op == ExprOp::zext) {
          narrow = pool_.kids(narrow).front();
          if (pool_[narrow].bits > 1 && !pool_.is_constant(narrow)) held_.try_emplace(narrow, reg);
        }
      }
      const std::uint32_t definition = values_.reaching_definition(reg, at);
      if (definition == no_index || module_.statement(definition).kind() != StatementKind::instruction) continue;
      register_uses(module_.statement(definition), uses);
      for (const RegisterNumber read : uses.reads) {
        if (std::ranges::find(open, std::pair(read, definition)) == open.end()) open.emplace_back(read, definition);
      }
    }
  }

  // Whether code at the place can name the register and finds that value in it.
  bool is_usable(RegisterNumber reg, ExprId value) {
    const RegisterDeclaration& declaration = module_.register_declaration(function_, reg);
    const unsigned bits = declaration.type == Type::pred ? 1 : 8 * size_of(declaration.type);
    if ((bits != 1 && bits != 16 && bits != 32 && bits != 64) || declaration.vector_width != 1) return false;
    if (pool_.is_constant(value) || values_.before(reg, place_) != value) return false;
    if (at_end_ && declaration.scope_end < function_.body_end) return false;
    if (!at_end_ && (declaration.statement > place_ || declaration.scope_end < place_)) return false;
    // An inner declaration may hide the name.
    const std::string name = module_.register_name(function_, reg);
    return std::ranges::none_of(function_.registers, [&](const RegisterDeclaration& other) {
      if (other.statement <= declaration.statement || other.statement > place_ || other.scope_end < place_ || at_end_)
        return false;
      return name.starts_with(module_.name(other.name));
    });
  }

  std::vector<ExprId> sides_of(ExprId condition) {
    std::vector<ExprId> sides;
    std::vector<ExprId> open{condition};
    for (std::size_t i = 0; i < open.size() && i < max_nodes; ++i) {
      const Expr& e = pool_[open[i]];
      if (is_compare(e.op)) {
        for (const ExprId kid : pool_.kids(open[i])) {
          sides.push_back(kid);
          type_of_side_.emplace(kid, e.type);
        }
      } else if (e.bits == 1) {
        for (const ExprId kid : pool_.kids(open[i]))
          if (pool_[kid].bits == 1) open.push_back(kid);
      }
    }
    return sides;
  }

  // What a person would ask for next: loads, values carried around loops, results of calls and named functions.
  std::vector<ExprId> parts_of(ExprId side) {
    std::vector<ExprId> parts;
    std::vector<ExprId> open{side};
    std::unordered_set<std::uint32_t> seen;
    for (std::size_t i = 0; i < open.size() && seen.size() < max_nodes; ++i) {
      if (!seen.insert(static_cast<std::uint32_t>(open[i])).second) continue;
      const Expr& e = pool_[open[i]];
      const bool is_part =
          e.op == ExprOp::load || e.op == ExprOp::phi || e.op == ExprOp::call || e.op == ExprOp::function;
      if (is_part && open[i] != side && e.bits > 1) parts.push_back(open[i]);
      if (e.op == ExprOp::phi) continue;
      for (const ExprId kid : pool_.kids(open[i])) open.push_back(kid);
    }
    return parts;
  }
  bool add(ExprId expr, Type type) {
    const bool known = std::ranges::any_of(result_.values, [&](const RecordedValue& v) { return v.expr == expr; });
    if (known) return false;
    const auto held = held_.find(expr);
    if (held == held_.end() || first_slot_ + result_.values.size() >= record::max_values) return false;
    const auto slot = first_slot_ + static_cast<std::uint32_t>(result_.values.size());
    const RegisterDeclaration& declaration = module_.register_declaration(function_, held->second);
    const unsigned bits = declaration.type == Type::pred ? 1 : 8 * size_of(declaration.type);
    result_.values.push_back({slot, bits, bits == 1 ? Type::pred : type, expr});
    result_.registers.push_back({slot, bits, module_.register_name(function_, held->second)});
    return true;
  }

  // Whether the record tells the condition.
  bool is_told(ExprId condition) {
    std::vector<ExprId> open{condition};
    std::unordered_set<std::uint32_t> seen;
    for (std::size_t i = 0; i < open.size(); ++i) {
      if (!seen.insert(static_cast<std::uint32_t>(open[i])).second) continue;
      if (seen.size() > max_nodes) return false;
      const bool recorded =
          std::ranges::any_of(result_.values, [&](const RecordedValue& v) { return v.expr == open[i]; });
      if (recorded || follows_from_record(pool_, open[i], with_parameters_)) continue;
      const Expr& e = pool_[open[i]];
      const bool is_leaf = e.kid_count == 0 || e.op == ExprOp::phi || e.op == ExprOp::load || e.op == ExprOp::call ||
                           e.op == ExprOp::function;
      if (is_leaf) return false;
      for (const ExprId kid : pool_.kids(open[i])) open.push_back(kid);
    }
    return true;
  }

  FunctionValues& values_;
  const Module& module_;
  const Function& function_;
  ExprPool& pool_;
  std::uint32_t place_;
  bool at_end_;
  bool with_parameters_;
  std::uint32_t first_slot_;
  std::unordered_map<ExprId, RegisterNumber> held_;
  std::unordered_map<ExprId, Type> type_of_side_;
  SiteValues result_;
};

}  // namespace

bool follows_from_record(const ExprPool& pool, ExprId expr, bool with_parameters) {
  std::vector<ExprId> open{expr};
  std::unordered_set<std::uint32_t> seen;
  for (std::size_t i = 0; i < open.size(); ++i) {
    if (!seen.insert(static_cast<std::uint32_t>(open[i])).second) continue;
    if (seen.size() > max_nodes) return false;
    const Expr& e = pool[open[i]];
    switch (e.op) {
      case ExprOp::constant:
        continue;
      case ExprOp::parameter:
        if (!with_parameters) return false;
        continue;
      case ExprOp::special:
        if (!is_recorded_special(pool.special_name(open[i]))) return false;
        continue;
      case ExprOp::unknown:
      case ExprOp::symbol:
      case ExprOp::load:
      case ExprOp::phi:
      case ExprOp::function:
      case ExprOp::call:
        return false;
      default:
        for (const ExprId kid : pool.kids(open[i])) open.push_back(kid);
    }
  }
  return true;
}

SiteValues choose_values(FunctionValues& values, const Module& module, const std::vector<Deciding>& ways,
                         std::uint32_t place, bool at_end, bool with_parameters, std::uint32_t first_slot) {
  return Chooser(values, module, place, at_end, with_parameters, first_slot).choose(ways);
}

}  // namespace ptxscope::analysis
