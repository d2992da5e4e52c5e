// What all writers of a comparison share: words for it, and edits as rows with their surroundings.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "analysis/diff.h"

namespace ptxscope::report {

[[nodiscard]] std::string_view spelling(analysis::FunctionStatus status);  ///< "same", "changed", "added", …
[[nodiscard]] std::string_view spelling(analysis::EditOp op);              ///< "delete", "insert", "replace"
[[nodiscard]] std::string_view spelling(analysis::EditPart part);          ///< "instruction", "signature", …
[[nodiscard]] std::string_view spelling(analysis::EditEffect effect);      ///< "changes", "unreachable", …
[[nodiscard]] std::string_view spelling(analysis::MatchedBy by);           ///< "name", "stripped-name", "likeness"

/// "1 edit", "3 edits".
[[nodiscard]] std::string counted(std::uint64_t count, std::string_view noun);

/// A declaration on one line: its beginning, as its value may go on for megabytes.
[[nodiscard]] std::string beginning_of(const Module& module, Span span);

/// One side of a row: `marks` are the bytes of `text` that differ.
struct DiffCell {
  std::uint32_t line = 0;                                  ///< 0: nothing on this side
  std::string text;                                        ///< fit to be shown, on one line
  std::vector<std::pair<std::size_t, std::size_t>> marks;  ///< first byte, one past the last
};

/// What a row of a comparison shows.
enum class RowKind : std::uint8_t {
  same,      ///< context
  removed,   ///< in A alone
  inserted,  ///< in B alone
  replaced,  ///< A's beside B's
  note,      ///< a remark, in a.text
};

/// A row of a comparison: a statement of A, of B, or of both beside each other.
struct DiffRow {
  RowKind kind = RowKind::same;  ///< what is shown in it
  bool changes = true;           ///< what the code does
  DiffCell a;                    ///< of A
  DiffCell b;                    ///< of B
};

/// Edits that stand near each other, with `context` statements around them.
struct DiffHunk {
  std::vector<DiffRow> rows;  ///< in the order of the text
};

/// Instructions and what else is compared one by one in a body; not labels, `.loc` lines and declarations.
[[nodiscard]] bool is_compared(StatementKind kind);
/// What differs of an instruction that was replaced: its guard, opcode, operands, in the order of the text. `side` has one
/// statement.
[[nodiscard]] std::vector<Span> differing_spans(const Module& module, const analysis::Edit& edit,
                                                const analysis::EditSide& side);

/// At most `most_edits` of the function's edits.
[[nodiscard]] std::vector<DiffHunk> hunks_of(const Module& a, const Module& b, const analysis::FunctionDiff& function,
                                             std::size_t context, std::size_t most_edits);

/// "vecadd", or "old → new" where the names differ.
[[nodiscard]] std::string name_of(const Module& a, const Module& b, const analysis::FunctionDiff& function);
/// "changed, 3 edits, 1 block moved, …"
[[nodiscard]] std::string outline_of(const analysis::FunctionDiff& function);
/// Functions that have something to tell, most changed first.
[[nodiscard]] std::vector<const analysis::FunctionDiff*> told_functions(const analysis::ModuleDiff& diff);
/// Declarations that have something to tell: those that only got another name are a number in the verdict.
[[nodiscard]] std::vector<const analysis::DeclarationDiff*> told_declarations(const analysis::ModuleDiff& diff,
                                                                              bool with_renamed);
/// "lines 40-52 are lines 61-73 now (12 instructions)"
[[nodiscard]] std::string move_text(const Module& a, const Module& b, const analysis::Move& move);
/// "2 × `exit;` dropped after `trap;`" and the like, for edits that change nothing.
[[nodiscard]] std::vector<std::string> idle_edits(const Module& a, const Module& b, const analysis::ModuleDiff& diff);
/// A count that differs.
struct CountChange {
  std::string name;     ///< "shared bytes", "ld.global"
  std::uint64_t a = 0;  ///< in A
  std::uint64_t b = 0;  ///< in B
};
/// The counts that differ, and behind them at most so many of the opcodes whose numbers do.
[[nodiscard]] std::vector<CountChange> changed_counts(const analysis::ModuleDiff& diff, std::size_t most_opcodes);
/// "shared_bytes" in words.
[[nodiscard]] std::string words_of_count(std::string_view name);
/// "+2", "-1"
[[nodiscard]] std::string difference(std::uint64_t a, std::uint64_t b);
/// "+5.6 %"; "" from nothing, and of less than 0.05 %.
[[nodiscard]] std::string percentage(std::uint64_t a, std::uint64_t b);

}  // namespace ptxscope::report
