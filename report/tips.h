// What an editor says of the place under the cursor: the same words in the viewer and in the language server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/places.h"
#include "parser/module.h"

namespace ptxscope::analysis {
class RegisterValues;
}

namespace ptxscope::report {

/// A sentence, or lines to be shown as they are, in a font of equal widths. Fit to be shown: nothing in it is a control.
struct TipPart {
  bool is_code = false;  ///< `text` is lines of code
  std::string text;      ///< may have several lines; no line end behind the last
};
using Tip = std::vector<TipPart>;  ///< parts one below the other

/// What a register holds, in words.
struct RegisterText {
  std::string text;                     ///< "a.ptr + 4*global.x"; empty: not known
  std::string reason;                   ///< why not
  std::uint32_t definition = no_index;  ///< the one statement whose write arrives there; no_index: several, or none
};

/// Just before that statement runs. analysis::may_ask() says of what this may be asked.
[[nodiscard]] RegisterText value_before(analysis::RegisterValues& values, std::uint32_t function, RegisterNumber reg,
                                        std::uint32_t statement);

/// "%rd4  .u64, declared on line 20".
[[nodiscard]] Tip tip_of_register(const Module& module, const analysis::SymbolId& symbol);
/// What the register holds, or why it is not known.
[[nodiscard]] Tip tip_of_value(const Module& module, const RegisterText& value);
/// What an instruction does and needs; `all`: every form of it, not the first lines.
[[nodiscard]] Tip tip_of_opcode(const Opcode& opcode, bool all);
/// An opcode: as above; a directive, a special register; a name: its declaration. Empty: nothing is known.
/// `word`: analysis::word_at(); `place`: the name there; `statement`: the one there.
[[nodiscard]] Tip tip_of_word(const Module& module, std::string_view word,
                              const std::optional<analysis::SymbolPlace>& place, std::uint32_t statement,
                              std::uint32_t offset);

}  // namespace ptxscope::report
