// textDocument/semanticTokens: the colours of the viewer, as types and modifiers that editors know.
#include <algorithm>
#include <array>

#include "analysis/outline.h"
#include "analysis/places.h"
#include "analysis/syntax.h"
#include "lsp/answers.h"

namespace ptxscope::lsp {
namespace {

using analysis::SyntaxRole;

enum TokenType : std::uint8_t { keyword, type, macro, label, variable, parameter, function, number, string, comment };
constexpr std::array<std::string_view, 10> type_names{"keyword",   "type",     "macro",  "label",  "variable",
                                                      "parameter", "function", "number", "string", "comment"};

// Bits. What an opcode does is a modifier of its own: memory, control, …
enum TokenModifier : std::uint8_t {
  plain = 0,
  readonly = 1,
  library = 2,
  memory = 4,
  control = 8,
  barrier = 16,
  matrix = 32,
  trap = 64
};
constexpr std::array<std::string_view, 7> modifier_names{"readonly", "defaultLibrary", "memory", "control",
                                                         "barrier",  "matrix",         "trap"};

struct Look {
  TokenType type = keyword;
  std::uint8_t modifiers = plain;
};

std::optional<Look> look_of(SyntaxRole role) {
  switch (role) {
    case SyntaxRole::text:
    case SyntaxRole::unknown:
      return std::nullopt;
    case SyntaxRole::comment:
      return Look{comment};
    case SyntaxRole::directive:
      return Look{macro};
    case SyntaxRole::label:
      return Look{label};
    case SyntaxRole::type:
      return Look{type};
    case SyntaxRole::reg:
    case SyntaxRole::name:
      return Look{variable};
    case SyntaxRole::special:
      return Look{variable, readonly | library};
    case SyntaxRole::number:
      return Look{number};
    case SyntaxRole::string:
      return Look{string};
    case SyntaxRole::arithmetic:
      return Look{keyword};
    case SyntaxRole::memory:
      return Look{keyword, memory};
    case SyntaxRole::control:
      return Look{keyword, control};
    case SyntaxRole::barrier:
      return Look{keyword, barrier};
    case SyntaxRole::matrix:
      return Look{keyword, matrix};
    case SyntaxRole::trap:
      return Look{keyword, trap};
  }
  return std::nullopt;
}

bool is_parameter(const Module& module, const analysis::SymbolId& symbol) {
  if (symbol.function == no_index) return false;
  const Function& function = module.functions()[symbol.function];
  return std::ranges::any_of(std::array{&function.parameters, &function.return_parameters}, [&](const auto* list) {
    return std::ranges::find(*list, symbol.name, &Variable::name) != list->end();
  });
}

// A name is a function, a parameter, a variable or a label: the module knows.
Look look_of_name(const Module& module, std::uint32_t offset) {
  const auto place = analysis::symbol_at(module, offset);
  if (!place || place->symbol.kind != analysis::SymbolId::Kind::name) return {variable};
  const NameId name = place->symbol.name;
  if (module.find_function(name) != nullptr) return {function};
  if (is_parameter(module, place->symbol)) return {parameter};
  return {variable};
}

class TokenWriter {
 public:
  explicit TokenWriter(const Question& question) : question_(question), snapshot_(question.snapshot) {}

  Json lines(std::uint32_t first, std::uint32_t last) {
    for (std::uint32_t line = first; line <= last && line < snapshot_.text().line_count(); ++line) {
      if ((line & 1023U) == 0 && question_.is_cancelled()) break;
      one(line);
    }
    return {{"data", std::move(data_)}};
  }

 private:
  void one(std::uint32_t line) {
    const std::string_view text = snapshot_.text().line(line);
    const auto begin = static_cast<std::uint32_t>(text.data() - snapshot_.text().bytes().data());
    const Module& module = snapshot_.module();
    const auto state = analysis::state_of_line(module, snapshot_.outline(), begin);
    for (const analysis::SyntaxRun& run : analysis::syntax_of(text, state)) {
      auto look = look_of(run.role);
      if (!look) continue;
      if (run.role == SyntaxRole::name) look = look_of_name(module, begin + run.begin);
      add(snapshot_.range_of({begin + run.begin, begin + run.end}), *look);
    }
  }

  void add(const TextRange& range, Look look) {
    const bool same_line = range.begin.line == last_.line;
    data_.push_back(range.begin.line - last_.line);
    data_.push_back(same_line ? range.begin.character - last_.character : range.begin.character);
    data_.push_back(range.end.character - range.begin.character);
    data_.push_back(static_cast<unsigned>(look.type));
    data_.push_back(static_cast<unsigned>(look.modifiers));
    last_ = range.begin;
  }

  const Question& question_;
  const Snapshot& snapshot_;
  Json data_ = Json::array();
  TextPosition last_;
};

}  // namespace

Json semantic_tokens_legend() { return {{"tokenTypes", type_names}, {"tokenModifiers", modifier_names}}; }

Answer semantic_tokens(const Question& question) {
  // Ranges are asked for then: all of it would be hundreds of megabytes of numbers.
  constexpr std::size_t largest = std::size_t{8} << 20U;
  if (question.snapshot.text().bytes().size() > largest) return Json();
  return TokenWriter(question).lines(0, question.snapshot.text().line_count() - 1);
}

Answer semantic_tokens_in_range(const Question& question) {
  const auto range = read_range(member(question.params, "range"));
  if (!range) return Failure{ErrorCode::invalid_params, "range: expected {start, end}"};
  constexpr std::uint32_t most_lines = 100'000;
  if (range->end.line < range->begin.line) return TokenWriter(question).lines(1, 0);
  return TokenWriter(question).lines(range->begin.line, std::min(range->end.line, range->begin.line + most_lines));
}

}  // namespace ptxscope::lsp
