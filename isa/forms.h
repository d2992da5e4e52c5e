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
  std::vector<std::string_view> words;
  bool optional = false;
};

struct Form {
  std::string_view head;
  std::string_view words;     ///< as the table has it
  std::string_view operands;  ///< as the table has it; empty: the row's
  std::vector<FormSlot> slots;
  std::string_view row_modifiers;
  std::string_view section;
  std::string_view file;
  std::uint32_t line = 0;
};

[[nodiscard]] std::span<const Form> forms();
[[nodiscard]] std::vector<const Form*> forms_of(std::string_view head);
/// Whether some form of that mnemonic has this word. False for a mnemonic without forms.
[[nodiscard]] bool has_word(std::string_view head, std::string_view word);

/// An instruction written out, and what must be declared for it.
struct Example {
  std::string text;  ///< "ld.global.v2.u32 {%x0, %x1}, [%x2];"
  struct Register {
    std::string name, type;  ///< "%x0", "b32"
  };
  std::vector<Register> registers;
  bool needs_label = false;               ///< L0
  std::vector<std::string> module_lines;  ///< `.global .texref tex0;` …
};

/// Up to `limit` examples of a form: each word at least once, and as many combinations as there is room for, the same
/// ones each time.
[[nodiscard]] std::vector<Example> examples_of(const Form& form, std::size_t limit);

}  // namespace ptxscope::isa
