// What an instruction or a directive needs: for each .target, the lowest PTX ISA version that takes it there, or never.
// Two needs together are the larger entry, target by target; no ordering of targets is needed. The rows and their
// notation are in isa/instructions.def.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/targets.h"

namespace ptxscope::isa {

/// Room for targets in a Requirement: TargetSet has a bit for each.
inline constexpr std::size_t target_limit = 64;

/// One version per target.
struct Requirement {
  std::array<Version, target_limit> lowest{};  ///< by TargetIndex; `never`: that target never takes it

  /// The larger entry, target by target.
  void raise(const Requirement& other);
  /// Whether the target takes it at that version.
  [[nodiscard]] bool satisfied_by(TargetIndex target, Version version) const { return lowest[target] <= version; }
  /// The targets that take it at some version.
  [[nodiscard]] TargetSet targets() const;
  /// The lowest version on any target; `never` when there is none.
  [[nodiscard]] Version lowest_version() const;
  friend bool operator==(const Requirement&, const Requirement&) = default;  ///< on every target
};
/// What an empty module needs: each target's own lowest version.
[[nodiscard]] const Requirement& nothing_needed();

/// What an operand looks like, as far as needs depend on it.
struct OperandShape {
  /// The form of an operand (PTX ISA 6): `imm` an immediate, `vec` `{…}`, `pair` `p|q`, `addr` `[…]`, `tuple` `[t,
  /// {…}]`.
  enum class Kind : std::uint8_t { reg, imm, sink, vec, pair, addr, tuple, list, name };
  Kind kind = Kind::reg;         ///< what it looks like
  bool negated = false;          ///< `!p`, or `-` before a register
  std::uint8_t count = 1;        ///< elements of a vector or a tuple
  std::int16_t value = -1;       ///< of an immediate that is a plain number from 0 to 32767; else -1
  std::uint8_t coordinates = 0;  ///< of a tuple: elements of its vector
  /// As declared, "b32": of a register, a vector's first element, an address' register, a tuple's first register;
  /// "texref", "samplerref", "surfref" of such a variable.
  /// Empty: not known, or there is none.
  std::string_view type;
};

/// An instruction or a directive as the table sees it: a head ("ld", ".entry", "%clock64") and words without dots.
struct Spelling {
  std::string_view head;  ///< the mnemonic, the directive with its dot, or the special register with its `%`
  std::span<const std::string_view> words;  ///< all of them, in the order of the text
  std::span<const OperandShape> operands;   ///< as they stand there, the guard apart; empty: not known
};

/// What a line of the table says of what it holds for: a need; until which version it is taken; what ptxas advises;
/// tags of features; another spelling of the same.
enum class ClauseKind : std::uint8_t { needs, until, advises, tags, synonym };

/// One term of a condition.
struct Term {
  /// What the term looks at: a word, a type word, the number of operands, an operand's form, an immediate's value.
  enum class Kind : std::uint8_t { word, type, count, shape, value };
  Kind kind = Kind::word;                      ///< which of the members below mean something
  bool negated = false;                        ///< holds where the rest does not
  char comparison = '=';                       ///< of count
  std::uint8_t index = 0;                      ///< of type (0 is t1), shape and value
  std::uint8_t number = 0;                     ///< of count
  std::vector<std::string_view> alternatives;  ///< of word, type, shape and value
};
/// Terms that must all hold; empty: always.
using Condition = std::vector<Term>;

/// A line of the table.
struct Clause {
  ClauseKind kind = ClauseKind::needs;  ///< which of the members below mean something
  std::string_view head;                ///< the mnemonic, directive or special register that the line is about
  Condition row;                        ///< the words of the instruction's row
  Condition when;                       ///< the line's own condition
  std::string_view when_text;           ///< `when` as it is written in the table
  Requirement requirement;              ///< of needs. of until: the last version that takes it, `never` where all do
  TargetSet targets;                    ///< of advises
  std::string_view text;                ///< feature, remedy, advice, tags; the word of a synonym
  std::string_view text2;               ///< the replacement of a synonym
  std::string_view section;             ///< of the manual, from the instruction's row
  std::string_view file;                ///< of the table, "isa/instructions/matrix.def"
  std::uint32_t line = 0;               ///< of the file, from 1
  /// What it is called to people: `text` of needs where there is one, else the head and the condition's words.
  [[nodiscard]] std::string feature() const;
};

/// Every line that holds for it, in the order of the table. Empty for a head that is not in the table.
[[nodiscard]] std::vector<const Clause*> matching_clauses(const Spelling& spelling);
/// All of its needs together, with those of the targets.
[[nodiscard]] Requirement requirement_of(const Spelling& spelling);
/// Whether the table knows that head at all.
[[nodiscard]] bool is_known_head(std::string_view head);

/// Whether all its terms hold. A term about an operand or a type word that is not there does not; its negation does.
[[nodiscard]] bool holds(const Condition& condition, const Spelling& spelling);

/// All lines of the tables, in their order.
[[nodiscard]] std::span<const Clause> clauses();
/// Lines of the table that are written wrongly: "isa/…def:12: …". Empty, as a test sees to.
[[nodiscard]] std::span<const std::string> table_errors();

}  // namespace ptxscope::isa
