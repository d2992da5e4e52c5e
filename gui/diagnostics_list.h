// What is wrong with a module, and what to do about it: of reading the text at once, of the checks when they are done.
#pragma once

#include <QAbstractTableModel>
#include <QLabel>
#include <QPlainTextEdit>
#include <QTableView>
#include <memory>
#include <vector>

#include "gui/panel.h"

namespace ptxscope::gui {

class DiagnosticsModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column : int { line, message, rule, column_count };

  explicit DiagnosticsModel(Document& document, QObject* parent = nullptr);
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] const Diagnostic* at(int row) const;
  [[nodiscard]] std::shared_ptr<const Module> module() const { return module_; }
  /// What is not in the list, or still to come; "": nothing.
  [[nodiscard]] QString remark() const { return remark_; }
  [[nodiscard]] std::size_t count(Level level) const;

 Q_SIGNALS:
  void counted();

 private:
  void take(bool is_new_module);

  Document& document_;
  std::shared_ptr<const Module> module_;
  std::vector<Diagnostic> all_;
  QString remark_;
};

class DiagnosticsList : public Panel {
  Q_OBJECT
 public:
  DiagnosticsList(Document& document, Selection& selection, QWidget* parent = nullptr);
  [[nodiscard]] QString title() const override { return tr("Problems"); }
  [[nodiscard]] DiagnosticsModel& model() { return *model_; }
  [[nodiscard]] QTableView& table() { return *table_; }
  /// "Problems (3)"; for the tab.
  [[nodiscard]] QString tab_text() const;

 Q_SIGNALS:
  void tab_text_changed();

 private:
  void show_row(int row);
  void show_summary();

  DiagnosticsModel* model_;
  QTableView* table_;
  QPlainTextEdit* details_;
  QLabel* summary_;
};

}  // namespace ptxscope::gui
