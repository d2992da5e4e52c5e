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

/// What an edit does to A to make it B.
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
  std::uint32_t count = 0;             ///< 1 for one that is looked into; 0: nothing on this side
  Span span;                           ///< of its module's text; empty: nothing on this side
  std::uint32_t after =
      no_index;  ///< nothing on this side: the statement behind which it would stand, where there is one
};

/// One thing that is not the same. Sides refer to the two modules.
struct Edit {
  EditOp op = EditOp::replace;              ///< which of the sides there are
  EditPart part = EditPart::instruction;    ///< what kind of thing
  EditEffect effect = EditEffect::changes;  ///< `changes`, or why it changes nothing
  bool continues_elsewhere = false;         ///< the statement is the same; what runs after it is not
  /// What differs of an instruction that was replaced: its opcode, that it has a guard, guard or operands by place (the last
  /// bit stands for all further ones).
  bool opcode_differs = false;        ///< of an instruction replaced
  bool guard_differs = false;         ///< of an instruction replaced: it has one, or its predicate or its sign differs
  std::uint32_t operands_differ = 0;  ///< bit n: operand n; bit 31: any from there on
  EditSide a;                         ///< what is taken out
  EditSide b;                         ///< what is put in
};

/// Statements that stand at another place among the others: first to last, both inclusive.
struct Move {
  std::uint32_t a_first = 0;       ///< statement in A
  std::uint32_t a_last = 0;        ///< statement in A
  std::uint32_t b_first = 0;       ///< statement in B
  std::uint32_t b_last = 0;        ///< statement in B
  std::uint32_t instructions = 0;  ///< how many instructions are among them
};

/// What became of a function or declaration, from A to B; `renamed`: the same but for its name.
enum class FunctionStatus : std::uint8_t { same, changed, added, removed, renamed };
/// How the two were found to be each other's: equal names; equal stripped_name(); code that is alike.
enum class MatchedBy : std::uint8_t { name, stripped_name, likeness };

/// The counts that are compared, as analysis/code_counts.h defines them; `count_names` has their names, which are those of
/// the JSON documents.
enum class Count : std::uint8_t {
  instructions,          ///< all of them
  branches,              ///< bra and brx
  conditional_branches,  ///< of these with a guard
  calls,                 ///< of functions
  traps,                 ///< `trap` itself
  barriers,              ///< the category
  loads,                 ///< of memory, atomics apart; a copy counts here and as a store
  stores,                ///< of memory, atomics apart
  atomics,               ///< the category
  shared_bytes,          ///< of `.shared` variables whose size is known
  local_bytes,           ///< of `.local` variables
  registers,             ///< declared
};
/// How many kinds of Count there are.
inline constexpr std::size_t count_kinds = static_cast<std::size_t>(Count::registers) + 1;
/// Their names in JSON, by Count.
inline constexpr std::array<std::string_view, count_kinds> count_names{
    "instructions", "branches", "conditional_branches", "calls",       "traps",    "barriers", "loads",
    "stores",       "atomics",  "shared_bytes",         "local_bytes", "registers"};
/// A number for each Count.
struct Counts : std::array<std::uint64_t, count_kinds> {
  /// By place in count_names.
  using std::array<std::uint64_t, count_kinds>::operator[];
  [[nodiscard]] std::uint64_t& operator[](Count kind) { return (*this)[static_cast<std::size_t>(kind)]; }  ///< by kind
  /// By kind.
  [[nodiscard]] std::uint64_t operator[](Count kind) const { return (*this)[static_cast<std::size_t>(kind)]; }
};

