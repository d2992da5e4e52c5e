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
#include "analysis/stop.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// What a parameter is for, as far as its use tells: an address; a count of elements behind one; any other number; a
/// struct or array passed by value.
enum class ParameterRole : std::uint8_t { unknown, pointer, length, scalar, aggregate };

/// A parameter of a kernel, or of a function that no kernel calls.
struct ParameterInfo {
  std::uint32_t index = 0;                      ///< among the parameters, from 0
  std::string name;                             ///< as in the PTX
  Type type = Type::none;                       ///< as declared
  std::uint64_t size = 0;                       ///< bytes
  ParameterRole role = ParameterRole::unknown;  ///< by use; where nothing tells it, `unknown`
  /// The kernel treats it as a signed number throughout, whatever type it is declared with (nvcc declares `int` as .u32).
  bool is_signed = false;
  std::optional<std::uint32_t> slice;  ///< (pointer, length) pairs, numbered from 0
  std::string label;                   ///< what people are shown: "a.len", "arg0.ptr", "arg3"
  /// Fields of an aggregate that were read: byte offset, bytes, label ("arg0.len"), role, slice.
  struct Field {
    std::uint64_t offset = 0;                     ///< bytes from the parameter's start
    unsigned bytes = 0;                           ///< its size, as it is read
    ParameterRole role = ParameterRole::unknown;  ///< never aggregate
    std::optional<std::uint32_t> slice;           ///< as ParameterInfo::slice
    std::string label;                            ///< what people are shown
  };
  std::vector<Field> fields;  ///< of an aggregate: those that are read, ascending by offset
};

/// How a thread ends early: `trap`; a call of `__assertfail`; a call that does not return; `exit` that a check decides;
/// no `ret` at the end of the text; a failure that is returned or noted and goes on.
enum class TrapKind : std::uint8_t { trap, assert_call, noreturn_call, exit, falls_off_end, error_code };
/// "trap", "assert", "noreturn-call", "exit", "falls-off-end", "error-code".
[[nodiscard]] std::string_view spelling(
    TrapKind kind);  ///< "trap", "assert", "noreturn-call", "exit", "falls-off-end", "error-code"

/// What is checked where something fails, as far as it is told by the condition, by what the numbers in it are for, or
/// by the name of what is called (an assertion, a panic).
enum class Check : std::uint8_t {
  unknown,         ///< not found out
  bounds,          ///< an index against a size
  null,            ///< a pointer against null
  divide_by_zero,  ///< a divisor against zero
  overflow,        ///< whether a result fits its type
  alignment,       ///< the low bits of an address
  assertion,       ///< what a program states to hold
  unconditional,   ///< nothing is checked: whoever gets there traps
  other            ///< a condition that is none of these
};
[[nodiscard]] std::string_view spelling(Check check);  ///< "bounds", "divide-by-zero", "assert", …

/// A place in the source that the PTX was compiled from.
struct SourcePlace {
  std::string file;          ///< as `.file` has it; may be relative, or anything
  std::uint32_t line = 0;    ///< from 1
  std::uint32_t column = 0;  ///< 0: not known
  /// Where the line was inlined, the place above is the outermost call of it; here the way inwards, the line itself last.
  std::vector<SourcePlace> inlined_at;
};

/// One edge into the trap, with what must hold to take it.
struct Way {
  std::uint32_t branch =
      no_index;  ///< statement of the branch (or of the guarded trap itself, or the brx); no_index: none, it is unconditional
  std::uint32_t setp = no_index;      ///< statement that computed the predicate
  std::string predicate;              ///< "%p2"
  bool negated = false;               ///< the way is taken when the predicate is false
  ExprId condition{};                 ///< 1 bit, true exactly when this way is taken; constant 1 when unconditional
  Check check = Check::unknown;       ///< as Trap::check, of this way
  std::vector<std::uint32_t> params;  ///< kernel parameters behind it, ascending
  std::vector<std::string> via;       ///< call path, kernel first, when the trap lies in a called function
  std::vector<ExprId> after;          ///< conditions already known there, outermost first
  ExprId
      path{};  ///< 1 bit: the whole condition to get here from the kernel's start and take this way (unknowns inside where not known)
  std::vector<std::uint32_t> evidence;  ///< statements worth showing, ascending: definitions, setp, branch
  std::optional<SourcePlace> source;    ///< of this way, where ways differ (several calls of one failing function)
  std::optional<std::string> message;   ///< of this way: text of the assertion or panic, where the PTX holds it
  bool dead = false;                    ///< shown impossible
  std::uint32_t call_site = no_index;   ///< the innermost call statement in the kernel, when via is not empty
};

