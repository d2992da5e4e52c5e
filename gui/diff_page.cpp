#include "gui/diff_page.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QSettings>
#include <QSignalBlocker>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gui/diff_strip.h"
#include "gui/save_file.h"
#include "gui/theme.h"
#include "gui/words.h"
#include "report/diff.h"

namespace ptxscope::gui {
namespace {

QString key(const char* name) { return QStringLiteral("diff/") + QLatin1String(name); }

QLabel* plain_label(QWidget* parent) {
  auto* const label = new QLabel(parent);
  label->setTextFormat(Qt::PlainText);
  label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return label;
}

bool is_reading(const Document& document) {
  return document.stage() == Stage::loading || document.stage() == Stage::reloading;
}

std::size_t errors_in(const Module& module) {
  return static_cast<std::size_t>(
      std::ranges::count_if(module.diagnostics(), [](const Diagnostic& one) { return one.level == Level::error; }));
}

}  // namespace

DiffPage::DiffPage(Document& a, Document& b, QWidget* parent) : QWidget(parent), a_(&a), b_(&b) {
  build_commands();
  waiting_ = new WaitPage(tr("Progress of the comparison"), tr("Try again"), this);
  stack_ = new QStackedWidget(this);
  stack_->addWidget(waiting_);
  stack_->addWidget(build_texts());
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(stack_);
  connect(waiting_, &WaitPage::cancelled, this, &DiffPage::cancel);
  connect(waiting_, &WaitPage::again, this, [this] {
    cancelled_ = false;
    for (Document* const document : {a_, b_})
      if (document->module() == nullptr && !is_reading(*document)) document->load();
    settle_.start();
  });
  settle_.setSingleShot(true);
  settle_.setInterval(30);
  connect(&settle_, &QTimer::timeout, this, &DiffPage::compare);
  follow_document(a);
  if (&a != &b) follow_document(b);
  connect(area_, &DiffArea::caret_moved, this, &DiffPage::show_place);
  connect(area_, &DiffArea::line_opened, this,
          [this](DiffSide side, std::uint32_t line) { Q_EMIT line_opened(&document(side), line); });
  connect(functions_, &DiffFunctions::chosen, this, [this](std::uint32_t section) {
    if (diff() != nullptr && section < diff()->sections.size()) area_->go_to_row(diff()->sections[section].first_row);
  });
  connect(&Theme::instance(), &Theme::changed, this, &DiffPage::show_verdict);
  const QSettings settings;
  if (!split_->restoreState(settings.value(key("split")).toByteArray())) split_->setSizes({300, 1000});
  only_->setChecked(settings.value(key("only"), false).toBool());
  strict_->setChecked(settings.value(key("strict"), false).toBool());
  setFocusProxy(area_);
  show_names();
  compare();
}

DiffPage::~DiffPage() {
  cancel_.request();
  release();
}

// What a comparison of large files holds takes a while to free: not on the thread of the window.
void DiffPage::release() {
  if (diff() == nullptr) return;
  std::shared_ptr<const AlignedDiff> old = diff();
  const QSignalBlocker quiet(area_);
  area_->show_diff(nullptr);
  run_in_background([old = std::move(old)]() mutable { old = nullptr; });
}

void DiffPage::build_commands() {
  const auto add = [this](const QString& text, const QList<QKeySequence>& keys, const QString& tip) {
    auto* const made = new QAction(text, this);
    made->setShortcuts(keys);
    made->setToolTip(tip);
    commands_.append(made);
    return made;
  };
  next_ = add(tr("&Next difference"), {QKeySequence(Qt::Key_F7)}, tr("To the next difference (F7)"));
  previous_ = add(tr("&Previous difference"), {QKeySequence(Qt::SHIFT | Qt::Key_F7)},
                  tr("To the difference before (Shift+F7)"));
  swap_ = add(tr("S&wap sides"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_S)}, tr("A becomes B, and B becomes A"));
  only_ = add(tr("&Only differences"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_O)},
              tr("Hide what is the same, but for some lines around a difference"));
  strict_ = add(tr("&Strict"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_T)},
                tr("Take for a difference also what changes nothing: header, names of functions, dead code; as "
                   "ptxscope diff --strict"));
  QAction* const open =
      add(tr("Show in the &file's own tab"), {}, tr("The line of the cursor where all is known of it (Return)"));
  QAction* const filter = add(tr("&Filter functions"), {QKeySequence(Qt::CTRL | Qt::Key_K)}, {});
  only_->setCheckable(true);
  strict_->setCheckable(true);
  connect(next_, &QAction::triggered, this, [this] { step(false); });
  connect(previous_, &QAction::triggered, this, [this] { step(true); });
  connect(swap_, &QAction::triggered, this, &DiffPage::swap_sides);
  connect(only_, &QAction::toggled, this, [this](bool on) { area_->set_only_differences(on); });
  connect(strict_, &QAction::toggled, this, [this] {
    show_verdict();
    show_place();
  });
  connect(open, &QAction::triggered, this, [this] {
    if (area_->line() != 0) Q_EMIT line_opened(&document(area_->side()), area_->line());
  });
  connect(filter, &QAction::triggered, this, [this] {
    functions_->filter().setFocus();
    functions_->filter().selectAll();
  });
}

