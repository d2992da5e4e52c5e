// Numbers as people write them on a command line, as the bits of a parameter.
#include <bit>
#include <charconv>
#include <system_error>

#include "analysis/launch.h"
#include "analysis/opcode_forms.h"

namespace ptxscope::analysis {
namespace {

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> floating_bits(std::string_view text, unsigned bytes) {
  if (bytes == 4) {
    const auto value = number<float>(text);
    return value ? std::optional<std::uint64_t>(std::bit_cast<std::uint32_t>(*value)) : std::nullopt;
  }
  if (bytes == 8) {
    const auto value = number<double>(text);
    return value ? std::optional(std::bit_cast<std::uint64_t>(*value)) : std::nullopt;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> argument_bits(std::string_view text, Type type, unsigned bytes) {
  if (bytes == 0 || bytes > 8) return std::nullopt;
  if (text.starts_with('+')) text.remove_prefix(1);
  const bool negative = text.starts_with('-');
  const std::string_view digits = text.substr(negative ? 1 : 0);
  const bool hexadecimal = digits.starts_with("0x") || digits.starts_with("0X");
  const bool floating_type = type == Type::f32 || type == Type::f64;
  if (!hexadecimal && !is_integer(type) && (floating_type || digits.find_first_of(".eEnN") != std::string_view::npos)) {
    return floating_bits(text, bytes);
  }
  std::uint64_t value = 0;
  const std::string_view body = hexadecimal ? digits.substr(2) : digits;
  const auto [end, error] = std::from_chars(body.data(), body.data() + body.size(), value, hexadecimal ? 16 : 10);
  if (error != std::errc() || end != body.data() + body.size()) return std::nullopt;
  const unsigned bits = 8 * bytes;
  const std::uint64_t most = bits == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
  if (negative) {
    if (value > std::uint64_t{1} << (bits - 1)) return std::nullopt;
    return (0 - value) & most;
  }
  return value <= most ? std::optional(value) : std::nullopt;
}

}  // namespace ptxscope::analysis
