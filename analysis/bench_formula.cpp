#include "analysis/bench_formula.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <numeric>

namespace ptxscope::analysis {

namespace {

constexpr std::size_t most_characters = 1000;
constexpr unsigned most_depth = 64;
constexpr std::size_t most_sizes = 256;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

std::optional<Fraction> reduced(std::int64_t over, std::int64_t under) {
  if (under == 0 || over == INT64_MIN || under == INT64_MIN) return std::nullopt;
  const std::int64_t divisor = std::gcd(over, under);
  if (divisor > 1) {
    over /= divisor;
    under /= divisor;
  }
  return under < 0 ? Fraction{-over, -under} : Fraction{over, under};
}

std::optional<Fraction> product(Fraction a, Fraction b) {
  // Across first, so that what fits is not lost on the way: (n/3)*3.
  const std::int64_t first = std::max<std::int64_t>(std::gcd(a.over, b.under), 1);
  const std::int64_t second = std::max<std::int64_t>(std::gcd(b.over, a.under), 1);
  std::int64_t over = 0;
  std::int64_t under = 0;
  if (__builtin_mul_overflow(a.over / first, b.over / second, &over) ||
      __builtin_mul_overflow(a.under / second, b.under / first, &under))
    return std::nullopt;
  return reduced(over, under);
}

std::optional<Fraction> sum(Fraction a, Fraction b) {
  std::int64_t left = 0;
  std::int64_t right = 0;
  std::int64_t over = 0;
  std::int64_t under = 0;
  if (__builtin_mul_overflow(a.over, b.under, &left) || __builtin_mul_overflow(b.over, a.under, &right) ||
      __builtin_add_overflow(left, right, &over) || __builtin_mul_overflow(a.under, b.under, &under))
    return std::nullopt;
  return reduced(over, under);
}

Fraction negated(Fraction a) { return {-a.over, a.under}; }

std::int64_t floor_of(Fraction a) {
  const std::int64_t quotient = a.over / a.under;
  return a.over % a.under < 0 ? quotient - 1 : quotient;
}

std::optional<Fraction> quotient(Fraction a, Fraction b) {
  if (b.over == 0) return std::nullopt;
  return product(a, b.over < 0 ? Fraction{-b.under, -b.over} : Fraction{b.under, b.over});
}

std::optional<Fraction> power_of(Fraction base, Fraction exponent) {
  if (exponent.under != 1 || exponent.over < 0 || exponent.over > 63) return std::nullopt;
  std::optional<Fraction> result = Fraction{1, 1};
  for (std::int64_t i = 0; i < exponent.over && result; ++i) result = product(*result, base);
  return result;
}

}  // namespace

std::optional<Fraction> Formula::apply(Operation operation, Fraction a, Fraction b) {
  switch (operation) {
    case Operation::add:
      return sum(a, b);
    case Operation::subtract:
      return sum(a, negated(b));
    case Operation::multiply:
      return product(a, b);
    case Operation::divide:
      return quotient(a, b);
    case Operation::remainder: {
      const auto times = quotient(a, b);
      const auto whole = times ? product({floor_of(*times), 1}, b) : std::nullopt;
      return whole ? sum(a, negated(*whole)) : std::nullopt;
    }
    case Operation::power:
      return power_of(a, b);
    case Operation::least:
    case Operation::most: {
      const auto difference = sum(a, negated(b));
      if (!difference) return std::nullopt;
      return (difference->over < 0) == (operation == Operation::least) ? a : b;
    }
    case Operation::negate:
      return negated(a);
    case Operation::ceil:
      return Fraction{-floor_of(negated(a)), 1};
    case Operation::floor:
      return Fraction{floor_of(a), 1};
    case Operation::number:
    case Operation::n:
    case Operation::block:
      break;
  }
  return std::nullopt;
}

std::optional<Fraction> Formula::value(const FormulaValues& values) const {
  if (values.n > INT64_MAX || values.block > INT64_MAX) return std::nullopt;
  std::vector<Fraction> stack;
  for (const Step& step : steps_) {
    switch (step.operation) {
      case Operation::number:
        stack.push_back(step.number);
        continue;
      case Operation::n:
        stack.push_back({static_cast<std::int64_t>(values.n), 1});
        continue;
      case Operation::block:
        stack.push_back({static_cast<std::int64_t>(values.block), 1});
        continue;
      default:
        break;
    }
    const bool is_unary =
        step.operation == Operation::negate || step.operation == Operation::ceil || step.operation == Operation::floor;
    Fraction second;
    if (!is_unary) {
      second = stack.back();
      stack.pop_back();
    }
    const auto result = apply(step.operation, stack.back(), second);
    if (!result) return std::nullopt;
    stack.back() = *result;
  }
  return stack.back();
}

std::optional<std::uint64_t> Formula::whole(const FormulaValues& values) const {
  const auto fraction = value(values);
  if (!fraction || fraction->over < 0) return std::nullopt;
  return static_cast<std::uint64_t>(floor_of(*fraction));
}

/// sum: product (+|- product)*; product: unary (*|/|% unary)*; unary: -unary | power; power: primary [^ unary].
class FormulaReader {
 public:
  FormulaReader(std::string_view text, FormulaNames names) : text_(text), names_(names) {}

