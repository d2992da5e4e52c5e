// What the table sees of a directive: a head (".entry", ".global", ".loc") and words. isa/directives.def names these
// words in its conditions; directive_words.cpp explains each.
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "parser/module.h"

namespace ptxscope::analysis {

struct DirectiveUse {
  std::string_view head;
  std::span<const std::string_view> words;
  Span span;  ///< the word of the module that it stands for
};

/// Calls `use` for each directive in the statement: none for instructions, several for a function's header (linkage,
/// parameters, `.maxntid`, …). `function`: the one whose body the statement is in, nullptr at module level. The views
/// end with the call.
void for_each_directive(const Statement& statement, const Function* function,
                        const std::function<void(const DirectiveUse&)>& use);

}  // namespace ptxscope::analysis