QWidget* DiffPage::build_texts() {
  auto* const page = new QWidget(this);
  verdict_ = plain_label(page);
  make_wrapping(*verdict_);
  verdict_->setContentsMargins(8, 4, 8, 4);
  QFont bold = verdict_->font();
  bold.setBold(true);
  verdict_->setFont(bold);
  banner_ = plain_label(page);
  make_wrapping(*banner_);
  banner_->setContentsMargins(8, 4, 8, 4);
  banner_->setAutoFillBackground(true);
  banner_->hide();
  count_ = plain_label(page);
  remark_ = plain_label(page);
  remark_->setContentsMargins(6, 2, 6, 2);
  remark_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  auto* const buttons = new QHBoxLayout;
  buttons->setContentsMargins(6, 0, 6, 2);
  for (QAction* const action : {previous_, next_, swap_, only_, strict_}) {
    auto* const button = new QToolButton(page);
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextOnly);
    buttons->addWidget(button);
  }
  buttons->addSpacing(12);
  buttons->addWidget(count_);
  buttons->addStretch();
  functions_ = new DiffFunctions(page);
  functions_->setMinimumWidth(180);
  area_ = new DiffArea(page);
  strip_ = new DiffStrip(*area_, page);
  auto* const texts = new QWidget(page);
  auto* const names = new QHBoxLayout;
  names->setContentsMargins(0, 0, 0, 0);
  names->setSpacing(0);
  for (QLabel*& name : names_) {
    name = plain_label(texts);
    name->setContentsMargins(6, 2, 6, 2);
    name->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    names->addWidget(name, 1);
  }
  names->addSpacing(30);  // strip and scroll bar
  auto* const row = new QHBoxLayout;
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  row->addWidget(area_, 1);
  row->addWidget(strip_);
  auto* const right = new QVBoxLayout(texts);
  right->setContentsMargins(0, 0, 0, 0);
  right->setSpacing(0);
  right->addLayout(names);
  right->addLayout(row, 1);
  split_ = new QSplitter(Qt::Horizontal, page);
  split_->addWidget(functions_);
  split_->addWidget(texts);
  split_->setStretchFactor(0, 0);
  split_->setStretchFactor(1, 1);
  split_->setChildrenCollapsible(false);
  auto* const column = new QVBoxLayout(page);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(banner_);
  column->addWidget(verdict_);
  column->addLayout(buttons);
  column->addWidget(split_, 1);
  column->addWidget(remark_);
  return page;
}

