// How CodeArea draws itself.
#include <QPaintEvent>
#include <QPainter>
#include <QScrollBar>
#include <algorithm>

#include "gui/code_area.h"
#include "gui/code_text.h"
#include "gui/places.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/cfg_parts.h"

namespace ptxscope::gui {

void CodeArea::paintEvent(QPaintEvent* event) {
  QPainter painter(viewport());
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(event->rect(), colors.base);
  painter.fillRect(0, 0, metrics_.fold + metrics_.numbers + metrics_.pressure + 4, viewport()->height(), colors.margin);
  if (module_ == nullptr) return;
  painter.setFont(Theme::instance().code_font());
  const auto first = static_cast<std::uint32_t>(verticalScrollBar()->value());
  const std::uint32_t rows = folded_.rows();
  int top = 0;
  for (std::uint32_t row = first; row < rows && top < event->rect().bottom() + 1; ++row, top += metrics_.row) {
    if (top + metrics_.row < event->rect().top()) continue;
    paint_line(painter, folded_.line_of_row(row), top);
  }
}

void CodeArea::paint_line(QPainter& painter, std::uint32_t line, int top) {
  const LineLayout layout = layout_of(line_text(line));
  painter.save();
  painter.setClipRect(metrics_.text() - 4, top, viewport()->width(), metrics_.row);
  paint_backgrounds(painter, line, top, layout);
  paint_text(painter, line, top, layout);
  paint_diagnostics(painter, line, top, layout);
  painter.restore();
  paint_margin(painter, line, top);
}

std::optional<MarkRole> CodeArea::mark_of(std::uint32_t line) const {
  const std::string_view text = line_text(line);
  const auto begin = static_cast<std::uint32_t>(text.data() - module_->text().data());
  const auto end = begin + static_cast<std::uint32_t>(text.size());
  std::optional<MarkRole> role;
  for (std::uint32_t at = statement_at(*module_, begin);
       at < module_->statement_count() && module_->statement(at).span().begin < end; ++at) {
    for (std::size_t layer = 0; layer < mark_layer_count; ++layer) {
      for (const Mark& mark : selection_.marks_of(static_cast<MarkLayer>(layer), at))
        if (!role || mark.role < *role) role = mark.role;
    }
  }
  return role;
}

void CodeArea::paint_backgrounds(QPainter& painter, std::uint32_t line, int top, const LineLayout& layout) {
  const Colors& colors = Theme::instance().colors();
  const QRect whole(metrics_.text() - 4, top, viewport()->width(), metrics_.row);
  if (const auto role = mark_of(line)) {
    painter.fillRect(whole, colors.of(*role));
  } else if (line == caret_.line) {
    painter.fillRect(whole, colors.current_line);
  }
  const std::string_view text = line_text(line);
  const auto begin = static_cast<std::uint32_t>(text.data() - module_->text().data());
  const auto end = begin + static_cast<std::uint32_t>(text.size());
  const auto fill_all = [&](const std::vector<Span>& spans, const QColor& color) {
    for (auto one = std::ranges::upper_bound(spans, begin, {}, &Span::end); one != spans.end() && one->begin < end;
         ++one)
      fill_span(painter, *one, line, top, layout, color);
  };
  if (occurrences_ != nullptr) fill_all(*occurrences_, colors.occurrence);
  if (found_ != nullptr) fill_all(*found_, colors.found);
  const Caret from = std::min(caret_, anchor_);
  const Caret to = std::max(caret_, anchor_);
  if (from != to && from.line <= line && line <= to.line) {
    const Span span{from.line == line ? begin + from.byte : begin, to.line == line ? begin + to.byte : end + 1};
    fill_span(painter, span, line, top, layout, colors.selection);
  }
}

double CodeArea::x_of(std::uint32_t column) const {
  return metrics_.text() + (static_cast<double>(column) - horizontalScrollBar()->value()) * metrics_.character;
}

void CodeArea::fill_span(QPainter& painter, Span span, std::uint32_t line, int top, const LineLayout& layout,
                         const QColor& color) const {
  const auto begin = static_cast<std::uint32_t>(line_text(line).data() - module_->text().data());
  const std::uint32_t first = span.begin > begin ? layout.column_of(span.begin - begin) : 0;
  const std::uint32_t last = layout.column_of(span.end - begin) + (span.end > begin + layout.bytes ? 1 : 0);
  const double left = x_of(first);
  painter.fillRect(QRectF(left, top, (last - first) * metrics_.character, metrics_.row), color);
}

void CodeArea::paint_text(QPainter& painter, std::uint32_t line, int top, const LineLayout& layout) {
  const Colors& colors = Theme::instance().colors();
  const double left = metrics_.text() - horizontalScrollBar()->value() * metrics_.character;
  const double first_column = horizontalScrollBar()->value();
  draw_code(painter, *module_, outline_.get(), line, layout,
            {left, top, metrics_.character, metrics_.ascent, first_column,
             first_column + (viewport()->width() - metrics_.text()) / metrics_.character + 1});

  const double behind = left + layout.columns * metrics_.character + metrics_.character;
  painter.setPen(colors.dim);
  if (layout.left_out != 0)
    painter.drawText(QPointF(behind, top + metrics_.ascent),
                     tr("… and %1 more").arg(counted(layout.left_out, tr("byte"))));
  if (folded_.is_folded(line)) {
    const Fold* const fold = fold_at(line);
    const std::size_t lines = fold == nullptr ? 0 : fold->last - fold->first;
    const QString note = QStringLiteral("⋯ ") + counted(lines, tr("line"));
    const double width = metrics_.character * static_cast<double>(note.size() + 1);
    // In sight also behind a long line.
    const QRectF box(std::min(behind, viewport()->width() - width - 4), top + 1, width, metrics_.row - 3);
    painter.setPen(colors.border);
    painter.setBrush(colors.margin);
    painter.drawRoundedRect(box, 3, 3);
    painter.setPen(colors.dim);
    painter.drawText(QPointF(box.left() + metrics_.character / 2, top + metrics_.ascent), note);
  }
  if (line == caret_.line && hasFocus()) {
    const double x = x_of(layout.column_of(caret_.byte));
    painter.fillRect(QRectF(x - 0.5, top, 2, metrics_.row), colors.text);
  }
}

// A line under what a diagnostic is about; as thick as a pen, in the colour of its level.
void CodeArea::paint_diagnostics(QPainter& painter, std::uint32_t line, int top, const LineLayout& layout) {
  if (hits_.empty()) return;
  const Colors& colors = Theme::instance().colors();
  const std::string_view text = line_text(line);
  const auto begin = static_cast<std::uint32_t>(text.data() - module_->text().data());
  const auto end = begin + static_cast<std::uint32_t>(text.size());
  for (auto hit = std::ranges::lower_bound(hits_, begin, {}, [](const Hit& one) { return one.span.begin; });
       hit != hits_.end() && hit->span.begin <= end; ++hit) {
    const double left = x_of(layout.column_of(hit->span.begin - begin));
    const double right = x_of(layout.column_of(std::min(hit->span.end, end) - begin));
    painter.fillRect(QRectF(left, top + metrics_.row - 2, std::max(metrics_.character, right - left), 2),
                     hit->level == Level::error     ? colors.error
                     : hit->level == Level::warning ? colors.warning
                                                    : colors.accent);
  }
}

void CodeArea::paint_margin(QPainter& painter, std::uint32_t line, int top) {
  const Colors& colors = Theme::instance().colors();
  const bool current = line == caret_.line;
  if (const auto role = mark_of(line))
    painter.fillRect(0, top, 3, metrics_.row, colors.of(*role).darker(colors.dark ? 60 : 140));
  if (fold_at(line) != nullptr) {
    const double size = metrics_.character * 0.42;
    const QPointF middle(metrics_.fold / 2.0 + 2, top + metrics_.row / 2.0);
    QPolygonF arrow;
    if (folded_.is_folded(line)) {
      arrow << middle + QPointF(-size * 0.6, -size) << middle + QPointF(size * 0.8, 0)
            << middle + QPointF(-size * 0.6, size);
    } else {
      arrow << middle + QPointF(-size, -size * 0.6) << middle + QPointF(size, -size * 0.6)
            << middle + QPointF(0, size * 0.8);
    }
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(Qt::NoPen);
    painter.setBrush(colors.dim);
    painter.drawPolygon(arrow);
    painter.restore();
  }
  painter.setPen(current ? colors.text : colors.dim);
  painter.drawText(QRectF(metrics_.fold, top, metrics_.numbers - metrics_.character * 0.5, metrics_.row),
                   Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
  paint_pressure(painter, line, top);
}

void CodeArea::paint_pressure(QPainter& painter, std::uint32_t line, int top) {
  const std::string_view text = line_text(line);
  const auto begin = static_cast<std::uint32_t>(text.data() - module_->text().data());
  const std::uint32_t statement = statement_at(*module_, begin);
  if (statement == no_index || module_->statement(statement).span().begin >= begin + text.size()) return;
  const auto found = pressure_.find(function_of(*module_, statement));
  if (found == pressure_.end() || found->second->max_live.registers == 0) return;
  // Of several instructions on a line, the most.
  const analysis::InstructionPressure* most = nullptr;
  for (std::uint32_t at = statement;
       at < module_->statement_count() && module_->statement(at).span().begin < begin + text.size(); ++at) {
    const analysis::InstructionPressure* const one = report::pressure_at(*found->second, at);
    if (one != nullptr && (most == nullptr || one->live.registers > most->live.registers)) most = one;
  }
  if (most == nullptr) return;
  const Colors& colors = Theme::instance().colors();
  const double share = static_cast<double>(most->live.registers) / found->second->max_live.registers;
  const QRectF cell(metrics_.fold + metrics_.numbers, top, metrics_.pressure - 4, metrics_.row);
  QRectF bar = cell;
  bar.setWidth(cell.width() * share);
  painter.fillRect(bar, colors.pressure(share));
  painter.setPen(most->live.registers == found->second->max_live.registers ? colors.text : colors.dim);
  painter.drawText(cell.adjusted(0, 0, -3, 0), Qt::AlignRight | Qt::AlignVCenter,
                   QString::number(most->live.registers));
}

}  // namespace ptxscope::gui
