// What the viewer uses of a module's text: its places, what can be folded, what each piece of a line is.
#pragma once

#include "analysis/outline.h"
#include "analysis/places.h"
#include "analysis/syntax.h"

namespace ptxscope::gui {

using analysis::declaration_of;
using analysis::Fold;
using analysis::function_of;
using analysis::line_begin;
using analysis::line_count;
using analysis::LineState;
using analysis::occurrences;
using analysis::Outline;
using analysis::outline_of;
using analysis::role_of_opcode;
using analysis::spelling;
using analysis::state_of_line;
using analysis::statement_at;
using analysis::statement_on_line;
using Symbol = analysis::SymbolId;
using analysis::symbol_at;
using analysis::symbol_in;
using analysis::SymbolPlace;
using analysis::syntax_of;
using analysis::syntax_role_count;
using analysis::SyntaxRole;
using analysis::SyntaxRun;
using analysis::word_at;

}  // namespace ptxscope::gui
