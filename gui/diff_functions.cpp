#include "gui/diff_functions.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "analysis/names.h"
#include "gui/common_widgets.h"
#include "gui/kernel_list.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/diff_parts.h"
#include "report/terminal.h"

namespace ptxscope::gui {

using analysis::FunctionDiff;
using analysis::FunctionStatus;

namespace {

constexpr std::size_t most_opcodes = 200;

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text)); }

char sign_of(const FunctionDiff& one) {
  switch (one.status) {
    case FunctionStatus::same:
      return '=';
    case FunctionStatus::renamed:
      return letter_of(LineMark::spelled);
    case FunctionStatus::changed:
      return letter_of(LineMark::changed);
    case FunctionStatus::added:
      return letter_of(LineMark::added);
    case FunctionStatus::removed:
      return letter_of(LineMark::removed);
  }
  return ' ';
}

DiffFunction row_of(const AlignedDiff& diff, std::uint32_t section) {
  const FunctionDiff& one = diff.diff.functions[diff.sections[section].function];
  DiffFunction row;
  row.section = section;
  row.sign = sign_of(one);
  row.what = QString::fromStdString(report::outline_of(one));
  const auto add = [&](const Module& module, std::uint32_t function) {
    if (function == no_index) return;
    const std::string_view mangled = module.name(module.functions()[function].name);
    const std::string whole = analysis::demangled(mangled);
    const std::string plain = analysis::demangled_without_parameters(mangled);
    const std::string_view brief = without_namespaces(plain);
    const QString name = shown(brief.empty() ? mangled : brief);
    const QString other =
        shown(mangled) + (whole.empty() || whole == mangled ? QString() : QLatin1Char('\n') + shown(whole));
    if (!row.brief.isEmpty() && row.brief != name) row.brief += QStringLiteral(" → ");
    if (!row.brief.endsWith(name)) row.brief += name;
    if (row.whole == other) return;
    if (!row.whole.isEmpty()) row.whole += QStringLiteral("\n→ ");
    row.whole += other;
  };
  add(*diff.a, one.a);
  add(*diff.b, one.b);
  return row;
}

}  // namespace

std::vector<DiffFunction> functions_of(const AlignedDiff& diff) {
  std::vector<DiffFunction> rows;
  std::vector<std::uint32_t> section_of(diff.diff.functions.size(), no_index);
  for (std::uint32_t i = 0; i < diff.sections.size(); ++i)
    if (diff.sections[i].function != no_index) section_of[diff.sections[i].function] = i;
  const auto add = [&](std::uint32_t function) {
    const std::uint32_t section = std::exchange(section_of[function], no_index);
    if (section != no_index) rows.push_back(row_of(diff, section));
  };
  for (const FunctionDiff* const one : report::told_functions(diff.diff))
    add(static_cast<std::uint32_t>(one - diff.diff.functions.data()));
  for (std::uint32_t i = 0; i < section_of.size(); ++i) add(i);
  return rows;
}

void DiffFunctionModel::set_functions(std::vector<DiffFunction> functions) {
  beginResetModel();
  functions_ = std::move(functions);
  row_of_.clear();
  for (std::size_t i = 0; i < functions_.size(); ++i) {
    const std::size_t section = functions_[i].section;
    if (section >= row_of_.size()) row_of_.resize(section + 1, -1);
    row_of_[section] = static_cast<int>(i);
  }
  endResetModel();
}

int DiffFunctionModel::row_of_section(std::uint32_t section) const {
  return section < row_of_.size() ? row_of_[section] : -1;
}

int DiffFunctionModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(functions_.size());
}

int DiffFunctionModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QVariant DiffFunctionModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const DiffFunction& one = functions_[static_cast<std::size_t>(index.row())];
  const Colors& colors = Theme::instance().colors();
  switch (role) {
    case section_role:
      return one.section;
    case search_role:
      return QString(one.brief + QLatin1Char('\n') + one.whole);
    case Qt::DisplayRole:
      return index.column() == sign ? QString(QLatin1Char(one.sign)) : index.column() == name ? one.brief : one.what;
    case Qt::AccessibleTextRole:
      return index.column() == sign ? one.what : index.column() == name ? one.brief : one.what;
    case Qt::ToolTipRole:
      return plain_tip(one.whole + QLatin1Char('\n') + one.what);
    case Qt::TextAlignmentRole:
      return index.column() == sign ? int{Qt::AlignCenter} : int{Qt::AlignLeft | Qt::AlignVCenter};
    case Qt::BackgroundRole:
      if (index.column() != sign) return {};
      if (one.sign == letter_of(LineMark::changed)) return colors.replaced;
      if (one.sign == letter_of(LineMark::added)) return colors.added;
      if (one.sign == letter_of(LineMark::removed)) return colors.removed;
      return {};
    case Qt::ForegroundRole:
      return index.column() == what || one.sign == '=' ? QVariant(colors.dim) : QVariant();
    default:
      return {};
  }
}

