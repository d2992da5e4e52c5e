// Compares the scanner with the lexer that ANTLR makes from PtxLexer.g4.
#pragma once

#include <string>

namespace ptxscope {

/// Where their tokens differ first, in words; "" where they do not.
std::string lexer_difference(const std::string& text);

}  // namespace ptxscope
