#include "tests/value_text.h"

#include <array>
#include <map>
#include <string_view>

#include "tests/catch.h"

namespace ptxscope::analysis::testing {

namespace {

constexpr std::array operators{
    "?",        "constant", "parameter", "special", "symbol", "load",   "add",   "sub",      "mul",   "mul_hi_u",
    "mul_hi_s", "div_u",    "div_s",     "rem_u",   "rem_s",  "neg",    "abs",   "min_u",    "min_s", "max_u",
    "max_s",    "and",      "or",        "xor",     "not",    "shl",    "shr_u", "shr_s",    "zext",  "sext",
    "trunc",    "popc",     "clz",       "brev",    "eq",     "ne",     "lt_u",  "le_u",     "gt_u",  "ge_u",
    "lt_s",     "le_s",     "gt_s",      "ge_s",    "fcmp",   "select", "phi",   "function", "call"};

class Text {
 public:
  Text(const Module& module, const ExprPool& pool) : module_(module), pool_(pool) {}

  std::string of(ExprId id) {
    const Expr& e = pool_[id];
    switch (e.op) {
      case ExprOp::unknown:
        return "?" + std::string(pool_.reason(id));
      case ExprOp::constant:
        return std::to_string(e.value);
      case ExprOp::parameter:
        return std::string(1, static_cast<char>('a' + e.payload)) + behind("[", e.value, "]") + ":" +
               std::to_string(e.bits);
      case ExprOp::special:
        return std::string(pool_.special_name(id)) + (e.bits == 32 ? "" : ":" + std::to_string(e.bits));
      case ExprOp::symbol:
        return "$" + name(e.payload) + behind("+", e.value, "");
      case ExprOp::phi: {
        const auto [at, fresh] = phis_.emplace(id, phis_.size() + 1);
        const std::string label = "L" + std::to_string(at->second);
        return fresh ? label + "=(phi" + kids(id) + ")" : label;
      }
      case ExprOp::function:
        return "{" + std::string(pool_.name(id)) + ":" + std::to_string(e.bits) + kids(id) + "}";
      default:
        return "(" + head(e) + kids(id) + ")";
    }
  }

 private:
  static std::string behind(const char* open, std::uint64_t value, const char* close) {
    return value == 0 ? "" : open + std::to_string(value) + close;
  }
  [[nodiscard]] std::string name(std::uint32_t id) const {
    return NameId{id} == no_name ? "?" : std::string(module_.name(NameId{id}));
  }

  [[nodiscard]] std::string head(const Expr& e) const {
    const std::string_view plain = operators.at(static_cast<std::size_t>(e.op));
    switch (e.op) {
      case ExprOp::load:
        return (e.space == StateSpace::none ? "generic" : std::string(spelling(e.space))) + "." +
               std::string(spelling(e.type)) + (e.payload == 0 ? ".const" : "");
      case ExprOp::zext:
      case ExprOp::sext:
      case ExprOp::trunc:
        return std::string(plain) + std::to_string(e.bits);
      case ExprOp::fcmp:
        return "f" + std::string(spelling(static_cast<FloatCompare>(e.value))) + "." + std::string(spelling(e.type));
      case ExprOp::select:
        return e.value != 0 ? "join" : "select";
      case ExprOp::call:
        return "call" + std::to_string(e.bits) + " " + name(e.payload);
      default:
        return std::string(plain);
    }
  }

  std::string kids(ExprId id) {
    std::string all;
    for (unsigned i = 0; i < pool_[id].kid_count; ++i) all += " " + of(pool_.kid(id, i));
    return all;
  }

  const Module& module_;
  const ExprPool& pool_;
  std::map<ExprId, std::size_t> phis_;
};

}  // namespace

std::string value_text(const Module& module, const ExprPool& pool, ExprId id) { return Text(module, pool).of(id); }

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

RegisterNumber Valued::number_of(const std::string& reg) const {
  const Function& function = module_.functions()[function_];
  for (RegisterNumber r = 0; r < function.register_count; ++r)
    if (module_.register_name(function, r) == reg) return r;
  FAIL("no register " << reg);
  return no_index;
}

std::string Valued::value(const std::string& reg, const std::string& in_front_of) {
  return value_text(module_, *pool_, values().before(number_of(reg), statement(in_front_of)));
}

std::string Valued::reach(const std::string& at) {
  return value_text(module_, *pool_, values().reach(values().cfg().block_of(statement(at))));
}

const std::string kernel = R"(
.const .b32 table[4];
.global .b32 var[4];
.shared .b32 s[4];
.visible .entry k(.param .u32 a, .param .u32 b, .param .u64 c, .param .u64 d, .param .u16 e, .param .s8 f,
                  .param .f32 g, .param .f64 h, .param .align 4 .b8 i[16])
{
  .local .b32 l[4];
  .reg .pred %p<9>;
  .reg .b16 %rs<9>;
  .reg .b32 %r<20>;
  .reg .b64 %rd<20>;
  .reg .f32 %f<9>;
  .reg .f64 %fd<9>;
  ld.param.u32 %r1, [a];
  ld.param.u32 %r2, [b];
  mov.u32 %r3, %tid.x;
  ld.param.u64 %rd1, [c];
  ld.param.u64 %rd2, [d];
  ld.param.u16 %rs1, [e];
  ld.param.f32 %f1, [g];
  ld.param.f64 %fd1, [h];
  setp.lt.u32 %p1, %r1, %r2;
  setp.eq.u64 %p2, %rd1, %rd2;
)";

void check_values(const std::string& begin, std::initializer_list<Holds> rows) {
  for (const Holds& row : rows) {
    INFO(row.code);
    CHECK(Valued(begin + row.code + "\n  ret;\n}\n", "k").value(row.reg) == row.holds);
  }
}

}  // namespace ptxscope::analysis::testing
