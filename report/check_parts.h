// What the writers of analysis::CheckReport share: words for needs, and the list of all that is to be reported.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/check.h"
#include "isa/releases.h"

namespace ptxscope::report {

/// "bulk and tensor copies by the Tensor Memory Accelerator", of isa/features.def; empty for a tag that is not there.
[[nodiscard]] std::string_view describe_feature(std::string_view tag);

/// "PTX ISA 8.6, sm_100f and its family from there on"
[[nodiscard]] std::string describe(const isa::Requirement& requirement);

/// The targets that take all of the module, by the version each needs, lowest first.
struct TargetsByVersion {
  isa::Version version;
  std::vector<std::string_view> targets;
};
[[nodiscard]] std::vector<TargetsByVersion> targets_by_version(const analysis::CheckReport& report);

/// The lowest version that any target takes the module at; nullopt: none does.
[[nodiscard]] std::optional<isa::Version> lowest_version(const analysis::CheckReport& report);

/// The simplest target at that version: the lowest base one, where there is one.
[[nodiscard]] std::optional<isa::TargetIndex> simplest_target(const analysis::CheckReport& report);

/// The first release that takes a module of this header; nullptr: none does, or the version is too old for the target.
[[nodiscard]] const isa::Release* first_reader(const analysis::Fit& fit);

/// Errors of the text itself, apart from the answer's.
[[nodiscard]] std::size_t count_errors(const analysis::CheckReport& report);

/// Everything to be reported of a module, each problem once for each of its places: of reading the text, of the answer,
/// advice, and what is not known. In order of place.
[[nodiscard]] std::vector<Diagnostic> all_diagnostics(const Module& module, const analysis::CheckReport& report);

}  // namespace ptxscope::report
