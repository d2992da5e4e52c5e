// The operands and effects of an instruction in words.
#pragma once

#include <string>

#include "isa/instructions.h"

namespace ptxscope::report {

/// "write": as JSON has it.
[[nodiscard]] std::string_view spelling(isa::Role role);
/// "of the first type"; "" where the table does not say.
[[nodiscard]] std::string_view describe(isa::OperandClass operand_class);
/// "1 written, of the first type; 2 and 3 read, of the first type".
[[nodiscard]] std::string operands_text(const isa::Instruction& row);
/// "reads memory, writes memory, has side effects"; "" for none.
[[nodiscard]] std::string effects_text(const isa::Instruction& row);

}  // namespace ptxscope::report
