#include "report/expression.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/names.h"
#include "report/expression_notation.h"

namespace ptxscope::report {
namespace {

using analysis::Expr;
using analysis::ExprId;
using analysis::ExprOp;
using analysis::ExprPool;
using analysis::FloatCompare;

using namespace notation;

// Bounds on what one expression may cost to print.
constexpr unsigned max_nodes = 200;
constexpr unsigned max_depth = 32;
constexpr std::size_t max_length = 400;
constexpr std::size_t max_terms = 12;
constexpr std::string_view cut = "…";

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

std::string_view word(std::string_view& dotted) {
  const std::size_t dot = dotted.find('.');
  const std::string_view first = dotted.substr(0, dot);
  dotted = dot == std::string_view::npos ? std::string_view() : dotted.substr(dot + 1);
  return first;
}

std::vector<std::string_view> words(std::string_view dotted) {
  std::vector<std::string_view> out;
  while (!dotted.empty()) out.push_back(word(dotted));
  return out;
}

class Printer {
 public:
  Printer(const Module& module, const ExprPool& pool, const Labels& labels)
      : module_(module), pool_(pool), labels_(labels) {}

  std::string text(ExprId id, As as = As::number, Level context = lowest) {
    out_.clear();
    nodes_ = 0;
    print(id, context, as);
    return std::move(out_);
  }

  // The terms of nested `and` (or `or`) in order.
  std::vector<ExprId> operands(ExprId id) const {
    const ExprOp op = pool_[id].op;
    std::vector<ExprId> found;
    std::vector<ExprId> open{id};
    while (!open.empty() && found.size() < 64) {
      const ExprId top = open.back();
      open.pop_back();
      if (pool_[top].op == op && pool_[top].bits == 1) {
        open.push_back(pool_.kid(top, 1));
        open.push_back(pool_.kid(top, 0));
      } else {
        found.push_back(top);
      }
    }
    return found;
  }

  As kind_of_compare(ExprId id) const {
    const Expr& e = pool_[id];
    if (e.op == ExprOp::fcmp) return float_kind(e.type);
    if (is_signed_compare(e.op)) return As::signed_number;
    if (e.op != ExprOp::eq && e.op != ExprOp::ne) return As::number;
    if (is_signed(e.type)) return As::signed_number;
    const Expr& right = pool_[pool_.kid(id, 1)];
    const bool plain = e.type != Type::u8 && e.type != Type::u16 && e.type != Type::u32 && e.type != Type::u64;
    const bool negative =
        is_small_negative(right.value, right.bits) || (right.bits > 1 && right.value == 1ULL << (right.bits - 1));
    return plain && right.op == ExprOp::constant && negative ? As::signed_number : As::number;
  }

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

  void arguments(std::string_view name, std::span<const ExprId> kids, As as = As::number) {
    out_ += name;
    out_ += '(';
    for (std::size_t i = 0; i < kids.size(); ++i) {
      if (i != 0) out_ += ", ";
      print(kids[i], lowest, as);
    }
    out_ += ')';
  }

  void infix(ExprId id, Level level, Level context, std::string_view symbol, As left, As right) {
    enclosed(level, context, [&] {
      print(pool_.kid(id, 0), level, left);
      out_ += symbol;
      print(pool_.kid(id, 1), static_cast<Level>(level + 1), right);
    });
  }

  [[nodiscard]] ExprId stripped(ExprId id) const {
    while (pool_[id].op == ExprOp::zext || pool_[id].op == ExprOp::sext) id = pool_.kid(id, 0);
    return id;
  }

  [[nodiscard]] char axis_of(ExprId id, std::string_view what) const {
    id = stripped(id);
    if (pool_[id].op != ExprOp::special) return 0;
    const std::string_view name = pool_.special_name(id);
    return name.size() == what.size() + 2 && name.starts_with(what) && name[what.size()] == '.' ? name.back() : '\0';
  }

  [[nodiscard]] char block_start(ExprId id) const {  // ctaid*ntid
    id = stripped(id);
    if (pool_[id].op != ExprOp::mul) return 0;
    for (unsigned i = 0; i < 2; ++i) {
      const char axis = axis_of(pool_.kid(id, i), "ctaid");
      if (axis != 0 && axis_of(pool_.kid(id, 1 - i), "ntid") == axis) return axis;
    }
    return 0;
  }

