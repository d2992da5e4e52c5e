// Live registers: how many a block needs from before it, and how many there are at most at one place in it.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/cfg.h"

namespace ptxscope::analysis {

/// In 32-bit registers: a .b64 counts as two, 8 and 16 bits as one. Predicates are apart.
struct LiveCount {
  std::uint32_t registers = 0;
  std::uint32_t predicates = 0;
};

struct BlockLiveness {
  LiveCount live_in;   ///< live where the block begins
  LiveCount live_out;  ///< live where it ends
  LiveCount max_live;  ///< most at one place in it, each of the two by itself
  std::uint32_t max_live_statement =
      no_index;  ///< the instruction where max_live.registers is first reached; no_index: at the block's edge
};

struct Liveness {
  std::vector<BlockLiveness> blocks;  ///< by BlockId; empty when `complete` is false
  LiveCount max_live;
  std::uint32_t max_live_statement = no_index;
  bool complete = true;  ///< false: gave up, the function is too large for what it would take
};

/// A write under a guard keeps the old value alive: it may not happen.
[[nodiscard]] Liveness compute_liveness(const Module& module, const Cfg& cfg);

}  // namespace ptxscope::analysis
