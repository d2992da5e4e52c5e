// What would happen: grid, block and arguments, and which traps fire then, while they are typed in.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QTimer>
#include <QTreeWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/launch.h"
#include "gui/launch_form.h"
#include "gui/panel.h"

namespace ptxscope::gui {

class LaunchPanel : public Panel {
  Q_OBJECT
 public:
  LaunchPanel(Document& document, Selection& selection, QWidget* parent = nullptr);
  ~LaunchPanel() override;
  [[nodiscard]] QString title() const override { return tr("Launch"); }

  [[nodiscard]] LaunchForm& form() { return *form_; }
  [[nodiscard]] QTreeWidget& table() { return *table_; }
  [[nodiscard]] QString verdict() const { return verdict_->text(); }
  [[nodiscard]] QPushButton& more_button() { return *more_; }
  [[nodiscard]] QPushButton& cancel_button() { return *cancel_button_; }
  /// Something was changed that has not been answered yet.
  [[nodiscard]] bool is_busy() const { return busy_ || settle_.isActive(); }
  /// Counts as far as explain-trap does, which may take some seconds.
  void count_on();
  void cancel();

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Line {
    std::uint32_t trap = 0;
    QString name;    ///< "trap 1"
    QString effect;  ///< "fires in 12 of 512 threads, …"
    std::optional<bool> fires;
    bool gave_up = false;
  };
  struct Answered {
    QString verdict;
    std::vector<Line> lines;
    QStringList warnings;
    bool any_fires = false, all_known = false, gave_up = false;
  };

  void refresh();
  void evaluate(std::uint64_t work);
  void take(const Answered& answered);
  void say(const QString& text, const QColor& color = {});
  void forget();
  void set_busy(bool busy);
  [[nodiscard]] static Answered answer(const Module& module, const analysis::TrapReport& report,
                                       const analysis::Launch& launch, const Cancel& cancel);

  LaunchForm* form_;
  QTreeWidget* table_;
  QLabel* verdict_;
  QPushButton* more_;
  QPushButton* cancel_button_;
  QTimer settle_;
  std::uint32_t function_ = no_index;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const analysis::TrapReport> report_;
  Cancel cancel_;
  bool busy_ = false;
  bool filling_ = false;
};

}  // namespace ptxscope::gui