void DiffPage::follow_document(Document& document) {
  connect(&document, &Document::module_changed, this, [this] {
    cancelled_ = false;
    settle_.start();
  });
  connect(&document, &Document::stage_changed, this, &DiffPage::show_state);
  connect(&document, &Document::progressed, this, &DiffPage::show_state);
  connect(&document, &Document::result_ready, this, [this](ResultKind kind) {
    if (kind == ResultKind::outline) take_outlines();
  });
}

QString DiffPage::name(DiffSide side) const {
  const Document& of = document(side);
  // Two of one name are told from each other by their folders.
  if (a_->title() != b_->title()) return of.title();
  return shown_path(QFileInfo(QFileInfo(of.place().path).path()).fileName()) + QLatin1Char('/') + of.title();
}

QString DiffPage::title() const {
  constexpr qsizetype longest = 36;
  return tr("%1 ↔ %2").arg(shortened(name(DiffSide::a), longest), shortened(name(DiffSide::b), longest));
}

void DiffPage::reload() {
  a_->load();
  if (a_ != b_) b_->load();
}

void DiffPage::cancel() {
  for (Document* const document : {a_, b_})
    if (document->module() == nullptr) document->cancel();
  if (!comparing_) return;
  cancel_.request();
  comparing_ = false;
  cancelled_ = true;
  show_state();
}

void DiffPage::compare() {
  const auto a = a_->module();
  const auto b = b_->module();
  cancel_.request();
  comparing_ = false;
  problem_.clear();
  if (a == nullptr || b == nullptr) return show_state();
  comparing_ = true;
  percent_ = 0;
  const QPointer<DiffPage> self(this);
  cancel_ = in_background(
      this,
      [a, b, self](const Cancel& cancel) {
        Result result;
        int last = 0;
        result.diff = align_modules(a, b, [&](int percent) {
          if (percent != last) {
            last = percent;
            call_on_gui_thread([self, cancel, percent] {
              if (self.isNull() || cancel.requested()) return;
              self->percent_ = percent;
              self->show_state();
            });
          }
          return !cancel.requested();
        });
        if (result.diff != nullptr) result.functions = functions_of(*result.diff);
        return result;
      },
      [this](Outcome<Result> outcome) { take(std::move(outcome)); }, 15);
  show_state();
}

void DiffPage::take(Outcome<Result> outcome) {
  comparing_ = false;
  if (!outcome.value || outcome.value->diff == nullptr) {
    problem_ = outcome.problem;
    return show_state();
  }
  const Place before = kept_.known ? std::exchange(kept_, {}) : place();
  release();
  const std::shared_ptr<const AlignedDiff> found = std::move(outcome.value->diff);
  functions_->show_diff(*found, std::move(outcome.value->functions));
  area_->show_diff(found);
  take_outlines();
  show_names();
  show_verdict();
  if (before.known) return_to(before);
  else if (!area_->go_to_difference(false, is_strict())) area_->go_to_row(0);
  show_state();
  show_place();
}

DiffPage::Place DiffPage::place() const {
  Place place;
  if (diff() == nullptr) return place;
  place.known = true;
  place.side = area_->side();
  place.line = area_->line();
  const analysis::FunctionDiff* const function = diff()->function_of(area_->row());
  const std::uint32_t index = function == nullptr ? no_index : place.side == DiffSide::a ? function->a : function->b;
  if (index == no_index || place.line == 0) return place;
  const Module& module = diff()->module(place.side);
  const Function& of = module.functions()[index];
  place.function = module.name(of.name);
  place.line -= std::min(place.line, module.position(of.span).line);
  return place;
}

void DiffPage::return_to(const Place& place) {
  area_->set_side(place.side);
  const Module& module = diff()->module(place.side);
  std::uint32_t line = place.line;
  if (!place.function.empty()) {
    const Function* const function = module.find_function(module.find_name(place.function));
    if (function == nullptr) return area_->go_to_row(0);
    line += module.position(function->span).line;
  }
  area_->go_to_row(diff()->row_of_line(place.side, line).value_or(0));
}

