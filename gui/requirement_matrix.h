// Targets × versions: which headers take the module, and which CUDA release and driver bring them. One row a target, its
// lowest version and who reads that first, then a column for each version.
#pragma once

#include <QAbstractTableModel>
#include <QTableView>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/check.h"
#include "gui/requirement_rows.h"

namespace ptxscope::gui {

class RequirementModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column : int { lowest, cuda, driver, first_version };
  enum class Cell : std::uint8_t { none, fits, fits_not };
  static constexpr int cell_role = Qt::UserRole;        ///< Cell, of the columns of versions
  static constexpr int chosen_role = Qt::UserRole + 1;  ///< bool: what is asked about, or the header's own

  using QAbstractTableModel::QAbstractTableModel;
  /// nullptr: nothing is known.
  void set_report(std::shared_ptr<const analysis::CheckReport> report);
  /// What is marked in the table.
  void set_chosen(const HeaderQuestion& question);

  [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] int columnCount(const QModelIndex& parent = {}) const override;
  [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;
  [[nodiscard]] QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  /// What a cell stands for; of a column that is no version, the target alone.
  [[nodiscard]] HeaderQuestion question_at(const QModelIndex& index) const;
  [[nodiscard]] std::optional<isa::Version> version_of(int column) const;
  /// The cell of what is asked about or of the module's own header; invalid: it has none.
  [[nodiscard]] QModelIndex chosen_cell() const;

 private:
  [[nodiscard]] bool takes(isa::TargetIndex target, isa::Version version) const;
  [[nodiscard]] QVariant text_at(isa::TargetIndex target, int column) const;
  [[nodiscard]] QString tip_of(isa::TargetIndex target, int column) const;

  std::shared_ptr<const analysis::CheckReport> report_;
  std::vector<isa::Version> versions_;  // of the columns: from the lowest that matters on
  HeaderQuestion chosen_;
};

/// A click, or Return or Space, asks about a cell; Esc about the module's own header.
class RequirementMatrix : public QTableView {
  Q_OBJECT
 public:
  explicit RequirementMatrix(RequirementModel& model, QWidget* parent = nullptr);
  /// The chosen cell into sight.
  void show_chosen();

 Q_SIGNALS:
  void asked(const ptxscope::gui::HeaderQuestion& question);

 protected:
  void keyPressEvent(QKeyEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  void fit_sizes();
  RequirementModel& model_;
};

}  // namespace ptxscope::gui
