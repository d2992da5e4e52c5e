#include "gui/kernel_list.h"

#include <QHeaderView>
#include <QKeyEvent>
#include <QVBoxLayout>
#include <algorithm>

#include "analysis/names.h"
#include "gui/common_widgets.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

// Demangling thousands of names takes longer than a frame: they are put in later, so many at a time.
constexpr std::size_t names_at_once = 4000;

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text)); }

struct Names {
  struct Name {
    QString whole, brief;
  };
  std::vector<Name> names;
};

}  // namespace

std::string_view without_namespaces(std::string_view name) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t at = 0; at + 1 < name.size(); ++at) {
    const char c = name[at];
    if (c == '<' || c == '(' || c == '{' || c == '[') ++depth;
    if (c == '>' || c == ')' || c == '}' || c == ']') --depth;
    if (depth == 0 && c == ':' && name[at + 1] == ':') begin = at + 2;
  }
  return begin < name.size() ? name.substr(begin) : name;
}

KernelModel::KernelModel(Document& document, QObject* parent) : QAbstractTableModel(parent), document_(document) {
  connect(&document_, &Document::module_changed, this, &KernelModel::take_module);
  connect(&document_, &Document::result_ready, this, [this](ResultKind kind) {
    if (kind == ResultKind::stats || kind == ResultKind::trap_counts) take_counts();
  });
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    if (!rows_.empty()) Q_EMIT dataChanged(index(0, 0), index(rowCount() - 1, column_count - 1));
  });
  take_module();
}

void KernelModel::take_module() {
  beginResetModel();
  module_ = document_.module();
  rows_.clear();
  stats_ = nullptr;
  stats_of_.clear();
  traps_ = nullptr;
  if (module_ != nullptr) {
    const auto functions = module_->functions();
    rows_.reserve(functions.size());
    for (std::uint32_t i = 0; i < functions.size(); ++i) {
      Row row;
      row.function = i;
      row.mangled = shown(module_->name(functions[i].name));
      row.name = row.mangled;
      row.brief = row.mangled;
      row.is_kernel = functions[i].kind == FunctionKind::entry;
      row.has_body = functions[i].has_body;
      // A prototype of what has its body here is no row of its own.
      const Function* const meant = module_->find_function(functions[i].name);
      if (!row.has_body && meant != nullptr && meant->has_body) continue;
      rows_.push_back(std::move(row));
    }
  }
  endResetModel();
  if (module_ == nullptr) return;
  for (std::size_t first = 0; first < rows_.size(); first += names_at_once) {
    std::vector<std::uint32_t> functions;
    for (std::size_t i = first; i < std::min(rows_.size(), first + names_at_once); ++i)
      functions.push_back(rows_[i].function);
    in_background(
        this,
        [module = module_, functions = std::move(functions)](const Cancel&) {
          Names result;
          for (const std::uint32_t function : functions) {
            const std::string_view mangled = module->name(module->functions()[function].name);
            result.names.push_back({shown(analysis::demangled(mangled)),
                                    shown(without_namespaces(analysis::demangled_without_parameters(mangled)))});
          }
          return result;
        },
        [this, first, module = module_](const Outcome<Names>& outcome) {
          if (!outcome.value || module != module_) return;
          for (std::size_t i = 0; i < outcome.value->names.size(); ++i) {
            const Names::Name& one = outcome.value->names[i];
            if (!one.whole.isEmpty()) rows_[first + i].name = one.whole;
            if (!one.brief.isEmpty()) rows_[first + i].brief = one.brief;
          }
          Q_EMIT dataChanged(index(static_cast<int>(first), name),
                             index(static_cast<int>(first + outcome.value->names.size()) - 1, name));
        },
        8);
  }
  take_counts();
}

void KernelModel::take_counts() {
  if (module_ == nullptr || module_ != document_.module()) return;
  const auto stats = document_.stats();
  const auto trap_counts = document_.trap_counts();
  stats_problem_ = stats.problem;
  traps_problem_ = trap_counts.problem;
  if (stats && stats_ == nullptr) {
    stats_ = stats.value;
    stats_of_.assign(module_->functions().size(), no_index);
    for (std::uint32_t i = 0; i < stats_->functions.size(); ++i) stats_of_[stats_->functions[i].function] = i;
  }
  if (trap_counts) traps_ = trap_counts.value;
  if (!rows_.empty()) Q_EMIT dataChanged(index(0, KernelModel::traps), index(rowCount() - 1, column_count - 1));
}

int KernelModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(rows_.size());
}

int KernelModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

int KernelModel::row_of(std::uint32_t function) const {
  const auto found = std::ranges::lower_bound(rows_, function, {}, &Row::function);
  return found != rows_.end() && found->function == function ? static_cast<int>(found - rows_.begin()) : -1;
}

QString KernelModel::count_tip(const Row& row, int column) const {
  if (!row.has_body) return tr("Only declared here: its code is elsewhere.");
  if (column == traps) {
    if (!traps_problem_.isEmpty()) return traps_problem_;
    return traps_ != nullptr && (*traps_)[row.function] == no_index
               ? tr("Told of in the kernels that call it: its traps are counted there.")
               : tr("Traps, asserts and failing checks, as explain-trap reports them");
  }
  if (!stats_problem_.isEmpty()) return stats_problem_;
  return column == live ? tr("The most 32-bit registers live at one place") : tr("Instructions in its body");
}

QVariant KernelModel::data(const QModelIndex& index, int role) const {
  if (!index.isValid() || index.row() >= rowCount()) return {};
  const Row& row = rows_[static_cast<std::size_t>(index.row())];
  if (role == function_role) return row.function;
  if (role == search_role) return QString(row.name + QLatin1Char('\n') + row.mangled);
  if (role == Qt::TextAlignmentRole && index.column() != name) return int{Qt::AlignRight | Qt::AlignVCenter};
  if (role == Qt::ForegroundRole) {
    const Colors& colors = Theme::instance().colors();
    if (!row.has_body) return colors.dim;
    if (index.column() == traps && traps_ != nullptr && (*traps_)[row.function] != no_index &&
        (*traps_)[row.function] > 0)
      return colors.error;
    return {};
  }
  if (index.column() == name) {
    if (role == Qt::DisplayRole || role == sort_role) return row.brief;
    if (role == Qt::AccessibleTextRole) return row.name;
    if (role == Qt::ToolTipRole) {
      QString tip = row.is_kernel ? tr("Kernel") : tr("Function");
      if (!row.has_body) tip += tr(", only declared here");
      return QString(tip + QLatin1Char('\n') + row.name +
                     (row.name == row.mangled ? QString() : QLatin1Char('\n') + row.mangled));
    }
    if (role == Qt::FontRole && row.is_kernel) {
      QFont font;
      font.setBold(true);
      return font;
    }
    return {};
  }
  if (role == Qt::ToolTipRole) return count_tip(row, index.column());
  if (role != Qt::DisplayRole && role != sort_role) return {};
  std::optional<qulonglong> count;
  bool pending = row.has_body;
  if (index.column() == traps) {
    pending = pending && traps_ == nullptr && traps_problem_.isEmpty();
    if (traps_ != nullptr && (*traps_)[row.function] != no_index) count = (*traps_)[row.function];
  } else {
    pending = pending && stats_ == nullptr && stats_problem_.isEmpty();
    if (stats_ != nullptr && stats_of_[row.function] != no_index) {
      const analysis::CodeStats& counts = stats_->functions[stats_of_[row.function]].counts;
      if (index.column() == instructions) {
        count = counts.instructions;
      } else if (counts.max_live) {
        count = *counts.max_live;
      }
    }
  }
  if (role == sort_role) return count ? QVariant(static_cast<qlonglong>(*count)) : QVariant(qlonglong{-1});
  if (count) return *count;
  return pending ? QStringLiteral("…") : QStringLiteral("–");
}

