#include "analysis/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <unordered_set>

#include "analysis/expr_fold.h"
#include "analysis/launch_program.h"

namespace ptxscope::analysis {
namespace {

// The known bytes of one kernel's parameters.
class Arguments {
 public:
  void set(const LabelledValue& place, std::uint64_t value) {
    pieces_.push_back({place.index, place.offset, place.bytes, value});
  }

  [[nodiscard]] std::optional<std::uint64_t> read(std::uint32_t index, std::uint64_t offset, unsigned bits) const {
    std::uint64_t value = 0;
    const unsigned bytes = (bits + 7) / 8;
    if (bytes > 8) return std::nullopt;
    for (unsigned i = 0; i < bytes; ++i) {
      const auto byte = byte_at(index, offset + i);
      if (!byte) return std::nullopt;
      value |= *byte << (8 * i);
    }
    return fold::mask(value, bits);
  }

 private:
  struct Piece {
    std::uint32_t index;
    std::uint64_t offset;
    unsigned bytes;
    std::uint64_t value;
  };
  // The last one given counts.
  [[nodiscard]] std::optional<std::uint64_t> byte_at(std::uint32_t index, std::uint64_t offset) const {
    for (auto piece = pieces_.rbegin(); piece != pieces_.rend(); ++piece) {
      if (piece->index == index && offset >= piece->offset && offset - piece->offset < piece->bytes) {
        return (piece->value >> (8 * (offset - piece->offset))) & 0xffU;
      }
    }
    return std::nullopt;
  }
  std::vector<Piece> pieces_;
};

const ParameterInfo* find_parameter(std::span<const ParameterInfo> params, std::uint32_t index) {
  const auto at = std::find_if(params.begin(), params.end(), [&](const ParameterInfo& p) { return p.index == index; });
  return at == params.end() ? nullptr : &*at;
}

const ParameterInfo::Field* find_field(const ParameterInfo& param, std::uint64_t offset) {
  for (const auto& field : param.fields) {
    if (offset >= field.offset && offset - field.offset < field.bytes) return &field;
  }
  return nullptr;
}

std::string label_of(std::span<const ParameterInfo> params, std::uint32_t index, std::uint64_t offset) {
  const ParameterInfo* param = find_parameter(params, index);
  if (param == nullptr) return fmt::format("#{}", index);
  const auto* field = find_field(*param, offset);
  return field != nullptr ? field->label : param->label;
}

// Pointers that the program reads through are taken as not null, when the whole pointer is meant.
bool is_pointer(std::span<const ParameterInfo> params, std::uint32_t index, std::uint64_t offset, unsigned bits) {
  const ParameterInfo* param = find_parameter(params, index);
  if (param == nullptr) return false;
  if (const auto* field = find_field(*param, offset)) {
    return field->role == ParameterRole::pointer && field->offset == offset && field->bytes * 8 == bits;
  }
  return param->role == ParameterRole::pointer && offset == 0 && param->size * 8 == bits;
}

std::string leaf_name(const Module& module, const ExprPool& pool, std::span<const ParameterInfo> params, ExprId leaf) {
  const Expr& e = pool[leaf];
  const auto line = [&](std::uint64_t statement) {
    return statement < module.statement_count() && statement != 0
               ? fmt::format(" (line {})", module.line_of_statement(static_cast<std::uint32_t>(statement)))
               : std::string();
  };
  switch (e.op) {
    case ExprOp::parameter:
      return label_of(params, e.payload, e.value);
    case ExprOp::load: {
      const std::string_view space = ptxscope::spelling(e.space);
      const std::string_view type = ptxscope::spelling(e.type);
      return fmt::format("load{}{}{}{}{}", space.empty() ? "" : ".", space, type.empty() ? "" : ".", type,
                         line(e.payload));
    }
    case ExprOp::symbol:
      return fmt::format("address of {}", module.name(NameId{e.payload}));
    case ExprOp::phi:
      return "a value carried around a loop";
    case ExprOp::call:
      return fmt::format("what {} returns", module.name(NameId{e.payload}));
    case ExprOp::unknown:
      return pool.reason(leaf).empty() ? "?" : std::string(pool.reason(leaf));
    default:
      return "?";
  }
}

bool is_floating(std::string_view opcode) {
  static constexpr std::array<std::string_view, 8> types{".f16",  ".f32",  ".f64",  ".bf16",
                                                         ".tf32", ".e4m3", ".e5m2", ".f8"};
  return std::any_of(types.begin(), types.end(), [&](auto type) { return opcode.find(type) != opcode.npos; });
}

// Why an expression has no value here although no argument would give it one. Empty: one that a person could give or
// that is a value of its own kind (see leaf_name).
std::string reason_of(const ExprPool& pool, ExprId id) {
  const Expr& e = pool[id];
  switch (e.op) {
    case ExprOp::div_u:
    case ExprOp::div_s:
    case ExprOp::rem_u:
    case ExprOp::rem_s:
      return "a division by zero is undefined";
    case ExprOp::fcmp:
      return "floating-point arithmetic is not evaluated";
    case ExprOp::function: {
      const std::string_view name = pool.name(id);
      if (name.starts_with("vote") || name.starts_with("match") || name == "activemask")
        return "a warp vote is not evaluated";
      if (name.starts_with("shfl")) return "a warp shuffle is not evaluated";
      if (is_floating(name)) return "floating-point arithmetic is not evaluated";
      return fmt::format("{} is not evaluated", name);
    }
    case ExprOp::special:
      return fmt::format("%{} is known only while it runs", pool.special_name(id));
    default:
      return {};
  }
}

// The sentences for these, each once.
std::vector<std::string> reasons_of(const ExprPool& pool, const std::vector<ExprId>& expressions) {
  std::vector<std::string> reasons;
  for (const ExprId id : expressions) {
    std::string reason = reason_of(pool, id);
    if (!reason.empty() && std::find(reasons.begin(), reasons.end(), reason) == reasons.end())
      reasons.push_back(std::move(reason));
  }
  return reasons;
}

std::vector<std::string> leaf_names(const Module& module, const ExprPool& pool, std::span<const ParameterInfo> params,
                                    std::vector<ExprId> leaves) {
  constexpr std::size_t enough = 16;
  std::stable_sort(leaves.begin(), leaves.end(), [&](ExprId a, ExprId b) {
    const Expr& x = pool[a];
    const Expr& y = pool[b];
    const bool px = x.op == ExprOp::parameter;
    const bool py = y.op == ExprOp::parameter;
    if (px != py) return px;
    return px && std::pair(x.payload, x.value) < std::pair(y.payload, y.value);
  });
  std::vector<std::string> names;
  for (const ExprId leaf : leaves) {
    std::string name = leaf_name(module, pool, params, leaf);
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(std::move(name));
    if (names.size() == enough) break;
  }
  return names;
}

// The pointers that a condition compares with null and that may be taken as not null.
std::vector<ExprId> null_tests(const ExprPool& pool, ExprId condition, const launch::Environment& environment) {
  std::vector<ExprId> found;
  std::vector<ExprId> open{condition};
  std::unordered_set<std::uint32_t> seen{static_cast<std::uint32_t>(condition)};
  for (std::size_t i = 0; i < open.size(); ++i) {
    const ExprId id = open[i];
    const Expr& e = pool[id];
    if (e.op == ExprOp::load || e.op == ExprOp::phi || e.op == ExprOp::call)
      continue;  // not computed: what is below does not matter
    for (const ExprId kid : pool.kids(id)) {
      if (seen.insert(static_cast<std::uint32_t>(kid)).second) open.push_back(kid);
    }
    if ((e.op != ExprOp::eq && e.op != ExprOp::ne) || !pool.is_constant(pool.kid(id, 1), 0)) continue;
    const Expr& left = pool[pool.kid(id, 0)];
    if (left.op == ExprOp::parameter && environment.not_null(left.payload, left.value, left.bits))
      found.push_back(pool.kid(id, 0));
  }
  return found;
}

// One kernel under one launch.
class Evaluation {
 public:
  Evaluation(const Module& module, ExprPool& pool, const FunctionTraps& kernel, const Launch& launch,
             const Arguments& arguments, const std::atomic<bool>* stop)
      : module_(module),
        pool_(pool),
        stop_(stop),
        params_(kernel.params),
        assuming_(pool, environment(kernel, launch, arguments, true)),
        strict_(pool, environment(kernel, launch, arguments, false)) {}

