// What the module needs, which targets and versions take it, and the lines that do not fit the one asked about.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QTreeWidget>
#include <memory>

#include "gui/panel.h"
#include "gui/requirement_matrix.h"
#include "gui/requirement_rows.h"

namespace ptxscope::gui {

class RequirementsPanel : public Panel {
  Q_OBJECT
 public:
  RequirementsPanel(Document& document, Selection& selection, QWidget* parent = nullptr);
  ~RequirementsPanel() override;
  [[nodiscard]] QString title() const override { return tr("Requirements"); }
  [[nodiscard]] QList<QAction*> commands() override { return commands_; }
  /// What is asked about; kept when the file is read again.
  [[nodiscard]] QString state() const override;
  void restore(const QString& state) override;

  [[nodiscard]] const HeaderQuestion& question() const { return question_; }
  void ask(const HeaderQuestion& question);
  /// The rows are of what is asked about.
  [[nodiscard]] bool is_busy() const { return busy_; }
  /// The next line that does not fit, or the one before.
  void step(bool backwards);

  [[nodiscard]] RequirementModel& model() { return *model_; }
  [[nodiscard]] RequirementMatrix& matrix() { return *matrix_; }
  [[nodiscard]] QTreeWidget& tree() { return *tree_; }
  [[nodiscard]] QComboBox& targets() { return *targets_; }
  [[nodiscard]] QComboBox& versions() { return *versions_; }
  [[nodiscard]] QString details() const { return details_->toPlainText(); }
  [[nodiscard]] QString message() const { return message_->isHidden() ? QString() : message_->text(); }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  QWidget* build_left();
  void build_tree();
  void build_commands();
  void say(const QString& text);
  void forget();
  void take_report();
  void show_question();
  void evaluate();
  void take_rows(RequirementRows rows);
  void show_rows();
  void open_row(QTreeWidgetItem* item);
  void show_current();
  void go_to(std::uint32_t offset);
  [[nodiscard]] QTreeWidgetItem* item_of(const RequirementRow& row, int group, int index) const;
  [[nodiscard]] const RequirementRow* row_of(const QTreeWidgetItem* item) const;

  RequirementModel* model_;
  RequirementMatrix* matrix_;
  QComboBox* targets_;
  QComboBox* versions_;
  QPushButton* own_;
  QTreeWidget* tree_;
  QPlainTextEdit* details_;
  QLabel* message_;
  QList<QAction*> commands_;
  HeaderQuestion question_;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const analysis::CheckReport> report_;
  RequirementRows rows_;
  Cancel cancel_;
  bool busy_ = false;
  bool filling_ = false;
};

}  // namespace ptxscope::gui
