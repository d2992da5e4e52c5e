// What each piece of a line of PTX is, for its colour. Opcodes by the instruction tables, special registers by theirs.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "gui/theme.h"
#include "parser/module.h"

namespace ptxscope::gui {

struct SyntaxRun {
  std::uint32_t begin = 0, end = 0;  ///< bytes of the line
  SyntaxRole role = SyntaxRole::text;
};

/// Where a line begins.
struct LineState {
  bool in_comment = false;       ///< inside `/* … */`
  bool starts_statement = true;  ///< false: the statement before goes on
};

/// The runs of one line, in order; what is between them is plain text. Of a very long line the first `limit` bytes.
[[nodiscard]] std::vector<SyntaxRun> syntax_of(std::string_view line, LineState state, std::size_t limit = 20'000);

/// The colour of an opcode ("ld.global.f32").
[[nodiscard]] SyntaxRole role_of_opcode(std::string_view opcode);

/// The whole word at a byte of the line: "ld.global.f32", "%tid.x", ".maxntid", "$L__BB0_2". Empty: none there.
[[nodiscard]] std::string_view word_at(std::string_view line, std::size_t at);

}  // namespace ptxscope::gui
