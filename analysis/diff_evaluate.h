// What an alignment of two bodies says is different.
#pragma once

#include "analysis/diff.h"
#include "analysis/diff_align.h"
#include "analysis/diff_flow.h"
#include "analysis/diff_mapping.h"

namespace ptxscope::analysis::diff {

struct ItemEdit {
  std::uint32_t a = no_index, b = no_index;  // items
  std::uint32_t a_count = 0, b_count = 0;    // more than one: a coarse answer
  EditEffect effect = EditEffect::changes;
  bool continues_elsewhere = false;
  bool opcode_differs = false, guard_differs = false;
  std::uint32_t operands_differ = 0;
};

struct LocalEdit {
  std::uint32_t a = no_index, b = no_index;  // indices into Body::locals
  EditEffect effect = EditEffect::changes;
};

struct Evaluation {
  Alignment alignment;  ///< replaced items are partners too
  Variables a, b;
  Mapping mapping;
  std::vector<ItemEdit> edits;
  std::vector<LocalEdit> locals;
  std::size_t changes = 0;  ///< edits that change something; none: both bodies do the same
  bool has_flow_faults = false;
};

/// Proves what is the same: every item that can run has a partner with the same opcode and immediates, whose registers are
/// the same under one renaming, and which is followed by the partners of what follows it. All that is not so is an edit.
[[nodiscard]] Evaluation evaluate(const BodyFlow& a, const BodyFlow& b, Alignment alignment,
                                  const std::vector<Coarse>& coarse);

}  // namespace ptxscope::analysis::diff
