// The manual's words for types, state spaces and selectors.
#include <array>

#include "parser/module.h"

namespace ptxscope {
namespace {

struct TypeRow {
  std::string_view word;
  unsigned size;
};

// In the order of the enumeration.
constexpr std::array types = {
    TypeRow{"", 0},      TypeRow{"pred", 0},   TypeRow{"b8", 1},         TypeRow{"u8", 1},      TypeRow{"s8", 1},
    TypeRow{"b16", 2},   TypeRow{"u16", 2},    TypeRow{"s16", 2},        TypeRow{"f16", 2},     TypeRow{"f16x2", 4},
    TypeRow{"bf16", 2},  TypeRow{"bf16x2", 4}, TypeRow{"b32", 4},        TypeRow{"u32", 4},     TypeRow{"s32", 4},
    TypeRow{"f32", 4},   TypeRow{"b64", 8},    TypeRow{"u64", 8},        TypeRow{"s64", 8},     TypeRow{"f64", 8},
    TypeRow{"b128", 16}, TypeRow{"texref", 0}, TypeRow{"samplerref", 0}, TypeRow{"surfref", 0}, TypeRow{"other", 0},
};
static_assert(types.size() == static_cast<std::size_t>(Type::other) + 1);

constexpr std::array<std::string_view, 9> spaces = {"",      "reg",   "sreg",   "const", "global",
                                                    "local", "param", "shared", "tex"};
static_assert(spaces.size() == static_cast<std::size_t>(StateSpace::tex) + 1);

constexpr std::array<std::string_view, 16> selectors = {"",  "x",  "y",  "z",  "w",  "r",  "g",  "b",
                                                        "a", "b0", "b1", "b2", "b3", "h0", "h1", "other"};
static_assert(selectors.size() == static_cast<std::size_t>(Selector::other) + 1);

}  // namespace

unsigned size_of(Type type) { return types[static_cast<std::size_t>(type)].size; }

std::string_view spelling(Type type) { return types[static_cast<std::size_t>(type)].word; }

Type type_from(std::string_view word) {
  for (std::size_t i = 1; i < static_cast<std::size_t>(Type::other); ++i) {
    if (types[i].word == word) return static_cast<Type>(i);
  }
  return Type::none;
}

std::string_view spelling(StateSpace space) { return spaces[static_cast<std::size_t>(space)]; }
std::string_view spelling(Selector selector) { return selectors[static_cast<std::size_t>(selector)]; }

}  // namespace ptxscope
