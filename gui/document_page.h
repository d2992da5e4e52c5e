// One tab: a document and its panels. Kernels on the left, code in the middle, source and control flow beside it, traps,
// requirements and problems below. While the file is read, and when it cannot be, that is what the page shows.
#pragma once

#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTabWidget>
#include <QVariantMap>
#include <QWidget>
#include <vector>

#include "gui/code_view.h"
#include "gui/diagnostics_list.h"
#include "gui/document.h"
#include "gui/kernel_list.h"
#include "gui/panel.h"
#include "gui/selection.h"
#include "gui/source_view.h"
#include "gui/wait_page.h"

namespace ptxscope::gui {

class DocumentPage : public QWidget {
  Q_OBJECT
 public:
  explicit DocumentPage(FilePlace place, QWidget* parent = nullptr);
  ~DocumentPage() override;

  [[nodiscard]] Document& document() { return document_; }
  [[nodiscard]] Selection& selection() { return selection_; }
  [[nodiscard]] CodeView& code() { return *code_; }
  [[nodiscard]] KernelList& kernels() { return *kernels_; }
  [[nodiscard]] SourceView& source() { return *source_; }
  [[nodiscard]] DiagnosticsList& problems() { return *problems_; }
  /// All of them, in the order in which F6 goes through them.
  [[nodiscard]] const std::vector<Panel*>& panels() const { return panels_; }
  [[nodiscard]] bool is_shown(const Panel* panel) const;
  void set_shown(Panel* panel, bool shown);
  /// The keyboard goes to that panel.
  void focus_panel(Panel* panel);
  /// … to the next one that is shown.
  void focus_next_panel(bool backwards);
  /// What stands instead of the panels: "…could not be read…"; empty when the panels are there.
  [[nodiscard]] QString message() const;
  void save_layout() const;
  /// What the panels keep with the session, by their class.
  [[nodiscard]] QVariantMap panel_states() const;
  void restore_panels(const QVariantMap& states);

 Q_SIGNALS:
  /// The name on the tab, or what the window shows of it, is another.
  void title_changed();
  void panels_changed();

 private:
  void build_panels();
  void restore_layout();
  void show_stage();
  void show_progress(int percent);

  Document document_;
  Selection selection_;
  std::vector<Panel*> panels_;
  KernelList* kernels_ = nullptr;
  CodeView* code_ = nullptr;
  SourceView* source_ = nullptr;
  DiagnosticsList* problems_ = nullptr;
  Panel* graph_ = nullptr;
  QSplitter* across_ = nullptr;
  QSplitter* down_ = nullptr;
  QSplitter* middle_ = nullptr;
  QTabWidget* below_ = nullptr;
  QStackedWidget* stack_ = nullptr;
  WaitPage* waiting_ = nullptr;
  QLabel* banner_ = nullptr;
};

}  // namespace ptxscope::gui
