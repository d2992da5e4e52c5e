#include "isa/releases.h"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace ptxscope::isa {

namespace {

consteval std::uint16_t number_of(std::string_view text) {
  std::uint16_t number = 0;
  for (const char c : text) number = static_cast<std::uint16_t>(number * 10 + (c - '0'));
  return number;
}
consteval CudaVersion cuda_of(std::string_view text) {
  if (text.empty()) return {};
  const std::size_t dot = text.find('.');
  return {number_of(text.substr(0, dot)), number_of(text.substr(dot + 1))};
}
consteval Version ptx_of(std::string_view text) {
  return {static_cast<std::uint8_t>((text[0] - '0') * 10 + (text[2] - '0'))};
}

constexpr Release release_table[] = {
#define PTX_RELEASE(cuda, ptx, branch, linux_driver, windows_driver, note) \
  Release{cuda_of(cuda), ptx_of(ptx), branch, linux_driver, windows_driver, note},
#include "isa/releases.def"
};

// Reads a number off the front of `text`, and the dot behind it.
std::optional<std::uint16_t> take_number(std::string_view& text) {
  std::uint16_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  if (text.starts_with('.') && text.size() > 1) text.remove_prefix(1);
  return number;
}

bool in_column(const DriverVersion& driver, std::string_view Release::*column) {
  return std::ranges::any_of(release_table, [&](const Release& release) {
    return !(release.*column).empty() && parse_driver_version(release.*column) == driver;
  });
}

// Linux drivers have three numbers from 430 on, with few exceptions that the table names; Windows ones two.
DriverSupport::Platform platform_of(const DriverVersion& driver) {
  using Platform = DriverSupport::Platform;
  if (!driver.minor_number) return Platform::not_told;
  if (driver.patch_number) return Platform::linux_os;
  const bool linux_number = in_column(driver, &Release::linux_minimum);
  const bool windows_number = in_column(driver, &Release::windows_minimum);
  if (linux_number != windows_number) return linux_number ? Platform::linux_os : Platform::windows;
  constexpr std::uint16_t all_linux_have_three = 450;
  return driver.branch >= all_linux_have_three ? Platform::windows : Platform::not_told;
}

}  // namespace

std::string to_string(CudaVersion version) {
  return std::to_string(version.major_number) + "." + std::to_string(version.minor_number);
}

std::optional<CudaVersion> parse_cuda_version(std::string_view text) {
  const auto major = take_number(text);
  if (!major) return std::nullopt;
  if (text.empty()) return CudaVersion{*major, 0};
  const auto minor = take_number(text);
  if (!minor) return std::nullopt;
  if (!text.empty() && (!take_number(text) || !text.empty())) return std::nullopt;
  return CudaVersion{*major, *minor};
}

std::string to_string(const DriverVersion& version) {
  // Two digits as the driver itself has it: 580.65.06.
  const auto padded = [](std::uint16_t number) { return (number < 10 ? ".0" : ".") + std::to_string(number); };
  std::string text = std::to_string(version.branch);
  if (version.minor_number) text += padded(*version.minor_number);
  if (version.patch_number) text += padded(*version.patch_number);
  return text;
}

std::optional<DriverVersion> parse_driver_version(std::string_view text) {
  if (!text.empty() && (text[0] == 'R' || text[0] == 'r' || text[0] == 'v')) text.remove_prefix(1);
  DriverVersion version;
  const auto branch = take_number(text);
  if (!branch || *branch == 0) return std::nullopt;
  version.branch = *branch;
  if (!text.empty() && !(version.minor_number = take_number(text))) return std::nullopt;
  if (!text.empty() && !(version.patch_number = take_number(text))) return std::nullopt;
  if (!text.empty()) return std::nullopt;
  return version;
}

std::span<const Release> releases() { return release_table; }

const Release* find_release(CudaVersion cuda) {
  if (cuda == CudaVersion{}) return nullptr;
  const auto* const found = std::ranges::find(release_table, cuda, &Release::cuda);
  return found == std::end(release_table) ? nullptr : found;
}

const Release* first_release_with(Version version) {
  const auto* const found = std::ranges::find_if(
      release_table, [&](const Release& release) { return release.ptx >= version && release.cuda != CudaVersion{}; });
  return found == std::end(release_table) ? nullptr : found;
}

std::string describe_driver(const Release& release) {
  if (release.branch == 0) return "not published";
  const std::string branch = "R" + std::to_string(release.branch);
  if (release.linux_minimum.empty() && release.windows_minimum.empty()) return branch + " or later";
  std::string text = branch + " (";
  if (!release.linux_minimum.empty()) text += "Linux " + std::string(release.linux_minimum) + ", ";
  if (!release.windows_minimum.empty()) text += "Windows " + std::string(release.windows_minimum) + ", ";
  return text + "or later)";
}

std::string name_of(const Release& release) {
  if (release.cuda == CudaVersion{}) return "driver R" + std::to_string(release.branch);
  return "CUDA " + to_string(release.cuda);
}

DriverSupport support_of(const DriverVersion& driver) {
  DriverSupport support;
  std::uint16_t newest_branch = 0;
  for (const Release& release : release_table) {
    newest_branch = std::max(newest_branch, release.branch);
    if (release.branch != 0 && release.branch <= driver.branch) support.release = &release;
  }
  support.platform = platform_of(driver);
  if (support.release == nullptr) return support;
  support.at_least = driver.branch > newest_branch;
  const bool windows = support.platform == DriverSupport::Platform::windows;
  const std::string_view lowest = windows ? support.release->windows_minimum : support.release->linux_minimum;
  const auto minimum = parse_driver_version(lowest);
  support.preview = support.platform != DriverSupport::Platform::not_told && minimum && driver < *minimum;
  return support;
}

}  // namespace ptxscope::isa
