#include <fmt/format.h>

#include "report/bench.h"
#include "report/bench_parts.h"
#include "report/csv.h"

namespace ptxscope::report {

namespace {

using namespace analysis;

std::string number(double value) { return fmt::format("{:.6g}", value); }
std::string number(const std::optional<double>& value) { return value ? number(*value) : ""; }

// Median, lowest, highest, and the interval.
std::string summary_fields(const Summary& summary) {
  if (summary.count == 0) return ",,,,";
  return number(summary.median) + "," + number(summary.lowest) + "," + number(summary.highest) + "," +
         (summary.interval ? number(summary.interval->low) + "," + number(summary.interval->high) : ",");
}

std::string summary_heads(const std::string& what) {
  std::string heads;
  for (const char* of : {"", "_lowest", "_highest", "_interval_low", "_interval_high"}) heads += "," + what + of;
  return heads;
}

}  // namespace

std::string bench_csv(const BenchMeasurement& measurement, const BenchRules& rules) {
  const bool has_b = measurement.b.has_value();
  std::string out = "n,grid,block,launches,pairs,bytes,empty_us" + summary_heads("a_us") + ",a_bytes_per_second";
  if (has_b) out += summary_heads("b_us") + ",b_bytes_per_second" + summary_heads("ratio") + ",coverage,verdict,says";
  out += ",sm_mhz,memory_mhz";
  if (measurement.checked) out += ",results";
  out += "\r\n";
  for (const BenchSize& size : measurement.sizes) {
    const BenchJudgement judgement = judge(size, has_b, rules);
    out += std::to_string(size.n) + "," + csv_field(extents_text(size.grid)) + "," +
           csv_field(extents_text(size.block)) + "," + std::to_string(size.launches) + "," +
           std::to_string(judgement.a.count) + "," + (size.bytes ? std::to_string(*size.bytes) : "") + "," +
           number(size.empty_us) + "," + summary_fields(judgement.a) + "," +
           number(bytes_per_second(size, judgement.a));
    if (has_b) {
      const auto& interval = judgement.ratio.interval;
      out += "," + summary_fields(judgement.b) + "," + number(bytes_per_second(size, judgement.b)) + "," +
             summary_fields(judgement.ratio) + "," + (interval ? number(interval->coverage) : "") + "," +
             std::string(spelling(judgement.verdict)) + "," + csv_field(bench_verdict(judgement, rules));
    }
    out +=
        size.clocks ? "," + std::to_string(size.clocks->sm_mhz) + "," + std::to_string(size.clocks->memory_mhz) : ",,";
    if (measurement.checked) out += size.checks.empty() ? "," : results_equal(size) ? ",same" : ",different";
    out += "\r\n";
  }
  return out;
}

}  // namespace ptxscope::report