QVariant KernelModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal) return {};
  if (role == Qt::TextAlignmentRole)
    return section == name ? int{Qt::AlignLeft | Qt::AlignVCenter} : int{Qt::AlignRight | Qt::AlignVCenter};
  if (role != Qt::DisplayRole && role != Qt::ToolTipRole) return {};
  const bool tip = role == Qt::ToolTipRole;
  switch (section) {
    case name:
      return tip ? tr("Demangled name; kernels are bold") : tr("Function");
    case traps:
      return tip ? tr("Traps, asserts and failing checks") : tr("Traps");
    case instructions:
      return tip ? tr("Instructions") : tr("Instr.");
    case live:
      return tip ? tr("The most 32-bit registers live at one place") : tr("Live");
    default:
      return {};
  }
}

KernelList::KernelList(Document& document, Selection& selection, QWidget* parent) : Panel(document, selection, parent) {
  model_ = new KernelModel(document, this);
  sorted_ = new QSortFilterProxyModel(this);
  sorted_->setSourceModel(model_);
  sorted_->setSortRole(KernelModel::sort_role);
  sorted_->setFilterRole(KernelModel::search_role);
  sorted_->setFilterCaseSensitivity(Qt::CaseInsensitive);
  sorted_->setSortCaseSensitivity(Qt::CaseInsensitive);
  sorted_->setDynamicSortFilter(true);
  filter_ = make_name_filter(this);
  table_ = new QTableView(this);
  table_->setAccessibleName(tr("Functions"));
  table_->setModel(sorted_);
  make_list(*table_);
  table_->setTextElideMode(Qt::ElideRight);
  table_->setSortingEnabled(true);
  QHeaderView* const header = table_->horizontalHeader();
  header->setSortIndicatorClearable(true);
  header->setSectionResizeMode(KernelModel::name, QHeaderView::Stretch);
  for (const int column : {KernelModel::traps, KernelModel::instructions, KernelModel::live}) {
    header->setSectionResizeMode(column, QHeaderView::Interactive);
    header->resizeSection(column, table_->fontMetrics().horizontalAdvance(QStringLiteral("00000")) + 8);
  }
  table_->sortByColumn(-1, Qt::AscendingOrder);  // the order of the text
  count_ = new QLabel(this);
  count_->setContentsMargins(6, 2, 6, 2);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  column->addWidget(filter_);
  column->addWidget(table_, 1);
  column->addWidget(count_);
  connect(filter_, &QLineEdit::textChanged, sorted_, [this](const QString& text) {
    sorted_->setFilterFixedString(text);
    show_count();
    show_chosen();
  });
  connect(model_, &QAbstractItemModel::modelReset, this, [this] {
    show_count();
    show_chosen();
  });
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this, [this](const QModelIndex& now) {
    if (following_ || !now.isValid()) return;
    this->selection().choose_function(now.data(KernelModel::function_role).toUInt(), this, Move::jump);
  });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& now) {
    this->selection().choose_function(now.data(KernelModel::function_role).toUInt(), this, Move::jump);
  });
  connect(&selection, &Selection::changed, this, [this](const Choice& before) {
    if (before.function != this->selection().now().function) show_chosen();
  });
  setFocusProxy(table_);
  show_count();
  show_chosen();
}

void KernelList::show_chosen() {
  following_ = true;
  const std::uint32_t function = selection().now().function;
  const int row = function == no_index ? -1 : model_->row_of(function);
  const QModelIndex index = row < 0 ? QModelIndex() : sorted_->mapFromSource(model_->index(row, 0));
  if (index.isValid()) {
    table_->setCurrentIndex(index);
    table_->scrollTo(index);
  } else {
    table_->selectionModel()->clear();
  }
  following_ = false;
}

void KernelList::show_count() {
  const int all = model_->rowCount();
  const int now = sorted_->rowCount();
  if (all == 0) {
    count_->setText(document().module() == nullptr ? QString() : tr("No function stands in this module."));
  } else if (now == all) {
    count_->setText(counted(static_cast<std::size_t>(all), tr("function")));
  } else {
    count_->setText(now == 0 ? tr("No name has that in it; Escape shows all %1.").arg(all)
                             : tr("%1 of %2 functions").arg(now).arg(all));
  }
}

bool KernelList::eventFilter(QObject* watched, QEvent* event) {
  if (watched == filter_ && filter_takes_key(*event, *filter_, *table_, 0)) return true;
  return Panel::eventFilter(watched, event);
}

}  // namespace ptxscope::gui
