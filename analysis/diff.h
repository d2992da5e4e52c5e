// What is different between two modules once registers, labels and local names are taken as variables. Only names,
// comments, debug lines and places may differ in "the same code": what is the same is proved operand by operand and
// edge by edge, what cannot be is an edit.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

enum class EditOp : std::uint8_t { remove, insert, replace };

/// What an edit is about.
enum class EditPart : std::uint8_t {
  instruction,  ///< an instruction, or a directive that stands among them
  signature,    ///< kind, linkage, parameters of a function
  directive,    ///< `.maxntid`, `.noreturn`, …
  declaration,  ///< a variable
};

/// Why an edit changes nothing of what the code does.
enum class EditEffect : std::uint8_t {
  changes,      ///< it does, as far as is known
  unreachable,  ///< no path from the function's start leads there
  jump,         ///< an unconditional branch: the code goes on where it went before
  unused,       ///< a declaration that nothing refers to
};

/// One side of an edit. `count` > 1: this many statements from `statement` on, not looked into one by one.
struct EditSide {
  std::uint32_t statement = no_index;  ///< no_index: nothing on this side, or a part of a statement (see span)
  std::uint32_t count = 0;
  Span span;
  std::uint32_t after =
      no_index;  ///< nothing on this side: the statement behind which it would stand, where there is one
};

struct Edit {
  EditOp op = EditOp::replace;
  EditPart part = EditPart::instruction;
  EditEffect effect = EditEffect::changes;
  bool continues_elsewhere = false;  ///< the statement is the same; what runs after it is not
  /// What differs of an instruction that was replaced: its opcode, that it has a guard, guard or operands by place (the last
  /// bit stands for all further ones).
  bool opcode_differs = false, guard_differs = false;
  std::uint32_t operands_differ = 0;
  EditSide a, b;
};

/// Statements that stand at another place among the others: first to last, both inclusive.
struct Move {
  std::uint32_t a_first = 0, a_last = 0, b_first = 0, b_last = 0;
  std::uint32_t instructions = 0;
};

enum class FunctionStatus : std::uint8_t { same, changed, added, removed, renamed };
enum class MatchedBy : std::uint8_t { name, stripped_name, likeness };

/// The counts that are compared, as analysis/code_counts.h defines them; `count_names` has their names, which are those of
/// the JSON documents.
enum class Count : std::uint8_t {
  instructions,
  branches,
  conditional_branches,
  calls,
  traps,
  barriers,
  loads,
  stores,
  atomics,
  shared_bytes,
  local_bytes,
  registers,  ///< declared
};
inline constexpr std::size_t count_kinds = static_cast<std::size_t>(Count::registers) + 1;
inline constexpr std::array<std::string_view, count_kinds> count_names{
    "instructions", "branches", "conditional_branches", "calls",       "traps",    "barriers", "loads",
    "stores",       "atomics",  "shared_bytes",         "local_bytes", "registers"};
struct Counts : std::array<std::uint64_t, count_kinds> {
  using std::array<std::uint64_t, count_kinds>::operator[];
  [[nodiscard]] std::uint64_t& operator[](Count kind) { return (*this)[static_cast<std::size_t>(kind)]; }
  [[nodiscard]] std::uint64_t operator[](Count kind) const { return (*this)[static_cast<std::size_t>(kind)]; }
};

struct FunctionDiff {
  std::uint32_t a = no_index, b = no_index;  ///< indices into Module::functions
  FunctionStatus status = FunctionStatus::same;
  MatchedBy matched_by = MatchedBy::name;
  bool same_code = true;        ///< no edit that changes anything
  std::uint32_t respelled = 0;  ///< instructions of another type word that do the same: `ld.u64`, `ld.b64`
  bool too_different = false;   ///< some stretches were not compared statement by statement
  std::vector<Edit> edits;      ///< in the order of the text
  std::vector<Move> moves;
  /// Statements of A and of B that are each other's, in the order of A. Only of functions with edits or moves.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> partners;
  /// Names that differ: register, local name or label of A, of B. A register that B has split stands several times.
  std::vector<std::pair<std::string, std::string>> registers, labels, locals;
  Counts a_counts{}, b_counts{};
  /// In 32-bit registers; of changed functions only, and where it is known.
  std::uint32_t a_max_live = no_index, b_max_live = no_index;

  [[nodiscard]] std::size_t edits_that_change() const;
};

struct HeaderChange {
  std::string field;  ///< "version", "target", "address_size"
  std::string a, b;
};

/// A module-level variable, or another statement outside functions, that is not the same.
struct DeclarationDiff {
  FunctionStatus status = FunctionStatus::changed;
  std::string a_name, b_name;
  Span a, b;  ///< empty: not there
  EditEffect effect = EditEffect::changes;
};

struct OpcodeCount {
  std::string opcode;
  std::uint64_t a = 0, b = 0;
};

struct ModuleDiff {
  bool identical = false;  ///< the texts are, byte for byte
  bool same_code = true;
  bool functions_reordered = false;
  std::vector<HeaderChange> header;
  std::vector<DeclarationDiff> declarations;
  std::vector<FunctionDiff> functions;  ///< in the order of B, then those that only A has
  std::vector<std::string> unmatched;   ///< patterns that name no function
  Counts a_counts{}, b_counts{};        ///< of all functions compared
  std::vector<OpcodeCount> opcodes;     ///< those whose counts differ, the largest difference first
};

struct DiffOptions {
  /// Functions to compare, as in matches_name(); none: all of them, and all that stands outside functions.
  std::vector<std::string> patterns;
  bool names = true;  ///< fill in FunctionDiff::registers, labels and locals
  /// Called before each pair of functions, with how many of them are done. False ends the comparison: what it gives then
  /// is of the first ones only, and not to be shown as a result.
  std::function<bool(std::size_t done, std::size_t all)> goes_on;
};

[[nodiscard]] ModuleDiff diff_modules(const Module& a, const Module& b, const DiffOptions& options = {});

/// Whether both do the same; `strict`: also header, names of functions and declarations, and dead code are the same.
[[nodiscard]] bool is_same(const ModuleDiff& diff, bool strict);

/// The name without what compilers put into it to make it unique: Rust's hash, the prefixes of internal linkage.
/// `_ZN3foo3bar17h0123456789abcdefE` gives `_ZN3foo3barE`.
[[nodiscard]] std::string stripped_name(std::string_view name);

}  // namespace ptxscope::analysis
