#include "report/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "report/expression_notation.h"
#include "report/expression_printer.h"

namespace ptxscope::report {

using namespace notation;

std::string Labels::of(std::uint32_t index, std::uint64_t offset, unsigned bits, bool with_sign) const {
  const std::uint64_t bytes = (bits + 7) / 8;
  const auto param = std::find_if(params_.begin(), params_.end(), [&](const auto& p) { return p.index == index; });
  std::string label = fmt::format("arg{}", index);
  std::uint64_t begin = 0;
  std::uint64_t size = bytes;
  if (param != params_.end()) {
    label = param->label.empty() ? label : param->label;
    size = param->size;
    for (const auto& field : param->fields) {
      if (offset < field.offset || offset - field.offset >= field.bytes) continue;
      label = field.label;
      begin = field.offset;
      size = field.bytes;
      break;
    }
  }
  const std::uint64_t from = offset - begin;
  if (from == 0 && bytes >= size) {
    const bool told = param != params_.end() && param->is_signed;  // its kernel line says so
    return with_sign && !told ? fmt::format("s{}({})", bits, label) : label;
  }
  if (from == 0 && size <= 8) return fmt::format("{}{}({})", with_sign ? 's' : 'u', bits, label);
  return fmt::format("{}[{}:{}]", label, from, from + bytes);
}

bool Labels::is_pointer(std::uint32_t index, std::uint64_t offset) const {
  const auto param = std::find_if(params_.begin(), params_.end(), [&](const auto& p) { return p.index == index; });
  if (param == params_.end()) return false;
  for (const auto& field : param->fields) {
    if (field.offset == offset) return field.role == analysis::ParameterRole::pointer;
  }
  return param->role == analysis::ParameterRole::pointer && offset == 0;
}

Type Labels::type_of(std::uint32_t index) const {
  const auto param = std::find_if(params_.begin(), params_.end(), [&](const auto& p) { return p.index == index; });
  return param == params_.end() ? Type::none : param->type;
}

std::string to_text(const Module& module, const ExprPool& pool, ExprId expression, const Labels& labels) {
  return Printer(module, pool, labels).text(expression);
}

std::string value_text(std::uint64_t bits, Type type) {
  if (type == Type::f32) return float_text(std::bit_cast<float>(static_cast<std::uint32_t>(bits)), true);
  if (type == Type::f64) return float_text(std::bit_cast<double>(bits), false);
  if (is_signed(type)) return fmt::format("{}", sign_extended(bits, 8 * size_of(type)));
  return fmt::format("{}", bits);
}

Condition describe_condition(const Module& module, const ExprPool& pool, ExprId condition, const Labels& labels) {
  Printer printer(module, pool, labels);
  const Expr e = pool[condition];
  Condition out;
  out.text = printer.text(condition);
  if (is_compare(e.op) || e.op == ExprOp::fcmp) {
    out.turned = is_turned(pool, condition);
    out.lhs = printer.side_text(condition, out.turned ? 1 : 0);
    out.rhs = printer.side_text(condition, out.turned ? 0 : 1);
    out.type = ptxscope::spelling(e.type);
    if (e.op == ExprOp::fcmp) {
      const auto op = static_cast<FloatCompare>(e.value);
      out.op = analysis::spelling(out.turned ? notation::turned(op) : op);
      out.with_nan = op >= FloatCompare::equ && op <= FloatCompare::geu;
    } else {
      out.op = relation_of(e.op, out.turned).op;
    }
    return out;
  }
  switch (e.op) {
    case ExprOp::constant:
      out.op = e.value != 0 ? "true" : "false";
      return out;
    case ExprOp::unknown:
      out.op = "unknown";
      return out;
    case ExprOp::and_:
    case ExprOp::or_: {
      out.op = e.op == ExprOp::and_ ? "and" : "or";
      out.type = "pred";
      std::vector<ExprId> operands = printer.operands(condition);
      out.lhs = printer.text(operands.front());
      std::string rest;
      for (std::size_t i = 1; i < operands.size() && rest.size() < max_length; ++i) {
        rest += fmt::format("{}{}",
                            i == 1                 ? ""
                            : e.op == ExprOp::and_ ? " and "
                                                   : " or ",
                            printer.text(operands[i], As::number, operands.size() > 2 ? equality : lowest));
      }
      out.rhs = rest;
      return out;
    }
    case ExprOp::not_:
      out.op = "not";
      out.type = "pred";
      out.lhs = printer.text(pool.kid(condition, 0));
      return out;
    default:  // a predicate that is not a comparison: a vote, a test, a choice
      out.op = "ne";
      out.type = "pred";
      out.lhs = out.text;
      out.rhs = "0";
      return out;
  }
}

}  // namespace ptxscope::report
