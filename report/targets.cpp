#include "report/targets.h"

#include <nlohmann/json.hpp>

#include "isa/releases.h"
#include "report/columns.h"
#include "report/json_common.h"
#include "report/target_json.h"

namespace ptxscope::report {

namespace {

using isa::Device;
using isa::Target;
using isa::TargetIndex;

std::string since(const Target& target) {
  std::string text = isa::to_string(target.lowest);
  if (target.manual && *target.manual != target.lowest) text += " (manual: " + isa::to_string(*target.manual) + ")";
  return text;
}

std::string names_of(const Device& device) {
  std::string text(device.architecture);
  if (!device.products.empty()) text += ": " + std::string(device.products);
  return text;
}

// "sm_90 and later" says it all for a base target: each later device would be one more line.
std::string runs_on_text(const Target& target, const TextStyle& style) {
  if (target.suffix == ' ') {
    std::string text = isa::describe_devices(target);
    if (const Device* device = isa::find_device(target.number)) text += "; " + names_of(*device);
    return "  runs on  " + wrapped(text, 11, 11, style) + "\n";
  }
  std::string out = "  runs on  " + wrapped(isa::describe_devices(target), 11, 11, style) + "\n";
  Columns columns(style, 11);
  for (const Device* device : isa::devices_of(target))
    columns.add({isa::capability_of(device->number), names_of(*device)});
  return out + columns.text();
}

std::string target_text(const Target& target, const TextStyle& style) {
  std::string out = paint(style, Ink::bold, target.name) + "  " + std::string(kind_of(target)) + "\n";
  std::string first = "PTX ISA " + since(target);
  if (const isa::Release* release = isa::first_release_with(target.lowest)) first += ", " + isa::name_of(*release);
  out += "  since    " + wrapped(first, 11, 11, style) + "\n" + runs_on_text(target, style);
  if (target.suffix != ' ') {
    std::string others;
    for (const Target& other : isa::targets())
      if (other.number == target.number && other.suffix != target.suffix)
        others += (others.empty() ? "" : ", ") + std::string(other.name);
    if (!others.empty()) out += "  see also " + others + "\n";
  }
  if (!target.note.empty()) out += "  note     " + wrapped(target.note, 11, 11, style) + "\n";
  return out;
}

std::string device_text(const Device& device, const TextStyle& style) {
  std::string out = paint(style, Ink::bold, isa::capability_of(device.number)) + "  " + names_of(device) + "\n";
  std::string specific;
  const Target* newest = nullptr;  // of the base targets
  for (const Target& target : isa::targets()) {
    if (!isa::runs_on(target, device.number)) continue;
    if (target.suffix == ' ') newest = &target;
    else specific += ", " + std::string(target.name);
  }
  if (newest == nullptr) return out;
  const std::string text = "base targets up to " + std::string(newest->name) + specific;
  out += "  runs     " + wrapped(text, 11, 11, style) + "\n";
  return out;
}

Json device_json(const Device& device) {
  Json out;
  out["capability"] = isa::capability_of(device.number);
  out["architecture"] = device.architecture;
  out["products"] = device.products.empty() ? Json(nullptr) : Json(device.products);
  out["targets"] = Json::array();
  for (const Target& target : isa::targets())
    if (isa::runs_on(target, device.number)) out["targets"].push_back(target.name);
  return out;
}

}  // namespace

Json target_json(const Target& target) {
  Json out;
  out["name"] = target.name;
  out["kind"] = "target";
  out["suffix"] = target.suffix == ' ' ? Json(nullptr) : Json(std::string(1, target.suffix));
  out["isa"] = isa::to_string(target.lowest);
  out["manual_isa"] = target.manual ? Json(isa::to_string(*target.manual)) : Json(nullptr);
  const isa::Release* release = isa::first_release_with(target.lowest);
  out["cuda"] = release != nullptr ? Json(isa::to_string(release->cuda)) : Json(nullptr);
  out["runs_on"] = Json::array();
  for (const Device* device : isa::devices_of(target)) out["runs_on"].push_back(isa::capability_of(device->number));
  out["note"] = target.note.empty() ? Json(nullptr) : Json(target.note);
  return out;
}

std::string_view kind_of(const Target& target) {
  if (target.suffix == 'a') return "architecture-specific target";
  return target.suffix == 'f' ? "family-specific target" : "base target";
}

std::string targets_text(const TextStyle& style) {
  Columns columns(style);
  columns.head({"target", "since", "with suffix", "device", "GPUs"});
  const auto all = isa::targets();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Target& target = all[i];
    if (target.suffix != ' ') continue;
    std::string suffixed;
    for (const Target& other : all)
      if (other.number == target.number && other.suffix != ' ')
        suffixed += (suffixed.empty() ? "" : ", ") + std::string(1, other.suffix) + " " + isa::to_string(other.lowest);
    const Device* device = isa::find_device(target.number);
    const bool renamed = device != nullptr && device->number != target.number;
    columns.add({std::string(target.name), since(target), suffixed,
                 device == nullptr ? "" : isa::capability_of(device->number),
                 device == nullptr || renamed ? std::string(target.note) : names_of(*device)});
  }
  std::string out = columns.text() + "\n";
  out += wrapped(
      "since: the PTX ISA version from which ptxas takes it. A base target's code runs on its device and all later "
      "ones, "
      "with the suffix f on later devices of its family, with a on its own device only (PTX ISA 11.1.2).",
      0, 0, style);
  return out + "\n";
}

std::string targets_text(std::span<const TargetOrDevice> wanted, const TextStyle& style) {
  std::string out;
  for (const TargetOrDevice& one : wanted) {
    if (!out.empty()) out += '\n';
    if (const auto* index = std::get_if<TargetIndex>(&one)) out += target_text(isa::targets()[*index], style);
    else out += device_text(*std::get<const Device*>(one), style);
  }
  return out;
}

std::string targets_json(std::span<const TargetOrDevice> wanted) {
  Json out;
  out["schema"] = "ptxscope.targets/1";
  out["file"] = nullptr;
  out["targets"] = Json::array();
  out["devices"] = Json::array();
  for (const TargetOrDevice& one : wanted) {
    if (const auto* index = std::get_if<TargetIndex>(&one))
      out["targets"].push_back(target_json(isa::targets()[*index]));
    else out["devices"].push_back(device_json(*std::get<const Device*>(one)));
  }
  if (wanted.empty()) {
    for (const Target& target : isa::targets()) out["targets"].push_back(target_json(target));
    for (const Device& device : isa::devices()) out["devices"].push_back(device_json(device));
  }
  return dump(out);
}

}  // namespace ptxscope::report
