// Which lines of the table hold for an opcode, found once for each spelling in a module: real modules have few. What
// depends on the operands is left open.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "isa/requirements.h"
#include "parser/module.h"

namespace ptxscope::analysis {

struct OpcodeClauses {
  bool is_known = false;  ///< the table has the mnemonic
  bool is_call = false;
  std::vector<const isa::Clause*> always;  ///< hold whatever the operands are
  /// Hold when the condition, which asks of operands alone, does.
  std::vector<std::pair<const isa::Clause*, isa::Condition>> by_operands;
};

class OpcodeClauseCache {
 public:
  explicit OpcodeClauseCache(const Module& module) : found_(module.opcode_count()), is_found_(module.opcode_count()) {}
  [[nodiscard]] const OpcodeClauses& find(const Statement& instruction);

 private:
  std::vector<OpcodeClauses> found_;  // by OpcodeId
  std::vector<bool> is_found_;
};

/// Where the opcode stands: behind the guard, modifiers included. Scans the statement again.
[[nodiscard]] Span opcode_span(const Statement& instruction);

}  // namespace ptxscope::analysis