  [[nodiscard]] Given of(const Trap& trap, std::uint64_t& work) {
    const std::vector<Way>& ways = trap.ways;
    // What a check is about must not be assumed.
    const bool about_null = std::any_of(ways.begin(), ways.end(), [&](const Way& way) {
      return !null_tests(pool_, way.condition, assuming_.environment()).empty();
    });
    launch::Program& program = about_null ? strict_ : assuming_;

    std::vector<launch::Slot> paths;
    std::vector<ExprId> pointers;
    for (const Way& way : ways) {
      if (way.dead) continue;
      paths.push_back(program.compile(way.path));
      const auto more = null_tests(pool_, way.path, program.environment());
      pointers.insert(pointers.end(), more.begin(), more.end());
    }
    launch::Slot any = program.any_of(paths);
    launch::Tally tally = launch::count(program, any, work, stop_);

    Given given;
    if (tally.met == 0 && tally.undecided > 0 && !tally.gave_up) {
      const std::vector<ExprId> missing = program.missing(any);
      if (const auto alone = reached(program, trap, missing)) {
        const launch::Tally there = launch::count(program, *alone, work, stop_);
        if (there.met > 0 && !there.gave_up) {
          any = *alone;
          tally = there;
          given.if_reached = leaf_names(module_, pool_, params_, missing);
        }
      }
    }
    given.threads = tally.met;
    given.undecided = tally.undecided;
    given.gave_up = tally.gave_up;
    if (tally.met > 0) {
      given.fires = true;
    } else if (tally.undecided == 0 && !tally.gave_up && (!ways.empty() || trap.dead == true)) {
      given.fires = false;
    }
    if (!given.fires) {
      std::vector<ExprId> open = program.missing(any);
      std::vector<ExprId> without_value = program.undefined(any);
      without_value.insert(without_value.end(), open.begin(), open.end());
      given.reasons = reasons_of(pool_, without_value);
      std::erase_if(open, [&](ExprId leaf) { return !reason_of(pool_, leaf).empty(); });
      given.missing = leaf_names(module_, pool_, params_, std::move(open));
    }
    given.assumed = leaf_names(module_, pool_, params_, pointers);
    if (const auto& first = tally.first_met ? tally.first_met : tally.first_undecided) {
      const launch::Coordinates& c = *first;
      given.first_block = {c[2], c[1], c[0]};
      given.first_thread = {c[5], c[4], c[3]};
      set_values(program, trap, c, tally.met > 0, given);
    }
    return given;
  }