// What is still missing, as a sentence.
QString DiffPage::waiting_for() const {
  for (const Document* const document : {a_, b_})
    if (document->module() == nullptr && is_reading(*document))
      return document->progress() < 0 ? tr("Parsing %1 …").arg(document->title())
                                      : tr("Reading %1 …").arg(document->title());
  return tr("Comparing %1 and %2 …").arg(a_->title(), b_->title());
}

void DiffPage::show_state() {
  const bool has_diff = diff() != nullptr;
  stack_->setCurrentIndex(has_diff ? 1 : 0);
  QString banner;
  if (!has_diff) {
    QString what;
    QString remedy;
    for (const Document* const document : {a_, b_}) {
      if (document->module() != nullptr || is_reading(*document)) continue;
      if (document->stage() == Stage::cancelled) {
        what += (what.isEmpty() ? QString() : QStringLiteral("\n")) +
                tr("Reading %1 was cancelled.").arg(document->title());
      } else if (document->stage() == Stage::failed) {
        what += (what.isEmpty() ? QString() : QStringLiteral("\n")) +
                tr("%1 cannot be compared. %2").arg(document->title(), document->problem().what);
        remedy = document->problem().remedy;
      }
    }
    if (what.isEmpty() && !problem_.isEmpty()) what = tr("The comparison failed: %1.").arg(problem_);
    if (what.isEmpty() && cancelled_) what = tr("Comparing was cancelled.");
    if (!what.isEmpty()) {
      waiting_->show_problem(what, remedy, true);
    } else {
      int percent = percent_;
      if (!comparing_)
        for (const Document* const document : {a_, b_})
          if (document->module() == nullptr) percent = document->progress();
      waiting_->show_progress(waiting_for(), percent);
    }
  } else if (comparing_) {
    banner = tr("A file changed; comparing again, %1 % …").arg(percent_);
  } else if (cancelled_ || !problem_.isEmpty()) {
    banner = problem_.isEmpty()
                 ? tr("Comparing again was cancelled: this is what the files were before. Reload (F5) compares them.")
                 : tr("Comparing again failed: %1. This is what the files were before.").arg(problem_);
  } else {
    for (const Document* const document : {a_, b_})
      if (document->stage() == Stage::failed)
        banner = tr("%1 is shown as it was before. %2 %3")
                     .arg(document->title(), document->problem().what, document->problem().remedy);
  }
  QPalette palette = banner_->palette();
  const Colors& colors = Theme::instance().colors();
  palette.setColor(QPalette::Window, comparing_ ? colors.current_line : colors.of(MarkRole::unfit));
  banner_->setPalette(palette);
  banner_->setText(banner);
  banner_->setVisible(!banner.isEmpty());
  Q_EMIT title_changed();
}

void DiffPage::show_names() {
  for (const DiffSide side : {DiffSide::a, DiffSide::b}) {
    QLabel* const label = names_[static_cast<std::size_t>(side)];
    const Document& of = document(side);
    QString text = (side == DiffSide::a ? tr("A: %1") : tr("B: %1")).arg(name(side));
    if (diff() != nullptr)
      if (const std::size_t errors = errors_in(diff()->module(side)); errors > 0)
        text += tr("  (%1: compared as far as it could be read)").arg(counted(errors, tr("error")));
    label->setText(text);
    label->setToolTip(plain_tip(shown_path(of.place().path)));
  }
}

void DiffPage::show_verdict() {
  if (diff() == nullptr) return;
  const bool same = analysis::is_same(diff()->diff, is_strict());
  const Colors& colors = Theme::instance().colors();
  QPalette palette = verdict_->palette();
  palette.setColor(QPalette::WindowText, same ? colors.good : colors.warning);
  verdict_->setPalette(palette);
  // Not by colour alone: what counts as a difference is said.
  QString text = QString::fromStdString(diff()->verdict);
  if (!same && diff()->diff.same_code) text += tr(" (strictly, a difference)");
  verdict_->setText(text);
  const auto stops = static_cast<std::size_t>(
      std::ranges::count_if(diff()->stops, [&](const DiffStop& stop) { return is_strict() || !stop.strict_only; }));
  count_->setText(stops == 0 ? tr("no difference to go to")
                             : counted(stops, tr("place that differs"), tr("places that differ")));
}

