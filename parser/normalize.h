// One layout for all modules, so that two texts of the same program become the same text.
#pragma once

#include <string>

#include "parser/module.h"

namespace ptxscope {

/// One statement a line, indented by scope, one blank between words. Comments stand on lines of their own, before the
/// statement they were in or behind. What did not parse is left as it is. Reading the result gives an equal Module (but for
/// places in the text); normalizing it again changes nothing.
[[nodiscard]] std::string normalized(const Module& module);

}  // namespace ptxscope
