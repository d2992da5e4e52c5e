#include "report/bench_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/bench.h"
#include "report/number_table.h"

namespace ptxscope::report {

using analysis::BenchVerdict;

std::string_view spelling(BenchVerdict verdict) {
  switch (verdict) {
    case BenchVerdict::none:
      return "";
    case BenchVerdict::slower:
      return "slower";
    case BenchVerdict::faster:
      return "faster";
    case BenchVerdict::no_difference:
      return "no-difference";
    case BenchVerdict::cannot_tell:
      return "cannot-tell";
  }
  return "";
}

std::string microseconds(double value) {
  if (value >= 1e15) return fmt::format("{:.3g}", value);
  if (value >= 9999.5) return grouped(static_cast<std::uint64_t>(std::llround(value)));
  const int digits = value >= 999.95 ? 0 : value >= 99.995 ? 1 : value >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, digits);
}

std::string percent(double part) {
  std::string text = fmt::format("{:.3f}", 100 * part);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text + "%";
}

namespace {

// A range of percentages, rounded outwards: to whole ones where that hides little, else to tenths or hundredths.
std::string percent_range(double low, double high) {
  if (high >= 1e6) return fmt::format("{:.3g}–{:.3g}%", 100 * low, 100 * high);
  const double width = 100 * (high - low);
  const double least = 100 * low;
  const int digits = width >= 1 && least >= 1 ? 0 : width >= 0.1 && least >= 0.1 ? 1 : 2;
  const double unit = std::pow(10.0, digits);
  const auto text = [&](double value) { return fmt::format("{:.{}f}", value / unit, digits); };
  // A little less outwards, so that 2% stays 2% after its arithmetic.
  const double from = std::floor(100 * low * unit + 1e-6);
  const double to = std::ceil(100 * high * unit - 1e-6);
  return from == to ? text(from) + "%" : text(from) + "–" + text(to) + "%";
}

}  // namespace

std::string bench_verdict(const analysis::BenchJudgement& judgement, const analysis::BenchRules& rules) {
  switch (judgement.verdict) {
    case BenchVerdict::none:
      return {};
    case BenchVerdict::slower:
      return "slower by " + percent_range(judgement.low, judgement.high);
    case BenchVerdict::faster:
      return "faster by " + percent_range(judgement.low, judgement.high);
    case BenchVerdict::no_difference:
      return "no difference larger than " + percent(rules.margin);
    case BenchVerdict::cannot_tell:
      break;
  }
  std::string text = "cannot tell at this size: " + judgement.reason;
  if (!judgement.pairs_needed) return judgement.ratio.count == 0 ? text : text + "; more pairs would not help";
  const bool is_many = *judgement.pairs_needed >= 100000;
  return text + (is_many ? "; it would take more than 100,000 pairs"
                         : "; it would take about " + grouped(*judgement.pairs_needed) + " pairs");
}

std::optional<double> bytes_per_second(const analysis::BenchSize& size, const analysis::Summary& times) {
  if (!size.bytes || !(times.median > 0)) return std::nullopt;
  return static_cast<double>(*size.bytes) / (times.median * 1e-6);
}

std::string extents_text(const std::array<std::uint32_t, 3>& extents) {
  std::string text = std::to_string(extents[0]);
  if (extents[1] != 1 || extents[2] != 1) text += "," + std::to_string(extents[1]);
  if (extents[2] != 1) text += "," + std::to_string(extents[2]);
  return text;
}

bool results_equal(const analysis::BenchSize& size) {
  return std::ranges::all_of(size.checks, [](const auto& check) { return check.difference.different == 0; });
}

std::string difference_text(const analysis::BenchCheck& check) {
  const analysis::Difference& difference = check.difference;
  return printable(check.buffer) + " differs at " + grouped(difference.different) + " of " +
         grouped(difference.compared) + " elements, first at [" + std::to_string(difference.first) + "], most at [" +
         std::to_string(difference.worst) + "]: A " + printable(difference.worst_a) + ", B " +
         printable(difference.worst_b);
}

}  // namespace ptxscope::report
