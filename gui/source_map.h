// Which statements came from which source line, by `.loc`, and the other way round.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "gui/background.h"
#include "parser/module.h"

namespace ptxscope::gui {

/// Statements first to last, both inclusive, that one `.loc` covers. Where its line was inlined there is a run for each
/// place on the way.
struct SourceRun {
  std::uint32_t file = 0;  ///< index into SourceMap::files
  std::uint32_t line = 0;
  std::uint32_t first = 0, last = 0;
};

struct SourceMap {
  std::vector<std::string> files;  ///< as the module names them
  std::vector<SourceRun>
      by_statement;                ///< ascending by first; of one `.loc`, the line itself first, its callers behind
  std::vector<SourceRun> by_line;  ///< ascending by file, line, first

  /// Where the statement came from: the line itself, then the calls by which it was inlined. Empty: not known.
  [[nodiscard]] std::span<const SourceRun> of(std::uint32_t statement) const;
  /// All runs of a line.
  [[nodiscard]] std::span<const SourceRun> on_line(std::uint32_t file, std::uint32_t line) const;
};

/// Stops early, with what there is, when cancelled.
[[nodiscard]] SourceMap source_map_of(const Module& module, const Cancel& cancel);

}  // namespace ptxscope::gui
