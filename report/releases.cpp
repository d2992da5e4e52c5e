#include "report/releases.h"

#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "report/json_common.h"

namespace ptxscope::report {

namespace {

using isa::DriverSupport;
using isa::Release;

std::string or_dash(std::string_view text) { return text.empty() ? "-" : std::string(text); }

std::string joined(const std::vector<std::string_view>& words) {
  std::string out;
  for (const std::string_view word : words) out += (out.empty() ? "" : ", ") + std::string(word);
  return out;
}

// Those of the version that this release is the first of.
std::vector<std::string_view> new_targets(const Release& release) {
  for (const Release& other : isa::releases()) {
    if (other.ptx != release.ptx) continue;
    if (&other != &release) return {};
    break;
  }
  return targets_new_in(release.ptx);
}

std::string remarks(const Release& release) {
  std::string text = joined(new_targets(release));
  if (!release.note.empty()) text += (text.empty() ? "" : "; ") + std::string(release.note);
  return text;
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : Json(text); }

Json release_json(const Release& release) {
  Json out;
  out["cuda"] = release.cuda == isa::CudaVersion{} ? Json(nullptr) : Json(isa::to_string(release.cuda));
  out["isa"] = isa::to_string(release.ptx);
  out["branch"] = release.branch == 0 ? Json(nullptr) : Json(release.branch);
  out["linux"] = text_or_null(release.linux_minimum);
  out["windows"] = text_or_null(release.windows_minimum);
  out["new_targets"] = Json::array();
  for (const std::string_view target : new_targets(release)) out["new_targets"].push_back(target);
  out["note"] = text_or_null(release.note);
  return out;
}

std::string_view name_of(DriverSupport::Platform platform) {
  switch (platform) {
    case DriverSupport::Platform::linux_os:
      return "Linux";
    case DriverSupport::Platform::windows:
      return "Windows";
    case DriverSupport::Platform::not_told:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::string_view> targets_new_in(isa::Version version) {
  std::vector<std::string_view> result;
  for (const isa::Target& target : isa::targets())
    if (target.manual.value_or(target.lowest) == version) result.push_back(target.name);
  return result;
}

std::string describe_support(const isa::DriverVersion& driver, std::string_view name) {
  const DriverSupport support = isa::support_of(driver);
  std::string text = "driver " + std::string(name);
  if (const std::string_view system = name_of(support.platform); !system.empty())
    text += " (" + std::string(system) + ")";
  if (support.release == nullptr) return text + " is older than every driver in the table.";
  const std::string branch = "R" + std::to_string(support.release->branch);
  if (support.at_least)
    return text + " is newer than " + branch + ", the newest branch that is published (" +
           isa::name_of(*support.release) + "): it compiles PTX up to ISA " + isa::to_string(support.release->ptx) +
           " at least.";
  text += " is of branch " + branch;
  if (support.release->cuda != isa::CudaVersion{}) text += ", which came with " + isa::name_of(*support.release);
  text += ": it compiles PTX up to ISA " + isa::to_string(support.release->ptx) + ".";
  if (support.preview) text += " It is older than the one that the release notes ask for, a preview.";
  return text;
}

std::string releases_text(const ReleaseList& list, const TextStyle& style) {
  std::string out;
  if (list.driver) {
    out += wrapped(describe_support(*list.driver, list.driver_name), 0, 0, style) + "\n";
    if (list.releases.empty() && !list.isa) return out;
    out += "\n";
  }
  if (list.isa) {
    const Release* first = isa::first_release_with(*list.isa);
    std::string sentence = "PTX ISA " + isa::to_string(*list.isa) + " came with " + isa::name_of(*first);
    sentence += first->branch == 0 ? "; the driver branch of that is not published."
                                   : "; driver " + isa::describe_driver(*first) + " compiles it.";
    out += wrapped(sentence, 0, 0, style) + "\n\n";
  }
  if (list.releases.empty()) {
    while (out.ends_with("\n\n")) out.pop_back();
    return out.empty() ? "no such release\n" : out;
  }
  Columns columns(style);
  columns.head({"CUDA", "PTX ISA", "driver", "Linux", "Windows", "new targets"});
  for (const Release* release : list.releases)
    columns.add({release->cuda == isa::CudaVersion{} ? "-" : isa::to_string(release->cuda),
                 isa::to_string(release->ptx), release->branch == 0 ? "-" : "R" + std::to_string(release->branch),
                 or_dash(release->linux_minimum), or_dash(release->windows_minimum), remarks(*release)});
  out += columns.text() + "\n";
  if (list.older_left_out) out += "Older ones: --all.\n";
  out += wrapped(
      "Linux, Windows: the lowest driver by the toolkit's release notes. -: not published. A driver compiles PTX "
      "up to the version of its own branch, whichever toolkit a program was built with.",
      0, 0, style);
  return out + "\n";
}

std::string releases_json(const ReleaseList& list) {
  Json out;
  out["schema"] = "ptxscope.releases/1";
  out["file"] = nullptr;
  out["driver"] = nullptr;
  if (list.driver) {
    const DriverSupport support = isa::support_of(*list.driver);
    Json driver;
    driver["version"] = list.driver_name;
    const std::string_view system = name_of(support.platform);
    driver["system"] = text_or_null(system);
    driver["isa"] = support.release == nullptr ? Json(nullptr) : Json(isa::to_string(support.release->ptx));
    driver["at_least"] = support.at_least;
    driver["preview"] = support.preview;
    out["driver"] = driver;
  }
  out["releases"] = Json::array();
  for (const Release* release : list.releases) out["releases"].push_back(release_json(*release));
  return dump(out);
}

}  // namespace ptxscope::report
