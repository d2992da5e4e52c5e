#include "tests/fuzz/module_properties.h"

#include <algorithm>

#include "tests/fuzz/require.h"

namespace ptxscope::fuzz {

namespace {

void require_span(const Module& module, Span span) {
  require(span.begin <= span.end && span.end <= module.text().size(), "a place lies in the text");
}

}  // namespace

void require_module(const Module& module, const std::string& text) {
  require(module.text() == text, "the module's text is the input");
  const auto lines = static_cast<std::uint32_t>(1 + std::ranges::count(text, '\n'));
  std::uint32_t end = 0;
  std::uint32_t line = 1;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Span span = module.statement(i).span();
    require_span(module, span);
    require(span.begin >= end, "statements stand in order, apart");
    end = span.end;
    const std::uint32_t own = module.line_of_statement(i);
    require(own >= line && own <= lines, "statements' lines ascend within the text");
    require(own == module.position(span).line, "a statement's line is that of its place");
    line = own;
  }
  for (const Function& function : module.functions()) require_span(module, function.span);
  require_spans(module, module.diagnostics());
  // That there are more comes last, wherever it stands.
  std::span<const Diagnostic> in_order = module.diagnostics();
  if (!in_order.empty() && in_order.back().rule == "PTX-LIMIT") in_order = in_order.first(in_order.size() - 1);
  require(std::ranges::is_sorted(in_order, {}, [](const Diagnostic& one) { return one.span.begin; }),
          "diagnostics are in order of place");
}

void require_spans(const Module& module, std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& one : diagnostics) {
    require_span(module, one.span);
    require(!one.message.empty() && !one.rule.empty(), "a diagnostic says what is wrong, by which rule");
    for (const Diagnostic::Note& note : one.notes) require_span(module, note.span);
  }
}

}  // namespace ptxscope::fuzz