  /// Reads as much as is a formula.
  std::optional<Formula> read() {
    const std::size_t begin = place_;
    formula_.steps_.clear();
    if (!read_sum()) return std::nullopt;
    formula_.text_ = std::string(text_.substr(begin, place_ - begin));
    return formula_;
  }
  [[nodiscard]] bool at_end() {
    skip_spaces();
    return place_ >= text_.size();
  }
  [[nodiscard]] char peek() {
    skip_spaces();
    return place_ < text_.size() ? text_[place_] : '\0';
  }
  bool take(char c) {
    if (peek() != c) return false;
    ++place_;
    return true;
  }
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::string unexpected() {
    return at_end() ? "it ends too early" : "unexpected \"" + std::string(text_.substr(place_, 20)) + "\"";
  }

 private:
  using Operation = Formula::Operation;

  bool fail(std::string reason) {
    if (error_.empty()) error_ = std::move(reason);
    return false;
  }
  void skip_spaces() {
    while (place_ < text_.size() && text_[place_] == ' ') ++place_;
  }
  void push(Operation operation) { formula_.steps_.push_back({operation, {}}); }

  bool read_sum() {
    if (++depth_ > most_depth) return fail("parentheses or powers nest too deeply");
    if (!read_product()) return false;
    for (;;) {
      const char c = peek();
      if (c != '+' && c != '-') break;
      ++place_;
      if (!read_product()) return false;
      push(c == '+' ? Operation::add : Operation::subtract);
    }
    --depth_;
    return true;
  }

  bool read_product() {
    if (!read_unary()) return false;
    for (;;) {
      const char c = peek();
      if (c != '*' && c != '/' && c != '%') return true;
      ++place_;
      if (!read_unary()) return false;
      push(c == '*' ? Operation::multiply : c == '/' ? Operation::divide : Operation::remainder);
    }
  }

  bool read_unary() {
    if (!take('-')) return read_power();
    if (++depth_ > most_depth) return fail("signs nest too deeply");
    if (!read_unary()) return false;
    push(Operation::negate);
    --depth_;
    return true;
  }

  bool read_power() {
    if (!read_primary()) return false;
    if (!take('^')) return true;
    if (++depth_ > most_depth) return fail("powers nest too deeply");
    if (!read_unary()) return false;
    push(Operation::power);
    --depth_;
    return true;
  }

  bool read_primary() {
    if (take('(')) return read_sum() && (take(')') || fail("a ) is missing"));
    const char c = peek();
    if (is_digit(c)) return read_number();
    if (is_letter(c)) return read_name();
    return fail(unexpected());
  }

