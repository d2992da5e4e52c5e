// textDocument/completion: what may stand at the cursor, by the tables and by what the module declares.
#include <algorithm>
#include <set>
#include <string>

#include "analysis/outline.h"
#include "analysis/places.h"
#include "analysis/syntax.h"
#include "isa/instructions.h"
#include "isa/lookup.h"
#include "lsp/answers.h"
#include "report/terminal.h"

namespace ptxscope::lsp {
namespace {

constexpr std::size_t most_items = 2000;

// LSP's CompletionItemKind.
enum class ItemKind : std::uint8_t { function = 3, variable = 6, keyword = 14, reference = 18, constant = 21 };

bool belongs(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == '%' || c == '.' || c == ':';
}

class Items {
 public:
  Items(const Question& question, std::string_view typed, TextRange range)
      : question_(question), typed_(typed), range_(json_of(range)) {}

  void add(std::string_view text, ItemKind kind, std::string_view detail) {
    if (!text.starts_with(typed_) || text.empty()) return;
    if (items_.size() == most_items) {
      is_incomplete_ = true;
      return;
    }
    if (!seen_.insert(std::string(text)).second) return;
    Json item = {
        {"label", text}, {"kind", static_cast<int>(kind)}, {"textEdit", {{"range", range_}, {"newText", text}}}};
    if (!detail.empty()) item["detail"] = detail;
    items_.push_back(std::move(item));
  }
  [[nodiscard]] const Question& question() const { return question_; }
  [[nodiscard]] std::string_view typed() const { return typed_; }
  [[nodiscard]] Json json() && { return {{"isIncomplete", is_incomplete_}, {"items", std::move(items_)}}; }

 private:
  const Question& question_;
  std::string_view typed_;
  Json range_;
  std::set<std::string> seen_;
  bool is_incomplete_ = false;
  Json items_ = Json::array();
};

void add_directives(Items& items) {
  for (const isa::Directive& one : isa::directives())
    if (one.name.starts_with('.')) items.add(one.name, ItemKind::keyword, "directive");
}

void add_mnemonics(Items& items) {
  for (const isa::Instruction& one : isa::instructions())
    items.add(one.mnemonic, ItemKind::keyword, isa::spelling(one.category));
}

// `opcode`: all up to the last dot; the words that some form has beside those.
void add_modifiers(Items& items, std::string_view opcode) {
  const isa::OpcodeDescription known = isa::describe_opcode(opcode);
  for (const isa::Form* const form : known.meant.forms)
    for (const isa::FormSlot& slot : form->slots) {
      const bool is_filled = std::ranges::any_of(
          slot.words, [&](std::string_view word) { return std::ranges::find(known.words, word) != known.words.end(); });
      if (is_filled) continue;
      for (const std::string_view word : slot.words)
        items.add(std::string(opcode) + "." + std::string(word), ItemKind::keyword, "modifier");
    }
  for (const isa::Variant& variant : known.variants)
    if (variant.name.find('*') == std::string::npos)
      items.add(variant.name, ItemKind::keyword, isa::spelling(variant.row->category));
}

void add_special_registers(Items& items) {
  for (const std::string_view name : isa::special_register_names()) {
    const isa::SpecialRegister* const one = isa::find_special_register(name);
    if (one == nullptr || one->components == 1) {
      items.add(name, ItemKind::constant, "special register");
      continue;
    }
    for (const std::string_view selector : {".x", ".y", ".z"})
      items.add(std::string(name) + std::string(selector), ItemKind::constant, "special register");
  }
}

void add_registers(Items& items, const Module& module, const Function& function) {
  for (const RegisterDeclaration& one : function.registers) {
    const std::string name(module.name(one.name));
    const std::string type = "." + std::string(spelling(one.type));
    if (one.count == 0) items.add(name, ItemKind::variable, type);
    // Of `%r<1000>` those that are near to what was typed: all others begin otherwise.
    constexpr std::uint32_t most = 100'000;
    for (std::uint32_t i = 0; i < std::min(one.count, most) && items.typed().size() >= name.size(); ++i)
      items.add(name + std::to_string(i), ItemKind::variable, type);
    if (one.count != 0) items.add(name + "0", ItemKind::variable, type);
  }
}

void add_names(Items& items, const Module& module, const Function* function) {
  if (function != nullptr) {
    for (const Variable& one : function->parameters) items.add(module.name(one.name), ItemKind::variable, "parameter");
    const std::uint32_t end = function->has_body ? std::min(function->body_end, module.statement_count()) : 0;
    for (std::uint32_t at = function->body_begin; at < end; ++at) {
      const Statement statement = module.statement(at);
      if (statement.kind() == StatementKind::label)
        items.add(module.name(statement.label()), ItemKind::reference, "label");
      if (statement.kind() != StatementKind::variable) continue;
      const auto locals = module.local_variables();
      for (std::size_t i = statement.payload(); i < locals.size() && locals[i].statement == at; ++i)
        items.add(module.name(locals[i].name), ItemKind::variable, spelling(locals[i].space));
    }
  }
  for (const Variable& one : module.variables())
    items.add(module.name(one.name), ItemKind::variable, spelling(one.space));
  for (const Function& one : module.functions()) items.add(module.name(one.name), ItemKind::function, "function");
}

// The function around a byte; its text need not be whole, as it is being written.
const Function* function_around(const Module& module, std::uint32_t offset) {
  const auto functions = module.functions();
  const auto behind =
      std::ranges::upper_bound(functions, offset, {}, [](const Function& one) { return one.span.begin; });
  if (behind == functions.begin()) return nullptr;
  const Function& found = *(behind - 1);
  return found.has_body && offset <= found.span.end ? &found : nullptr;
}

// Whether a statement begins where the word does: nothing but a guard or a label between it and the end of the last one.
bool begins_statement(std::string_view before) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t end = before.find_last_of(";{}:\n");
  if (end != std::string_view::npos) {
    const std::size_t last = before.substr(0, end).find_last_not_of(blank);
    if (before[end] == '\n' && last != std::string_view::npos && before[last] == ',') return false;
    before.remove_prefix(end + 1);
  }
  const auto skip_blank = [&] { before.remove_prefix(std::min(before.find_first_not_of(blank), before.size())); };
  skip_blank();
  if (before.starts_with('@')) {
    before.remove_prefix(std::min(before.find_first_of(blank), before.size()));
    skip_blank();
  }
  return before.empty();
}

// In a comment or a string nothing is offered.
bool is_prose(const Snapshot& snapshot, std::uint32_t offset) {
  using analysis::SyntaxRole;
  const std::string_view line = snapshot.text().line(snapshot.text().position_of(offset).line);
  const auto begin = static_cast<std::uint32_t>(line.data() - snapshot.text().bytes().data());
  const std::string_view before = line.substr(0, offset - begin);
  const auto state = analysis::state_of_line(snapshot.module(), snapshot.outline(), begin);
  std::size_t code = 0;  // where it goes on behind the last comment or string
  for (const analysis::SyntaxRun& run : analysis::syntax_of(line, state)) {
    if (run.begin >= before.size()) break;
    if (run.role != SyntaxRole::comment && run.role != SyntaxRole::string) continue;
    const std::string_view text = line.substr(run.begin, run.end - run.begin);
    const bool has_end = run.role == SyntaxRole::string ? text.size() > 1 && text.ends_with('"')
                                                        : text.ends_with("*/") && !text.starts_with("//");
    if (before.size() < run.end || (before.size() == run.end && !has_end)) return true;
    if (before.substr(code, run.begin - code).find('"') != std::string_view::npos) return true;
    code = run.end;
  }
  return before.find('"', code) != std::string_view::npos;  // a string that is being written
}

}  // namespace

