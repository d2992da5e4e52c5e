#include "gui/graph_scene.h"

#include <QGraphicsItem>
#include <QGraphicsSceneMouseEvent>
#include <QPainter>
#include <QStyleOptionGraphicsItem>
#include <algorithm>

#include "gui/theme.h"

namespace ptxscope::gui {
namespace {

// Below this scale text cannot be read and is not drawn.
constexpr double least_scale_for_text = 0.35;

const Colors& colors() { return Theme::instance().colors(); }

double scale_of(const QPainter& painter) {
  return QStyleOptionGraphicsItem::levelOfDetailFromTransform(painter.worldTransform());
}

QFont graph_font(bool bold = false) {
  QFont font = Theme::instance().code_font();
  font.setBold(bold);
  return font;
}

class LoopItem : public QGraphicsItem {
 public:
  LoopItem(const GraphLayout& layout, std::size_t index) : layout_(layout), index_(index) {
    setZValue(-20.0 + std::min(15U, layout.plan->loops[index].depth));
  }
  [[nodiscard]] QRectF boundingRect() const override { return layout_.loops[index_].adjusted(-1, -1, 1, 1); }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
    const QRectF& box = layout_.loops[index_];
    const GraphLoop& loop = layout_.plan->loops[index_];
    QColor fill = colors().loop;
    if (loop.depth % 2 == 0) fill = colors().dark ? fill.lighter(118) : fill.darker(104);
    painter->setPen(QPen(colors().edge_back, 1.2, Qt::DashLine));
    painter->setBrush(fill);
    painter->drawRoundedRect(box, 6, 6);
    if (scale_of(*painter) < least_scale_for_text) return;
    painter->setPen(colors().edge_back);
    painter->setFont(graph_font());
    painter->drawText(box.adjusted(10, 6, -4, 0), Qt::AlignLeft | Qt::AlignTop, loop.title);
  }

 private:
  const GraphLayout& layout_;
  std::size_t index_;
};

class NodeItem : public QGraphicsItem {
 public:
  NodeItem(GraphScene& scene, const GraphLayout& layout, std::uint32_t index)
      : scene_(scene), node_(layout.plan->nodes[index]), line_(layout.plan->metrics.line), index_(index) {
    const QRectF& box = layout.nodes[index];
    setPos(box.topLeft());
    size_ = box.size();
    setCursor(Qt::PointingHandCursor);
    setToolTip(QStringLiteral("<p>%1</p>").arg(node_.says.toHtmlEscaped()));
    setZValue(1);
  }
  [[nodiscard]] QRectF boundingRect() const override { return QRectF(QPointF(0, 0), size_).adjusted(-4, -4, 4, 4); }

  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
    const QRectF box(QPointF(0, 0), size_);
    const Mark* const mark = scene_.mark_of_node(index_);
    const bool chosen = scene_.chosen() == index_;
    const double scale = scale_of(*painter);
    if (node_.stands_for != 0) {
      paint_stub(*painter, box, scale);
      return;
    }
    const QColor border = node_.traps ? colors().trap_border : node_.returns ? colors().good : colors().block_border;
    // Chosen and lit up are told apart by width and a ring, not by colour alone.
    if (chosen) {
      painter->setPen(QPen(colors().accent, 3));
      painter->setBrush(Qt::NoBrush);
      painter->drawRect(box.adjusted(-2.5, -2.5, 2.5, 2.5));
    }
    painter->setPen(QPen(border, node_.traps || mark != nullptr ? 2 : 1));
    painter->setBrush(node_.traps ? colors().trap_block : colors().block);
    painter->drawRect(box);
    if (scale < least_scale_for_text) {
      if (mark != nullptr) painter->fillRect(box.adjusted(1, 1, -1, -1), colors().of(mark->role));
      return;
    }
    paint_title(*painter, box, mark);
    paint_rows(*painter, box);
  }

 protected:
  void mousePressEvent(QGraphicsSceneMouseEvent* event) override {
    if (event->button() != Qt::LeftButton) {
      event->ignore();
      return;
    }
    Q_EMIT scene_.node_pressed(index_);
  }

 private:
  void paint_stub(QPainter& painter, const QRectF& box, double scale) const {
    painter.setPen(QPen(scene_.chosen() == index_ ? colors().accent : colors().dim, 1, Qt::DashLine));
    painter.setBrush(Qt::NoBrush);
    painter.drawRoundedRect(box, 5, 5);
    if (scale < least_scale_for_text) return;
    painter.setPen(colors().dim);
    painter.setFont(graph_font());
    painter.drawText(box, Qt::AlignCenter, node_.title);
  }

