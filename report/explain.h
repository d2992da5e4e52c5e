// The result of explain-trap, as text and as JSON.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "parser/module.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// Each trap with the answer first and the lines of PTX that show it under it. `launch`: the one the report was evaluated for.
[[nodiscard]] std::string explain_trap_text(const Module& module, const analysis::TrapReport& report,
                                            const std::optional<analysis::Launch>& launch, const TextStyle& style);

/// One document of schema ptxscope.explain-trap/1 (docs/json.md). `more`: what checks found beyond reading the text.
[[nodiscard]] std::string explain_trap_json(const Module& module, const analysis::TrapReport& report,
                                            const std::optional<analysis::Launch>& launch,
                                            std::span<const Diagnostic> more = {});

}  // namespace ptxscope::report
