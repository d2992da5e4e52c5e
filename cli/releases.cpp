// ptxscope releases: CUDA releases, the PTX ISA version of each, and the driver it needs.
#include "report/releases.h"

#include <algorithm>

#include "cli/command.h"
#include "cli/suggest.h"

namespace ptxscope::cli {

namespace {

struct ReleaseFilter {
  std::string cuda, isa, driver;
  bool all = false;
};

// nullopt: something that was asked for does not exist, which has been said.
std::optional<report::ReleaseList> select(Run& run, const ReleaseFilter& filter) {
  report::ReleaseList list;
  std::optional<isa::CudaVersion> cuda;
  if (!filter.cuda.empty()) {
    cuda = isa::parse_cuda_version(filter.cuda);
    if (!cuda) {
      run.fail("--cuda " + filter.cuda + ": not a CUDA version such as 12.8");
      return std::nullopt;
    }
    if (isa::find_release(*cuda) == nullptr) {
      std::vector<std::string> known;
      for (const isa::Release& release : isa::releases())
        if (release.cuda != isa::CudaVersion{}) known.push_back(isa::to_string(release.cuda));
      run.warn("--cuda " + filter.cuda + ": no such release is known" + suggest_number(isa::to_string(*cuda), known));
    }
  }
  if (!filter.isa.empty()) {
    list.isa = read_version(filter.isa);
    if (!list.isa) {
      run.fail("--isa " + filter.isa + ": there is no such PTX ISA version" + suggest_version(filter.isa));
      return std::nullopt;
    }
  }
  if (!filter.driver.empty()) {
    list.driver = isa::parse_driver_version(filter.driver);
    if (!list.driver) {
      run.fail("--driver " + filter.driver + ": not a driver's version such as 570, 580.65.06 or 595.97");
      return std::nullopt;
    }
    // As it was given, but for a letter before it: how many digits a part has tells nothing.
    list.driver_name = filter.driver.substr(filter.driver.find_first_of("0123456789"));
  }
  const isa::Release* const newest_of_driver = list.driver ? isa::support_of(*list.driver).release : nullptr;
  const bool is_filtered = cuda || list.isa || list.driver;
  constexpr isa::CudaVersion first_shown{10, 0};
  for (const isa::Release& release : isa::releases()) {
    if (cuda && release.cuda != *cuda) continue;
    if (list.isa && release.ptx < *list.isa) continue;
    if (list.driver && &release != newest_of_driver &&
        !(list.isa && newest_of_driver != nullptr && release.ptx <= newest_of_driver->ptx))
      continue;
    if (!is_filtered && !filter.all && release.cuda < first_shown) {
      list.older_left_out = true;
      continue;
    }
    list.releases.push_back(&release);
  }
  std::ranges::reverse(list.releases);
  return list;
}

}  // namespace

void add_releases(Program& program) {
  const auto filter = std::make_shared<ReleaseFilter>();
  CLI::App& app = program.add(
      {.name = "releases",
       .summary = "CUDA releases, the PTX ISA version of each, and the driver that takes it",
       .formats = {"text", "json"},
       .examples = {"ptxscope releases", "ptxscope releases --isa 8.7", "ptxscope releases --driver 595.97"},
       .words = ""},
      [filter](Run& run) {
        const auto list = select(run, *filter);
        if (!list) return;
        if (list->releases.empty()) run.object();
        run.add_document(run.is_json() ? report::releases_json(*list) : report::releases_text(*list, run.style()));
      });
  app.add_option("--cuda", filter->cuda, "only this release")->type_name("VERSION");
  app.add_option("--isa", filter->isa, "only those that take this PTX ISA version")->type_name("VERSION");
  app.add_option("--driver", filter->driver, "what this driver takes: 570, 580.65.06, 595.97")->type_name("VERSION");
  app.add_flag("--all", filter->all, "also those before CUDA 10.0");
}

}  // namespace ptxscope::cli
