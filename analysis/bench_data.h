// What is in the buffers of a measurement: filled before, compared after.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Whether a buffer may have elements of that type: numbers of 8 to 64 bits.
[[nodiscard]] bool is_element_type(Type type);
/// "f32, u32, …": those types.
[[nodiscard]] std::string element_types();
/// Of those: f16, bf16, f32, f64.
[[nodiscard]] bool is_floating(Type type);

/// The bits of a number of that type: 512, -1, 0x1f, 1.5, nan (halves too). nullopt: not one.
[[nodiscard]] std::optional<std::uint64_t> element_bits(std::string_view text, Type type);
/// The nearest number of that type; of an integer type, cut towards zero.
[[nodiscard]] std::uint64_t element_bits(double value, Type type);
/// The number that those bits are; of 64-bit integers the nearest double.
[[nodiscard]] double element_value(std::uint64_t bits, Type type);
/// "1.5", "-3", "nan": with all digits that tell it from its neighbours.
[[nodiscard]] std::string element_text(std::uint64_t bits, Type type);

/// What a buffer holds before each launch that may write to it.
struct Fill {
  /// Numbers from a generator; all bits 0; 0, 1, 2, … by index; one number everywhere.
  enum class Kind : std::uint8_t { random, zero, iota, value };
  Kind kind = Kind::random;  ///< which of the members below mean something
  std::uint64_t bits = 0;    ///< of value
  double low = 0;            ///< of random: the lowest
  double high = 0;           ///< of random: above all
};
/// The default: floating-point in [0, 1), integers in [0, 100).
[[nodiscard]] Fill random_fill(Type type);

/// Elements from index `first` on. The same seed, index and fill give the same element, whatever is filled at a time.
void fill_elements(const Fill& fill, Type type, std::uint64_t seed, std::uint64_t first, std::span<std::byte> bytes);

/// How far two results of one buffer are apart.
struct Difference {
  std::uint64_t compared = 0;   ///< elements
  std::uint64_t different = 0;  ///< further apart than the tolerance
  std::uint64_t first = 0;      ///< index of the first one
  std::uint64_t worst = 0;      ///< index of the one furthest apart
  double worst_distance = 0;    ///< of that one; infinite where just one of the two is not a number
  std::string worst_a;          ///< that element of A, as element_text()
  std::string worst_b;          ///< and of B
};
/// How large |a-b| / max(|a|, |b|, 1) may be: 0 for integers whatever is asked for; by default about the rounding of a
/// few operations.
[[nodiscard]] double default_tolerance(Type type);
/// Adds what stands in `a` and `b`, whose first elements have index `first`. Equal bits are equal, two NaNs too.
void compare_elements(Type type, double tolerance, std::uint64_t first, std::span<const std::byte> a,
                      std::span<const std::byte> b, Difference& difference);

}  // namespace ptxscope::analysis
