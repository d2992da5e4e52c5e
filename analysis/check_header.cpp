// Which header would do for a module: the search behind every "write .target …".
#include "analysis/check_header.h"

#include <algorithm>
#include <tuple>

#include "isa/devices.h"
#include "isa/releases.h"

namespace ptxscope::analysis {

namespace {

unsigned suffix_rank(const isa::Target& target) { return target.suffix == ' ' ? 0 : target.suffix == 'f' ? 1 : 2; }

// The manual's targets under their present names.
bool is_worth_naming(const isa::Target& target, isa::Version version) {
  if (!target.manual || version < *target.manual) return false;
  constexpr isa::Version renamed{90};  // sm_101 is sm_110 from there on
  return target.number != 101 || version < renamed;
}

}  // namespace

std::optional<isa::Version> version_for(const ModuleRequirement& requirement, isa::TargetIndex target,
                                        std::optional<isa::Version> wished, isa::Version highest) {
  isa::Version lowest = requirement.needed.lowest[target];
  const isa::Version last = std::min(requirement.last.lowest[target], highest);
  if (lowest == isa::never || lowest > last) return std::nullopt;
  // What is recommended is by the manual, also where ptxas takes a target earlier.
  if (const auto manual = isa::targets()[target].manual; manual && *manual <= last) lowest = std::max(lowest, *manual);
  return std::clamp(wished.value_or(lowest), lowest, last);
}

std::optional<HeaderChoice> best_header(const ModuleRequirement& requirement, const HeaderWish& wish) {
  if (wish.target) {
    const auto version = version_for(requirement, *wish.target, wish.version, wish.highest);
    const bool runs = std::all_of(wish.devices.begin(), wish.devices.end(), [&](const CheckedDevice& device) {
      return isa::runs_on(isa::targets()[*wish.target], device.number);
    });
    if (version && runs) return HeaderChoice{*wish.target, *version, true};
  }
  std::optional<HeaderChoice> best;
  std::tuple<unsigned, unsigned, unsigned, unsigned, int> best_rank;
  for (std::size_t i = 0; i < isa::targets().size(); ++i) {
    const auto index = static_cast<isa::TargetIndex>(i);
    const isa::Target& target = isa::targets()[i];
    const auto version = version_for(requirement, index, wish.version, wish.highest);
    if (!version || !is_worth_naming(target, *version)) continue;
    const auto runs = [&](unsigned number) { return isa::runs_on(target, number); };
    if (!std::all_of(wish.devices.begin(), wish.devices.end(), [&](const auto& one) { return runs(one.number); }))
      continue;
    const unsigned old_number = wish.target ? isa::targets()[*wish.target].number : 0;
    const bool stays = wish.target && runs(old_number);
    const unsigned change = version == wish.version ? 0 : 1;
    // Where the code runs comes first; then how little is to be changed; then on how many devices it runs. A base target
    // below the wished one is best when it is near; otherwise the lowest runs on most.
    const unsigned place = stays ? 0 : target.number > old_number ? 1 : 2;
    const bool near = target.suffix == ' ' && place != 1 && old_number != 0;
    const int distance = near ? -static_cast<int>(target.number) : static_cast<int>(target.number);
    const std::tuple rank{place, place == 0 ? change : suffix_rank(target), place == 0 ? suffix_rank(target) : change,
                          0U, distance};
    if (best && best_rank <= rank) continue;
    best = HeaderChoice{index, *version, stays};
    best_rank = rank;
  }
  return best;
}

std::string describe_change(const HeaderChoice& choice, const HeaderWish& wish) {
  const isa::Target& target = isa::targets()[choice.target];
  const bool other_target = choice.target != wish.target;
  const bool other_version = choice.version != wish.version;
  std::string text = "write ";
  if (other_version) text += ".version " + isa::to_string(choice.version);
  if (other_version && other_target) text += " and ";
  if (other_target) text += ".target " + std::string(target.name);
  if (other_target) text += "; it then runs on compute capability " + isa::describe_devices(target);
  if (other_version && (!wish.version || choice.version > *wish.version)) text += "; " + first_reader(choice.version);
  return text;
}

std::string first_reader(isa::Version version) {
  const isa::Release* const release = isa::first_release_with(version);
  if (release == nullptr) return "no release of CUDA is known to take PTX ISA " + isa::to_string(version);
  std::string text = "PTX ISA " + isa::to_string(version) + " needs " + isa::name_of(*release) + " or later";
  if (release->branch != 0) text += ", and a driver R" + std::to_string(release->branch) + " or later to load it";
  return text;
}

}  // namespace ptxscope::analysis
