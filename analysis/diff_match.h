// Which function and which variable of one module is which of the other.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "analysis/diff.h"
#include "analysis/diff_names.h"

namespace ptxscope::analysis::diff {

/// Indices into functions() or variables(); no_index: only one module has it.
struct Pairing {
  std::uint32_t a = no_index, b = no_index;
  MatchedBy by = MatchedBy::name;
};

/// Asked before each variable or function that is looked into. False: what is given then is worth nothing.
using GoesOn = std::function<bool()>;

/// By name, by stripped name, then by what they hold. Names of partners mean the same in `names` from then on.
[[nodiscard]] std::vector<Pairing> match_variables(const Module& a, const Module& b, SharedNames& names,
                                                   const GoesOn& goes_on);

/// By name, by stripped name, then by likeness of the bodies. In the order of B; behind them those of A alone. Of several
/// declarations of one name the one that Module::find_function() gives.
[[nodiscard]] std::vector<Pairing> match_functions(const Module& a, const Module& b, SharedNames& names,
                                                   const GoesOn& goes_on);

}  // namespace ptxscope::analysis::diff
