// Opcodes that do the same with the same bits, though their type words differ: `ld.param.u64` and `ld.param.b64` into a
// register of 64 bits. Compilers change these words from one version, or target, to the next.
#pragma once

#include <cstdint>
#include <string>

#include "parser/module.h"

namespace ptxscope::analysis::diff {

struct Spelling {
  std::string common;  ///< the same for all that do the same, and no opcode's text; empty: there is no other one
  std::uint8_t exact_bytes = 0;   ///< only with operands of this size; 0: always
  std::uint8_t exact_places = 0;  ///< which operands that is about, a bit each
};

[[nodiscard]] Spelling spelling_of(const Opcode& opcode);

}  // namespace ptxscope::analysis::diff
