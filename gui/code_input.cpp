// Mouse, keyboard and tips of CodeArea.
#include <QApplication>
#include <QContextMenuEvent>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <QScrollBar>
#include <QToolTip>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/code_area.h"
#include "gui/code_tips.h"
#include "gui/places.h"
#include "gui/theme.h"
#include "gui/values.h"
#include "gui/words.h"

namespace ptxscope::gui {

std::uint32_t CodeArea::line_at(int y) const {
  const int row = verticalScrollBar()->value() + (y < 0 ? -1 : y / metrics_.row);
  return folded_.line_of_row(static_cast<std::uint32_t>(std::max(0, row)));
}

CodeArea::Caret CodeArea::caret_under(QPoint position) const {
  const std::uint32_t line = line_at(position.y());
  const double column = (position.x() - metrics_.text()) / metrics_.character + horizontalScrollBar()->value();
  return {line, layout_of(line_text(line)).byte_of(column)};
}

std::optional<std::uint32_t> CodeArea::offset_under(QPoint position) const {
  if (module_ == nullptr || position.x() < metrics_.text() || position.y() < 0) return std::nullopt;
  const int row = verticalScrollBar()->value() + position.y() / metrics_.row;
  if (row >= static_cast<int>(folded_.rows())) return std::nullopt;
  const std::uint32_t line = line_at(position.y());
  const LineLayout layout = layout_of(line_text(line));
  const std::uint32_t byte =
      layout.byte_under((position.x() - metrics_.text()) / metrics_.character + horizontalScrollBar()->value());
  if (byte >= layout.bytes) return std::nullopt;
  return line_begin(*module_, line) + byte;
}

void CodeArea::mousePressEvent(QMouseEvent* event) {
  if (module_ == nullptr) return;
  if (event->button() == Qt::BackButton) {
    selection_.go_back();
    return;
  }
  if (event->button() == Qt::ForwardButton) {
    selection_.go_forward();
    return;
  }
  if (event->button() != Qt::LeftButton) return;
  const QPoint position = event->position().toPoint();
  if (position.x() < metrics_.fold) {
    if (const Fold* const fold = fold_at(line_at(position.y()))) toggle_fold(*fold);
    return;
  }
  const bool to_definition = (event->modifiers() & Qt::ControlModifier) != 0;
  move_caret(caret_under(position), (event->modifiers() & Qt::ShiftModifier) != 0);
  if (to_definition) {
    set_choice_from_caret(Move::jump);
    go_to_definition();
    return;
  }
  dragging_ = true;
}

void CodeArea::mouseMoveEvent(QMouseEvent* event) {
  if (module_ == nullptr) return;
  const QPoint position = event->position().toPoint();
  if (dragging_) {
    move_caret(caret_under(position), true);
    return;
  }
  Qt::CursorShape shape = position.x() < metrics_.text() - 4 ? Qt::ArrowCursor : Qt::IBeamCursor;
  if ((event->modifiers() & Qt::ControlModifier) != 0) {
    const auto offset = offset_under(position);
    if (offset && symbol_at(*module_, *offset)) shape = Qt::PointingHandCursor;
  }
  viewport()->setCursor(shape);
}

void CodeArea::mouseReleaseEvent(QMouseEvent*) { dragging_ = false; }

void CodeArea::mouseDoubleClickEvent(QMouseEvent* event) {
  if (module_ == nullptr || event->button() != Qt::LeftButton) return;
  const auto offset = offset_under(event->position().toPoint());
  if (!offset) return;
  const Caret at = caret_at(*offset);
  const std::string_view text = line_text(at.line);
  const std::string_view word = word_at(text, at.byte);
  if (word.empty()) return;
  const auto begin = static_cast<std::uint32_t>(word.data() - text.data());
  anchor_ = {at.line, begin};
  move_caret({at.line, begin + static_cast<std::uint32_t>(word.size())}, true);
}

bool CodeArea::move_by_key(QKeyEvent* event) {
  const bool select = (event->modifiers() & Qt::ShiftModifier) != 0;
  const bool far = (event->modifiers() & Qt::ControlModifier) != 0;
  if ((event->modifiers() & Qt::AltModifier) != 0) return false;
  Caret to = caret_;
  const auto by_rows = [&](int rows) {
    const auto row = static_cast<std::int64_t>(folded_.row_of_line(caret_.line)) + rows;
    const auto last = static_cast<std::int64_t>(folded_.rows()) - 1;
    const std::uint32_t line = folded_.line_of_row(static_cast<std::uint32_t>(std::clamp<std::int64_t>(row, 0, last)));
    const std::uint32_t column = layout_of(line_text(caret_.line)).column_of(caret_.byte);
    to = {line, layout_of(line_text(line)).byte_of(column)};
  };
  const LineLayout here = layout_of(line_text(caret_.line));
  switch (event->key()) {
    case Qt::Key_Up:
      if (far) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() - 1);
        return true;
      }
      by_rows(-1);
      break;
    case Qt::Key_Down:
      if (far) {
        verticalScrollBar()->setValue(verticalScrollBar()->value() + 1);
        return true;
      }
      by_rows(1);
      break;
    case Qt::Key_PageUp:
      by_rows(1 - rows_in_sight());
      break;
    case Qt::Key_PageDown:
      by_rows(rows_in_sight() - 1);
      break;
    case Qt::Key_Home: {
      const std::size_t first = line_text(caret_.line).find_first_not_of(" \t");
      const auto indent = first == std::string_view::npos ? 0U : static_cast<std::uint32_t>(first);
      to = far ? Caret{1, 0} : Caret{caret_.line, caret_.byte == indent ? 0 : indent};
      break;
    }
    case Qt::Key_End:
      to = far ? Caret{folded_.lines(), 0xffffffffU} : Caret{caret_.line, here.bytes};
      break;
    case Qt::Key_Left:
      if (caret_.byte == 0) {
        if (caret_.line > 1) to = {caret_.line - 1, 0xffffffffU};
      } else {
        to.byte = here.byte_under(static_cast<double>(here.column_of(caret_.byte)) - 0.5);
      }
      break;
    case Qt::Key_Right:
      if (caret_.byte >= here.bytes) {
        if (caret_.line < folded_.lines()) to = {caret_.line + 1, 0};
      } else {
        const auto cell = std::ranges::upper_bound(here.cells, caret_.byte, {}, &LineLayout::Cell::byte);
        to.byte = cell == here.cells.end() ? here.bytes : cell->byte;
      }
      break;
    default:
      return false;
  }
  move_caret(to, select);
  return true;
}

