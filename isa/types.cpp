#include "isa/types.h"

#include <array>
#include <cstddef>

namespace ptxscope::isa {

namespace {

struct Row {
  std::string_view word;
  TypeKind kind;
  std::uint8_t bits;
};

// Ordered by frequency in compiled code: the search is linear, and most words are found within the first few.
constexpr std::array rows = {
    Row{"b32", TypeKind::untyped, 32},    Row{"f32", TypeKind::floating, 32},  Row{"s32", TypeKind::integer, 32},
    Row{"u32", TypeKind::integer, 32},    Row{"u64", TypeKind::integer, 64},   Row{"s64", TypeKind::integer, 64},
    Row{"b64", TypeKind::untyped, 64},    Row{"f64", TypeKind::floating, 64},  Row{"pred", TypeKind::predicate, 1},
    Row{"u16", TypeKind::integer, 16},    Row{"s16", TypeKind::integer, 16},   Row{"b16", TypeKind::untyped, 16},
    Row{"u8", TypeKind::integer, 8},      Row{"s8", TypeKind::integer, 8},     Row{"b8", TypeKind::untyped, 8},
    Row{"f16", TypeKind::floating, 16},   Row{"f16x2", TypeKind::packed, 32},  Row{"bf16", TypeKind::packed, 16},
    Row{"bf16x2", TypeKind::packed, 32},  Row{"b128", TypeKind::untyped, 128}, Row{"tf32", TypeKind::packed, 32},
    Row{"f32x2", TypeKind::packed, 64},   Row{"u16x2", TypeKind::packed, 32},  Row{"s16x2", TypeKind::packed, 32},
    Row{"u8x4", TypeKind::packed, 32},    Row{"s8x4", TypeKind::packed, 32},   Row{"e4m3x2", TypeKind::packed, 16},
    Row{"e5m2x2", TypeKind::packed, 16},  Row{"e4m3x4", TypeKind::packed, 32}, Row{"e5m2x4", TypeKind::packed, 32},
    Row{"e2m3x2", TypeKind::packed, 16},  Row{"e3m2x2", TypeKind::packed, 16}, Row{"e2m3x4", TypeKind::packed, 32},
    Row{"e3m2x4", TypeKind::packed, 32},  Row{"e2m1x2", TypeKind::packed, 8},  Row{"e2m1x4", TypeKind::packed, 16},
    Row{"ue8m0x2", TypeKind::packed, 16}, Row{"e4m3", TypeKind::packed, 32},   Row{"e5m2", TypeKind::packed, 32},
    Row{"e2m3", TypeKind::packed, 32},    Row{"e3m2", TypeKind::packed, 32},   Row{"e2m1", TypeKind::packed, 32},
    Row{"ue8m0", TypeKind::packed, 32},   Row{"ue4m3", TypeKind::packed, 32},  Row{"u4", TypeKind::packed, 32},
    Row{"s4", TypeKind::packed, 32},      Row{"u2", TypeKind::packed, 32},     Row{"s2", TypeKind::packed, 32},
    Row{"b1", TypeKind::packed, 32},      Row{"s2f6x2", TypeKind::packed, 16}, Row{"b1024", TypeKind::packed, 0},
    Row{"ue5m3x2", TypeKind::packed, 16},
};

}  // namespace

TypeWord find_type(std::string_view word) {
  if (word.size() < 2 || word.size() > 7) return {};
  for (const Row& row : rows)
    if (row.word == word) return {row.kind, row.bits};
  return {};
}

}  // namespace ptxscope::isa
