#include "gui/document_page.h"

#include <QFileInfo>
#include <QSettings>
#include <QVBoxLayout>
#include <algorithm>

#include "gui/instruction_panel.h"
#include "gui/panels.h"
#include "gui/theme.h"
#include "gui/words.h"

namespace ptxscope::gui {
namespace {

QString key(const char* name) { return QStringLiteral("page/") + QLatin1String(name); }

}  // namespace

DocumentPage::DocumentPage(FilePlace place, QWidget* parent)
    : QWidget(parent), document_(std::move(place)), selection_(document_) {
  banner_ = new QLabel(this);
  make_wrapping(*banner_);
  banner_->setContentsMargins(8, 4, 8, 4);
  banner_->setAutoFillBackground(true);
  banner_->hide();
  stack_ = new QStackedWidget(this);
  waiting_ = new WaitPage(tr("Progress of reading"), tr("Read it again"), this);
  connect(waiting_, &WaitPage::cancelled, &document_, &Document::cancel);
  connect(waiting_, &WaitPage::again, &document_, &Document::load);
  stack_->addWidget(waiting_);
  build_panels();
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(banner_);
  column->addWidget(stack_, 1);
  connect(&document_, &Document::stage_changed, this, &DocumentPage::show_stage);
  connect(&document_, &Document::progressed, this, &DocumentPage::show_progress);
  connect(&document_, &Document::module_changed, this, [this] {
    if (selection_.now().line == 0) {
      // The first kernel, or what there is.
      const auto module = document_.module();
      const auto functions = module->functions();
      const auto first = std::ranges::find_if(functions, [](const Function& one) { return one.has_body; });
      if (first == functions.end()) {
        selection_.choose_line(1, nullptr, Move::follow);
      } else {
        selection_.choose_function(static_cast<std::uint32_t>(first - functions.begin()), nullptr, Move::follow);
      }
    }
  });
  restore_layout();
  show_stage();
  document_.load();
}

DocumentPage::~DocumentPage() = default;

void DocumentPage::build_panels() {
  kernels_ = new KernelList(document_, selection_, this);
  code_ = new CodeView(document_, selection_, this);
  source_ = new SourceView(document_, selection_, this);
  problems_ = new DiagnosticsList(document_, selection_, this);
  graph_ = make_graph_panel(document_, selection_, this);
  middle_ = new QSplitter(Qt::Horizontal, this);
  middle_->addWidget(code_);
  middle_->addWidget(source_);
  if (graph_ != nullptr) middle_->addWidget(graph_);
  for (int i = 0; i < middle_->count(); ++i) middle_->setStretchFactor(i, i == 1 ? 2 : 3);
  below_ = new QTabWidget(this);
  below_->setDocumentMode(true);
  panels_ = {kernels_, code_, source_};
  if (graph_ != nullptr) panels_.push_back(graph_);
  for (Panel* const panel :
       {make_trap_panel(document_, selection_, this), make_launch_panel(document_, selection_, this),
        make_requirements_panel(document_, selection_, this), static_cast<Panel*>(problems_),
        static_cast<Panel*>(new InstructionPanel(document_, selection_, this))}) {
    if (panel == nullptr) continue;
    below_->addTab(panel, panel->title());
    panels_.push_back(panel);
  }
  down_ = new QSplitter(Qt::Vertical, this);
  down_->addWidget(middle_);
  down_->addWidget(below_);
  down_->setStretchFactor(0, 3);
  down_->setStretchFactor(1, 1);
  across_ = new QSplitter(Qt::Horizontal, this);
  across_->addWidget(kernels_);
  across_->addWidget(down_);
  across_->setStretchFactor(0, 1);
  across_->setStretchFactor(1, 5);
  for (QSplitter* const splitter : {across_, down_, middle_}) splitter->setChildrenCollapsible(false);
  kernels_->setMinimumWidth(200);
  stack_->addWidget(across_);
  connect(problems_, &DiagnosticsList::tab_text_changed, this,
          [this] { below_->setTabText(below_->indexOf(problems_), problems_->tab_text()); });
  // Source takes room only where there is some, until somebody says otherwise.
  source_->setVisible(QSettings().value(key("source"), false).toBool());
  connect(source_, &SourceView::has_source_changed, this, [this] {
    // In a narrow window it would leave too little for the code.
    constexpr int wide = 1200;
    if (!source_->has_source() || QSettings().contains(key("source")) || width() < wide) return;
    source_->show();
    Q_EMIT panels_changed();
  });
}

bool DocumentPage::is_shown(const Panel* panel) const {
  if (below_->indexOf(panel) >= 0) return !below_->isHidden() && below_->isTabVisible(below_->indexOf(panel));
  return !panel->isHidden();
}

void DocumentPage::set_shown(Panel* panel, bool shown) {
  const int tab = below_->indexOf(panel);
  if (tab < 0) {
    panel->setVisible(shown);
    if (panel == source_) QSettings().setValue(key("source"), shown);
  } else {
    below_->setTabVisible(tab, shown);
    bool any = false;
    for (int i = 0; i < below_->count(); ++i) any = any || below_->isTabVisible(i);
    below_->setVisible(any);
    if (shown) below_->setCurrentIndex(tab);
  }
  Q_EMIT panels_changed();
}

void DocumentPage::focus_next_panel(bool backwards) {
  std::vector<Panel*> shown;
  for (Panel* const panel : panels_)
    if (panel->isVisible()) shown.push_back(panel);
  if (shown.empty()) return;
  const QWidget* const focus = focusWidget();
  std::size_t at = 0;
  for (std::size_t i = 0; i < shown.size(); ++i)
    if (focus != nullptr && (shown[i] == focus || shown[i]->isAncestorOf(focus))) at = i;
  at = (at + (backwards ? shown.size() - 1 : 1)) % shown.size();
  focus_panel(shown[at]);
}

void DocumentPage::focus_panel(Panel* panel) {
  panel->setFocus(Qt::TabFocusReason);
  const QWidget* const focus = focusWidget();
  if (focus == panel || (focus != nullptr && panel->isAncestorOf(focus))) return;
  // A panel that takes no focus itself: what is in it does.
  for (QWidget* const child : panel->findChildren<QWidget*>()) {
    if (!child->isVisible() || (child->focusPolicy() & Qt::TabFocus) == 0) continue;
    child->setFocus(Qt::TabFocusReason);
    return;
  }
}

QString DocumentPage::message() const {
  if (stack_->currentIndex() != 0) return banner_->isHidden() ? QString() : banner_->text();
  return waiting_->text();
}

void DocumentPage::show_progress(int percent) {
  if (document_.stage() == Stage::loading)
    waiting_->show_progress(
        percent < 0 ? tr("Parsing %1 …").arg(document_.title()) : tr("Reading %1 …").arg(document_.title()), percent);
  Q_EMIT title_changed();
}

void DocumentPage::show_stage() {
  const Stage stage = document_.stage();
  const bool loading = stage == Stage::loading;
  if (loading) {
    show_progress(document_.progress());
  } else if (stage == Stage::failed) {
    waiting_->show_problem(tr("%1 cannot be shown. %2").arg(document_.title(), document_.problem().what),
                           document_.problem().remedy, true);
  } else if (stage == Stage::cancelled) {
    waiting_->show_problem(tr("Reading %1 was cancelled.").arg(document_.title()), tr("Nothing of it is shown."), true);
  }
  const bool has_module = document_.module() != nullptr;
  stack_->setCurrentIndex(has_module ? 1 : 0);
  banner_->setVisible(has_module && stage == Stage::failed);
  if (stage == Stage::failed && has_module) {
    QPalette palette = banner_->palette();
    palette.setColor(QPalette::Window, Theme::instance().colors().of(MarkRole::unfit));
    banner_->setPalette(palette);
    banner_->setText(tr("What is shown is the text as it was before. %1 %2")
                         .arg(document_.problem().what, document_.problem().remedy));
  }
  Q_EMIT title_changed();
}

void DocumentPage::save_layout() const {
  QSettings settings;
  settings.setValue(key("across"), across_->saveState());
  settings.setValue(key("down"), down_->saveState());
  settings.setValue(key("middle"), middle_->saveState());
  settings.setValue(key("middle_count"), middle_->count());
  settings.setValue(key("below"), below_->currentIndex());
}

QVariantMap DocumentPage::panel_states() const {
  QVariantMap states;
  for (const Panel* const panel : panels_)
    if (const QString state = panel->state(); !state.isEmpty())
      states.insert(QLatin1String(panel->metaObject()->className()), state);
  return states;
}

void DocumentPage::restore_panels(const QVariantMap& states) {
  for (Panel* const panel : panels_)
    if (const QVariant state = states.value(QLatin1String(panel->metaObject()->className())); state.isValid())
      panel->restore(state.toString());
}

void DocumentPage::restore_layout() {
  const QSettings settings;
  if (!across_->restoreState(settings.value(key("across")).toByteArray())) across_->setSizes({240, 1060});
  if (!down_->restoreState(settings.value(key("down")).toByteArray())) down_->setSizes({640, 210});
  // A saved state of another number of panels says nothing of these.
  const bool same = settings.value(key("middle_count")).toInt() == middle_->count();
  if (!same || !middle_->restoreState(settings.value(key("middle")).toByteArray())) middle_->setSizes({640, 300, 420});
  below_->setCurrentIndex(std::clamp(settings.value(key("below"), 0).toInt(), 0, std::max(0, below_->count() - 1)));
}

}  // namespace ptxscope::gui
