#include "gui/trap_panel.h"

#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/common_widgets.h"
#include "gui/export_explanation.h"
#include "gui/theme.h"
#include "gui/trap_marks.h"
#include "gui/words.h"
#include "report/explain.h"
#include "report/expression.h"
#include "report/terminal.h"

namespace ptxscope::gui {

using analysis::FunctionTraps;
using analysis::Trap;

namespace {

constexpr std::size_t most_listed = 5000;
constexpr std::size_t most_ways_listed = 200;
constexpr int trap_role = Qt::UserRole;
constexpr int way_role = Qt::UserRole + 1;

QString shown(std::string_view text) { return QString::fromStdString(report::printable(text, 400)); }

QString first_line(const std::string& text) { return QString::fromStdString(text.substr(0, text.find('\n'))); }

}  // namespace

TrapPanel::TrapPanel(Document& document, Selection& selection, QWidget* parent) : Panel(document, selection, parent) {
  tree_ = new QTreeWidget(this);
  tree_->setAccessibleName(tr("Traps of the function"));
  tree_->setColumnCount(2);
  tree_->setHeaderLabels({tr("Line"), tr("What can fail, and when")});
  tree_->header()->setStretchLastSection(true);
  tree_->header()->resizeSection(0, tree_->fontMetrics().averageCharWidth() * 14);
  tree_->setUniformRowHeights(true);
  tree_->installEventFilter(this);
  details_ = make_details(this, tr("The chosen trap: its condition and the code that shows it"),
                          tr("Choose a trap to see what is behind it, here, in the code and in the graph."));
  message_ = make_message(this);
  auto* const split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(tree_);
  split->addWidget(details_);
  split->setStretchFactor(0, 3);
  split->setStretchFactor(1, 2);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(split, 1);
  column->addWidget(message_);
  setFocusProxy(tree_);
  const auto take_theme = [this] {
    details_->setFont(Theme::instance().code_font());
    if (report_ != nullptr) refresh();
  };
  take_theme();
  connect(&Theme::instance(), &Theme::changed, this, take_theme);
  settle_.setSingleShot(true);
  settle_.setInterval(60);
  connect(&settle_, &QTimer::timeout, this, &TrapPanel::refresh);
  connect(&document, &Document::module_changed, this, [this] {
    forget();
    settle_.start();
  });
  connect(&document, &Document::result_ready, this, [this](ResultKind kind, std::uint32_t function) {
    if (kind == ResultKind::traps && function == function_) refresh();
  });
  connect(&selection, &Selection::changed, this,
          [this](const Choice& before, const QObject* by) { follow(before, by); });
  connect(tree_, &QTreeWidget::currentItemChanged, this, &TrapPanel::show_current);
  connect(tree_, &QTreeWidget::itemClicked, this, &TrapPanel::show_current);

  const auto add = [this](const QString& text, const QKeySequence& key, auto action) {
    auto* const made = new QAction(text, this);
    made->setShortcut(key);
    connect(made, &QAction::triggered, this, action);
    commands_.append(made);
  };
  add(tr("&Next trap"), QKeySequence(Qt::Key_F8), [this] { step(false); });
  add(tr("&Previous trap"), QKeySequence(Qt::SHIFT | Qt::Key_F8), [this] { step(true); });
  add(tr("Put out the &lights"), QKeySequence(Qt::CTRL | Qt::Key_F8), [this] { clear_marks(); });
  add(tr("&Export the explanation…"), QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_E), [this] { ask_explanation(); });
  say(tr("No function is chosen."));
}

TrapPanel::~TrapPanel() {
  rows_cancel_.request();
  details_cancel_.request();
}

void TrapPanel::say(const QString& text) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
}

void TrapPanel::forget() {
  rows_cancel_.request();
  details_cancel_.request();
  following_ = true;
  tree_->clear();
  following_ = false;
  details_->clear();
  report_ = nullptr;
  module_ = nullptr;
  function_ = no_index;
  marked_ = 0;
}

void TrapPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  settle_.start();
}

// A trap may be chosen elsewhere while this panel is behind another one: it lights up all the same.
void TrapPanel::follow(const Choice& before, const QObject* by) {
  const Choice& now = selection().now();
  if (now.function != function_ && now.function != no_index && (isVisible() || now.trap != 0)) {
    if (now.trap != 0) refresh();
    else settle_.start();
  }
  if (by == this || now.trap == 0 || now.function != function_) return;
  if (now.trap == before.trap && now.function == before.function && marked_ == now.trap) return;
  if (report_ == nullptr) return;  // refresh() goes on when it is there
  following_ = true;
  if (QTreeWidgetItem* const item = item_of(now.trap)) tree_->setCurrentItem(item);
  following_ = false;
  mark(now.trap, std::nullopt);
  show_details(now.trap);
}

