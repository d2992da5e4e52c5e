// Expressions as text: how each kind of node is written. Internal to report/expression.cpp.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/expr.h"
#include "report/expression.h"
#include "report/expression_notation.h"

namespace ptxscope::report::notation {

using analysis::Expr;
using analysis::ExprId;
using analysis::ExprOp;
using analysis::ExprPool;
using analysis::FloatCompare;

// Bounds on what one expression may cost to print.
inline constexpr unsigned max_nodes = 200;
inline constexpr unsigned max_depth = 32;
inline constexpr std::size_t max_length = 400;
inline constexpr std::size_t max_terms = 12;
inline constexpr std::string_view cut = "…";

// How tightly operators bind, loosest first (as in C).
enum Level : int {
  lowest,
  any_of,
  all_of,
  bit_or,
  bit_xor,
  bit_and,
  equality,
  relation,
  shift,
  sum,
  product,
  prefix,
  atom
};

/// Writes one expression at a time; what it costs is bounded.
class Printer {
 public:
  Printer(const Module& module, const ExprPool& pool, const Labels& labels)
      : module_(module), pool_(pool), labels_(labels) {}

  [[nodiscard]] std::string text(ExprId id, As as = As::number, Level context = lowest);
  // One side of a comparison, as kind_of_compare() says.
  [[nodiscard]] std::string side_text(ExprId compare, unsigned kid);
  // The terms of nested `and` (or `or`) in order.
  [[nodiscard]] std::vector<ExprId> operands(ExprId id) const;
  [[nodiscard]] As kind_of_compare(ExprId id) const;

 private:
  struct Term {
    ExprId id{};
    bool negative = false;
    char global = 0;  // the global index of that axis stands here
    std::uint64_t constant = 0;
    bool is_constant = false;
  };

  // Parentheses where `level` binds less tightly than its surroundings ask for.
  template <typename Body>
  void enclosed(Level level, Level context, Body body) {
    const bool needed = level < context;
    if (needed) out_ += '(';
    body();
    if (needed) out_ += ')';
  }

  void print_choice(ExprId condition, auto yes, auto no) {
    out_ += '(';
    yes();
    out_ += " if ";
    print(condition, lowest, As::number);
    out_ += " else ";
    no();
    out_ += ')';
  }

  [[nodiscard]] bool spent() const;
  void arguments(std::string_view name, std::span<const ExprId> kids, As as = As::number);
  void infix(ExprId id, Level level, Level context, std::string_view symbol, As left, As right);
  [[nodiscard]] ExprId stripped(ExprId id) const;
  void print(ExprId id, Level context, As as);
  void print_node(ExprId id, Level context, As as);
  void print_truncation(ExprId id, Level context, bool with_sign);  // u8(x), or s8(x)
  void print_mask(ExprId id, Level context);
  void print_logic(ExprId id, Level context, std::string_view word_between, Level level);
  void print_compare(ExprId id, Level context);
  [[nodiscard]] bool is_float(ExprId id) const;  // a floating-point number rather than its bits
  void print_integer(ExprId id, Level context, As as);
  void print_float_compare(ExprId id, Level context);

  // expression_sums.cpp
  [[nodiscard]] char axis_of(ExprId id, std::string_view what) const;
  [[nodiscard]] char block_start(ExprId id) const;  // ctaid*ntid
  // Base addresses first, then what varies, then plain parameters, then constants.
  [[nodiscard]] int rank(const Term& term) const;
  // `x + 1 - 1`, which a change of width in between leaves behind.
  static void merge_constants(std::vector<Term>& terms);
  [[nodiscard]] std::vector<Term> terms_of(ExprId id) const;
  void print_sum(ExprId id, Level context);
  // A term, whose sign the sum has taken out.
  void print_term(ExprId id, Level context);
  void print_product(ExprId id, Level context, bool without_sign);

  // expression_functions.cpp
  // Instructions that have no operation of their own: those that have a usual notation, in it.
  void print_function(ExprId id, Level context);
  void print_load(ExprId id);
  [[nodiscard]] bool reaches(ExprId from, ExprId target) const;
  void print_phi(ExprId id);
  // What goes once round the loop: `+4` for the value with 4 added.
  void print_step(ExprId next, ExprId phi);

  const Module& module_;
  const ExprPool& pool_;
  const Labels& labels_;
  std::string out_;
  unsigned nodes_ = 0;
  unsigned depth_ = 0;
  unsigned depth_limit_ = max_depth;
  std::vector<ExprId> open_phis_;
};

}  // namespace ptxscope::report::notation
