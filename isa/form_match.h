// Whether an opcode is one of the spellings that the table declares (PTX_FORM in isa/instructions.def).
#pragma once

#include <span>
#include <string_view>

#include "isa/forms.h"

namespace ptxscope::isa {

struct FormMatch {
  enum class Kind : std::uint8_t {
    fits,          ///< some form has these words, in whatever order
    no_forms,      ///< the table has no forms of that mnemonic: nothing is known
    unknown_word,  ///< no form of that mnemonic has `word`
    missing_word,  ///< a form has all of these words, and needs one of `missing` beside them
    no_such_form,  ///< each word is known, but no form has them together
  } kind = Kind::no_forms;
  std::string_view word;
  const FormSlot* missing = nullptr;
};

/// `words`: the modifiers, without dots.
[[nodiscard]] FormMatch match_forms(std::string_view head, std::span<const std::string_view> words);

}  // namespace ptxscope::isa
