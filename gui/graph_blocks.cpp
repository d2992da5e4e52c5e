#include "gui/graph_blocks.h"

#include <QHeaderView>

#include "gui/common_widgets.h"
#include "gui/theme.h"
#include "report/cfg_parts.h"
#include "report/terminal.h"

namespace ptxscope::gui {

using analysis::Block;
using analysis::Edge;

namespace {

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text, 80)); }

}  // namespace

BlockModel::BlockModel(QObject* parent) : QAbstractTableModel(parent) {}

void BlockModel::show_flow(std::shared_ptr<const Module> module, std::shared_ptr<const analysis::FunctionFlow> flow) {
  if (module == module_ && flow == flow_) return;
  beginResetModel();
  module_ = std::move(module);
  flow_ = std::move(flow);
  endResetModel();
}

int BlockModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() || flow_ == nullptr ? 0 : static_cast<int>(flow_->cfg.blocks.size());
}

int BlockModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

QString BlockModel::text_of(const Block& one, int column) const {
  const analysis::Cfg& cfg = flow_->cfg;
  switch (column) {
    case block:
      return one.label == no_name ? QStringLiteral("B%1").arg(one.id)
                                  : QStringLiteral("B%1  %2").arg(one.id).arg(shown(module_->name(one.label)));
    case lines: {
      const report::LineRange range = report::lines_of(*module_, one);
      return range.first == range.last ? QString::number(range.first)
                                       : QStringLiteral("%1-%2").arg(range.first).arg(range.last);
    }
    case ends:
      return one.reachable ? shown(report::spelling(one.end)) : tr("cannot be reached");
    case goes: {
      QStringList parts;
      constexpr std::size_t enough = 8;
      for (std::size_t i = 0; i < std::min(enough, one.successors.size()); ++i) {
        const Edge& edge = cfg.edges[one.successors[i]];
        const QString when = shown(report::predicate_text(*module_, cfg, edge) + report::cases_text(edge));
        parts += QStringLiteral("B%1").arg(edge.to) + (when.isEmpty() ? QString() : tr(" if %1").arg(when));
      }
      if (one.successors.size() > enough) parts += tr("%1 more").arg(one.successors.size() - enough);
      return parts.join(QStringLiteral(", "));
    }
    case live:
      return flow_->liveness.complete ? QString::number(flow_->liveness.blocks[one.id].max_live.registers)
                                      : QStringLiteral("?");
    default:
      return QString::number(one.instructions);
  }
}

QVariant BlockModel::data(const QModelIndex& index, int role) const {
  if (flow_ == nullptr || index.row() < 0 || index.row() >= rowCount()) return {};
  const Block& one = flow_->cfg.blocks[static_cast<std::size_t>(index.row())];
  if (role == Qt::DisplayRole) return text_of(one, index.column());
  if (role == Qt::TextAlignmentRole && (index.column() == instructions || index.column() == live))
    return int{Qt::AlignRight | Qt::AlignVCenter};
  if (role == Qt::ForegroundRole) {
    const Colors& colors = Theme::instance().colors();
    if (analysis::is_trap_block(one)) return colors.error;
    if (!one.reachable) return colors.dim;
  }
  return {};
}

QVariant BlockModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  switch (section) {
    case block:
      return tr("Block");
    case lines:
      return tr("Lines");
    case instructions:
      return tr("Instr.");
    case ends:
      return tr("Ends in");
    case goes:
      return tr("Goes to");
    default:
      return tr("Live");
  }
}

BlockTable::BlockTable(QWidget* parent) : QTableView(parent) {
  model_ = new BlockModel(this);
  setModel(model_);
  setAccessibleName(tr("Blocks of the function"));
  make_list(*this);
  horizontalHeader()->setStretchLastSection(false);
  const int character = fontMetrics().averageCharWidth();
  horizontalHeader()->resizeSection(BlockModel::block, 14 * character);
  horizontalHeader()->resizeSection(BlockModel::lines, 10 * character);
  horizontalHeader()->resizeSection(BlockModel::instructions, 7 * character);
  horizontalHeader()->resizeSection(BlockModel::ends, 12 * character);
  horizontalHeader()->resizeSection(BlockModel::live, 6 * character);
  horizontalHeader()->setSectionResizeMode(BlockModel::goes, QHeaderView::Stretch);
  const auto choose = [this](const QModelIndex& now) {
    if (!following_ && now.isValid()) Q_EMIT block_wanted(static_cast<std::uint32_t>(now.row()));
  };
  connect(selectionModel(), &QItemSelectionModel::currentRowChanged, this, choose);
  connect(this, &QTableView::clicked, this, choose);
}

void BlockTable::set_chosen(analysis::BlockId block) {
  following_ = true;
  const QModelIndex index = block == analysis::no_block ? QModelIndex() : model_->index(static_cast<int>(block), 0);
  setCurrentIndex(index);
  if (index.isValid()) scrollTo(index);
  following_ = false;
}

}  // namespace ptxscope::gui
