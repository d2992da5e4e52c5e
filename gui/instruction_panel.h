// The chosen instruction at length: what it does and needs, and what each register that it reads holds there. The same
// as the tips of the code, for those who would rather have it stand still.
#pragma once

#include <QTextBrowser>
#include <QTimer>
#include <cstdint>
#include <vector>

#include "gui/panel.h"
#include "gui/values.h"

namespace ptxscope::gui {

class InstructionPanel : public Panel {
  Q_OBJECT
 public:
  InstructionPanel(Document& document, Selection& selection, QWidget* parent = nullptr);
  [[nodiscard]] QString title() const override { return tr("Instruction"); }
  [[nodiscard]] QString text() const { return text_->toPlainText(); }

 protected:
  void showEvent(QShowEvent* event) override;

 private:
  struct Line {
    RegisterNumber reg = 0;
    QString name;
    RegisterValue value;
    bool known = false;  // asked, and answered
  };
  void start();
  void show_all();

  std::shared_ptr<const Module> module_;
  std::uint32_t statement_ = no_index;
  std::vector<Line> registers_;
  std::uint64_t question_ = 0;
  QTimer settle_;  // the cursor has come to rest
  QTextBrowser* text_;
};

}  // namespace ptxscope::gui
