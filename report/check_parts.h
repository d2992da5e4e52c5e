// What the writers of analysis::CheckReport share: words for needs, and the list of all that is to be reported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/check.h"
#include "isa/releases.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// "bulk and tensor copies by the Tensor Memory Accelerator", of isa/features.def; empty for a tag that is not there.
[[nodiscard]] std::string_view describe_feature(std::string_view tag);

/// "PTX ISA 8.6, sm_100f and its family from there on"
[[nodiscard]] std::string describe(const isa::Requirement& requirement);

/// The targets that take all of the module, by the version each needs, lowest first.
struct TargetsByVersion {
  isa::Version version;                   ///< the one that all of these need
  std::vector<std::string_view> targets;  ///< by name
};
/// One entry for each version that some target needs; none: no target takes the module.
[[nodiscard]] std::vector<TargetsByVersion> targets_by_version(const analysis::CheckReport& report);

/// The lowest version that any target takes the module at; nullopt: none does.
[[nodiscard]] std::optional<isa::Version> lowest_version(const analysis::CheckReport& report);

/// The simplest target at that version: the lowest base one, where there is one.
[[nodiscard]] std::optional<isa::TargetIndex> simplest_target(const analysis::CheckReport& report);

/// The first release that takes a module of this header; nullptr: none does, or the version is too old for the target.
[[nodiscard]] const isa::Release* first_reader(const analysis::Fit& fit);

/// What stands in the module's header or is asked for in its place; where that does not exist, as it is written:
/// ".version 8.7, .target sm_90".
[[nodiscard]] std::string header_words(const Header& header, const analysis::Fit& fit);

/// "does not fit", ", 3 problems, and the text has 1 error": an answer in words, the first part in colour.
struct Verdict {
  Ink ink = Ink::good;  ///< of the first part
  std::string head;     ///< the first part, to be in colour
  std::string rest;     ///< what goes on behind it; may be empty
};
/// `yes`, `no`: the heads for a fit without problems and for one with.
[[nodiscard]] Verdict verdict_on(const analysis::CheckReport& report, const analysis::Fit& fit, std::string_view yes,
                                 std::string_view no);

/// "CUDA 12.8 or later; driver R570 (Linux 570.26, Windows 570.65, or later)"
[[nodiscard]] std::string describe_reader(const isa::Release& release);

/// The problem as it is said of another one of its places.
[[nodiscard]] Diagnostic diagnostic_at(const Module& module, const analysis::Problem& problem, Span place);

/// Errors of the text itself, apart from the answer's.
[[nodiscard]] std::size_t count_errors(const analysis::CheckReport& report);
/// "the text has 2 errors"; empty: it has none.
[[nodiscard]] std::string errors_in_words(const analysis::CheckReport& report);

/// Everything to be reported of a module, each problem once for each of its places: of reading the text, of the answer,
/// advice, and what is not known. In order of place.
[[nodiscard]] std::vector<Diagnostic> all_diagnostics(const Module& module, const analysis::CheckReport& report);

}  // namespace ptxscope::report
