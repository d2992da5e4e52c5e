#include "gui/selection.h"

#include <algorithm>
#include <utility>

#include "gui/document.h"

namespace ptxscope::gui {
namespace {

constexpr std::size_t most_history = 200;

// Whether going from one to the other is worth a way back.
bool is_elsewhere(const Choice& a, const Choice& b) { return a.function != b.function || a.line != b.line; }

}  // namespace

Selection::Selection(Document& document, QObject* parent) : QObject(parent), document_(document) {
  connect(&document, &Document::module_changed, this, &Selection::follow_module);
}

void Selection::choose(Choice choice, const QObject* by, Move move) {
  if (choice == now_ && move == Move::stay) return;
  const Choice before = now_;
  if (move == Move::jump && is_elsewhere(choice, now_)) {
    if (history_.empty()) {
      if (now_.line != 0) history_.push_back(now_);
    } else {
      history_[at_] = now_;  // where the cursor went since
      history_.resize(at_ + 1);
    }
    history_.push_back(choice);
    if (history_.size() > most_history) history_.erase(history_.begin());
    at_ = history_.size() - 1;
    now_ = choice;
    Q_EMIT history_changed();
  } else {
    now_ = choice;
  }
  remember_place();
  Q_EMIT changed(before, by, move);
}

void Selection::remember_place() {
  if (const auto module = document_.module(); module != nullptr && now_.function != no_index) {
    const Function& function = module->functions()[now_.function];
    const std::string_view name = module->name(function.name);
    function_name_ = QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    const std::uint32_t first = module->line_of_statement(function.header);
    line_in_function_ = now_.line >= first ? now_.line - first : 0;
  } else {
    function_name_.clear();
    line_in_function_ = now_.line;
  }
}

void Selection::choose_function(std::uint32_t function, const QObject* by, Move move) {
  const auto module = document_.module();
  if (module == nullptr || function >= module->functions().size()) return;
  Choice choice;
  choice.function = function;
  choice.statement = module->functions()[function].header;
  choice.line = module->line_of_statement(choice.statement);
  choose(choice, by, move);
}

void Selection::choose_statement(std::uint32_t statement, const QObject* by, Move move) {
  const auto module = document_.module();
  if (module == nullptr || statement >= module->statement_count()) return;
  Choice choice;
  choice.function = function_of(*module, statement);
  choice.statement = statement;
  choice.line = module->line_of_statement(statement);
  choose(choice, by, move);
}

Choice Selection::choice_on_line(std::uint32_t line) const {
  const auto module = document_.module();
  Choice choice;
  choice.line = std::clamp(line, 1U, line_count(*module));
  choice.statement = statement_on_line(*module, choice.line);
  // Comments and empty lines inside a body belong to the function too.
  const std::uint32_t near = statement_at(*module, line_begin(*module, choice.line));
  choice.function = near == no_index ? no_index : function_of(*module, near);
  return choice;
}

void Selection::choose_line(std::uint32_t line, const QObject* by, Move move) {
  if (document_.module() != nullptr) choose(choice_on_line(line), by, move);
}

void Selection::choose_offset(std::uint32_t offset, const QObject* by, Move move) {
  const auto module = document_.module();
  if (module == nullptr) return;
  Choice choice;
  choice.line = module->position(offset).line;
  const std::uint32_t near = statement_at(*module, offset);
  choice.statement = statement_on_line(*module, choice.line);
  // Of several statements on a line, the one at the byte.
  if (near != no_index && module->line_of_statement(near) == choice.line) choice.statement = near;
  choice.function = near == no_index ? no_index : function_of(*module, near);
  if (const auto place = symbol_at(*module, offset)) choice.symbol = place->symbol;
  if (move == Move::stay && choice.function == now_.function && choice.statement == now_.statement) {
    choice.trap = now_.trap;
    choice.block = now_.block;
  }
  choose(choice, by, move);
}

void Selection::choose_block(std::uint32_t function, analysis::BlockId block, const QObject* by, Move move) {
  const auto module = document_.module();
  const auto flow = module == nullptr ? Answer<analysis::FunctionFlow>() : document_.flow(function);
  if (!flow || block >= flow->cfg.blocks.size()) return;
  const analysis::Block& chosen = flow->cfg.blocks[block];
  Choice choice;
  choice.function = function;
  choice.block = block;
  choice.statement = chosen.first_instruction;
  if (choice.statement == no_index && chosen.first <= chosen.last) choice.statement = chosen.first;
  if (choice.statement == no_index) choice.statement = module->functions()[function].header;
  choice.line = module->line_of_statement(choice.statement);
  choose(choice, by, move);
}

void Selection::choose_trap(std::uint32_t function, std::uint32_t trap, const QObject* by, Move move) {
  const auto module = document_.module();
  const auto traps = module == nullptr ? Answer<analysis::TrapReport>() : document_.traps(function);
  if (!traps) return;
  for (const analysis::FunctionTraps& one : traps->functions) {
    for (const auto* list : {&one.traps, &one.soft_failures}) {
      const auto found = std::ranges::find(*list, trap, &analysis::Trap::id);
      if (found == list->end() || found->statement >= module->statement_count()) continue;
      Choice choice;
      choice.function = function;  // it may stand in another one, which this one calls
      choice.statement = found->statement;
      choice.line = module->line_of_statement(found->statement);
      choice.trap = trap;
      choose(choice, by, move);
      return;
    }
  }
}

void Selection::choose_symbol(const Symbol& symbol, const QObject* by) {
  if (document_.module() == nullptr) return;
  Choice choice = now_;
  choice.symbol = symbol;
  choose(choice, by, Move::stay);
}

void Selection::show_entry(std::size_t entry) {
  const Choice before = now_;
  history_[at_] = now_;
  at_ = entry;
  now_ = history_[at_];
  remember_place();
  Q_EMIT history_changed();
  Q_EMIT changed(before, nullptr, Move::follow);
}

void Selection::go_back() {
  if (can_go_back()) show_entry(at_ - 1);
}

void Selection::go_forward() {
  if (can_go_forward()) show_entry(at_ + 1);
}

void Selection::set_marks(MarkLayer layer, std::vector<Mark> marks) {
  std::ranges::stable_sort(marks, {}, &Mark::statement);
  marks_[static_cast<std::size_t>(layer)] = std::move(marks);
  Q_EMIT marks_changed(layer);
}

std::span<const Mark> Selection::marks_of(MarkLayer layer, std::uint32_t statement) const {
  const std::vector<Mark>& all = marks(layer);
  const auto first = std::ranges::lower_bound(all, statement, {}, &Mark::statement);
  return {first, std::ranges::upper_bound(first, all.end(), statement, {}, &Mark::statement)};
}

// The same place in the new text: the same line of the function of that name.
void Selection::follow_module() {
  const QString name = function_name_;
  const std::uint32_t line = line_in_function_;
  const bool was_somewhere = now_.line != 0;
  history_.clear();
  at_ = 0;
  for (std::size_t layer = 0; layer < mark_layer_count; ++layer) set_marks(static_cast<MarkLayer>(layer), {});
  Q_EMIT history_changed();
  const auto module = document_.module();
  if (module == nullptr) return;
  const Choice before = std::exchange(now_, {});
  if (!was_somewhere) return;
  const NameId id = name.isEmpty() ? no_name : module->find_name(name.toStdString());
  const Function* const found = id == no_name ? nullptr : module->find_function(id);
  if (found == nullptr) {
    now_ = choice_on_line(name.isEmpty() ? line : 1);
  } else {
    const std::uint32_t first = module->line_of_statement(found->header);
    const std::uint32_t last =
        found->has_body ? std::min(found->body_end, module->statement_count() - 1) : found->header;
    now_ = choice_on_line(std::min(first + line, module->line_of_statement(last)));
  }
  remember_place();
  // The panels take the new module first: what they have of the old one does not go with the new choice.
  QMetaObject::invokeMethod(
      this, [this, before] { Q_EMIT changed(before, nullptr, Move::follow); }, Qt::QueuedConnection);
}

}  // namespace ptxscope::gui
