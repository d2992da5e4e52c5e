// What the graph is looked at through: zoom, pan, fit, keys, and a small map of the whole in a corner.
#pragma once

#include <QGraphicsView>
#include <QPixmap>
#include <cstdint>

#include "gui/graph_scene.h"

namespace ptxscope::gui {

class GraphCanvas;

/// The whole graph, with the part in sight framed; press or drag to go there.
class GraphMap : public QWidget {
  Q_OBJECT
 public:
  explicit GraphMap(GraphCanvas& canvas);
  /// The graph, or its colours, are others.
  void renew();
  /// Takes its place in the corner; hidden while all of the graph is in sight.
  void place();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void go_to(QPointF position);
  [[nodiscard]] QTransform from_scene() const;

  GraphCanvas& canvas_;
  QPixmap picture_;
};

class GraphCanvas : public QGraphicsView {
  Q_OBJECT
 public:
  explicit GraphCanvas(GraphScene& scene, QWidget* parent = nullptr);

  [[nodiscard]] GraphScene& graph() const { return scene_; }
  [[nodiscard]] GraphMap& map() const { return *map_; }
  void zoom(double factor);
  void reset_zoom();
  void fit();
  /// The beginning of the graph at the top, at a size that can be read.
  void show_start();
  /// Brings a node into sight; moves nothing when it is.
  void show_node(std::uint32_t node);
  [[nodiscard]] double scale_now() const { return transform().m11(); }

 Q_SIGNALS:
  /// Keys go from the chosen node along the edges, or to its neighbour on either side.
  void node_wanted(std::uint32_t node);

 protected:
  void wheelEvent(QWheelEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  void resizeEvent(QResizeEvent* event) override;
  void scrollContentsBy(int dx, int dy) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;

 private:
  [[nodiscard]] std::uint32_t next_node(int key) const;

  GraphScene& scene_;
  GraphMap* map_;
};

}  // namespace ptxscope::gui
