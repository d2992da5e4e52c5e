#include "gui/launch_form.h"

#include <QFormLayout>
#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/theme.h"
#include "report/terminal.h"

namespace ptxscope::gui {

using analysis::ParameterRole;

namespace {

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text, 80)); }

QString type_text(const analysis::LabelledValue& place) {
  const std::string_view type = spelling(place.type);
  return type.empty() ? QObject::tr("%1 bits").arg(8 * place.bytes) : QLatin1Char('.') + shown(type);
}

// A pointer that nobody gives is taken as not null.
bool is_pointer(const analysis::FunctionTraps& kernel, const analysis::LabelledValue& place) {
  const auto param = std::ranges::find(kernel.params, place.index, &analysis::ParameterInfo::index);
  if (param == kernel.params.end()) return false;
  for (const auto& field : param->fields)
    if (field.offset == place.offset) return field.role == ParameterRole::pointer;
  return param->role == ParameterRole::pointer;
}

}  // namespace

LaunchForm::LaunchForm(QWidget* parent) : QScrollArea(parent) {
  auto* const content = new QWidget(this);
  layout_ = new QFormLayout(content);
  layout_->setContentsMargins(8, 6, 8, 6);
  layout_->setVerticalSpacing(4);
  layout_->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  layout_->addRow(tr("&Grid"), extents(grid_, tr("Grid"), 0x7fffffff));
  layout_->addRow(tr("&Block"), extents(block_, tr("Block"), 1024));
  block_[0]->setValue(32);
  setWidget(content);
  setWidgetResizable(true);
  setFrameShape(QFrame::NoFrame);
  setFocusProxy(grid_[0]);
}

QWidget* LaunchForm::extents(std::array<QSpinBox*, 3>& boxes, const QString& what, int most) {
  auto* const row = new QWidget(this);
  auto* const line = new QHBoxLayout(row);
  line->setContentsMargins(0, 0, 0, 0);
  line->setSpacing(4);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    boxes[axis] = new QSpinBox(row);
    boxes[axis]->setRange(1, axis == 0 ? most : std::min(most, 65535));
    boxes[axis]->setAccessibleName(QStringLiteral("%1 %2").arg(what, QString(QLatin1Char("xyz"[axis]))));
    boxes[axis]->setToolTip(boxes[axis]->accessibleName());
    boxes[axis]->setMinimumWidth(boxes[axis]->fontMetrics().averageCharWidth() * 8);
    line->addWidget(boxes[axis], axis == 0 ? 2 : 1);
    connect(boxes[axis], &QSpinBox::valueChanged, this, [this] {
      if (!filling_) Q_EMIT edited();
    });
  }
  row->setFocusProxy(boxes[0]);
  return row;
}

void LaunchForm::keep() {
  if (kernel_.isEmpty()) return;
  Typed& typed = typed_[kernel_];
  for (std::size_t axis = 0; axis < 3; ++axis) {
    typed.grid[axis] = grid_[axis]->value();
    typed.block[axis] = block_[axis]->value();
  }
  typed.arguments.clear();
  for (const Field& one : fields_) typed.arguments.insert(one.label, one.edit->text());
}

void LaunchForm::clear() {
  keep();
  fields_.clear();
  kernel_.clear();
  module_ = nullptr;
  function_ = no_index;
  if (arguments_ == nullptr) return;
  layout_->removeRow(arguments_);
  arguments_ = nullptr;
}

