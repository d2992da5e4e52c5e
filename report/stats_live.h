// Register pressure along the code, as a column or as a table of marks.
#pragma once

#include <string>

#include "analysis/live_report.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// The code with the registers live at each instruction beside it, then the maximum and what lives longest there.
[[nodiscard]] std::string live_column_text(const Module& module, const analysis::LiveReport& report,
                                           const TextStyle& style);

/// The code with a mark for each register: `^` written, `v` read, `x` both, `:` live across; `#` counts them by class.
[[nodiscard]] std::string live_table_text(const Module& module, const analysis::LiveReport& report,
                                          const TextStyle& style);

/// The maximum, its places, and the registers that live longest there with what they hold.
[[nodiscard]] std::string live_summary_text(const Module& module, const analysis::LiveReport& report,
                                            const TextStyle& style);

/// "12 ██████": a number and a bar of at most `columns` for it.
[[nodiscard]] std::string pressure_bar(std::uint32_t count, std::uint32_t largest, std::size_t columns);

}  // namespace ptxscope::report
