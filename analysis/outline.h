// What an editor needs to know of a text before it shows any line of it: what can be folded, where comments run over
// several lines.
#pragma once

#include <cstdint>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Lines that can be hidden: `first` stays, those behind it up to `last` go.
struct Fold {
  enum class Kind : std::uint8_t { function, scope, block, data };
  std::uint32_t first = 0, last = 0;
  Kind kind = Kind::function;
};

struct Outline {
  std::vector<Fold> folds;          ///< ascending by first line; one a line, the outermost
  std::vector<Span> long_comments;  ///< `/* … */` that contain a line end, ascending
  std::uint32_t lines = 0;
  std::uint32_t longest_line = 0;  ///< bytes
};

[[nodiscard]] Outline outline_of(const Module& module);

}  // namespace ptxscope::analysis
