#include "gui/find_bar.h"

#include <QHBoxLayout>
#include <QKeyEvent>
#include <QToolButton>
#include <algorithm>

#include "gui/code_area.h"
#include "gui/theme.h"
#include "gui/words.h"

namespace ptxscope::gui {

FindBar::FindBar(Document& document, CodeArea& code, QWidget* parent)
    : QWidget(parent), document_(document), code_(code) {
  auto* const row = new QHBoxLayout(this);
  row->setContentsMargins(6, 3, 6, 3);
  pattern_ = new QLineEdit(this);
  pattern_->setPlaceholderText(tr("Find in the code"));
  pattern_->setAccessibleName(tr("Text to find"));
  pattern_->setClearButtonEnabled(true);
  pattern_->setMaxLength(2000);
  pattern_->setMinimumWidth(100);
  const auto check = [&](const QString& text, const QString& name) {
    auto* const box = new QCheckBox(text, this);
    box->setAccessibleName(name);
    connect(box, &QCheckBox::toggled, this, &FindBar::start_search);
    return box;
  };
  regex_ = check(tr("Re&gex"), tr("The text is a regular expression"));
  case_ = check(tr("&Case"), tr("Upper and lower case differ"));
  words_ = check(tr("&Words"), tr("Whole words only"));
  status_ = new QLabel(this);
  status_->setAccessibleName(tr("Result of the search"));
  status_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  const auto button = [&](const QString& text, const QString& tip, auto action) {
    auto* const made = new QToolButton(this);
    made->setText(text);
    made->setToolTip(tip);
    made->setAccessibleName(tip);
    made->setAutoRaise(true);
    connect(made, &QToolButton::clicked, this, action);
    row->addWidget(made);
  };
  row->addWidget(pattern_, 1);
  button(QStringLiteral("↑"), tr("Previous (Shift+F3)"), [this] { find_next(true); });
  button(QStringLiteral("↓"), tr("Next (F3)"), [this] { find_next(false); });
  row->addWidget(regex_);
  row->addWidget(case_);
  row->addWidget(words_);
  status_->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  status_->setMinimumWidth(status_->fontMetrics().horizontalAdvance(tr("not found")));
  row->addWidget(status_, 1);
  button(QStringLiteral("✕"), tr("Close (Escape)"), [this] { close_bar(); });
  typing_.setSingleShot(true);
  typing_.setInterval(120);
  connect(pattern_, &QLineEdit::textChanged, &typing_, qOverload<>(&QTimer::start));
  connect(&typing_, &QTimer::timeout, this, &FindBar::start_search);
  connect(pattern_, &QLineEdit::returnPressed, this, [this] { find_next(false); });
  connect(&document_, &Document::module_changed, this, [this] {
    found_ = nullptr;
    if (isVisible()) start_search();
  });
  setFocusProxy(pattern_);
  hide();
}

SearchQuestion FindBar::question() const {
  return {pattern_->text(), regex_->isChecked(), case_->isChecked(), words_->isChecked()};
}

void FindBar::open() {
  const QString selected = code_.selected_text();
  if (!selected.isEmpty() && selected.size() < 200 && !selected.contains(QLatin1Char('\n'))) {
    regex_->setChecked(false);
    pattern_->setText(selected);
  }
  show();
  pattern_->selectAll();
  pattern_->setFocus();
  start_search();
}

void FindBar::close_bar() {
  cancel_.request();
  searching_ = false;
  asked_ = {};
  found_ = nullptr;
  code_.set_found(nullptr);
  hide();
  code_.setFocus();
}

void FindBar::set_pattern(const QString& pattern, bool is_regex) {
  regex_->setChecked(is_regex);
  pattern_->setText(pattern);
  start_search();
}

void FindBar::start_search() {
  typing_.stop();
  const SearchQuestion now = question();
  const auto module = document_.module();
  if (module == nullptr) return;
  if (now == asked_ && asked_generation_ == document_.generation() && (searching_ || found_ != nullptr)) return;
  cancel_.request();
  asked_ = now;
  asked_generation_ = document_.generation();
  problem_.clear();
  found_ = nullptr;
  code_.set_found(nullptr);
  searching_ = !now.pattern.isEmpty();
  show_status();
  if (!searching_) return;
  cancel_ = in_background(
      this, [module, now](const Cancel& cancel) { return search_text(*module, now, cancel); },
      [this](const Outcome<SearchResult>& outcome) {
        take(outcome.value ? *outcome.value : SearchResult{{}, false, outcome.problem});
      },
      10);
}

void FindBar::take(const SearchResult& result) {
  searching_ = false;
  problem_ = result.problem;
  cut_short_ = result.cut_short;
  found_ = std::make_shared<const std::vector<Span>>(result.found);
  code_.set_found(found_);
  const int step = std::exchange(wanted_, 0);
  show_status();
  if (step != 0) find_next(step < 0);
}

void FindBar::find_next(bool backwards) {
  if (typing_.isActive() || question() != asked_ || asked_generation_ != document_.generation()) start_search();
  if (searching_) {
    wanted_ = backwards ? -1 : 1;
    return;
  }
  if (found_ == nullptr || found_->empty()) {
    if (!isVisible()) open();
    return;
  }
  const std::uint32_t at = code_.caret_offset();
  auto next = found_->begin();
  if (backwards) {
    next = std::ranges::lower_bound(*found_, at, {}, &Span::end);
    next = next == found_->begin() ? found_->end() - 1 : next - 1;
  } else {
    next = std::ranges::lower_bound(*found_, at, {}, &Span::begin);
    if (next == found_->end()) next = found_->begin();
  }
  code_.show_span(*next);
  status_->setText(tr("%1 of %2%3")
                       .arg(next - found_->begin() + 1)
                       .arg(found_->size())
                       .arg(cut_short_ ? tr(", the first ones") : QString()));
}

void FindBar::show_status() {
  const bool bad = !problem_.isEmpty() || (found_ != nullptr && found_->empty());
  QPalette palette = status_->palette();
  palette.setColor(QPalette::WindowText, bad ? Theme::instance().colors().error : Theme::instance().colors().dim);
  status_->setPalette(palette);
  status_->setToolTip(plain_tip(problem_));
  if (!problem_.isEmpty()) {
    status_->setText(problem_);
  } else if (searching_) {
    status_->setText(tr("searching …"));
  } else if (found_ == nullptr) {
    status_->clear();
  } else if (found_->empty()) {
    status_->setText(tr("not found"));
  } else if (cut_short_) {
    status_->setText(tr("more than %1; only these are shown").arg(counted(found_->size(), tr("place"))));
  } else {
    status_->setText(counted(found_->size(), tr("place")));
  }
}

void FindBar::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Escape) {
    close_bar();
    return;
  }
  if ((event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) && event->modifiers() == Qt::ShiftModifier) {
    find_next(true);
    return;
  }
  QWidget::keyPressEvent(event);
}

}  // namespace ptxscope::gui