void LaunchForm::show_kernel(std::shared_ptr<const Module> module, std::shared_ptr<const analysis::TrapReport> report) {
  clear();
  const analysis::FunctionTraps& kernel = report->functions.front();
  module_ = std::move(module);
  function_ = kernel.function;
  const Function& function = module_->functions()[function_];
  kernel_ = shown(module_->name(function.name));
  filling_ = true;
  Typed typed = typed_.value(kernel_);
  if (!typed_.contains(kernel_)) {
    // What the kernel asks for is the launch that it was made for.
    for (const FunctionDirective& directive : function.directives)
      if (directive.word == ".reqntid")
        for (std::size_t axis = 0; axis < 3 && axis < directive.values.size(); ++axis)
          typed.block[axis] = static_cast<int>(std::clamp<std::int64_t>(directive.values[axis], 1, 1024));
  }
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid_[axis]->setValue(typed.grid[axis]);
    block_[axis]->setValue(typed.block[axis]);
  }
  arguments_ = new QWidget(widget());
  auto* const rows = new QFormLayout(arguments_);
  rows->setContentsMargins(0, 0, 0, 0);
  rows->setVerticalSpacing(4);
  rows->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
  constexpr std::size_t most_fields = 300;
  const std::vector<std::string> labels = analysis::labels_of(kernel.params);
  for (std::size_t i = 0; i < std::min(most_fields, labels.size()); ++i)
    add_field(kernel, QString::fromStdString(labels[i]), *rows);
  if (labels.empty())
    rows->addRow(new QLabel(tr("The kernel takes no arguments that a number could stand for."), arguments_));
  if (labels.size() > most_fields)
    rows->addRow(new QLabel(tr("%1 more arguments have no field here; ptxscope explain-trap --arg takes them.")
                                .arg(labels.size() - most_fields),
                            arguments_));
  for (const Field& one : fields_) one.edit->setText(typed.arguments.value(one.label));
  layout_->addRow(arguments_);
  filling_ = false;
}

void LaunchForm::add_field(const analysis::FunctionTraps& kernel, const QString& label, QFormLayout& rows) {
  const auto place = analysis::find_label(kernel.params, label.toStdString());
  if (!place) return;
  Field field;
  field.label = label;
  field.place = *place;
  auto* const cell = new QWidget(arguments_);
  auto* const column = new QVBoxLayout(cell);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  field.edit = new QLineEdit(cell);
  field.edit->setAccessibleName(tr("Argument %1").arg(shown(label.toStdString())));
  field.edit->setPlaceholderText(is_pointer(kernel, *place) ? tr("not given: not null") : tr("not given"));
  field.edit->setToolTip(
      tr("%1 (%2): a number like 512, -1, 0x1f; empty: not known").arg(shown(label.toStdString()), type_text(*place)));
  field.edit->setMaxLength(100);
  field.problem = new QLabel(cell);
  field.problem->setTextFormat(Qt::PlainText);
  field.problem->setWordWrap(true);
  field.problem->hide();
  column->addWidget(field.edit);
  column->addWidget(field.problem);
  cell->setFocusProxy(field.edit);
  auto* const name = new QLabel(shown(label.toStdString()), arguments_);
  name->setTextFormat(Qt::PlainText);
  name->setBuddy(field.edit);
  rows.addRow(name, cell);
  connect(field.edit, &QLineEdit::textChanged, this, [this] {
    if (!filling_) Q_EMIT edited();
  });
  fields_.push_back(field);
}

std::optional<analysis::Launch> LaunchForm::launch() {
  analysis::Launch launch;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    launch.grid[axis] = static_cast<std::uint32_t>(grid_[axis]->value());
    launch.block[axis] = static_cast<std::uint32_t>(block_[axis]->value());
  }
  bool good = true;
  for (const Field& one : fields_) {
    const QString text = one.edit->text().trimmed();
    one.problem->hide();
    if (text.isEmpty()) continue;
    const auto bits = analysis::argument_bits(text.toStdString(), one.place.type, one.place.bytes);
    if (bits) {
      launch.arguments.push_back({one.label.toStdString(), *bits, function_});
      continue;
    }
    const bool floating = one.place.type == Type::f32 || one.place.type == Type::f64;
    one.problem->setText(tr("must be a number that fits into %1 bits (%2), like 512, -1, 0x1f%3")
                             .arg(8 * one.place.bytes)
                             .arg(type_text(one.place), floating ? tr(", 0.5") : QString()));
    QPalette palette = one.problem->palette();
    palette.setColor(QPalette::WindowText, Theme::instance().colors().error);
    one.problem->setPalette(palette);
    one.problem->show();
    good = false;
  }
  return good ? std::optional(launch) : std::nullopt;
}

QLineEdit* LaunchForm::field(const QString& label) const {
  const auto found = std::ranges::find(fields_, label, &Field::label);
  return found == fields_.end() ? nullptr : found->edit;
}

QString LaunchForm::problem_of(const QString& label) const {
  const auto found = std::ranges::find(fields_, label, &Field::label);
  return found == fields_.end() || found->problem->isHidden() ? QString() : found->problem->text();
}

}  // namespace ptxscope::gui