void CodeArea::keyPressEvent(QKeyEvent* event) {
  if (module_ == nullptr) {
    QAbstractScrollArea::keyPressEvent(event);
    return;
  }
  if (event->matches(QKeySequence::Copy)) {
    copy();
  } else if (event->matches(QKeySequence::SelectAll)) {
    select_all();
  } else if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    go_to_definition();
  } else if (event->key() == Qt::Key_Menu || (event->key() == Qt::Key_F10 && event->modifiers() == Qt::ShiftModifier)) {
    const QPoint at = rect_of_line(caret_.line).bottomLeft() + QPoint(metrics_.text(), 0);
    QContextMenuEvent menu(QContextMenuEvent::Keyboard, at, viewport()->mapToGlobal(at));
    contextMenuEvent(&menu);
  } else if (event->key() == Qt::Key_Space && event->modifiers() == Qt::ControlModifier) {
    // The tip of the place of the cursor, for those without a mouse.
    const double column = layout_of(line_text(caret_.line)).column_of(caret_.byte);
    const QPoint at(
        metrics_.text() + static_cast<int>((column - horizontalScrollBar()->value() + 0.5) * metrics_.character),
        rect_of_line(caret_.line).center().y());
    show_tip(at, viewport()->mapToGlobal(at));
  } else if (!move_by_key(event)) {
    event->ignore();  // shortcuts of the window
    return;
  }
  event->accept();
}

void CodeArea::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) != 0) {
    if (event->angleDelta().y() != 0) Theme::instance().change_font_size(event->angleDelta().y() > 0 ? 1 : -1);
    event->accept();
    return;
  }
  QAbstractScrollArea::wheelEvent(event);
}

void CodeArea::resizeEvent(QResizeEvent*) {
  update_scroll_bars();
  settle_.start();
}

