#include "report/expression_printer.h"

#include <fmt/format.h>

#include "analysis/names.h"

namespace ptxscope::report::notation {

std::string Printer::text(ExprId id, As as, Level context) {
  out_.clear();
  nodes_ = 0;
  print(id, context, as);
  return std::move(out_);
}

// The terms of nested `and` (or `or`) in order.
std::vector<ExprId> Printer::operands(ExprId id) const {
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

As Printer::kind_of_compare(ExprId id) const {
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

void Printer::arguments(std::string_view name, std::span<const ExprId> kids, As as) {
  out_ += name;
  out_ += '(';
  for (std::size_t i = 0; i < kids.size(); ++i) {
    if (i != 0) out_ += ", ";
    print(kids[i], lowest, as);
  }
  out_ += ')';
}

void Printer::infix(ExprId id, Level level, Level context, std::string_view symbol, As left, As right) {
  enclosed(level, context, [&] {
    print(pool_.kid(id, 0), level, left);
    out_ += symbol;
    print(pool_.kid(id, 1), static_cast<Level>(level + 1), right);
  });
}

ExprId Printer::stripped(ExprId id) const {
  while (pool_[id].op == ExprOp::zext || pool_[id].op == ExprOp::sext) id = pool_.kid(id, 0);
  return id;
}

void Printer::print_truncation(ExprId id, Level context, bool with_sign) {
  const unsigned bits = pool_[id].bits;
  const ExprId inner = pool_.kid(id, 0);
  if (bits == 8 || bits == 16 || bits == 32) {
    const std::string name = fmt::format("{}{}", with_sign ? 's' : 'u', bits);
    arguments(name, std::span(&inner, 1));
    return;
  }
  enclosed(bit_and, context, [&] {
    print(inner, bit_and, As::number);
    out_ += fmt::format(" & {}", constant_text((1ULL << bits) - 1, 64, As::mask));
  });
}

void Printer::print_mask(ExprId id, Level context) {
  // Bits that the mask takes away need not be cut off before.
  ExprId left = pool_.kid(id, 0);
  while (pool_.is_constant(pool_.kid(id, 1)) && pool_[left].op == ExprOp::trunc) left = pool_.kid(left, 0);
  const Expr& low = pool_[left];
  enclosed(bit_and, context, [&] {
    if (low.op == ExprOp::parameter && pool_.is_constant(pool_.kid(id, 1))) {
      out_ += labels_.of(low.payload, low.value, 64);
    } else {
      print_integer(left, bit_and, As::mask);
    }
    out_ += " & ";
    print(pool_.kid(id, 1), equality, As::mask);
  });
}

void Printer::print_logic(ExprId id, Level context, std::string_view word_between, Level level) {
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

// Instructions that give a number of the type they end in.
bool Printer::is_float(ExprId id) const {
  const Expr& e = pool_[id];
  const auto floating = [](Type type) { return type == Type::f16 || type == Type::f32 || type == Type::f64; };
  if (e.op == ExprOp::load) return floating(e.type);
  if (e.op == ExprOp::parameter) return floating(labels_.type_of(e.payload));
  if (e.op != ExprOp::function) return false;
  const std::string_view name = pool_.name(id);
  static constexpr std::string_view tests[] = {"testp", "vote", "set", "cvt", "match", "redux"};
  for (const std::string_view test : tests)
    if (name.starts_with(test)) return false;
  return floating(type_from(name.substr(name.rfind('.') + 1)));
}

// `x == 5` of a float's bits would read as a comparison with 5.0.
void Printer::print_integer(ExprId id, Level context, As as) {
  if (!is_float(id)) return print(id, context, as);
  arguments("bits", std::span(&id, 1));
}

std::string Printer::side_text(ExprId compare, unsigned kid) {
  out_.clear();
  nodes_ = 0;
  const ExprId operand = pool_.kid(compare, kid);
  if (pool_[compare].op == ExprOp::fcmp) print(operand, lowest, kind_of_compare(compare));
  else print_integer(operand, lowest, kind_of_compare(compare));
  return std::move(out_);
}

void Printer::print_compare(ExprId id, Level context) {
  const Expr e = pool_[id];
  const bool turned = is_turned(pool_, id);
  const Relation r = relation_of(e.op, turned);
  const Level level = e.op == ExprOp::eq || e.op == ExprOp::ne ? equality : Level::relation;
  const As as = kind_of_compare(id);
  // Equality asks no parameter for its sign; a constant is still easier to read with one.
  const auto side = [&](unsigned kid) {
    const ExprId operand = pool_.kid(id, kid);
    const bool plain = level == equality && pool_[operand].op == ExprOp::parameter;
    print_integer(operand, shift, plain ? As::number : as);
  };
  enclosed(level, context, [&] {
    side(turned ? 1 : 0);
    out_ += fmt::format(" {} ", r.symbol);
    side(turned ? 0 : 1);
  });
}

void Printer::print_float_compare(ExprId id, Level context) {
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

bool Printer::spent() const { return nodes_ >= max_nodes || depth_ >= depth_limit_ || out_.size() >= max_length; }

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
      out_ += labels_.of(e.payload, e.value, e.bits, as == As::signed_number);
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
      if (e.bits == 1) {  // comparisons on either side in parentheses
        enclosed(equality, context, [&] {
          print(kids[0], atom, As::number);
          out_ += " != ";
          print(kids[1], atom, As::number);
        });
        return;
      }
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
      if (e.op == ExprOp::sext && pool_[kids[0]].op == ExprOp::trunc) return print_truncation(kids[0], context, true);
      if (pool_[kids[0]].op == ExprOp::parameter || pool_[kids[0]].op == ExprOp::trunc) {
        as = e.op == ExprOp::sext ? As::signed_number : As::number;  // what the widening says, not the compare
      }
      --depth_;  // a widening costs nothing and shows nothing
      print(kids[0], context, as);
      ++depth_;
      return;
    case ExprOp::trunc:
      print_truncation(id, context, as == As::signed_number);
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

}  // namespace ptxscope::report::notation
