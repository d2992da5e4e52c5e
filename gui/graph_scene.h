// The graph as it is drawn: blocks, edges with their conditions, frames of loops; what is chosen and what is lit up.
#pragma once

#include <QGraphicsScene>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "gui/graph_layout.h"
#include "gui/selection.h"

namespace ptxscope::gui {

class GraphScene : public QGraphicsScene {
  Q_OBJECT
 public:
  explicit GraphScene(QObject* parent = nullptr);
  ~GraphScene() override;

  /// nullptr: nothing.
  void show_layout(std::shared_ptr<const GraphLayout> layout);
  [[nodiscard]] const std::shared_ptr<const GraphLayout>& layout() const { return layout_; }
  /// Index into GraphPlan::nodes; no_index: none.
  void set_chosen(std::uint32_t node);
  [[nodiscard]] std::uint32_t chosen() const { return chosen_; }
  /// Lights up the instructions of the marks, their blocks, and the edges that lead from a marked guard to the trap.
  void set_marks(const std::vector<Mark>& marks);
  [[nodiscard]] bool is_lit(std::uint32_t node) const;
  [[nodiscard]] bool is_line_lit(std::uint32_t line) const { return lit_lines_.at(line); }
  [[nodiscard]] const Mark* mark_of(std::uint32_t statement) const;
  /// Of all marks in the block the one that says most; nullptr: none.
  [[nodiscard]] const Mark* mark_of_node(std::uint32_t node) const;
  [[nodiscard]] QRectF rect_of(std::uint32_t node) const { return layout_->nodes.at(node); }

  /// A simple picture of it, for the small map: boxes and lines.
  void paint_map(QPainter& painter) const;

 Q_SIGNALS:
  void node_pressed(std::uint32_t node);

 private:
  std::shared_ptr<const GraphLayout> layout_;
  std::vector<QGraphicsItem*> node_items_;
  std::vector<QGraphicsItem*> line_items_;
  std::uint32_t chosen_ = no_index;
  std::unordered_map<std::uint32_t, Mark> marks_;       // by statement
  std::unordered_map<std::uint32_t, Mark> node_marks_;  // by node
  std::vector<bool> lit_lines_;
};

}  // namespace ptxscope::gui
