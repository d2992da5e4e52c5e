#include "report/tips.h"

#include <algorithm>

#include "analysis/names.h"
#include "analysis/register_values.h"
#include "isa/instructions.h"
#include "isa/lookup.h"
#include "report/explain_instruction.h"
#include "report/expression.h"
#include "report/one_line.h"
#include "report/terminal.h"

namespace ptxscope::report {
namespace {

using analysis::SymbolId;
using analysis::SymbolPlace;

constexpr std::size_t most_lines = 14;
constexpr unsigned tip_width = 92;
constexpr std::size_t most_characters = 400;

std::string shown(std::string_view text) { return printable(text, most_characters); }

TipPart explained(WordKind kind, std::string_view word, std::size_t limit = most_lines) {
  std::string text = explain_text({kind, word}, {{false, tip_width}, false});
  while (text.ends_with('\n')) text.pop_back();
  std::size_t end = 0;
  for (std::size_t lines = 0; end < text.size() && lines < limit; ++lines)
    end = std::min(text.find('\n', end), text.size() - 1) + 1;
  if (end < text.size()) text = text.substr(0, end) + "… the rest: ptxscope explain " + shown(word);
  return {true, std::move(text)};
}

// "line 12: …".
TipPart line_part(std::uint32_t line, std::string_view text) {
  return {false, "line " + std::to_string(line) + ": " + std::string(text)};
}

// The line it stands on, which has the type, too; of a line that holds much more the declarator alone.
std::string declaration_text(const Module& module, Span declared) {
  constexpr std::size_t most_bytes = 1000;
  const std::string_view line = module.line_text(module.position(declared).line);
  std::string text = one_line(line.size() <= most_bytes ? line : module.text(declared), most_characters);
  if (text.ends_with(',')) text.pop_back();
  return text;
}

Tip tip_of_name(const Module& module, const SymbolPlace& place) {
  Tip tip;
  if (const std::string readable = analysis::demangled(spelling(module, place.symbol)); !readable.empty())
    tip.push_back({false, shown(readable)});
  if (const auto declared = declaration_of(module, place.symbol); declared && *declared != place.span)
    tip.push_back(line_part(module.position(*declared).line, declaration_text(module, *declared)));
  return tip;
}

}  // namespace

RegisterText value_before(analysis::RegisterValues& values, std::uint32_t function, RegisterNumber reg,
                          std::uint32_t statement) {
  const analysis::HeldValue held = values.before(function, reg, statement);
  const analysis::ExprPool& pool = values.pool();
  RegisterText result;
  result.definition = held.definition;
  if (pool[held.value].op == analysis::ExprOp::unknown) result.reason = pool.reason(held.value);
  else result.text = to_text(values.module(), pool, held.value, Labels(held.params));
  return result;
}

Tip tip_of_register(const Module& module, const SymbolId& symbol) {
  const RegisterDeclaration& declaration = module.register_declaration(module.functions()[symbol.function], symbol.reg);
  return {{false, shown(spelling(module, symbol)) + "  ." + std::string(spelling(declaration.type)) +
                      ", declared on line " + std::to_string(module.position(declaration.span).line)}};
}

Tip tip_of_value(const Module& module, const RegisterText& value) {
  Tip tip;
  if (!value.text.empty()) tip.push_back({true, "= " + printable(value.text)});
  else if (value.reason.empty()) tip.push_back({false, "What it holds is not known."});
  else tip.push_back({false, "What it holds is not known: " + printable(value.reason) + "."});
  if (value.definition != no_index && value.definition < module.statement_count())
    tip.push_back(line_part(module.line_of_statement(value.definition),
                            one_line(module.statement(value.definition), most_characters)));
  return tip;
}

Tip tip_of_opcode(const Opcode& opcode, bool all) {
  if (isa::find_instruction(opcode.mnemonic) == nullptr)
    return {{false,
             shown(opcode.mnemonic) + " is not in the instruction tables; nothing is said of what it does or needs."}};
  constexpr std::size_t most_forms = 400;
  return {explained(WordKind::opcode, opcode.text, all ? most_forms : most_lines)};
}

Tip tip_of_word(const Module& module, std::string_view word, const std::optional<SymbolPlace>& place,
                std::uint32_t statement, std::uint32_t offset) {
  if (word.empty()) return {};
  if (statement != no_index) {
    const Statement at = module.statement(statement);
    const bool may_be_opcode = word.front() != '%' && !(word.front() >= '0' && word.front() <= '9');
    if (at.kind() == StatementKind::instruction && at.span().begin <= offset && !place && may_be_opcode) {
      const Opcode& opcode = at.opcode();
      // The word is the opcode, not a number or something behind it.
      if (opcode.text.find(word) != std::string::npos) return tip_of_opcode(opcode, false);
    }
  }
  if (word.front() == '%') {
    const std::string_view name = word.substr(0, word.find('.'));
    if (isa::find_special_register(name) != nullptr) return {explained(WordKind::special_register, name)};
  }
  if (place && place->symbol.kind == SymbolId::Kind::name) return tip_of_name(module, *place);
  if (word.starts_with('.')) {
    const auto directives = isa::directives();
    const auto found = std::ranges::find(directives, word, &isa::Directive::name);
    if (found != directives.end()) return {explained(WordKind::directive, found->name)};
  }
  return {};
}

}  // namespace ptxscope::report
