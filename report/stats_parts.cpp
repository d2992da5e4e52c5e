#include "report/stats_parts.h"

#include <algorithm>
#include <numeric>

#include "analysis/names.h"
#include "report/terminal.h"

namespace ptxscope::report {

using analysis::CodeStats;
using Number = std::optional<std::uint64_t>;

namespace {

std::uint64_t memory_operations(const CodeStats& counts) {
  std::uint64_t sum = 0;
  for (const analysis::MemoryTally& tally : counts.memory) sum += tally.count;
  return sum;
}

std::uint64_t all(const analysis::RegisterCounts& counts) {
  return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0});
}

Number widened(std::optional<std::uint32_t> value) { return value ? Number(*value) : std::nullopt; }

constexpr std::array<Metric, 17> all_metrics{{
    {"instructions", "instructions", "instructions", [](const CodeStats& c) -> Number { return c.instructions; }, true},
    {"branches", "branches", "branches", [](const CodeStats& c) -> Number { return c.branches; }, true},
    {"conditional_branches", "cond.", "  conditional",
     [](const CodeStats& c) -> Number { return c.conditional_branches; }},
    {"calls", "calls", "calls", [](const CodeStats& c) -> Number { return c.calls; }},
    {"traps", "traps", "traps", [](const CodeStats& c) -> Number { return c.traps; }},
    {"barriers", "barriers", "barriers", [](const CodeStats& c) -> Number { return c.barriers; }},
    {"memory_operations", "memory", "memory operations",
     [](const CodeStats& c) -> Number { return memory_operations(c); }, true},
    {"registers_declared", "declared", "registers declared",
     [](const CodeStats& c) -> Number { return all(c.declared); }, true},
    {"registers_used", "registers", "registers used", [](const CodeStats& c) -> Number { return all(c.used); }, true},
    {"max_live", "live", "most live at once", [](const CodeStats& c) { return widened(c.max_live); }, true},
    {"max_live_predicates", "pred.", "most predicates live",
     [](const CodeStats& c) { return widened(c.max_live_predicates); }},
    {"shared_bytes", "shared", "shared bytes", [](const CodeStats& c) -> Number { return c.shared_bytes; }},
    {"local_bytes", "local", "local bytes", [](const CodeStats& c) -> Number { return c.local_bytes; }},
    {"blocks", "blocks", "blocks", [](const CodeStats& c) -> Number { return c.blocks; }, true},
    {"loops", "loops", "loops", [](const CodeStats& c) -> Number { return c.loops; }},
    {"max_loop_depth", "depth", "deepest loop", [](const CodeStats& c) -> Number { return c.max_loop_depth; }},
    {"unknown_instructions", "unknown", "unknown instructions",
     [](const CodeStats& c) -> Number { return c.unknown_instructions; }},
}};

}  // namespace

std::span<const Metric> metrics() { return all_metrics; }

const Metric* find_metric(std::string_view key) {
  const auto* const found = std::ranges::find(all_metrics, key, &Metric::key);
  return found == all_metrics.end() ? nullptr : found;
}

std::vector<std::size_t> sorted_functions(const analysis::ModuleStats& stats, const std::string& sort) {
  std::vector<std::size_t> order(stats.functions.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (sort == "name") {
    std::ranges::stable_sort(order, {}, [&](std::size_t i) -> const std::string& { return stats.functions[i].name; });
  } else if (const Metric* const metric = find_metric(sort)) {
    std::ranges::stable_sort(order, std::ranges::greater(), [&](std::size_t i) {
      return metric->of(stats.functions[i].counts).value_or(~std::uint64_t{0});
    });
  }
  return order;
}

std::string register_words(const analysis::RegisterCounts& counts) {
  std::string text;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] == 0) continue;
    if (!text.empty()) text += ", ";
    text += std::string(analysis::spelling(static_cast<analysis::RegisterClass>(i))) + " " + std::to_string(counts[i]);
  }
  return text.empty() ? "none" : text;
}

std::string shown_name(std::string_view name, std::size_t limit) {
  const std::string demangled = analysis::demangled(name);
  return printable(demangled.empty() ? name : std::string_view(demangled), limit);
}

std::vector<MemoryKind> memory_kinds(const analysis::CodeStats& counts) {
  std::vector<MemoryKind> kinds;
  for (const analysis::MemoryTally& tally : counts.memory) {
    if (kinds.empty() || kinds.back().kind != tally.kind) kinds.push_back({tally.kind, 0, {}});
    kinds.back().count += tally.count;
    kinds.back().widths.push_back(tally);
  }
  std::ranges::stable_sort(kinds, std::ranges::greater(), &MemoryKind::count);
  return kinds;
}

}  // namespace ptxscope::report
