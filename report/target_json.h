// A target as JSON documents have it.
#pragma once

#include "isa/targets.h"
#include "report/json_common.h"

namespace ptxscope::report {

/// {"name", "kind": "target", "suffix", "isa", …}: of ptxscope.targets/1 and ptxscope.explain/1.
[[nodiscard]] Json target_json(const isa::Target& target);

}  // namespace ptxscope::report