 private:
  static launch::Environment environment(const FunctionTraps& kernel, const Launch& launch, const Arguments& arguments,
                                         bool assume) {
    launch::Environment out;
    out.grid = launch.grid;
    out.block = launch.block;
    out.parameter = [&arguments](std::uint32_t index, std::uint64_t offset, unsigned bits) {
      return arguments.read(index, offset, bits);
    };
    out.not_null = [&arguments, &kernel, assume](std::uint32_t index, std::uint64_t offset, unsigned bits) {
      return assume && !arguments.read(index, offset, bits) && is_pointer(kernel.params, index, offset, bits);
    };
    return out;
  }

  // Both sides of the way that the first thread takes, there.
  void set_values(launch::Program& program, const Trap& trap, const launch::Coordinates& thread, bool met,
                  Given& given) {
    for (std::size_t i = 0; i < trap.ways.size(); ++i) {
      const Way& way = trap.ways[i];
      if (way.dead) continue;
      const bool alone = !given.if_reached.empty();
      const auto taken = program.at(program.compile(alone ? way.condition : way.path), thread);
      if (met ? taken != std::optional<std::uint64_t>(1) : taken.has_value()) continue;
      given.way = static_cast<std::uint32_t>(i);
      const Expr& condition = pool_[way.condition];
      if ((condition.op >= ExprOp::eq && condition.op <= ExprOp::ge_s) || condition.op == ExprOp::fcmp) {
        given.lhs = program.at(program.compile(pool_.kid(way.condition, 0)), thread);
        given.rhs = program.at(program.compile(pool_.kid(way.condition, 1)), thread);
      }
      return;
    }
  }

