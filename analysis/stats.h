// Counts of a module, function by function: what docs/json.md calls stats. Plain data without references into the
// module, so that several files can be compared after each was let go.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/code_counts.h"
#include "analysis/liveness.h"
#include "analysis/stop.h"
#include "isa/instructions.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// How many categories of isa::Category there are.
inline constexpr std::size_t category_count = static_cast<std::size_t>(isa::Category::miscellaneous) + 1;

/// How often an opcode stands there: index into ModuleStats::opcodes.
struct OpcodeTally {
  std::uint32_t opcode = 0;  ///< into ModuleStats::opcodes
  std::uint64_t count = 0;   ///< how often
};

/// Memory operations of one kind ("ld.global": index into ModuleStats::memory_kinds) and width.
struct MemoryTally {
  std::uint32_t kind = 0;   ///< into ModuleStats::memory_kinds
  std::uint32_t bytes = 0;  ///< that one thread moves; 0: the opcode does not say
  std::uint64_t count = 0;  ///< how many of them
};

/// The numbers of one function, or of a module in all.
struct CodeStats {
  std::uint64_t instructions = 0;          ///< with guards that may not hold; labels and directives are none
  std::uint64_t branches = 0;              ///< bra and brx
  std::uint64_t conditional_branches = 0;  ///< of `branches`, those with a guard
  std::uint64_t calls = 0;                 ///< of functions
  std::uint64_t traps = 0;                 ///< of `trap` itself; calls that do not return are `calls`
  std::uint64_t barriers = 0;              ///< of Category::barrier
  std::uint64_t unknown_instructions = 0;  ///< not in the tables: counted as instructions and as nothing else
  std::uint64_t blocks = 0;                ///< basic blocks, as build_cfg() has them
  std::uint64_t loops = 0;                 ///< natural loops
  std::uint32_t max_loop_depth = 0;        ///< 1: loops, none of them in another; 0: no loop
  /// Of its own variables and of the module's that it names; the size of dynamic memory apart.
  std::uint64_t shared_bytes = 0;
  std::uint64_t local_bytes = 0;  ///< of `.local` variables, likewise
  bool dynamic_shared = false;    ///< also names shared memory whose size the launch gives (`.extern .shared x[]`)
  RegisterCounts declared{};      ///< registers declared, by RegisterClass
  RegisterCounts used{};          ///< occur in an instruction
  /// In 32-bit registers, and predicates apart; nullopt: the function is too large for it. Of a total: the largest.
  std::optional<std::uint32_t> max_live = 0;
  std::optional<std::uint32_t> max_live_predicates = 0;     ///< as max_live; each of the two at its own place
  std::uint32_t max_live_line = 0;                          ///< 0: nothing is live anywhere
  std::array<std::uint64_t, category_count> by_category{};  ///< instructions, by isa::Category
  std::vector<OpcodeTally> by_opcode;                       ///< ascending by opcode
  std::vector<MemoryTally> memory;                          ///< ascending by kind, then bytes
};

/// A function and its numbers.
struct FunctionStats {
  std::uint32_t function = 0;              ///< index into Module::functions
  std::string name;                        ///< as in the PTX
  FunctionKind kind = FunctionKind::func;  ///< entry or func
  std::uint32_t line = 0;                  ///< of its header, from 1
  CodeStats counts;                        ///< of its body; parameters are not counted
};

/// A module's numbers, function by function.
struct ModuleStats {
  std::string file;                       ///< its name as given
  std::vector<std::string> opcodes;       ///< spellings, for OpcodeTally::opcode
  std::vector<std::string> memory_kinds;  ///< "ld.global", for MemoryTally::kind
  std::vector<FunctionStats> functions;   ///< those with a body, in the order of the text
  CodeStats totals;                       ///< sums; of max_live and max_loop_depth the largest
  std::string max_live_function;          ///< where the totals' max_live is
  std::vector<std::string> unmatched;     ///< patterns that name no function with a body
};

/// `patterns` as in matches_name(); none: all functions. `jobs`: threads that may work at it; the numbers are the same.
[[nodiscard]] ModuleStats count_module(const Module& module, std::span<const std::string> patterns = {},
                                       unsigned jobs = 1, StopFlag stop = nullptr);

}  // namespace ptxscope::analysis