/// One function of A and of B, or of one of them.
struct FunctionDiff {
  std::uint32_t a = no_index;                    ///< in A; no_index: only B has it
  std::uint32_t b = no_index;                    ///< in B; no_index: only A has it
  FunctionStatus status = FunctionStatus::same;  ///< `same`: no edit that changes anything
  MatchedBy matched_by = MatchedBy::name;        ///< without meaning where only one has it
  bool same_code = true;                         ///< no edit that changes anything
  std::uint32_t respelled = 0;  ///< instructions of another type word that do the same: `ld.u64`, `ld.b64`
  bool too_different = false;   ///< some stretches were not compared statement by statement
  std::vector<Edit> edits;      ///< in the order of the text
  std::vector<Move> moves;      ///< each in one piece, in the order of A
  /// Statements of A and of B that are each other's, in the order of A. Only of functions with edits or moves.
  std::vector<std::pair<std::uint32_t, std::uint32_t>> partners;
  /// Names that differ: register, local name or label of A, of B. A register that B has split stands several times.
  std::vector<std::pair<std::string, std::string>> registers;  ///< of A, of B
  std::vector<std::pair<std::string, std::string>> labels;     ///< of A, of B
  std::vector<std::pair<std::string, std::string>> locals;     ///< of A, of B
  Counts a_counts{};                                           ///< of the function in A, 0 where there is none
  Counts b_counts{};                                           ///< and in B
  /// In 32-bit registers; of changed functions only, and where it is known.
  std::uint32_t a_max_live = no_index;  ///< in A; no_index: not known
  std::uint32_t b_max_live = no_index;  ///< in B; no_index: not known

  [[nodiscard]] std::size_t edits_that_change() const;  ///< how many of `edits` have EditEffect::changes
};

/// A header field that differs.
struct HeaderChange {
  std::string field;  ///< "version", "target", "address_size"
  std::string a;      ///< as A has it; empty: it has none
  std::string b;      ///< as B has it
};

/// A module-level variable, or another statement outside functions, that is not the same.
struct DeclarationDiff {
  FunctionStatus status = FunctionStatus::changed;  ///< of the declaration
  std::string a_name;                               ///< in A; empty: not there
  std::string b_name;                               ///< in B; empty: not there
  Span a;                                           ///< in A; empty: not there
  Span b;                                           ///< in B; empty: not there
  EditEffect effect = EditEffect::changes;          ///< `unused`: nothing of what the code does depends on it
};

/// How often an opcode stands in each of the modules.
struct OpcodeCount {
  std::string opcode;   ///< with its modifiers
  std::uint64_t a = 0;  ///< in A
  std::uint64_t b = 0;  ///< in B
};

/// What is different between two modules, A and B, which must outlive it.
struct ModuleDiff {
  bool identical = false;  ///< the texts are, byte for byte
  /// Each function compared has the same code, none was added or removed, and no declaration differs in what counts.
  bool same_code = true;
  bool functions_reordered = false;           ///< those that both have stand in another order
  std::vector<HeaderChange> header;           ///< fields that differ
  std::vector<DeclarationDiff> declarations;  ///< those that differ, the ones that only got another name included
  std::vector<FunctionDiff> functions;        ///< in the order of B, then those that only A has
  std::vector<std::string> unmatched;         ///< patterns that name no function
  Counts a_counts{};                          ///< of A
  Counts b_counts{};                          ///< of B
  std::vector<OpcodeCount> opcodes;           ///< those whose counts differ, the largest difference first
};

/// What is compared.
struct DiffOptions {
  /// Functions to compare, as in matches_name(); none: all of them, and all that stands outside functions.
  std::vector<std::string> patterns;
  bool names = true;  ///< fill in FunctionDiff::registers, labels and locals
  /// Called before each pair of functions, with how many of them are done, and with 0 while it is found which are pairs.
  /// False ends the comparison: what it gives then is of the first ones only, if any, and not to be shown as a result.
  std::function<bool(std::size_t done, std::size_t all)> goes_on;
};

/// Compares `a` to `b`. What differs by name, comment or place alone is no difference.
[[nodiscard]] ModuleDiff diff_modules(const Module& a, const Module& b, const DiffOptions& options = {});

/// Whether both do the same; `strict`: also header, names of functions and declarations, and dead code are the same.
[[nodiscard]] bool is_same(const ModuleDiff& diff, bool strict);

/// The name without what compilers put into it to make it unique: Rust's hash, the prefixes of internal linkage.
/// `_ZN3foo3bar17h0123456789abcdefE` gives `_ZN3foo3barE`.
[[nodiscard]] std::string stripped_name(std::string_view name);

}  // namespace ptxscope::analysis
