#include <nlohmann/json.hpp>

#include "isa/releases.h"
#include "report/check.h"
#include "report/check_parts.h"
#include "report/json_common.h"

namespace ptxscope::report {

namespace {

using analysis::FeatureNeed;
using analysis::Fit;
using analysis::Problem;

Json version_or_null(const std::optional<isa::Version>& version) {
  return version ? Json(isa::to_string(*version)) : Json(nullptr);
}
Json target_or_null(const std::optional<isa::TargetIndex>& target) {
  return target ? Json(isa::targets()[*target].name) : Json(nullptr);
}
Json text_or_null(const std::optional<std::string>& text) { return text ? json_string(*text) : Json(nullptr); }

Json names_of(isa::TargetSet set) {
  Json out = Json::array();
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (set.has(static_cast<isa::TargetIndex>(i))) out.push_back(isa::targets()[i].name);
  return out;
}

Json lines_of(const Module& module, const std::vector<Span>& places) {
  Json out = Json::array();
  for (const Span place : places) out.push_back(module.position(place).line);
  return out;
}

Json problem_json(const Module& module, const Problem& problem) {
  Json out = diagnostic_json(module, problem.diagnostic);
  out["count"] = problem.count;
  out["lines"] = lines_of(module, problem.places);
  return out;
}

Json problems_json(const Module& module, const std::vector<Problem>& problems) {
  Json out = Json::array();
  for (const Problem& problem : problems) out.push_back(problem_json(module, problem));
  return out;
}

Json requires_json(const analysis::CheckReport& report) {
  Json out;
  out["isa"] = version_or_null(lowest_version(report));
  out["targets"] = names_of(report.targets);
  out["target"] = target_or_null(simplest_target(report));
  out["by_target"] = Json::object();
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (report.targets.has(static_cast<isa::TargetIndex>(i)))
      out["by_target"][std::string(isa::targets()[i].name)] = isa::to_string(report.requirement.needed.lowest[i]);
  return out;
}

// The first target in the table's order: the lowest one.
Json lowest_target(isa::TargetSet set) {
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (set.has(static_cast<isa::TargetIndex>(i))) return isa::targets()[i].name;
  return nullptr;
}

Json reason_json(const Module& module, const FeatureNeed& need) {
  const isa::TargetSet set = need.requirement.targets();
  const isa::Version version = need.requirement.lowest_version();
  const Position place = need.places.empty() ? Position{} : module.position(need.places.front());
  Json out;
  out["line"] = place.line;
  out["column"] = place.column;
  out["feature"] = json_string(need.name);
  out["isa"] = version == isa::never || version == isa::Version{} ? Json(nullptr) : Json(isa::to_string(version));
  out["target"] = set == isa::all_targets() ? Json(nullptr) : lowest_target(set);
  out["targets"] = set == isa::all_targets() ? Json(nullptr) : names_of(set);
  out["rule"] = set.empty() ? "PTX-ILLEGAL" : set == isa::all_targets() ? "PTX-ISA" : "PTX-TARGET";
  out["note"] = need.section.empty() ? Json(nullptr) : json_string("PTX ISA manual " + std::string(need.section));
  out["decides"] = need.decides;
  out["count"] = need.count;
  out["lines"] = lines_of(module, need.places);
  return out;
}

Json loads_on(const Fit& fit) {
  Json out = Json::array();
  const isa::Release* const release = first_reader(fit);
  if (release == nullptr) return out;
  Json one;
  const auto at_least = [](std::string_view number) {
    return number.empty() ? Json(nullptr) : Json("≥ " + std::string(number));
  };
  one["driver"] = release->branch == 0             ? Json(nullptr)
                  : release->linux_minimum.empty() ? at_least(std::to_string(release->branch))
                                                   : at_least(release->linux_minimum);
  one["driver_windows"] = at_least(release->windows_minimum);
  one["cuda"] = isa::to_string(release->cuda);
  out.push_back(std::move(one));
  return out;
}

Json explanations_json(const Fit& fit) {
  Json out = Json::array();
  for (const std::string& sentence : fit.explanations) out.push_back(json_string(sentence));
  return out;
}

Json against_json(const Module& module, const Fit& fit, const CheckWords& asked) {
  Json out;
  out["target"] = target_or_null(fit.target);
  out["isa"] = version_or_null(fit.version);
  out["cuda"] = text_or_null(asked.cuda);
  out["driver"] = text_or_null(asked.driver);
  out["devices"] = Json::array();
  for (const std::string& device : asked.devices) out["devices"].push_back(json_string(device));
  out["remarks"] = Json::array();
  for (const std::string& remark : asked.remarks) out["remarks"].push_back(json_string(remark));
  out["ok"] = fit.ok();
  out["explanations"] = explanations_json(fit);
  out["problems"] = problems_json(module, fit.problems);
  out["advice"] = problems_json(module, fit.advice);
  return out;
}

}  // namespace

std::string check_json(const Module& module, const analysis::CheckReport& report, const CheckWords& asked) {
  Json out = document("check", module);
  out["requires"] = requires_json(report);
  Json& declared = out["declared"];
  declared["isa"] = version_or_null(report.declared.version);
  declared["target"] = target_or_null(report.declared.target);
  declared["ok"] = report.declared.ok();
  declared["explanations"] = explanations_json(report.declared);
  declared["problems"] = problems_json(module, report.declared.problems);
  declared["advice"] = problems_json(module, report.declared.advice);
  out["reasons"] = Json::array();
  for (const FeatureNeed& need : report.needs) out["reasons"].push_back(reason_json(module, need));
  out["features"] = report.requirement.features;
  out["loads_on"] = loads_on(report.declared);
  out["against"] = report.against ? against_json(module, *report.against, asked) : Json(nullptr);
  out["complete"] = report.complete;
  out["unknown"] = Json::array();
  for (const Diagnostic& one : report.requirement.unknown) out["unknown"].push_back(diagnostic_json(module, one));
  out["diagnostics"] = Json::array();
  for (const Diagnostic& one : report.diagnostics) out["diagnostics"].push_back(diagnostic_json(module, one));
  return dump(out);
}

}  // namespace ptxscope::report
