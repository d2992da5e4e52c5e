#include "analysis/diff_spelling.h"

#include <algorithm>

namespace ptxscope::analysis::diff {

namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

}  // namespace

Spelling spelling_of(const Opcode& opcode) {
  if (opcode.modifiers.empty()) return {};
  const std::string_view word = opcode.modifiers.back();
  const unsigned bytes = size_of(type_from(word));
  const char kind = word.empty() ? ' ' : word.front();
  const bool is_scalar =
      is_one_of(word, {"b8", "b16", "b32", "b64", "u8", "u16", "u32", "u64", "s8", "s16", "s32", "s64", "f32", "f64"});
  if (!is_scalar) return {};
  // The first word where there are two, the type being the other.
  const std::string_view first = opcode.modifiers.size() == 2 ? opcode.modifiers[0] : std::string_view();
  const bool is_integer = kind == 'u' || kind == 's';
  const std::string_view name = opcode.mnemonic;
  Spelling out;
  if (is_one_of(name, {"ld", "ldu", "st"})) {
    // PTX ISA 9.4.1: into a wider register `.s` is extended by its sign, `.u` and `.b` by zeros; `.f` takes no other width.
    if (kind == 's' || kind == 'f') out.exact_places = name == "st" ? 2 : 1;
  } else if (is_one_of(name, {"mov", "selp"})) {
    if (opcode.modifiers.size() != 1) return {};
    out.exact_places = name == "mov" ? 3 : 7;
  } else if (is_one_of(name, {"add", "sub"})) {
    // In two's complement the bits are the same; not with `.sat` or carry.
    if (opcode.modifiers.size() != 1 || !is_integer) return {};
  } else if (is_one_of(name, {"mul", "mad"})) {
    if (first != "lo" || !is_integer) return {};
  } else if (name == "setp") {
    if (!is_one_of(first, {"eq", "ne"}) || kind == 'f') return {};
  } else if (name == "shr") {
    // PTX ISA 9.7.8: untyped shifts fill with zeros, as unsigned ones do.
    if (opcode.modifiers.size() != 1 || kind == 's') return {};
  } else {
    return {};
  }
  if (out.exact_places != 0) out.exact_bytes = static_cast<std::uint8_t>(bytes);
  out.common = opcode.text.substr(0, opcode.text.size() - word.size()) + std::to_string(8 * bytes) + " bits";
  return out;
}

}  // namespace ptxscope::analysis::diff
