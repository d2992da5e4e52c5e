#include "isa/targets.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace ptxscope::isa {

namespace {

constexpr std::uint8_t version_codes[] = {10, 11, 12, 13, 14, 15, 20, 21, 22, 23, 30, 31, 32, 40, 41, 42, 43,
                                          50, 51, 60, 61, 62, 63, 64, 65, 70, 71, 72, 73, 74, 75, 76, 77, 78,
                                          80, 81, 82, 83, 84, 85, 86, 87, 88, 90, 91, 92, 93, 94, 95};

constexpr auto build_versions() {
  std::array<Version, std::size(version_codes)> result{};
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = {version_codes[i]};
  return result;
}
constexpr auto version_table = build_versions();

consteval Version version_of(std::string_view text) {
  return {static_cast<std::uint8_t>((text[0] - '0') * 10 + (text[2] - '0'))};
}
consteval std::optional<Version> optional_version_of(std::string_view text) {
  if (text.empty()) return std::nullopt;
  return version_of(text);
}

constexpr Target target_table[] = {
#define PTX_TARGET(name, number, suffix, family, lowest, manual, note) \
  Target{name, number, suffix, family, version_of(lowest), optional_version_of(manual), note},
#include "isa/targets.def"
};
static_assert(std::size(target_table) <= 64, "TargetSet has 64 bits");

// sm_101 was renamed sm_110 in PTX ISA 9.0: the same device under two numbers.
constexpr unsigned canonical(unsigned number) { return number == 101 ? 110 : number; }

std::optional<unsigned> parse_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

TargetSet select(auto&& wanted) {
  TargetSet set;
  for (std::size_t i = 0; i < std::size(target_table); ++i)
    if (wanted(target_table[i])) set.add(static_cast<TargetIndex>(i));
  return set;
}

TargetSet at_least(unsigned number) {
  return select([&](const Target& t) { return canonical(t.number) >= canonical(number); });
}

TargetSet family_from(unsigned number, std::uint8_t family) {
  return select([&](const Target& t) {
    return t.family == family && t.suffix != ' ' && canonical(t.number) >= canonical(number);
  });
}

std::string join(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// "sm_12 to sm_75": what of `set` follows each other among the targets of the manual is taken out of it, and the
// others there with it.
std::vector<std::string> take_runs(TargetSet& set) {
  constexpr std::size_t shortest = 4;
  std::vector<TargetIndex> known;
  for (std::size_t i = 0; i < std::size(target_table); ++i)
    if (target_table[i].manual) known.push_back(static_cast<TargetIndex>(i));
  std::vector<std::string> runs;
  for (std::size_t i = 0; i < known.size(); ++i) {
    std::size_t end = i;
    while (end < known.size() && set.has(known[end])) ++end;
    if (end - i < shortest) continue;
    const TargetIndex last = known[end - 1];
    runs.push_back(std::string(target_table[known[i]].name) + " to " + std::string(target_table[last].name));
    for (TargetIndex k = known[i]; k < std::size(target_table); ++k)
      if (k <= last || !target_table[k].manual) set.bits &= ~(std::uint64_t{1} << k);
    i = end - 1;
  }
  return runs;
}

}  // namespace

std::string to_string(Version version) {
  if (version == never) return "never";
  return std::to_string(version.major_number()) + "." + std::to_string(version.minor_number());
}

std::span<const Version> versions() { return version_table; }

std::optional<Version> parse_version(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const auto major = parse_number(text.substr(0, dot));
  auto minor_text = text.substr(dot + 1);
  while (minor_text.size() > 1 && minor_text.ends_with('0')) minor_text.remove_suffix(1);
  const auto minor = parse_number(minor_text);
  if (!major || !minor || *major > 24 || *minor > 9) return std::nullopt;
  const Version version{static_cast<std::uint8_t>(*major * 10 + *minor)};
  if (!std::ranges::binary_search(version_table, version)) return std::nullopt;
  return version;
}

std::span<const Target> targets() { return target_table; }

std::optional<TargetIndex> find_target(std::string_view name) {
  constexpr std::string_view virtual_prefix = "compute_";
  std::string spelled(name);
  if (name.starts_with(virtual_prefix)) spelled = "sm_" + std::string(name.substr(virtual_prefix.size()));
  for (std::size_t i = 0; i < std::size(target_table); ++i)
    if (target_table[i].name == spelled) return static_cast<TargetIndex>(i);
  return std::nullopt;
}

TargetSet all_targets() {
  return select([](const Target&) { return true; });
}

std::optional<TargetSet> parse_targets(std::string_view text) {
  const bool and_later = text.ends_with('+');
  if (and_later) text.remove_suffix(1);
  const auto index = find_target(text);
  if (!index) return std::nullopt;
  const Target& target = target_table[*index];
  if (and_later) {
    if (target.suffix == ' ') return at_least(target.number);
    if (target.suffix == 'f') return family_from(target.number, target.family);
    return std::nullopt;
  }
  return select(
      [&](const Target& t) { return canonical(t.number) == canonical(target.number) && t.suffix == target.suffix; });
}

std::string describe(TargetSet set) {
  if (set.empty()) return "no target";
  if (set == all_targets()) return "every target";
  for (const Target& target : target_table)
    if (target.suffix == ' ' && set == at_least(target.number)) return std::string(target.name) + " and later";
  // Families first, then what is left one by one.
  std::vector<std::string> parts;
  TargetSet left = set;
  for (const Target& target : target_table) {
    if (target.suffix != 'f' || target.number == 101) continue;
    const TargetSet family = family_from(target.number, target.family);
    if ((family.bits & left.bits) != family.bits) continue;
    const bool is_first = (left.bits & family.bits) == family.bits && left.has(*find_target(target.name));
    if (!is_first) continue;
    left.bits &= ~family.bits;
    parts.emplace_back(target.name);
  }
  std::vector<std::string> single = take_runs(left);
  for (std::size_t i = 0; i < std::size(target_table); ++i)
    if (left.has(static_cast<TargetIndex>(i))) single.emplace_back(target_table[i].name);
  const std::string families = parts.empty() ? ""
                                             : join(parts) + (parts.size() == 1 ? " and its family from there on"
                                                                                : " and their families from there on");
  if (!families.empty()) single.push_back(families);
  return join(single);
}

bool runs_on(const Target& target, unsigned number) {
  const unsigned device = canonical(number);
  const unsigned own = canonical(target.number);
  if (target.suffix == 'a') return device == own;
  if (target.suffix == ' ') return device >= own;
  return device >= own && std::ranges::any_of(target_table, [&](const Target& t) {
           return canonical(t.number) == device && t.family == target.family;
         });
}

}  // namespace ptxscope::isa
