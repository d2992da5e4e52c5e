// What a failing check says about itself: the name of the function it calls, the message it passes, the source place
// that stands in its arguments.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "analysis/traps.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

/// What the name of a panic function says about the check: bounds, divide_by_zero, overflow, assertion, alignment,
/// null; `other` for a panic that does not tell (unwrap, expect, panic!); nullopt: not the name of a failing check.
[[nodiscard]] std::optional<Check> check_named(std::string_view callee);

/// Message and source place in the arguments of a call that fails: `__assertfail(message, file, line, function, size)`,
/// Rust's `(message, length, &Location)`, `(&Location)`, `(index, length, &Location)`.
struct FailureText {
  std::optional<std::string> message;
  std::optional<SourcePlace> source;
};
[[nodiscard]] FailureText failure_text(FunctionValues& values, const Module& module, std::uint32_t call);

/// The format string of a `vprintf` (or the string given to a `…report…`) call in that block before the statement.
[[nodiscard]] std::optional<std::string> reported_text(FunctionValues& values, const Module& module,
                                                       std::uint32_t statement);

}  // namespace ptxscope::analysis
