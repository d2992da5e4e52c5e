// The parser that ANTLR makes of the grammar, used as its manual says: the whole file through lexer and parser into a tree.
#include <cstdio>
#include <fstream>

#include "PtxLexer.h"
#include "PtxParser.h"

int main(int argc, char* argv[]) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: plain_antlr FILE\n");
    return 2;
  }
  std::ifstream file(argv[1]);
  antlr4::ANTLRInputStream input(file);
  ptxscope::grammar::PtxLexer lexer(&input);
  antlr4::CommonTokenStream tokens(&lexer);
  ptxscope::grammar::PtxParser parser(&tokens);
  parser.module();
  std::printf("%zu tokens, %zu errors\n", tokens.size(), parser.getNumberOfSyntaxErrors());
  return parser.getNumberOfSyntaxErrors() == 0 ? 0 : 1;
}
