// The whole text as a narrow strip: where marks, places of a name and found text are. A click goes there.
#pragma once

#include <QWidget>

#include "gui/code_area.h"

namespace ptxscope::gui {

class OverviewStrip : public QWidget {
  Q_OBJECT
 public:
  OverviewStrip(Document& document, Selection& selection, CodeArea& code, QWidget* parent = nullptr);
  [[nodiscard]] QSize sizeHint() const override { return {12, 100}; }

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;

 private:
  void go_to(int y);

  Document& document_;
  Selection& selection_;
  CodeArea& code_;
};

}  // namespace ptxscope::gui
