// ptxscope targets: every .target, since when, and which devices its code runs on.
#include "report/targets.h"

#include <algorithm>
#include <cctype>

#include "cli/command.h"
#include "cli/help.h"

namespace ptxscope::cli {

namespace {

bool contains_word(std::string_view text, std::string_view word) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  return std::search(text.begin(), text.end(), word.begin(), word.end(), same) != text.end();
}

std::vector<report::TargetOrDevice> find(std::string_view name) {
  if (const auto target = isa::find_target(name)) return {*target};
  if (const auto number = isa::parse_capability(name)) {
    if (const isa::Device* device = isa::find_device(*number)) return {device};
    return {};
  }
  std::vector<report::TargetOrDevice> found;
  if (name.size() < 2) return found;
  for (const isa::Device& device : isa::devices())
    if (contains_word(device.architecture, name) || contains_word(device.products, name)) found.emplace_back(&device);
  return found;
}

}  // namespace

void add_targets(Program& program) {
  program.add({.name = "targets",
               .summary = "every .target: since which PTX ISA version, and which GPUs its code runs on",
               .formats = {"text", "json"},
               .examples = {"ptxscope targets", "ptxscope targets sm_100f", "ptxscope targets 12.0",
                            "ptxscope targets hopper T4"},
               .words = "[NAME...]"},
              [](Run& run) {
                std::vector<report::TargetOrDevice> wanted;
                for (const std::string& name : run.options().words) {
                  const auto found = find(name);
                  wanted.insert(wanted.end(), found.begin(), found.end());
                  if (!found.empty()) continue;
                  std::vector<std::string> names;
                  for (const isa::Target& target : isa::targets()) names.emplace_back(target.name);
                  const std::string guess = nearest(name, names);
                  run.warn(name + ": no target, compute capability, architecture or GPU of that name is known" +
                           (guess.empty() ? "" : "; did you mean " + guess + "?"));
                  run.object();
                }
                if (wanted.empty() && !run.options().words.empty()) return;
                if (run.is_json()) run.add_document(report::targets_json(wanted));
                else
                  run.add_document(wanted.empty() ? report::targets_text(run.style())
                                                  : report::targets_text(wanted, run.style()));
              });
}

}  // namespace ptxscope::cli
