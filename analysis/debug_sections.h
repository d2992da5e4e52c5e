// The DWARF sections that a module carries as text: `.section .debug_info { .b8 1, 17 … }` (PTX ISA 11.5.2) and the
// older `@@DWARF` lines (11.5.1), put together as the bytes that an object file would hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

/// A place in a section that holds the address of something outside of the debug sections: a label of the code, a
/// parameter. Its bytes are 0.
struct DebugSymbol {
  std::uint64_t offset = 0;
  std::string_view name;  ///< of the module's text
};

struct DebugSection {
  std::string bytes;
  std::vector<DebugSymbol> symbols;  ///< by ascending offset
};

struct DebugSections {
  DebugSection info, abbrev, str, line_str, str_offsets;
};

/// Reads those at module level. What is no item of a section is passed over. In time and memory linear in the sections'
/// text; function bodies are not looked at.
[[nodiscard]] DebugSections read_debug_sections(const Module& module);

}  // namespace ptxscope::analysis
