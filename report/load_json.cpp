#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "isa/devices.h"
#include "report/check_parts.h"
#include "report/diagnostics.h"
#include "report/json_common.h"
#include "report/load.h"

namespace ptxscope::report {

namespace {

double rounded(double number, double places) { return std::round(number * places) / places; }

Json kernel_json(const driver::LoadReport& load, const driver::LoadedKernel& kernel) {
  Json out;
  out["name"] = json_string(kernel.name);
  if (!kernel.error.empty()) {
    out["error"] = json_string(kernel.error);
    return out;
  }
  out["registers"] = kernel.registers;
  out["local_bytes"] = kernel.local_bytes;
  out["shared_bytes"] = kernel.shared_bytes;
  out["const_bytes"] = kernel.const_bytes;
  out["max_threads"] = kernel.max_threads;
  out["ptx_version"] = kernel.ptx_version;
  out["binary_version"] = kernel.binary_version;
  const auto usage = std::ranges::find(load.log.usage, kernel.name, &driver::JitUsage::function);
  const bool is_told = usage != load.log.usage.end();
  out["spill_store_bytes"] = is_told ? Json(usage->spill_stores) : Json(nullptr);
  out["spill_load_bytes"] = is_told ? Json(usage->spill_loads) : Json(nullptr);
  out["stack_bytes"] = is_told ? Json(usage->stack) : Json(nullptr);
  out["occupancy"] = Json::array();
  for (const driver::Occupancy& one : kernel.occupancy) {
    Json entry;
    entry["block"] = one.block;
    entry["blocks_per_multiprocessor"] = one.blocks;
    entry["occupancy"] = rounded(one.share(), 10000);
    out["occupancy"].push_back(std::move(entry));
  }
  return out;
}

Json message_json(const driver::JitMessage& message) {
  Json out;
  out["level"] = spelling(message.level);
  out["line"] = message.line == 0 ? Json(nullptr) : Json(message.line);
  out["function"] = message.function.empty() ? Json(nullptr) : json_string(message.function);
  out["text"] = json_string(message.text);
  return out;
}

}  // namespace

std::string load_json(const Module& module, const LoadedFile& file) {
  const driver::LoadReport& load = file.load;
  Json out = document("load", module);
  Json device;
  device["ordinal"] = load.device.ordinal;
  device["name"] = json_string(load.device.name);
  device["capability"] = isa::capability_of(load.device.capability);
  device["driver_cuda"] = std::to_string(load.device.cuda_major) + "." + std::to_string(load.device.cuda_minor);
  out["device"] = std::move(device);
  out["loaded"] = load.is_loaded;
  out["status"] = static_cast<int>(load.error.status);
  out["error"] = load.is_loaded ? Json(nullptr) : json_string(load.error.sentence);
  out["milliseconds"] = Json::array();
  for (const double one : load.milliseconds) out["milliseconds"].push_back(rounded(one, 1000));
  out["median_milliseconds"] = load.milliseconds.empty() ? Json(nullptr) : Json(rounded(load.median(), 1000));
  out["compiler_milliseconds"] =
      load.compiler_milliseconds > 0 ? Json(rounded(load.compiler_milliseconds, 1000)) : Json(nullptr);
  out["messages"] = Json::array();
  for (const driver::JitMessage& message : load.log.messages) out["messages"].push_back(message_json(message));
  out["log"] = json_string(load.raw_log);
  out["log_is_cut"] = load.log_is_cut;
  out["kernels"] = Json::array();
  for (const driver::LoadedKernel& kernel : load.kernels) out["kernels"].push_back(kernel_json(load, kernel));
  out["reasons"] = Json::array();
  if (file.reasons)
    for (const Diagnostic& diagnostic : all_diagnostics(module, *file.reasons))
      out["reasons"].push_back(diagnostic_json(module, diagnostic));
  return dump(out);
}

}  // namespace ptxscope::report
