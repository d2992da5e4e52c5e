// Words that the writers of measured times share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/bench_statistics.h"

namespace ptxscope::report {

/// "slower", "faster", "no-difference", "cannot-tell"; "" for none.
[[nodiscard]] std::string_view spelling(analysis::BenchVerdict verdict);

/// A time in microseconds with four digits: "2.310", "193.4", "12,345".
[[nodiscard]] std::string microseconds(double value);

/// "1%", "0.5%", "12.5%".
[[nodiscard]] std::string percent(double part);

/// Bytes a second at the median time, where the bytes are known.
[[nodiscard]] std::optional<double> bytes_per_second(const analysis::BenchSize& size, const analysis::Summary& times);

/// "4", "4,2", "4,2,1": without the ones at the end.
[[nodiscard]] std::string extents_text(const std::array<std::uint32_t, 3>& extents);

/// Whether every size has the same results in both, as far as they were compared.
[[nodiscard]] bool results_equal(const analysis::BenchSize& size);

/// "c differs at 3 of 1,024 elements, most at [17]: A 1.5, B 2.5"; one for each buffer that differs.
[[nodiscard]] std::string difference_text(const analysis::BenchCheck& check);

}  // namespace ptxscope::report
