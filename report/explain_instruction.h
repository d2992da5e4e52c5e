// What `ptxscope explain WORD` says of instructions, directives, special registers, features, targets and
// versions.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "isa/lookup.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// What a word is; a word may be several things (`.shared` is a directive and a modifier). option: of a directive.
enum class WordKind : std::uint8_t { opcode, directive, special_register, feature, modifier, option, target, version };

/// A word and one of the things that it may be.
struct WordMeaning {
  WordKind kind = WordKind::opcode;  ///< which of them
  std::string_view word;             ///< as it was asked for; of a modifier without the dot
};

/// How explain_text() shows it.
struct ExplainStyle {
  TextStyle text;    ///< colours and width
  bool all = false;  ///< all forms and lines, not the first few
};

/// One meaning, in some lines.
[[nodiscard]] std::string explain_text(const WordMeaning& meaning, const ExplainStyle& style);
/// The document of schema ptxscope.explain/1.
[[nodiscard]] std::string explain_json(std::span<const WordMeaning> meanings);

}  // namespace ptxscope::report
