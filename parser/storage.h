// What a Module holds. Included by the files that build it and by module.cpp, by nobody else.
#pragma once

#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "parser/array.h"
#include "parser/intern.h"
#include "parser/module.h"
#include "parser/shape_cache.h"
#include "parser/text_buffer.h"

namespace ptxscope {

/// Where the lines begin: for each block of the text how many line ends stand before it.
class LineTable {
 public:
  void build(std::string_view text);
  [[nodiscard]] Position position(std::string_view text, std::uint32_t offset) const;
  /// The bytes of a line (from 1), without its end; empty past the last.
  [[nodiscard]] Span line(std::string_view text, std::uint32_t number) const;

 private:
  static constexpr std::uint32_t block_shift = 10;
  std::vector<std::uint32_t> lines_before_;  // by block: line ends before it
  std::vector<std::uint32_t> line_begins_;   // by block: where the line begins that the block begins in
};

struct Module::Storage {
  TextBuffer text;
  std::string file_name;
  Array<detail::StatementRecord> statements;
  Array<std::uint64_t> operands;
  Array<std::uint64_t> wide;
  NameTable names;
  OpcodeTable opcodes;
  std::vector<Function> functions;
  std::vector<Variable> variables;
  std::vector<Variable> local_variables;
  std::vector<SourceFile> files;
  Header header;
  std::vector<Diagnostic> diagnostics;
  std::unordered_map<std::uint32_t, std::uint32_t> function_by_name;
  std::unordered_map<std::uint32_t, std::uint32_t> variable_by_name;

  // Made when first asked for.
  mutable std::once_flag lines_once;
  mutable LineTable lines;
  // Spans of operands are read off their shape again.
  mutable std::mutex shapes_mutex;
  mutable ShapeCache shapes;
};

}  // namespace ptxscope
