// The spellings the table declares (PTX_FORM in isa/instructions.def): which words an instruction knows, and examples.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxscope::isa {

/// One place in a form: a word or a choice of words.
struct FormSlot {
  std::vector<std::string_view> words;  ///< one of which stands here, without the dot
  bool optional = false;                ///< the place may be left empty
};

/// One PTX_FORM line of isa/instructions.def: the words of an instruction in their order. Views last as long as the
/// program.
struct Form {
  std::string_view head;        ///< the mnemonic: "ld"
  std::string_view words;       ///< as the table has it
  std::string_view operands;    ///< as the table has it; empty: the row's
  std::vector<FormSlot> slots;  ///< the places of `words`, in order
  /// The words that pick the row of the instruction; as the table has them, separated by blanks.
  std::string_view row_modifiers;
  std::string_view section;  ///< of the PTX ISA manual; several are separated by blanks
  std::string_view file;     ///< of the table: "isa/instructions/memory.def"
  std::uint32_t line = 0;    ///< of the table, from 1
};

/// All of them, in the order of the table.
[[nodiscard]] std::span<const Form> forms();
/// Those of a mnemonic, in the order of the table; none: it has no forms, or is not known.
[[nodiscard]] std::vector<const Form*> forms_of(std::string_view head);
/// Whether some form of that mnemonic has this word. False for a mnemonic without forms.
[[nodiscard]] bool has_word(std::string_view head, std::string_view word);

/// An instruction written out, and what must be declared for it.
struct Example {
  std::string text;  ///< "ld.global.v2.u32 {%x0, %x1}, [%x2];"
  /// A register that the example names.
  struct Register {
    std::string name;  ///< "%x0"
    std::string type;  ///< "b32": what to declare it with
  };
  std::vector<Register> registers;        ///< to be declared, in the order in which they first stand there
  bool needs_label = false;               ///< L0
  std::vector<std::string> module_lines;  ///< `.global .texref tex0;` …
};

/// Up to `limit` examples of a form: each word at least once, and as many combinations as there is room for, the same
/// ones each time.
[[nodiscard]] std::vector<Example> examples_of(const Form& form, std::size_t limit);

}  // namespace ptxscope::isa
