// Another header for a module: .version and .target rewritten where the code fits, all other bytes as they were.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/stop.h"
#include "isa/targets.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What header is wanted. What is not given stays as the module has it, but for the version: where that does not do
/// with the target, the nearest that does is taken.
struct RetargetWish {
  std::optional<isa::TargetIndex> target;  ///< nullopt: the module's, or lowest_target
  std::optional<isa::Version> version;     ///< nullopt: see above, or lowest_version
  /// The lowest target that takes the code: of base targets the one with the lowest number; where no base target takes
  /// it, of the family-specific ones, then of the architecture-specific ones. Targets of one kind are compared by their
  /// number alone, also where neither's code runs on the other's device.
  bool lowest_target = false;
  bool lowest_version = false;  ///< the lowest version that takes the code with that target
  bool rewrite = false;         ///< spellings may be replaced by older ones of the same meaning, where that helps
  StopFlag stop = nullptr;      ///< ends it early: it does not fit then
};

/// One change of the text.
struct TextChange {
  /// What was changed: a number of the header, its target, or an instruction.
  enum class Kind : std::uint8_t { version, target, spelling };
  Kind kind = Kind::version;  ///< which of them
  Span span;                  ///< of the module's text
  std::string after;          ///< what stands there instead
};

/// The new text, or why there is none.
struct Retargeting {
  bool fits = false;                       ///< `text` is there
  std::optional<isa::TargetIndex> target;  ///< of the new header
  std::optional<isa::Version> version;     ///< of the new header
  std::vector<TextChange> changes;         ///< in order of place; none where the header says that already
  std::string text;                        ///< the new module; empty unless it fits
  std::vector<Diagnostic> problems;        ///< why it does not fit, in order of place
  bool rewrite_would_help = false;         ///< it does not fit, and would with RetargetWish::rewrite
};

/// Whether the code fits the header wished for, and the text with that header.
[[nodiscard]] Retargeting retarget(const Module& module, const RetargetWish& wish);

/// The text with the changes made; they are in order of place and do not overlap.
[[nodiscard]] std::string changed_text(std::string_view text, const std::vector<TextChange>& changes);

}  // namespace ptxscope::analysis