  // 256, 0x100, 1.5, 1e6.
  bool read_number() {
    const char* const end = text_.data() + text_.size();
    const bool is_hexadecimal = text_.substr(place_).starts_with("0x");
    std::int64_t over = 0;
    std::int64_t under = 1;
    const char* const begin = text_.data() + place_ + (is_hexadecimal ? 2 : 0);
    auto [stop, error] = std::from_chars(begin, end, over, is_hexadecimal ? 16 : 10);
    const auto too_large = [this] { return fail("a number is too large"); };
    if (error == std::errc::result_out_of_range) return too_large();
    if (error != std::errc()) return fail(unexpected());
    if (!is_hexadecimal) {
      if (stop != end && *stop == '.')
        for (++stop; stop != end && is_digit(*stop); ++stop)
          if (__builtin_mul_overflow(over, 10, &over) || __builtin_add_overflow(over, *stop - '0', &over) ||
              __builtin_mul_overflow(under, 10, &under))
            return too_large();
      if (stop != end && *stop == 'e') {
        const char* const digits = stop + 1 + (stop + 1 != end && (stop[1] == '+' || stop[1] == '-') ? 1 : 0);
        unsigned exponent = 0;
        const auto [last, bad] = std::from_chars(digits, end, exponent);
        if (bad != std::errc()) return fail(unexpected());
        std::int64_t& scaled = stop[1] == '-' ? under : over;
        for (unsigned i = 0; i < std::min(exponent, 64U); ++i)
          if (__builtin_mul_overflow(scaled, 10, &scaled)) return too_large();
        stop = last;
      }
    }
    place_ = static_cast<std::size_t>(stop - text_.data());
    const auto number = reduced(over, under);
    if (!number) return too_large();
    formula_.steps_.push_back({Operation::number, *number});
    return true;
  }

  bool read_name() {
    const std::size_t begin = place_;
    while (place_ < text_.size() && (is_letter(text_[place_]) || is_digit(text_[place_]))) ++place_;
    const std::string_view name = text_.substr(begin, place_ - begin);
    const bool is_call = peek() == '(';
    if (is_call && (name == "ceil" || name == "floor")) {
      take('(');
      if (!read_sum()) return false;
      if (!take(')')) return fail("a ) is missing");
      push(name == "ceil" ? Operation::ceil : Operation::floor);
      return true;
    }
    if (is_call && (name == "min" || name == "max")) {
      take('(');
      if (!read_sum()) return false;
      if (peek() != ',')
        return fail(std::string(name) + " takes two or more values: " + std::string(name) + "(n, 256)");
      while (take(',')) {
        if (!read_sum()) return false;
        push(name == "min" ? Operation::least : Operation::most);
      }
      return take(')') || fail("a ) is missing");
    }
    if (!is_call && name == "n" && names_ != FormulaNames::none) {
      push(Operation::n);
      return true;
    }
    if (!is_call && name == "block" && names_ == FormulaNames::n_and_block) {
      push(Operation::block);
      return true;
    }
    return fail("there is no " + std::string(name) + (is_call ? "()" : "") + " here; there are " +
                (names_ == FormulaNames::none          ? ""
                 : names_ == FormulaNames::n_and_block ? "n (the size), block (threads of a block), "
                                                       : "n (the size), ") +
                "numbers, + - * / % ^, ceil(), floor(), min() and max()");
  }