QVariant DiffFunctionModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole) return int{Qt::AlignLeft | Qt::AlignVCenter};
  if (role == Qt::ToolTipRole)
    return tr("= the same code, ~ that under another name, ! changed, - only in A, + only in B");
  if (role != Qt::DisplayRole) return {};
  return section == sign ? QString() : section == name ? tr("Function") : tr("What it is");
}

DiffFunctions::DiffFunctions(QWidget* parent) : QWidget(parent) {
  model_ = new DiffFunctionModel(this);
  sorted_ = new QSortFilterProxyModel(this);
  sorted_->setSourceModel(model_);
  sorted_->setFilterRole(DiffFunctionModel::search_role);
  sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  sorted_->setSortCaseSensitivity(Qt::CaseInsensitive);
  filter_ = make_name_filter(this);
  table_ = new QTableView(this);
  table_->setAccessibleName(tr("Functions compared"));
  table_->setModel(sorted_);
  make_list(*table_);
  table_->setSortingEnabled(true);
  QHeaderView* const header = table_->horizontalHeader();
  header->setSortIndicatorClearable(true);
  header->setStretchLastSection(true);
  header->setMinimumSectionSize(20);
  header->resizeSection(DiffFunctionModel::sign, 24);
  header->resizeSection(DiffFunctionModel::name, table_->fontMetrics().averageCharWidth() * 22);
  table_->sortByColumn(-1, Qt::AscendingOrder);
  counts_ = new QTableWidget(0, 5, this);
  counts_->setAccessibleName(tr("Counts that differ"));
  counts_->setHorizontalHeaderLabels(
      {tr("Counts"), QStringLiteral("A"), QStringLiteral("B"), tr("Diff."), QStringLiteral("%")});
  counts_->verticalHeader()->hide();
  counts_->verticalHeader()->setDefaultSectionSize(counts_->fontMetrics().height() + 4);
  counts_->setShowGrid(false);
  counts_->setWordWrap(false);
  counts_->setTabKeyNavigation(false);
  counts_->setEditTriggers(QAbstractItemView::NoEditTriggers);
  counts_->setSelectionBehavior(QAbstractItemView::SelectRows);
  counts_->horizontalHeader()->setHighlightSections(false);
  counts_->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  for (int column = 1; column < counts_->columnCount(); ++column)
    counts_->horizontalHeader()->setSectionResizeMode(column, QHeaderView::ResizeToContents);
  auto* const upper = new QWidget(this);
  auto* const list = new QVBoxLayout(upper);
  list->setContentsMargins(0, 0, 0, 0);
  list->setSpacing(2);
  list->addWidget(filter_);
  list->addWidget(table_, 1);
  auto* const split = new QSplitter(Qt::Vertical, this);
  split->addWidget(upper);
  split->addWidget(counts_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  split->setChildrenCollapsible(false);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(split);
  setFocusProxy(table_);
  const auto choose = [this](const QModelIndex& index) {
    if (!following_ && index.isValid()) Q_EMIT chosen(index.data(DiffFunctionModel::section_role).toUInt());
  };
  connect(filter_, &QLineEdit::textChanged, sorted_,
          [this](const QString& text) { sorted_->setFilterFixedString(text); });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, choose);
  connect(table_, &QTableView::clicked, this, choose);
  connect(&Theme::instance(), &Theme::changed, table_->viewport(), qOverload<>(&QWidget::update));
}

void DiffFunctions::show_diff(const AlignedDiff& diff, std::vector<DiffFunction> functions) {
  following_ = true;
  model_->set_functions(std::move(functions));
  following_ = false;
  show_counts(diff);
}

void DiffFunctions::show_counts(const AlignedDiff& diff) {
  const std::vector<report::CountChange> counts = report::changed_counts(diff.diff, most_opcodes);
  counts_->setRowCount(static_cast<int>(counts.size()));
  for (int row = 0; row < counts_->rowCount(); ++row) {
    const report::CountChange& one = counts[static_cast<std::size_t>(row)];
    const std::string cells[] = {one.name, std::to_string(one.a), std::to_string(one.b),
                                 report::difference(one.a, one.b), report::percentage(one.a, one.b)};
    for (int column = 0; column < counts_->columnCount(); ++column) {
      auto* const item = new QTableWidgetItem(QString::fromStdString(cells[column]));
      if (column > 0) item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      counts_->setItem(row, column, item);
    }
  }
  counts_->setVisible(!counts.empty());
}

void DiffFunctions::follow(std::uint32_t section) {
  const int row = model_->row_of_section(section);
  const QModelIndex index = row < 0 ? QModelIndex() : sorted_->mapFromSource(model_->index(row, 0));
  if (index.isValid() && table_->currentIndex().row() == index.row()) return;
  following_ = true;
  if (index.isValid()) {
    table_->setCurrentIndex(index);
    table_->scrollTo(index);
  } else {
    table_->selectionModel()->clear();
  }
  following_ = false;
}

bool DiffFunctions::eventFilter(QObject* watched, QEvent* event) {
  if (watched == filter_ && filter_takes_key(*event, *filter_, *table_, 1)) return true;
  return QWidget::eventFilter(watched, event);
}

}  // namespace ptxscope::gui
