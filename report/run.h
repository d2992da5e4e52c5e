// What a run of a program did on the GPU, for people and for programs.
#pragma once

#include <string>

#include "analysis/run_report.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// One trap, as it is told when it is noticed: two or three lines, ending in a newline.
[[nodiscard]] std::string run_trap_text(const analysis::RunReport& report, const analysis::RunTrap& trap,
                                        const TextStyle& style);

/// What else is to be said at the end: modules refused or left alone, errors without a record, no kernel launched.
/// `verbose`: also each module loaded and each kernel launched. Does not repeat the traps.
[[nodiscard]] std::string run_summary_text(const analysis::RunReport& report, const TextStyle& style, bool verbose);

/// The document of schema ptxscope.run/1, traps included.
[[nodiscard]] std::string run_json(const analysis::RunReport& report);

}  // namespace ptxscope::report
