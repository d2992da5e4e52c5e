#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "analysis/names.h"
#include "report/expression.h"
#include "report/json_common.h"
#include "report/run.h"
#include "report/run_trap.h"

namespace ptxscope::report {
namespace {

using analysis::RunReport;

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : json_string(text); }

Json strings(const std::vector<std::string>& all) {
  Json out = Json::array();
  for (const std::string& one : all) out.push_back(json_string(one));
  return out;
}

Json value_of(const NamedNumber& number) {
  if (!number.bits) return nullptr;
  if (number.type == Type::f32 || number.type == Type::f64) {
    const double value = number.type == Type::f32
                             ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(*number.bits)))
                             : std::bit_cast<double>(*number.bits);
    return std::isfinite(value) ? Json(value) : Json(value_text(*number.bits, number.type));
  }
  const std::string text = value_text(*number.bits, number.type);
  return text.starts_with('-') ? Json(std::stoll(text)) : Json(*number.bits);
}

Json numbers(const std::vector<NamedNumber>& all) {
  Json out = Json::array();
  for (const NamedNumber& one : all) {
    const std::string_view type = ptxscope::spelling(one.type);
    out.push_back({{"name", json_string(one.name)},
                   {"type", type.empty() ? Json(nullptr) : Json(type)},
                   {"pointer", one.is_pointer},
                   {"value", value_of(one)}});
  }
  return out;
}

Json place(const std::optional<analysis::SourcePlace>& source) {
  if (!source) return nullptr;
  return {{"file", json_string(source->file)},
          {"line", source->line},
          {"column", source->column == 0 ? Json(nullptr) : Json(source->column)}};
}

Json trap_json(const RunReport& report, const analysis::RunTrap& trap) {
  const TrapAccount account = account_of(report, trap);
  Json out;
  out["pid"] = trap.pid;
  out["module"] = account.module;
  out["device"] = trap.device ? Json(*trap.device) : Json(nullptr);
  out["problem"] = text_or_null(account.problem);
  if (!account.decoded) return out;
  out["kernels"] = strings(account.kernels);
  out["trap"] = account.trap == 0 ? Json(nullptr) : Json(account.trap);
  out["site"] = account.site;
  out["function"] = json_string(account.function);
  out["line"] = account.line;
  out["column"] = account.column;
  out["kind"] = analysis::spelling(account.kind);
  out["check"] = analysis::spelling(account.check);
  out["callee"] = text_or_null(account.callee);
  out["message"] = account.message ? json_string(*account.message) : Json(nullptr);
  out["source"] = place(account.source);
  out["via"] = strings(account.via);
  out["text"] = json_string(headline(account));
  out["way"] = account.way ? Json(*account.way) : Json(nullptr);
  out["condition"] = text_or_null(account.condition);
  out["sides"] = numbers(account.sides);
  out["values"] = numbers(account.values);
  out["whole"] = account.whole;
  out["block"] = account.block;
  out["thread"] = account.thread;
  out["grid"] = account.grid;
  out["block_size"] = account.block_size;
  out["cluster"] = account.cluster ? Json(*account.cluster) : Json(nullptr);
  out["clusters"] = account.clusters ? Json(*account.clusters) : Json(nullptr);
  out["lane"] = account.lane;
  out["warp"] = account.warp;
  out["sm"] = account.sm;
  out["threads"] = nullptr;
  if (account.threads) {
    out["threads"] = {
        {"trapping", account.threads->trapping}, {"of", account.threads->of}, {"exact", account.threads->exact}};
  }
  out["parameters"] = numbers(account.parameters);
  out["notes"] = strings(account.notes);
  return out;
}

