// What a word of PTX is, by the tables: an instruction, a modifier, a special register, a directive, a feature, a
// version; and what the table says of an opcode, whole or in part.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "isa/forms.h"
#include "isa/instructions.h"
#include "isa/requirements.h"

namespace ptxscope::isa {

/// A line of the table that holds for an opcode only when more is there than was given.
struct ConditionalClause {
  const Clause* clause = nullptr;  ///< never nullptr in a description
  std::string when;                ///< in words: "with .multicast::cluster", "when operand 2 is an immediate"
};

/// One of the instructions that share a mnemonic: a row of the table.
struct Variant {
  std::string name;                  ///< "cp.async.bulk"; `sp*` stands for any word that begins so
  const Instruction* row = nullptr;  ///< of the table; nullptr: not known which
  std::vector<const Form*> forms;    ///< that have all words that were given
};

/// What the table says of an opcode, whole or begun: the answer behind `ptxscope explain` and completion.
struct OpcodeDescription {
  std::string_view mnemonic;                    ///< "" when the table does not have it; all else is then empty
  std::vector<std::string_view> words;          ///< that were given
  std::vector<std::string_view> unknown_words;  ///< not a word of this mnemonic, as far as the table has its forms
  /// The row that is meant; its row is nullptr when only words beside a mnemonic's common one would tell.
  Variant meant;
  std::vector<Variant> variants;  ///< other rows that have all the words and more
  /// Nothing has to be added: some form is spelled out.
  bool is_complete = false;
  /// The forms are known, and none has all of the words that are known; `nearest` has those with all of them but one.
  bool no_form_fits = false;
  std::vector<const Form*> nearest;  ///< also where words are not known: those with all that are
  /// All needs among `holds` and the targets' own. Of an opcode that is not complete: on each target the least that
  /// any legal opcode needs that it may become.
  Requirement needed;
  bool needs_vary = false;               ///< not all that it may become need just that
  std::vector<const Clause*> holds;      ///< for the words as they were given
  std::vector<ConditionalClause> other;  ///< for some operands, or with more words
};
/// "cp.async.bulk", "mma". A mnemonic that is not in the table gives an empty `mnemonic`.
[[nodiscard]] OpcodeDescription describe_opcode(std::string_view opcode);

/// A form as the manual writes syntax, in pieces that may be broken between lines: ".async", "{.cta|.cluster}".
struct Syntax {
  std::vector<std::string> pieces;  ///< in order; a line may be broken between two
  /// What stands for a list of words: "integer", {"u16", …}.
  std::vector<std::pair<std::string_view, std::vector<std::string_view>>> sets;
};
/// As an entry of the manual's syntax reads; `Syntax::sets` says what the names in it stand for.
[[nodiscard]] Syntax syntax_of(const Form& form);

/// A thing that targets have or lack, as people call it.
struct Feature {
  std::string_view tag;          ///< stable, for programs: "tma"
  std::string_view description;  ///< for people, in some words
};
/// Those of isa/features.def.
[[nodiscard]] std::span<const Feature> features();

/// A directive of the manual (PTX ISA 11).
struct Directive {
  std::string_view name;     ///< with the dot: ".maxntid"
  std::string_view section;  ///< of the PTX ISA manual
};
/// All that the table has, in its order.
[[nodiscard]] std::span<const Directive> directives();

/// All of them, with `%` and without selectors: "%tid", ….
/// "%tid", …
[[nodiscard]] std::span<const std::string_view> special_register_names();

/// Mnemonics that know `word` (no dot) as a modifier, in the order of the table.
[[nodiscard]] std::vector<std::string_view> mnemonics_with(std::string_view word);
/// Lines of the table of instructions whose condition names `word`, of instructions that know it.
[[nodiscard]] std::vector<const Clause*> clauses_naming(std::string_view word);
/// Lines of the table of directives for what is written behind one: "texmode_independent" of .target, "managed" of
/// .attribute.
[[nodiscard]] std::vector<const Clause*> options_named(std::string_view word);
/// Lines that ask for exactly this version, on some target.
[[nodiscard]] std::vector<const Clause*> clauses_new_in(Version version);
/// Lines that give `tag`.
[[nodiscard]] std::vector<const Clause*> clauses_with_tag(std::string_view tag);

/// Whether it makes what it names illegal: no target takes that at any version.
[[nodiscard]] bool is_never(const Clause& clause);
/// What instructions need that a line of the table holds for.
struct NeedRange {
  Requirement lowest;        ///< on each target the least that any spelling needs
  bool same_for_all = true;  ///< every spelling needs just that
};
/// Over the forms of its instruction, without combinations of words that no target takes. What depends on operands
/// alone counts where the line itself states it.
[[nodiscard]] NeedRange need_at(const Clause& place);

/// All that can be looked up by name, for suggestions.
[[nodiscard]] std::vector<std::string> known_names();

/// A clause's need in words: "PTX ISA 8.0, sm_90 and later", "PTX ISA 7.8; 8.1 on sm_89", "no target takes it".
[[nodiscard]] std::string describe_needs(const Requirement& requirement);
/// The same of a whole need, of which each target's own version is part and not said again.
[[nodiscard]] std::string describe_total(const Requirement& requirement);
/// The terms of a condition in words: "with .a or .b, without .c, when operand 2 is an immediate". "": always.
[[nodiscard]] std::string describe_condition(std::span<const Term> condition);

}  // namespace ptxscope::isa
