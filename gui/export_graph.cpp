#include "gui/export_graph.h"

#include <QFileInfo>
#include <QImage>
#include <QMarginsF>
#include <QPageSize>
#include <QPainter>
#include <QPdfWriter>
#include <QSaveFile>
#include <algorithm>
#include <cmath>

#include "gui/graph_scene.h"
#include "gui/theme.h"

#ifdef PTXSCOPE_GUI_SVG
#include <QSvgGenerator>
#endif

namespace ptxscope::gui {
namespace {

// Of a PNG: what other programs still open.
constexpr double most_pixels = 100e6;
constexpr double longest_side = 30'000;
constexpr double least_scale = 0.35;  // text cannot be read below

void paint(GraphScene& scene, QPainter& painter, const QRectF& target) {
  painter.setRenderHints(QPainter::Antialiasing | QPainter::TextAntialiasing);
  painter.fillRect(target, Theme::instance().colors().base);
  scene.render(&painter, target, scene.sceneRect());
}

QString write_png(GraphScene& scene, QIODevice& file) {
  const QSizeF size = scene.sceneRect().size();
  double scale = 2;
  scale = std::min({scale, longest_side / size.width(), longest_side / size.height(),
                    std::sqrt(most_pixels / (size.width() * size.height()))});
  if (scale < least_scale) return QStringLiteral("it is too large for a PNG that can be read; choose SVG or PDF");
  QImage image((size * scale).toSize(), QImage::Format_RGB32);
  if (image.isNull()) return QStringLiteral("there is not enough memory for a picture of that size; choose SVG or PDF");
  QPainter painter(&image);
  paint(scene, painter, QRectF(image.rect()));
  painter.end();
  return image.save(&file, "PNG") ? QString() : QStringLiteral("the PNG could not be written; choose another folder");
}

QString write_pdf(GraphScene& scene, QIODevice& file) {
  const QSizeF size = scene.sceneRect().size();
  QPdfWriter writer(&file);
  writer.setCreator(QStringLiteral("ptxscope"));
  writer.setTitle(QStringLiteral("Control flow graph"));
  writer.setResolution(72);
  // A page of PDF has at most 14,400 units on a side (PDF 1.7, Annex C).
  const double scale = std::min({1.0, 14'400 / size.width(), 14'400 / size.height()});
  writer.setPageSize(QPageSize(size * scale, QPageSize::Point, QString(), QPageSize::ExactMatch));
  writer.setPageMargins(QMarginsF(0, 0, 0, 0));
  QPainter painter;
  if (!painter.begin(&writer)) return QStringLiteral("the PDF could not be begun; choose another folder");
  paint(scene, painter, QRectF(QPointF(0, 0), size * scale));
  painter.end();
  return {};
}

QString write_svg([[maybe_unused]] GraphScene& scene, [[maybe_unused]] QIODevice& file) {
#ifdef PTXSCOPE_GUI_SVG
  QSvgGenerator generator;
  generator.setOutputDevice(&file);
  generator.setTitle(QStringLiteral("Control flow graph"));
  const QRectF box(QPointF(0, 0), scene.sceneRect().size());
  generator.setSize(box.size().toSize());
  generator.setViewBox(box);
  generator.setResolution(72);
  QPainter painter;
  if (!painter.begin(&generator)) return QStringLiteral("the SVG could not be begun; choose another folder");
  paint(scene, painter, box);
  painter.end();
  return {};
#else
  return QStringLiteral(
      "this viewer was built without Qt's SVG module; choose PDF or PNG, or use ptxscope cfg --format svg");
#endif
}

}  // namespace

QString export_graph(GraphScene& scene, const QString& path) {
  const QString ending = QFileInfo(path).suffix().toLower();
  const auto write = ending == QLatin1String("svg")   ? write_svg
                     : ending == QLatin1String("png") ? write_png
                     : ending == QLatin1String("pdf") ? write_pdf
                                                      : nullptr;
  if (write == nullptr) return QStringLiteral("its name must end in .svg, .png or .pdf");
  QSaveFile file(path);
  if (!file.open(QIODevice::WriteOnly)) return QStringLiteral("%1; choose another folder").arg(file.errorString());
  QString problem = write(scene, file);
  if (problem.isEmpty() && !file.commit())
    problem = QStringLiteral("%1; choose another folder").arg(file.errorString());
  return problem;
}

}  // namespace ptxscope::gui
