// What every output of a format holds to, whatever the input was. Each ends the process where it does not.
#pragma once

#include <string_view>

namespace ptxscope::fuzz {

/// UTF-8; no control characters but line ends, and colours in the form that ptxscope writes them.
void require_terminal(std::string_view text, std::string_view what);
/// One document of JSON in UTF-8, with that schema ("" for none).
void require_json(std::string_view text, std::string_view schema);
/// A page, or a drawing: every element closed, only elements and attributes that ptxscope writes, none that runs a
/// script but the page's own.
void require_markup(std::string_view text);
/// A graph for Graphviz, of one statement a line: strings closed, as many braces opened as closed.
void require_dot(std::string_view text);
/// As many fields in every row.
void require_csv(std::string_view text);

}  // namespace ptxscope::fuzz
