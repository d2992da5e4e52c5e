// Finding text in a module, line by line.
#pragma once

#include <QString>
#include <cstddef>
#include <vector>

#include "gui/background.h"
#include "parser/module.h"

namespace ptxscope::gui {

struct SearchQuestion {
  QString pattern;
  bool is_regex = false;
  bool case_sensitive = false;
  bool whole_words = false;
  friend bool operator==(const SearchQuestion&, const SearchQuestion&) = default;
};

struct SearchResult {
  std::vector<Span> found;  ///< in order of place
  bool cut_short = false;   ///< there are more than the limit
  QString problem;          ///< the pattern is not a regular expression: why, and where in it
};

/// Matches do not reach over a line's end. Of lines longer than a megabyte the first megabyte is searched.
[[nodiscard]] SearchResult search_text(const Module& module, const SearchQuestion& question, const Cancel& cancel,
                                       std::size_t limit = 100'000);

}  // namespace ptxscope::gui
