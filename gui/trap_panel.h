// Every trap of the chosen kernel with its condition; choosing one lights up what is behind it, in code and graph.
#pragma once

#include <QLabel>
#include <QPlainTextEdit>
#include <QTimer>
#include <QTreeWidget>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "gui/panel.h"

namespace ptxscope::gui {

class TrapPanel : public Panel {
  Q_OBJECT
 public:
  TrapPanel(Document& document, Selection& selection, QWidget* parent = nullptr);
  ~TrapPanel() override;
  [[nodiscard]] QString title() const override { return tr("Traps"); }
  [[nodiscard]] QList<QAction*> commands() override { return commands_; }

  [[nodiscard]] QTreeWidget& tree() { return *tree_; }
  [[nodiscard]] QString details() const { return details_->toPlainText(); }
  [[nodiscard]] QString message() const { return message_->isHidden() ? QString() : message_->text(); }
  /// The explanation of this function into a file, as text or HTML by its ending; what comes of it is shown in the panel.
  void save_explanation(const QString& path);
  [[nodiscard]] bool is_saving() const { return saving_; }
  /// The next trap of the function, or the one before.
  void step(bool backwards);

 protected:
  void showEvent(QShowEvent* event) override;
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  struct Row {
    std::uint32_t trap = 0;
    std::uint32_t line = 0;
    QString text;
    bool never = false;
    bool soft = false;
    std::vector<QString> ways;  // where there are several
  };
  struct Rows {
    std::vector<Row> rows;
    QStringList notes;
  };

  void refresh();
  void take_rows(const Rows& rows);
  void show_current();
  void mark(std::uint32_t trap, std::optional<std::size_t> way);
  void show_details(std::uint32_t trap);
  void follow(const Choice& before, const QObject* by);
  void say(const QString& text);
  void forget();
  void clear_marks();
  void ask_explanation();
  [[nodiscard]] static Rows rows_of(const Module& module, const analysis::TrapReport& report);
  [[nodiscard]] QTreeWidgetItem* item_of(std::uint32_t trap) const;

  QTreeWidget* tree_;
  QPlainTextEdit* details_;
  QLabel* message_;
  QList<QAction*> commands_;
  QTimer settle_;
  std::uint32_t function_ = no_index;
  std::shared_ptr<const Module> module_;
  std::shared_ptr<const analysis::TrapReport> report_;  // of what the tree shows
  Cancel rows_cancel_, details_cancel_;
  bool following_ = false;
  bool saving_ = false;
  std::uint32_t marked_ = 0;  // trap whose marks are set
};

}  // namespace ptxscope::gui
