// A tab with two documents side by side: what is different, by the same analysis and in the same words as `ptxscope diff`.
// Compared off the GUI thread, again when either file changes.
#pragma once

#include <QAction>
#include <QLabel>
#include <QSplitter>
#include <QStackedWidget>
#include <QTimer>
#include <QWidget>
#include <memory>

#include "gui/background.h"
#include "gui/diff_area.h"
#include "gui/diff_functions.h"
#include "gui/diff_rows.h"
#include "gui/document.h"
#include "gui/wait_page.h"

namespace ptxscope::gui {

class DiffStrip;

class DiffPage : public QWidget {
  Q_OBJECT
 public:
  /// Both are there as long as it is used; nothing of them is used when it is deleted.
  DiffPage(Document& a, Document& b, QWidget* parent = nullptr);
  ~DiffPage() override;

  [[nodiscard]] Document& document(DiffSide side) const { return side == DiffSide::a ? *a_ : *b_; }
  [[nodiscard]] QString title() const;
  [[nodiscard]] QString name(DiffSide side) const;
  [[nodiscard]] QList<QAction*> commands() const { return commands_; }
  [[nodiscard]] DiffArea& area() { return *area_; }
  [[nodiscard]] DiffFunctions& functions() { return *functions_; }
  /// nullptr until the first comparison is done.
  [[nodiscard]] const std::shared_ptr<const AlignedDiff>& diff() const { return area_->diff(); }
  [[nodiscard]] bool is_comparing() const { return comparing_; }
  [[nodiscard]] bool is_strict() const { return strict_->isChecked(); }
  /// The sentence on top.
  [[nodiscard]] QString verdict() const { return verdict_->text(); }
  /// What stands instead of the texts, or above them; empty: nothing does.
  [[nodiscard]] QString message() const;
  /// "A line 12, B line 14: changed": the cursor's row, or the last remark.
  [[nodiscard]] QString remark() const { return remark_->text(); }
  /// "A line 12, B line 14"
  [[nodiscard]] QString place_text() const;
  /// Where the cursor goes when the first comparison is there.
  void start_at(DiffSide side, std::uint32_t line) { kept_ = {side, {}, line, true}; }

  /// Reads both files again.
  void reload();
  /// Stops comparing; a comparison that was there stays.
  void cancel();
  void swap_sides();
  void step(bool backwards);
  void set_strict(bool strict) { strict_->setChecked(strict); }
  void set_only_differences(bool only) { only_->setChecked(only); }
  void ask_export();
  /// As `ptxscope diff --format html` writes it; says in remark() how it went.
  void save_html(const QString& path);
  void save_layout() const;

 Q_SIGNALS:
  void title_changed();
  /// The status line of the window shows another line.
  void place_changed();
  void line_opened(ptxscope::gui::Document* document, std::uint32_t line);

 private:
  struct Result {
    std::shared_ptr<const AlignedDiff> diff;
    std::vector<DiffFunction> functions;
  };
  /// What the cursor was on, by names and lines that another module has too.
  struct Place {
    DiffSide side = DiffSide::b;
    std::string function;
    std::uint32_t line = 0;  // in the function, or in the text
    bool known = false;
  };
  void build_commands();
  QWidget* build_texts();
  void follow_document(Document& document);
  void compare();
  void take(Outcome<Result> outcome);
  void release();
  [[nodiscard]] Place place() const;
  void return_to(const Place& place);
  void show_state();
  void show_names();
  void show_verdict();
  void show_place();
  void take_outlines();
  void say(const QString& sentence);
  [[nodiscard]] QString waiting_for() const;

  Document* a_;
  Document* b_;
  QStackedWidget* stack_;
  WaitPage* waiting_;
  QLabel* verdict_;
  QLabel* banner_;
  QLabel* remark_;
  QLabel* count_;
  QLabel* names_[2] = {};
  QSplitter* split_;
  DiffFunctions* functions_;
  DiffArea* area_;
  DiffStrip* strip_;
  QList<QAction*> commands_;
  QAction* next_ = nullptr;
  QAction* previous_ = nullptr;
  QAction* swap_ = nullptr;
  QAction* only_ = nullptr;
  QAction* strict_ = nullptr;
  QTimer settle_;  // both files may change at once
  Cancel cancel_;
  Place kept_;  // to return to when the sides are swapped
  bool comparing_ = false, cancelled_ = false;
  int percent_ = 0;
  QString problem_;
};

}  // namespace ptxscope::gui
