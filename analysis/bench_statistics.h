// What pairs of times tell: the median ratio with an interval, and the verdict. No verdict without the data for it.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/bench_measurement.h"

namespace ptxscope::analysis {

/// With fewer pairs there is no verdict.
inline constexpr std::size_t fewest_pairs = 9;

/// A confidence interval.
struct Interval {
  double low = 0;       ///< lowest value in it
  double high = 0;      ///< highest value in it
  double coverage = 0;  ///< the probability that it holds the true median, at least what was asked for
};

/// Of a list of values, all in one unit.
struct Summary {
  std::size_t count = 0;             ///< how many
  double median = 0;                 ///< the middle one, or halfway between the two
  double lowest = 0;                 ///< the least
  double highest = 0;                ///< the most
  std::optional<Interval> interval;  ///< of the median; nullopt: too few values
};

/// The sign-test interval: from the k-th lowest to the k-th highest value, k as large as `confidence` lets it be. Each
/// value is above the median with probability 1/2, whatever the distribution, so that the coverage is exact and needs
/// no simulation. Values must be independent and from one distribution with a single median.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const double> ascending, double confidence);

/// `confidence`: of the interval, 0 to 1. All 0 for no values.
[[nodiscard]] Summary summarize(std::vector<double> values, double confidence);

/// What a verdict asks for.
struct BenchRules {
  double confidence = 0.99;  ///< that an interval must hold the true median with
  double margin = 0.01;      ///< a difference up to this one is none
};

/// What is said of B beside A.
enum class BenchVerdict : std::uint8_t {
  none,           ///< there is no B
  slower,         ///< B takes longer: the whole interval is above 1 and reaches beyond 1 + margin
  faster,         ///< B takes less time: below 1, and beyond 1 - margin
  no_difference,  ///< the whole interval is within 1 ± margin, also of what is left without launching
  cannot_tell     ///< not enough pairs, or the interval holds more than one answer: `reason`
};

/// What the pairs of one size tell.
struct BenchJudgement {
  Summary a;                                  ///< of A
  Summary b;                                  ///< of B; count 0 without one
  Summary ratio;                              ///< B's time over A's, pair by pair
  BenchVerdict verdict = BenchVerdict::none;  ///< see BenchVerdict
  double low = 0;                             ///< of slower and faster: at least by how much, as a part of A's time
  double high = 0;                            ///< at most
  /// Of cannot_tell: about how many pairs in all would be enough; nullopt where more pairs do not help, or nobody knows.
  std::optional<std::uint64_t> pairs_needed;
  std::string reason;  ///< of cannot_tell: why, without a full stop
  /// How much of A's time a launch of an empty kernel takes; nullopt: not measured.
  std::optional<double> launch_share;
};
/// Judges one size. `has_b`: without B there are times and no verdict.
[[nodiscard]] BenchJudgement judge(const BenchSize& size, bool has_b, const BenchRules& rules);

}  // namespace ptxscope::analysis
