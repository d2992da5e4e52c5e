#include "parser/constant.h"

#include <bit>
#include <charconv>
#include <cstdlib>
#include <string>

namespace ptxscope {

std::uint64_t integer_value(std::string_view literal) {
  if (!literal.empty() && literal.back() == 'U') literal.remove_suffix(1);
  std::uint64_t base = 10;
  if (literal.size() > 1 && literal[0] == '0') {
    if (literal[1] == 'x' || literal[1] == 'X') {
      base = 16;
      literal.remove_prefix(2);
    } else if (literal[1] == 'b' || literal[1] == 'B') {
      base = 2;
      literal.remove_prefix(2);
    } else {
      base = 8;
    }
  }
  std::uint64_t value = 0;
  for (const char c : literal) {
    unsigned digit = 0;
    if (c >= '0' && c <= '9') {
      digit = static_cast<unsigned>(c - '0');
    } else {
      digit = static_cast<unsigned>((c | 0x20) - 'a') + 10U;
    }
    value = value * base + digit;
  }
  return value;
}

double floating_value(std::string_view literal) {
  double value = 0;
  const auto result = std::from_chars(literal.data(), literal.data() + literal.size(), value);
  if (result.ec == std::errc::result_out_of_range) {
    // from_chars leaves the value alone; strtod gives infinity or zero.
    return std::strtod(std::string(literal).c_str(), nullptr);
  }
  return value;
}

std::uint64_t hex_floating_bits(std::string_view literal) {
  std::uint64_t bits = 0;
  std::from_chars(literal.data() + 2, literal.data() + literal.size(), bits, 16);
  return bits;
}

namespace {

using Form = Constant::Form;

Constant of(std::int64_t value) { return {Form::signed_integer, static_cast<std::uint64_t>(value)}; }
Constant of(std::uint64_t value) { return {Form::unsigned_integer, value}; }
Constant of(double value) { return {Form::double_float, std::bit_cast<std::uint64_t>(value)}; }

double as_double(const Constant& c) {
  switch (c.form) {
    case Form::signed_integer:
      return static_cast<double>(static_cast<std::int64_t>(c.bits));
    case Form::unsigned_integer:
      return static_cast<double>(c.bits);
    case Form::single_float:
      return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(c.bits)));
    case Form::double_float:
      return std::bit_cast<double>(c.bits);
  }
  return 0;
}

bool is_true(const Constant& c) { return c.is_integer() ? c.bits != 0 : as_double(c) != 0; }

// How tightly a binary operator binds; 0: it is none.
int precedence(TokenKind kind) {
  switch (kind) {
    case TokenKind::star:
    case TokenKind::slash:
    case TokenKind::percent:
      return 11;
    case TokenKind::plus:
    case TokenKind::minus:
      return 10;
    case TokenKind::shift_left:
    case TokenKind::shift_right:
      return 9;
    case TokenKind::less:
    case TokenKind::greater:
    case TokenKind::less_equal:
    case TokenKind::greater_equal:
      return 8;
    case TokenKind::equal:
    case TokenKind::not_equal:
      return 7;
    case TokenKind::ampersand:
      return 6;
    case TokenKind::caret:
      return 5;
    case TokenKind::bar:
      return 4;
    case TokenKind::and_and:
      return 3;
    case TokenKind::or_or:
      return 2;
    default:
      return 0;
  }
}

template <typename T>
std::optional<bool> compare(TokenKind kind, T a, T b) {
  switch (kind) {
    case TokenKind::less:
      return a < b;
    case TokenKind::greater:
      return a > b;
    case TokenKind::less_equal:
      return a <= b;
    case TokenKind::greater_equal:
      return a >= b;
    case TokenKind::equal:
      return a == b;
    case TokenKind::not_equal:
      return a != b;
    default:
      return std::nullopt;
  }
}

