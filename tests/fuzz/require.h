// What a fuzz target asks of its result: a property that does not hold ends the process, which the fuzzer keeps as a find.
#pragma once

#include <string_view>

namespace ptxscope::fuzz {

/// Says on the standard error that the process began with (a command's own is caught) what does not hold, and aborts.
[[noreturn]] void fail(std::string_view property, std::string_view detail = {});

inline void require(bool holds, std::string_view property, std::string_view detail = {}) {
  if (!holds) fail(property, detail);
}

}  // namespace ptxscope::fuzz
