// What kernel parameters are for, found from use: pointers, the lengths that belong to them, scalars, aggregates.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "analysis/traps.h"
#include "analysis/values.h"

namespace ptxscope::analysis {

/// A parameter, or a field of one: index and byte offset.
using ParameterPlace = std::pair<std::uint32_t, std::uint64_t>;

/// What a function does with its parameters, and what stands in the addresses it accesses.
struct ParameterUse {
  std::set<ParameterPlace> pointers;  ///< used as the base of an address, or passed on to be
  /// An integer compare that a parameter is one side of.
  struct Compare {
    ParameterPlace place;  ///< the one side, or what a minimum is taken of
    ExprId other{};        ///< the other side
    bool order = false;    ///< lt, le, gt, ge; else eq or ne
  };
  std::vector<Compare> compares;             ///< integer compares of a parameter (or a minimum with it) with something
  std::set<ParameterPlace> bounds;           ///< one side of an integer compare
  std::map<ParameterPlace, unsigned> bytes;  ///< how much of it is read or compared at once, at most
  std::set<ParameterPlace> signed_uses;      ///< compared or widened as a signed number
  std::set<ParameterPlace> unsigned_uses;    ///< as an unsigned one
  std::set<ParameterPlace> read;             ///< read at all
  std::set<ExprId> indices;             ///< what addresses add to their base, without scale, widening and constants
  std::set<ExprId> slice_free_indices;  ///< those of accesses whose base is not a parameter place in `pointers`
  std::vector<std::pair<ParameterPlace, ExprId>> indexed;  ///< base parameter and index of each access
  std::set<ExprId> divisors;                               ///< what divisions and remainders divide by
  std::set<ParameterPlace> divisor_places;                 ///< parameters among them
  std::set<ExprId> shift_amounts;  ///< by how much something is shifted, where that is not constant
};

/// Of one function, in terms of its parameters; functions it calls are followed (bounded).
[[nodiscard]] ParameterUse parameter_use(ModuleValues& values, std::uint32_t function);

/// Indices in the addresses that the code behind a statement accesses, up to the function's end: what would run if
/// that statement fell through to the text after it.
[[nodiscard]] std::set<ExprId> indices_after(ModuleValues& values, std::uint32_t function, std::uint32_t statement);

/// An index without what does not change which element it names: widening, a constant added, a constant factor.
[[nodiscard]] ExprId bare_index(const ExprPool& pool, ExprId index);

/// What parameters are called: at most one of the two is given.
struct ParameterNames {
  std::vector<std::string> of_arguments;  ///< --names: by argument of the source; pointer and length of a slice are one
  std::vector<std::string> of_parameters;  ///< DebugNames: by parameter of the PTX
};

/// Whether something that an index may be, or the size it is held against, is compared with that parameter: then it
/// may be a length. `open_slices`: the compiler passes slices as (pointer, length) pairs, so that a range's end or a
/// constant index held against it tells too; else only an index that is used does.
[[nodiscard]] bool is_measured(const ExprPool& pool, const ParameterUse& use, ParameterPlace place, bool open_slices);

/// Roles, slices and labels of a function's parameters.
[[nodiscard]] std::vector<ParameterInfo> describe_parameters(const ExprPool& pool, const Module& module,
                                                             const Function& function, const ParameterUse& use,
                                                             const ParameterNames& names);

/// The same by declaration alone, for functions whose values nobody asks about.
[[nodiscard]] std::vector<ParameterInfo> declared_parameters(const Module& module, const Function& function,
                                                             const ParameterNames& names);

}  // namespace ptxscope::analysis