std::optional<Constant> apply_floating(TokenKind kind, double a, double b) {
  if (const auto truth = compare(kind, a, b)) return of(static_cast<std::int64_t>(*truth));
  switch (kind) {
    case TokenKind::plus:
      return of(a + b);
    case TokenKind::minus:
      return of(a - b);
    case TokenKind::star:
      return of(a * b);
    case TokenKind::slash:
      return of(a / b);
    default:
      return std::nullopt;
  }
}

std::optional<Constant> apply(TokenKind kind, const Constant& a, const Constant& b) {
  if (kind == TokenKind::and_and) return of(static_cast<std::int64_t>(is_true(a) && is_true(b)));
  if (kind == TokenKind::or_or) return of(static_cast<std::int64_t>(is_true(a) || is_true(b)));
  if (!a.is_integer() || !b.is_integer()) return apply_floating(kind, as_double(a), as_double(b));

  // A shift has the type of its left side; all else is unsigned when either side is.
  const bool shift = kind == TokenKind::shift_left || kind == TokenKind::shift_right;
  const bool is_signed = a.form == Form::signed_integer && (shift || b.form == Form::signed_integer);
  const auto sa = static_cast<std::int64_t>(a.bits);
  const auto sb = static_cast<std::int64_t>(b.bits);
  if (const auto truth = is_signed ? compare(kind, sa, sb) : compare(kind, a.bits, b.bits)) {
    return of(static_cast<std::int64_t>(*truth));
  }
  const auto same = [&](std::uint64_t bits) {
    return Constant{is_signed ? Form::signed_integer : Form::unsigned_integer, bits};
  };
  switch (kind) {
    case TokenKind::plus:
      return same(a.bits + b.bits);
    case TokenKind::minus:
      return same(a.bits - b.bits);
    case TokenKind::star:
      return same(a.bits * b.bits);
    case TokenKind::ampersand:
      return same(a.bits & b.bits);
    case TokenKind::bar:
      return same(a.bits | b.bits);
    case TokenKind::caret:
      return same(a.bits ^ b.bits);
    case TokenKind::shift_left:
      return same(b.bits < 64 ? a.bits << b.bits : 0);
    case TokenKind::shift_right:
      if (is_signed) return same(static_cast<std::uint64_t>(sa >> (b.bits < 64 ? b.bits : 63)));
      return same(b.bits < 64 ? a.bits >> b.bits : 0);
    case TokenKind::slash:
    case TokenKind::percent: {
      if (b.bits == 0) return std::nullopt;
      if (!is_signed) return same(kind == TokenKind::slash ? a.bits / b.bits : a.bits % b.bits);
      if (sb == -1) return same(kind == TokenKind::slash ? 0 - a.bits : 0);  // INT64_MIN / -1 would trap
      return same(static_cast<std::uint64_t>(kind == TokenKind::slash ? sa / sb : sa % sb));
    }
    default:
      return std::nullopt;
  }
}

class Evaluator {
 public:
  Evaluator(std::string_view text, std::span<const Token> tokens) : text_(text), tokens_(tokens) {}

  std::optional<Constant> whole() {
    auto value = conditional();
    if (position_ != tokens_.size()) return std::nullopt;
    return value;
  }

 private:
  [[nodiscard]] TokenKind peek(std::size_t ahead = 0) const {
    const std::size_t i = position_ + ahead;
    return i < tokens_.size() ? tokens_[i].kind() : TokenKind::end_of_text;
  }
  [[nodiscard]] std::string_view spelling() const {
    const Token& token = tokens_[position_];
    return text_.substr(token.begin, token.length());
  }

  std::optional<Constant> conditional() {
    if (++depth_ > deepest) return std::nullopt;
    auto value = binary(1);
    if (value && peek() == TokenKind::question) {
      ++position_;
      const auto yes = conditional();
      if (peek() != TokenKind::colon) return std::nullopt;
      ++position_;
      const auto no = conditional();
      value = is_true(*value) ? yes : no;
    }
    --depth_;
    return value;
  }

