#include "lsp/answers.h"

#include <algorithm>
#include <array>
#include <utility>

#include "analysis/cfg.h"
#include "analysis/check.h"
#include "analysis/places.h"
#include "report/check_parts.h"

namespace ptxscope::lsp {
namespace {

using analysis::SymbolId;
using analysis::SymbolPlace;

constexpr std::size_t most_places = 10'000;  // of one answer

std::optional<SymbolPlace> symbol_of(const Question& question, std::optional<std::uint32_t> offset) {
  return offset ? analysis::symbol_at(question.snapshot.module(), *offset) : std::nullopt;
}

Json location(const Snapshot& snapshot, Span span) {
  return {{"uri", snapshot.uri()}, {"range", json_of(snapshot.range_of(span))}};
}

// The name itself where its declaration spells it, else all of the declarator (`%r<100>`).
std::optional<Span> declared_name(const Module& module, const SymbolId& symbol) {
  const auto declared = analysis::declaration_of(module, symbol);
  if (!declared) return std::nullopt;
  const Span name = analysis::symbol_in(module, analysis::statement_at(module, declared->begin), symbol);
  const bool is_inside = !name.empty() && name.begin >= declared->begin && name.end <= declared->end;
  return is_inside ? name : *declared;
}

Json place_of(const Question& question, std::optional<Span> span) {
  return span ? location(question.snapshot, *span) : Json();
}

enum class HighlightKind : std::uint8_t { text = 1, read = 2, write = 3 };

HighlightKind kind_of(const Module& module, const SymbolId& symbol, Span span) {
  if (symbol.kind != SymbolId::Kind::reg) return HighlightKind::text;
  const std::uint32_t statement = analysis::statement_at(module, span.begin);
  if (statement == no_index || module.statement(statement).kind() != StatementKind::instruction)
    return HighlightKind::text;
  analysis::RegisterUses uses;
  analysis::register_uses(module.statement(statement), uses);
  if (!uses.known) return HighlightKind::text;
  const bool writes = std::ranges::find(uses.writes, symbol.reg) != uses.writes.end();
  const bool reads = std::ranges::find(uses.reads, symbol.reg) != uses.reads.end();
  // Of one that is both, the destination stands first.
  const Span first = analysis::symbol_in(module, statement, symbol);
  return writes && (!reads || first == span) ? HighlightKind::write : HighlightKind::read;
}

// LSP's DiagnosticSeverity.
int severity_of(Level level) { return level == Level::error ? 1 : level == Level::warning ? 2 : 3; }

Json diagnostic_json(const Snapshot& snapshot, const Diagnostic& one, const Client& client) {
  std::string message = one.message;
  Json related = Json::array();
  for (const Diagnostic::Note& note : one.notes) {
    if (note.span.empty() || !client.related_information) message += "\nnote: " + note.message;
    else related.push_back({{"location", location(snapshot, note.span)}, {"message", note.message}});
  }
  if (!one.remedy.empty()) message += "\nhelp: " + one.remedy;
  Json json = {{"range", json_of(snapshot.range_of(one.span))},
               {"severity", severity_of(one.level)},
               {"source", "ptxscope"},
               {"message", std::move(message)}};
  if (!one.rule.empty()) json["code"] = one.rule;
  if (!related.empty()) json["relatedInformation"] = std::move(related);
  return json;
}

}  // namespace

std::optional<std::uint32_t> offset_in(const Question& question) {
  const auto position = read_position(member(question.params, "position"));
  if (!position) return std::nullopt;
  return question.snapshot.text().offset_of(*position);
}

Failure no_position() { return {ErrorCode::invalid_params, "position: expected {line, character}, numbers from 0"}; }

Answer declaration(const Question& question) {
  const auto offset = offset_in(question);
  if (!offset) return no_position();
  const auto place = symbol_of(question, offset);
  if (!place) return Json();
  return place_of(question, declared_name(question.snapshot.module(), place->symbol));
}

Answer definition(const Question& question) {
  const auto offset = offset_in(question);
  if (!offset) return no_position();
  const Module& module = question.snapshot.module();
  const auto place = symbol_of(question, offset);
  if (!place) return Json();
  const SymbolId& symbol = place->symbol;
  const std::uint32_t statement = analysis::statement_at(module, place->span.begin);
  // A register is defined where it is written, if one write alone arrives.
  if (symbol.kind == SymbolId::Kind::reg && analysis::may_ask(module, symbol.function, symbol.reg, statement)) {
    const std::uint32_t found = question.snapshot.values().before(symbol.function, symbol.reg, statement).definition;
    const bool writes_here = kind_of(module, symbol, place->span) == HighlightKind::write;
    if (!writes_here && found != no_index && found != statement)
      return location(question.snapshot, analysis::symbol_in(module, found, symbol));
  }
  return place_of(question, declared_name(module, symbol));
}

Answer references(const Question& question) {
  const auto offset = offset_in(question);
  if (!offset) return no_position();
  Json result = Json::array();
  const auto place = symbol_of(question, offset);
  if (!place) return result;
  const Module& module = question.snapshot.module();
  std::vector<Span> spans = analysis::occurrences(module, place->symbol, most_places);
  if (const auto declared = declared_name(module, place->symbol)) {
    std::erase(spans, *declared);
    if (is_true_at(question.params, "context/includeDeclaration")) spans.insert(spans.begin(), *declared);
  }
  for (const Span span : spans) result.push_back(location(question.snapshot, span));
  return result;
}

Answer document_highlight(const Question& question) {
  const auto offset = offset_in(question);
  if (!offset) return no_position();
  Json result = Json::array();
  const auto place = symbol_of(question, offset);
  if (!place) return result;
  const Module& module = question.snapshot.module();
  for (const Span span : analysis::occurrences(module, place->symbol, most_places))
    result.push_back({{"range", json_of(question.snapshot.range_of(span))},
                      {"kind", static_cast<int>(kind_of(module, place->symbol, span))}});
  return result;
}

Json diagnostics(const Snapshot& snapshot, const Client& client) {
  constexpr std::size_t most = 1000;
  const analysis::CheckReport report = analysis::check(snapshot.module(), {}, {.places = most});
  Json result = Json::array();
  for (const Diagnostic& one : report::all_diagnostics(snapshot.module(), report)) {
    if (result.size() == most) break;
    result.push_back(diagnostic_json(snapshot, one, client));
  }
  return result;
}

AnswerFunction answer_to(std::string_view method) {
  static constexpr std::array<std::pair<std::string_view, AnswerFunction>, 10> answers{{
      {"textDocument/hover", hover},
      {"textDocument/definition", definition},
      {"textDocument/declaration", declaration},
      {"textDocument/references", references},
      {"textDocument/documentHighlight", document_highlight},
      {"textDocument/documentSymbol", document_symbol},
      {"textDocument/foldingRange", folding_range},
      {"textDocument/completion", completion},
      {"textDocument/semanticTokens/full", semantic_tokens},
      {"textDocument/semanticTokens/range", semantic_tokens_in_range},
  }};
  const auto* const found = std::ranges::find(answers, method, &std::pair<std::string_view, AnswerFunction>::first);
  return found == answers.end() ? nullptr : found->second;
}

}  // namespace ptxscope::lsp