QTreeWidgetItem* TrapPanel::item_of(std::uint32_t trap) const {
  for (int i = 0; i < tree_->topLevelItemCount(); ++i)
    if (tree_->topLevelItem(i)->data(0, trap_role).toUInt() == trap) return tree_->topLevelItem(i);
  return nullptr;
}

void TrapPanel::refresh() {
  const Choice& now = selection().now();
  if (now.function == no_index) {
    if (function_ == no_index)
      say(document().module() == nullptr ? QString() : tr("Choose a kernel to see what can fail in it."));
    return;
  }
  if (now.function != function_) {
    const bool had_marks = marked_ != 0;
    forget();
    function_ = now.function;
    if (had_marks) selection().set_marks(MarkLayer::traps, {});
  }
  const auto answer = document().traps(function_);
  if (!answer) {
    say(answer.pending() ? tr("Working out what can fail …") : answer.problem);
    return;
  }
  module_ = document().module();
  if (report_ != answer.value) tree_->clear();
  report_ = answer.value;
  if (report_->functions.empty()) {
    say(tr("This function is told of in the kernels that call it: choose one of them."));
    return;
  }
  rows_cancel_.request();
  rows_cancel_ = in_background(
      this, [module = module_, report = report_](const Cancel&) { return rows_of(*module, *report); },
      [this](const Outcome<Rows>& outcome) {
        if (outcome.value) take_rows(*outcome.value);
        else say(outcome.problem);
      },
      9);
}

TrapPanel::Rows TrapPanel::rows_of(const Module& module, const analysis::TrapReport& report) {
  Rows rows;
  const FunctionTraps& kernel = report.functions.front();
  const report::TextStyle style{false, 100};
  const report::Labels labels(kernel.params);
  for (const auto* const list : {&kernel.traps, &kernel.soft_failures}) {
    for (const Trap& trap : *list) {
      if (rows.rows.size() == most_listed) break;
      Row row;
      row.trap = trap.id;
      row.line = trap.statement < module.statement_count() ? module.line_of_statement(trap.statement) : 0;
      row.text = first_line(report::one_trap_text(module, report, kernel, trap, style));
      row.never = trap.dead.value_or(false);
      row.soft = list == &kernel.soft_failures;
      if (trap.ways.size() > 1) {
        for (const analysis::Way& way : trap.ways) {
          if (row.ways.size() == most_ways_listed) break;
          const auto condition = report::describe_condition(module, *report.pool, way.condition, labels);
          QString text = shown(condition.text);
          if (way.dead) text = QStringLiteral("never: ") + text;
          row.ways.push_back(text);
        }
      }
      rows.rows.push_back(std::move(row));
    }
  }
  const std::size_t all = kernel.traps.size() + kernel.soft_failures.size();
  if (kernel.traps.empty())
    rows.notes += kernel.complete ? tr("nothing traps: no trap, assert, panic or failing exit can be reached")
                                  : tr("no trap was found, but not all of the function could be followed");
  if (all > rows.rows.size())
    rows.notes +=
        tr("only the first %1 of %2 are listed; ptxscope explain-trap tells all").arg(rows.rows.size()).arg(all);
  for (const std::string& note : kernel.notes) rows.notes += shown(note);
  if (kernel.cost.instructions != 0)
    rows.notes += tr("%1 of %2 instructions are there only to decide this")
                      .arg(kernel.cost.instructions)
                      .arg(kernel.cost.of_instructions);
  return rows;
}

void TrapPanel::take_rows(const Rows& rows) {
  const Colors& colors = Theme::instance().colors();
  following_ = true;
  tree_->clear();
  QList<QTreeWidgetItem*> items;
  for (const Row& row : rows.rows) {
    auto* const item = new QTreeWidgetItem({row.line == 0 ? QString() : QString::number(row.line), row.text});
    item->setData(0, trap_role, row.trap);
    item->setData(0, way_role, -1);
    item->setToolTip(1, plain_tip(row.text));
    item->setForeground(1, row.never ? colors.dim : row.soft ? colors.warning : colors.text);
    for (std::size_t i = 0; i < row.ways.size(); ++i) {
      auto* const way = new QTreeWidgetItem(item, {tr("way %1").arg(i + 1), row.ways[i]});
      way->setData(0, trap_role, row.trap);
      way->setData(0, way_role, static_cast<int>(i));
      way->setToolTip(1, plain_tip(row.ways[i]));
      if (row.ways[i].startsWith(QLatin1String("never"))) way->setForeground(1, colors.dim);
    }
    items.append(item);
  }
  tree_->addTopLevelItems(items);
  following_ = false;
  say(rows.notes.join(QStringLiteral("; ")));
  const Choice& now = selection().now();
  if (now.function != function_ || now.trap == 0) return;
  following_ = true;
  if (QTreeWidgetItem* const item = item_of(now.trap)) tree_->setCurrentItem(item);
  following_ = false;
  mark(now.trap, std::nullopt);
  show_details(now.trap);
}

