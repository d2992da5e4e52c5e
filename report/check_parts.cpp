#include "report/check_parts.h"

#include <algorithm>
#include <map>

namespace ptxscope::report {

namespace {

struct FeatureText {
  std::string_view tag, description;
};
constexpr FeatureText feature_texts[] = {
#define PTX_FEATURE(tag, description) FeatureText{tag, description},
#include "isa/features.def"
};

void add_each_place(const Module& module, std::vector<Diagnostic>& out,
                    const std::vector<analysis::Problem>& problems) {
  for (const analysis::Problem& problem : problems)
    for (const Span place : problem.places) out.push_back(diagnostic_at(module, problem, place));
}

}  // namespace

std::string header_words(const Header& header, const analysis::Fit& fit) {
  std::string version = "?";
  if (fit.version) version = isa::to_string(*fit.version);
  else if (!header.version_span.empty())
    version = std::to_string(header.version_major) + "." + std::to_string(header.version_minor);
  std::string target = "?";
  if (fit.target) target = isa::targets()[*fit.target].name;
  else if (!header.targets.empty()) target = printable(header.targets.back(), 60);
  return ".version " + version + ", .target " + target;
}

Verdict verdict_on(const analysis::CheckReport& report, const analysis::Fit& fit, std::string_view yes,
                   std::string_view no) {
  const std::string errors = errors_in_words(report);
  if (!fit.ok()) {
    const std::size_t count = fit.problems.size();
    return {Ink::error, std::string(no),
            ", " + std::to_string(count) + (count == 1 ? " problem" : " problems") +
                (errors.empty() ? "" : ", and " + errors)};
  }
  if (!errors.empty()) return {Ink::error, errors + "; the rest " + std::string(yes), ""};
  if (!report.complete) return {Ink::warning, std::string(yes) + ", as far as known", ""};
  return {Ink::good, std::string(yes), ""};
}

std::string describe_reader(const isa::Release& release) {
  return isa::name_of(release) + " or later" + (release.branch == 0 ? "" : "; driver " + isa::describe_driver(release));
}

Diagnostic diagnostic_at(const Module& module, const analysis::Problem& problem, Span place) {
  Diagnostic one = problem.diagnostic;
  one.span = place;
  if (problem.quoted != 0) one.message.replace(0, problem.quoted, module.text(place));
  return one;
}

std::string_view describe_feature(std::string_view tag) {
  const auto* const found = std::ranges::find(feature_texts, tag, &FeatureText::tag);
  return found == std::end(feature_texts) ? std::string_view() : found->description;
}

std::string describe(const isa::Requirement& requirement) {
  const isa::TargetSet set = requirement.targets();
  if (set.empty()) return "no .target";
  std::string text;
  const isa::Version version = requirement.lowest_version();
  if (version != isa::Version{}) text = "PTX ISA " + isa::to_string(version);
  if (set != isa::all_targets()) text += (text.empty() ? "" : ", ") + isa::describe(set);
  return text;
}

std::vector<TargetsByVersion> targets_by_version(const analysis::CheckReport& report) {
  std::map<isa::Version, std::vector<std::string_view>> groups;
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (report.targets.has(static_cast<isa::TargetIndex>(i)))
      groups[report.requirement.needed.lowest[i]].push_back(isa::targets()[i].name);
  std::vector<TargetsByVersion> result;
  for (auto& [version, names] : groups) result.push_back({version, std::move(names)});
  return result;
}

std::optional<isa::Version> lowest_version(const analysis::CheckReport& report) {
  const auto target = simplest_target(report);
  if (!target) return std::nullopt;
  return report.requirement.needed.lowest[*target];
}

std::optional<isa::TargetIndex> simplest_target(const analysis::CheckReport& report) {
  std::optional<isa::TargetIndex> best;
  for (std::size_t i = 0; i < isa::targets().size(); ++i) {
    const auto index = static_cast<isa::TargetIndex>(i);
    if (!report.targets.has(index)) continue;
    // In order of number, base ones before the others.
    if (!best || report.requirement.needed.lowest[i] < report.requirement.needed.lowest[*best]) best = index;
  }
  return best;
}

const isa::Release* first_reader(const analysis::Fit& fit) {
  if (!fit.version || (fit.target && *fit.version < isa::targets()[*fit.target].lowest)) return nullptr;
  return isa::first_release_with(*fit.version);
}

std::size_t count_errors(const analysis::CheckReport& report) {
  return static_cast<std::size_t>(std::ranges::count(report.diagnostics, Level::error, &Diagnostic::level));
}

std::string errors_in_words(const analysis::CheckReport& report) {
  const std::size_t errors = count_errors(report);
  if (errors == 0) return {};
  return "the text has " + std::to_string(errors) + (errors == 1 ? " error" : " errors");
}

std::vector<Diagnostic> all_diagnostics(const Module& module, const analysis::CheckReport& report) {
  std::vector<Diagnostic> out = report.diagnostics;
  add_each_place(module, out, report.answer().problems);
  add_each_place(module, out, report.answer().advice);
  out.insert(out.end(), report.requirement.unknown.begin(), report.requirement.unknown.end());
  std::stable_sort(out.begin(), out.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return a.span.begin < b.span.begin; });
  return out;
}

}  // namespace ptxscope::report
