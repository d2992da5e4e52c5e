// What has no operation of its own: instructions known by name, loads, values carried round loops.
#include "report/expression_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ptxscope::report::notation {

namespace {

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

}  // namespace

// Instructions that have no operation of their own: those that have a usual notation, in it.
void Printer::print_function(ExprId id, Level context) {
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

void Printer::print_load(ExprId id) {
  const Expr e = pool_[id];
  const std::string_view space = ptxscope::spelling(e.space);
  const std::string_view type = ptxscope::spelling(e.type);
  const ExprId address = pool_.kid(id, 0);
  arguments(
      fmt::format("load{}{}.{}", space.empty() ? "" : ".", space, type.empty() ? fmt::format("b{}", e.bits) : type),
      std::span(&address, 1));
}

bool Printer::reaches(ExprId from, ExprId target) const {
  constexpr std::size_t most = 256;
  std::array<ExprId, most> open{from};         // breadth first
  std::array<std::uint32_t, 4 * most> seen{};  // those in it, by their number; 0: free
  std::size_t count = 1;
  const auto is_new = [&](ExprId id) {
    const std::uint32_t key = static_cast<std::uint32_t>(id) + 1;
    std::size_t place = key * 0x9e3779b1U % seen.size();
    while (seen[place] != 0 && seen[place] != key) place = (place + 1) % seen.size();
    return std::exchange(seen[place], key) != key;
  };
  static_cast<void>(is_new(from));
  for (std::size_t i = 0; i < count; ++i) {
    if (open[i] == target) return true;
    for (const ExprId kid : pool_.kids(open[i])) {
      if (count == most) break;
      if (is_new(kid)) open[count++] = kid;
    }
  }
  return false;
}

void Printer::print_phi(ExprId id) {
  const auto kids = pool_.kids(id);
  if (kids.empty()) {
    out_ += '?';
    return;
  }
  if (std::find(open_phis_.begin(), open_phis_.end(), id) != open_phis_.end()) {  // its value the last time round
    out_ += cut;
    return;
  }
  constexpr std::size_t most = 256;  // more cannot be shown
  std::vector<ExprId> start, next;
  for (const ExprId kid : kids.first(std::min(kids.size(), most))) {
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
void Printer::print_step(ExprId next, ExprId phi) {
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

}  // namespace ptxscope::report::notation
