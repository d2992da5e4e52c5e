#include "gui/common_widgets.h"

#include <QCoreApplication>
#include <QHeaderView>
#include <QKeyEvent>

namespace ptxscope::gui {

void make_list(QTableView& table) {
  table.setSelectionBehavior(QAbstractItemView::SelectRows);
  table.setSelectionMode(QAbstractItemView::SingleSelection);
  table.setShowGrid(false);
  table.setWordWrap(false);
  table.setTabKeyNavigation(false);
  table.verticalHeader()->hide();
  table.verticalHeader()->setDefaultSectionSize(table.fontMetrics().height() + 6);
  table.horizontalHeader()->setHighlightSections(false);
}

QPlainTextEdit* make_details(QWidget* parent, const QString& name, const QString& placeholder) {
  auto* const details = new QPlainTextEdit(parent);
  details->setReadOnly(true);
  details->setLineWrapMode(QPlainTextEdit::NoWrap);
  details->setTabChangesFocus(true);
  details->setAccessibleName(name);
  details->setPlaceholderText(placeholder);
  return details;
}

QLabel* make_message(QWidget* parent) {
  auto* const message = new QLabel(parent);
  message->setTextFormat(Qt::PlainText);
  message->setWordWrap(true);
  message->setContentsMargins(6, 3, 6, 3);
  message->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  return message;
}

QLineEdit* make_name_filter(QWidget* watcher) {
  auto* const filter = new QLineEdit(watcher);
  filter->setPlaceholderText(QCoreApplication::translate("Lists", "Filter by name"));
  filter->setAccessibleName(QCoreApplication::translate("Lists", "Filter functions by name"));
  filter->setClearButtonEnabled(true);
  filter->installEventFilter(watcher);
  return filter;
}

bool filter_takes_key(const QEvent& event, QLineEdit& filter, QTableView& list, int column) {
  if (event.type() != QEvent::KeyPress) return false;
  const int key = static_cast<const QKeyEvent&>(event).key();
  if (key == Qt::Key_Down || key == Qt::Key_Return) {
    list.setFocus();
    const bool has_rows = list.model()->rowCount() > 0;
    if (!list.currentIndex().isValid() && has_rows) list.setCurrentIndex(list.model()->index(0, column));
    return true;
  }
  if (key != Qt::Key_Escape || filter.text().isEmpty()) return false;
  filter.clear();
  return true;
}

}  // namespace ptxscope::gui
