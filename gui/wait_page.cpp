#include "gui/wait_page.h"

#include <QVBoxLayout>

#include "gui/words.h"

namespace ptxscope::gui {

WaitPage::WaitPage(const QString& progress_name, const QString& again, QWidget* parent) : QWidget(parent) {
  what_ = new QLabel(this);
  remedy_ = new QLabel(this);
  for (QLabel* const label : {what_, remedy_}) {
    make_wrapping(*label);
    label->setAlignment(Qt::AlignCenter);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  }
  QFont large = what_->font();
  large.setPointSizeF(large.pointSizeF() * 1.2);
  what_->setFont(large);
  progress_ = new QProgressBar(this);
  progress_->setFixedWidth(320);
  progress_->setAccessibleName(progress_name);
  cancel_ = new QPushButton(tr("Cancel"), this);
  again_ = new QPushButton(again, this);
  connect(cancel_, &QPushButton::clicked, this, &WaitPage::cancelled);
  connect(again_, &QPushButton::clicked, this, &WaitPage::again);
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(40, 20, 40, 20);
  column->setSpacing(10);
  column->addStretch();
  column->addWidget(what_);
  column->addWidget(remedy_);
  column->addWidget(progress_, 0, Qt::AlignHCenter);
  column->addWidget(cancel_, 0, Qt::AlignHCenter);
  column->addWidget(again_, 0, Qt::AlignHCenter);
  column->addStretch();
}

void WaitPage::show_progress(const QString& what, int percent) {
  what_->setText(what);
  remedy_->hide();
  progress_->setRange(0, percent < 0 ? 0 : 100);
  if (percent >= 0) progress_->setValue(percent);
  progress_->show();
  cancel_->show();
  again_->hide();
}

void WaitPage::show_problem(const QString& what, const QString& remedy, bool can_try_again) {
  what_->setText(what);
  remedy_->setText(remedy);
  remedy_->setVisible(!remedy.isEmpty());
  progress_->hide();
  cancel_->hide();
  again_->setVisible(can_try_again);
}

QString WaitPage::text() const { return what_->text() + QLatin1Char('\n') + remedy_->text(); }

}  // namespace ptxscope::gui
