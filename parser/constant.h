// Constant expressions (PTX ISA 4.5): literals, casts, the operators of C.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include "parser/token.h"

namespace ptxscope {

/// The predefined constant WARP_SZ (PTX ISA 4.4).
inline constexpr std::uint64_t warp_size = 32;

struct Constant {
  enum class Form : std::uint8_t { signed_integer, unsigned_integer, single_float, double_float };
  Form form = Form::signed_integer;
  std::uint64_t bits = 0;  ///< of the value; a single_float in the low half

  [[nodiscard]] bool is_integer() const { return form == Form::signed_integer || form == Form::unsigned_integer; }
};

/// `123`, `0x1F`, `0777`, `0b101`, each with or without U. Values past 64 bits keep their low bits.
[[nodiscard]] std::uint64_t integer_value(std::string_view literal);
/// `1.5`, `.5`, `1e10`.
[[nodiscard]] double floating_value(std::string_view literal);
/// `0f3f800000` (bits in the low half), `0d3ff0000000000000`.
[[nodiscard]] std::uint64_t hex_floating_bits(std::string_view literal);
[[nodiscard]] inline bool is_single_literal(std::string_view literal) {
  return literal.size() == 10;  // 0f and 8 digits
}

/// The value; nullopt if there are names in it, a division by zero, or what is no expression.
[[nodiscard]] std::optional<Constant> evaluate(std::string_view text, std::span<const Token> tokens);

}  // namespace ptxscope
