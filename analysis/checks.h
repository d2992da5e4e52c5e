// The checks of ptxas that need no target: names that are not declared or declared twice, branches to nowhere, operands
// that do not go with their instruction. An error is what ptxas refuses for certain; where that is not sure, a warning.
#pragma once

#include <vector>

#include "analysis/stop.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// How much check_semantics() looks for.
struct SemanticOptions {
  std::size_t limit = 1000;  ///< findings
  unsigned jobs = 1;         ///< threads that may work at it; the findings are the same
  StopFlag stop = nullptr;   ///< ends it early
};

/// In order of place, at most `limit`. Rules: PTX-UNDECLARED, PTX-REDECLARED, PTX-LABEL, PTX-OPERANDS, PTX-TYPE. A name
/// that is not declared is reported where it first stands, once for each function.
[[nodiscard]] std::vector<Diagnostic> check_semantics(const Module& module, const SemanticOptions& options = {});

/// The part of it that looks into no body: what is declared twice, prototypes, sizes, initial values.
[[nodiscard]] std::vector<Diagnostic> check_declarations(const Module& module, std::size_t limit = 1000);

}  // namespace ptxscope::analysis
