// Which header would do for a module: the search behind every "write .target …" of analysis/check.h.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "analysis/check.h"

namespace ptxscope::analysis {

/// What the header says or is asked to say, and what bounds the choice of another.
struct HeaderWish {
  std::optional<isa::TargetIndex> target;
  std::optional<isa::Version> version;
  isa::Version highest = isa::never;       ///< no version above this
  std::span<const CheckedDevice> devices;  ///< the code must run on all of these
};

struct HeaderChoice {
  isa::TargetIndex target = 0;
  isa::Version version;
  bool same_devices = false;  ///< it still runs on a device of the wished target's number
};

/// The version nearest to `wished` at which `target` takes the module; without a wish the lowest.
[[nodiscard]] std::optional<isa::Version> version_for(const ModuleRequirement& requirement, isa::TargetIndex target,
                                                      std::optional<isa::Version> wished, isa::Version highest);

/// The header nearest to the wish that takes the whole module; nullopt: none does. Nearest is: the same target; else
/// one that runs on the same device; else the lowest later one, base targets first.
[[nodiscard]] std::optional<HeaderChoice> best_header(const ModuleRequirement& requirement, const HeaderWish& wish);

/// "write .version 8.7 and .target sm_120a; it then runs on …"
[[nodiscard]] std::string describe_change(const HeaderChoice& choice, const HeaderWish& wish);

/// "PTX ISA 8.7 needs CUDA 12.8 or later, and a driver R570 or later to load it"
[[nodiscard]] std::string first_reader(isa::Version version);

}  // namespace ptxscope::analysis