Answer completion(const Question& question) {
  const auto offset = offset_in(question);
  if (!offset) return no_position();
  const Snapshot& snapshot = question.snapshot;
  const std::string_view text = snapshot.text().bytes();
  constexpr std::size_t longest = 256;
  std::size_t begin = *offset;
  while (begin > 0 && *offset - begin < longest && belongs(text[begin - 1])) --begin;
  const std::string_view typed = text.substr(begin, *offset - begin);
  if (is_prose(snapshot, *offset)) return Json{{"isIncomplete", false}, {"items", Json::array()}};
  Items items(question, typed, snapshot.range_of({static_cast<std::uint32_t>(begin), *offset}));
  const std::string_view before =
      text.substr(begin - std::min<std::size_t>(begin, 1024), std::min<std::size_t>(begin, 1024));
  const Module& module = snapshot.module();
  const Function* const function = function_around(module, static_cast<std::uint32_t>(begin));
  const bool is_guard = before.ends_with('@') || before.ends_with("@!");
  const bool at_start = !is_guard && begins_statement(before);
  const std::size_t dot = typed.rfind('.');
  if (typed.starts_with('%') || is_guard) {
    if (function != nullptr) add_registers(items, module, *function);
    if (!is_guard) add_special_registers(items);
  } else if (typed.starts_with('.')) {
    add_directives(items);
  } else if (at_start && dot != std::string_view::npos) {
    add_modifiers(items, typed.substr(0, dot));
  } else if (at_start) {
    if (function != nullptr) add_mnemonics(items);
    if (typed.empty()) add_directives(items);
  } else {
    if (function != nullptr) add_registers(items, module, *function);
    if (typed.empty()) add_special_registers(items);
    add_names(items, module, function);
  }
  return std::move(items).json();
}

}  // namespace ptxscope::lsp
