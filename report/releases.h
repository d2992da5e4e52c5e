// CUDA releases, PTX ISA versions and drivers, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "isa/releases.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// Which releases are wanted, and for what driver they were asked.
struct ReleaseList {
  std::vector<const isa::Release*> releases;  ///< newest first
  std::optional<isa::DriverVersion> driver;   ///< nullopt: none was asked for
  std::string driver_name;                    ///< as it is called: "580.65.06"
  std::optional<isa::Version> isa;            ///< asked for; the releases are those that take it
  bool older_left_out = false;                ///< not all that there are: the text says so
};

/// A row for each release; in front, what the driver asked for takes.
[[nodiscard]] std::string releases_text(const ReleaseList& list, const TextStyle& style);
/// The document of schema ptxscope.releases/1.
[[nodiscard]] std::string releases_json(const ReleaseList& list);

/// "driver 595.97 (Windows) is of branch R595, of CUDA 13.2: it compiles PTX up to ISA 9.2."
[[nodiscard]] std::string describe_support(const isa::DriverVersion& driver, std::string_view name);

/// The targets that came with a PTX ISA version, by the manual: "sm_100, sm_100a, sm_101, sm_101a".
[[nodiscard]] std::vector<std::string_view> targets_new_in(isa::Version version);

}  // namespace ptxscope::report
