// What an editor needs to know of a text before it shows any line of it: what can be folded, where comments run over
// several lines.
#pragma once

#include <cstdint>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Lines that can be hidden: `first` stays, those behind it up to `last` go.
struct Fold {
  /// What is folded: a function's body, a scope in it, a basic block, a list of values.
  enum class Kind : std::uint8_t { function, scope, block, data };
  std::uint32_t first = 0;     ///< from 1: stays to be seen
  std::uint32_t last = 0;      ///< the last that goes, above first
  Kind kind = Kind::function;  ///< what the lines are
};

/// Of one text. Has no references into the module.
struct Outline {
  std::vector<Fold> folds;          ///< ascending by first line; one a line, the outermost
  std::vector<Span> long_comments;  ///< `/* … */` that contain a line end, ascending
  std::uint32_t lines = 0;          ///< of the text; an empty text has one
  std::uint32_t longest_line = 0;   ///< bytes
};

/// Looks at statements and, for comments, at all of the text once.
[[nodiscard]] Outline outline_of(const Module& module);

}  // namespace ptxscope::analysis
