#include "cli/kernel_names.h"

#include "analysis/names.h"

namespace ptxscope::cli {

std::string listed(const std::set<std::string>& words) {
  constexpr std::size_t enough = 40;
  std::string out;
  std::size_t shown = 0;
  for (const std::string& word : words) {
    if (shown++ == enough) return out + ", …";
    out += (out.empty() ? "" : ", ") + word;
  }
  return out;
}

void KernelNames::look_into(const Module& module) {
  if (patterns_.empty()) return;
  files_.push_back(module.file_name());
  for (const Function& function : module.functions()) {
    if (!function.has_body) continue;
    const std::string_view name = module.name(function.name);
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      matched_[i] = matched_[i] || analysis::matches_name(patterns_[i], name);
    }
    (function.kind == FunctionKind::entry ? kernels_ : others_).insert(std::string(name));
  }
}

void KernelNames::report(Run& run) const {
  if (files_.empty()) return;  // none could be read, which has been said
  const std::string where = files_.size() == 1 ? files_.front() : "the " + std::to_string(files_.size()) + " files";
  std::string present = "there is no kernel and no function with a body";
  if (!kernels_.empty()) {
    present = "the kernels are " + listed(kernels_);
  } else if (!others_.empty()) {
    present = "there is no kernel; the functions are " + listed(others_);
  }
  for (std::size_t i = 0; i < patterns_.size(); ++i) {
    if (!matched_[i]) run.fail(where + ": --kernel " + patterns_[i] + ": nothing is called that; " + present);
  }
}

}  // namespace ptxscope::cli