  void paint_title(QPainter& painter, const QRectF& box, const Mark* mark) const {
    const QRectF bar(box.left() + 1, box.top() + 1, box.width() - 2, line_ + graph_padding);
    painter.fillRect(bar, mark != nullptr ? colors().of(mark->role)
                          : node_.traps   ? colors().trap_block
                                          : colors().margin);
    const QRectF room = bar.adjusted(graph_padding, 0, -graph_padding, 0);
    painter.setFont(graph_font(true));
    painter.setPen(colors().text);
    painter.drawText(room, Qt::AlignLeft | Qt::AlignVCenter, node_.title);
    double right = 0;
    painter.setFont(graph_font());
    painter.setPen(colors().dim);
    painter.drawText(room, Qt::AlignRight | Qt::AlignVCenter, node_.place);
    if (node_.traps) {
      right = painter.fontMetrics().horizontalAdvance(node_.place + QLatin1Char(' '));
      painter.setFont(graph_font(true));
      painter.setPen(colors().trap_border);
      painter.drawText(room.adjusted(0, 0, -right, 0), Qt::AlignRight | Qt::AlignVCenter, QStringLiteral("TRAP"));
    }
  }

  void paint_rows(QPainter& painter, const QRectF& box) const {
    painter.setFont(graph_font());
    QRectF row(box.left() + 1, box.top() + line_ + graph_padding + 1, box.width() - 2, line_);
    for (std::size_t i = 0; i < node_.rows.size(); ++i, row.translate(0, line_)) {
      const GraphRow& one = node_.rows[i];
      const Mark* const mark = scene_.mark_of(one.statement);
      if (mark != nullptr) painter.fillRect(row, colors().of(mark->role));
      const bool trap = node_.traps && i + 1 == node_.rows.size();
      painter.setPen(one.statement == no_index ? colors().dim : trap ? colors().trap_border : colors().text);
      painter.drawText(row.adjusted(graph_padding, 0, 0, 0), Qt::AlignLeft | Qt::AlignVCenter, one.text);
    }
  }

  GraphScene& scene_;
  const GraphNode& node_;
  double line_;
  QSizeF size_;
  std::uint32_t index_;
};

class LineItem : public QGraphicsItem {
 public:
  LineItem(const GraphScene& scene, const GraphLayout& layout, std::uint32_t index)
      : scene_(scene), layout_(layout), index_(index) {
    bounds_ = curve().path.boundingRect().united(curve().arrow.boundingRect()).united(curve().label);
    const GraphLine& line = this->line();
    if (!line.condition.isEmpty() || !line.label.isEmpty())
      setToolTip(
          QStringLiteral("<p>%1</p>")
              .arg((line.condition.isEmpty() ? line.label : line.label + QStringLiteral(", from ") + line.condition)
                       .toHtmlEscaped()));
  }
  [[nodiscard]] QRectF boundingRect() const override { return bounds_.adjusted(-3, -3, 3, 3); }
  [[nodiscard]] QPainterPath shape() const override {
    QPainterPath shape;
    shape.addRect(curve().label);
    return shape;
  }
  void paint(QPainter* painter, const QStyleOptionGraphicsItem*, QWidget*) override {
    const bool lit = scene_.is_line_lit(index_);
    const QColor color = line().to_trap ? colors().edge_trap : line().back ? colors().edge_back : colors().edge;
    QPen pen(color, lit ? 4 : line().to_trap || line().back ? 1.8 : 1.2, line().dashed ? Qt::DashLine : Qt::SolidLine);
    painter->setPen(pen);
    painter->setBrush(Qt::NoBrush);
    painter->drawPath(curve().path);
    painter->setPen(QPen(color, 1));
    painter->setBrush(color);
    painter->drawPolygon(curve().arrow);
    if (curve().label.isNull() || scale_of(*painter) < least_scale_for_text) return;
    painter->setFont(graph_font(lit));
    const bool both = !line().condition.isEmpty() && layout_.plan->places_labels;
    QString text = line().label;
    if (both && !text.isEmpty()) text += QLatin1Char('\n');
    painter->setPen(line().to_trap || line().back ? color : colors().text);
    painter->drawText(curve().label.adjusted(4, 0, 40, 0), Qt::AlignLeft | Qt::AlignTop, text);
    if (!both) return;
    painter->setFont(graph_font());
    painter->setPen(colors().dim);
    painter->drawText(curve().label.adjusted(4, line().label.isEmpty() ? 0 : layout_.plan->metrics.line, 40, 0),
                      Qt::AlignLeft | Qt::AlignTop, line().condition);
  }

 private:
  [[nodiscard]] const GraphLayout::Curve& curve() const { return layout_.lines[index_]; }
  [[nodiscard]] const GraphLine& line() const { return layout_.plan->lines[index_]; }

  const GraphScene& scene_;
  const GraphLayout& layout_;
  std::uint32_t index_;
  QRectF bounds_;
};

// Which of several marks in one block gives it its colour.
int weight(MarkRole role) {
  switch (role) {
    case MarkRole::trap:
      return 5;
    case MarkRole::guard:
      return 4;
    case MarkRole::compare:
      return 3;
    case MarkRole::parameter:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

GraphScene::GraphScene(QObject* parent) : QGraphicsScene(parent) {
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    setBackgroundBrush(colors().base);
    update();
  });
  setBackgroundBrush(colors().base);
}

