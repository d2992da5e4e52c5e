// Grid, block and arguments of a launch, as a person types them in.
#pragma once

#include <QHash>
#include <QLabel>
#include <QLineEdit>
#include <QScrollArea>
#include <QSpinBox>
#include <array>
#include <memory>
#include <optional>
#include <vector>

#include "analysis/launch.h"
#include "gui/panel.h"

class QFormLayout;

namespace ptxscope::gui {

class LaunchForm : public QScrollArea {
  Q_OBJECT
 public:
  explicit LaunchForm(QWidget* parent = nullptr);

  /// Fields for the parameters of this kernel; what was typed for one of its name before is put back.
  void show_kernel(std::shared_ptr<const Module> module, std::shared_ptr<const analysis::TrapReport> report);
  void clear();
  /// What is typed in; nullopt: something of it is wrong, and stands beside the field.
  [[nodiscard]] std::optional<analysis::Launch> launch();
  /// The field of a label; nullptr: there is none.
  [[nodiscard]] QLineEdit* field(const QString& label) const;
  [[nodiscard]] QSpinBox& grid(std::size_t axis) { return *grid_[axis]; }
  [[nodiscard]] QSpinBox& block(std::size_t axis) { return *block_[axis]; }
  /// What is wrong with a field, as it stands beside it.
  [[nodiscard]] QString problem_of(const QString& label) const;

 Q_SIGNALS:
  void edited();

 private:
  struct Field {
    QString label;
    std::uint32_t parameter = 0;
    analysis::LabelledValue place;
    QLineEdit* edit = nullptr;
    QLabel* problem = nullptr;
  };
  struct Typed {
    std::array<int, 3> grid{1, 1, 1}, block{32, 1, 1};
    QHash<QString, QString> arguments;
  };
  QWidget* extents(std::array<QSpinBox*, 3>& boxes, const QString& what, int most);
  void add_field(const analysis::FunctionTraps& kernel, const QString& label, QFormLayout& rows);
  void keep();

  std::shared_ptr<const Module> module_;
  std::uint32_t function_ = no_index;
  QString kernel_;
  QWidget* arguments_ = nullptr;
  QFormLayout* layout_;
  std::array<QSpinBox*, 3> grid_{}, block_{};
  std::vector<Field> fields_;
  QHash<QString, Typed> typed_;  // by kernel
  bool filling_ = false;
};

}  // namespace ptxscope::gui
