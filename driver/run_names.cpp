#include "driver/run_names.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analysis/launch.h"

namespace ptxscope::driver {

namespace {

// What an argument is called, without the part of it: "a" of "a.len", "arg0" of "arg0[8]".
std::vector<std::string> arguments_of(const analysis::FunctionTraps& kernel) {
  std::vector<std::string> arguments;
  for (const std::string& label : analysis::labels_of(kernel.params)) {
    std::string name = label.substr(0, label.find_first_of(".+["));
    if (std::ranges::find(arguments, name) == arguments.end()) arguments.push_back(std::move(name));
  }
  return arguments;
}

std::string listed(const std::vector<std::string>& words, std::string_view between, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i != 0) out += i + 1 == words.size() ? last : between;
    out += words[i];
  }
  return out;
}

}  // namespace

std::string names_without_argument(const analysis::RunReport& report, const std::vector<std::string>& names) {
  constexpr std::size_t shown = 3;
  std::set<std::string> known;
  std::vector<std::string> kernels;
  std::size_t count = 0;
  for (const analysis::RunModule& module : report.modules) {
    if (module.outcome != analysis::RunOutcome::instrumented) continue;
    if (module.code == nullptr) return {};  // too large to be read for this
    const Module& text = module.code->module;
    for (const analysis::FunctionTraps& traps : module.code->instrumented.report.functions) {
      const Function& function = text.functions()[traps.function];
      if (function.kind != FunctionKind::entry) continue;
      const std::vector<std::string> arguments = arguments_of(traps);
      known.insert(arguments.begin(), arguments.end());
      if (++count <= shown)
        kernels.push_back(std::string(text.name(function.name)) + ": " +
                          (arguments.empty() ? "none" : listed(arguments, ", ", ", ")));
    }
  }
  std::vector<std::string> unused;
  for (const std::string& name : names)
    if (!name.empty() && !known.contains(name.substr(0, name.find_first_of(".+[")))) unused.push_back(name);
  if (kernels.empty() || unused.empty()) return {};
  if (count > shown) kernels.push_back("…");
  return "--names: " + listed(unused, ", ", " and ") + ": no kernel with checks has so many arguments (" +
         listed(kernels, "; ", "; ") +
         "). Names count arguments from the first on; a slice's pointer and length are one.";
}

}  // namespace ptxscope::driver
