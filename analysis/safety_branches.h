// What each branch of a function is for: which belong to which check, and which remain.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "analysis/traps.h"

namespace ptxscope::analysis {

/// What one branch is there for.
struct BranchPurpose {
  /// What a branch has to do with failures.
  enum class Kind : std::uint8_t {
    check,       ///< decides whether a failure happens
    to_failure,  ///< on the way from a check to its failure
    remains,     ///< neither
  };
  /// Where a branch that remains leads: into the function, out of it at once, or back in a loop.
  enum class Target : std::uint8_t { block, returns, loops };

  std::uint32_t statement = no_index;  ///< of the branch; of the trap itself, where it is guarded
  Kind kind = Kind::remains;           ///< what it has to do with failures
  bool is_branch = true;               ///< false: a guarded trap or exit
  bool is_conditional = false;         ///< has a guard
  std::uint32_t trap = 0;              ///< Trap::id, of check and to_failure
  Check check = Check::unknown;        ///< of check and to_failure
  std::vector<std::uint32_t> params;   ///< behind it, ascending
  ExprId condition{};                  ///< check: of failing. remains, conditional: of branching
  Target target = Target::block;       ///< of remains
  std::string function;                ///< where it stands, if that is a called function
};

/// The branches of one kernel, and of the functions that it calls as far as they fail.
struct SafetyBranches {
  std::uint32_t function = 0;           ///< index into Module::functions
  std::vector<ParameterInfo> params;    ///< whose indices BranchPurpose::params are
  std::shared_ptr<ExprPool> pool;       ///< of all expressions here
  std::vector<Trap> traps;              ///< what explain_traps() says of the kernel
  std::vector<BranchPurpose> branches;  ///< in the order of the text
  SafetyCost cost;                      ///< what the checks cost
  bool complete = true;                 ///< false: explain_traps() gave up on some of it
};

/// Of kernels, and of functions that none calls; `patterns`, `names` as in TrapOptions.
[[nodiscard]] std::vector<SafetyBranches> find_safety_branches(const Module& module,
                                                               const std::vector<std::string>& patterns,
                                                               const std::vector<std::string>& names,
                                                               StopFlag stop = nullptr);

}  // namespace ptxscope::analysis
