#include "analysis/unread.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <string_view>
#include <vector>

namespace ptxscope::analysis {

namespace {

bool hides_code(const Diagnostic& diagnostic) {
  constexpr std::array<std::string_view, 5> rules{"PTX-LEX", "PTX-SYNTAX", "PTX-SCOPE", "PTX-LIMIT", "PTX-EMPTY"};
  return diagnostic.level == Level::error && std::ranges::find(rules, diagnostic.rule) != rules.end();
}

// The last message then says that more are not shown.
bool is_cut(std::span<const Diagnostic> all) {
  return !all.empty() && all.back().level == Level::note && all.back().rule == "PTX-LIMIT";
}

// NUL bytes at the end, as in dumps of NVRTC's programs, are an error and hide nothing.
bool is_only_end(const Module& module, const Diagnostic& diagnostic) {
  constexpr std::string_view nothing("\0 \t\r\n", 5);
  return diagnostic.span.begin < module.text().size() &&
         module.text().find_first_not_of(nothing, diagnostic.span.begin) == std::string_view::npos &&
         module.text()[diagnostic.span.begin] == '\0';
}

void count(const Module& module, const Diagnostic& diagnostic, Unread& unread) {
  if (!hides_code(diagnostic) || is_only_end(module, diagnostic)) return;
  if (unread.errors++ == 0) unread.first_line = module.position(diagnostic.span).line;
}

}  // namespace

Unread unread_in(const Module& module) {
  Unread unread;
  for (const Diagnostic& diagnostic : module.diagnostics()) count(module, diagnostic, unread);
  return unread;
}

Unread unread_in(const Module& module, const Function& function) {
  Unread unread;
  const auto all = module.diagnostics();
  // Of a text with more errors than are kept, all behind the last one is in doubt.
  if (is_cut(all) && all.size() > 1 && all[all.size() - 2].span.begin <= function.span.end)
    count(module, all[all.size() - 2], unread);
  auto at =
      std::ranges::lower_bound(all, function.span.begin, {}, [](const Diagnostic& one) { return one.span.begin; });
  for (; at != all.end() && at->span.begin <= function.span.end; ++at) count(module, *at, unread);
  return unread;
}

Unread unread_outside(const Module& module) {
  Unread unread;
  std::vector<Span> spans;
  for (const Function& function : module.functions()) spans.push_back(function.span);
  std::ranges::sort(spans, {}, &Span::begin);
  for (const Diagnostic& diagnostic : module.diagnostics()) {
    const auto next = std::ranges::upper_bound(spans, diagnostic.span.begin, {}, &Span::begin);
    if (next == spans.begin() || std::prev(next)->end < diagnostic.span.begin) count(module, diagnostic, unread);
  }
  return unread;
}

}  // namespace ptxscope::analysis
