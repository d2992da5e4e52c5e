// What of a text could not be read as PTX: an answer about the rest is no answer about the whole.
#pragma once

#include <cstdint>

#include "parser/module.h"

namespace ptxscope::analysis {

struct Unread {
  std::uint32_t errors = 0;
  std::uint32_t first_line = 0;  ///< of the first of them; 0 without one
  [[nodiscard]] bool any() const { return errors != 0; }
};

/// Errors of reading that hide code: what does not parse, a body without an end. Not those of text that was understood.
[[nodiscard]] Unread unread_in(const Module& module);
/// Those within the function.
[[nodiscard]] Unread unread_in(const Module& module, const Function& function);
/// Those within no function: there a kernel may stand that nobody sees.
[[nodiscard]] Unread unread_outside(const Module& module);

}  // namespace ptxscope::analysis
