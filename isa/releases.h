// CUDA releases, PTX ISA versions and drivers: which came with which, and what a driver takes.
//
// A driver compiles PTX up to the version of its own branch: R570 came with CUDA 12.8 and takes PTX ISA 8.7. "Minor
// version compatibility" lets programs of a newer CUDA 12 run on it, but only their machine code: it does not teach the
// driver a newer PTX (CUDA_ERROR_UNSUPPORTED_PTX_VERSION, 222).
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "isa/targets.h"

namespace ptxscope::isa {

/// "12.8". 0.0: none.
struct CudaVersion {
  std::uint16_t major_number = 0;                                                       ///< 12 of 12.8
  std::uint16_t minor_number = 0;                                                       ///< 8 of 12.8
  friend constexpr auto operator<=>(const CudaVersion&, const CudaVersion&) = default;  ///< by both numbers
};
/// "12.8"; "0.0" for none.
[[nodiscard]] std::string to_string(CudaVersion version);
/// "12.8", also "12.8.1" (updates bring no new PTX) and "12". Any number, released or not; nullopt: not a version.
[[nodiscard]] std::optional<CudaVersion> parse_cuda_version(std::string_view text);

/// A driver's version: "570", "595.97" (Windows, and older Linux ones), "580.65.06" (Linux).
struct DriverVersion {
  std::uint16_t branch = 0;                   ///< the first number
  std::optional<std::uint16_t> minor_number;  ///< the second; nullopt: the branch alone was given
  std::optional<std::uint16_t> patch_number;  ///< the third; nullopt: there is none
  /// By the numbers in order; one that is not there is below all.
  friend auto operator<=>(const DriverVersion&, const DriverVersion&) = default;
};
/// As it was written, but for leading zeros: "580.65.06".
[[nodiscard]] std::string to_string(const DriverVersion& version);
/// Also "R570", "r570", "v570.26". nullopt: not a driver's version.
[[nodiscard]] std::optional<DriverVersion> parse_driver_version(std::string_view text);

/// A CUDA release, or a driver branch without one; a row of isa/releases.def.
struct Release {
  CudaVersion cuda;                  ///< 0.0: a driver alone (PTX ISA 1.5)
  Version ptx;                       ///< the newest that it takes
  std::uint16_t branch = 0;          ///< of its driver; 0: not published
  std::string_view linux_minimum;    ///< by its release notes; empty: not published
  std::string_view windows_minimum;  ///< as linux_minimum
  std::string_view note;             ///< a sentence about it for people; empty: none
};

/// All of them, in order.
[[nodiscard]] std::span<const Release> releases();
/// nullptr: no such release.
[[nodiscard]] const Release* find_release(CudaVersion cuda);
/// The first toolkit that takes `version`; nullptr: none does.
[[nodiscard]] const Release* first_release_with(Version version);

/// "R570 (Linux 570.26, Windows 570.65, or later)"; "R615 or later"; "not published".
[[nodiscard]] std::string describe_driver(const Release& release);
/// "CUDA 12.8"; "driver R190".
[[nodiscard]] std::string name_of(const Release& release);

/// What a driver takes.
struct DriverSupport {
  /// Which operating system's numbering a driver's version follows.
  enum class Platform : std::uint8_t {
    not_told,  ///< a branch, or a number that may be of either
    linux_os,  ///< three numbers, or found in the Linux column
    windows,   ///< two numbers behind the first Linux release with three, or found in the Windows column
  };
  const Release* release = nullptr;        ///< the newest one of its branch or an older one; nullptr: older than all
  Platform platform = Platform::not_told;  ///< as far as the numbers tell
  /// Newer than every branch that is published: it may take newer PTX than `release` says.
  bool at_least = false;
  /// Older than the lowest driver in the release notes of `release`: a preview of its branch.
  bool preview = false;
};
/// By the branch alone: every driver of a branch takes what its release takes, previews apart.
[[nodiscard]] DriverSupport support_of(const DriverVersion& driver);

}  // namespace ptxscope::isa
