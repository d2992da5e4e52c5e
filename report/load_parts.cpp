#include <algorithm>

#include "report/diagnostics.h"
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

// Where what the message quotes is declared: "Unresolved extern function 'foo'". Empty: it names nothing of the module.
Span named_span(const Module& module, std::string_view message) {
  for (std::size_t open = message.find('\''); open != std::string_view::npos;) {
    const std::size_t close = message.find('\'', open + 1);
    if (close == std::string_view::npos) return {};
    const std::string_view name = message.substr(open + 1, close - open - 1);
    Span found;
    for (const Function& function : module.functions())
      if (module.name(function.name) == name && (function.has_body || found.empty())) found = function.name_span;
    if (!found.empty()) return found;
    for (const Variable& variable : module.variables())
      if (module.name(variable.name) == name) return quoted_span(module, variable.span, message.substr(open));
    open = message.find('\'', close + 1);
  }
  return {};
}

// Empty: it has no place.
Span place_of(const Module& module, const driver::JitMessage& message) {
  const std::uint32_t lines =
      module.text().empty() ? 0 : module.position(static_cast<std::uint32_t>(module.text().size())).line;
  if (message.line == 0) return named_span(module, message.text);
  if (message.line > lines) return {};
  return quoted_span(module, line_span(module, message.line), message.text);
}

}  // namespace

std::vector<Diagnostic> jit_diagnostics(const Module& module, const driver::JitLog& log) {
  std::vector<Diagnostic> diagnostics;
  for (const driver::JitMessage& message : log.messages) {
    const Span place = place_of(module, message);
    if (place.empty()) continue;
    std::string remedy;
    if (message.text.starts_with("Unresolved extern"))
      remedy = "link it with the module that defines this (cuLinkAddData, nvlink), or give it a body here";
    diagnostics.push_back({message.level, "PTX-JIT", place, message.text, std::move(remedy), {}});
  }
  return diagnostics;
}

std::vector<std::string> jit_remarks(const Module& module, const driver::JitLog& log) {
  std::vector<std::string> remarks;
  for (const driver::JitMessage& message : log.messages) {
    if (!place_of(module, message).empty()) continue;
    remarks.push_back(std::string(spelling(message.level)) + ": " + message.text +
                      (message.line != 0 ? " (line " + std::to_string(message.line) + ")" : ""));
  }
  return remarks;
}

}  // namespace ptxscope::report
