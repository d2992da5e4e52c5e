// What the grammar says about one shape (sequence of token kinds): which token fills which slot of which node.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "parser/module.h"
#include "parser/token.h"

namespace ptxscope {

/// One step of building a statement. `first` and `last` are token numbers within the statement.
enum class StepKind : std::uint8_t {
  // Operands: each gives exactly one operand record, in this order.
  name,    ///< register or other name, with its selector
  symbol,  ///< a name that is never a register (a branch target)
  integer,
  floating,  ///< decimal
  hex_floating,
  sink,
  string,
  composite,           ///< `operand` says which; its children are other steps
  address_name,        ///< `[name]`
  address_offset,      ///< `[name+12]`, `[name-12]`, `[name+-12]`: name at first, number at last
  address_expression,  ///< anything else in `[…]`: the tokens from first to last
  expression,          ///< the tokens from first to last
  // Declarations
  linkage,
  space,
  alignment,
  vector_width,
  type,
  pointer,
  pointer_space,
  pointer_alignment,
  declarator,      ///< first: the name; opens a declarator
  range,           ///< `<100>`
  dimension,       ///< `[expression]`
  open_dimension,  ///< `[]`
  initializer,
  end_declarator,  ///< last: the last token of the declarator
  // Function headers
  function_kind,
  function_name,
  return_parameters,
  parameters,
  end_parameters,
  directive,        ///< the word at first
  directive_value,  ///< an expression from first to last
  end_directive,    ///< last: its last token
};

struct Step {
  StepKind kind = StepKind::sink;
  OperandKind operand = OperandKind::sink;
  bool negated = false;
  bool last_of_list = false;  ///< of the statement's operands
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  std::uint32_t count = 0;     ///< composite: number of children …
  std::uint32_t children = 0;  ///< … and the step of the first
};

struct Plan {
  StatementKind kind = StatementKind::unparsed;
  bool accepted = false;
  bool has_guard = false;  ///< the first step is the guard predicate
  bool negated_guard = false;
  bool has_lists = false;          ///< some step is a call list (or a parenthesised constant)
  std::uint32_t opcode_first = 0;  ///< tokens of the opcode
  std::uint32_t opcode_last = 0;
  std::uint32_t operand_steps = 0;  ///< the first so many steps give operands
  std::vector<Step> steps;

  // Where not accepted:
  bool too_deep = false;          ///< nested deeper than we ask the grammar about
  std::uint32_t error_token = 0;  ///< the first token that does not fit (may be one past the last)
};

/// The generated parser. Made when the first shape is asked for, since that costs time.
class Grammar {
 public:
  Grammar();
  ~Grammar();
  Grammar(Grammar&&) noexcept;
  Grammar& operator=(Grammar&&) noexcept;

  /// The kinds are those of one statement.
  [[nodiscard]] Plan read_plan(std::span<const TokenKind> kinds);

  /// What may come after the first tokens of a statement, in words: "';' or ','".
  [[nodiscard]] std::string expected_after(std::span<const TokenKind> prefix);

 private:
  struct Parser;
  std::unique_ptr<Parser> parser_;
};

}  // namespace ptxscope