Json module_entry(const analysis::RunModule& module) {
  Json out;
  out["number"] = module.number;
  out["pid"] = module.pid;
  out["origin"] = text_or_null(module.origin);
  out["call"] = text_or_null(module.call);
  out["target"] = text_or_null(module.target);
  out["bytes"] = module.bytes;
  out["outcome"] = analysis::spelling(module.outcome);
  out["reason"] = text_or_null(module.reason);
  out["remedy"] = text_or_null(module.remedy);
  out["error"] = text_or_null(module.error);
  out["log"] = text_or_null(module.jit_log);
  out["recording_log"] = text_or_null(module.our_log);
  out["load_ms"] = module.load_ms ? Json(*module.load_ms) : Json(nullptr);
  out["prepared_ms"] = module.prepared_ms ? Json(*module.prepared_ms) : Json(nullptr);
  out["had_machine_code"] = module.had_machine_code;
  out["unrecorded"] = text_or_null(module.unrecorded);
  out["sites"] = module.code == nullptr ? Json(nullptr) : Json(module.code->instrumented.sites.size());
  out["left_alone"] = Json::array();
  if (module.code == nullptr) return out;
  const Module& text = module.code->module;
  for (const analysis::LeftAlone& left : module.code->instrumented.left_alone) {
    Json one;
    one["function"] =
        left.function == no_index ? Json(nullptr) : json_string(text.name(text.functions()[left.function].name));
    one["line"] = left.statement == no_index ? Json(nullptr) : Json(text.line_of_statement(left.statement));
    one["reason"] = json_string(left.reason);
    out["left_alone"].push_back(one);
  }
  return out;
}

Json kernel_json(const analysis::RunKernel& kernel) {
  Json out;
  out["pid"] = kernel.pid;
  out["name"] = text_or_null(kernel.name);
  out["demangled"] = text_or_null(analysis::demangled(kernel.name));
  out["module"] = kernel.module == 0 ? Json(nullptr) : Json(kernel.module);
  out["launches"] = kernel.launches;
  out["failed"] = kernel.failed;
  out["error"] = text_or_null(kernel.error);
  out["trapped"] = kernel.trapped;
  out["grid"] = kernel.grid;
  out["block"] = kernel.block;
  out["shared_bytes"] = kernel.shared_bytes;
  out["devices"] = kernel.devices;
  return out;
}

}  // namespace

std::string run_json(const RunReport& report) {
  Json out;
  out["schema"] = "ptxscope.run/1";
  out["file"] = nullptr;
  out["command"] = json_string(report.command);
  out["pid"] = report.pid;
  out["verdict"] = analysis::spelling(report.verdict);
  out["unwatched"] = Json::array();
  for (const analysis::RunUnwatched& one : report.unwatched) {
    out["unwatched"].push_back({{"pid", one.pid == 0 ? Json(nullptr) : Json(one.pid)},
                                {"program", text_or_null(one.program)},
                                {"reason", json_string(one.reason)},
                                {"remedy", text_or_null(one.remedy)},
                                {"opened_driver", one.opened_driver}});
  }
  out["more_unwatched"] = report.more_unwatched;
  out["driver"] = report.driver_opened ? Json({{"version", text_or_null(report.driver_version)}}) : Json(nullptr);
  out["devices"] = strings(report.devices);
  out["exit_status"] = report.exit_status ? Json(*report.exit_status) : Json(nullptr);
  out["signal"] = report.signal ? Json(*report.signal) : Json(nullptr);
  out["observed_only"] = report.observed_only;
  out["traps"] = Json::array();
  for (const analysis::RunTrap& trap : report.traps) out["traps"].push_back(trap_json(report, trap));
  out["modules"] = Json::array();
  for (const analysis::RunModule& module : report.modules) out["modules"].push_back(module_entry(module));
  out["kernels"] = Json::array();
  for (const analysis::RunKernel& kernel : report.kernels) out["kernels"].push_back(kernel_json(kernel));
  out["graph_launches"] = report.graph_launches;
  out["errors"] = Json::array();
  for (const analysis::RunError& error : report.errors) {
    out["errors"].push_back({{"pid", error.pid},
                             {"call", json_string(error.call)},
                             {"code", error.code},
                             {"name", json_string(error.name)},
                             {"explained", error.explained}});
  }
  out["notes"] = strings(report.notes);
  return dump(out);
}

}  // namespace ptxscope::report
