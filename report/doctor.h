// Writers of what ptxscope doctor found: a list for people, JSON for programs (docs/json.md).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "driver/doctor.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// One run of doctor: of the machine, or of modules of NVVM IR.
struct DoctorReport {
  driver::Findings findings;                 ///< what was found on this machine
  std::vector<driver::Check> checks;         ///< what is shown, in order
  std::optional<driver::NvvmModule> module;  ///< nullopt: the machine was looked at
};

/// A line for each check, ✓, ! or ✗, with what to do about it; at the end how many there are.
[[nodiscard]] std::string doctor_text(const DoctorReport& report, const TextStyle& style);
/// The document of schema ptxscope.doctor/1.
[[nodiscard]] std::string doctor_json(const DoctorReport& report);

}  // namespace ptxscope::report
