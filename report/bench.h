// A comparison of two kernels' times as text, CSV, JSON and a plot; and the JSON read again.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/bench_statistics.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// Sizes as rows, with a verdict for each, and where it was measured.
[[nodiscard]] std::string bench_text(const analysis::BenchMeasurement& measurement, const analysis::BenchRules& rules,
                                     const TextStyle& style);
/// A row for each size.
[[nodiscard]] std::string bench_csv(const analysis::BenchMeasurement& measurement, const analysis::BenchRules& rules);
/// `ptxscope.bench/1`: what was measured, every pair of it, and what is concluded.
[[nodiscard]] std::string bench_json(const analysis::BenchMeasurement& measurement, const analysis::BenchRules& rules);
/// B's time over A's by size, with intervals and ranges; sizes that tell nothing are greyed. Follows the light or dark
/// setting of what shows it.
[[nodiscard]] std::string bench_svg(const analysis::BenchMeasurement& measurement, const analysis::BenchRules& rules);

/// A measurement, or what is wrong with the document.
struct BenchReadResult {
  std::optional<analysis::BenchMeasurement> measurement;  ///< nullopt: `error` says why
  std::string error;                                      ///< what is wrong and where in the document
};
/// What bench_json() wrote; conclusions in it are not looked at.
[[nodiscard]] BenchReadResult read_bench_json(std::string_view text);

/// "slower by 2–4%", "no difference larger than 1%", "cannot tell: …"; "" where there is no B.
[[nodiscard]] std::string bench_verdict(const analysis::BenchJudgement& judgement, const analysis::BenchRules& rules);

}  // namespace ptxscope::report
