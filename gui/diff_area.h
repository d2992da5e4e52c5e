// Two texts side by side, line for line, as AlignedDiff has them. One scroll bar moves both; only the rows in sight are
// looked at.
#pragma once

#include <QAbstractScrollArea>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/diff_rows.h"
#include "gui/line_layout.h"
#include "gui/places.h"

namespace ptxscope::gui {

class DiffArea : public QAbstractScrollArea {
  Q_OBJECT
 public:
  explicit DiffArea(QWidget* parent = nullptr);

  /// nullptr: nothing. The cursor goes to the first row.
  void show_diff(std::shared_ptr<const AlignedDiff> diff);
  /// Where comments run over several lines; may come later than the texts.
  void set_outlines(std::shared_ptr<const Outline> a, std::shared_ptr<const Outline> b);
  [[nodiscard]] const std::shared_ptr<const AlignedDiff>& diff() const { return diff_; }
  /// Hides what is the same, but for some rows around a difference.
  void set_only_differences(bool only);
  [[nodiscard]] bool only_differences_shown() const { return only_; }

  /// The row of the cursor, an index into AlignedDiff::rows, and the side that the keyboard is on.
  [[nodiscard]] std::uint32_t row() const;
  [[nodiscard]] DiffSide side() const { return side_; }
  /// The line of the cursor's row on its side; of a row that has none there, of the nearest row that has one before it.
  [[nodiscard]] std::uint32_t line() const;
  void set_side(DiffSide side);
  void go_to_row(std::uint32_t row);
  /// The next difference after the cursor. False: there is none.
  bool go_to_difference(bool backwards, bool strict);
  /// Of the side that the cursor is on: its row, or those that are selected.
  void copy();
  [[nodiscard]] QString selected_text() const;
  /// The rows drawn now, for who looks from outside.
  [[nodiscard]] const std::vector<ShownRow>& shown_rows() const { return shown_; }
  [[nodiscard]] std::uint32_t first_row_in_sight() const;
  [[nodiscard]] std::uint32_t last_row_in_sight() const;
  /// What there is to say of a row: its mark in words, where it moved, why it changes nothing.
  [[nodiscard]] QString words_of(std::uint32_t row, DiffSide side) const;
  /// In the viewport.
  [[nodiscard]] QRect rect_of_row(std::uint32_t row, DiffSide side) const;

 Q_SIGNALS:
  void caret_moved();
  void shown_changed();
  /// That line of that side is to be shown where its file is.
  void line_opened(ptxscope::gui::DiffSide side, std::uint32_t line);

 protected:
  void paintEvent(QPaintEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void mouseDoubleClickEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void wheelEvent(QWheelEvent* event) override;
  void contextMenuEvent(QContextMenuEvent* event) override;
  bool viewportEvent(QEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;

 private:
  struct Metrics {
    double character = 8;
    int row = 16, ascent = 12;
    int sign = 16;  // width of the marks' letters
    int numbers = 40;
    [[nodiscard]] int text() const { return sign + numbers + 8; }  // from the left edge of a side
  };
  void measure();
  void update_scroll_bars();
  void build_shown();
  void expand(std::uint32_t shown);
  void move_to(std::int64_t shown, bool select);
  void bring_into_sight(std::uint32_t shown, bool centered);
  [[nodiscard]] int rows_in_sight() const;
  [[nodiscard]] std::uint32_t shown_of_row(std::uint32_t row) const;
  [[nodiscard]] std::optional<std::uint32_t> shown_at(int y) const;
  [[nodiscard]] DiffSide side_at(int x) const;
  [[nodiscard]] int left_of(DiffSide side) const;
  [[nodiscard]] int width_of_side() const;
  void describe();

  void paint_row(QPainter& painter, std::uint32_t shown, int top);
  void paint_title(QPainter& painter, std::uint32_t index, int top);
  void paint_note(QPainter& painter, const QString& text, int top);
  void paint_side(QPainter& painter, std::uint32_t row, DiffSide side, int top);
  void paint_words(QPainter& painter, std::uint32_t row, DiffSide side, int top, const LineLayout& layout);
  [[nodiscard]] QColor color_of(LineMark mark, bool changes) const;

  std::shared_ptr<const AlignedDiff> diff_;
  std::shared_ptr<const Outline> outlines_[2];
  std::vector<ShownRow> shown_;
  bool only_ = false;
  std::uint32_t caret_ = 0, anchor_ = 0;  // indices into shown_
  DiffSide side_ = DiffSide::b;
  Metrics metrics_;
};

}  // namespace ptxscope::gui
