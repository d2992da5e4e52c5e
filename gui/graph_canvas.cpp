#include "gui/graph_canvas.h"

#include <QKeyEvent>
#include <QPainter>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "gui/theme.h"

namespace ptxscope::gui {
namespace {

constexpr double least_scale = 0.01;
constexpr double largest_scale = 4;
constexpr double zoom_step = 1.2;
constexpr QSize largest_map(160, 160);

}  // namespace

GraphMap::GraphMap(GraphCanvas& canvas) : QWidget(&canvas), canvas_(canvas) {
  setCursor(Qt::CrossCursor);
  setAccessibleName(tr("Map of the graph"));
  setToolTip(tr("The whole graph; press to go there"));
  hide();
}

QTransform GraphMap::from_scene() const {
  const QRectF all = canvas_.sceneRect();
  QTransform transform;
  transform.scale(width() / std::max(1.0, all.width()), height() / std::max(1.0, all.height()));
  transform.translate(-all.left(), -all.top());
  return transform;
}

void GraphMap::renew() {
  picture_ = {};
  place();
  update();
}

void GraphMap::place() {
  const QRectF all = canvas_.sceneRect();
  const QRectF seen = canvas_.mapToScene(canvas_.viewport()->rect()).boundingRect();
  const QSize view = canvas_.viewport()->size();
  // It covers a corner: only where most of the graph is out of sight it shows more than it hides.
  const QRectF part = seen & all;
  const bool useful = canvas_.graph().layout() != nullptr &&
                      part.width() * part.height() < 0.5 * all.width() * all.height() && view.width() > 2 * 100 &&
                      view.height() > 2 * 100;
  setVisible(useful);
  if (!useful) return;
  QSize size = all.size().scaled(largest_map.boundedTo(view / 4), Qt::KeepAspectRatio).toSize();
  size = size.expandedTo(QSize(24, 24));
  if (size != this->size()) picture_ = {};
  resize(size);
  move(view.width() - size.width() - 8, view.height() - size.height() - 8);
  update();
}

void GraphMap::paintEvent(QPaintEvent*) {
  const Colors& colors = Theme::instance().colors();
  if (picture_.isNull()) {
    picture_ = QPixmap(size() * devicePixelRatioF());
    picture_.setDevicePixelRatio(devicePixelRatioF());
    picture_.fill(colors.margin);
    QPainter painter(&picture_);
    painter.setTransform(from_scene(), true);
    canvas_.graph().paint_map(painter);
  }
  QPainter painter(this);
  painter.drawPixmap(0, 0, picture_);
  painter.setPen(colors.border);
  painter.drawRect(rect().adjusted(0, 0, -1, -1));
  const QRectF seen = from_scene().mapRect(canvas_.mapToScene(canvas_.viewport()->rect()).boundingRect());
  QColor fill = colors.accent;
  fill.setAlpha(40);
  painter.setPen(QPen(colors.accent, 1.5));
  painter.setBrush(fill);
  painter.drawRect(seen.intersected(QRectF(rect()).adjusted(0, 0, -1, -1)));
}

void GraphMap::go_to(QPointF position) { canvas_.centerOn(from_scene().inverted().map(position)); }
void GraphMap::mousePressEvent(QMouseEvent* event) { go_to(event->position()); }
void GraphMap::mouseMoveEvent(QMouseEvent* event) { go_to(event->position()); }

GraphCanvas::GraphCanvas(GraphScene& scene, QWidget* parent) : QGraphicsView(parent), scene_(scene) {
  setScene(&scene);
  setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  setDragMode(QGraphicsView::ScrollHandDrag);
  setTransformationAnchor(QGraphicsView::AnchorUnderMouse);
  setFrameShape(QFrame::NoFrame);
  viewport()->setCursor(Qt::OpenHandCursor);
  map_ = new GraphMap(*this);
  connect(&Theme::instance(), &Theme::changed, map_, &GraphMap::renew);
}

void GraphCanvas::zoom(double factor) {
  const double wanted = std::clamp(scale_now() * factor, least_scale, largest_scale);
  scale(wanted / scale_now(), wanted / scale_now());
  map_->place();
}

void GraphCanvas::reset_zoom() { zoom(1 / scale_now()); }

void GraphCanvas::fit() {
  if (scene_.layout() == nullptr) return;
  fitInView(sceneRect(), Qt::KeepAspectRatio);
  if (scale_now() > 1) reset_zoom();
  map_->place();
}

void GraphCanvas::show_start() {
  if (scene_.layout() == nullptr || scene_.layout()->nodes.empty()) return;
  const QSize view = viewport()->size();
  const double to_fit = std::min(view.width() / sceneRect().width(), view.height() / sceneRect().height());
  resetTransform();
  zoom(std::clamp(to_fit, 0.6, 1.0));
  const QRectF first = scene_.rect_of(0);
  // The first block at the top, the middle of the graph in the middle where it is narrow enough.
  centerOn(sceneRect().width() * scale_now() <= view.width() ? sceneRect().center().x() : first.center().x(),
           sceneRect().top() + view.height() / (2 * scale_now()));
  map_->place();
}

void GraphCanvas::show_node(std::uint32_t node) {
  const QRectF box = scene_.rect_of(node);
  const QRectF seen = mapToScene(viewport()->rect()).boundingRect();
  if (seen.contains(box)) return;
  // Far away: into the middle.
  if (!seen.intersects(box.adjusted(-50, -50, 50, 50))) centerOn(box.center());
  else ensureVisible(box, 30, 30);
}

void GraphCanvas::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) == 0) {
    QGraphicsView::wheelEvent(event);
    return;
  }
  zoom(std::pow(zoom_step, event->angleDelta().y() / 120.0));
  event->accept();
}