void CodeArea::scrollContentsBy(int, int) {
  settle_.start();
  viewport()->update();
}

void CodeArea::contextMenuEvent(QContextMenuEvent* event) {
  if (module_ == nullptr) return;
  if (event->reason() == QContextMenuEvent::Mouse) {
    const Caret at = caret_under(event->pos());
    const bool inside = std::min(caret_, anchor_) <= at && at <= std::max(caret_, anchor_) && caret_ != anchor_;
    if (!inside) move_caret(at, false);
  }
  QMenu menu(this);
  menu.addAction(tr("Copy"), QKeySequence::Copy, this, &CodeArea::copy);
  menu.addAction(tr("Go to definition"), QKeySequence(Qt::Key_F12), this, &CodeArea::go_to_definition);
  menu.addAction(tr("Next place of this name"), QKeySequence(Qt::ALT | Qt::Key_Down), this,
                 [this] { go_to_occurrence(false); });
  menu.addAction(tr("Previous place of this name"), QKeySequence(Qt::ALT | Qt::Key_Up), this,
                 [this] { go_to_occurrence(true); });
  menu.addSeparator();
  menu.addAction(tr("Fold or unfold here"), this, &CodeArea::toggle_fold_at_caret);
  menu.addAction(tr("Fold all functions"), this, &CodeArea::fold_all_functions);
  menu.addAction(tr("Unfold all"), this, &CodeArea::unfold_all);
  menu.exec(event->globalPos());
}

bool CodeArea::viewportEvent(QEvent* event) {
  if (event->type() == QEvent::ToolTip) {
    const auto* const help = static_cast<QHelpEvent*>(event);
    show_tip(help->pos(), help->globalPos());
    return true;
  }
  if (event->type() == QEvent::Leave) ++tip_;
  return QAbstractScrollArea::viewportEvent(event);
}

void CodeArea::show_tip(QPoint position, QPoint global) {
  const std::uint64_t number = ++tip_;
  const QRect row = rect_of_line(line_at(position.y()));
  if (module_ != nullptr && position.x() < metrics_.text() - 4) {
    const std::uint32_t statement = statement_on_line(*module_, line_at(position.y()));
    const auto live = statement == no_index ? std::nullopt : pressure_of(statement);
    if (live && position.x() > metrics_.fold + metrics_.numbers) {
      QToolTip::showText(global, tr("Live here: %1 of 32 bits").arg(counted(*live, tr("register"))), viewport(), row);
      return;
    }
  }
  const auto offset = offset_under(position);
  if (!offset) {
    QToolTip::hideText();
    return;
  }
  make_tip(*offset, [this, number, global, row](const QString& html) {
    if (number != tip_ || !isVisible()) return;
    if (html.isEmpty()) {
      QToolTip::hideText();
    } else {
      QToolTip::showText(global, html, viewport(), row, 60'000);
    }
  });
}

void CodeArea::make_tip(std::uint32_t offset, std::function<void(const QString&)> show) {
  QString notes;
  for (const Hit& hit : hits_)
    if (hit.span.begin <= offset && offset < hit.span.end) notes += tip_paragraph(hit.message);
  const std::uint32_t statement = statement_at(*module_, offset);
  for (std::size_t layer = 0; layer < mark_layer_count; ++layer)
    for (const Mark& mark : selection_.marks_of(static_cast<MarkLayer>(layer), statement))
      if (!mark.note.isEmpty()) notes += tip_paragraph(mark.note);
  const auto place = symbol_at(*module_, offset);
  if (place && place->symbol.kind == Symbol::Kind::reg && statement != no_index) {
    const QString known = notes + tip_html(report::tip_of_register(*module_, place->symbol));
    show(known + tip_paragraph(tr("…")));
    document_.values().ask(place->symbol.function, place->symbol.reg, statement, this,
                           [known, show, module = module_](const RegisterValue& value) {
                             show(known + tip_html(report::tip_of_value(*module, value)));
                           });
    return;
  }
  const Caret at = caret_at(offset);
  show(notes + tip_html(report::tip_of_word(*module_, word_at(line_text(at.line), at.byte), place, statement, offset)));
}

}  // namespace ptxscope::gui
