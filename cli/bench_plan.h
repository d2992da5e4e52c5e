// What the flags of bench ask for: everything that can be told, and refused, without a GPU.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/bench_arguments.h"
#include "analysis/bench_statistics.h"
#include "cli/command.h"
#include "driver/bench.h"

namespace ptxscope::cli {

struct BenchFlags {
  std::string kernel, kernel_a, kernel_b;
  std::vector<std::string> arguments, arguments_a, arguments_b;
  std::string names, names_a, names_b;
  std::string sizes, grid = "ceil(n/block)", block, shared = "0", bytes;
  std::string margin = "1%", confidence = "99%", check;
  std::string plot, keep, replay;
  unsigned pairs = 30;
  unsigned seconds = 60;
  int device = 0;
  std::uint64_t seed = 1;
  bool cold = false;
  bool csv = false;
};

/// A file with the kernel picked out of it.
struct Subject {
  std::shared_ptr<const Module> module;
  std::uint32_t function = no_index;
  std::vector<analysis::ParameterInfo> params;
};

// Each reports what is wrong, and then gives nothing.
[[nodiscard]] std::optional<analysis::BenchRules> rules_of(Run& run, const BenchFlags& flags);
/// `flag` is the one that names the kernel.
[[nodiscard]] std::optional<Subject> read_subject(Run& run, const std::string& path, const std::string& kernel,
                                                  const std::string& names, const std::string& flag);
/// How to measure, and which sizes; not the plan, nor the images.
[[nodiscard]] std::optional<driver::BenchRequest> read_request(Run& run, const BenchFlags& flags);
[[nodiscard]] std::optional<analysis::BenchPlan> make_plan(Run& run, const BenchFlags& flags,
                                                           const std::vector<Subject>& subjects,
                                                           const driver::BenchRequest& request);
/// Formulas as text: "16,16".
[[nodiscard]] std::string extents_text(const std::array<analysis::Formula, 3>& extents);

}  // namespace ptxscope::cli
