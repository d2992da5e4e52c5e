// Compute capabilities: the numbers behind targets, by architecture and by the GPUs people know.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/targets.h"

namespace ptxscope::isa {

/// A compute capability and what has it; a row of isa/devices.def.
struct Device {
  std::uint16_t number = 0;       ///< 90 for compute capability 9.0
  std::string_view architecture;  ///< "Hopper"
  std::string_view products;      ///< "H100, H200, GH200"; empty: none is published
};

/// All of them, by number.
[[nodiscard]] std::span<const Device> devices();
/// By number; 101 is 110, its name from PTX ISA 9.0 on. nullptr: no such device.
[[nodiscard]] const Device* find_device(unsigned number);
/// "9.0", "12.1".
[[nodiscard]] std::string capability_of(unsigned number);
/// "9.0" → 90.
[[nodiscard]] std::optional<unsigned> parse_capability(std::string_view text);
/// Those that PTX for `target` can be compiled for (runs_on).
[[nodiscard]] std::vector<const Device*> devices_of(const Target& target);
/// In words: "8.0 and later"; "10.0, 10.3, 10.7 (its family from there on)"; "9.0 only".
[[nodiscard]] std::string describe_devices(const Target& target);

}  // namespace ptxscope::isa
