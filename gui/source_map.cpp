#include "gui/source_map.h"

#include <algorithm>
#include <optional>
#include <tuple>
#include <unordered_map>

#include "analysis/sources.h"

namespace ptxscope::gui {

std::span<const SourceRun> SourceMap::of(std::uint32_t statement) const {
  const auto behind = std::ranges::upper_bound(by_statement, statement, {}, &SourceRun::first);
  if (behind == by_statement.begin()) return {};
  const std::uint32_t first = (behind - 1)->first;
  const auto begin = std::ranges::lower_bound(by_statement, first, {}, &SourceRun::first);
  return begin->last < statement ? std::span<const SourceRun>() : std::span<const SourceRun>(begin, behind);
}

std::span<const SourceRun> SourceMap::on_line(std::uint32_t file, std::uint32_t line) const {
  const auto key = [](const SourceRun& run) { return std::pair(run.file, run.line); };
  const auto first = std::ranges::lower_bound(by_line, std::pair(file, line), {}, key);
  return {first, std::ranges::upper_bound(first, by_line.end(), std::pair(file, line), {}, key)};
}

SourceMap source_map_of(const Module& module, const Cancel& cancel) {
  SourceMap map;
  std::unordered_map<std::string, std::uint32_t> numbers;
  const auto file_number = [&](const std::string& name) {
    const auto [at, is_new] = numbers.emplace(name, static_cast<std::uint32_t>(map.files.size()));
    if (is_new) map.files.push_back(name);
    return at->second;
  };
  for (const Function& function : module.functions()) {
    if (!function.has_body) continue;
    if (cancel.requested()) break;
    const std::uint32_t end = std::min(function.body_end, module.statement_count());
    std::uint32_t at = function.body_begin + 1;
    while (at < end && module.statement(at).kind() != StatementKind::loc) ++at;
    while (at < end) {
      std::uint32_t next = at + 1;
      while (next < end && module.statement(next).kind() != StatementKind::loc) ++next;
      const auto place = next == at + 1 ? std::nullopt : analysis::source_of(module, function, at);
      if (place) {
        // From the inside out.
        for (auto inner = place->inlined_at.rbegin(); inner != place->inlined_at.rend(); ++inner)
          map.by_statement.push_back({file_number(inner->file), inner->line, at + 1, next - 1});
        map.by_statement.push_back({file_number(place->file), place->line, at + 1, next - 1});
      }
      at = next;
    }
  }
  map.by_line = map.by_statement;
  std::ranges::stable_sort(map.by_line, {},
                           [](const SourceRun& run) { return std::tuple(run.file, run.line, run.first); });
  return map;
}

}  // namespace ptxscope::gui
