#include "cli/suggest.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <utility>

#include "cli/help.h"
#include "isa/devices.h"

namespace ptxscope::cli {

namespace {

using Number = std::pair<unsigned, unsigned>;

std::optional<unsigned> read_digits(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "12", "12.8".
std::optional<Number> read_number(std::string_view text) {
  const std::size_t dot = text.find('.');
  const auto whole = read_digits(text.substr(0, dot));
  const auto rest = dot == std::string_view::npos ? std::optional(0U) : read_digits(text.substr(dot + 1));
  if (!whole || !rest) return std::nullopt;
  return Number{*whole, *rest};
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// "90a" of "sm_90a", ".SM_90a", "compute_90a", "sm90a"; empty: none of these.
std::string after_prefix(std::string_view text) {
  std::string rest = lower(text.substr(text.starts_with('.') ? 1 : 0));
  for (const std::string_view prefix : {"sm_", "sm-", "sm", "compute_"})
    if (rest.starts_with(prefix)) return rest.substr(prefix.size());
  return {};
}

std::string did_you_mean(std::string_view guess) {
  return guess.empty() ? "" : "; did you mean " + std::string(guess) + "?";
}

// Of what stands in order: those beside the place where `wanted` would be.
std::string beside(const Number& wanted, const std::vector<std::pair<Number, std::string>>& known) {
  if (known.empty()) return {};
  const auto above = std::ranges::upper_bound(known, wanted, {}, [](const auto& one) { return one.first; });
  if (above == known.end()) return "; the newest known is " + known.back().second;
  if (above == known.begin()) return "; the oldest known is " + known.front().second;
  const auto& below = *(above - 1);
  if (below.first == wanted) return did_you_mean(below.second);
  return did_you_mean(below.second + " or " + above->second);
}

}  // namespace

std::string suggest_number(std::string_view text, const std::vector<std::string>& known) {
  const auto wanted = read_number(text);
  if (!wanted) return did_you_mean(nearest(text, known));
  std::vector<std::pair<Number, std::string>> numbers;
  for (const std::string& one : known)
    if (const auto number = read_number(one)) numbers.emplace_back(*number, one);
  return beside(*wanted, numbers);
}

std::string suggest_version(std::string_view text) {
  std::vector<std::string> known;
  for (const isa::Version version : isa::versions()) known.push_back(isa::to_string(version));
  return suggest_number(text, known);
}

std::string suggest_target(std::string_view text) {
  const auto capability = isa::parse_capability(text);
  if (const auto target = read_target(capability ? std::to_string(*capability) : std::string(text)))
    return did_you_mean(isa::targets()[*target].name);
  std::string number = capability ? std::to_string(*capability) : after_prefix(text);
  if (number.empty()) number = lower(text);
  const char suffix = number.ends_with('a') || number.ends_with('f') ? number.back() : ' ';
  while (!number.empty() && std::isalpha(static_cast<unsigned char>(number.back())) != 0) number.pop_back();
  const auto wanted = read_digits(number);
  std::vector<std::string> names;
  std::vector<std::pair<Number, std::string>> numbers;
  for (const isa::Target& target : isa::targets()) {
    names.emplace_back(target.name);
    if (target.suffix == ' ' && wanted == target.number) return did_you_mean(target.name);
    if (target.suffix == suffix) numbers.emplace_back(Number{target.number, 0}, target.name);
  }
  return wanted ? beside({*wanted, 0}, numbers) : did_you_mean(nearest(text, names));
}

std::optional<isa::Version> read_version(std::string_view text) {
  if (const auto version = isa::parse_version(text)) return version;
  return read_digits(text) ? isa::parse_version(std::string(text) + ".0") : std::nullopt;
}

std::optional<isa::TargetIndex> read_target(std::string_view text) {
  if (const auto target = isa::find_target(text)) return target;
  std::string number = after_prefix(text);
  if (number.empty()) number = lower(text);
  return isa::find_target("sm_" + number);
}

bool looks_like_target(std::string_view text) {
  const std::string rest = after_prefix(text);
  return !rest.empty() && std::isdigit(static_cast<unsigned char>(rest.front())) != 0;
}

}  // namespace ptxscope::cli
