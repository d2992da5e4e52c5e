#include "gui/launch_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QSplitter>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/theme.h"
#include "gui/words.h"
#include "report/explain.h"
#include "report/terminal.h"

namespace ptxscope::gui {

using analysis::FunctionTraps;
using analysis::Trap;

namespace {

constexpr std::uint64_t live_work = std::uint64_t{1} << 28;  // a fraction of a second
constexpr std::uint64_t all_work = analysis::Launch().work;
constexpr std::size_t most_listed = 2000;
constexpr int trap_role = Qt::UserRole;

QString sentence(const std::string& text) { return QString::fromStdString(report::printable(text, 400)); }

}  // namespace

LaunchPanel::LaunchPanel(Document& document, Selection& selection, QWidget* parent)
    : Panel(document, selection, parent) {
  form_ = new LaunchForm(this);
  form_->setAccessibleName(tr("Launch: grid, block and arguments"));
  table_ = new QTreeWidget(this);
  table_->setAccessibleName(tr("What each trap does in this launch"));
  table_->setColumnCount(2);
  table_->setHeaderLabels({tr("Trap"), tr("In this launch")});
  table_->setRootIsDecorated(false);
  table_->setUniformRowHeights(true);
  table_->header()->resizeSection(0, table_->fontMetrics().averageCharWidth() * 14);
  verdict_ = new QLabel(this);
  verdict_->setTextFormat(Qt::PlainText);
  verdict_->setWordWrap(true);
  verdict_->setAccessibleName(tr("What would happen"));
  verdict_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  more_ = new QPushButton(tr("Count on"), this);
  more_->setToolTip(tr("Try as many threads as explain-trap does; it may take some seconds"));
  more_->hide();
  cancel_button_ = new QPushButton(tr("Cancel"), this);
  cancel_button_->hide();
  auto* const right = new QWidget(this);
  auto* const column = new QVBoxLayout(right);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* const top = new QHBoxLayout;
  top->setContentsMargins(8, 6, 8, 6);
  top->addWidget(verdict_, 1);
  top->addWidget(more_);
  top->addWidget(cancel_button_);
  column->addLayout(top);
  column->addWidget(table_, 1);
  auto* const split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(form_);
  split->addWidget(right);
  split->setStretchFactor(0, 1);
  split->setStretchFactor(1, 2);
  split->setChildrenCollapsible(false);
  auto* const all = new QVBoxLayout(this);
  all->setContentsMargins(0, 0, 0, 0);
  all->addWidget(split);
  setFocusProxy(form_);
  settle_.setSingleShot(true);
  settle_.setInterval(120);
  connect(&settle_, &QTimer::timeout, this, &LaunchPanel::refresh);
  connect(form_, &LaunchForm::edited, this, [this] { settle_.start(); });
  connect(more_, &QPushButton::clicked, this, &LaunchPanel::count_on);
  connect(cancel_button_, &QPushButton::clicked, this, &LaunchPanel::cancel);
  connect(&document, &Document::module_changed, this, [this] {
    forget();
    settle_.start();
  });
  connect(&document, &Document::result_ready, this, [this](ResultKind kind, std::uint32_t function) {
    if (kind == ResultKind::traps && function == function_) refresh();
  });
  connect(&selection, &Selection::changed, this, [this] {
    const std::uint32_t function = this->selection().now().function;
    if (function != function_ && function != no_index && isVisible()) settle_.start();
  });
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    if (report_ != nullptr) settle_.start();
  });
  const auto choose = [this](const QTreeWidgetItem* item) {
    if (filling_ || item == nullptr) return;
    this->selection().choose_trap(function_, item->data(0, trap_role).toUInt(), this, Move::jump);
  };
  connect(table_, &QTreeWidget::currentItemChanged, this, choose);
  connect(table_, &QTreeWidget::itemClicked, this, choose);
  say(tr("Choose a kernel to see what a launch of it would do."));
}

LaunchPanel::~LaunchPanel() { cancel_.request(); }

void LaunchPanel::say(const QString& text, const QColor& color) {
  verdict_->setText(text);
  QPalette palette = this->palette();
  if (color.isValid()) palette.setColor(QPalette::WindowText, color);
  verdict_->setPalette(palette);
}

void LaunchPanel::set_busy(bool busy) {
  busy_ = busy;
  cancel_button_->setVisible(busy);
  if (busy) more_->hide();
}

void LaunchPanel::forget() {
  cancel_.request();
  set_busy(false);
  more_->hide();
  form_->clear();
  filling_ = true;
  table_->clear();
  filling_ = false;
  report_ = nullptr;
  module_ = nullptr;
  function_ = no_index;
}

void LaunchPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  settle_.start();
}

