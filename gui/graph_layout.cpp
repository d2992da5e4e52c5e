#include "gui/graph_layout.h"

#include <QElapsedTimer>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QStandardPaths>
#include <QStringList>
#include <algorithm>
#include <cmath>
#include <optional>

namespace ptxscope::gui {
namespace {

constexpr qsizetype most_output = qsizetype{1} << 27;  // QJsonDocument takes no more than 128 MiB

// What dot writes, or why there is nothing.
struct Run {
  QByteArray output;
  QString problem;
  bool is_missing = false;
  bool is_late = false;
};

Run run_dot(const QString& program, const QByteArray& text, unsigned seconds, const Cancel& cancel) {
  Run run;
  const QString path = QStandardPaths::findExecutable(program);
  if (path.isEmpty()) {
    run.is_missing = true;
    run.problem = QStringLiteral(
        "The graph is laid out by Graphviz, whose program dot is not in PATH. Install it (Debian, Ubuntu: apt install "
        "graphviz; Fedora: dnf install graphviz), then reload. The blocks are listed below.");
    return run;
  }
  QProcess dot;
  dot.start(path, {QStringLiteral("-Tjson0")});
  if (!dot.waitForStarted(5000)) {
    run.problem = QStringLiteral("Graphviz' %1 could not be started: %2. The blocks are listed below.")
                      .arg(path, dot.errorString());
    return run;
  }
  dot.write(text);
  dot.closeWriteChannel();
  QElapsedTimer clock;
  clock.start();
  const auto stop = [&](const QString& problem) {
    dot.kill();
    dot.waitForFinished(2000);
    run.problem = problem;
    return run;
  };
  while (dot.state() != QProcess::NotRunning) {
    dot.waitForFinished(40);
    run.output += dot.readAllStandardOutput();
    if (cancel.requested()) return stop(QStringLiteral("Laying out the graph was cancelled."));
    if (run.output.size() > most_output)
      return stop(QStringLiteral("The picture is too large. Show fewer instructions of each block."));
    if (clock.elapsed() <= qint64{1000} * seconds) continue;
    run.is_late = true;
    return stop(QStringLiteral("Graphviz was not done after %1 s.").arg(seconds));
  }
  run.output += dot.readAllStandardOutput();
  if (dot.exitStatus() != QProcess::NormalExit || dot.exitCode() != 0 || run.output.isEmpty()) {
    const QString said = QString::fromUtf8(dot.readAllStandardError().left(500)).section(QLatin1Char('\n'), 0, 0);
    run.problem = QStringLiteral("Graphviz' dot failed%1. The blocks are listed below.")
                      .arg(said.isEmpty() ? QString() : QStringLiteral(": ") + said);
  }
  return run;
}

std::vector<double> numbers(QStringView text) {
  std::vector<double> values;
  for (const QStringView word : text.split(QLatin1Char(','))) values.push_back(word.toDouble());
  return values;
}

class Reader {
 public:
  Reader(const GraphPlan& plan, GraphLayout& layout) : plan_(plan), layout_(layout) {}

  bool read(const QByteArray& json) {
    const QJsonObject graph = QJsonDocument::fromJson(json).object();
    const auto box = numbers(graph.value(QLatin1String("bb")).toString());
    if (box.size() != 4) return false;
    height_ = box[3];
    layout_.size = QSizeF(box[2], box[3]);
    layout_.nodes.resize(plan_.nodes.size());
    layout_.lines.resize(plan_.lines.size());
    layout_.loops.resize(plan_.loops.size());
    for (const QJsonValue& value : graph.value(QLatin1String("objects")).toArray()) read_object(value.toObject());
    for (const QJsonValue& value : graph.value(QLatin1String("edges")).toArray()) read_edge(value.toObject());
    return std::ranges::none_of(layout_.nodes, [](const QRectF& one) { return one.isNull(); });
  }

 private:
  static std::optional<std::size_t> index_of(const QJsonObject& object, std::size_t limit) {
    bool good = false;
    const qulonglong index = object.value(QLatin1String("id")).toString().toULongLong(&good);
    if (!good || index >= limit) return std::nullopt;
    return static_cast<std::size_t>(index);
  }

  [[nodiscard]] QPointF point(QStringView text) const {
    const auto xy = numbers(text);
    return xy.size() == 2 ? QPointF(xy[0], height_ - xy[1]) : QPointF();
  }

