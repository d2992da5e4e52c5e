// The rules that diagnostics name, for formats that describe each one.
#pragma once

#include <span>
#include <string_view>

#include "parser/diagnostic.h"

namespace ptxscope::report {

/// A kind of finding: what Diagnostic::rule names.
struct Rule {
  std::string_view id;       ///< "PTX-TARGET"
  std::string_view name;     ///< "TargetTooLow": a word, as SARIF has it
  Level level;               ///< its usual one
  std::string_view summary;  ///< what goes behind the place: "needs another .target"
  std::string_view help;     ///< what it means and what to do
};

/// All of them, each id once.
[[nodiscard]] std::span<const Rule> rules();
/// nullptr: no such rule.
[[nodiscard]] const Rule* find_rule(std::string_view id);

}  // namespace ptxscope::report