  std::string_view text_;
  FormulaNames names_;
  std::size_t place_ = 0;
  unsigned depth_ = 0;
  Formula formula_;
  std::string error_;
};

FormulaResult read_formula(std::string_view text, FormulaNames names) {
  if (text.size() > most_characters) return {std::nullopt, "it is longer than a formula may be"};
  FormulaReader reader(text, names);
  auto formula = reader.read();
  if (!formula) return {std::nullopt, reader.error()};
  if (!reader.at_end()) return {std::nullopt, reader.unexpected()};
  return {std::move(formula), {}};
}

ExtentsResult read_extents(std::string_view text, FormulaNames names) {
  ExtentsResult result;
  for (Formula& axis : result.axes) axis = *read_formula("1", FormulaNames::none).formula;
  if (text.size() > most_characters) return {result.axes, "it is longer than a formula may be"};
  FormulaReader reader(text, names);
  for (Formula& axis : result.axes) {
    auto formula = reader.read();
    if (!formula) return {result.axes, reader.error()};
    axis = std::move(*formula);
    if (reader.at_end()) return result;
    if (!reader.take(',') && !reader.take('x')) return {result.axes, reader.unexpected()};
  }
  return {result.axes, "there are three axes at most"};
}

namespace {

struct WholeNumber {
  std::optional<std::uint64_t> value;
  std::string error;
};

WholeNumber whole_number(std::string_view text) {
  const FormulaResult read = read_formula(text, FormulaNames::none);
  if (!read.formula) return {std::nullopt, read.error};
  const auto fraction = read.formula->value({});
  if (!fraction || fraction->under != 1 || fraction->over < 1)
    return {std::nullopt, std::string(text) + " is no whole number from 1 to 2^62"};
  return {static_cast<std::uint64_t>(fraction->over), {}};
}

// "A..B", "A..B:4", "A..B:+500": into `sizes`; a sentence on failure.
std::string read_range(std::string_view text, std::size_t dots, std::vector<std::uint64_t>& sizes) {
  const std::size_t colon = std::min(text.find(':', dots), text.size());
  const WholeNumber first = whole_number(text.substr(0, dots));
  const WholeNumber last = whole_number(text.substr(dots + 2, colon - dots - 2));
  for (const WholeNumber* number : {&first, &last})
    if (!number->value) return number->error;
  if (*first.value > *last.value) return "the range goes from the lower size to the higher one";
  std::string_view step = colon < text.size() ? text.substr(colon + 1) : "2";
  const bool is_sum = step.starts_with('+');
  if (is_sum) step.remove_prefix(1);
  const WholeNumber by = whole_number(step);
  if (!by.value) return by.error;
  if (!is_sum && *by.value < 2) return "a range's factor is 2 or more; +1 is a step";
  for (std::uint64_t size = *first.value; size <= *last.value;) {
    if (sizes.size() >= most_sizes) return "that is more than " + std::to_string(most_sizes) + " sizes";
    sizes.push_back(size);
    if (is_sum ? __builtin_add_overflow(size, *by.value, &size) : __builtin_mul_overflow(size, *by.value, &size)) break;
  }
  return {};
}

}  // namespace

SizesResult read_sizes(std::string_view text) {
  SizesResult result;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, comma);
    const std::size_t dots = part.find("..");
    if (dots != std::string_view::npos) {
      result.error = read_range(part, dots, result.sizes);
    } else if (const WholeNumber number = whole_number(part); number.value) {
      result.sizes.push_back(*number.value);
    } else {
      result.error = number.error;
    }
    if (result.sizes.size() > most_sizes) result.error = "that is more than " + std::to_string(most_sizes) + " sizes";
    if (!result.error.empty()) return {{}, result.error};
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  std::vector<std::uint64_t> once;
  for (const std::uint64_t size : result.sizes)
    if (std::ranges::find(once, size) == once.end()) once.push_back(size);
  if (once.empty()) return {{}, "no size is given"};
  return {std::move(once), {}};
}

std::string size_text(std::uint64_t size) {
  const int shift = size == 0 ? 0 : std::countr_zero(size);
  const std::uint64_t factor = size >> shift;
  if (shift >= 10 && factor < 10)
    return (factor == 1 ? "" : std::to_string(factor) + "*") + "2^" + std::to_string(shift);
  return std::to_string(size);
}

}  // namespace ptxscope::analysis