// Down and up: along the first edge out or in. Left and right: the nearest node beside it.
std::uint32_t GraphCanvas::next_node(int key) const {
  const GraphLayout& layout = *scene_.layout();
  const std::uint32_t now = scene_.chosen();
  if (now >= layout.nodes.size()) return 0;
  if (key == Qt::Key_Down || key == Qt::Key_Up) {
    const bool down = key == Qt::Key_Down;
    for (const bool back : {false, true})
      for (const GraphLine& line : layout.plan->lines)
        if ((down ? line.from : line.to) == now && line.back == back) return down ? line.to : line.from;
    return no_index;
  }
  const QRectF& box = layout.nodes[now];
  std::uint32_t best = no_index;
  double nearest = 0;
  for (std::uint32_t i = 0; i < layout.nodes.size(); ++i) {
    const QRectF& other = layout.nodes[i];
    const double right = other.center().x() - box.center().x();
    if (i == now || (key == Qt::Key_Right ? right <= 0 : right >= 0)) continue;
    const double distance = std::abs(right) + 3 * std::abs(other.center().y() - box.center().y());
    if (best == no_index || distance < nearest) {
      best = i;
      nearest = distance;
    }
  }
  return best;
}

void GraphCanvas::keyPressEvent(QKeyEvent* event) {
  if (scene_.layout() == nullptr || scene_.layout()->nodes.empty()) {
    event->ignore();
    return;
  }
  const int key = event->key();
  if ((event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)) != 0) {
    event->ignore();
    return;
  }
  switch (key) {
    case Qt::Key_Down:
    case Qt::Key_Up:
    case Qt::Key_Left:
    case Qt::Key_Right:
      if (const std::uint32_t node = next_node(key); node != no_index) Q_EMIT node_wanted(node);
      break;
    case Qt::Key_Home:
      Q_EMIT node_wanted(0);
      break;
    case Qt::Key_Plus:
    case Qt::Key_Equal:
      zoom(zoom_step);
      break;
    case Qt::Key_Minus:
      zoom(1 / zoom_step);
      break;
    case Qt::Key_1:
      reset_zoom();
      break;
    case Qt::Key_0:
      fit();
      break;
    default:
      QGraphicsView::keyPressEvent(event);
      return;
  }
  event->accept();
}

void GraphCanvas::resizeEvent(QResizeEvent* event) {
  QGraphicsView::resizeEvent(event);
  map_->place();
}

void GraphCanvas::scrollContentsBy(int dx, int dy) {
  QGraphicsView::scrollContentsBy(dx, dy);
  map_->place();
}

// The middle button pans from anywhere: for the view it is the left one beside all blocks.
void GraphCanvas::mousePressEvent(QMouseEvent* event) {
  if (event->button() == Qt::MiddleButton) setInteractive(false);
  const bool middle = event->button() == Qt::MiddleButton;
  QMouseEvent as_left(event->type(), event->position(), event->globalPosition(), Qt::LeftButton, Qt::LeftButton,
                      event->modifiers());
  QGraphicsView::mousePressEvent(middle ? &as_left : event);
}

void GraphCanvas::mouseReleaseEvent(QMouseEvent* event) {
  const bool middle = event->button() == Qt::MiddleButton;
  QMouseEvent as_left(event->type(), event->position(), event->globalPosition(), Qt::LeftButton, Qt::NoButton,
                      event->modifiers());
  QGraphicsView::mouseReleaseEvent(middle ? &as_left : event);
  if (middle) setInteractive(true);
}

}  // namespace ptxscope::gui