  void read_object(const QJsonObject& object) {
    if (object.contains(QLatin1String("bb"))) {
      const auto index = index_of(object, layout_.loops.size());
      const auto box = numbers(object.value(QLatin1String("bb")).toString());
      if (index && box.size() == 4)
        layout_.loops[*index] = QRectF(QPointF(box[0], height_ - box[3]), QPointF(box[2], height_ - box[1]));
      return;
    }
    const auto index = index_of(object, layout_.nodes.size());
    if (!index) return;
    const QPointF center = point(object.value(QLatin1String("pos")).toString());
    const GraphNode& node = plan_.nodes[*index];
    layout_.nodes[*index] = QRectF(center.x() - node.width / 2, center.y() - node.height / 2, node.width, node.height);
  }

  // "s,x,y e,x,y x,y x,y x,y x,y …": ends of arrows, then a point and three for each Bézier curve.
  void read_edge(const QJsonObject& object) {
    const auto index = index_of(object, layout_.lines.size());
    if (!index) return;
    GraphLayout::Curve& curve = layout_.lines[*index];
    std::optional<QPointF> tip;
    bool at_start = false;
    std::vector<QPointF> points;
    const QString pos = object.value(QLatin1String("pos")).toString();
    for (const QStringView word : QStringView(pos).split(QLatin1Char(' '), Qt::SkipEmptyParts)) {
      if (word.startsWith(QLatin1String("s,")) || word.startsWith(QLatin1String("e,"))) {
        tip = point(word.mid(2));
        at_start = word.startsWith(QLatin1Char('s'));
      } else {
        points.push_back(point(word));
      }
    }
    if (points.size() < 2) return;
    curve.path.moveTo(points[0]);
    if (points.size() % 3 == 1) {
      for (std::size_t i = 1; i + 2 < points.size(); i += 3)
        curve.path.cubicTo(points[i], points[i + 1], points[i + 2]);
    } else {
      for (std::size_t i = 1; i < points.size(); ++i) curve.path.lineTo(points[i]);
    }
    if (tip) {
      const QPointF foot = at_start ? points.front() : points.back();
      const QPointF along = *tip - foot;
      const QPointF across = QPointF(-along.y(), along.x()) * 0.38;
      curve.arrow = QPolygonF({*tip, foot + across, foot - across});
    }
    place_label(plan_.lines[*index], object, at_start ? points.back() : points.front(), curve);
  }

  void place_label(const GraphLine& line, const QJsonObject& object, QPointF start, GraphLayout::Curve& curve) const {
    const qsizetype widest = std::max(line.label.size(), line.condition.size());
    if (widest == 0) return;
    const int rows = (line.label.isEmpty() ? 0 : 1) + (line.condition.isEmpty() ? 0 : 1);
    const QString place = object.value(QLatin1String("lp")).toString();
    if (!place.isEmpty()) {
      const QSizeF size(static_cast<double>(widest) * plan_.metrics.character + 8, rows * plan_.metrics.line + 2);
      curve.label = QRectF(point(place) - QPointF(size.width() / 2, size.height() / 2), size);
    } else if (!line.label.isEmpty()) {
      // Room for the predicate alone, beside the start of the edge.
      curve.label =
          QRectF(start + QPointF(3, 1),
                 QSizeF(static_cast<double>(line.label.size()) * plan_.metrics.character, plan_.metrics.line));
    }
  }

  const GraphPlan& plan_;
  GraphLayout& layout_;
  double height_ = 0;
};

}  // namespace

GraphDrawing lay_out(std::shared_ptr<const GraphPlan> plan, unsigned seconds, const Cancel& cancel,
                     const QString& program) {
  GraphDrawing drawing;
  drawing.plan = plan;
  Run run = run_dot(program, QByteArray::fromStdString(layout_dot(*plan)), seconds, cancel);
  drawing.problem = run.problem;
  drawing.is_missing = run.is_missing;
  drawing.is_late = run.is_late;
  if (!run.problem.isEmpty()) return drawing;
  auto layout = std::make_shared<GraphLayout>();
  layout->plan = std::move(plan);
  if (!Reader(*layout->plan, *layout).read(run.output)) {
    drawing.problem = QStringLiteral(
        "What Graphviz wrote could not be read; a newer one (2.40 or later) may help. The "
        "blocks are listed below.");
    return drawing;
  }
  drawing.layout = std::move(layout);
  return drawing;
}

}  // namespace ptxscope::gui
