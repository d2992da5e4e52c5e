// What is chosen in a document. Code, graph, traps, requirements and the list of kernels all write to it and follow it;
// they do not know each other.
#pragma once

#include <QObject>
#include <QString>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "analysis/cfg.h"
#include "gui/places.h"
#include "parser/module.h"

namespace ptxscope::gui {

class Document;

/// Parts that are not chosen have their "none" value.
struct Choice {
  std::uint32_t function = no_index;             ///< index into Module::functions
  std::uint32_t statement = no_index;            ///< the one the line holds, where it holds one
  std::uint32_t line = 0;                        ///< of the text, from 1
  analysis::BlockId block = analysis::no_block;  ///< only when a block as a whole was chosen
  std::uint32_t trap = 0;                        ///< Trap::id within `function`'s report; 0: none
  Symbol symbol;                                 ///< the register or name under the cursor
  friend bool operator==(const Choice&, const Choice&) = default;
};

/// Why a statement is marked, and with it the colour.
enum class MarkRole : std::uint8_t {
  trap,        ///< the trap itself
  guard,       ///< the branch that decides
  compare,     ///< what computed its predicate
  definition,  ///< of a value behind it
  parameter,   ///< the load of a kernel parameter behind it
  unfit,       ///< does not fit the target asked about
  found,       ///< belongs to what was chosen elsewhere (a source line)
};
inline constexpr std::size_t mark_role_count = static_cast<std::size_t>(MarkRole::found) + 1;

struct Mark {
  std::uint32_t statement = no_index;
  Span span;  ///< of the text; empty: the whole statement
  MarkRole role = MarkRole::found;
  QString note;  ///< shown as a tooltip; plain text
};

/// Who set the marks. A layer is replaced as a whole.
enum class MarkLayer : std::uint8_t { traps, requirements, source };
inline constexpr std::size_t mark_layer_count = 3;

/// `jump`: the place goes into the history, and views bring it into sight. `follow`: views bring it into sight.
/// `stay`: just noted (the cursor moved on by itself).
enum class Move : std::uint8_t { stay, follow, jump };

class Selection : public QObject {
  Q_OBJECT
 public:
  explicit Selection(Document& document, QObject* parent = nullptr);

  [[nodiscard]] const Choice& now() const { return now_; }

  // `by`: who chooses, for changed(). All of these do nothing while the document has no module, and with what is not there.
  void choose_function(std::uint32_t function, const QObject* by, Move move = Move::jump);
  void choose_statement(std::uint32_t statement, const QObject* by, Move move = Move::jump);
  void choose_line(std::uint32_t line, const QObject* by, Move move = Move::jump);
  /// The block of the function's control flow; the cursor goes to its first instruction. Needs Document::flow().
  void choose_block(std::uint32_t function, analysis::BlockId block, const QObject* by, Move move = Move::jump);
  /// The trap of that function's report (Document::traps()); the cursor goes to the statement of the trap.
  void choose_trap(std::uint32_t function, std::uint32_t trap, const QObject* by, Move move = Move::jump);
  void choose_symbol(const Symbol& symbol, const QObject* by);
  /// The byte's line, statement and symbol.
  void choose_offset(std::uint32_t offset, const QObject* by, Move move = Move::jump);

  [[nodiscard]] bool can_go_back() const { return at_ > 0; }
  [[nodiscard]] bool can_go_forward() const { return at_ + 1 < history_.size(); }
  void go_back();
  void go_forward();

  void set_marks(MarkLayer layer, std::vector<Mark> marks);
  [[nodiscard]] const std::vector<Mark>& marks(MarkLayer layer) const {
    return marks_[static_cast<std::size_t>(layer)];  // ascending by statement
  }
  [[nodiscard]] std::span<const Mark> marks_of(MarkLayer layer, std::uint32_t statement) const;

 Q_SIGNALS:
  /// now() is new. `by` is who asked for it; nullptr: the history, or a reload. After a reload now() belongs to the new
  /// module at once, and this comes when all who follow Document::module_changed() have taken it.
  void changed(const ptxscope::gui::Choice& before, const QObject* by, ptxscope::gui::Move move);
  void marks_changed(ptxscope::gui::MarkLayer layer);
  void history_changed();

 private:
  void choose(Choice choice, const QObject* by, Move move);
  void show_entry(std::size_t entry);
  void follow_module();
  void remember_place();
  [[nodiscard]] Choice choice_on_line(std::uint32_t line) const;

  Document& document_;
  Choice now_;
  std::vector<Choice> history_;
  std::size_t at_ = 0;
  std::array<std::vector<Mark>, mark_layer_count> marks_;
  // What now_ meant in the module before the last reload.
  QString function_name_;
  std::uint32_t line_in_function_ = 0;
};

}  // namespace ptxscope::gui
