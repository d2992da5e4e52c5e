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

struct Interval {
  double low = 0, high = 0;
  double coverage = 0;  ///< the probability that it holds the true median, at least what was asked for
};

struct Summary {
  std::size_t count = 0;
  double median = 0, lowest = 0, highest = 0;
  std::optional<Interval> interval;  ///< of the median; nullopt: too few values
};

/// The sign-test interval: from the k-th lowest to the k-th highest value, k as large as `confidence` lets it be. Each
/// value is above the median with probability 1/2, whatever the distribution, so that the coverage is exact and needs
/// no simulation. Values must be independent and from one distribution with a single median.
[[nodiscard]] std::optional<Interval> median_interval(std::span<const double> ascending, double confidence);

[[nodiscard]] Summary summarize(std::vector<double> values, double confidence);

struct BenchRules {
  double confidence = 0.99;
  double margin = 0.01;  ///< a difference up to this one is none
};

enum class BenchVerdict : std::uint8_t {
  none,           ///< there is no B
  slower,         ///< B takes longer: the whole interval is above 1 and reaches beyond 1 + margin
  faster,         ///< B takes less time: below 1, and beyond 1 - margin
  no_difference,  ///< the whole interval is within 1 ± margin, also of what is left without launching
  cannot_tell
};

struct BenchJudgement {
  Summary a, b;   ///< microseconds of a launch
  Summary ratio;  ///< B's time over A's, pair by pair
  BenchVerdict verdict = BenchVerdict::none;
  double low = 0, high = 0;  ///< of slower and faster: by how much, as parts of A's time
  /// Of cannot_tell: about how many pairs in all would be enough; nullopt where more pairs do not help, or nobody knows.
  std::optional<std::uint64_t> pairs_needed;
  std::string reason;  ///< of cannot_tell: why, without a full stop
  /// How much of A's time a launch of an empty kernel takes; nullopt: not measured.
  std::optional<double> launch_share;
};
[[nodiscard]] BenchJudgement judge(const BenchSize& size, bool has_b, const BenchRules& rules);

}  // namespace ptxscope::analysis
