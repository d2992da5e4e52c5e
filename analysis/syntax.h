// What each piece of a line of PTX is, as editors colour it. Opcodes by the instruction tables, special registers by theirs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "analysis/outline.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What a piece of PTX is.
enum class SyntaxRole : std::uint8_t {
  text,        ///< nothing to be coloured
  comment,     ///< `// …` or `/* … */`
  directive,   ///< with its dot
  label,       ///< with its colon where it stands; any name that begins with $L
  type,        ///< modifiers and type words
  reg,         ///< of any kind, declared or not
  special,     ///< special registers
  number,      ///< of any form
  string,      ///< with its quotes
  name,        ///< of a variable, a function or a label that is used
  unknown,     ///< an opcode that the tables do not know, or text that did not parse
  arithmetic,  ///< opcodes, by what the table says they do
  memory,      ///< loads, stores, atomics, textures
  control,     ///< branches, calls, ret, exit
  barrier,     ///< barriers, fences and waits
  matrix,      ///< wmma, mma, wgmma, tcgen05
  trap,        ///< `trap` itself
};
/// How many roles there are.
inline constexpr std::size_t syntax_role_count = static_cast<std::size_t>(SyntaxRole::trap) + 1;

/// A piece of a line.
struct SyntaxRun {
  std::uint32_t begin = 0;             ///< offset in the line
  std::uint32_t end = 0;               ///< behind its last byte
  SyntaxRole role = SyntaxRole::text;  ///< what it is
};

/// Where a line begins.
struct LineState {
  bool in_comment = false;       ///< inside `/* … */`
  bool starts_statement = true;  ///< false: the statement before goes on
};

/// Of the line that begins at that byte of the module.
[[nodiscard]] LineState state_of_line(const Module& module, const Outline& outline, std::uint32_t begin);

/// The runs of one line, in order; what is between them is plain text. Of a very long line the first `limit` bytes.
[[nodiscard]] std::vector<SyntaxRun> syntax_of(std::string_view line, LineState state, std::size_t limit = 20'000);

/// What an opcode is ("ld.global.f32").
[[nodiscard]] SyntaxRole role_of_opcode(std::string_view opcode);

/// The whole word at a byte of the line: "ld.global.f32", "%tid.x", ".maxntid", "$L__BB0_2". Empty: none there.
[[nodiscard]] std::string_view word_at(std::string_view line, std::size_t at);

}  // namespace ptxscope::analysis
