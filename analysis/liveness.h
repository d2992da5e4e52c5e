// Live registers: how many a block needs from before it, how many there are at most at one place in it, and, where
// asked for, from where to where each of them lives.
//
// Only code that some path from the function's start reaches is counted: elsewhere nothing is live. Where not all
// paths are known (Cfg::complete is false), all code is. What a function returns in registers is read by its `ret`.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/cfg.h"

namespace ptxscope::analysis {

/// In 32-bit registers: a .b64 counts as two, 8 and 16 bits as one. Predicates are apart.
struct LiveCount {
  std::uint32_t registers = 0;   ///< in 32-bit units
  std::uint32_t predicates = 0;  ///< each counts as one
};

/// Of one block.
struct BlockLiveness {
  LiveCount live_in;   ///< live where the block begins
  LiveCount live_out;  ///< live where it ends
  LiveCount max_live;  ///< most at one place in it, each of the two by itself
  std::uint32_t max_live_statement =
      no_index;  ///< the instruction where max_live.registers is first reached; no_index: at the block's edge
};

/// Of one function.
struct Liveness {
  std::vector<BlockLiveness> blocks;            ///< by BlockId; empty when `complete` is false
  LiveCount max_live;                           ///< most at one place of the function, each of the two by itself
  std::uint32_t max_live_statement = no_index;  ///< as BlockLiveness has it, for the function
  bool complete = true;                         ///< false: gave up, the function is too large for what it would take
};

/// The registers that hold what the function gives back: its return parameters in `.reg`, all of a parameterized one.
/// Ascending.
[[nodiscard]] std::vector<RegisterNumber> returned_registers(const Function& function);

/// A write under a guard keeps the old value alive: it may not happen.
[[nodiscard]] Liveness compute_liveness(const Module& module, const Cfg& cfg);

/// Registers by the width of their type. `other`: textures, samplers, surfaces, and types that are not known.
enum class RegisterClass : std::uint8_t { predicate, bits8, bits16, bits32, bits64, bits128, other };
/// How many classes there are.
inline constexpr std::size_t register_class_count = 7;
[[nodiscard]] RegisterClass class_of(Type type);  ///< of a register declared with that type
/// "pred", "b8", "b16", "b32", "b64", "b128", "other".
[[nodiscard]] std::string_view spelling(RegisterClass register_class);

/// Each instruction has two points: before it, where what it reads is live, and after it, where what it writes is. The
/// instruction in place i of the function's instructions has the points 2i and 2i+1. Both ends belong to the segment.
struct LiveSegment {
  std::uint32_t first = 0;  ///< a point, not a statement
  std::uint32_t last = 0;   ///< a point, `first` or behind it
};

/// At the worse of an instruction's two points, each number by itself.
struct InstructionPressure {
  std::uint32_t statement = 0;                                 ///< of the instruction
  LiveCount live;                                              ///< before or after it, whichever is more
  std::array<std::uint32_t, register_class_count> by_class{};  ///< registers of that class
};

/// From where to where each register of a function lives. A register that is written and not read is live at the point
/// after the write alone.
struct LiveRanges {
  std::vector<InstructionPressure> instructions;  ///< of blocks, in the order of the text
  std::vector<RegisterNumber> registers;          ///< that are live anywhere, ascending
  std::vector<LiveSegment> segments;              ///< by register, ascending, apart from each other
  std::vector<std::uint32_t> first_segment;       ///< parallel to `registers`, and one more at the end
  LiveCount max_live;                             ///< most at one place, each number by itself
  bool complete = true;                           ///< false: gave up, the ranges are too many

  /// Empty for one that is live nowhere.
  [[nodiscard]] std::span<const LiveSegment> of(RegisterNumber reg) const;
  [[nodiscard]] bool is_live_at(RegisterNumber reg, std::uint32_t point) const;  ///< `point`: see LiveSegment
  /// At how many instructions it is live.
  [[nodiscard]] std::uint64_t length(RegisterNumber reg) const;
};

/// As compute_liveness() sees it, register by register: takes more time and memory.
[[nodiscard]] LiveRanges compute_live_ranges(const Module& module, const Cfg& cfg);

}  // namespace ptxscope::analysis
