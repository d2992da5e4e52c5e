// What lists, details and messages of the panels have in common.
#pragma once

#include <QEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTableView>

namespace ptxscope::gui {

/// A table of rows that are chosen as a whole, without a grid and without numbers.
void make_list(QTableView& table);

/// The box beside a list that tells of the chosen row. `name`: for screen readers.
[[nodiscard]] QPlainTextEdit* make_details(QWidget* parent, const QString& name, const QString& placeholder);

/// A line of plain sentences, which can be selected.
[[nodiscard]] QLabel* make_message(QWidget* parent);

/// The field above a list that filters it by name; `watcher` gets its keys first.
[[nodiscard]] QLineEdit* make_name_filter(QWidget* watcher);

/// For the event filter of a list's filter field: Down and Return go into the list, Escape empties the field. Whether it
/// was one of these. `column`: the first that is shown.
[[nodiscard]] bool filter_takes_key(const QEvent& event, QLineEdit& filter, QTableView& list, int column);

}  // namespace ptxscope::gui
