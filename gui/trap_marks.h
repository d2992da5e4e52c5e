// The statements behind a trap, for code and graph to light up.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/traps.h"
#include "gui/selection.h"

namespace ptxscope::gui {

/// The trap, what decides it, what computes that, and the parameters behind it: of all ways into it, or of one.
/// Each statement once, with the role that says most; parameters also where they are declared.
[[nodiscard]] std::vector<Mark> trap_marks(const Module& module, const analysis::FunctionTraps& kernel,
                                           const analysis::Trap& trap, std::optional<std::size_t> way);

/// The entry of the report with that id; nullptr: there is none.
[[nodiscard]] const analysis::Trap* find_trap(const analysis::FunctionTraps& kernel, std::uint32_t id);

}  // namespace ptxscope::gui