  // The check alone, for threads that get to it: the conditions on the way that need an argument nobody gave are left
  // out. Only where nothing but arguments is missing, and the check itself can do without them.
  std::optional<launch::Slot> reached(launch::Program& program, const Trap& trap, const std::vector<ExprId>& missing) {
    const bool arguments_only =
        std::all_of(missing.begin(), missing.end(), [&](ExprId leaf) { return pool_[leaf].op == ExprOp::parameter; });
    if (missing.empty() || !arguments_only) return std::nullopt;
    std::vector<launch::Slot> ways;
    for (const Way& way : trap.ways) {
      if (way.dead) continue;
      if (!program.missing(program.compile(way.condition)).empty()) return std::nullopt;
      ExprId all = way.condition;
      for (const ExprId known : way.after) {
        if (program.missing(program.compile(known)).empty()) all = pool_.binary(ExprOp::and_, known, all);
      }
      ways.push_back(program.compile(all));
    }
    return program.any_of(ways);
  }

  const Module& module_;
  ExprPool& pool_;
  const std::atomic<bool>* stop_;
  std::span<const ParameterInfo> params_;
  launch::Program assuming_, strict_;
};

std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      const std::size_t substitution = diagonal + (a[i] == b[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({substitution, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

std::string unknown_label(const Module& module, const TrapReport& report, const std::string& label) {
  constexpr std::size_t longest = 256;  // of a label that is worth comparing
  std::string best;
  std::size_t best_distance = ~std::size_t{0};
  for (const FunctionTraps& kernel : report.functions) {
    if (module.functions()[kernel.function].kind != FunctionKind::entry) continue;
    for (const std::string& candidate : labels_of(kernel.params)) {
      if (candidate.size() > longest || label.size() > longest) continue;
      const std::size_t d = distance(label, candidate);
      if (d < best_distance) {
        best_distance = d;
        best = candidate;
      }
    }
  }
  const bool is_near = best_distance <= label.size() / 3 + 1;
  return is_near ? fmt::format("{} (did you mean {}?)", label, best) : label;
}

}  // namespace

std::vector<std::string> evaluate_launch(const Module& module, TrapReport& report, const Launch& launch,
                                         const std::atomic<bool>* stop) {
  const auto stopped = [stop] { return stop != nullptr && stop->load(std::memory_order_relaxed); };
  std::vector<bool> used(launch.arguments.size(), false);
  std::uint64_t work = launch.work;
  for (FunctionTraps& kernel : report.functions) {
    // Only a kernel is launched.
    if (module.functions()[kernel.function].kind != FunctionKind::entry) continue;
    Arguments arguments;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const std::uint32_t only = launch.arguments[i].function;
      if (only != no_index && only != kernel.function) continue;
      const auto place = find_label(kernel.params, launch.arguments[i].label);
      if (!place) continue;
      used[i] = true;
      arguments.set(*place, launch.arguments[i].value);
    }
    Evaluation evaluation(module, *report.pool, kernel, launch, arguments, stop);
    for (auto* const list : {&kernel.traps, &kernel.soft_failures}) {
      for (Trap& trap : *list)
        if (!stopped()) trap.given = evaluation.of(trap, work);
    }
  }
  std::vector<std::string> unknown;
  for (std::size_t i = 0; i < used.size(); ++i) {
    if (!used[i]) unknown.push_back(unknown_label(module, report, launch.arguments[i].label));
  }
  return unknown;
}

std::optional<LabelledValue> find_label(std::span<const ParameterInfo> params, std::string_view label) {
  const auto whole = [](const ParameterInfo& param) -> std::optional<LabelledValue> {
    if (param.size > 8) return std::nullopt;  // an aggregate is given field by field
    return LabelledValue{param.index, 0, static_cast<unsigned>(param.size), param.type};
  };
  for (const ParameterInfo& param : params) {
    for (const auto& field : param.fields) {
      if (field.label == label && field.bytes <= 8)
        return LabelledValue{param.index, field.offset, field.bytes, Type::none};
    }
  }
  // What people are shown goes first: one parameter may be labelled as another one is called in the PTX.
  for (const ParameterInfo& param : params) {
    if (param.label == label) return whole(param);
  }
  for (const ParameterInfo& param : params) {
    if (param.name == label || fmt::format("#{}", param.index) == label) return whole(param);
  }
  return std::nullopt;
}

std::vector<std::string> labels_of(std::span<const ParameterInfo> params) {
  std::vector<std::string> labels;
  for (const ParameterInfo& param : params) {
    for (const auto& field : param.fields) labels.push_back(field.label);
    if (param.size <= 8 && param.fields.empty()) labels.push_back(param.label);
  }
  return labels;
}

std::vector<std::string> launch_limits(const Launch& launch) {
  std::vector<std::string> problems;
  constexpr std::array<std::uint32_t, 3> largest_block{1024, 1024, 64};
  constexpr std::array<std::uint32_t, 3> largest_grid{0x7fffffff, 65535, 65535};
  constexpr std::uint32_t largest_block_in_all = 1024;
  const auto each = [&](std::string_view what, const std::array<std::uint32_t, 3>& size,
                        const std::array<std::uint32_t, 3>& limit) {
    for (std::size_t i = 0; i < 3; ++i) {
      const char axis = "xyz"[i];
      if (size[i] == 0) problems.push_back(fmt::format("the {} has no extent in {}; the least is 1", what, axis));
      if (size[i] > limit[i])
        problems.push_back(fmt::format("the {} is {} in {}; the most is {}", what, size[i], axis, limit[i]));
    }
  };
  each("grid", launch.grid, largest_grid);
  each("block", launch.block, largest_block);
  const std::uint64_t threads =
      std::uint64_t{launch.block[0]} * launch.block[1] * std::min<std::uint64_t>(launch.block[2], 1U << 16);
  if (problems.empty() && threads > largest_block_in_all) {
    problems.push_back(fmt::format("the block has {} threads; the most is {}", threads, largest_block_in_all));
  }
  return problems;
}

std::vector<std::string> launch_contradictions(const Module& module, const Function& function, const Launch& launch) {
  std::vector<std::string> out;
  const auto shape = [](const std::array<std::int64_t, 3>& size) {
    return fmt::format("{}x{}x{}", size[0], size[1], size[2]);
  };
  const std::array<std::int64_t, 3> block{launch.block[0], launch.block[1], launch.block[2]};
  for (const FunctionDirective& directive : function.directives) {
    if (directive.values.empty()) continue;
    std::array<std::int64_t, 3> declared{1, 1, 1};
    std::copy_n(directive.values.begin(), std::min<std::size_t>(3, directive.values.size()), declared.begin());
    const auto line = module.position(directive.span).line;
    // PTX ISA 11.4.3: all launches have exactly these extents. 11.4.2: no more threads in all.
    if (directive.word == ".reqntid" && declared != block) {
      out.push_back(fmt::format("{} requires blocks of {} (.reqntid, line {}); with {} it does not launch",
                                module.name(function.name), shape(declared), line, shape(block)));
    }
    const auto product = [](const std::array<std::int64_t, 3>& size) {
      return static_cast<double>(size[0]) * static_cast<double>(size[1]) * static_cast<double>(size[2]);
    };
    if (directive.word == ".maxntid" && product(block) > product(declared)) {
      out.push_back(
          fmt::format("{} allows blocks of at most {} threads (.maxntid, line {}); with {} it does not launch",
                      module.name(function.name), product(declared), line, product(block)));
    }
  }
  return out;
}

}  // namespace ptxscope::analysis
