#include "report/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/names.h"
#include "report/json_common.h"
#include "report/site_labels.h"
#include "report/terminal.h"

namespace ptxscope::report {
namespace {

using analysis::Instrumented;
using analysis::LeftAlone;
using analysis::RecordedValue;
using analysis::Site;

std::string place_of(const Module& module, std::uint32_t statement) {
  const Position at = module.position(module.statement(statement).span());
  return fmt::format("{}:{}:{}", printable(module.file_name()), at.line, at.column);
}

std::string place_of(const Module& module, const LeftAlone& left) {
  if (left.statement != no_index) return place_of(module, left.statement);
  if (left.function == no_index) return printable(module.file_name());
  return place_of(module, module.functions()[left.function].header);
}

std::string what_of(const Module& module, const LeftAlone& left) {
  if (left.function == no_index) return "the module is left as it is";
  const std::string name = printable(module.name(module.functions()[left.function].name));
  return left.statement == no_index ? name + " is left as it is" : "this trap of " + name + " is left as it is";
}

std::string joined(const std::vector<std::string>& parts) {
  std::string out;
  for (const std::string& part : parts) out += (out.empty() ? "" : ", ") + part;
  return out;
}

std::string sentence(const Module& module, const Instrumented& instrumented, const Site& site) {
  std::vector<std::string> kernels;
  for (const analysis::SiteTrap& link : site.traps) {
    const auto& traps = instrumented.report.functions[link.entry];
    kernels.push_back(fmt::format("{} trap {}", printable(module.name(module.functions()[traps.function].name)),
                                  traps.traps[link.trap].id));
  }
  const SiteLabels labels(module, instrumented, site);
  std::vector<std::string> values;
  for (const RecordedValue& value : site.values) {
    const std::string text = to_text(module, *instrumented.report.pool, value.expr, labels.labels());
    values.push_back(text == "?" ? "a compared register of unknown origin" : printable(text, 80));
  }
  const std::string who =
      kernels.empty() ? "a trap of " + printable(module.name(module.functions()[site.function].name)) : joined(kernels);
  std::string out = fmt::format("{}: records {}", place_of(module, site.statement), who);
  if (!values.empty()) out += " with " + joined(values);
  const bool is_decided =
      std::ranges::any_of(site.ways, [](const analysis::SiteWay& way) { return way.branch != no_index; });
  if (values.empty() && is_decided && site.notes.empty())
    out += site.has_parameters ? "; what it compares follows from the thread and the parameters"
                               : "; what it compares follows from the thread";
  for (const std::string& note : site.notes) out += "; " + note;
  return out;
}

}  // namespace

std::vector<std::string> instrument_sentences(const Module& module, const Instrumented& instrumented) {
  std::vector<std::string> sentences;
  for (const Site& site : instrumented.sites) sentences.push_back(sentence(module, instrumented, site));
  for (const LeftAlone& left : instrumented.left_alone)
    sentences.push_back(fmt::format("{}: {}: {}", place_of(module, left), what_of(module, left), left.reason));
  if (sentences.empty())
    sentences.push_back(printable(module.file_name()) + ": nothing in it traps; nothing to record");
  return sentences;
}

std::string instrument_json(const Module& module, const Instrumented& instrumented, const std::string& output) {
  Json out = document("instrument", module);
  out["changed"] = instrumented.changed;
  out["record"] = instrumented.changed ? Json(instrumented.record_name) : Json(nullptr);
  out["claim"] = instrumented.changed ? Json(instrumented.claim_name) : Json(nullptr);
  out["tag"] = instrumented.tag;
  out["sites"] = Json::array();
  for (const Site& site : instrumented.sites) {
    const Position at = module.position(module.statement(site.statement).span());
    const SiteLabels labels(module, instrumented, site);
    const analysis::ExprPool& pool = *instrumented.report.pool;
    Json one;
    one["site"] = site.number;
    one["function"] = json_string(module.name(module.functions()[site.function].name));
    one["line"] = at.line;
    one["column"] = at.column;
    one["kind"] = analysis::spelling(site.kind);
    one["callee"] = site.callee.empty() ? Json(nullptr) : json_string(site.callee);
    one["traps"] = Json::array();
    for (const analysis::SiteTrap& link : site.traps) {
      const auto& traps = instrumented.report.functions[link.entry];
      const analysis::Trap& trap = traps.traps[link.trap];
      Json entry;
      entry["kernel"] = json_string(module.name(module.functions()[traps.function].name));
      entry["trap"] = trap.id;
      entry["check"] = analysis::spelling(trap.check);
      one["traps"].push_back(entry);
    }
    one["ways"] = Json::array();
    for (const analysis::SiteWay& way : site.ways) {
      const bool decided = way.branch < module.statement_count();
      one["ways"].push_back({{"branch_line", decided ? Json(module.line_of_statement(way.branch)) : Json(nullptr)},
                             {"condition", json_string(to_text(module, pool, way.condition, labels.labels()))}});
    }
    one["values"] = Json::array();
    for (const RecordedValue& value : site.values) {
      const std::string_view type = ptxscope::spelling(value.type);
      one["values"].push_back({{"slot", value.slot},
                               {"bits", value.bits},
                               {"type", type.empty() ? Json(nullptr) : Json(type)},
                               {"text", json_string(to_text(module, pool, value.expr, labels.labels()))}});
    }
    one["parameters"] = site.has_parameters;
    one["notes"] = Json::array();
    for (const std::string& note : site.notes) one["notes"].push_back(json_string(note));
    out["sites"].push_back(one);
  }
  out["left_alone"] = Json::array();
  for (const LeftAlone& left : instrumented.left_alone) {
    Json one;
    one["function"] =
        left.function == no_index ? Json(nullptr) : json_string(module.name(module.functions()[left.function].name));
    one["line"] = left.statement == no_index ? Json(nullptr) : Json(module.line_of_statement(left.statement));
    one["reason"] = json_string(left.reason);
    out["left_alone"].push_back(one);
  }
  out["edits"] = Json::array();
  for (const analysis::InstrumentEdit& edit : instrumented.edits) {
    out["edits"].push_back(
        {{"begin", edit.span.begin}, {"end", edit.span.end}, {"bytes", edit.after.size()}, {"site", edit.site}});
  }
  out["output"] = output.empty() ? Json(nullptr) : json_string(output);
  return dump(out);
}

}  // namespace ptxscope::report
