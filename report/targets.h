// What is known of .targets and of devices, for people and for programs.
#pragma once

#include <span>
#include <string>
#include <variant>

#include "isa/devices.h"
#include "isa/targets.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// Something that was asked for by name.
using TargetOrDevice = std::variant<isa::TargetIndex, const isa::Device*>;

/// All of them, a line for each device number.
[[nodiscard]] std::string targets_text(const TextStyle& style);
/// Each in some lines: since when, on what it runs; of a device, which targets run on it.
[[nodiscard]] std::string targets_text(std::span<const TargetOrDevice> wanted, const TextStyle& style);
/// The document of schema ptxscope.targets/1. `wanted` empty: all targets.
[[nodiscard]] std::string targets_json(std::span<const TargetOrDevice> wanted);

/// "base target", "family-specific target", "architecture-specific target".
[[nodiscard]] std::string_view kind_of(const isa::Target& target);

}  // namespace ptxscope::report
