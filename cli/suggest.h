// "did you mean …?" for versions, targets and other things with numbers: 9.6 is nearer to 9.5 than to 7.6.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "isa/targets.h"

namespace ptxscope::cli {

/// What to say behind "there is no …": "; did you mean 7.8 or 8.0?", "; the newest known is 9.5", "".
/// `known`: numbers such as "12.8", in order.
[[nodiscard]] std::string suggest_number(std::string_view text, const std::vector<std::string>& known);
/// The same of a PTX ISA version.
[[nodiscard]] std::string suggest_version(std::string_view text);
/// The same of a target; also where its number alone was given, as 80 or 8.0.
[[nodiscard]] std::string suggest_target(std::string_view text);

/// A PTX ISA version as a person gives it: also "8" for 8.0.
[[nodiscard]] std::optional<isa::Version> read_version(std::string_view text);
/// A target as a person gives it: in any case, its number alone, with or without a suffix ("SM_90A", "90a"); not 9.0.
[[nodiscard]] std::optional<isa::TargetIndex> read_target(std::string_view text);
/// Whether it is meant as a target: "sm_200", ".sm_75".
[[nodiscard]] bool looks_like_target(std::string_view text);

}  // namespace ptxscope::cli
