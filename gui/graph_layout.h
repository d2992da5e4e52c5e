// Places of a graph's pieces, found by Graphviz' program dot.
#pragma once

#include <QPainterPath>
#include <QPolygonF>
#include <QRectF>
#include <QSizeF>
#include <QString>
#include <memory>
#include <vector>

#include "gui/background.h"
#include "gui/graph_plan.h"

namespace ptxscope::gui {

/// In points, from the top left corner.
struct GraphLayout {
  std::shared_ptr<const GraphPlan> plan;
  QSizeF size;
  std::vector<QRectF> nodes;  ///< parallel to GraphPlan::nodes
  struct Curve {
    QPainterPath path;
    QPolygonF arrow;  ///< a triangle, its point first
    QRectF label;     ///< null: no label
  };
  std::vector<Curve> lines;   ///< parallel to GraphPlan::lines
  std::vector<QRectF> loops;  ///< parallel to GraphPlan::loops
};

struct GraphDrawing {
  std::shared_ptr<const GraphPlan> plan;
  std::shared_ptr<const GraphLayout> layout;  ///< nullptr: none, `problem` says why
  QString problem;                            ///< a sentence with the way out
  bool is_missing = false;                    ///< Graphviz is not installed
  bool is_late = false;                       ///< it took too long
};

/// To be called off the GUI thread: waits for Graphviz, at most `seconds`; when cancelled, ends it.
/// `program`: its name or path.
[[nodiscard]] GraphDrawing lay_out(std::shared_ptr<const GraphPlan> plan, unsigned seconds, const Cancel& cancel,
                                   const QString& program = QStringLiteral("dot"));

}  // namespace ptxscope::gui
