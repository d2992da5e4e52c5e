// Which source line a statement came from: `.loc` and `.file` (PTX ISA 11.5).
#pragma once

#include <cstdint>
#include <optional>

#include "analysis/traps.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// The place of the nearest `.loc` before the statement in the same function. Where that line was inlined, the place
/// is the outermost call of it, and `inlined_at` lists the way inwards: the last entry is the line itself.
[[nodiscard]] std::optional<SourcePlace> source_of(const Module& module, const Function& function,
                                                   std::uint32_t statement);

}  // namespace ptxscope::analysis