/// The check evaluated for every thread of a launch; filled in by evaluate_launch().
struct Given {
  std::optional<bool> fires;    ///< nullopt: a needed value is not known
  std::uint64_t threads = 0;    ///< how many threads trap here
  std::uint64_t undecided = 0;  ///< how many more may, as far as the known values tell
  /// Of the first thread that traps; when `fires` is not known, of the first that may.
  /// Of the first thread that traps; when `fires` is not known, of the first that may.
  std::optional<std::array<std::uint32_t, 3>> first_block;   ///< %ctaid, x y z
  std::optional<std::array<std::uint32_t, 3>> first_thread;  ///< %tid of that thread
  std::optional<std::uint64_t> lhs;  ///< left side of the way that fires first, there (bits of the compare's type)
  std::optional<std::uint64_t> rhs;  ///< right side, likewise
  std::uint32_t way = 0;             ///< which of the ways
  std::vector<std::string> missing;  ///< labels of values that would be needed ("b.len")
  std::vector<std::string> reasons;  ///< what else keeps it from being known, as sentences without a full stop
  std::vector<std::string> assumed;  ///< labels of pointers that were taken as not null
  /// Labels that the conditions on the way need and nobody gave: the check was evaluated for threads that get to it.
  std::vector<std::string> if_reached;
  bool gave_up = false;  ///< too many threads to try: `threads` and `undecided` are lower limits
};

/// A place where a thread ends early, and the ways that lead there. Statements are indices, expressions are of
/// TrapReport::pool.
struct Trap {
  std::uint32_t id = 0;                ///< from 1, per function entry of the report
  std::string function;                ///< where the trap stands
  std::uint32_t statement = no_index;  ///< of the trap, call, exit (falls_off_end: the last statement of the block)
  NameId block = no_name;              ///< label of its block, if it has one
  TrapKind kind = TrapKind::trap;      ///< how
  std::optional<SourcePlace> source;   ///< of the first way; nullopt: no `.loc` tells
  std::optional<std::string> message;  ///< of the first way
  std::string callee;                  ///< of assert_call and noreturn_call
  Check check = Check::unknown;        ///< of its ways, where they agree; else other
  /// True: it is shown that no launch gets there; false: it is not; nullopt: nothing was found out.
  std::optional<bool> dead;
  std::vector<Way> ways;              ///< one for each edge that leads there, impossible ones (Way::dead) too
  std::vector<std::uint32_t> params;  ///< kernel parameters behind the ways, ascending
  std::vector<std::string> via;       ///< call path, kernel first, when the trap lies in a called function
  std::optional<Given> given;         ///< nullopt: evaluate_launch() was not asked
  std::vector<std::string> notes;     ///< things a person should know ("written by another thread", "gave up: …")
};

/// What a function's checks cost: what would go if nothing were ever checked.
struct SafetyCost {
  std::uint32_t instructions = 0;     ///< instructions that only decide and carry out failures
  std::uint32_t branches = 0;         ///< branches among them
  std::uint32_t of_instructions = 0;  ///< instructions in all
  std::uint32_t of_branches = 0;      ///< branches in all
};

/// What explain_traps() says of one function.
struct FunctionTraps {
  std::uint32_t function = 0;         ///< index into Module::functions
  std::vector<ParameterInfo> params;  ///< all of them, in order
  std::vector<Trap> traps;            ///< in the order of the text; those of called functions are among them
  std::vector<Trap> soft_failures;    ///< kind error_code: the kernel notes a failure and returns (Numba); no trap
  SafetyCost cost;                    ///< of this function and what it calls to fail
  bool complete = true;               ///< false: `notes` say what was given up
  std::vector<std::string> notes;     ///< sentences for people
};

/// The answer of explain_traps(). The Module must outlive it.
struct TrapReport {
  std::shared_ptr<ExprPool> pool;        ///< of all expressions in it; never nullptr
  std::vector<FunctionTraps> functions;  ///< kernels; and functions that no kernel of the module calls
};

/// What explain_traps() is asked.
struct TrapOptions {
  std::vector<std::string> kernels;   ///< only these (names or patterns with `*`, mangled or demangled); empty: all
  std::vector<std::string> names;     ///< --names: labels for slices and scalars, in parameter order
  bool include_soft_failures = true;  ///< exits, error codes, falling off the end
  unsigned jobs = 1;                  ///< threads that may work at it; the answers are the same
  StopFlag stop = nullptr;            ///< ends it early
};

/// Every trap of the kernels, and of functions that no kernel calls. Never fails: where it gives up, `complete` is
/// false.
[[nodiscard]] TrapReport explain_traps(const Module& module, const TrapOptions& options = {});

}  // namespace ptxscope::analysis
