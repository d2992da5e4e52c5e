// Two modules as rows of lines beside each other: which line of A is which of B, by what analysis/diff.h says of their
// statements. Nothing is compared here but the spelling of lines that the comparison takes for the same.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analysis/diff.h"
#include "parser/module.h"

namespace ptxscope::gui {

enum class DiffSide : std::uint8_t { a, b };
[[nodiscard]] constexpr DiffSide other_side(DiffSide side) { return side == DiffSide::a ? DiffSide::b : DiffSide::a; }

/// What a line is, in the order in which one covers another.
enum class LineMark : std::uint8_t {
  none,
  spelled,  ///< the same but for names, comments and spaces
  moved,
  changed,
  removed,
  added,
};

/// The letter of a mark in the margin: colour is never all that tells it.
[[nodiscard]] char letter_of(LineMark mark);

struct AlignedRow {
  enum class Kind : std::uint8_t {
    lines,
    title,  ///< of a section
    more,   ///< lines of a long declaration that are left out: `a` and `b` are their numbers
  };
  std::uint32_t a = 0, b = 0;     ///< lines, from 1; 0: nothing on this side
  std::uint32_t edit = no_index;  ///< index into FunctionDiff::edits, of sections that are functions
  LineMark a_mark = LineMark::none, b_mark = LineMark::none;
  Kind kind = Kind::lines;
  bool changes = true;  ///< the mark is of something that changes what the code does

  [[nodiscard]] std::uint32_t line(DiffSide side) const { return side == DiffSide::a ? a : b; }
  [[nodiscard]] LineMark mark(DiffSide side) const { return side == DiffSide::a ? a_mark : b_mark; }
  [[nodiscard]] bool is_marked() const { return a_mark > LineMark::spelled || b_mark > LineMark::spelled; }
};

/// The header and the declarations that differ, or a pair of functions.
struct DiffSection {
  std::uint32_t function = no_index;  ///< index into ModuleDiff::functions; no_index: what stands outside of functions
  std::uint32_t first_row = 0, end = 0;  ///< its title, one past its last row
};

/// Marked rows that follow each other: where "next difference" goes.
struct DiffStop {
  std::uint32_t row = 0, end = 0;
  LineMark mark = LineMark::changed;  ///< the first of them
  bool strict_only = false;           ///< nothing of it changes what the code does
};

/// Everything that the page of a comparison shows. Immutable; belongs to the two modules that it holds.
struct AlignedDiff {
  std::shared_ptr<const Module> a, b;
  analysis::ModuleDiff diff;
  std::vector<AlignedRow> rows;
  std::vector<DiffSection> sections;
  std::vector<DiffStop> stops;
  std::string verdict;  ///< as `ptxscope diff` says it

  [[nodiscard]] const Module& module(DiffSide side) const { return side == DiffSide::a ? *a : *b; }
  [[nodiscard]] const DiffSection& section_of(std::uint32_t row) const;
  [[nodiscard]] const analysis::FunctionDiff* function_of(std::uint32_t row) const;
  /// "vecadd  changed, 3 edits"
  [[nodiscard]] std::string title_of(const DiffSection& section) const;
  /// The bytes of the row's line that differ, within the text; only of changed instructions.
  [[nodiscard]] std::vector<Span> words_of(std::uint32_t row, DiffSide side) const;
  /// The row whose line of that side is `line`, or the nearest one before it in its section; no value: there is none.
  [[nodiscard]] std::optional<std::uint32_t> row_of_line(DiffSide side, std::uint32_t line) const;
  /// What there is to say of the row beyond its mark: why it changes nothing, where it moved, what runs next.
  [[nodiscard]] std::string remark_of(std::uint32_t row) const;
};

/// Lines that are the same around a difference, when only differences are shown.
inline constexpr std::uint32_t rows_around = 3;

/// What is drawn: rows one by one, or several that are the same as one gap.
struct ShownRow {
  std::uint32_t row = 0;
  std::uint32_t hidden = 0;  ///< not 0: stands for so many rows from `row` on
};
/// The rows of differences with some around them; sections without any are left out.
[[nodiscard]] std::vector<ShownRow> only_differences(const AlignedDiff& diff);

/// Percent of what there is to do. False: stop; the result is nullptr then.
using DiffProgress = std::function<bool(int percent)>;
[[nodiscard]] std::shared_ptr<const AlignedDiff> align_modules(std::shared_ptr<const Module> a,
                                                               std::shared_ptr<const Module> b,
                                                               const DiffProgress& progress);

}  // namespace ptxscope::gui
