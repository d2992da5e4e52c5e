#include "gui/diff_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "gui/theme.h"

namespace ptxscope::gui {

DiffStrip::DiffStrip(DiffArea& area, QWidget* parent) : QWidget(parent), area_(area) {
  setFixedWidth(14);
  setAccessibleName(tr("Overview of the differences"));
  setToolTip(tr("Where the differences are; the frame is what is in sight"));
  setCursor(Qt::PointingHandCursor);
  const auto redraw = qOverload<>(&QWidget::update);
  connect(&area_, &DiffArea::shown_changed, this, redraw);
  connect(&area_, &DiffArea::caret_moved, this, redraw);
  connect(&Theme::instance(), &Theme::changed, this, redraw);
}

void DiffStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(rect(), colors.margin);
  const auto& diff = area_.diff();
  if (diff == nullptr || diff->rows.empty()) return;
  const double scale = height() / static_cast<double>(diff->rows.size());
  double last = -2;  // of two differences on one pixel, the first
  for (const DiffStop& stop : diff->stops) {
    const double y = stop.row * scale;
    const double end = std::max(y + 2, stop.end * scale);
    if (end < last + 1) continue;
    last = end;
    const QColor color = stop.mark == LineMark::removed   ? colors.removed
                         : stop.mark == LineMark::added   ? colors.added
                         : stop.mark == LineMark::changed ? colors.replaced
                                                          : colors.moved;
    painter.fillRect(QRectF(3, y, width() - 6, end - y), colors.dark ? color.lighter(190) : color.darker(140));
  }
  const double first = area_.first_row_in_sight() * scale;
  const double behind = (area_.last_row_in_sight() + 1) * scale;
  painter.setPen(colors.dim);
  painter.setBrush(Qt::NoBrush);
  painter.drawRect(QRectF(0.5, first, width() - 1.5, std::max(3.0, behind - first - 1)));
  painter.fillRect(QRectF(0, area_.row() * scale, width(), 2), colors.accent);
}

void DiffStrip::go_to(double y) {
  const auto& diff = area_.diff();
  if (diff == nullptr || diff->rows.empty()) return;
  const double share = std::clamp(y / std::max(1, height()), 0.0, 1.0);
  area_.go_to_row(static_cast<std::uint32_t>(share * static_cast<double>(diff->rows.size() - 1)));
}

void DiffStrip::mousePressEvent(QMouseEvent* event) { go_to(event->position().y()); }

void DiffStrip::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) go_to(event->position().y());
}

}  // namespace ptxscope::gui
