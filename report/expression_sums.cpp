// Sums and products, with the index of a thread recognised wherever its parts stand.
#include "report/expression_printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace ptxscope::report::notation {

char Printer::axis_of(ExprId id, std::string_view what) const {
  id = stripped(id);
  if (pool_[id].op != ExprOp::special) return 0;
  const std::string_view name = pool_.special_name(id);
  return name.size() == what.size() + 2 && name.starts_with(what) && name[what.size()] == '.' ? name.back() : '\0';
}

char Printer::block_start(ExprId id) const {  // ctaid*ntid
  id = stripped(id);
  if (pool_[id].op != ExprOp::mul) return 0;
  for (unsigned i = 0; i < 2; ++i) {
    const char axis = axis_of(pool_.kid(id, i), "ctaid");
    if (axis != 0 && axis_of(pool_.kid(id, 1 - i), "ntid") == axis) return axis;
  }
  return 0;
}

// Base addresses first, then what varies, then plain parameters, then constants.
int Printer::rank(const Term& term) const {
  if (term.is_constant) return 3;
  if (term.global != 0) return 1;
  const Expr& e = pool_[term.id];
  if (e.op == ExprOp::parameter) return labels_.is_pointer(e.payload, e.value) ? 0 : 2;
  return e.bits == 64 && (e.op == ExprOp::symbol || e.op == ExprOp::load) ? 0 : 1;
}

// `x + 1 - 1`, which a change of width in between leaves behind.
void Printer::merge_constants(std::vector<Term>& terms) {
  std::int64_t total = 0;
  for (const Term& term : terms) {
    if (!term.is_constant) continue;
    if (term.constant > (1U << 20)) return;
    total += term.negative ? -static_cast<std::int64_t>(term.constant) : static_cast<std::int64_t>(term.constant);
  }
  const std::size_t constants = std::erase_if(terms, [](const Term& term) { return term.is_constant; });
  if (total == 0 && (constants == 0 || !terms.empty())) return;
  Term sum_of_constants;
  sum_of_constants.is_constant = true;
  sum_of_constants.negative = total < 0;
  sum_of_constants.constant = static_cast<std::uint64_t>(total < 0 ? -total : total);
  terms.push_back(sum_of_constants);
}

std::vector<Printer::Term> Printer::terms_of(ExprId id) const {
  std::vector<Term> terms;
  std::vector<std::pair<ExprId, bool>> open{{id, false}};
  while (!open.empty() && terms.size() < max_terms) {
    const auto [top, negative] = open.back();
    open.pop_back();
    const Expr& e = pool_[top];
    if ((e.op == ExprOp::add || e.op == ExprOp::sub) && pool_.global_index(top) == 0) {
      open.emplace_back(pool_.kid(top, 1), negative != (e.op == ExprOp::sub));
      open.emplace_back(pool_.kid(top, 0), negative);
      continue;
    }
    if (e.op == ExprOp::neg) {
      open.emplace_back(pool_.kid(top, 0), !negative);
      continue;
    }
    // Widening is not shown, so a sum below it reads as part of this one.
    if (const ExprId inner = stripped(top);
        inner != top && pool_[inner].op == ExprOp::add && pool_.global_index(inner) == 0) {
      open.emplace_back(inner, negative);
      continue;
    }
    Term term;
    term.id = top;
    term.negative = negative;
    if (e.op == ExprOp::constant) {
      term.is_constant = true;
      const bool small = is_small_negative(e.value, e.bits);
      term.constant = small ? static_cast<std::uint64_t>(-sign_extended(e.value, e.bits)) : e.value;
      term.negative = negative != small;
    } else if (e.op == ExprOp::mul && pool_.is_constant(pool_.kid(top, 1))) {
      const Expr& factor = pool_[pool_.kid(top, 1)];
      if (is_small_negative(factor.value, factor.bits)) term.negative = !term.negative;
    }
    terms.push_back(term);
  }
  if (!open.empty()) terms.push_back({});  // id 0: the cut
  return terms;
}

void Printer::print_sum(ExprId id, Level context) {
  std::vector<Term> terms = terms_of(id);
  const bool incomplete = terms.size() > max_terms;
  if (incomplete) terms.pop_back();
  // ctaid*ntid and tid, wherever they stand in the sum.
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const char axis = terms[i].negative || terms[i].is_constant ? '\0' : block_start(terms[i].id);
    if (axis == 0) continue;
    const auto thread = std::find_if(terms.begin(), terms.end(), [&](const Term& t) {
      return !t.negative && !t.is_constant && axis_of(t.id, "tid") == axis;
    });
    if (thread == terms.end()) continue;
    terms[i].global = axis;
    terms.erase(thread);
    break;
  }
  merge_constants(terms);
  std::stable_sort(terms.begin(), terms.end(), [&](const Term& a, const Term& b) { return rank(a) < rank(b); });
  const auto positive = std::find_if(terms.begin(), terms.end(), [](const Term& t) { return !t.negative; });
  if (positive != terms.end()) std::rotate(terms.begin(), positive, positive + 1);
  const bool single = terms.size() == 1 && !incomplete && !terms[0].negative;
  enclosed(single ? atom : sum, context, [&] {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const Term& term = terms[i];
      if (i == 0) {
        if (term.negative) out_ += '-';
      } else {
        out_ += term.negative ? " - " : " + ";
      }
      if (term.global != 0) {
        out_ += "global.";
        out_ += term.global;
      } else if (term.is_constant) {
        out_ += number_text(term.constant);
      } else {
        print_term(term.id, single ? context : term.negative ? product : sum);
      }
    }
    if (incomplete) out_ += " + …";
  });
}

// A term, whose sign the sum has taken out.
void Printer::print_term(ExprId id, Level context) {
  const Expr& e = pool_[id];
  if (e.op == ExprOp::mul && pool_.is_constant(pool_.kid(id, 1))) {
    print_product(id, context, true);
  } else {
    print(id, context, As::number);
  }
}

void Printer::print_product(ExprId id, Level context, bool without_sign) {
  enclosed(product, context, [&] {
    const ExprId left = pool_.kid(id, 0);
    const ExprId right = pool_.kid(id, 1);
    const Expr& factor = pool_[right];
    if (factor.op == ExprOp::constant) {
      const bool small = is_small_negative(factor.value, factor.bits);
      const std::uint64_t magnitude =
          small ? static_cast<std::uint64_t>(-sign_extended(factor.value, factor.bits)) : factor.value;
      if (small && !without_sign) out_ += '-';
      if (magnitude != 1) out_ += fmt::format("{}*", number_text(magnitude));
      print(left, prefix, As::number);
    } else {
      print(left, product, As::number);
      out_ += '*';
      print(right, prefix, As::number);
    }
  });
}

}  // namespace ptxscope::report::notation
