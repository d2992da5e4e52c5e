// What ptxas cannot read although the grammar can: bytes that end its text or that it knows no use for, and a header that
// does not stand where or as it looks for it.
#pragma once

#include <functional>

#include "parser/module.h"

namespace ptxscope::analysis {

/// Errors by rule PTX-LEX (bytes) and PTX-HEADER (.version and .target), each kind once.
void check_text(const Module& module, const std::function<void(Diagnostic)>& report);

/// A warning of the first comment with a byte that is not ASCII: ptxas of CUDA 13.0 refuses it, that of 13.5 takes it.
void check_comments(const Module& module, const std::function<void(Diagnostic)>& report);

/// Whether a warning of the parser is of something that ptxas refuses.
[[nodiscard]] bool is_refused_by_ptxas(const Diagnostic& warning);

}  // namespace ptxscope::analysis
