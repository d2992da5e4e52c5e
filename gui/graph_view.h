// Control flow of the chosen function as a graph. Laid out when it is looked at, off the GUI thread; a function of many
// blocks is shown in parts, around the block that is chosen.
#pragma once

#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QTimer>
#include <QToolButton>
#include <deque>
#include <memory>

#include "gui/graph_blocks.h"
#include "gui/graph_canvas.h"
#include "gui/graph_layout.h"
#include "gui/panel.h"

class QComboBox;

namespace ptxscope::gui {

class GraphView : public Panel {
  Q_OBJECT
 public:
  GraphView(Document& document, Selection& selection, QWidget* parent = nullptr);
  ~GraphView() override;
  [[nodiscard]] QString title() const override { return tr("Control flow"); }
  [[nodiscard]] QList<QAction*> commands() override { return commands_; }

  [[nodiscard]] GraphCanvas& canvas() { return *canvas_; }
  [[nodiscard]] GraphScene& scene() { return *scene_; }
  [[nodiscard]] BlockTable& blocks() { return *blocks_; }
  [[nodiscard]] QPushButton& cancel_button() { return *cancel_button_; }
  [[nodiscard]] bool is_busy() const { return busy_; }
  /// What is said above the graph, and instead of it.
  [[nodiscard]] QString summary() const { return summary_->text(); }
  [[nodiscard]] QString notice() const { return notice_->isHidden() ? QString() : notice_->text(); }
  [[nodiscard]] QString message() const { return message_->isHidden() ? QString() : message_->text(); }
  /// Of a function of many blocks all at once, though it may take long.
  void show_whole();
  void set_lines(std::uint32_t lines);
  /// Graphviz' program, for tests.
  void set_program(const QString& program);
  /// The picture into a file, by the file's ending; an error is shown in the panel.
  bool save_picture(const QString& path);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void build();
  void build_commands();
  void follow(const Choice& before, const QObject* by, Move move);
  void take_module();
  void refresh();
  void start_layout();
  void take_drawing(Outcome<GraphDrawing> outcome);
  void show_layout(std::shared_ptr<const GraphLayout> layout);
  void show_choice(bool move);
  void show_message(const QString& text);
  void place_message();
  void set_busy(bool busy);
  void press(std::uint32_t node);
  void cancel();
  void ask_picture();
  void say(const QString& text);
  void show_texts();
  [[nodiscard]] analysis::BlockId chosen_block() const;
  [[nodiscard]] GraphMetrics metrics() const;
  [[nodiscard]] GraphOptions options() const;

  GraphScene* scene_;
  GraphCanvas* canvas_ = nullptr;
  BlockTable* blocks_ = nullptr;
  QSplitter* split_ = nullptr;
  QComboBox* lines_box_ = nullptr;
  QLabel* summary_ = nullptr;
  QLabel* notice_ = nullptr;   // why it is shown in parts, what came of an export
  QLabel* message_ = nullptr;  // over the graph, while there is none
  QPushButton* cancel_button_ = nullptr;
  QPushButton* whole_button_ = nullptr;
  QList<QAction*> commands_;
  QAction* list_action_ = nullptr;

  QTimer settle_;  // kernels are stepped through faster than they can be drawn
  Cancel layout_cancel_;
  bool busy_ = false;
  bool stopped_ = false;               // by Cancel, or failed: not tried again by itself
  std::uint32_t function_ = no_index;  // the one shown or being laid out
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const analysis::FunctionFlow> flow_;
  bool whole_ = false;
  QString failed_whole_;  // why it cannot be shown as a whole
  QString said_;
  std::uint32_t lines_ = 8;
  QString program_ = QStringLiteral("dot");
  std::deque<std::shared_ptr<const GraphLayout>> kept_;  // the last ones, newest first
};

}  // namespace ptxscope::gui
