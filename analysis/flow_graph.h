// What follows from the blocks and edges of a Cfg alone: reachability, dominators, loops.
#pragma once

#include "analysis/cfg.h"
#include "analysis/graph.h"

namespace ptxscope::analysis {

/// Fills reverse_postorder, reachability, dominators and, where asked for, post-dominators and loops.
void complete_flow(Cfg& cfg, bool post_dominators, bool loops);

/// Blocks and their edges as a graph.
[[nodiscard]] Graph graph_of(const Cfg& cfg);

/// Natural loops, their nesting, and the entries of irreducible regions. Needs dominators.
void find_loops(Cfg& cfg);

}  // namespace ptxscope::analysis
