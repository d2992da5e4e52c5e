// Where exactly in a run of like items one was taken out or put in.
#pragma once

#include "analysis/diff_align.h"
#include "analysis/diff_body.h"

namespace ptxscope::analysis::diff {

/// An alignment by keys cannot tell which of several items in a row with one key is missing. The registers can: each gap is
/// moved to where its neighbours' registers fit what the rest of the body says.
void slide_gaps(const Body& a, const Body& b, std::span<const Key> a_keys, std::span<const Key> b_keys,
                Alignment& alignment);

}  // namespace ptxscope::analysis::diff
