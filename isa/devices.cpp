#include "isa/devices.h"

#include <algorithm>
#include <charconv>

namespace ptxscope::isa {

namespace {

constexpr Device device_table[] = {
#define PTX_DEVICE(number, architecture, products) Device{number, architecture, products},
#include "isa/devices.def"
};

constexpr unsigned old_thor = 101;
constexpr unsigned thor = 110;

}  // namespace

std::span<const Device> devices() { return device_table; }

const Device* find_device(unsigned number) {
  const unsigned wanted = number == old_thor ? thor : number;
  const auto* const found = std::ranges::find(device_table, wanted, &Device::number);
  return found == std::end(device_table) ? nullptr : found;
}

std::string capability_of(unsigned number) { return std::to_string(number / 10) + "." + std::to_string(number % 10); }

std::optional<unsigned> parse_capability(std::string_view text) {
  const std::size_t dot = text.find('.');
  if (dot == std::string_view::npos || dot == 0 || dot > 2 || dot + 2 != text.size()) return std::nullopt;
  unsigned major = 0;
  unsigned minor = 0;
  const auto whole = std::from_chars(text.data(), text.data() + dot, major);
  const auto tenth = std::from_chars(text.data() + dot + 1, text.data() + text.size(), minor);
  if (whole.ptr != text.data() + dot || tenth.ptr != text.data() + text.size()) return std::nullopt;
  return major * 10 + minor;
}

std::vector<const Device*> devices_of(const Target& target) {
  std::vector<const Device*> result;
  for (const Device& device : device_table)
    if (runs_on(target, device.number)) result.push_back(&device);
  return result;
}

std::string describe_devices(const Target& target) {
  const unsigned number = target.number == old_thor ? thor : target.number;
  if (target.suffix == 'a') return capability_of(number) + " only";
  if (target.suffix == ' ') return capability_of(number) + " and later";
  std::string text;
  for (const Device* device : devices_of(target)) text += (text.empty() ? "" : ", ") + capability_of(device->number);
  return text + " (its family from there on)";
}

}  // namespace ptxscope::isa