  // Base addresses first, then what varies, then plain parameters, then constants.
  [[nodiscard]] int rank(const Term& term) const {
    if (term.is_constant) return 3;
    if (term.global != 0) return 1;
    const Expr& e = pool_[term.id];
    if (e.op == ExprOp::parameter) return labels_.is_pointer(e.payload, e.value) ? 0 : 2;
    return e.bits == 64 && (e.op == ExprOp::symbol || e.op == ExprOp::load) ? 0 : 1;
  }

  // `x + 1 - 1`, which a change of width in between leaves behind.
  static void merge_constants(std::vector<Term>& terms) {
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

  std::vector<Term> terms_of(ExprId id) const {
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

  void print_sum(ExprId id, Level context) {
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
          print_term(term.id, term.negative);
        }
      }
      if (incomplete) out_ += " + …";
    });
  }

  // A product, whose sign the sum has taken out.
  void print_term(ExprId id, bool negative) {
    const Expr& e = pool_[id];
    if (e.op == ExprOp::mul && pool_.is_constant(pool_.kid(id, 1))) {
      print_product(id, sum, true);
    } else {
      print(id, negative ? product : sum, As::number);
    }
  }

  void print_product(ExprId id, Level context, bool without_sign) {
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

  void print_choice(ExprId condition, auto yes, auto no) {
    out_ += '(';
    yes();
    out_ += " if ";
    print(condition, lowest, As::number);
    out_ += " else ";
    no();
    out_ += ')';
  }

  void print_truncation(ExprId id, Level context) {
    const unsigned bits = pool_[id].bits;
    const ExprId inner = pool_.kid(id, 0);
    if (bits == 8 || bits == 16 || bits == 32) {
      const std::string name = fmt::format("u{}", bits);
      arguments(name, std::span(&inner, 1));
      return;
    }
    enclosed(bit_and, context, [&] {
      print(inner, bit_and, As::number);
      out_ += fmt::format(" & {}", constant_text((1ULL << bits) - 1, 64, As::mask));
    });
  }

  void print_mask(ExprId id, Level context) {
    // Bits that the mask takes away need not be cut off before.
    ExprId left = pool_.kid(id, 0);
    while (pool_.is_constant(pool_.kid(id, 1)) && pool_[left].op == ExprOp::trunc) left = pool_.kid(left, 0);
    const Expr& low = pool_[left];
    enclosed(bit_and, context, [&] {
      if (low.op == ExprOp::parameter && pool_.is_constant(pool_.kid(id, 1))) {
        out_ += labels_.of(low.payload, low.value, 64);
      } else {
        print(left, bit_and, As::mask);
      }
      out_ += " & ";
      print(pool_.kid(id, 1), equality, As::mask);
    });
  }

  void print_logic(ExprId id, Level context, std::string_view word_between, Level level) {
    const std::vector<ExprId> all = operands(id);
    enclosed(level, context, [&] {
      for (std::size_t i = 0; i < all.size(); ++i) {
        if (i != 0) out_ += word_between;
        // `and` beside `or` in parentheses: nobody should have to know which binds more tightly.
        const ExprOp op = pool_[all[i]].op;
        const bool mixed = pool_[all[i]].bits == 1 && (op == ExprOp::and_ || op == ExprOp::or_);
        print(all[i], mixed ? atom : static_cast<Level>(level + 1), As::number);
        if (spent()) break;
      }
    });
  }

  void print_compare(ExprId id, Level context) {
    const Expr e = pool_[id];
    const bool turned = is_turned(pool_, id);
    const Relation r = relation_of(e.op, turned);
    const Level level = e.op == ExprOp::eq || e.op == ExprOp::ne ? equality : Level::relation;
    const As as = kind_of_compare(id);
    enclosed(level, context, [&] {
      print(pool_.kid(id, turned ? 1 : 0), shift, as);
      out_ += fmt::format(" {} ", r.symbol);
      print(pool_.kid(id, turned ? 0 : 1), shift, as);
    });
  }

  void print_float_compare(ExprId id, Level context) {
    const Expr e = pool_[id];
    const bool turned = is_turned(pool_, id);
    const auto op = static_cast<FloatCompare>(e.value);
    const As as = float_kind(e.type);
    const ExprId left = pool_.kid(id, turned ? 1 : 0);
    const ExprId right = pool_.kid(id, turned ? 0 : 1);
    const auto plain = [&](std::string_view symbol) {
      print(left, shift, as);
      out_ += fmt::format(" {} ", symbol);
      print(right, shift, as);
    };
    if (op == FloatCompare::num || op == FloatCompare::nan) {
      const bool one = left == right || pool_.is_constant(right);
      const bool is_nan = op == FloatCompare::nan;
      enclosed(one      ? prefix
               : is_nan ? any_of
                        : all_of,
               context, [&] {
                 if (!is_nan) out_ += "not ";
                 arguments("isnan", std::span(&left, 1), as);
                 if (one) return;
                 out_ += is_nan ? " or " : " and not ";
                 arguments("isnan", std::span(&right, 1), as);
               });
      return;
    }
    if (op == FloatCompare::ne || op == FloatCompare::equ) {  // "different", and false (true) for NaN
      enclosed(prefix, context, [&] {
        out_ += op == FloatCompare::ne ? "ordered(" : "not ordered(";
        plain("!=");
        out_ += ')';
      });
      return;
    }
    const FloatRelation r = float_relation(turned ? notation::turned(op) : op);
    if (r.negated) {
      enclosed(prefix, context, [&] {
        out_ += "not (";
        plain(r.symbol);
        out_ += ')';
      });
    } else {
      enclosed(r.symbol == "==" || r.symbol == "!=" ? equality : Level::relation, context, [&] { plain(r.symbol); });
    }
  }

  // Instructions that have no operation of their own: those that have a usual notation, in it.
  void print_function(ExprId id, Level context) {
    const std::string_view name = pool_.name(id);
    const auto kids = pool_.kids(id);
    const std::vector<std::string_view> parts = words(name);
    const std::string_view base = parts.empty() ? std::string_view() : parts[0];
    const Type type = parts.empty() ? Type::none : type_from(parts.back());
    const bool floating = type == Type::f32 || type == Type::f64;
    const As as = floating ? float_kind(type) : As::number;
    if (floating && kids.size() == 2) {
      if (base == "add") return infix(id, sum, context, " + ", as, as);
      if (base == "sub") return infix(id, sum, context, " - ", as, as);
      if (base == "mul") return infix(id, product, context, "*", as, as);
      if (base == "div") return infix(id, product, context, " / ", as, as);
    }
    if (floating && kids.size() == 3 && (base == "fma" || base == "mad")) {
      enclosed(sum, context, [&] {
        print(kids[0], product, as);
        out_ += '*';
        print(kids[1], prefix, as);
        out_ += " + ";
        print(kids[2], product, as);
      });
      return;
    }
    if (floating && kids.size() == 1 && base == "neg") {
      enclosed(prefix, context, [&] {
        out_ += '-';
        print(kids[0], prefix, as);
      });
      return;
    }
    if (base == "cvt" && kids.size() == 1 && parts.size() >= 3) {
      const Type from = type_from(parts.back());
      return arguments(parts[parts.size() - 2], kids,
                       from == Type::f32 || from == Type::f64 ? float_kind(from) : As::number);
    }
    if (base == "testp" && kids.size() == 1 && parts.size() >= 2) {
      const std::string_view what = parts[1];
      if (what == "notanumber") return arguments("isnan", kids, as);
      if (what == "finite") return arguments("isfinite", kids, as);
      if (what == "infinite") return arguments("isinf", kids, as);
      if (what == "normal") return arguments("isnormal", kids, as);
      if (what == "subnormal") return arguments("issubnormal", kids, as);
      if (what == "number") return arguments("not isnan", kids, as);
    }
    if (name == "vote.all") return arguments("all_lanes", kids);
    if (name == "vote.any") return arguments("any_lane", kids);
    if (name == "vote.uni") return arguments("same_in_all_lanes", kids);
    if (name == "vote.ballot") return arguments("ballot", kids);
    static constexpr std::string_view usual[] = {"abs", "min", "max", "sqrt", "rsqrt", "rcp",
                                                 "sin", "cos", "ex2", "lg2",  "tanh"};
    if (floating && std::find(std::begin(usual), std::end(usual), base) != std::end(usual))
      return arguments(base, kids, as);
    if (kids.empty() &&
        (name.starts_with("clock") || name.starts_with("globaltimer") || name.starts_with("activemask"))) {
      out_ += name;
      return;
    }
    arguments(name, kids, as);
  }

  void print_load(ExprId id) {
    const Expr e = pool_[id];
    const std::string_view space = ptxscope::spelling(e.space);
    const std::string_view type = ptxscope::spelling(e.type);
    const ExprId address = pool_.kid(id, 0);
    arguments(
        fmt::format("load{}{}.{}", space.empty() ? "" : ".", space, type.empty() ? fmt::format("b{}", e.bits) : type),
        std::span(&address, 1));
  }

  [[nodiscard]] bool reaches(ExprId from, ExprId target) const {
    std::vector<ExprId> open{from};
    std::unordered_set<std::uint32_t> seen{static_cast<std::uint32_t>(from)};
    for (std::size_t i = 0; i < open.size() && i < 256; ++i) {
      if (open[i] == target) return true;
      for (const ExprId kid : pool_.kids(open[i])) {
        if (seen.insert(static_cast<std::uint32_t>(kid)).second) open.push_back(kid);
      }
    }
    return false;
  }

  void print_phi(ExprId id) {
    const auto kids = pool_.kids(id);
    if (kids.empty()) {
      out_ += '?';
      return;
    }
    if (std::find(open_phis_.begin(), open_phis_.end(), id) != open_phis_.end()) {  // its value the last time round
      out_ += cut;
      return;
    }
    std::vector<ExprId> start, next;
    for (const ExprId kid : kids) {
      if (kid != id) (reaches(kid, id) ? next : start).push_back(kid);
    }
    open_phis_.push_back(id);
    if (next.empty()) {
      arguments("phi", start);
    } else {
      out_ += "loop(";
      for (std::size_t i = 0; i < start.size(); ++i) {
        if (i != 0) out_ += ", ";
        print(start[i], lowest, As::number);
      }
      for (std::size_t i = 0; i < next.size(); ++i) {
        if (i != 0 || !start.empty()) out_ += ", ";
        print_step(next[i], id);
      }
      out_ += ')';
    }
    open_phis_.pop_back();
  }

  // What goes once round the loop: `+4` for the value with 4 added.
  void print_step(ExprId next, ExprId phi) {
    const Expr& e = pool_[next];
    if (e.op == ExprOp::add && (pool_.kid(next, 0) == phi || pool_.kid(next, 1) == phi)) {
      const ExprId step = pool_.kid(next, 0) == phi ? pool_.kid(next, 1) : pool_.kid(next, 0);
      const Expr& s = pool_[step];
      if (s.op == ExprOp::constant) {
        const bool small = is_small_negative(s.value, s.bits);
        out_ += small ? fmt::format("{}", sign_extended(s.value, s.bits)) : fmt::format("+{}", number_text(s.value));
        return;
      }
      out_ += '+';
      print(step, prefix, As::number);
      return;
    }
    // What a loop computes is often the whole kernel: its outermost operations must do.
    constexpr unsigned shown_depth = 3;
    const unsigned limit = std::exchange(depth_limit_, std::min(depth_limit_, depth_ + shown_depth));
    print(next, lowest, As::number);
    depth_limit_ = limit;
  }

  [[nodiscard]] bool spent() const {
    return nodes_ >= max_nodes || depth_ >= depth_limit_ || out_.size() >= max_length;
  }

  void print(ExprId id, Level context, As as);
  void print_node(ExprId id, Level context, As as);

  const Module& module_;
  const ExprPool& pool_;
  const Labels& labels_;
  std::string out_;
  unsigned nodes_ = 0;
  unsigned depth_ = 0;
  unsigned depth_limit_ = max_depth;
  std::vector<ExprId> open_phis_;
};

void Printer::print(ExprId id, Level context, As as) {
  if (spent()) {
    if (!out_.ends_with(cut)) out_ += cut;
    return;
  }
  ++nodes_;
  ++depth_;
  print_node(id, context, as);
  --depth_;
}

void Printer::print_node(ExprId id, Level context, As as) {
  const Expr e = pool_[id];
  if (const char axis = pool_.global_index(id); axis != 0) {
    out_ += "global.";
    out_ += axis;
    return;
  }
  const auto kids = pool_.kids(id);
  switch (e.op) {
    case ExprOp::unknown:
      out_ += '?';
      return;
    case ExprOp::constant:
      if (e.bits == 1) {
        out_ += e.value != 0 ? "true" : "false";
      } else {
        out_ += constant_text(e.value, e.bits, as);
      }
      return;
    case ExprOp::parameter:
      out_ += labels_.of(e.payload, e.value, e.bits);
      return;
    case ExprOp::special:
      out_ += pool_.special_name(id);
      return;
    case ExprOp::symbol: {
      const std::int64_t addend = sign_extended(e.value, e.bits);
      enclosed(addend == 0 ? atom : sum, context, [&] {
        out_ += module_.name(NameId{e.payload});
        if (addend != 0)
          out_ += fmt::format(" {} {}", addend < 0 ? '-' : '+',
                              addend < 0 ? 0 - static_cast<std::uint64_t>(addend) : static_cast<std::uint64_t>(addend));
      });
      return;
    }
    case ExprOp::load:
      print_load(id);
      return;
    case ExprOp::add:
    case ExprOp::sub:
    case ExprOp::neg:
      print_sum(id, context);
      return;
    case ExprOp::mul:
      print_product(id, context, false);
      return;
    case ExprOp::mul_hi_u:
    case ExprOp::mul_hi_s:
      arguments("mulhi", kids);
      return;
    case ExprOp::div_u:
    case ExprOp::div_s:
      infix(id, product, context, " / ", As::number, As::number);
      return;
    case ExprOp::rem_u:
    case ExprOp::rem_s:
      infix(id, product, context, " % ", As::number, As::number);
      return;
    case ExprOp::abs:
      arguments("abs", kids);
      return;
    case ExprOp::min_u:
    case ExprOp::min_s:
      arguments("min", kids, as);
      return;
    case ExprOp::max_u:
    case ExprOp::max_s:
      arguments("max", kids, as);
      return;
    case ExprOp::and_:
      if (e.bits == 1) return print_logic(id, context, " and ", all_of);
      return print_mask(id, context);
    case ExprOp::or_:
      if (e.bits == 1) return print_logic(id, context, " or ", any_of);
      return infix(id, bit_or, context, " | ", As::mask, As::mask);
    case ExprOp::xor_:
      if (e.bits == 1) return infix(id, equality, context, " != ", As::number, As::number);
      return infix(id, bit_xor, context, " ^ ", As::mask, As::mask);
    case ExprOp::not_:
      enclosed(prefix, context, [&] {
        out_ += e.bits == 1 ? "not " : "~";
        print(kids[0], atom, As::mask);
      });
      return;
    case ExprOp::shl:
      return infix(id, shift, context, " << ", As::number, As::number);
    case ExprOp::shr_u:
      return infix(id, shift, context, " >> ", As::number, As::number);
    case ExprOp::shr_s:
      enclosed(shift, context, [&] {
        arguments(fmt::format("s{}", e.bits), kids.subspan(0, 1));
        out_ += " >> ";
        print(kids[1], sum, As::number);
      });
      return;
    case ExprOp::zext:
    case ExprOp::sext:
      if (pool_[kids[0]].bits == 1) {
        print_choice(
            kids[0], [&] { out_ += e.op == ExprOp::zext ? "1" : "-1"; }, [&] { out_ += "0"; });
        return;
      }
      --depth_;  // a widening costs nothing and shows nothing
      print(kids[0], context, as);
      ++depth_;
      return;
    case ExprOp::trunc:
      print_truncation(id, context);
      return;
    case ExprOp::popc:
      arguments("popc", kids);
      return;
    case ExprOp::clz:
      arguments("clz", kids);
      return;
    case ExprOp::brev:
      arguments("brev", kids);
      return;
    case ExprOp::select:
      print_choice(
          kids[0], [&] { print(kids[1], lowest, as); }, [&] { print(kids[2], lowest, as); });
      return;
    case ExprOp::phi:
      print_phi(id);
      return;
    case ExprOp::function:
      print_function(id, context);
      return;
    case ExprOp::fcmp:
      print_float_compare(id, context);
      return;
    case ExprOp::call: {
      const std::string_view name = module_.name(NameId{e.payload});
      const std::string readable = analysis::demangled_without_parameters(name);
      arguments(readable.empty() ? std::string(name) : readable, kids);
      return;
    }
    default:
      print_compare(id, context);
      return;
  }
}

}  // namespace

std::string Labels::of(std::uint32_t index, std::uint64_t offset, unsigned bits) const {
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
  if (from == 0 && bytes >= size) return label;
  if (from == 0 && size <= 8) return fmt::format("u{}({})", bits, label);
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
    const As as = printer.kind_of_compare(condition);
    out.lhs = printer.text(pool.kid(condition, out.turned ? 1 : 0), as);
    out.rhs = printer.text(pool.kid(condition, out.turned ? 0 : 1), as);
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
