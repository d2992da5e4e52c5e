// Two bodies compared.
#pragma once

#include "analysis/diff.h"
#include "analysis/diff_body.h"
#include "analysis/diff_mapping.h"

namespace ptxscope::analysis::diff {

/// Compares two bodies item by item, in order: whether they are the same but for which variable is which. The common case,
/// and a fast one. `mapping` is of registers (Body's variables), `locals` of local names.
[[nodiscard]] bool same_in_step(const Body& a, const Body& b, Mapping& mapping, Mapping& locals);

/// Whether both are declared alike, but for the name.
[[nodiscard]] bool same_declaration(const Variable& a, const Variable& b);

/// Fills in edits, moves, same_code, too_different and, where asked for, the names.
void compare_bodies(const Body& a, const Body& b, bool with_names, std::uint64_t& budget, FunctionDiff& out);

/// The names after same_in_step().
void add_names(const Body& a, const Body& b, const Mapping& mapping, const Mapping& locals, FunctionDiff& out);

/// One number for all bodies that same_in_step() would find the same.
[[nodiscard]] Key hash_of(const Body& body);

/// By item: equal where the tokens are but for variables.
[[nodiscard]] std::vector<Key> shape_keys(const Body& body);

}  // namespace ptxscope::analysis::diff
