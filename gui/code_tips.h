// What the code view says of the place under the mouse, as rich text. The words come from report/.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <string_view>

#include "gui/places.h"
#include "gui/values.h"

namespace ptxscope::gui {

/// Plain text as a paragraph.
[[nodiscard]] QString tip_paragraph(const QString& text);
/// "%rd4, .u64, declared on line 20".
[[nodiscard]] QString tip_of_register(const Module& module, const Symbol& symbol);
[[nodiscard]] QString tip_of_value(const Module& module, const RegisterValue& value);
/// What an instruction does and needs; `all`: every form of it, not the first lines.
[[nodiscard]] QString tip_of_opcode(const Opcode& opcode, bool all);
/// An opcode: as above; a directive, a special register; a name: its declaration. Empty: nothing is known.
[[nodiscard]] QString tip_of_word(const Module& module, std::string_view word, const std::optional<SymbolPlace>& place,
                                  std::uint32_t statement, std::uint32_t offset);

}  // namespace ptxscope::gui
