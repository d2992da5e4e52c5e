#include "tests/value_text.h"

#include <array>
#include <string_view>

#include "tests/catch.h"

namespace ptxscope::analysis::testing {

namespace {

constexpr std::array operators{"?",    "constant", "parameter", "special", "symbol", "load",  "add",   "sub",
                               "mul",  "mul_hi_u", "mul_hi_s",  "div_u",   "div_s",  "rem_u", "rem_s", "neg",
                               "abs",  "min_u",    "min_s",     "max_u",   "max_s",  "and",   "or",    "xor",
                               "not",  "shl",      "shr_u",     "shr_s",   "zext",   "sext",  "trunc", "popc",
                               "clz",  "brev",     "eq",        "ne",      "lt_u",   "le_u",  "gt_u",  "ge_u",
                               "lt_s", "le_s",     "gt_s",      "ge_s",    "fcmp",   "select"};

}  // namespace

std::string value_text(const Module& module, ExprPool& pool, ExprId id, unsigned depth) {
  if (depth > 12) return "…";
  const Expr e = pool[id];
  std::string open;
  std::string close = ")";
  switch (e.op) {
    case ExprOp::unknown:
      return "?" + std::string(pool.reason(id));
    case ExprOp::constant:
      return std::to_string(e.value);
    case ExprOp::parameter: {
      const std::string name(1, static_cast<char>('a' + e.payload));
      return name + (e.value == 0 ? "" : "[" + std::to_string(e.value) + "]") + ":" + std::to_string(e.bits);
    }
    case ExprOp::special:
      return std::string(pool.special_name(id)) + (e.bits == 32 ? "" : ":" + std::to_string(e.bits));
    case ExprOp::symbol:
      return "$" + std::string(module.name(NameId{e.payload})) + (e.value == 0 ? "" : "+" + std::to_string(e.value));
    case ExprOp::load: {
      open = "(" + std::string(e.space == StateSpace::none ? "generic" : spelling(e.space));
      open += "." + std::string(spelling(e.type));
      if (e.payload == 0) open += ".const";
      break;
    }
    case ExprOp::zext:
    case ExprOp::sext:
    case ExprOp::trunc:
      open = std::string("(") + operators.at(static_cast<std::size_t>(e.op)) + std::to_string(e.bits);
      break;
    case ExprOp::fcmp:
      open = "(f" + std::string(spelling(static_cast<FloatCompare>(e.value))) + "." + std::string(spelling(e.type));
      break;
    case ExprOp::select:
      open = e.value != 0 ? "(join" : "(select";
      break;
    case ExprOp::phi:
      open = "(phi";
      break;
    case ExprOp::function:
      open = "{" + std::string(pool.name(id)) + ":" + std::to_string(e.bits);
      close = "}";
      break;
    case ExprOp::call:
      open = "(call" + std::to_string(e.bits) + " " +
             (NameId{e.payload} == no_name ? "?" : std::string(module.name(NameId{e.payload})));
      break;
    default:
      open = std::string("(") + operators.at(static_cast<std::size_t>(e.op));
  }
  for (unsigned i = 0; i < e.kid_count; ++i) open += " " + value_text(module, pool, pool.kid(id, i), depth + 1);
  return open + close;
}

Valued::Valued(const std::string& text, const std::string& function)
    : module_(parse(".version 8.8\n.target sm_90a\n.address_size 64\n" + text, "values.ptx")) {
  INFO(text);
  for (const Diagnostic& one : module_.diagnostics()) FAIL(one.message);
  values_ = std::make_unique<ModuleValues>(module_, pool_);
  const auto functions = module_.functions();
  const auto wanted = [&](const Function& one) {
    return one.has_body && (function.empty() || module_.name(one.name) == function);
  };
  while (function_ < functions.size() && !wanted(functions[function_])) ++function_;
  REQUIRE(function_ < functions.size());
}

std::uint32_t Valued::statement(const std::string& words) const {
  const Function& function = module_.functions()[function_];
  std::uint32_t found = no_index;
  for (std::uint32_t s = function.body_begin; s < function.body_end; ++s) {
    if (module_.statement(s).kind() != StatementKind::instruction) continue;
    if (!words.empty() && module_.statement(s).text().starts_with(words)) return s;
    found = s;
  }
  INFO(words);
  REQUIRE(words.empty());
  return found;
}

std::string Valued::value(const std::string& reg, const std::string& in_front_of) {
  const Function& function = module_.functions()[function_];
  for (RegisterNumber r = 0; r < function.register_count; ++r) {
    if (module_.register_name(function, r) == reg)
      return value_text(module_, *pool_, values().before(r, statement(in_front_of)));
  }
  return "no register " + reg;
}

std::string Valued::reach(const std::string& at) {
  return value_text(module_, *pool_, values().reach(values().cfg().block_of(statement(at))));
}

}  // namespace ptxscope::analysis::testing
