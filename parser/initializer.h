// What stands after the `=` of a variable.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "parser/intern.h"
#include "parser/module.h"

namespace ptxscope {

/// The first dimension of `x[] = {…}`, whose elements have `inner` values each.
[[nodiscard]] std::uint64_t inferred_dimension(std::string_view text, Span initializer, std::uint64_t inner);

/// All values in order, braces taken away; a short inner list is filled up with zeros.
[[nodiscard]] std::vector<InitializerValue> initializer_values(std::string_view text, const Variable& variable,
                                                               const NameTable& names);

}  // namespace ptxscope
