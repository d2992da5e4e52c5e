#include "analysis/bench_data.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "analysis/launch.h"

namespace ptxscope::analysis {

namespace {

constexpr std::array element_type_list{Type::f16, Type::bf16, Type::f32, Type::f64, Type::b8,  Type::u8,
                                       Type::s8,  Type::b16,  Type::u16, Type::s16, Type::b32, Type::u32,
                                       Type::s32, Type::b64,  Type::u64, Type::s64};

bool is_signed_integer(Type type) {
  return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}

std::uint64_t mask_of(Type type) {
  const unsigned bits = 8 * size_of(type);
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}

// A binary format of 16 bits: sign, exponent, fraction.
struct Half {
  int fraction_bits;
  int exponent_bits;
  [[nodiscard]] int bias() const { return (1 << (exponent_bits - 1)) - 1; }
};
constexpr Half ieee_half{10, 5};
constexpr Half brain_half{7, 8};

std::uint64_t half_bits(double value, Half half) {
  const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
  const std::uint64_t exponent_ones = ((std::uint64_t{1} << half.exponent_bits) - 1) << half.fraction_bits;
  if (std::isnan(value)) return sign | exponent_ones | (std::uint64_t{1} << (half.fraction_bits - 1));
  value = std::abs(value);
  if (std::isinf(value)) return sign | exponent_ones;
  if (value == 0) return sign;
  int exponent = 0;
  std::frexp(value, &exponent);  // value = m * 2^exponent, 0.5 <= m < 1
  // Below the smallest normal number the spacing stays the same. nearbyint rounds to even, as the hardware does.
  const int lowest = 1 - half.bias();
  const int scale = std::max(exponent - 1, lowest) - half.fraction_bits;
  const double steps = std::nearbyint(std::ldexp(value, -scale));
  const auto fraction = static_cast<std::uint64_t>(steps);
  const auto biased = static_cast<std::uint64_t>(std::max(exponent - 1, lowest) + half.bias() - 1);
  // The leading one of a normal number carries into the exponent, also where rounding made it larger.
  return sign | std::min(exponent_ones, (biased << half.fraction_bits) + fraction);
}

double half_value(std::uint64_t bits, Half half) {
  const auto fraction = static_cast<double>(bits & ((std::uint64_t{1} << half.fraction_bits) - 1));
  const auto exponent = static_cast<int>((bits >> half.fraction_bits) & ((std::uint64_t{1} << half.exponent_bits) - 1));
  const double leading = std::ldexp(1.0, half.fraction_bits);
  double value = 0;
  if (exponent == (1 << half.exponent_bits) - 1)
    value = fraction == 0 ? std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  else if (exponent == 0) value = std::ldexp(fraction, 1 - half.bias() - half.fraction_bits);
  else value = std::ldexp(leading + fraction, exponent - half.bias() - half.fraction_bits);
  return (bits & 0x8000) != 0 ? -value : value;
}

std::uint64_t load(const std::byte* from, unsigned bytes) {
  std::uint64_t bits = 0;
  std::memcpy(&bits, from, bytes);  // little-endian, as the GPU's memory is
  return bits;
}

void store(std::uint64_t bits, unsigned bytes, std::byte* to) { std::memcpy(to, &bits, bytes); }

// splitmix64 by Steele, Lea and Flood, as a function of the index: any part of a buffer can be made by itself.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
  std::uint64_t z = seed * 0xd1342543de82ef95U + (index + 1) * 0x9e3779b97f4a7c15U;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

double unit(std::uint64_t bits) { return static_cast<double>(bits >> 11U) * 0x1p-53; }

std::uint64_t integer_bits(double value, Type type) {
  if (std::isnan(value)) return 0;
  const double limit = std::ldexp(1.0, static_cast<int>(8 * size_of(type)) - (is_signed_integer(type) ? 1 : 0));
  if (is_signed_integer(type)) {
    if (value >= limit) return mask_of(type) >> 1U;
    if (value <= -limit) return (mask_of(type) >> 1U) + 1;
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)) & mask_of(type);
  }
  if (value >= limit) return mask_of(type);
  return value <= 0 ? 0 : static_cast<std::uint64_t>(value);
}

template <typename Float>
std::string shortest(Float value) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() ? std::string(text.data(), end) : "?";
}

double distance(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b) ? 0 : std::numeric_limits<double>::infinity();
  if (a == b) return 0;
  if (std::isinf(a) || std::isinf(b)) return std::numeric_limits<double>::infinity();
  return std::abs(a - b) / std::max({std::abs(a), std::abs(b), 1.0});
}

}  // namespace

bool is_element_type(Type type) {
  return std::find(element_type_list.begin(), element_type_list.end(), type) != element_type_list.end();
}

