// What the analyses say of modules, as the JSON documents of docs/json.md.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/check_question.h"
#include "python/interruptible.h"
#include "python/loaded_module.h"

namespace ptxscope::python {

using Names = std::vector<std::string>;

/// A document, and the module that comes with it.
struct NewModule {
  std::string document;
  std::string text;
};

struct LaunchShape {
  std::array<std::uint32_t, 3> grid{}, block{};
};

/// {"module", "diagnostics", "functions": [{…function…, "has_body"}]}
[[nodiscard]] std::string overview_json(const Module& module);
/// One of functions()[index].
[[nodiscard]] std::string flow_json(const Module& module, std::uint32_t index);

// Those that follow throw Stopped once `stop` is set.

/// `arguments`: LABEL=VALUE, only with a `shape`.
[[nodiscard]] std::string explain_traps_json(const Module& module, const Names& kernels, const Names& names,
                                             const std::optional<LaunchShape>& shape, const Names& arguments,
                                             const Stop& stop);
[[nodiscard]] std::string stats_json(const Module& module, const Names& kernels, bool checks, bool live,
                                     const Stop& stop);
[[nodiscard]] std::string check_json(const Module& module, const cli::CheckRequest& request, bool all,
                                     const Stop& stop);
[[nodiscard]] std::string diff_json(const Module& a, const Module& b, const Names& kernels, const Stop& stop);
[[nodiscard]] std::string cfg_json(const Module& module, const Names& kernels, bool live, const Stop& stop);
/// `target`, `isa`: empty: as it is; "min": the lowest.
[[nodiscard]] NewModule retarget(const Module& module, const std::string& target, const std::string& isa, bool rewrite,
                                 const Stop& stop);
[[nodiscard]] NewModule instrument(const Module& module, const Names& names, const Stop& stop);

}  // namespace ptxscope::python
