#include "gui/code_view.h"

#include <QHBoxLayout>
#include <QInputDialog>
#include <QVBoxLayout>

#include "gui/overview_strip.h"

namespace ptxscope::gui {

CodeView::CodeView(Document& document, Selection& selection, QWidget* parent) : Panel(document, selection, parent) {
  area_ = new CodeArea(document, selection, this);
  strip_ = new OverviewStrip(document, selection, *area_, this);
  find_ = new FindBar(document, *area_, this);
  notice_ = new QLabel(this);
  notice_->setWordWrap(true);
  notice_->setContentsMargins(8, 3, 8, 3);
  notice_->setAccessibleName(tr("Notice"));
  notice_->setTextFormat(Qt::PlainText);
  notice_->hide();
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* const row = new QHBoxLayout;
  row->setSpacing(0);
  row->addWidget(area_);
  row->addWidget(strip_);
  column->addLayout(row, 1);
  column->addWidget(notice_);
  column->addWidget(find_);
  setFocusProxy(area_);
  notice_time_.setSingleShot(true);
  notice_time_.setInterval(8000);
  connect(&notice_time_, &QTimer::timeout, notice_, &QWidget::hide);
  connect(area_, &CodeArea::notice, this, &CodeView::show_notice);
  connect(area_, &CodeArea::caret_moved, this, [this] {
    if (notice_time_.remainingTime() < 6000) notice_->hide();
  });

  const auto add = [this](const QString& text, const QList<QKeySequence>& keys, auto action) {
    auto* const made = new QAction(text, this);
    made->setShortcuts(keys);
    connect(made, &QAction::triggered, this, action);
    commands_.append(made);
    return made;
  };
  add(tr("Go to &definition"), {QKeySequence(Qt::Key_F12)}, [this] { area_->go_to_definition(); });
  add(tr("&Next place of this name"), {QKeySequence(Qt::ALT | Qt::Key_Down)},
      [this] { area_->go_to_occurrence(false); });
  add(tr("&Previous place of this name"), {QKeySequence(Qt::ALT | Qt::Key_Up)},
      [this] { area_->go_to_occurrence(true); });
  add(tr("Next register &maximum"), {QKeySequence(Qt::Key_F4)}, [this] { area_->go_to_pressure_peak(false); });
  add(tr("Previous register ma&ximum"), {QKeySequence(Qt::SHIFT | Qt::Key_F4)},
      [this] { area_->go_to_pressure_peak(true); });
  add(tr("&Fold or unfold here"), {QKeySequence(Qt::CTRL | Qt::Key_Period)}, [this] { area_->toggle_fold_at_caret(); });
  add(tr("Fold &all functions"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_Period)},
      [this] { area_->fold_all_functions(); });
  add(tr("&Unfold all"), {QKeySequence(Qt::CTRL | Qt::SHIFT | Qt::Key_U)}, [this] { area_->unfold_all(); });
}

void CodeView::show_notice(const QString& sentence) {
  notice_->setText(sentence);
  notice_->show();
  notice_time_.start();
}

QString CodeView::notice_text() const { return notice_->isHidden() ? QString() : notice_->text(); }

void CodeView::ask_line() {
  const int lines = static_cast<int>(area_->folded().lines());
  bool chosen = false;
  const int line = QInputDialog::getInt(this, tr("Go to line"), tr("Line, 1 to %1:").arg(lines),
                                        static_cast<int>(area_->caret().line), 1, lines, 1, &chosen);
  if (chosen) selection().choose_line(static_cast<std::uint32_t>(line), nullptr, Move::jump);
}

}  // namespace ptxscope::gui