void TrapPanel::show_current() {
  const QTreeWidgetItem* const item = tree_->currentItem();
  if (following_ || item == nullptr || report_ == nullptr || module_ != document().module()) return;
  const std::uint32_t trap = item->data(0, trap_role).toUInt();
  const int way = item->data(0, way_role).toInt();
  mark(trap, way < 0 ? std::nullopt : std::optional(static_cast<std::size_t>(way)));
  show_details(trap);
  selection().choose_trap(function_, trap, this, Move::jump);
}

void TrapPanel::mark(std::uint32_t trap, std::optional<std::size_t> way) {
  if (report_ == nullptr || report_->functions.empty()) return;
  const FunctionTraps& kernel = report_->functions.front();
  const Trap* const found = find_trap(kernel, trap);
  if (found == nullptr) return;
  marked_ = trap;
  selection().set_marks(MarkLayer::traps, trap_marks(*module_, kernel, *found, way));
}

void TrapPanel::clear_marks() {
  marked_ = 0;
  selection().set_marks(MarkLayer::traps, {});
}

void TrapPanel::show_details(std::uint32_t trap) {
  details_cancel_.request();
  details_cancel_ = in_background(
      this,
      [module = module_, report = report_, trap](const Cancel&) {
        const FunctionTraps& kernel = report->functions.front();
        const Trap* const found = find_trap(kernel, trap);
        return found == nullptr
                   ? QString()
                   : QString::fromStdString(report::one_trap_text(*module, *report, kernel, *found, {false, 90}));
      },
      [this](const Outcome<QString>& outcome) {
        details_->setPlainText(outcome.value ? *outcome.value : outcome.problem);
      },
      9);
}

void TrapPanel::step(bool backwards) {
  const int count = tree_->topLevelItemCount();
  if (count == 0) {
    if (function_ == no_index || report_ == nullptr) refresh();
    return;
  }
  const QTreeWidgetItem* item = tree_->currentItem();
  if (item != nullptr && item->parent() != nullptr) item = item->parent();
  const int at =
      item == nullptr ? (backwards ? 0 : -1) : tree_->indexOfTopLevelItem(const_cast<QTreeWidgetItem*>(item));
  tree_->setCurrentItem(tree_->topLevelItem((at + (backwards ? count - 1 : 1)) % count));
}

bool TrapPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_ && event->type() == QEvent::KeyPress) {
    const auto* const key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape && marked_ != 0) {
      clear_marks();
      return true;
    }
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      show_current();
      return true;
    }
  }
  return Panel::eventFilter(watched, event);
}

void TrapPanel::ask_explanation() {
  if (document().module() == nullptr || selection().now().function == no_index) {
    say(tr("There is nothing to explain yet. Choose a kernel."));
    return;
  }
  const QFileInfo info(document().place().path);
  const QString path = QFileDialog::getSaveFileName(
      this, tr("Export the explanation"), info.dir().filePath(info.completeBaseName() + QStringLiteral(".html")),
      tr("Explanation (*.html *.txt)"));
  if (!path.isEmpty()) save_explanation(path);
}

void TrapPanel::save_explanation(const QString& path) {
  const auto module = document().module();
  const auto answer = module == nullptr ? Answer<analysis::TrapReport>() : document().traps(selection().now().function);
  if (!answer) {
    say(tr("The explanation was not written to %1: %2")
            .arg(path, answer.problem.isEmpty() ? tr("it is still being worked out; try again in a moment.")
                                                : answer.problem));
    return;
  }
  saving_ = true;
  in_background(
      this, [module, report = answer.value, path](const Cancel&) { return export_explanation(*module, *report, path); },
      [this, path](const Outcome<QString>& outcome) {
        saving_ = false;
        const QString problem = outcome.value ? *outcome.value : outcome.problem;
        say(problem.isEmpty() ? tr("The explanation was written to %1.").arg(path)
                              : tr("The explanation was not written to %1: %2.").arg(path, problem));
      });
}

}  // namespace ptxscope::gui