QString DiffPage::place_text() const {
  if (diff() == nullptr || diff()->rows.empty()) return {};
  const AlignedRow& one = diff()->rows[area_->row()];
  if (one.kind != AlignedRow::Kind::lines) return {};
  const QString a = one.a == 0 ? QString() : tr("A line %1").arg(one.a);
  const QString b = one.b == 0 ? QString() : tr("B line %1").arg(one.b);
  return a.isEmpty() || b.isEmpty() ? a + b : tr("%1, %2").arg(a, b);
}

void DiffPage::show_place() {
  if (diff() == nullptr || diff()->rows.empty()) return;
  const std::uint32_t row = area_->row();
  functions_->follow(static_cast<std::uint32_t>(&diff()->section_of(row) - diff()->sections.data()));
  const QString place = place_text();
  const QString words = area_->words_of(row, area_->side());
  say(place.isEmpty() || words.isEmpty() ? place + words : tr("%1: %2").arg(place, words));
  Q_EMIT place_changed();
}

void DiffPage::take_outlines() {
  if (diff() == nullptr || a_->module() != diff()->a || b_->module() != diff()->b) return;
  area_->set_outlines(a_->outline().value, b_->outline().value);
}

void DiffPage::say(const QString& sentence) { remark_->setText(sentence); }

void DiffPage::swap_sides() {
  kept_ = place();
  kept_.side = other_side(kept_.side);
  std::swap(a_, b_);
  release();
  compare();
  Q_EMIT title_changed();
}

void DiffPage::step(bool backwards) {
  if (diff() == nullptr) return;
  if (area_->go_to_difference(backwards, is_strict())) return;
  const bool any =
      std::ranges::any_of(diff()->stops, [&](const DiffStop& stop) { return is_strict() || !stop.strict_only; });
  if (any) {
    say(backwards ? tr("There is no difference above; F7 goes down.")
                  : tr("There is no difference below; Shift+F7 goes up."));
  } else if (!diff()->stops.empty()) {
    say(tr("Nothing differs in what it does. Strict goes to what changes nothing, too."));
  } else {
    say(tr("There is no difference."));
  }
}

void DiffPage::ask_export() {
  if (diff() == nullptr) return say(tr("There is nothing to export yet."));
  const QFileInfo a(a_->place().path);
  const QFileInfo b(b_->place().path);
  const QString name = a.completeBaseName() + QLatin1Char('-') + b.completeBaseName() + QStringLiteral(".html");
  const QString path =
      QFileDialog::getSaveFileName(this, tr("Export the comparison"), b.dir().filePath(name), tr("Page (*.html)"));
  if (!path.isEmpty()) save_html(path);
}

void DiffPage::save_html(const QString& path) {
  if (diff() == nullptr) return say(tr("There is nothing to export yet."));
  in_background(
      this,
      [diff = diff(), path](const Cancel&) {
        return save_file(path, report::diff_html(*diff->a, *diff->b, diff->diff));
      },
      [this, path](const Outcome<QString>& outcome) {
        const QString problem = outcome.value ? *outcome.value : outcome.problem;
        say(problem.isEmpty() ? tr("The comparison was written to %1.").arg(path)
                              : tr("The comparison was not written to %1: %2.").arg(path, problem));
      });
}

QString DiffPage::message() const {
  if (stack_->currentIndex() == 0) return waiting_->text();
  return banner_->isHidden() ? QString() : banner_->text();
}

void DiffPage::save_layout() const {
  QSettings settings;
  settings.setValue(key("split"), split_->saveState());
  settings.setValue(key("only"), only_->isChecked());
  settings.setValue(key("strict"), strict_->isChecked());
}

}  // namespace ptxscope::gui
