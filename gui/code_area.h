// The text of a module: only the lines in sight are looked at, so that its size does not matter. Line numbers, folding,
// registers live at each instruction, marks, occurrences of what the cursor is on, found text, diagnostics.
#pragma once

#include <QAbstractScrollArea>
#include <QPointer>
#include <QTimer>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/liveness.h"
#include "gui/document.h"
#include "gui/folded_lines.h"
#include "gui/line_layout.h"
#include "gui/places.h"
#include "gui/selection.h"

namespace ptxscope::gui {

class CodeArea : public QAbstractScrollArea {
  Q_OBJECT
 public:
  CodeArea(Document& document, Selection& selection, QWidget* parent = nullptr);

  /// A place between two characters.
  struct Caret {
    std::uint32_t line = 1;  ///< from 1
    std::uint32_t byte = 0;  ///< of the line
    friend auto operator<=>(const Caret&, const Caret&) = default;
  };
  [[nodiscard]] Caret caret() const { return caret_; }
  [[nodiscard]] std::uint32_t caret_offset() const;
  [[nodiscard]] QString selected_text() const;
  [[nodiscard]] const FoldedLines& folded() const { return folded_; }
  [[nodiscard]] std::uint32_t first_line_in_sight() const;
  [[nodiscard]] std::uint32_t last_line_in_sight() const;

  void copy();
  void select_all();
  void go_to_definition();
  /// The next instruction, after the cursor, at which as many registers are live as anywhere in the function.
  void go_to_pressure_peak(bool backwards);
  void go_to_occurrence(bool backwards);
  void toggle_fold_at_caret();
  void fold_all_functions();
  void unfold_all();
  /// Text that a search found; all of it is marked.
  void set_found(std::shared_ptr<const std::vector<Span>> found);
  /// The cursor to a piece of text, which becomes selected.
  void show_span(Span span);
  /// Brings a line into sight, folded or not.
  void show_line(std::uint32_t line);
  [[nodiscard]] const std::shared_ptr<const std::vector<Span>>& occurrences_now() const { return occurrences_; }
  [[nodiscard]] const std::shared_ptr<const std::vector<Span>>& found_now() const { return found_; }

  /// Where things are drawn, for those who draw beside it.
  [[nodiscard]] QRect rect_of_line(std::uint32_t line) const;
  /// Registers live at the statement, where they have been counted.
  [[nodiscard]] std::optional<std::uint32_t> pressure_of(std::uint32_t statement) const;
  /// The tip for a place: what stands there and what it means. Values of registers come later, by `show`.
  void make_tip(std::uint32_t offset, std::function<void(const QString&)> show);

 Q_SIGNALS:
  void caret_moved();
  /// Something that was asked for cannot be done, or came out otherwise: a sentence.
  void notice(const QString& sentence);
  /// Or found text did.
  void occurrences_changed();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  struct Metrics {
    double character = 8;  // width
    int row = 16;          // height
    int ascent = 12;
    int fold = 16;     // left edge is 0
    int numbers = 40;  // width of the line numbers
    int pressure = 40;
    [[nodiscard]] int text() const { return fold + numbers + pressure + 10; }  // left edge of the text
  };
  struct Hit {  // a line that has a diagnostic
    Span span;
    Level level = Level::error;
    QString message;
  };

  // code_area.cpp: what is shown
  void take_module();
  void take_outline();
  void take_diagnostics();
  void measure();
  void update_scroll_bars();
  void follow_selection(const Choice& before, const QObject* by, Move move);
  void find_occurrences();
  void ask_pressure();
  void move_caret(Caret caret, bool select, Move move = Move::stay);
  void bring_into_sight(std::uint32_t line, bool centered);
  void set_choice_from_caret(Move move);
  [[nodiscard]] std::string_view line_text(std::uint32_t line) const;
  [[nodiscard]] std::uint32_t offset_of(Caret caret) const;
  [[nodiscard]] Caret caret_at(std::uint32_t offset) const;
  [[nodiscard]] int rows_in_sight() const;
  [[nodiscard]] const Fold* fold_at(std::uint32_t line) const;
  void toggle_fold(const Fold& fold);

  // code_paint.cpp
  void paint_line(QPainter& painter, std::uint32_t line, int top);
  void paint_margin(QPainter& painter, std::uint32_t line, int top);
  void paint_pressure(QPainter& painter, std::uint32_t line, int top);
  void paint_backgrounds(QPainter& painter, std::uint32_t line, int top, const LineLayout& layout);
  void paint_text(QPainter& painter, std::uint32_t line, int top, const LineLayout& layout);
  void paint_diagnostics(QPainter& painter, std::uint32_t line, int top, const LineLayout& layout);
  [[nodiscard]] double x_of(std::uint32_t column) const;
  void fill_span(QPainter& painter, Span span, std::uint32_t line, int top, const LineLayout& layout,
                 const QColor& color) const;
  [[nodiscard]] std::optional<MarkRole> mark_of(std::uint32_t line) const;

  // code_input.cpp
  [[nodiscard]] std::uint32_t line_at(int y) const;
  [[nodiscard]] Caret caret_under(QPoint position) const;
  [[nodiscard]] std::optional<std::uint32_t> offset_under(QPoint position) const;
  void show_tip(QPoint position, QPoint global);
  bool move_by_key(QKeyEvent* event);

  Document& document_;
  Selection& selection_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const Outline> outline_;
  FoldedLines folded_;
  Metrics metrics_;
  Caret caret_, anchor_;
  bool dragging_ = false;
  std::vector<Hit> hits_;  // ascending by place
  std::shared_ptr<const std::vector<Span>> found_, occurrences_;
  Symbol occurrences_of_;
  Cancel occurrences_cancel_;
  std::unordered_map<std::uint32_t, std::shared_ptr<const analysis::LiveRanges>> pressure_;  // by function
  QTimer settle_;                    // scrolling has come to rest
  std::optional<bool> wanted_peak_;  // a jump that waits for the counts; true: backwards
  std::uint64_t tip_ = 0;            // counts tips, so that a late answer does not replace a newer one
};

}  // namespace ptxscope::gui
