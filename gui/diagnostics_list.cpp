#include "gui/diagnostics_list.h"

#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/common_widgets.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/diagnostics.h"
#include "report/rules.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

constexpr std::size_t most_listed = 20'000;

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text)); }

}  // namespace

DiagnosticsModel::DiagnosticsModel(Document& document, QObject* parent)
    : QAbstractTableModel(parent), document_(document) {
  connect(&document_, &Document::module_changed, this, [this] { take(true); });
  connect(&document_, &Document::result_ready, this, [this](ResultKind kind) {
    if (kind == ResultKind::check || kind == ResultKind::diagnostics) take(false);
  });
  take(true);
}

void DiagnosticsModel::take(bool is_new_module) {
  if (!is_new_module && document_.module() != module_) return;
  beginResetModel();
  module_ = document_.module();
  all_.clear();
  remark_.clear();
  if (module_ != nullptr) {
    const auto answer = document_.diagnostics();
    const std::span<const Diagnostic> found = answer ? std::span(*answer) : module_->diagnostics();
    all_.assign(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(std::min(found.size(), most_listed)));
    if (!answer) remark_ = answer.pending() ? tr("the checks are still running") : answer.problem;
    if (found.size() > most_listed)
      remark_ = tr("only the first %1 of %2 are listed; ptxscope check tells all").arg(most_listed).arg(found.size());
  }
  endResetModel();
  Q_EMIT counted();
}

int DiagnosticsModel::rowCount(const QModelIndex& parent) const {
  return parent.isValid() ? 0 : static_cast<int>(all_.size());
}

int DiagnosticsModel::columnCount(const QModelIndex& parent) const { return parent.isValid() ? 0 : column_count; }

const Diagnostic* DiagnosticsModel::at(int row) const {
  return row < 0 || row >= rowCount() ? nullptr : &all_[static_cast<std::size_t>(row)];
}

std::size_t DiagnosticsModel::count(Level level) const {
  return static_cast<std::size_t>(std::ranges::count(all_, level, &Diagnostic::level));
}

QVariant DiagnosticsModel::data(const QModelIndex& index, int role) const {
  const Diagnostic* const one = at(index.row());
  if (one == nullptr) return {};
  const std::string_view level = report::spelling(one->level);
  const QString level_text = QString::fromUtf8(level.data(), static_cast<qsizetype>(level.size()));
  if (role == Qt::DisplayRole) {
    switch (index.column()) {
      case line:
        return module_->position(one->span).line;
      case message:
        return QString(level_text + QStringLiteral(": ") + shown(one->message));
      case rule:
        return shown(one->rule);
      default:
        return {};
    }
  }
  if (role == Qt::TextAlignmentRole && index.column() == line) return int{Qt::AlignRight | Qt::AlignVCenter};
  if (role == Qt::ForegroundRole && index.column() == message) {
    const Colors& colors = Theme::instance().colors();
    return one->level == Level::error ? colors.error : one->level == Level::warning ? colors.warning : colors.text;
  }
  if (role == Qt::ToolTipRole) {
    QString tip = shown(one->message);
    if (!one->remedy.empty()) tip += QLatin1Char('\n') + shown(one->remedy);
    return plain_tip(tip);
  }
  return {};
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const {
  if (orientation != Qt::Horizontal || role != Qt::DisplayRole) return {};
  return section == line ? tr("Line") : section == message ? tr("What is wrong") : tr("Rule");
}

DiagnosticsList::DiagnosticsList(Document& document, Selection& selection, QWidget* parent)
    : Panel(document, selection, parent) {
  model_ = new DiagnosticsModel(document, this);
  table_ = new QTableView(this);
  table_->setAccessibleName(tr("Problems of the module"));
  table_->setModel(model_);
  make_list(*table_);
  table_->horizontalHeader()->setSectionResizeMode(DiagnosticsModel::message, QHeaderView::Stretch);
  table_->horizontalHeader()->resizeSection(DiagnosticsModel::rule,
                                            table_->fontMetrics().horizontalAdvance(QLatin1Char('M')) * 12);
  details_ = make_details(this, tr("The chosen problem: place, reason, way out"),
                          tr("Choose a problem to see its place and the way out."));
  summary_ = new QLabel(this);
  summary_->setContentsMargins(6, 2, 6, 2);
  auto* const split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(table_);
  split->addWidget(details_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(split, 1);
  column->addWidget(summary_);
  const auto take_font = [this] { details_->setFont(Theme::instance().code_font()); };
  take_font();
  connect(&Theme::instance(), &Theme::changed, this, take_font);
  connect(model_, &DiagnosticsModel::counted, this, &DiagnosticsList::show_summary);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& now) { show_row(now.row()); });
  connect(table_, &QTableView::clicked, this, [this](const QModelIndex& now) { show_row(now.row()); });
  setFocusProxy(table_);
  show_summary();
}

void DiagnosticsList::show_row(int row) {
  const Diagnostic* const one = model_->at(row);
  if (one == nullptr) {
    details_->clear();
    return;
  }
  QString text = QString::fromStdString(report::to_text(*model_->module(), *one, {false, 90}));
  if (const report::Rule* const rule = report::find_rule(one->rule))
    text += QLatin1Char('\n') + QString::fromUtf8(rule->help.data(), static_cast<qsizetype>(rule->help.size())) +
            QLatin1Char('\n');
  details_->setPlainText(text);
  if (model_->module() == document().module()) selection().choose_offset(one->span.begin, this, Move::jump);
}

QString DiagnosticsList::tab_text() const {
  const int rows = model_->rowCount();
  return rows == 0 ? title() : tr("%1 (%2)").arg(title()).arg(rows);
}

void DiagnosticsList::show_summary() {
  details_->clear();
  QStringList parts;
  const std::size_t errors = model_->count(Level::error);
  const std::size_t warnings = model_->count(Level::warning);
  const std::size_t notes = static_cast<std::size_t>(model_->rowCount()) - errors - warnings;
  if (errors != 0) parts += counted(errors, tr("error"));
  if (warnings != 0) parts += counted(warnings, tr("warning"));
  if (notes != 0) parts += counted(notes, tr("note"));
  if (parts.isEmpty() && model_->module() != nullptr && model_->remark().isEmpty())
    parts += tr("nothing is wrong with this module");
  if (!model_->remark().isEmpty()) parts += model_->remark();
  summary_->setText(parts.join(QStringLiteral(", ")));
  Q_EMIT tab_text_changed();
}

}  // namespace ptxscope::gui
