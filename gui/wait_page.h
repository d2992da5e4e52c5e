// What stands in a tab while there is nothing else to show: what is being done and how far it is, or why it failed.
#pragma once

#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QWidget>

namespace ptxscope::gui {

class WaitPage : public QWidget {
  Q_OBJECT
 public:
  /// `progress_name`, `again`: of the bar, for who does not see it, and of the button.
  WaitPage(const QString& progress_name, const QString& again, QWidget* parent = nullptr);

  /// Something goes on. Percent below 0: nobody knows how far it is.
  void show_progress(const QString& what, int percent);
  /// It does not go on, and whether trying it again may help.
  void show_problem(const QString& what, const QString& remedy, bool can_try_again);
  /// Both sentences.
  [[nodiscard]] QString text() const;

 Q_SIGNALS:
  void cancelled();
  void again();

 private:
  QLabel* what_;
  QLabel* remedy_;
  QProgressBar* progress_;
  QPushButton* cancel_;
  QPushButton* again_;
};

}  // namespace ptxscope::gui
