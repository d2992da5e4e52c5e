// Whether the operands of one instruction go with it: how many, of which form, registers of which type (PTX ISA 9.2, 9.4).
#pragma once

#include <functional>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Calls `report` for each finding. Instructions that the tables do not know have none.
void check_operands(const Function& function, const Statement& instruction,
                    const std::function<void(Diagnostic)>& report);

}  // namespace ptxscope::analysis
