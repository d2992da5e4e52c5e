// A whole comparison as a narrow strip: where the differences are, and what is in sight. A click goes there.
#pragma once

#include <QWidget>

#include "gui/diff_area.h"

namespace ptxscope::gui {

class DiffStrip : public QWidget {
  Q_OBJECT
 public:
  explicit DiffStrip(DiffArea& area, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override { return {14, 100}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void go_to(double y);

  DiffArea& area_;
};

}  // namespace ptxscope::gui
