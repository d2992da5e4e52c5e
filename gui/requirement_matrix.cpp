#include "gui/requirement_matrix.h"

#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QPainter>
#include <QScrollBar>
#include <QStyledItemDelegate>
#include <algorithm>

#include "gui/theme.h"
#include "isa/devices.h"
#include "isa/releases.h"

namespace ptxscope::gui {

namespace {

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }
QString text_of(isa::Version version) { return QString::fromStdString(isa::to_string(version)); }
QString name_of(isa::TargetIndex target) { return text_of(isa::targets()[target].name); }

// A square, filled where the module fits; a frame around the chosen one.
class CellDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    if (index.column() < RequirementModel::first_version) {
      QStyledItemDelegate::paint(painter, option, index);
      return;
    }
    const Colors& colors = Theme::instance().colors();
    const auto cell = static_cast<RequirementModel::Cell>(index.data(RequirementModel::cell_role).toInt());
    const QRect square = option.rect.adjusted(1, 1, -1, -1);
    painter->save();
    if (cell == RequirementModel::Cell::fits) {
      painter->fillRect(square, colors.good);
    } else {
      painter->fillRect(square, colors.margin);
      painter->fillRect(QRect(square.center() - QPoint(1, 0), QSize(3, 1)), colors.dim);
    }
    if (index.data(RequirementModel::chosen_role).toBool()) {
      painter->setPen(QPen(colors.accent, 2));
      painter->drawRect(square);
      painter->setPen(QPen(colors.base, 1));
      painter->drawRect(square.adjusted(2, 2, -2, -2));
    } else if (option.state.testFlag(QStyle::State_HasFocus)) {
      painter->setPen(QPen(colors.text, 1, Qt::DotLine));
      painter->drawRect(square.adjusted(0, 0, -1, -1));
    }
    painter->restore();
  }
};

}  // namespace

void RequirementModel::set_report(std::shared_ptr<const analysis::CheckReport> report) {
  beginResetModel();
  report_ = std::move(report);
  versions_.clear();
  if (report_ != nullptr) {
    isa::Version first = report_->declared.version.value_or(isa::versions().back());
    for (std::size_t i = 0; i < isa::targets().size(); ++i)
      if (const auto version = analysis::lowest_version(report_->requirement, static_cast<isa::TargetIndex>(i)))
        first = std::min(first, *version);
    for (const isa::Version version : isa::versions())
      if (version >= first) versions_.push_back(version);
  }
  endResetModel();
}

void RequirementModel::set_chosen(const HeaderQuestion& question) {
  chosen_ = question;
  if (rowCount() > 0) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, columnCount() - 1));
}

int RequirementModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || report_ == nullptr ? 0 : static_cast<int>(isa::targets().size());
}

int RequirementModel::columnCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : first_version + static_cast<int>(versions_.size());
}

std::optional<isa::Version> RequirementModel::version_of(int column) const {
  const int at = column - first_version;
  if (at < 0 || at >= static_cast<int>(versions_.size())) return std::nullopt;
  return versions_[static_cast<std::size_t>(at)];
}

HeaderQuestion RequirementModel::question_at(const QModelIndex& index) const {
  if (!index.isValid()) return {};
  return {static_cast<isa::TargetIndex>(index.row()), version_of(index.column())};
}

QModelIndex RequirementModel::chosen_cell() const {
  if (report_ == nullptr) return {};
  const auto target = chosen_.target ? chosen_.target : report_->declared.target;
  const auto version = chosen_.version ? chosen_.version : report_->declared.version;
  if (!target) return {};
  const auto at = version ? std::ranges::find(versions_, *version) : versions_.end();
  return index(*target, at == versions_.end() ? int{lowest} : first_version + static_cast<int>(at - versions_.begin()));
}

bool RequirementModel::takes(isa::TargetIndex target, isa::Version version) const {
  const analysis::ModuleRequirement& requirement = report_->requirement;
  return requirement.needed.satisfied_by(target, version) && version <= requirement.last.lowest[target];
}