GraphScene::~GraphScene() { clear(); }  // items look at what this class holds

void GraphScene::show_layout(std::shared_ptr<const GraphLayout> layout) {
  clear();
  node_items_.clear();
  line_items_.clear();
  marks_.clear();
  node_marks_.clear();
  lit_lines_.clear();
  chosen_ = no_index;
  layout_ = std::move(layout);
  if (layout_ == nullptr) {
    setSceneRect(QRectF(0, 0, 1, 1));
    return;
  }
  lit_lines_.resize(layout_->lines.size(), false);
  for (std::size_t i = 0; i < layout_->loops.size(); ++i)
    if (!layout_->loops[i].isNull()) addItem(new LoopItem(*layout_, i));
  for (std::uint32_t i = 0; i < layout_->lines.size(); ++i) {
    line_items_.push_back(new LineItem(*this, *layout_, i));
    addItem(line_items_.back());
  }
  for (std::uint32_t i = 0; i < layout_->nodes.size(); ++i) {
    node_items_.push_back(new NodeItem(*this, *layout_, i));
    addItem(node_items_.back());
  }
  QRectF all(QPointF(0, 0), layout_->size);
  for (const GraphLayout::Curve& one : layout_->lines) all = all.united(one.label);
  setSceneRect(all.adjusted(-20, -20, 20, 20));
}

void GraphScene::set_chosen(std::uint32_t node) {
  if (node == chosen_) return;
  for (const std::uint32_t one : {chosen_, node})
    if (one < node_items_.size()) node_items_[one]->update();
  chosen_ = node;
}

void GraphScene::set_marks(const std::vector<Mark>& marks) {
  marks_.clear();
  node_marks_.clear();
  lit_lines_.assign(lit_lines_.size(), false);
  if (layout_ == nullptr) return;
  const GraphPlan& plan = *layout_->plan;
  const analysis::Cfg& cfg = plan.flow->cfg;
  std::unordered_map<std::uint32_t, bool> guards;  // nodes
  for (const Mark& mark : marks) {
    const analysis::BlockId block = cfg.block_of(mark.statement);
    if (block == analysis::no_block || plan.node_of[block] == no_index) continue;
    const std::uint32_t node = plan.node_of[block];
    marks_.insert_or_assign(mark.statement, mark);
    Mark& strongest = node_marks_.try_emplace(node, mark).first->second;
    if (weight(mark.role) > weight(strongest.role)) strongest = mark;
    if (mark.role == MarkRole::guard) guards[node] = true;
  }
  // From a guard's edge on along edges that nothing decides, up to the trap.
  std::vector<std::vector<std::uint32_t>> out(plan.nodes.size());
  for (std::uint32_t i = 0; i < plan.lines.size(); ++i) out[plan.lines[i].from].push_back(i);
  const auto is_trap = [&](std::uint32_t node) {
    const auto found = node_marks_.find(node);
    // Or the call of a function in which it stands.
    return found != node_marks_.end() && (found->second.role == MarkRole::trap || plan.nodes[node].traps);
  };
  for (const auto& [guard, yes] : guards) {
    for (const std::uint32_t first : out[guard]) {
      std::vector<std::uint32_t> way{first};
      while (!is_trap(plan.lines[way.back()].to) && out[plan.lines[way.back()].to].size() == 1 &&
             way.size() < plan.lines.size())
        way.push_back(out[plan.lines[way.back()].to].front());
      if (!is_trap(plan.lines[way.back()].to)) continue;
      for (const std::uint32_t line : way) lit_lines_[line] = true;
    }
  }
  update();
}

bool GraphScene::is_lit(std::uint32_t node) const { return node_marks_.contains(node); }

const Mark* GraphScene::mark_of(std::uint32_t statement) const {
  const auto found = marks_.find(statement);
  return found == marks_.end() ? nullptr : &found->second;
}

const Mark* GraphScene::mark_of_node(std::uint32_t node) const {
  const auto found = node_marks_.find(node);
  return found == node_marks_.end() ? nullptr : &found->second;
}

void GraphScene::paint_map(QPainter& painter) const {
  if (layout_ == nullptr) return;
  QPen pen(colors().edge, 0);
  painter.setBrush(Qt::NoBrush);
  for (std::size_t i = 0; i < layout_->lines.size(); ++i) {
    pen.setColor(layout_->plan->lines[i].to_trap ? colors().edge_trap : colors().edge);
    painter.setPen(pen);
    painter.drawPath(layout_->lines[i].path);
  }
  for (std::size_t i = 0; i < layout_->nodes.size(); ++i) {
    const GraphNode& node = layout_->plan->nodes[i];
    painter.fillRect(layout_->nodes[i], node.traps ? colors().trap_border : colors().block_border);
  }
}

}  // namespace ptxscope::gui
