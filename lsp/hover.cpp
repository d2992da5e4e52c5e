// textDocument/hover: what report/tips.h says, with the values of registers and the condition of a trap.
#include <algorithm>
#include <optional>

#include "analysis/cfg.h"
#include "analysis/places.h"
#include "analysis/syntax.h"
#include "lsp/answers.h"
#include "report/explain.h"
#include "report/tips.h"

namespace ptxscope::lsp {
namespace {

using analysis::SymbolId;
using report::Tip;
using report::TipPart;

// In Markdown between fences longer than any in the text.
std::string fenced(std::string_view text) {
  std::size_t longest = 2;
  std::size_t run = 0;
  for (const char c : text) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  const std::string fence(longest + 1, '`');
  return fence + "text\n" + std::string(text) + "\n" + fence;
}

std::string escaped(std::string_view sentence) {
  std::string out;
  for (const char c : sentence) {
    if (std::string_view("\\`*_{}[]()<>#+-.!|&~$").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string shown(const Tip& tip, bool markdown) {
  std::string out;
  for (const TipPart& part : tip) {
    if (!out.empty()) out += markdown ? "\n\n" : "\n";
    if (!markdown) out += part.text;
    else out += part.is_code ? fenced(part.text) : escaped(part.text);
  }
  return out;
}

void append(Tip& tip, Tip more) { tip.insert(tip.end(), more.begin(), more.end()); }

// A register that the statement only writes is told of as it is behind it; nullopt: another way leads there, too.
std::optional<std::uint32_t> where_it_holds(const Module& module, const SymbolId& symbol, std::uint32_t statement) {
  if (module.statement(statement).kind() != StatementKind::instruction) return statement;
  analysis::RegisterUses uses;
  analysis::register_uses(module.statement(statement), uses);
  const bool only_written = std::ranges::find(uses.writes, symbol.reg) != uses.writes.end() &&
                            std::ranges::find(uses.reads, symbol.reg) == uses.reads.end();
  if (!only_written) return statement;
  std::uint32_t next = statement + 1;
  while (next < module.statement_count() && module.statement(next).kind() == StatementKind::loc) ++next;
  if (next == module.statement_count() || module.statement(next).kind() != StatementKind::instruction)
    return std::nullopt;
  return next;
}

Tip tip_of_register(const Question& question, const SymbolId& symbol, std::uint32_t statement) {
  const Module& module = question.snapshot.module();
  Tip tip = report::tip_of_register(module, symbol);
  if (statement == no_index) return tip;
  const auto at = where_it_holds(module, symbol, statement);
  if (!at || !analysis::may_ask(module, symbol.function, symbol.reg, *at)) return tip;
  report::RegisterText value = report::value_before(question.snapshot.values(), symbol.function, symbol.reg, *at);
  if (value.definition == statement) value.definition = no_index;
  append(tip, report::tip_of_value(module, value));
  return tip;
}

// "%rd4 = global.x", for each register that the instruction reads.
Tip values_read(const Question& question, std::uint32_t function, const Statement& statement) {
  constexpr std::size_t most = 8;
  const Module& module = question.snapshot.module();
  analysis::RegisterUses uses;
  analysis::register_uses(statement, uses);
  std::ranges::sort(uses.reads);
  uses.reads.erase(std::unique(uses.reads.begin(), uses.reads.end()), uses.reads.end());
  std::string lines;
  for (std::size_t i = 0; i < std::min(most, uses.reads.size()); ++i) {
    if (!analysis::may_ask(module, function, uses.reads[i], statement.index())) continue;
    const auto value = report::value_before(question.snapshot.values(), function, uses.reads[i], statement.index());
    if (value.text.empty()) continue;
    lines += (lines.empty() ? "" : "\n") + module.register_name(module.functions()[function], uses.reads[i]) + " = " +
             report::printable(value.text);
  }
  return lines.empty() ? Tip{} : Tip{{true, lines}};
}

// When it is reached; for a trap, or a call or exit that explain-trap takes for one.
Tip tip_of_trap(const Question& question, std::uint32_t function, std::uint32_t statement) {
  const Module& module = question.snapshot.module();
  if (!module.functions()[function].has_body) return {};
  const std::string_view mnemonic = module.statement(statement).opcode().mnemonic;
  if (mnemonic != "trap" && mnemonic != "call" && mnemonic != "exit") return {};
  const analysis::TrapReport& report = question.snapshot.traps_of(function);
  constexpr std::size_t most_characters = 4000;
  std::string text;
  for (const analysis::FunctionTraps& told : report.functions)
    for (const auto* const list : {&told.traps, &told.soft_failures})
      for (const analysis::Trap& trap : *list)
        if (trap.statement == statement) text += report::one_trap_text(module, report, told, trap, {false, 92});
  while (text.ends_with('\n')) text.pop_back();
  if (text.size() > most_characters) text.resize(std::min(text.find('\n', most_characters), text.size()));
  return text.empty() ? Tip{} : Tip{{true, text}};
}

}  // namespace

Answer hover(const Question& question) {
  const auto offset = offset_in(question);
  if (!offset) return no_position();
  const Module& module = question.snapshot.module();
  const std::uint32_t statement = analysis::statement_at(module, *offset);
  const auto place = analysis::symbol_at(module, *offset);
  const std::string_view text = module.text();
  // Of a very long line as much as a word may reach.
  constexpr std::uint32_t reach = 512;
  const std::uint32_t begin = *offset - std::min(*offset, reach);
  const std::string_view word = analysis::word_at(text.substr(begin, std::size_t{2} * reach), *offset - begin);
  Tip tip;
  TextRange range = question.snapshot.range_of({*offset, *offset});
  if (place && place->symbol.kind == SymbolId::Kind::reg) {
    tip = tip_of_register(question, place->symbol, statement);
  } else {
    tip = report::tip_of_word(module, word, place, statement, *offset);
    const bool in_instruction = statement != no_index && !place && !tip.empty() &&
                                module.statement(statement).kind() == StatementKind::instruction &&
                                module.statement(statement).span().begin <= *offset && word.front() != '%';
    const std::uint32_t function = in_instruction ? analysis::function_of(module, statement) : no_index;
    if (function != no_index) {
      Tip first = tip_of_trap(question, function, statement);
      append(first, values_read(question, function, module.statement(statement)));
      append(first, std::move(tip));
      tip = std::move(first);
    }
  }
  if (tip.empty()) return Json();
  if (place) {
    range = question.snapshot.range_of(place->span);
  } else if (!word.empty()) {
    const auto at = static_cast<std::uint32_t>(word.data() - text.data());
    range = question.snapshot.range_of({at, at + static_cast<std::uint32_t>(word.size())});
  }
  const bool markdown = question.client.markdown;
  return Json{{"contents", {{"kind", markdown ? "markdown" : "plaintext"}, {"value", shown(tip, markdown)}}},
              {"range", json_of(range)}};
}

}  // namespace ptxscope::lsp
