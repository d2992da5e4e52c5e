// Which values a site records: sides of its guards, and what they are made of, in registers that still hold them.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/failures.h"
#include "analysis/instrument.h"
#include "analysis/instrument_code.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

/// Whether an expression follows from what each record holds: the thread, and (`with_parameters`) the kernel's
/// parameters.
[[nodiscard]] bool follows_from_record(const ExprPool& pool, ExprId expr, bool with_parameters);

struct SiteValues {
  std::vector<RecordedValue> values;
  std::vector<StoredRegister> registers;  ///< one for each value
  /// For each way: whether the record tells what it compares.
  std::vector<bool> told;
};

/// `place`: the statement in front of which the code stands. `at_end`: the code stands at the end of the function's
/// body instead, where registers of inner scopes are not seen. Slots are given out from `first_slot` on.
[[nodiscard]] SiteValues choose_values(FunctionValues& values, const Module& module, const std::vector<Deciding>& ways,
                                       std::uint32_t place, bool at_end, bool with_parameters,
                                       std::uint32_t first_slot = 0);

}  // namespace ptxscope::analysis
