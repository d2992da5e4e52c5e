// The result of explain-trap, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "parser/module.h"
#include "report/sink.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// Each trap with the answer first and the lines of PTX that show it under it. `launch`: the one the report was evaluated for.
[[nodiscard]] std::string explain_trap_text(const Module& module, const analysis::TrapReport& report,
                                            const std::optional<analysis::Launch>& launch, const TextStyle& style);

/// One document of schema ptxscope.explain-trap/1 (docs/json.md). `more`: what checks found beyond reading the text.
void explain_trap_json(const Sink& sink, const Module& module, const analysis::TrapReport& report,
                       const std::optional<analysis::Launch>& launch, std::span<const Diagnostic> more);
/// The same in one piece.
[[nodiscard]] std::string explain_trap_json(const Module& module, const analysis::TrapReport& report,
                                            const std::optional<analysis::Launch>& launch,
                                            std::span<const Diagnostic> more = {});

// ── Parts of explain_trap_text(), for who shows them apart. `kernel` is one of `report`, `trap` one of its. ──

/// All that is said of one trap; its first line is the answer: "trap 1 fires when global.x >= a.len: …".
[[nodiscard]] std::string one_trap_text(const Module& module, const analysis::TrapReport& report,
                                        const analysis::FunctionTraps& kernel, const analysis::Trap& trap,
                                        const TextStyle& style);

/// The answer for a launch, in one line: "grid 2, block 256 (512 threads): trap 1 fires, in block (0,0,0) thread …".
[[nodiscard]] std::string launch_verdict_text(const Module& module, const analysis::TrapReport& report,
                                              const analysis::FunctionTraps& kernel, const analysis::Launch& launch,
                                              const TextStyle& style);

/// What one trap does under it: "fires in 12 of 512 threads, first in block …"; empty: it was not evaluated.
[[nodiscard]] std::string launch_effect_text(const Module& module, const analysis::TrapReport& report,
                                             const analysis::FunctionTraps& kernel, const analysis::Trap& trap,
                                             const analysis::Launch& launch, const TextStyle& style);

}  // namespace ptxscope::report
