// PTX ISA versions and .targets (PTX ISA 11.1): what exists, since when, and which devices a target's code runs on.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ptxscope::isa {

/// A PTX ISA version. The default, 0.0, is below all.
struct Version {
  std::uint8_t code = 0;                                                        ///< 10·major + minor
  [[nodiscard]] constexpr unsigned major_number() const { return code / 10U; }  ///< 8 of 8.7
  [[nodiscard]] constexpr unsigned minor_number() const { return code % 10U; }  ///< 7 of 8.7
  friend constexpr auto operator<=>(const Version&, const Version&) = default;  ///< by age
};
/// No version takes it.
inline constexpr Version never{255};
/// "8.7"; "never".
[[nodiscard]] std::string to_string(Version version);
/// "8.7", and "8.70" as ptxas has it; nullopt for anything else, including versions that do not exist.
[[nodiscard]] std::optional<Version> parse_version(std::string_view text);
/// All of them, in order: 1.0 … 9.5.
[[nodiscard]] std::span<const Version> versions();

/// A word of `.target` (PTX ISA 11.1.2); a row of isa/targets.def.
struct Target {
  std::string_view name;          ///< "sm_90a"
  std::uint16_t number = 0;       ///< 90 of sm_90a
  char suffix = ' ';              ///< ' ', 'f' (family specific) or 'a' (architecture specific)
  std::uint8_t family = 0;        ///< 10, 11, 12; 0 before families
  Version lowest;                 ///< the first version ptxas takes it at
  std::optional<Version> manual;  ///< the first version by the manual; nullopt: not in the manual
  std::string_view note;          ///< for people: what is special about it; empty: nothing
};

/// Targets are known by their place in the table, which is in order of number, base before `a` before `f`.
using TargetIndex = std::uint8_t;
/// All of them, by TargetIndex.
[[nodiscard]] std::span<const Target> targets();
/// "sm_90a", also "compute_90a" (ptxas takes both).
[[nodiscard]] std::optional<TargetIndex> find_target(std::string_view name);

/// Some targets, as a bit each.
struct TargetSet {
  std::uint64_t bits = 0;  ///< bit n: the target of index n
  /// Whether it is one of them.
  [[nodiscard]] constexpr bool has(TargetIndex index) const { return (bits >> index & 1U) != 0; }
  constexpr void add(TargetIndex index) { bits |= std::uint64_t{1} << index; }     ///< once or more: the same
  [[nodiscard]] constexpr bool empty() const { return bits == 0; }                 ///< no target at all
  friend constexpr bool operator==(const TargetSet&, const TargetSet&) = default;  ///< the same targets
};
/// Every target that there is.
[[nodiscard]] TargetSet all_targets();
/// "sm_90+", "sm_100f+", "sm_100a": the notation of isa/instructions.def. nullopt: not in that notation.
[[nodiscard]] std::optional<TargetSet> parse_targets(std::string_view text);
/// The shortest words for a set: "sm_90 and later", "sm_90a", "sm_100a, sm_100f, …".
[[nodiscard]] std::string describe(TargetSet set);

/// Whether PTX for `target` can be compiled for a device of compute capability `number` (90 for 9.0): base targets on
/// that number and later ones, `f` on later ones of the family, `a` on its own (PTX ISA 11.1.2, "Target"). 101 is 110.
[[nodiscard]] bool runs_on(const Target& target, unsigned number);

}  // namespace ptxscope::isa
