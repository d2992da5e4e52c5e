#include <nlohmann/json.hpp>

#include "isa/devices.h"
#include "report/doctor.h"
#include "report/json_common.h"

namespace ptxscope::report {

namespace {

using namespace driver;

Json text_or_null(const std::string& text) { return text.empty() ? Json(nullptr) : json_string(text); }

std::string_view spelling(Mark mark) {
  switch (mark) {
    case Mark::good:
      return "ok";
    case Mark::warning:
      return "warning";
    case Mark::wrong:
      break;
  }
  return "wrong";
}

std::string_view spelling(Toolkit::Kind kind) {
  switch (kind) {
    case Toolkit::Kind::toolkit:
      return "toolkit";
    case Toolkit::Kind::wheels:
      return "wheels";
    case Toolkit::Kind::triton:
      break;
  }
  return "triton";
}

Json version_json(unsigned major, unsigned minor) { return std::to_string(major) + "." + std::to_string(minor); }

Json device_json(const FoundDevice& device, const FoundDriver& driver) {
  Json out;
  out["name"] = json_string(device.name);
  out["capability"] = isa::capability_of(device.capability);
  out["memory_bytes"] = device.memory;
  const TakenTargets taken = targets_taken(device.capability, driver.newest_ptx());
  Json targets = Json::array();
  if (taken.base) targets.push_back(isa::targets()[*taken.base].name);
  for (const isa::TargetIndex index : taken.specific) targets.push_back(isa::targets()[index].name);
  out["targets"] = std::move(targets);
  return out;
}

Json driver_json(const FoundDriver& driver) {
  Json out;
  out["library"] = text_or_null(driver.path);
  out["version"] = text_or_null(driver.version());
  out["cuda"] = driver.cuda ? Json(isa::to_string(*driver.cuda)) : Json(nullptr);
  const auto newest = driver.newest_ptx();
  out["isa"] = newest ? Json(isa::to_string(*newest)) : Json(nullptr);
  out["at_least"] = driver.is_newer_than_table();
  out["status"] = driver.init ? Json(static_cast<int>(*driver.init)) : Json(nullptr);
  out["devices"] = Json::array();
  for (const FoundDevice& device : driver.devices) out["devices"].push_back(device_json(device, driver));
  return out;
}

Json component_json(const Component& component) {
  Json out;
  out["part"] = driver::spelling(component.part);
  out["path"] = json_string(component.path);
  out["version"] = text_or_null(component.full_version);
  out["nvvm_ir"] = component.ir ? version_json(component.ir->major_number, component.ir->minor_number) : Json(nullptr);
  out["nvvm_debug"] = component.ir ? version_json(component.ir->debug_major, component.ir->debug_minor) : Json(nullptr);
  out["trouble"] = text_or_null(component.trouble);
  return out;
}

Json toolkit_json(const Toolkit& toolkit) {
  Json out;
  out["kind"] = spelling(toolkit.kind);
  out["folder"] = json_string(toolkit.folder);
  const auto version = toolkit.version();
  out["cuda"] = version ? Json(isa::to_string(*version)) : Json(nullptr);
  out["in_use"] = toolkit.in_use;
  out["found_by"] = Json::array();
  for (const std::string& way : toolkit.found_by) out["found_by"].push_back(json_string(way));
  out["parts"] = Json::array();
  for (const Component& component : toolkit.components) out["parts"].push_back(component_json(component));
  return out;
}

Json module_json(const NvvmModule& module) {
  Json out;
  out["versions"] = Json::array();
  for (const NvvmDeclaration& declaration : module.versions) {
    Json one;
    one["line"] = declaration.line == 0 ? Json(nullptr) : Json(declaration.line);
    one["numbers"] = declaration.numbers;
    out["versions"].push_back(std::move(one));
  }
  out["debug_info"] = module.has_debug_info;
  out["debug_info_version"] = module.debug_info_version ? Json(*module.debug_info_version) : Json(nullptr);
  return out;
}

}  // namespace

std::string doctor_json(const DoctorReport& report) {
  Json out;
  out["schema"] = "ptxscope.doctor/1";
  out["file"] = report.module ? json_string(report.module->file) : Json(nullptr);
  out["ok"] = all_well(report.checks);
  out["wsl"] = report.findings.is_wsl;
  out["driver"] = report.findings.asked_driver ? driver_json(report.findings.driver) : Json(nullptr);
  out["toolkits"] = Json::array();
  for (const Toolkit& toolkit : report.findings.toolkits) out["toolkits"].push_back(toolkit_json(toolkit));
  out["nvvm_ir"] = report.module ? module_json(*report.module) : Json(nullptr);
  out["checks"] = Json::array();
  for (const Check& check : report.checks) {
    Json one;
    one["id"] = check.id;
    one["group"] = check.group;
    one["result"] = spelling(check.mark);
    one["text"] = json_string(check.text);
    one["detail"] = text_or_null(check.detail);
    one["remedy"] = text_or_null(check.remedy);
    out["checks"].push_back(std::move(one));
  }
  return dump(out);
}

}  // namespace ptxscope::report
