#include "analysis/sources.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <vector>

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

namespace {

// LLVM writes the way a line was inlined only as a comment behind its `.loc`: `// a.rs:9:5 @[ b.rs:3:1 @[ c.rs:7:2 ] ]`.
std::vector<SourcePlace> commented_chain(const Module& module, std::uint32_t loc_statement) {
  std::vector<SourcePlace> chain;
  std::string_view line = module.line_text(module.line_of_statement(loc_statement));
  for (std::size_t at = line.find("@[ "); at != std::string_view::npos && chain.size() < max_inlining;
       at = line.find("@[ ")) {
    line.remove_prefix(at + 3);
    const std::string_view text = line.substr(0, line.find_first_of(" ]"));
    const std::size_t second = text.rfind(':');
    if (second == std::string_view::npos || second == 0) return {};
    const std::size_t first = text.rfind(':', second - 1);
    if (first == std::string_view::npos || first == 0) return {};
    SourcePlace outer;
    outer.file = std::string(text.substr(0, first));
    const std::string_view line_number = text.substr(first + 1, second - first - 1);
    const std::string_view column = text.substr(second + 1);
    const auto a = std::from_chars(line_number.data(), line_number.data() + line_number.size(), outer.line);
    const auto b = std::from_chars(column.data(), column.data() + column.size(), outer.column);
    if (a.ec != std::errc{} || b.ec != std::errc{} || outer.line == 0) return {};
    chain.push_back(std::move(outer));
  }
  return chain;
}

}  // namespace

std::optional<SourcePlace> source_of(const Module& module, const Function& function, std::uint32_t statement) {
  std::uint32_t at = statement;
  while (at > function.body_begin && module.statement(at).kind() != StatementKind::loc) --at;
  if (at <= function.body_begin) return std::nullopt;
  SourceLocation location = module.source_location(at);
  if (location.line == 0) return std::nullopt;  // LLVM's line 0: code of no line
  std::vector<SourcePlace> chain{place(module, location.file, location.line, location.column)};
  if (!location.has_inlined_at) {
    for (SourcePlace& outer : commented_chain(module, at)) chain.push_back(std::move(outer));
  }
  // inlined_at names a place; where that one was inlined too, a `.loc` of it before says where.
  for (unsigned depth = 0; location.has_inlined_at && depth < max_inlining; ++depth) {
    chain.push_back(place(module, location.inlined_file, location.inlined_line, location.inlined_column));
    SourceLocation outer;
    bool found = false;
    for (std::uint32_t s = at; s-- > function.body_begin && !found;) {
      if (module.statement(s).kind() != StatementKind::loc) continue;
      outer = module.source_location(s);
      found = outer.has_inlined_at && outer.file == location.inlined_file && outer.line == location.inlined_line &&
              outer.column == location.inlined_column;
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
