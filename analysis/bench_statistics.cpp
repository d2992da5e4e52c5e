#include "analysis/bench_statistics.h"

#include <algorithm>
#include <cmath>

namespace ptxscope::analysis {

namespace {

// Of the time that is not launching: with less, what is left is within the error of what was taken away.
constexpr double least_own = 0.1;

double median_of(std::span<const double> ascending) {
  const std::size_t middle = ascending.size() / 2;
  return ascending.size() % 2 == 1 ? ascending[middle] : (ascending[middle - 1] + ascending[middle]) / 2;
}

// About how many pairs bring an interval that is `width` wide (on the side that matters) down to `goal`: the width goes
// with one over the square root of the count.
std::uint64_t pairs_for(std::size_t count, double width, double goal) {
  const double times = std::pow(width / goal, 2) * 1.1;
  const double pairs = std::max(static_cast<double>(count) * times, static_cast<double>(count) + 1);
  if (pairs >= 1e9) return 1000000000;
  // Two digits: it is an estimate.
  const double unit = std::pow(10.0, std::max(0.0, std::floor(std::log10(pairs)) - 1));
  return static_cast<std::uint64_t>(std::ceil(pairs / unit) * unit);
}

bool is_time(double value) { return std::isfinite(value) && value > 0; }

void decide(const BenchRules& rules, BenchJudgement& out) {
  out.verdict = BenchVerdict::cannot_tell;
  if (out.ratio.count == 0) {
    out.reason = "nothing was measured";
    return;
  }
  if (out.ratio.count < fewest_pairs || !out.ratio.interval) {
    std::size_t enough = fewest_pairs;
    while (2 * std::pow(0.5, static_cast<double>(enough)) > 1 - rules.confidence) ++enough;
    out.pairs_needed = enough;
    out.reason = "too few pairs";
    return;
  }
  const Interval& interval = *out.ratio.interval;
  const double margin = rules.margin;
  if (interval.low > 1 && interval.high > 1 + margin) {
    out.verdict = BenchVerdict::slower;
    out.low = interval.low - 1;
    out.high = interval.high - 1;
    return;
  }
  if (interval.high < 1 && interval.low < 1 - margin) {
    out.verdict = BenchVerdict::faster;
    out.low = 1 - interval.high;
    out.high = 1 - interval.low;
    return;
  }
  // Launching takes the same time for both and hides a difference: what is left must be within the margin by itself.
  const double own = 1 - out.launch_share.value_or(0);
  if (own < least_own) {
    out.reason = "the time is that of launching an empty kernel";
    return;
  }
  const double allowed = margin * std::min(own, 1.0);
  if (interval.low >= 1 - allowed && interval.high <= 1 + allowed) {
    out.verdict = BenchVerdict::no_difference;
    return;
  }
  const double median = out.ratio.median;
  const double width = std::max(interval.high - median, median - interval.low);
  const double apart = std::abs(median - 1);
  const double inside = allowed - apart;                 // the width at which it would be no difference
  const double outside = apart > margin ? apart : -1.0;  // …a difference
  const double goal = std::max(inside, outside);
  const bool is_near = goal <= allowed / 20;
  out.reason = own <= 0.5 ? "most of the time is launching"
               : is_near  ? "the difference is about as large as the margin"
                          : "the times scatter too much";
  // Next to where a verdict turns no count of pairs is enough.
  if (!is_near) out.pairs_needed = pairs_for(out.ratio.count, width, goal);
}

}  // namespace

std::optional<Interval> median_interval(std::span<const double> ascending, double confidence) {
  const auto n = static_cast<double>(ascending.size());
  if (ascending.empty() || !(confidence > 0 && confidence < 1)) return std::nullopt;
  // below: P(at most k values are below the median) of a binomial distribution, in logarithms because 2^-n may vanish.
  double below = 0;
  double log_p = -n * std::log(2.0);
  std::size_t rank = 0;  // how many values on each side are left out
  double coverage = 0;
  for (std::size_t k = 0; 2 * (k + 1) <= ascending.size(); ++k) {
    below += std::exp(log_p);
    if (1 - 2 * below < confidence) break;
    rank = k + 1;
    coverage = 1 - 2 * below;
    log_p += std::log((n - static_cast<double>(k)) / static_cast<double>(k + 1));
  }
  if (rank == 0) return std::nullopt;
  return Interval{ascending[rank - 1], ascending[ascending.size() - rank], coverage};
}

Summary summarize(std::vector<double> values, double confidence) {
  Summary summary;
  if (values.empty()) return summary;
  std::ranges::sort(values);
  summary.count = values.size();
  summary.median = median_of(values);
  summary.lowest = values.front();
  summary.highest = values.back();
  summary.interval = median_interval(values, confidence);
  return summary;
}

BenchJudgement judge(const BenchSize& size, bool has_b, const BenchRules& rules) {
  BenchJudgement out;
  std::vector<double> a, b, ratio;
  for (const BenchPair& pair : size.pairs) {
    if (!is_time(pair.a_us) || (has_b && (!is_time(pair.b_us) || !is_time(pair.b_us / pair.a_us)))) continue;
    a.push_back(pair.a_us);
    if (!has_b) continue;
    b.push_back(pair.b_us);
    ratio.push_back(pair.b_us / pair.a_us);
  }
  out.a = summarize(std::move(a), rules.confidence);
  out.b = summarize(std::move(b), rules.confidence);
  out.ratio = summarize(std::move(ratio), rules.confidence);
  if (size.empty_us && is_time(*size.empty_us) && out.a.median > 0)
    out.launch_share = std::min(1.0, *size.empty_us / out.a.median);
  if (has_b) decide(rules, out);
  return out;
}

}  // namespace ptxscope::analysis
