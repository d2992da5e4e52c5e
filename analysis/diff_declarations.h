// Headers, signatures and variables compared.
#pragma once

#include "analysis/diff.h"
#include "analysis/diff_body.h"
#include "analysis/diff_match.h"

namespace ptxscope::analysis::diff {

[[nodiscard]] std::vector<HeaderChange> compare_headers(const Module& a, const Module& b);

/// Kind, linkage, parameters and directives of two functions.
void compare_signatures(const Module& a, const Module& b, const Function& left, const Function& right,
                        std::vector<Edit>& out);

/// Module-level variables, and the other statements outside functions that are no debug information.
void compare_variables(const Module& a, const Module& b, std::span<const Pairing> pairs, BodyReader& reader_a,
                       BodyReader& reader_b, std::vector<DeclarationDiff>& out);
void compare_other_statements(const Module& a, const Module& b, std::vector<DeclarationDiff>& out);

}  // namespace ptxscope::analysis::diff
