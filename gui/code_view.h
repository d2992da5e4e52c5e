// The code and what belongs to it: the find bar, an overview of the whole text at the right edge, a line for notices.
#pragma once

#include <QLabel>
#include <QTimer>

#include "gui/code_area.h"
#include "gui/find_bar.h"
#include "gui/panel.h"

namespace ptxscope::gui {

class OverviewStrip;

class CodeView : public Panel {
  Q_OBJECT
 public:
  CodeView(Document& document, Selection& selection, QWidget* parent = nullptr);
  [[nodiscard]] QString title() const override { return tr("Code"); }
  [[nodiscard]] QList<QAction*> commands() override { return commands_; }
  [[nodiscard]] CodeArea& area() { return *area_; }
  [[nodiscard]] FindBar& find_bar() { return *find_; }
  /// "Go to line".
  void ask_line();
  [[nodiscard]] QString notice_text() const;
  void show_notice(const QString& sentence);

 private:
  CodeArea* area_;
  OverviewStrip* strip_;
  FindBar* find_;
  QLabel* notice_;
  QTimer notice_time_;
  QList<QAction*> commands_;
};

}  // namespace ptxscope::gui
