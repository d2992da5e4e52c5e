#include <algorithm>

#include "report/load.h"

namespace ptxscope::report {

namespace {

Span line_span(const Module& module, std::uint32_t line) {
  const std::string_view text = module.line_text(line);
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  const auto begin = static_cast<std::uint32_t>(text.data() + first - module.text().data());
  return {begin, begin + static_cast<std::uint32_t>(last - first + 1)};
}

// What the message quotes, if it stands in that line: 'foo'.
Span quoted_span(const Module& module, Span line, std::string_view message) {
  const std::size_t open = message.find('\'');
  const std::size_t close = open == std::string_view::npos ? open : message.find('\'', open + 1);
  if (close == std::string_view::npos || close == open + 1) return line;
  const std::string_view quoted = message.substr(open + 1, close - open - 1);
  const std::size_t at = module.text(line).find(quoted);
  if (at == std::string_view::npos) return line;
  const auto begin = line.begin + static_cast<std::uint32_t>(at);
  return {begin, begin + static_cast<std::uint32_t>(quoted.size())};
}

}  // namespace

std::vector<Diagnostic> jit_diagnostics(const Module& module, const driver::JitLog& log) {
  std::vector<Diagnostic> diagnostics;
  const std::size_t lines =
      module.text().empty() ? 0 : module.position(static_cast<std::uint32_t>(module.text().size())).line;
  for (const driver::JitMessage& message : log.messages) {
    Diagnostic diagnostic;
    diagnostic.level = message.level;
    diagnostic.rule = "PTX-JIT";
    diagnostic.message = message.text;
    if (message.line != 0 && message.line <= lines) {
      diagnostic.span = quoted_span(module, line_span(module, message.line), message.text);
    } else if (!message.function.empty()) {
      for (const Function& function : module.functions()) {
        if (module.name(function.name) != message.function || !function.has_body) continue;
        diagnostic.span =
            quoted_span(module, line_span(module, module.position(function.name_span).line), message.text);
      }
    }
    diagnostics.push_back(std::move(diagnostic));
  }
  return diagnostics;
}

}  // namespace ptxscope::report