QVariant RequirementModel::text_at(isa::TargetIndex target, int column) const {
  const auto version = analysis::lowest_version(report_->requirement, target);
  if (column == lowest) return version ? text_of(*version) : tr("never");
  const isa::Release* const release = version ? isa::first_release_with(*version) : nullptr;
  if (release == nullptr) return version ? QStringLiteral("–") : QString();
  if (column == cuda)
    return release->cuda == isa::CudaVersion{} ? QStringLiteral("–")
                                               : QString::fromStdString(isa::to_string(release->cuda));
  return release->branch == 0 ? QStringLiteral("–") : QStringLiteral("R%1").arg(release->branch);
}

QString RequirementModel::tip_of(isa::TargetIndex target, int column) const {
  const isa::Target& one = isa::targets()[target];
  if (const auto version = version_of(column)) {
    const QString header = tr(".version %1, .target %2").arg(text_of(*version), name_of(target));
    if (takes(target, *version)) return tr("%1: fits").arg(header);
    return *version < one.lowest
               ? tr("%1: does not fit; there is no such target before %2").arg(header, text_of(one.lowest))
               : tr("%1: does not fit").arg(header);
  }
  QString tip =
      tr("%1: compute capability %2").arg(name_of(target), QString::fromStdString(isa::describe_devices(one)));
  if (!one.note.empty()) tip += QLatin1Char('\n') + text_of(one.note);
  const auto version = analysis::lowest_version(report_->requirement, target);
  if (!version) return tip + QLatin1Char('\n') + tr("no version takes all of the module there");
  tip += QLatin1Char('\n') + tr("takes the module from .version %1 on").arg(text_of(*version));
  const isa::Version last = report_->requirement.last.lowest[target];
  if (last != isa::never) tip += tr(" to %1").arg(text_of(last));
  if (const isa::Release* const release = isa::first_release_with(*version))
    tip += QLatin1Char('\n') + tr("which came with %1; driver %2")
                                   .arg(QString::fromStdString(isa::name_of(*release)),
                                        QString::fromStdString(isa::describe_driver(*release)));
  return tip;
}

QVariant RequirementModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const auto target = static_cast<isa::TargetIndex>(index.row());
  const auto version = version_of(index.column());
  const bool fits =
      version ? takes(target, *version) : analysis::lowest_version(report_->requirement, target).has_value();
  switch (role) {
    case Qt::DisplayRole:
      return version ? QVariant() : text_at(target, index.column());
    case Qt::AccessibleTextRole:
      return version ? QVariant(tip_of(target, index.column())) : text_at(target, index.column());
    case Qt::ToolTipRole:
      return tip_of(target, index.column());
    case Qt::TextAlignmentRole:
      return int{Qt::AlignCenter};
    case Qt::ForegroundRole:
      return fits ? QVariant() : QVariant(Theme::instance().colors().dim);
    case cell_role:
      return static_cast<int>(!version ? Cell::none : fits ? Cell::fits : Cell::fits_not);
    case chosen_role:
      return index == chosen_cell();
    default:
      return {};
  }
}

QVariant RequirementModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation == Qt::Vertical) {
    if (role == Qt::DisplayRole) return name_of(static_cast<isa::TargetIndex>(section));
    if (role == Qt::ToolTipRole) return tip_of(static_cast<isa::TargetIndex>(section), lowest);
    if (role == Qt::TextAlignmentRole) return int{Qt::AlignLeft | Qt::AlignVCenter};
    return {};
  }
  if (role == Qt::TextAlignmentRole) return int{Qt::AlignCenter};
  const auto version = version_of(section);
  if (role == Qt::AccessibleTextRole && version) return text_of(*version);
  if (role == Qt::DisplayRole) {
    // Over each other, so that all of them have room.
    if (version) return QStringLiteral("%1.\n%2").arg(version->major_number()).arg(version->minor_number());
    return section == lowest ? tr("from") : section == cuda ? tr("CUDA") : tr("driver");
  }
  if (role != Qt::ToolTipRole) return {};
  if (version) return tr(".version %1: a click asks about it with the module's own .target").arg(text_of(*version));
  return section == lowest ? tr("The lowest .version that takes the module with this .target")
         : section == cuda ? tr("The first CUDA release with that version")
                           : tr("The branch of the first driver with that version");
}

