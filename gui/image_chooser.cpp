#include "gui/image_chooser.h"
#include "gui/words.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QLocale>
#include <QPushButton>
#include <QVBoxLayout>

namespace ptxscope::gui {

ImageChooser::ImageChooser(const QString& file, const FileListing& listing, QWidget* parent) : QDialog(parent) {
  setWindowTitle(tr("PTX in %1").arg(file));
  auto* const say =
      new QLabel(tr("%1 holds %2 of PTX. Which ones?").arg(file, counted(listing.images.size(), tr("module"))), this);
  say->setWordWrap(true);
  say->setTextFormat(Qt::PlainText);
  filter_ = new QLineEdit(this);
  filter_->setPlaceholderText(tr("Filter by name or target"));
  filter_->setAccessibleName(tr("Filter modules"));
  filter_->setClearButtonEnabled(true);
  list_ = new QListWidget(this);
  list_->setAccessibleName(tr("Modules of PTX"));
  list_->setSelectionMode(QAbstractItemView::ExtendedSelection);
  for (const ImageEntry& image : listing.images) {
    QString text = image.name;
    if (!image.target.isEmpty() && !text.contains(image.target)) text += QStringLiteral("  ") + image.target;
    if (!image.source.isEmpty()) text += tr("  from %1").arg(image.source);
    if (image.size != 0) text += QStringLiteral("  ") + QLocale().formattedDataSize(static_cast<qint64>(image.size));
    auto* const item = new QListWidgetItem(text, list_);
    item->setData(Qt::UserRole, image.name);
  }
  if (list_->count() > 0) list_->setCurrentRow(0);
  auto* const column = new QVBoxLayout(this);
  column->addWidget(say);
  column->addWidget(filter_);
  column->addWidget(list_, 1);
  if (!listing.remarks.empty()) {
    QString text;
    for (std::size_t i = 0; i < listing.remarks.size() && i < 5; ++i)
      text += (i == 0 ? QString() : QStringLiteral("\n")) + listing.remarks[i];
    auto* const remarks = new QLabel(text, this);
    remarks->setWordWrap(true);
    remarks->setTextFormat(Qt::PlainText);
    column->addWidget(remarks);
  }
  auto* const buttons = new QDialogButtonBox(QDialogButtonBox::Open | QDialogButtonBox::Cancel, this);
  column->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(list_, &QListWidget::itemActivated, this, &QDialog::accept);
  connect(filter_, &QLineEdit::textChanged, this, [this](const QString& text) {
    for (int i = 0; i < list_->count(); ++i) {
      QListWidgetItem* const item = list_->item(i);
      item->setHidden(!item->text().contains(text, Qt::CaseInsensitive));
      if (item->isHidden()) item->setSelected(false);
    }
  });
  connect(list_, &QListWidget::itemSelectionChanged, this,
          [this, buttons] { buttons->button(QDialogButtonBox::Open)->setEnabled(!list_->selectedItems().isEmpty()); });
  resize(520, 380);
}

QStringList ImageChooser::chosen() const {
  QStringList names;
  for (int i = 0; i < list_->count(); ++i)
    if (list_->item(i)->isSelected()) names.append(list_->item(i)->data(Qt::UserRole).toString());
  return names;
}

}  // namespace ptxscope::gui
