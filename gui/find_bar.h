// The bar under the code: find, as you type, with regular expressions.
#pragma once

#include <QCheckBox>
#include <QLabel>
#include <QLineEdit>
#include <QTimer>
#include <QWidget>
#include <memory>
#include <vector>

#include "gui/document.h"
#include "gui/text_search.h"

namespace ptxscope::gui {

class CodeArea;

class FindBar : public QWidget {
  Q_OBJECT
 public:
  FindBar(Document& document, CodeArea& code, QWidget* parent = nullptr);

  /// Shows the bar with the cursor in it. A selection within a line becomes the pattern.
  void open();
  void close_bar();
  void find_next(bool backwards);
  /// For tests: what is searched for, and the state of the search.
  void set_pattern(const QString& pattern, bool is_regex);
  [[nodiscard]] QString status() const { return status_->text(); }
  [[nodiscard]] bool is_searching() const { return searching_; }

 protected:
  void keyPressEvent(QKeyEvent* event) override;

 private:
  void start_search();
  void take(const SearchResult& result);
  void show_status();
  [[nodiscard]] SearchQuestion question() const;

  Document& document_;
  CodeArea& code_;
  QLineEdit* pattern_;
  QCheckBox* regex_;
  QCheckBox* case_;
  QCheckBox* words_;
  QLabel* status_;
  QTimer typing_;
  Cancel cancel_;
  bool searching_ = false;
  int wanted_ = 0;  // a step asked for while the search was going on: 1 forwards, -1 backwards
  SearchQuestion asked_;
  std::uint64_t asked_generation_ = 0;
  std::shared_ptr<const std::vector<Span>> found_;
  bool cut_short_ = false;
  QString problem_;
};

}  // namespace ptxscope::gui
