#include "gui/requirements_panel.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QSplitter>
#include <QTimer>
#include <QVBoxLayout>
#include <algorithm>

#include "analysis/places.h"
#include "gui/common_widgets.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/terminal.h"

namespace ptxscope::gui {

namespace {

constexpr int group_role = Qt::UserRole;       // index into RequirementRows::groups; -1: no row
constexpr int row_role = Qt::UserRole + 1;     // index into its rows
constexpr int offset_role = Qt::UserRole + 2;  // of the text; no_index: nowhere
constexpr int what_column = 1;

QString text_of(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

// The line that a place stands on, without what indents it.
QString line_at(const Module& module, Span place) {
  const std::uint32_t line = module.position(place).line;
  std::string_view text = module.text().substr(analysis::line_begin(module, line));
  text = text.substr(0, std::min(text.find_first_of("\r\n"), std::size_t{400}));
  text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
  return QString::fromStdString(report::printable(text, 160));
}

}  // namespace

RequirementsPanel::RequirementsPanel(Document& document, Selection& selection, QWidget* parent)
    : Panel(document, selection, parent) {
  model_ = new RequirementModel(this);
  QWidget* const left = build_left();
  build_tree();
  details_ = make_details(this, tr("The chosen row: place, reason, way out"),
                          tr("Choose a row to see its place and the way out."));
  message_ = make_message(this);
  auto* const split = new QSplitter(Qt::Horizontal, this);
  split->addWidget(left);
  split->addWidget(tree_);
  split->addWidget(details_);
  split->setSizes({480, 400, 240});
  split->setStretchFactor(0, 2);
  split->setStretchFactor(1, 3);
  split->setStretchFactor(2, 2);
  split->setChildrenCollapsible(false);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(split, 1);
  column->addWidget(message_);
  setFocusProxy(targets_);
  build_commands();
  const auto take_theme = [this] {
    details_->setFont(Theme::instance().code_font());
    if (report_ != nullptr && !busy_) show_rows();
  };
  take_theme();
  connect(&Theme::instance(), &Theme::changed, this, take_theme);
  connect(&document, &Document::module_changed, this, [this] {
    forget();
    take_report();
  });
  connect(&document, &Document::result_ready, this, [this](ResultKind kind) {
    if (kind == ResultKind::check) take_report();
  });
  take_report();
}

RequirementsPanel::~RequirementsPanel() { cancel_.request(); }

QWidget* RequirementsPanel::build_left() {
  auto* const left = new QWidget(this);
  targets_ = new QComboBox(left);
  targets_->setAccessibleName(tr("Target asked about"));
  targets_->setToolTip(tr("Would the module be taken if its header said this .target?"));
  versions_ = new QComboBox(left);
  versions_->setAccessibleName(tr("Version asked about"));
  versions_->setToolTip(tr("Would the module be taken if its header said this .version?"));
  own_ = new QPushButton(tr("Own header"), left);
  own_->setToolTip(tr("Ask about the header that the module has; nothing is marked then"));
  matrix_ = new RequirementMatrix(*model_, left);
  for (QComboBox* const box : {targets_, versions_}) {
    box->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
    box->setMinimumContentsLength(8);
    connect(box, &QComboBox::currentIndexChanged, this, [this] {
      if (filling_) return;
      HeaderQuestion question;
      if (targets_->currentIndex() > 0) question.target = static_cast<isa::TargetIndex>(targets_->currentIndex() - 1);
      if (versions_->currentIndex() > 0)
        question.version = isa::versions()[static_cast<std::size_t>(versions_->currentIndex() - 1)];
      ask(question);
    });
  }
  connect(own_, &QPushButton::clicked, this, [this] { ask({}); });
  connect(matrix_, &RequirementMatrix::asked, this, &RequirementsPanel::ask);
  auto* const top = new QHBoxLayout;
  top->setContentsMargins(4, 3, 4, 3);
  top->setSpacing(4);
  top->addWidget(targets_, 1);
  top->addWidget(versions_, 1);
  top->addWidget(own_);
  auto* const column = new QVBoxLayout(left);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addLayout(top);
  column->addWidget(matrix_, 1);
  return left;
}

void RequirementsPanel::build_tree() {
  tree_ = new QTreeWidget(this);
  tree_->setAccessibleName(tr("What does not fit, what is needed, what is used"));
  tree_->setColumnCount(2);
  tree_->setHeaderLabels({tr("Line"), tr("What, and what it needs")});
  tree_->header()->setStretchLastSection(true);
  tree_->header()->resizeSection(0, tree_->fontMetrics().averageCharWidth() * 15);
  tree_->setUniformRowHeights(true);
  tree_->installEventFilter(this);
  connect(tree_, &QTreeWidget::currentItemChanged, this, &RequirementsPanel::show_current);
  connect(tree_, &QTreeWidget::itemClicked, this, &RequirementsPanel::show_current);
  connect(tree_, &QTreeWidget::itemExpanded, this, &RequirementsPanel::open_row);
}

void RequirementsPanel::build_commands() {
  const auto add = [this](const QString& text, const QKeySequence& key, auto action) {
    auto* const made = new QAction(text, this);
    made->setShortcut(key);
    connect(made, &QAction::triggered, this, action);
    commands_.append(made);
  };
  add(tr("&Next line that does not fit"), QKeySequence(Qt::Key_F9), [this] { step(false); });
  add(tr("&Previous line that does not fit"), QKeySequence(Qt::SHIFT | Qt::Key_F9), [this] { step(true); });
  add(tr("Ask about the &own header"), QKeySequence(Qt::CTRL | Qt::Key_F9), [this] { ask({}); });
}

void RequirementsPanel::say(const QString& text) {
  message_->setText(text);
  message_->setVisible(!text.isEmpty());
}

void RequirementsPanel::forget() {
  cancel_.request();
  busy_ = false;
  filling_ = true;
  tree_->clear();
  targets_->clear();
  versions_->clear();
  filling_ = false;
  details_->clear();
  rows_ = {};
  report_ = nullptr;
  module_ = nullptr;
  model_->set_report(nullptr);
}

void RequirementsPanel::take_report() {
  const bool is_there = document().module() != nullptr;
  for (QWidget* const widget : {static_cast<QWidget*>(targets_), static_cast<QWidget*>(versions_)})
    widget->setEnabled(is_there);
  if (!is_there) {
    own_->setEnabled(false);
    say(tr("What the module needs is shown when it has been read."));
    return;
  }
  const auto answer = document().check();
  if (!answer) {
    say(answer.pending() ? tr("Working out what the module needs …") : answer.problem);
    return;
  }
  if (report_ == answer.value) return;
  module_ = document().module();
  report_ = answer.value;
  model_->set_report(report_);
  show_question();
  evaluate();
}

QString RequirementsPanel::state() const {
  if (question_.empty()) return {};
  return QStringLiteral("%1 %2").arg(
      question_.target ? text_of(isa::targets()[*question_.target].name) : QStringLiteral("-"),
      question_.version ? QString::fromStdString(isa::to_string(*question_.version)) : QStringLiteral("-"));
}

void RequirementsPanel::restore(const QString& state) {
  HeaderQuestion question;
  question.target = isa::find_target(state.section(QLatin1Char(' '), 0, 0).toStdString());
  question.version = isa::parse_version(state.section(QLatin1Char(' '), 1, 1).toStdString());
  ask(question);
}

void RequirementsPanel::ask(const HeaderQuestion& question) {
  if (question == question_) return;
  question_ = question;
  if (report_ == nullptr) return;  // take_report() goes on when it is there
  show_question();
  evaluate();
}

// The boxes and the matrix say what is asked about.
void RequirementsPanel::show_question() {
  filling_ = true;
  if (targets_->count() == 0) {
    const analysis::Fit& own = report_->declared;
    const QString words = tr("as the header: %1");
    targets_->addItem(words.arg(own.target ? text_of(isa::targets()[*own.target].name) : QStringLiteral("?")));
    for (const isa::Target& target : isa::targets()) targets_->addItem(text_of(target.name));
    versions_->addItem(
        words.arg(own.version ? QString::fromStdString(isa::to_string(*own.version)) : QStringLiteral("?")));
    for (const isa::Version version : isa::versions())
      versions_->addItem(QString::fromStdString(isa::to_string(version)));
  }
  targets_->setCurrentIndex(question_.target ? *question_.target + 1 : 0);
  const auto versions = isa::versions();
  versions_->setCurrentIndex(
      question_.version ? 1 + static_cast<int>(std::ranges::find(versions, *question_.version) - versions.begin()) : 0);
  own_->setEnabled(!question_.empty());
  filling_ = false;
  model_->set_chosen(question_);
  matrix_->show_chosen();
}

void RequirementsPanel::evaluate() {
  cancel_.request();
  busy_ = true;
  // Mostly it is done before this could be read.
  constexpr int worth_a_word = 200;  // ms
  QTimer::singleShot(worth_a_word, this, [this] {
    if (busy_) say(tr("Looking for lines that do not fit …"));
  });
  cancel_ = in_background(
      this,
      [module = module_, report = report_, question = question_](const Cancel& cancel) {
        return requirement_rows(*module, *report, question, cancel);
      },
      [this](Outcome<RequirementRows> outcome) {
        busy_ = false;
        if (outcome.value) take_rows(std::move(*outcome.value));
        else say(outcome.problem);
      },
      9);
}

void RequirementsPanel::take_rows(RequirementRows rows) {
  selection().set_marks(MarkLayer::requirements, std::move(rows.marks));
  rows_ = std::move(rows);
  show_rows();
  say(rows_.unmarked == 0
          ? QString()
          : tr("%1 more places that do not fit are not marked; ptxscope check --all lists all").arg(rows_.unmarked));
}

QTreeWidgetItem* RequirementsPanel::item_of(const RequirementRow& row, int group, int index) const {
  const bool is_somewhere = !row.place.empty();
  auto* const item =
      new QTreeWidgetItem({is_somewhere ? QString::number(module_->position(row.place).line) : QString(), row.text});
  item->setData(0, group_role, group);
  item->setData(0, row_role, index);
  item->setData(0, offset_role, is_somewhere ? row.place.begin : no_index);
  item->setToolTip(what_column, plain_tip(row.remedy.isEmpty() ? row.text : row.text + QLatin1Char('\n') + row.remedy));
  const Colors& colors = Theme::instance().colors();
  item->setForeground(what_column, row.ink == report::Ink::error     ? colors.error
                                   : row.ink == report::Ink::warning ? colors.warning
                                   : row.ink == report::Ink::dim     ? colors.dim
                                                                     : colors.text);
  // What is below is made when it is opened.
  if (!row.remedy.isEmpty() || !row.places.empty()) item->setChildIndicatorPolicy(QTreeWidgetItem::ShowIndicator);
  return item;
}

void RequirementsPanel::show_rows() {
  const Colors& colors = Theme::instance().colors();
  filling_ = true;
  tree_->clear();
  details_->clear();
  QFont bold = tree_->font();
  bold.setBold(true);
  for (int g = 0; g < static_cast<int>(rows_.groups.size()); ++g) {
    const RequirementGroup& group = rows_.groups[static_cast<std::size_t>(g)];
    auto* const top = new QTreeWidgetItem(tree_, {group.title});
    top->setFirstColumnSpanned(true);
    top->setFont(0, bold);
    top->setToolTip(0, plain_tip(group.title));
    top->setData(0, group_role, -1);
    top->setForeground(0, group.ink == report::Ink::error     ? colors.error
                          : group.ink == report::Ink::warning ? colors.warning
                          : group.ink == report::Ink::good    ? colors.good
                                                              : colors.text);
    QList<QTreeWidgetItem*> items;
    for (int r = 0; r < static_cast<int>(group.rows.size()); ++r)
      items.append(item_of(group.rows[static_cast<std::size_t>(r)], g, r));
    top->addChildren(items);
    if (group.missing != 0) {
      auto* const more =
          new QTreeWidgetItem(top, {QString(), tr("%1 more; ptxscope check --all lists all").arg(group.missing)});
      more->setData(0, group_role, -1);
      more->setForeground(what_column, colors.dim);
    }
    top->setExpanded(group.open);
  }
  filling_ = false;
}

const RequirementRow* RequirementsPanel::row_of(const QTreeWidgetItem* item) const {
  const QVariant group = item->data(0, group_role);
  const int row = item->data(0, row_role).toInt();
  if (!group.isValid() || group.toInt() < 0) return nullptr;
  return &rows_.groups[static_cast<std::size_t>(group.toInt())].rows[static_cast<std::size_t>(row)];
}

void RequirementsPanel::open_row(QTreeWidgetItem* item) {
  const RequirementRow* const row = row_of(item);
  if (row == nullptr || item->childCount() != 0) return;
  const Colors& colors = Theme::instance().colors();
  QList<QTreeWidgetItem*> items;
  const auto add = [&](const QString& front, const QString& text, std::uint32_t offset, const QColor& color) {
    auto* const under = new QTreeWidgetItem({front, text});
    for (const int role : {group_role, row_role}) under->setData(0, role, item->data(0, role));
    under->setData(0, offset_role, offset);
    under->setToolTip(what_column, plain_tip(text));
    under->setForeground(what_column, color);
    items.append(under);
  };
  if (!row->remedy.isEmpty())
    add(QString(), tr("help: %1").arg(row->remedy), item->data(0, offset_role).toUInt(), colors.good);
  for (const Span place : row->places)
    add(QString::number(module_->position(place).line), line_at(*module_, place), place.begin, colors.text);
  if (row->missing != 0)
    add(QString(), tr("%1 more; ptxscope check --all lists all").arg(row->missing), no_index, colors.dim);
  item->addChildren(items);
}

void RequirementsPanel::show_current() {
  const QTreeWidgetItem* const item = tree_->currentItem();
  if (filling_ || item == nullptr || module_ == nullptr || module_ != document().module()) return;
  const RequirementRow* const row = row_of(item);
  details_->setPlainText(row == nullptr ? QString() : row->details);
  const QVariant offset = item->data(0, offset_role);
  if (row != nullptr && offset.isValid() && offset.toUInt() != no_index) go_to(offset.toUInt());
}

void RequirementsPanel::go_to(std::uint32_t offset) { selection().choose_offset(offset, this, Move::jump); }

void RequirementsPanel::step(bool backwards) {
  const std::vector<Mark>& marks = selection().marks(MarkLayer::requirements);
  if (marks.empty()) {
    if (!busy_ && report_ != nullptr)
      say(question_.empty() ? tr("Choose a target or a version; then this goes to the lines that do not fit it.")
                            : tr("Nothing is marked: all lines fit."));
    return;
  }
  const std::uint32_t now = selection().now().statement == no_index ? 0 : selection().now().statement;
  auto next = backwards ? std::ranges::lower_bound(marks, now, {}, &Mark::statement)
                        : std::ranges::upper_bound(marks, now, {}, &Mark::statement);
  if (backwards) next = next == marks.begin() ? marks.end() - 1 : next - 1;
  else if (next == marks.end()) next = marks.begin();
  go_to(next->span.begin);
}

bool RequirementsPanel::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_ && event->type() == QEvent::KeyPress) {
    const auto* const key = static_cast<QKeyEvent*>(event);
    if (key->key() == Qt::Key_Escape && !question_.empty()) {
      ask({});
      return true;
    }
    if (key->key() == Qt::Key_Return || key->key() == Qt::Key_Enter) {
      show_current();
      return true;
    }
  }
  return Panel::eventFilter(watched, event);
}

}  // namespace ptxscope::gui