RequirementMatrix::RequirementMatrix(RequirementModel& model, QWidget* parent) : QTableView(parent), model_(model) {
  setAccessibleName(tr("Targets and versions that take the module"));
  setModel(&model);
  setItemDelegate(new CellDelegate(this));
  setSelectionMode(QAbstractItemView::NoSelection);
  setShowGrid(false);
  setTabKeyNavigation(false);
  setCornerButtonEnabled(false);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  horizontalHeader()->setHighlightSections(false);
  verticalHeader()->setHighlightSections(false);
  horizontalHeader()->setSectionsClickable(true);
  verticalHeader()->setSectionsClickable(true);
  for (QHeaderView* const header : {horizontalHeader(), verticalHeader()}) {
    header->setMinimumSectionSize(8);
    header->setSectionResizeMode(QHeaderView::Fixed);
  }
  fit_sizes();
  connect(&model, &QAbstractItemModel::modelReset, this, &RequirementMatrix::fit_sizes);
  connect(this, &QTableView::clicked, this,
          [this](const QModelIndex& index) { Q_EMIT asked(model_.question_at(index)); });
  connect(verticalHeader(), &QHeaderView::sectionClicked, this, [this](int row) {
    Q_EMIT asked({static_cast<isa::TargetIndex>(row), std::nullopt});
  });
  connect(horizontalHeader(), &QHeaderView::sectionClicked, this, [this](int column) {
    if (const auto version = model_.version_of(column)) Q_EMIT asked({std::nullopt, version});
  });
}

void RequirementMatrix::fit_sizes() {
  const QFontMetrics metrics = fontMetrics();
  verticalHeader()->setDefaultSectionSize(metrics.height() + 4);
  horizontalHeader()->setDefaultSectionSize(metrics.horizontalAdvance(QStringLiteral("8.")) + 4);
  horizontalHeader()->setFixedHeight(2 * metrics.height() + 6);
  const auto width = [&](const QString& text) { return metrics.horizontalAdvance(text) + 10; };
  if (model_.columnCount() <= RequirementModel::driver) return;
  horizontalHeader()->resizeSection(RequirementModel::lowest, std::max(width(tr("never")), width(tr("from"))));
  horizontalHeader()->resizeSection(RequirementModel::cuda, width(tr("CUDA")));
  horizontalHeader()->resizeSection(RequirementModel::driver,
                                    std::max(width(tr("driver")), width(QStringLiteral("R000"))));
}

void RequirementMatrix::show_chosen() {
  const QModelIndex cell = model_.chosen_cell();
  if (!cell.isValid()) return;
  // From the left, where the lowest versions stand. Not the current cell: that is where the keyboard is.
  horizontalScrollBar()->setValue(0);
  scrollTo(cell, QAbstractItemView::EnsureVisible);
}

void RequirementMatrix::keyPressEvent(QKeyEvent* event) {
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter:
    case Qt::Key_Space:
      if (currentIndex().isValid()) Q_EMIT asked(model_.question_at(currentIndex()));
      return;
    case Qt::Key_Escape:
      Q_EMIT asked({});
      return;
    default:
      QTableView::keyPressEvent(event);
  }
}

// What was shown while the panel stood behind others had no room of its own.
void RequirementMatrix::showEvent(QShowEvent* event) {
  QTableView::showEvent(event);
  QMetaObject::invokeMethod(this, &RequirementMatrix::show_chosen, Qt::QueuedConnection);
}

void RequirementMatrix::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::FontChange) fit_sizes();
}

}  // namespace ptxscope::gui