std::string element_types() {
  std::string text;
  for (const Type type : element_type_list) text += (text.empty() ? "" : ", ") + std::string(spelling(type));
  return text;
}

bool is_floating(Type type) {
  return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f64;
}

std::optional<std::uint64_t> element_bits(std::string_view text, Type type) {
  if (type != Type::f16 && type != Type::bf16) return argument_bits(text, type, size_of(type));
  const auto bits = argument_bits(text, Type::f64, 8);
  if (!bits) return std::nullopt;
  if (text.find("0x") != std::string_view::npos || text.find("0X") != std::string_view::npos)
    return *bits <= 0xffff ? bits : std::nullopt;  // 0x gives the bits
  return element_bits(std::bit_cast<double>(*bits), type);
}

std::uint64_t element_bits(double value, Type type) {
  switch (type) {
    case Type::f16:
      return half_bits(value, ieee_half);
    case Type::bf16:
      return half_bits(value, brain_half);
    case Type::f32:
      return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    case Type::f64:
      return std::bit_cast<std::uint64_t>(value);
    default:
      return integer_bits(value, type);
  }
}

double element_value(std::uint64_t bits, Type type) {
  switch (type) {
    case Type::f16:
      return half_value(bits, ieee_half);
    case Type::bf16:
      return half_value(bits, brain_half);
    case Type::f32:
      return std::bit_cast<float>(static_cast<std::uint32_t>(bits));
    case Type::f64:
      return std::bit_cast<double>(bits);
    default:
      break;
  }
  if (!is_signed_integer(type)) return static_cast<double>(bits);
  const unsigned unused = 64 - 8 * size_of(type);
  return static_cast<double>(static_cast<std::int64_t>(bits << unused) >> unused);
}

std::string element_text(std::uint64_t bits, Type type) {
  if (type == Type::f64) return shortest(element_value(bits, type));
  if (is_floating(type)) return shortest(static_cast<float>(element_value(bits, type)));
  if (!is_signed_integer(type)) return std::to_string(bits);
  const unsigned unused = 64 - 8 * size_of(type);
  return std::to_string(static_cast<std::int64_t>(bits << unused) >> unused);
}

Fill random_fill(Type type) { return {Fill::Kind::random, 0, 0, is_floating(type) ? 1.0 : 100.0}; }

void fill_elements(const Fill& fill, Type type, std::uint64_t seed, std::uint64_t first, std::span<std::byte> bytes) {
  const unsigned width = size_of(type);
  const std::uint64_t count = bytes.size() / width;
  const bool floating = is_floating(type);
  for (std::uint64_t i = 0; i < count; ++i) {
    std::uint64_t bits = 0;
    switch (fill.kind) {
      case Fill::Kind::zero:
        break;
      case Fill::Kind::value:
        bits = fill.bits;
        break;
      case Fill::Kind::iota:
        bits = floating ? element_bits(static_cast<double>(first + i), type) : (first + i) & mask_of(type);
        break;
      case Fill::Kind::random: {
        const double value = fill.low + (fill.high - fill.low) * unit(random_bits(seed, first + i));
        bits = element_bits(floating ? value : std::floor(value), type);
        break;
      }
    }
    store(bits, width, bytes.data() + i * width);
  }
}

double default_tolerance(Type type) {
  switch (type) {
    case Type::f16:
      return 2e-3;
    case Type::bf16:
      return 2e-2;
    case Type::f32:
      return 1e-6;
    case Type::f64:
      return 1e-14;
    default:
      return 0;
  }
}

void compare_elements(Type type, double tolerance, std::uint64_t first, std::span<const std::byte> a,
                      std::span<const std::byte> b, Difference& difference) {
  const unsigned width = size_of(type);
  const std::uint64_t count = std::min(a.size(), b.size()) / width;
  const bool exact = !is_floating(type);
  difference.compared += count;
  if (std::memcmp(a.data(), b.data(), count * width) == 0) return;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t left = load(a.data() + i * width, width);
    const std::uint64_t right = load(b.data() + i * width, width);
    if (left == right) continue;
    const double apart = exact ? std::abs(element_value(left, type) - element_value(right, type))
                               : distance(element_value(left, type), element_value(right, type));
    if (!exact && apart <= tolerance) continue;
    if (difference.different == 0) difference.first = first + i;
    if (difference.different == 0 || apart > difference.worst_distance) {
      difference.worst = first + i;
      difference.worst_distance = apart;
      difference.worst_a = element_text(left, type);
      difference.worst_b = element_text(right, type);
    }
    ++difference.different;
  }
}

}  // namespace ptxscope::analysis
