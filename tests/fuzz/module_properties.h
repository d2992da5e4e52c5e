// What holds of every module, whatever its text.
#pragma once

#include <span>
#include <string>

#include "parser/module.h"

namespace ptxscope::fuzz {

/// The text is kept; statements and diagnostics lie in it, in order; lines are those of the text.
void require_module(const Module& module, const std::string& text);
/// Each lies in the text.
void require_spans(const Module& module, std::span<const Diagnostic> diagnostics);

}  // namespace ptxscope::fuzz
