// What every part of a document's page has in common.
#pragma once

#include <QAction>
#include <QList>
#include <QString>
#include <QWidget>

#include "gui/document.h"
#include "gui/selection.h"

namespace ptxscope::gui {

/// A view of one document. It follows the Selection and writes to it; it works nothing out by itself but asks the Document,
/// shows that it waits while an answer is pending, and shows an answer's problem where the answer would stand.
class Panel : public QWidget {
  Q_OBJECT
 public:
  Panel(Document& document, Selection& selection, QWidget* parent = nullptr);

  /// What it is called on its tab and in the menu View: "Control flow".
  [[nodiscard]] virtual QString title() const = 0;
  /// Commands of its own, for the menu named like title(). Shortcuts work while the page is shown.
  [[nodiscard]] virtual QList<QAction*> commands() { return {}; }
  /// What of it is kept with the session, for restore(); empty: nothing.
  [[nodiscard]] virtual QString state() const { return {}; }
  virtual void restore(const QString& /*state*/) {}

 protected:
  [[nodiscard]] Document& document() const { return document_; }
  [[nodiscard]] Selection& selection() const { return selection_; }

 private:
  Document& document_;
  Selection& selection_;
};

}  // namespace ptxscope::gui
