#include <fmt/format.h>

#include <algorithm>

#include "analysis/bench_formula.h"
#include "analysis/names.h"
#include "report/bench.h"
#include "report/bench_parts.h"
#include "report/columns.h"
#include "report/number_table.h"

namespace ptxscope::report {

namespace {

using namespace analysis;
using Cell = NumberTable::Cell;

std::string line(std::string_view text, const TextStyle& style) { return wrapped(text, 0, 2, style) + "\n"; }

std::string subject_text(const BenchSubject& subject, std::string_view letter) {
  const std::string demangled = analysis::demangled(subject.kernel);
  return std::string(letter) + "  " + printable(subject.file) + ": " +
         printable(demangled.empty() ? subject.kernel : demangled) +
         (subject.registers ? ", " + std::to_string(*subject.registers) + " registers" : "") + "\n";
}

std::string list_text(const std::vector<std::string>& words, std::string_view separator) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(separator)) + printable(word);
  return text;
}

// "1980 MHz", "1755 to 1980 MHz", over all sizes.
std::string clock_range(const BenchMeasurement& measurement, std::uint64_t BenchClocks::*clock) {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  for (const BenchSize& size : measurement.sizes) {
    if (!size.clocks || (*size.clocks).*clock == 0) continue;
    low = std::min(low, (*size.clocks).*clock);
    high = std::max(high, (*size.clocks).*clock);
  }
  if (high == 0) return "?";
  return (low == high ? "" : std::to_string(low) + " to ") + std::to_string(high) + " MHz";
}

std::string device_text(const BenchMeasurement& measurement) {
  const BenchDevice& device = measurement.device;
  std::string text = printable(device.name) + ", driver " +
                     (device.driver.empty() ? std::string("?") : printable(device.driver)) + " (CUDA " +
                     printable(device.cuda) + ")";
  const bool has_clocks =
      std::ranges::any_of(measurement.sizes, [](const BenchSize& size) { return size.clocks.has_value(); });
  if (!has_clocks) return text + "; clocks not known (no NVML)";
  text += "; SM at " + clock_range(measurement, &BenchClocks::sm_mhz) + ", memory at " +
          clock_range(measurement, &BenchClocks::memory_mhz);
  std::vector<std::string> reasons;
  for (const BenchSize& size : measurement.sizes)
    if (size.clocks)
      for (const std::string& reason : size.clocks->slowed_by)
        if (std::ranges::find(reasons, reason) == reasons.end()) reasons.push_back(reason);
  return reasons.empty() ? text : text + ", kept down by " + list_text(reasons, ", ");
}

std::string method_text(const BenchMeasurement& measurement) {
  std::string text = "block " + printable(measurement.block) + ", grid " + printable(measurement.grid) + "; " +
                     list_text(measurement.arguments, " ") + "; seed " + std::to_string(measurement.seed);
  return text + (measurement.cold ? "; L2 overwritten before each launch" : "; L2 as the launch before left it");
}

std::optional<double> least_empty(const BenchMeasurement& measurement) {
  std::optional<double> least;
  for (const BenchSize& size : measurement.sizes)
    if (size.empty_us && (!least || *size.empty_us < *least)) least = size.empty_us;
  return least;
}

std::string rate_text(const std::optional<double>& rate) { return rate ? fmt::format("{:.4g}", *rate / 1e9) : "?"; }

// A document may hold any number: beyond what a ratio is, digits say nothing.
std::string ratio_text(double ratio) {
  return ratio < 1e6 ? fmt::format("{:.4f}", ratio) : fmt::format("{:.3g}", ratio);
}

std::string interval_text(const Summary& summary, std::string (*number)(double)) {
  return summary.interval ? number(summary.interval->low) + " … " + number(summary.interval->high) : "?";
}

std::optional<Ink> ink_of(BenchVerdict verdict) {
  switch (verdict) {
    case BenchVerdict::slower:
      return Ink::error;
    case BenchVerdict::faster:
      return Ink::good;
    case BenchVerdict::cannot_tell:
      return Ink::dim;
    default:
      return std::nullopt;
  }
}

std::string share_text(const std::optional<double>& share) {
  return share ? fmt::format("{:.0f}%", 100 * *share) : "?";
}

Cell heading(std::string text, bool left = false) { return {std::move(text), Ink::bold, left, !left}; }

std::string rows_of_both(const BenchMeasurement& measurement, const BenchRules& rules, const TextStyle& style) {
  NumberTable table(style);
  const bool any_bytes =
      std::ranges::any_of(measurement.sizes, [](const BenchSize& size) { return size.bytes.has_value(); });
  std::vector<Cell> head{heading("n"), heading("A µs"), heading("B µs")};
  if (any_bytes) head.insert(head.end(), {heading("A GB/s"), heading("B GB/s")});
  head.insert(head.end(), {heading("launching"), heading("B/A"), heading(percent(rules.confidence) + " interval"),
                           heading("lowest"), heading("highest"), heading("B is", true)});
  table.add(std::move(head));
  for (const BenchSize& size : measurement.sizes) {
    const BenchJudgement judgement = judge(size, true, rules);
    std::vector<Cell> row{{size_text(size.n), std::nullopt, false, true},
                          {microseconds(judgement.a.median)},
                          {microseconds(judgement.b.median)}};
    if (any_bytes)
      row.insert(row.end(),
                 {{rate_text(bytes_per_second(size, judgement.a))}, {rate_text(bytes_per_second(size, judgement.b))}});
    row.insert(row.end(), {{share_text(judgement.launch_share)},
                           {ratio_text(judgement.ratio.median)},
                           {interval_text(judgement.ratio, ratio_text)},
                           {ratio_text(judgement.ratio.lowest)},
                           {ratio_text(judgement.ratio.highest)},
                           {bench_verdict(judgement, rules), ink_of(judgement.verdict), true}});
    table.add(std::move(row));
  }
  return table.text();
}