void LaunchPanel::refresh() {
  const std::uint32_t function = selection().now().function;
  if (!isVisible() || (function == no_index && function_ == no_index)) return;
  if (function != no_index && function != function_) {
    forget();
    function_ = function;
  }
  const auto answer = document().traps(function_);
  form_->setEnabled(static_cast<bool>(answer));
  if (!answer) {
    say(answer.pending() ? tr("Working out what can fail …") : answer.problem);
    return;
  }
  if (report_ != answer.value) {
    const auto module = document().module();
    const bool launches = !answer->functions.empty() &&
                          module->functions()[answer->functions.front().function].kind == FunctionKind::entry;
    if (!launches) {
      form_->setEnabled(false);
      say(tr("Only kernels are launched. Choose one of those that call this function."));
      return;
    }
    report_ = answer.value;
    module_ = module;
    form_->show_kernel(module_, report_);
  }
  evaluate(live_work);
}

void LaunchPanel::evaluate(std::uint64_t work) {
  cancel_.request();
  set_busy(false);
  more_->hide();
  auto launch = form_->launch();
  const Colors& colors = Theme::instance().colors();
  const auto show_none = [this] {
    filling_ = true;
    table_->clear();
    filling_ = false;
  };
  if (!launch) {
    show_none();
    say(tr("An argument is not a number that fits: see beside it."), colors.error);
    return;
  }
  launch->work = work;
  const std::vector<std::string> limits = analysis::launch_limits(*launch);
  if (!limits.empty()) {
    QStringList all;
    for (const std::string& one : limits) all += sentence(one);
    show_none();
    say(tr("No GPU launches this: %1.").arg(all.join(QStringLiteral("; "))), colors.error);
    return;
  }
  set_busy(true);
  cancel_ = in_background(
      this,
      [module = module_, report = report_, launch = *launch](const Cancel& cancel) {
        return answer(*module, *report, launch, cancel);
      },
      [this](const Outcome<Answered>& outcome) {
        set_busy(false);
        if (outcome.value) take(*outcome.value);
        else say(outcome.problem, Theme::instance().colors().error);
      },
      9);
}

LaunchPanel::Answered LaunchPanel::answer(const Module& module, const analysis::TrapReport& report,
                                          const analysis::Launch& launch, const Cancel& cancel) {
  // Evaluating adds to the pool, which others are looking at.
  analysis::TrapReport copy = report;
  copy.pool = std::make_shared<analysis::ExprPool>(*report.pool);
  static_cast<void>(analysis::evaluate_launch(module, copy, launch, cancel.flag()));
  if (cancel.requested()) return {};
  const FunctionTraps& kernel = copy.functions.front();
  const report::TextStyle style{false, 100};
  Answered answered;
  answered.verdict = sentence(report::launch_verdict_text(module, copy, kernel, launch, style));
  for (const std::string& one : analysis::launch_contradictions(module, module.functions()[kernel.function], launch))
    answered.warnings += sentence(one);
  answered.all_known = true;
  for (const auto* const list : {&kernel.traps, &kernel.soft_failures}) {
    for (const Trap& trap : *list) {
      if (!trap.given) continue;
      answered.gave_up = answered.gave_up || trap.given->gave_up;
      answered.any_fires = answered.any_fires || (list == &kernel.traps && trap.given->fires.value_or(false));
      answered.all_known = answered.all_known && trap.given->fires.has_value();
      if (answered.lines.size() == most_listed) continue;
      Line line;
      line.trap = trap.id;
      const std::string head = report::one_trap_text(module, copy, kernel, trap, style);
      // "trap 1", "error code 2": up to and with the number.
      const std::string id = " " + std::to_string(trap.id);
      line.name = sentence(head.substr(0, head.find(id) == std::string::npos ? 0 : head.find(id) + id.size()));
      line.effect = sentence(report::launch_effect_text(module, copy, kernel, trap, launch, style));
      line.fires = trap.given->fires;
      line.gave_up = trap.given->gave_up;
      answered.lines.push_back(std::move(line));
    }
  }
  return answered;
}

void LaunchPanel::take(const Answered& answered) {
  const Colors& colors = Theme::instance().colors();
  QStringList text{answered.verdict};
  text += answered.warnings;
  say(text.join(QLatin1Char('\n')), answered.any_fires || !answered.warnings.isEmpty() ? colors.error
                                    : answered.all_known                               ? colors.good
                                                                                       : colors.warning);
  more_->setVisible(answered.gave_up);
  const QTreeWidgetItem* const current = table_->currentItem();
  const std::uint32_t chosen = current == nullptr ? 0 : current->data(0, trap_role).toUInt();
  filling_ = true;
  table_->clear();
  for (const Line& line : answered.lines) {
    auto* const item = new QTreeWidgetItem(table_, {line.name, line.effect});
    item->setData(0, trap_role, line.trap);
    item->setToolTip(1, plain_tip(line.effect));
    item->setForeground(1, !line.fires ? colors.warning : *line.fires ? colors.error : colors.good);
    if (line.trap == chosen) table_->setCurrentItem(item);
  }
  filling_ = false;
}

void LaunchPanel::count_on() {
  if (report_ != nullptr) evaluate(all_work);
}

void LaunchPanel::cancel() {
  if (!busy_) return;
  cancel_.request();
  set_busy(false);
  say(tr("Counting was cancelled. Change something, or go on by Count on."), Theme::instance().colors().warning);
  more_->show();
}

}  // namespace ptxscope::gui
