// Words and orders that all writers of counts share.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stats.h"

namespace ptxscope::report {

/// One number of a function or total. nullopt: not known.
struct Metric {
  std::string_view key;   ///< in JSON and CSV
  std::string_view head;  ///< over a column
  std::string_view name;  ///< of a row
  std::optional<std::uint64_t> (*of)(const analysis::CodeStats& counts);
  bool always = false;  ///< shown also where all are 0
};
[[nodiscard]] std::span<const Metric> metrics();
[[nodiscard]] const Metric* find_metric(std::string_view key);

/// Indices of ModuleStats::functions: largest first by a metric's key; by name; "": as they are.
[[nodiscard]] std::vector<std::size_t> sorted_functions(const analysis::ModuleStats& stats, const std::string& sort);

/// How many there are of each register class, "pred 4, b32 7"; "none".
[[nodiscard]] std::string register_words(const analysis::RegisterCounts& counts);

/// "vecadd(float*, int)" where the name is mangled.
[[nodiscard]] std::string shown_name(std::string_view name, std::size_t limit);

/// Memory operations by kind, all widths together: index into memory_kinds, count; the most first.
struct MemoryKind {
  std::uint32_t kind = 0;
  std::uint64_t count = 0;
  std::vector<analysis::MemoryTally> widths;
};
[[nodiscard]] std::vector<MemoryKind> memory_kinds(const analysis::CodeStats& counts);

}  // namespace ptxscope::report
