// Expressions as people read them: `global.x >= a.len`, `load.global.u32(a.ptr + 4*global.x)`. docs/json.md lists the forms.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "analysis/expr.h"
#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::report {

/// What parameters are called.
class Labels {
 public:
  Labels() = default;  ///< no labels
  /// Labels of those; `params` must outlive it.
  explicit Labels(std::span<const analysis::ParameterInfo> params) : params_(params) {}
  /// The label of a parameter, or of the part of it from `offset` on: "a.len", "u32(a.len)", "a.len[4:8]" (bytes 4 to 8).
  [[nodiscard]] std::string of(std::uint32_t index, std::uint64_t offset, unsigned bits, bool with_sign = false) const;
  [[nodiscard]] Type type_of(std::uint32_t index) const;  ///< as declared
  /// It, or the field that begins there, holds an address.
  [[nodiscard]] bool is_pointer(std::uint32_t index, std::uint64_t offset) const;

 private:
  std::span<const analysis::ParameterInfo> params_;
};

/// The expression as text. Large ones are cut short with `…`: a graph of a few nodes can stand for a tree of billions.
[[nodiscard]] std::string to_text(const Module& module, const analysis::ExprPool& pool, analysis::ExprId expression,
                                  const Labels& labels);

/// A 1-bit expression taken apart. `text` says the same as op, lhs and rhs together.
struct Condition {
  std::string op;    ///< eq ne lt le gt ge; equ … geu, num, nan (of setp); and, or, not; true, false; unknown
  std::string type;  ///< of the compare: "u64"; "pred" for and, or, not; empty for true, false, unknown
  std::optional<std::string> lhs;  ///< the left side; nullopt: the operation has none
  std::optional<std::string> rhs;  ///< the right side
  std::string text;                ///< for people: "global.x >= a.len"
  bool turned = false;             ///< lhs is the second operand of the compare
  bool with_nan = false;           ///< also holds when either side is NaN
};
/// Of an expression of 1 bit.
[[nodiscard]] Condition describe_condition(const Module& module, const analysis::ExprPool& pool,
                                           analysis::ExprId condition, const Labels& labels);

/// A value of that type as a number: 512, -1, 0.5.
[[nodiscard]] std::string value_text(std::uint64_t bits, Type type);

}  // namespace ptxscope::report
