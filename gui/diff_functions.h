// The functions of a comparison, with what each of them is; and the counts that differ.
#pragma once

#include <QAbstractTableModel>
#include <QLineEdit>
#include <QSortFilterProxyModel>
#include <QTableView>
#include <QTableWidget>
#include <memory>
#include <vector>

#include "gui/diff_rows.h"

namespace ptxscope::gui {

struct DiffFunction {
  std::uint32_t section = 0;  ///< index into AlignedDiff::sections
  QString brief, whole;       ///< demangled without namespaces; demangled and as they are, for tips and the filter
  QString what;               ///< "changed, 3 edits"
  char sign = '=';            ///< `=` same code, `~` that under another name, `!` changed, `-` only in A, `+` only in B
};
/// Those that have something to tell first, as `ptxscope diff` orders them, then the others.
[[nodiscard]] std::vector<DiffFunction> functions_of(const AlignedDiff& diff);

class DiffFunctionModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column : int { sign, name, what, column_count };
  static constexpr int section_role = Qt::UserRole;
  static constexpr int search_role = Qt::UserRole + 1;
  using QAbstractTableModel::QAbstractTableModel;

  void set_functions(std::vector<DiffFunction> functions);
  [[nodiscard]] int row_of_section(std::uint32_t section) const;
  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  std::vector<DiffFunction> functions_;
  std::vector<int> row_of_;  // by section
};

class DiffFunctions : public QWidget {
  Q_OBJECT
 public:
  explicit DiffFunctions(QWidget* parent = nullptr);

  void show_diff(const AlignedDiff& diff, std::vector<DiffFunction> functions);
  /// The function that the cursor of the texts is in.
  void follow(std::uint32_t section);
  [[nodiscard]] QTableView& table() { return *table_; }
  [[nodiscard]] QTableWidget& counts() { return *counts_; }
  [[nodiscard]] QLineEdit& filter() { return *filter_; }

 Q_SIGNALS:
  void chosen(std::uint32_t section);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void show_counts(const AlignedDiff& diff);

  DiffFunctionModel* model_;
  QSortFilterProxyModel* sorted_;
  QLineEdit* filter_;
  QTableView* table_;
  QTableWidget* counts_;
  bool following_ = false;
};

}  // namespace ptxscope::gui
