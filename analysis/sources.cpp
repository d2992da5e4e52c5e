#include "analysis/sources.h"

#include <algorithm>

namespace ptxscope::analysis {

namespace {

constexpr unsigned max_inlining = 64;

SourcePlace place(const Module& module, std::uint32_t file, std::uint32_t line, std::uint32_t column) {
  SourcePlace result;
  result.line = line;
  result.column = column;
  for (const SourceFile& f : module.source_files()) {
    if (f.index == file) result.file = f.name;
  }
  return result;
}

}  // namespace

std::optional<SourcePlace> source_of(const Module& module, const Function& function, std::uint32_t statement) {
  std::uint32_t at = statement;
  while (at > function.body_begin && module.statement(at).kind() != StatementKind::loc) --at;
  if (at <= function.body_begin) return std::nullopt;
  SourceLocation location = module.source_location(at);
  if (location.line == 0) return std::nullopt;  // LLVM's line 0: code of no line
  std::vector<SourcePlace> chain{place(module, location.file, location.line, location.column)};
  // inlined_at names a place; where that one was inlined too, a `.loc` of it before says where.
  for (unsigned depth = 0; location.has_inlined_at && depth < max_inlining; ++depth) {
    chain.push_back(place(module, location.inlined_file, location.inlined_line, location.inlined_column));
    SourceLocation outer;
    bool found = false;
    for (std::uint32_t s = at; s-- > function.body_begin && !found;) {
      if (module.statement(s).kind() != StatementKind::loc) continue;
      outer = module.source_location(s);
      found = outer.has_inlined_at && outer.file == location.inlined_file && outer.line == location.inlined_line && outer.column == location.inlined_column;
      if (found) at = s;
    }
    if (!found) break;
    location = outer;
  }
  SourcePlace result = chain.back();
  if (result.file.empty() && result.line == 0) return std::nullopt;
  if (chain.size() > 1) {
    result.inlined_at.assign(chain.rbegin() + 1, chain.rend());
  }
  return result;
}

}  // namespace ptxscope::analysis