  std::optional<Constant> binary(int weakest) {
    auto left = unary();
    while (left) {
      const TokenKind kind = peek();
      const int strength = precedence(kind);
      if (strength < weakest || strength == 0) return left;
      ++position_;
      const auto right = binary(strength + 1);
      if (!right) return std::nullopt;
      left = apply(kind, *left, *right);
    }
    return std::nullopt;
  }

  // Operators before a value are read in a loop, then applied from the inside out.
  std::optional<Constant> unary() {
    const std::size_t first = position_;
    for (;;) {
      const TokenKind kind = peek();
      if (kind == TokenKind::plus || kind == TokenKind::minus || kind == TokenKind::exclamation ||
          kind == TokenKind::tilde) {
        ++position_;
      } else if (kind == TokenKind::lparen && peek(1) == TokenKind::type && peek(2) == TokenKind::rparen) {
        position_ += 3;
      } else {
        break;
      }
    }
    const std::size_t operators_end = position_;
    auto value = primary();
    for (std::size_t i = operators_end; value && i > first; --i) {
      if (tokens_[i - 1].kind() == TokenKind::rparen) {
        i -= 2;
        value = cast(*value, text_.substr(tokens_[i].begin, tokens_[i].length()));
      } else {
        value = apply_unary(tokens_[i - 1].kind(), *value);
      }
    }
    return value;
  }

  static std::optional<Constant> apply_unary(TokenKind kind, Constant value) {
    switch (kind) {
      case TokenKind::plus:
        return value;
      case TokenKind::minus:
        if (value.form == Form::single_float) {
          value.bits ^= 0x80000000U;
        } else if (value.form == Form::double_float) {
          value.bits ^= std::uint64_t{1} << 63U;
        } else {
          value.bits = 0 - value.bits;
        }
        return value;
      case TokenKind::exclamation:
        return of(static_cast<std::int64_t>(!is_true(value)));
      case TokenKind::tilde:
        if (!value.is_integer()) return std::nullopt;
        value.bits = ~value.bits;
        return value;
      default:
        return std::nullopt;
    }
  }

  static std::optional<Constant> cast(Constant value, std::string_view type) {
    if (type != ".s64" && type != ".u64") return std::nullopt;
    if (!value.is_integer()) {
      const double number = as_double(value);
      if (!(number > -9.2e18 && number < 9.2e18)) return std::nullopt;
      value = of(static_cast<std::int64_t>(number));
    }
    value.form = type == ".s64" ? Form::signed_integer : Form::unsigned_integer;
    return value;
  }

  std::optional<Constant> primary() {
    switch (peek()) {
      case TokenKind::integer: {
        const std::string_view literal = spelling();
        ++position_;
        if (peek() == TokenKind::lparen) return std::nullopt;  // `0xff00(x)`
        const std::uint64_t value = integer_value(literal);
        // Literals are .s64 unless they do not fit or say U.
        if (literal.back() == 'U' || value > static_cast<std::uint64_t>(INT64_MAX)) return of(value);
        return of(static_cast<std::int64_t>(value));
      }
      case TokenKind::floating: {
        const double value = floating_value(spelling());
        ++position_;
        return of(value);
      }
      case TokenKind::hex_floating: {
        const std::string_view literal = spelling();
        ++position_;
        return Constant{is_single_literal(literal) ? Form::single_float : Form::double_float,
                        hex_floating_bits(literal)};
      }
      case TokenKind::identifier:
        if (spelling() != "WARP_SZ") return std::nullopt;
        ++position_;
        return of(static_cast<std::int64_t>(warp_size));
      case TokenKind::lparen: {
        ++position_;
        const auto value = conditional();
        if (peek() != TokenKind::rparen) return std::nullopt;
        ++position_;
        return value;
      }
      default:
        return std::nullopt;
    }
  }

  static constexpr int deepest = 256;

  std::string_view text_;
  std::span<const Token> tokens_;
  std::size_t position_ = 0;
  int depth_ = 0;
};

}  // namespace

std::optional<Constant> evaluate(std::string_view text, std::span<const Token> tokens) {
  return Evaluator(text, tokens).whole();
}

}  // namespace ptxscope