std::string rows_of_one(const BenchMeasurement& measurement, const BenchRules& rules, const TextStyle& style) {
  NumberTable table(style);
  table.add({heading("n"), heading("µs"), heading("GB/s"), heading("launching"),
             heading(percent(rules.confidence) + " interval"), heading("lowest"), heading("highest")});
  for (const BenchSize& size : measurement.sizes) {
    const BenchJudgement judgement = judge(size, false, rules);
    table.add({{size_text(size.n), std::nullopt, false, true},
               {microseconds(judgement.a.median)},
               {rate_text(bytes_per_second(size, judgement.a))},
               {share_text(judgement.launch_share)},
               {interval_text(judgement.a, microseconds)},
               {microseconds(judgement.a.lowest)},
               {microseconds(judgement.a.highest)}});
  }
  return table.text();
}

// "30", "8 to 30".
template <typename Of>
std::string range_text(const BenchMeasurement& measurement, Of of) {
  std::uint64_t low = UINT64_MAX;
  std::uint64_t high = 0;
  for (const BenchSize& size : measurement.sizes) {
    low = std::min<std::uint64_t>(low, of(size));
    high = std::max<std::uint64_t>(high, of(size));
  }
  return (low == high ? "" : std::to_string(low) + " to ") + std::to_string(high);
}

// Which was measured first, as the pairs say it.
std::string order_text(const BenchMeasurement& measurement) {
  std::size_t first = 0, all = 0;
  bool in_turn = true;
  for (const BenchSize& size : measurement.sizes) {
    for (std::size_t i = 0; i < size.pairs.size(); ++i) {
      ++all;
      if (!size.pairs[i].b_first) ++first;
      in_turn = in_turn && (i == 0 || size.pairs[i].b_first != size.pairs[i - 1].b_first);
    }
  }
  if (in_turn) return "A first in every other one";
  return "A first in " + grouped(first) + " of " + grouped(all) +
         " (not every other one: the order may have an effect)";
}

// How the numbers come about, and how sure they are.
std::string explanation(const BenchMeasurement& measurement, const BenchRules& rules, const TextStyle& style) {
  const std::string pairs = range_text(measurement, [](const BenchSize& size) { return size.pairs.size(); });
  std::string text = "Times are of one launch, by device events: of " +
                     range_text(measurement, [](const BenchSize& size) { return size.launches; }) +
                     (measurement.cold ? " launches in each measurement, timed one by one"
                                       : " launches in each measurement, one right after the other") +
                     "; the median of " + pairs + " measurements.";
  if (const auto empty = least_empty(measurement))
    text +=
        " A launch of an empty kernel takes " + microseconds(*empty) + " µs so: launching is its share of A's time.";
  if (!measurement.b)
    return line(text + " The interval is that of the sign test, " + percent(rules.confidence) + " or more.", style);
  return line(text, style) +
         line("B/A is the median of " + pairs + " pairs, A and B in turn, " + order_text(measurement) +
                  "; its interval is that of the sign test, " + percent(rules.confidence) +
                  " or more for each size by itself. A difference within " + percent(rules.margin) +
                  " counts as none, when the whole interval is within it, without the launching, too; slower and "
                  "faster: the whole "
                  "interval is on one side of 1 and reaches beyond it.",
              style);
}

std::string checks_text(const BenchMeasurement& measurement, const TextStyle& style) {
  if (!measurement.checked) return {};
  std::string out;
  std::size_t compared = 0;
  std::vector<std::string> buffers;
  for (const BenchSize& size : measurement.sizes) {
    if (!size.checks.empty()) ++compared;
    for (const BenchCheck& check : size.checks) {
      if (std::ranges::find(buffers, check.buffer) == buffers.end()) buffers.push_back(check.buffer);
      if (check.difference.different != 0)
        out += line(
            paint(style, Ink::error, "results differ") + " at n = " + size_text(size.n) + ": " + difference_text(check),
            style);
    }
  }
  const std::size_t all = measurement.sizes.size();
  const std::string rest = compared == all ? ""
                                           : "; " + std::to_string(all - compared) + " of the " + std::to_string(all) +
                                                 " sizes not compared";
  if (!out.empty()) return rest.empty() ? out : out + "results" + rest.substr(1) + "\n";
  if (compared == 0) return "results: nothing was compared\n";
  return line("results: " + list_text(buffers, ", ") + " the same in A and B at " +
                  (compared == all ? "every size" : std::to_string(compared) + (compared == 1 ? " size" : " sizes")) +
                  rest,
              style);
}

}  // namespace

std::string bench_text(const BenchMeasurement& measurement, const BenchRules& rules, const TextStyle& style) {
  std::string out = subject_text(measurement.a, "A");
  if (measurement.b) out += subject_text(*measurement.b, "B");
  out += line(device_text(measurement), style) + line(method_text(measurement), style);
  for (const std::string& note : measurement.notes) out += line(printable(note), style);
  if (!measurement.sizes.empty())
    out += "\n" + (measurement.b ? rows_of_both(measurement, rules, style) : rows_of_one(measurement, rules, style)) +
           "\n" + explanation(measurement, rules, style) + checks_text(measurement, style);
  if (measurement.stop)
    out += "\n" + line(paint(style, Ink::error, "stopped") + " at n = " + size_text(measurement.stop->n) + ": " +
                           printable(measurement.stop->message),
                       style);
  return out;
}

}  // namespace ptxscope::report
