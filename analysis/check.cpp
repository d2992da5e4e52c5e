#include "analysis/check.h"

#include <algorithm>
#include <map>

#include "analysis/checks.h"
#include "analysis/text_checks.h"

namespace ptxscope::analysis {

namespace {

// Everywhere at least as much as `other`.
bool covers(const isa::Requirement& requirement, const isa::Requirement& other) {
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (requirement.lowest[i] < other.lowest[i]) return false;
  return true;
}

bool is_unparsed(const Module& module) {
  const auto diagnostics = module.diagnostics();
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const Diagnostic& one) { return one.level == Level::error; });
}

// With the version that introduced each target counted in, as a header must satisfy both.
isa::Requirement with_targets(const isa::Requirement& requirement) {
  isa::Requirement result = requirement;
  result.raise(isa::nothing_needed());
  return result;
}

void mark_deciding(std::vector<FeatureNeed>& needs) {
  std::vector<isa::Requirement> effective;
  effective.reserve(needs.size());
  for (const FeatureNeed& need : needs) effective.push_back(with_targets(need.requirement));
  for (std::size_t i = 0; i < needs.size(); ++i) {
    bool decides = effective[i] != isa::nothing_needed();
    for (std::size_t k = 0; decides && k < needs.size(); ++k)
      decides = k == i || !covers(effective[k], effective[i]) || effective[k] == effective[i];
    needs[i].decides = decides;
  }
}

}  // namespace

bool CheckReport::ok() const {
  return complete && answer().ok() && std::none_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& one) {
           return one.level == Level::error;
         });
}

std::optional<isa::Version> lowest_version(const ModuleRequirement& requirement, isa::TargetIndex target) {
  const isa::Version lowest = requirement.needed.lowest[target];
  if (lowest == isa::never || lowest > requirement.last.lowest[target]) return std::nullopt;
  return lowest;
}

std::optional<isa::TargetIndex> declared_target(const Module& module) {
  const auto& targets = module.header().targets;
  for (auto target = targets.rbegin(); target != targets.rend(); ++target)
    if (const auto found = isa::find_target(*target)) return found;
  return std::nullopt;
}

std::optional<isa::Version> declared_version(const Module& module) {
  const Header& header = module.header();
  return isa::parse_version(std::to_string(header.version_major) + "." + std::to_string(header.version_minor));
}

std::vector<FeatureNeed> feature_needs(const ModuleRequirement& requirement) {
  std::vector<FeatureNeed> needs;
  std::map<std::string, std::vector<std::size_t>> by_name;
  for (const Reason& reason : requirement.reasons) {
    std::string name = reason.clause->feature();
    auto& same_name = by_name[name];
    const auto same = std::find_if(same_name.begin(), same_name.end(),
                                   [&](std::size_t i) { return needs[i].requirement == reason.clause->requirement; });
    if (same == same_name.end()) {
      same_name.push_back(needs.size());
      needs.push_back(
          {std::move(name), reason.clause->requirement, reason.clause->section, reason.count, reason.places, false});
      continue;
    }
    FeatureNeed& need = needs[*same];
    // Two lines of the table that hold for the same instructions.
    if (need.count == reason.count && need.places == reason.places) continue;
    need.count += reason.count;
    need.places.insert(need.places.end(), reason.places.begin(), reason.places.end());
    std::sort(need.places.begin(), need.places.end(), [](Span a, Span b) { return a.begin < b.begin; });
  }
  mark_deciding(needs);
  std::stable_sort(needs.begin(), needs.end(), [](const FeatureNeed& a, const FeatureNeed& b) {
    if (a.decides != b.decides) return a.decides;
    return !a.places.empty() && !b.places.empty() && a.places.front().begin < b.places.front().begin;
  });
  return needs;
}

CheckReport check(const Module& module, const CheckQuestion& question, const CheckOptions& options) {
  CheckReport report;
  report.diagnostics.assign(module.diagnostics().begin(), module.diagnostics().end());
  for (Diagnostic& one : report.diagnostics)
    if (is_refused_by_ptxas(one)) one.level = Level::error;
  for (Diagnostic& one : check_semantics(module, {.jobs = options.jobs, .stop = options.stop}))
    report.diagnostics.push_back(std::move(one));
  if (is_stopped(options.stop)) return report;
  check_comments(module, [&](Diagnostic one) { report.diagnostics.push_back(std::move(one)); });
  std::stable_sort(report.diagnostics.begin(), report.diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  report.requirement = requirements(module, {options.places, options.jobs, options.stop});
  if (is_stopped(options.stop)) return report;
  report.needs = feature_needs(report.requirement);
  for (std::size_t i = 0; i < isa::targets().size(); ++i) {
    const auto target = static_cast<isa::TargetIndex>(i);
    if (lowest_version(report.requirement, target)) report.targets.add(target);
  }
  report.complete = report.requirement.unknown.empty() && !is_unparsed(module);
  report.declared = fit_header(module, report.requirement, report.needs, {});
  if (!question.empty()) report.against = fit_header(module, report.requirement, report.needs, question);
  // What is wrong with the header is said once, with the way out that fits the whole module; so is what is not known.
  std::erase_if(report.diagnostics, [&](const Diagnostic& one) {
    const auto says_it = [&](const Diagnostic& other) {
      return one.rule == other.rule && one.span.begin == other.span.begin;
    };
    const auto& problems = report.declared.problems;
    const auto& unknown = report.requirement.unknown;
    return std::any_of(problems.begin(), problems.end(),
                       [&](const Problem& problem) { return says_it(problem.diagnostic); }) ||
           std::any_of(unknown.begin(), unknown.end(), says_it);
  });
  return report;
}

}  // namespace ptxscope::analysis
