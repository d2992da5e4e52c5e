// The source files that a module's `.loc` lines name, beside its code and linked with it both ways.
#pragma once

#include <QComboBox>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <memory>
#include <vector>

#include "gui/panel.h"

namespace ptxscope::gui {

/// Source text with line numbers.
class SourceText : public QPlainTextEdit {
  Q_OBJECT
 public:
  explicit SourceText(QWidget* parent = nullptr);
  /// Lines (from 1) that some instruction came from, ascending.
  void set_lines_with_code(std::vector<int> lines);
  void mark_line(int line);  ///< 0: none
  [[nodiscard]] int marked_line() const { return marked_; }
  [[nodiscard]] int margin_width() const;
  void paint_margin(QPaintEvent* event);

 Q_SIGNALS:
  void line_chosen(int line);

 protected:
  void resizeEvent(QResizeEvent* event) override;
  void mouseReleaseEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void take_theme();
  void show_mark();

  QWidget* margin_;
  std::vector<int> with_code_;
  int marked_ = 0;
};

class SourceView : public Panel {
  Q_OBJECT
 public:
  SourceView(Document& document, Selection& selection, QWidget* parent = nullptr);
  [[nodiscard]] QString title() const override { return tr("Source"); }
  [[nodiscard]] SourceText& text() { return *text_; }
  [[nodiscard]] QString message() const { return message_->text(); }
  /// Whether a named source file is there to be shown.
  [[nodiscard]] bool has_source() const { return !files_.empty(); }

 Q_SIGNALS:
  void has_source_changed();

 private:
  struct File {
    std::uint32_t number = 0;  ///< in the SourceMap
    QString name, text;
  };
  void start_over();
  void take_map();
  void take_files(std::vector<File> files);
  void show_file(int index);
  void follow(const QObject* by);
  void choose_line(int line);
  void choose_folder();
  void say(const QString& sentence);

  std::shared_ptr<const Module> module_;
  std::shared_ptr<const SourceMap> map_;
  std::vector<File> files_;
  int shown_ = -1;
  QString folder_;  // chosen by hand
  QComboBox* choice_;
  SourceText* text_;
  QLabel* message_;
  QPushButton* folder_button_;
  QStackedWidget* stack_;
};

}  // namespace ptxscope::gui
