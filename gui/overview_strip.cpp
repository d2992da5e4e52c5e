#include "gui/overview_strip.h"

#include <QMouseEvent>
#include <QPainter>
#include <algorithm>

#include "gui/theme.h"

namespace ptxscope::gui {

OverviewStrip::OverviewStrip(Document& document, Selection& selection, CodeArea& code, QWidget* parent)
    : QWidget(parent), document_(document), selection_(selection), code_(code) {
  setFixedWidth(12);
  setAccessibleName(tr("Overview of the text"));
  setToolTip(tr("Where marked lines, found text and places of the chosen name are"));
  setCursor(Qt::PointingHandCursor);
  const auto redraw = qOverload<>(&QWidget::update);
  connect(&selection_, &Selection::changed, this, redraw);
  connect(&selection_, &Selection::marks_changed, this, redraw);
  connect(&code_, &CodeArea::occurrences_changed, this, redraw);
  connect(&document_, &Document::module_changed, this, redraw);
  connect(&Theme::instance(), &Theme::changed, this, redraw);
}

void OverviewStrip::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(rect(), colors.margin);
  const auto module = document_.module();
  if (module == nullptr || module->text().empty()) return;
  const double lines = code_.folded().lines();
  const auto tick = [&](double line, const QColor& color, double height) {
    const double y = (line - 1) / lines * this->height();
    painter.fillRect(QRectF(2, y, width() - 4, height), color);
  };
  // By bytes, which is near enough and needs no line to be looked up.
  const double bytes = static_cast<double>(module->text().size());
  const auto ticks = [&](const std::shared_ptr<const std::vector<Span>>& spans, const QColor& color, int margin) {
    if (spans == nullptr) return;
    double last = -2;
    for (const Span& span : *spans) {
      const double y = span.begin / bytes * height();
      if (y < last + 1) continue;
      last = y;
      painter.fillRect(QRectF(margin, y, width() - 2 * margin, 2), color);
    }
  };
  ticks(code_.occurrences_now(), colors.dim, 4);
  ticks(code_.found_now(), colors.dark ? colors.found.lighter(180) : colors.found.darker(130), 2);
  for (std::size_t layer = 0; layer < mark_layer_count; ++layer) {
    double last = -2;
    for (const Mark& mark : selection_.marks(static_cast<MarkLayer>(layer))) {
      if (mark.statement >= module->statement_count()) continue;
      const double y = module->statement(mark.statement).span().begin / bytes * height();
      if (y < last + 1) continue;
      last = y;
      const QColor& color = colors.of(mark.role);
      painter.fillRect(QRectF(1, y, width() - 2, 3), colors.dark ? color.lighter(170) : color.darker(125));
    }
  }
  if (selection_.now().line != 0) tick(selection_.now().line, colors.accent, 2);
}

void OverviewStrip::go_to(int y) {
  const double share = std::clamp(static_cast<double>(y) / std::max(1, height()), 0.0, 1.0);
  code_.show_line(1 + static_cast<std::uint32_t>(share * (code_.folded().lines() - 1)));
}

void OverviewStrip::mousePressEvent(QMouseEvent* event) { go_to(static_cast<int>(event->position().y())); }

void OverviewStrip::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) != 0) go_to(static_cast<int>(event->position().y()));
}

}  // namespace ptxscope::gui
