// The functions of a module with their counts: filter as you type, sort by any column.
#pragma once

#include <QAbstractTableModel>
#include <QLabel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTimer>
#include <memory>
#include <string_view>
#include <vector>

#include "gui/panel.h"

namespace ptxscope::gui {

/// Without the namespaces around it, as far as they stand outside of template arguments: the last words tell kernels of
/// one library from each other.
[[nodiscard]] std::string_view without_namespaces(std::string_view name);

class KernelModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column : int { name, traps, instructions, live, column_count };
  static constexpr int sort_role = Qt::UserRole;
  static constexpr int function_role = Qt::UserRole + 1;  ///< index into Module::functions
  static constexpr int search_role = Qt::UserRole + 2;    ///< name as it is and demangled

  explicit KernelModel(Document& document, QObject* parent = nullptr);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  [[nodiscard]] int row_of(std::uint32_t function) const;

 private:
  struct Row {
    std::uint32_t function = 0;
    QString name, mangled, brief;  // demangled; as it is; without namespaces and parameters
    bool is_kernel = false;
    bool has_body = false;
  };
  void take_module();
  void take_counts();
  [[nodiscard]] QString count_tip(const Row& row, int column) const;

  Document& document_;
  std::shared_ptr<const Module> module_;
  std::vector<Row> rows_;
  std::shared_ptr<const analysis::ModuleStats> stats_;
  std::vector<std::uint32_t> stats_of_;  // by function: index into stats_->functions
  std::shared_ptr<const std::vector<std::uint32_t>> traps_;
  QString stats_problem_, traps_problem_;
};

class KernelList : public Panel {
  Q_OBJECT
 public:
  KernelList(Document& document, Selection& selection, QWidget* parent = nullptr);
  [[nodiscard]] QString title() const override { return tr("Kernels"); }
  [[nodiscard]] QTableView& table() { return *table_; }
  [[nodiscard]] QLineEdit& filter() { return *filter_; }

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_chosen();
  void show_count();

  KernelModel* model_;
  QSortFilterProxyModel* sorted_;
  QLineEdit* filter_;
  QTableView* table_;
  QLabel* count_;
  bool following_ = false;
};

}  // namespace ptxscope::gui
