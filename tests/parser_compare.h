// Compares two Modules in all that can be asked of them.
#pragma once

#include <optional>
#include <string>

#include "parser/module.h"

namespace ptxscope {

/// What differs first, in words; nullopt when nothing does. With `spans` false, places in the text are left out: then
/// modules read from two layouts of the same program are equal.
std::optional<std::string> difference(const Module& a, const Module& b, bool spans = true);

}  // namespace ptxscope
