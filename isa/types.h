// The type words that stand as modifiers in opcodes: fundamental, packed, alternate and sub-byte types (PTX ISA 5.2).
#pragma once

#include <cstdint>
#include <string_view>

namespace ptxscope::isa {

enum class TypeKind : std::uint8_t {
  none,  ///< not a type word
  predicate,
  untyped,   ///< .b8 … .b128
  integer,   ///< .u8 … .s64
  floating,  ///< .f16, .f32, .f64
  packed,    ///< everything carried in untyped registers: .f16x2, .bf16, .tf32, .e4m3x2, .u8x4, …
};

struct TypeWord {
  TypeKind kind = TypeKind::none;
  std::uint8_t bits = 0;  ///< of the register that carries it; 1 for predicates
};

/// "f32" (no dot). Kind none when it is not a type word.
[[nodiscard]] TypeWord find_type(std::string_view word);

}  // namespace ptxscope::isa
