// What is wrong with one declaration by itself: alignments, initial values, directives of functions (PTX ISA 5.4, 11.2 to
// 11.4). The checks are those of ptxas that depend on no target.
#pragma once

#include <functional>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Calls `report` for each finding in the module's declarations, those in bodies included.
void check_each_declaration(const Module& module, const std::function<void(Diagnostic)>& report);

}  // namespace ptxscope::analysis
