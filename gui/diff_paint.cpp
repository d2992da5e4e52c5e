// How DiffArea draws itself.
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "gui/code_text.h"
#include "gui/diff_area.h"
#include "gui/theme.h"
#include "gui/words.h"

namespace ptxscope::gui {

void DiffArea::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(event->rect(), colors.base);
  for (const DiffSide side : {DiffSide::a, DiffSide::b})
    painter.fillRect(left_of(side), 0, metrics_.text() - 4, viewport()->height(), colors.margin);
  painter.setFont(Theme::instance().code_font());
  if (diff_ != nullptr) {
    int top = 0;
    for (auto at = static_cast<std::size_t>(verticalScrollBar()->value());
         at < shown_.size() && top <= event->rect().bottom(); ++at, top += metrics_.row)
      if (top + metrics_.row > event->rect().top()) paint_row(painter, static_cast<std::uint32_t>(at), top);
  }
  painter.fillRect(left_of(DiffSide::b) - 1, 0, 1, viewport()->height(), colors.border);
}

void DiffArea::paint_row(QPainter& painter, std::uint32_t shown, int top) {
  const ShownRow& one = shown_[shown];
  const AlignedRow& row = diff_->rows[one.row];
  const Colors& colors = Theme::instance().colors();
  if (one.hidden != 0) {
    paint_note(painter, QStringLiteral("⋯ ") + tr("%1 without a difference").arg(counted(one.hidden, tr("line"))), top);
  } else if (row.kind == AlignedRow::Kind::title) {
    paint_title(painter, one.row, top);
  } else if (row.kind == AlignedRow::Kind::more) {
    paint_note(painter, tr("… and %1 more of it in A, %2 in B").arg(counted(row.a, tr("line"))).arg(row.b), top);
  } else {
    paint_side(painter, one.row, DiffSide::a, top);
    paint_side(painter, one.row, DiffSide::b, top);
  }
  if (shown == caret_) {
    // A frame, as the background says what the line is.
    painter.setPen(hasFocus() ? colors.accent : colors.dim);
    painter.setBrush(Qt::NoBrush);
    painter.drawRect(left_of(side_), top, width_of_side() - 2, metrics_.row - 1);
  } else if (shown >= std::min(caret_, anchor_) && shown <= std::max(caret_, anchor_)) {
    QColor over = colors.accent;
    over.setAlpha(60);
    painter.fillRect(left_of(side_), top, width_of_side() - 1, metrics_.row, over);
  }
}

void DiffArea::paint_title(QPainter& painter, std::uint32_t index, int top) {
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(0, top, viewport()->width(), metrics_.row, colors.line);
  painter.setPen(colors.text);
  QFont bold = painter.font();
  bold.setBold(true);
  painter.save();
  painter.setFont(bold);
  const QRect place(6, top, viewport()->width() - 12, metrics_.row);
  const QString title = QString::fromStdString(diff_->title_of(diff_->section_of(index)));
  painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                   painter.fontMetrics().elidedText(title, Qt::ElideMiddle, place.width()));
  painter.restore();
}

void DiffArea::paint_note(QPainter& painter, const QString& text, int top) {
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(0, top, viewport()->width(), metrics_.row, colors.margin);
  painter.setPen(colors.dim);
  for (const DiffSide side : {DiffSide::a, DiffSide::b}) {
    const QRect place(left_of(side) + metrics_.text(), top, width_of_side() - metrics_.text() - 4, metrics_.row);
    painter.drawText(place, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text, Qt::ElideRight, place.width()));
  }
}

QColor DiffArea::color_of(LineMark mark, bool changes) const {
  const Colors& colors = Theme::instance().colors();
  QColor color;
  switch (mark) {
    case LineMark::none:
    case LineMark::spelled:
      return color;
    case LineMark::moved:
      return colors.moved;
    case LineMark::changed:
      color = colors.replaced;
      break;
    case LineMark::removed:
      color = colors.removed;
      break;
    case LineMark::added:
      color = colors.added;
      break;
  }
  // What changes nothing is paler.
  if (!changes) color.setAlpha(110);
  return color;
}

void DiffArea::paint_side(QPainter& painter, std::uint32_t index, DiffSide side, int top) {
  const Colors& colors = Theme::instance().colors();
  const AlignedRow& row = diff_->rows[index];
  const std::uint32_t line = row.line(side);
  const LineMark mark = row.mark(side);
  const int left = left_of(side);
  const QRect whole(left, top, width_of_side(), metrics_.row);
  painter.save();
  painter.setClipRect(whole);
  if (line == 0) {
    painter.fillRect(whole, QBrush(colors.line, Qt::BDiagPattern));
    painter.restore();
    return;
  }
  if (const QColor color = color_of(mark, row.changes); color.isValid()) painter.fillRect(whole, color);
  const QRectF sign(left, top, metrics_.sign, metrics_.row);
  painter.setPen(mark <= LineMark::spelled || (!row.changes && mark != LineMark::moved) ? colors.dim : colors.text);
  if (mark != LineMark::none) painter.drawText(sign, Qt::AlignCenter, QString(QLatin1Char(letter_of(mark))));
  painter.setPen(colors.dim);
  painter.drawText(QRectF(left + metrics_.sign, top, metrics_.numbers - metrics_.character * 0.5, metrics_.row),
                   Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
  painter.setClipRect(whole.adjusted(metrics_.text() - 2, 0, 0, 0));
  const LineLayout layout = layout_of(diff_->module(side).line_text(line));
  paint_words(painter, index, side, top, layout);
  const double first = horizontalScrollBar()->value();
  const double text_left = left + metrics_.text() - first * metrics_.character;
  draw_code(painter, diff_->module(side), outlines_[static_cast<std::size_t>(side)].get(), line, layout,
            {text_left, top, metrics_.character, metrics_.ascent, first,
             first + (width_of_side() - metrics_.text()) / metrics_.character + 1});
  if (layout.left_out != 0) {
    painter.setPen(colors.dim);
    painter.drawText(QPointF(text_left + (layout.columns + 1) * metrics_.character, top + metrics_.ascent),
                     tr("… and %1 more").arg(counted(layout.left_out, tr("byte"))));
  }
  painter.restore();
}

// What differs within a changed line: darker, and underlined.
void DiffArea::paint_words(QPainter& painter, std::uint32_t index, DiffSide side, int top, const LineLayout& layout) {
  if (diff_->rows[index].mark(side) != LineMark::changed) return;
  const Colors& colors = Theme::instance().colors();
  const Module& module = diff_->module(side);
  const std::string_view text = module.line_text(diff_->rows[index].line(side));
  const auto begin = static_cast<std::uint32_t>(text.data() - module.text().data());
  const auto end = begin + static_cast<std::uint32_t>(text.size());
  const double left = left_of(side) + metrics_.text() - horizontalScrollBar()->value() * metrics_.character;
  for (const Span span : diff_->words_of(index, side)) {
    if (span.end <= begin || span.begin >= end) continue;
    const std::uint32_t first = layout.column_of(std::max(span.begin, begin) - begin);
    const std::uint32_t last = layout.column_of(std::min(span.end, end) - begin);
    const QRectF place(left + first * metrics_.character, top, (last - first) * metrics_.character, metrics_.row);
    painter.fillRect(place, colors.dark ? colors.replaced.lighter(165) : colors.replaced.darker(122));
    painter.fillRect(QRectF(place.left(), place.bottom() - 2, place.width(), 1.5), colors.warning);
  }
}

}  // namespace ptxscope::gui
