// explain-trap: every way into every trap, assert and failing check of a module, in terms of kernel parameters.
// Plain data; report/ writes it, launch.h evaluates it. Field by field this is the JSON contract of `ptxscope.explain-trap/1`.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/expr.h"
#include "parser/module.h"

namespace ptxscope::analysis {

enum class ParameterRole : std::uint8_t { unknown, pointer, length, scalar, aggregate };

struct ParameterInfo {
  std::uint32_t index = 0;
  std::string name;  ///< as in the PTX
  Type type = Type::none;
  std::uint64_t size = 0;  ///< bytes
  ParameterRole role = ParameterRole::unknown;
  /// The kernel treats it as a signed number throughout, whatever type it is declared with (nvcc declares `int` as .u32).
  bool is_signed = false;
  std::optional<std::uint32_t> slice;  ///< (pointer, length) pairs, numbered from 0
  std::string label;                   ///< what people are shown: "a.len", "arg0.ptr", "arg3"
  /// Fields of an aggregate that were read: byte offset, bytes, label ("arg0.len"), role, slice.
  struct Field {
    std::uint64_t offset = 0;
    unsigned bytes = 0;
    ParameterRole role = ParameterRole::unknown;
    std::optional<std::uint32_t> slice;
    std::string label;
  };
  std::vector<Field> fields;
};

enum class TrapKind : std::uint8_t { trap, assert_call, noreturn_call, exit, falls_off_end, error_code };
[[nodiscard]] std::string_view spelling(
    TrapKind kind);  ///< "trap", "assert", "noreturn-call", "exit", "falls-off-end", "error-code"

enum class Check : std::uint8_t {
  unknown,
  bounds,
  null,
  divide_by_zero,
  overflow,
  alignment,
  assertion,
  unconditional,
  other
};
[[nodiscard]] std::string_view spelling(Check check);  ///< "bounds", "divide-by-zero", "assert", …

struct SourcePlace {
  std::string file;
  std::uint32_t line = 0;
  std::uint32_t column = 0;  ///< 0: not known
  /// Where the line was inlined, the place above is the outermost call of it; here the way inwards, the line itself last.
  std::vector<SourcePlace> inlined_at;
};

/// One edge into the trap, with what must hold to take it.
struct Way {
  std::uint32_t branch =
      no_index;  ///< statement of the branch (or of the guarded trap itself, or the brx); no_index: none, it is unconditional
  std::uint32_t setp = no_index;  ///< statement that computed the predicate
  std::string predicate;          ///< "%p2"
  bool negated = false;           ///< the way is taken when the predicate is false
  ExprId condition{};             ///< 1 bit, true exactly when this way is taken; constant 1 when unconditional
  Check check = Check::unknown;
  std::vector<std::uint32_t> params;  ///< kernel parameters behind it, ascending
  std::vector<std::string> via;       ///< call path, kernel first, when the trap lies in a called function
  std::vector<ExprId> after;          ///< conditions already known there, outermost first
  ExprId
      path{};  ///< 1 bit: the whole condition to get here from the kernel's start and take this way (unknowns inside where not known)
  std::vector<std::uint32_t> evidence;  ///< statements worth showing, ascending: definitions, setp, branch
  std::optional<SourcePlace> source;    ///< of this way, where ways differ (several calls of one failing function)
  std::optional<std::string> message;
  bool dead = false;                   ///< shown impossible
  std::uint32_t call_site = no_index;  ///< the innermost call statement in the kernel, when via is not empty
};

/// The check evaluated for every thread of a launch; filled in by evaluate_launch().
struct Given {
  std::optional<bool> fires;    ///< nullopt: a needed value is not known
  std::uint64_t threads = 0;    ///< how many threads trap here
  std::uint64_t undecided = 0;  ///< how many more may, as far as the known values tell
  /// Of the first thread that traps; when `fires` is not known, of the first that may.
  std::optional<std::array<std::uint32_t, 3>> first_block, first_thread;
  std::optional<std::uint64_t> lhs,
      rhs;                ///< both sides of the way that fires first, there (bit patterns of the compare's type)
  std::uint32_t way = 0;  ///< which of the ways
  std::vector<std::string> missing;  ///< labels of values that would be needed ("b.len")
  std::vector<std::string> reasons;  ///< what else keeps it from being known, as sentences without a full stop
  std::vector<std::string> assumed;  ///< labels of pointers that were taken as not null
  /// Labels that the conditions on the way need and nobody gave: the check was evaluated for threads that get to it.
  std::vector<std::string> if_reached;
  bool gave_up = false;  ///< too many threads to try: `threads` and `undecided` are lower limits
};

struct Trap {
  std::uint32_t id = 0;                ///< from 1, per function entry of the report
  std::string function;                ///< where the trap stands
  std::uint32_t statement = no_index;  ///< of the trap, call, exit (falls_off_end: the last statement of the block)
  NameId block = no_name;              ///< label of its block, if it has one
  TrapKind kind = TrapKind::trap;
  std::optional<SourcePlace> source;
  std::optional<std::string> message;
  std::string callee;  ///< of assert_call and noreturn_call
  Check check = Check::unknown;
  std::optional<bool> dead;
  std::vector<Way> ways;
  std::vector<std::uint32_t> params;
  std::vector<std::string> via;
  std::optional<Given> given;
  std::vector<std::string> notes;  ///< things a person should know ("written by another thread", "gave up: …")
};

struct SafetyCost {
  std::uint32_t instructions = 0, branches = 0;
  std::uint32_t of_instructions = 0, of_branches = 0;
};

struct FunctionTraps {
  std::uint32_t function = 0;  ///< index into Module::functions
  std::vector<ParameterInfo> params;
  std::vector<Trap> traps;
  std::vector<Trap> soft_failures;  ///< kind error_code: the kernel notes a failure and returns (Numba); no trap
  SafetyCost cost;
  bool complete = true;
  std::vector<std::string> notes;
};

struct TrapReport {
  std::shared_ptr<ExprPool> pool;
  std::vector<FunctionTraps> functions;  ///< kernels; and functions that no kernel of the module calls
};

struct TrapOptions {
  std::vector<std::string> kernels;   ///< only these (names or patterns with `*`, mangled or demangled); empty: all
  std::vector<std::string> names;     ///< --names: labels for slices and scalars, in parameter order
  bool include_soft_failures = true;  ///< exits, error codes, falling off the end
  unsigned jobs = 1;                  ///< threads that may work at it; the answers are the same
};

[[nodiscard]] TrapReport explain_traps(const Module& module, const TrapOptions& options = {});

}  // namespace ptxscope::analysis
