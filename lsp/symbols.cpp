// textDocument/documentSymbol and foldingRange.
#include <algorithm>
#include <utility>

#include "analysis/names.h"
#include "analysis/places.h"
#include "lsp/answers.h"
#include "report/terminal.h"

namespace ptxscope::lsp {
namespace {

// LSP's SymbolKind.
enum class SymbolKind : std::uint8_t { function = 12, variable = 13, constant = 14, key = 20 };

struct Entry {
  std::string name, detail;
  SymbolKind kind = SymbolKind::variable;
  Span whole, name_span;
};

std::string type_text(const Variable& variable) {
  std::string text = "." + std::string(spelling(variable.space)) + " ." + std::string(spelling(variable.type));
  for (const std::uint64_t dimension : variable.dimensions)
    text += dimension == 0 ? "[]" : "[" + std::to_string(dimension) + "]";
  return text;
}

class SymbolWriter {
 public:
  explicit SymbolWriter(const Question& question) : question_(question), module_(question.snapshot.module()) {}

  Json run() {
    constexpr std::size_t most = 20'000;  // of each, beyond which the functions alone are listed
    std::size_t labels = 0;
    std::size_t parameters = 0;
    for (std::uint32_t at = 0; at < module_.statement_count(); ++at)
      labels += module_.statement(at).kind() == StatementKind::label ? 1U : 0U;
    for (const Function& function : module_.functions()) parameters += function.parameters.size();
    with_labels_ = labels <= most;
    with_parameters_ = parameters <= most;
    for (const Variable& variable : module_.variables()) add(result_, of_variable(variable), Json::array(), "");
    for (const Function& function : module_.functions()) {
      if (question_.is_cancelled()) break;
      add_function(function);
    }
    return std::move(result_);
  }

 private:
  void add_function(const Function& function) {
    const std::string name(module_.name(function.name));
    const std::string readable = analysis::demangled(name);
    Entry entry{name, readable, SymbolKind::function, function.span, function.name_span};
    if (readable.empty()) entry.detail = function.kind == FunctionKind::entry ? ".entry" : ".func";
    Json children = Json::array();
    Json& inside = question_.client.nested_symbols ? children : result_;
    // A list without nesting has the function before what is in it.
    if (!question_.client.nested_symbols) add(result_, entry, Json::array(), "");
    for (const auto* const list : {&function.return_parameters, &function.parameters})
      for (const Variable& one : *list)
        if (with_parameters_ && one.name != no_name) add(inside, of_variable(one), Json::array(), name);
    if (with_labels_ && function.has_body) {
      const std::uint32_t end = std::min(function.body_end, module_.statement_count());
      for (std::uint32_t at = function.body_begin; at < end; ++at) {
        const Statement statement = module_.statement(at);
        if (statement.kind() == StatementKind::label)
          add(inside,
              {std::string(module_.name(statement.label())), "", SymbolKind::key, statement.span(), statement.span()},
              Json::array(), name);
      }
    }
    if (question_.client.nested_symbols) add(result_, entry, std::move(children), "");
  }

  [[nodiscard]] Entry of_variable(const Variable& variable) const {
    const SymbolKind kind = variable.space == StateSpace::constant ? SymbolKind::constant : SymbolKind::variable;
    return {std::string(module_.name(variable.name)), type_text(variable), kind, variable.span, variable.span};
  }

  void add(Json& to, const Entry& entry, Json children, const std::string& container) {
    constexpr std::size_t most = 100'000;
    if (entry.name.empty() || ++count_ > most) return;
    Json json = {{"name", report::printable(entry.name)}, {"kind", static_cast<int>(entry.kind)}};
    const Json range = json_of(question_.snapshot.range_of(entry.whole));
    if (question_.client.nested_symbols) {
      json["range"] = range;
      json["selectionRange"] = json_of(question_.snapshot.range_of(entry.name_span));
      if (!entry.detail.empty()) json["detail"] = report::printable(entry.detail);
      if (!children.empty()) json["children"] = std::move(children);
    } else {
      json["location"] = {{"uri", question_.snapshot.uri()}, {"range", range}};
      if (!container.empty()) json["containerName"] = report::printable(container);
    }
    to.push_back(std::move(json));
  }

  const Question& question_;
  const Module& module_;
  bool with_labels_ = true;
  bool with_parameters_ = true;
  std::size_t count_ = 0;
  Json result_ = Json::array();
};

}  // namespace

Answer document_symbol(const Question& question) { return SymbolWriter(question).run(); }

Answer folding_range(const Question& question) {
  const Snapshot& snapshot = question.snapshot;
  const Module& module = snapshot.module();
  const auto editor_line = [&](std::uint32_t line) {
    return snapshot.text().position_of(analysis::line_begin(module, line)).line;
  };
  constexpr std::size_t most = 100'000;
  Json result = Json::array();
  for (const analysis::Fold& fold : snapshot.outline().folds) {
    if (result.size() == most) break;
    // What closes a body stays to be seen.
    const bool is_braced = fold.kind == analysis::Fold::Kind::function || fold.kind == analysis::Fold::Kind::scope;
    const std::uint32_t last = is_braced && fold.last > fold.first + 1 ? fold.last - 1 : fold.last;
    result.push_back({{"startLine", editor_line(fold.first)}, {"endLine", editor_line(last)}});
  }
  for (const Span comment : snapshot.outline().long_comments) {
    if (result.size() == most) break;
    const TextRange range = snapshot.range_of(comment);
    result.push_back({{"startLine", range.begin.line}, {"endLine", range.end.line}, {"kind", "comment"}});
  }
  return result;
}

}  // namespace ptxscope::lsp
