#include "gui/instruction_panel.h"

#include <QVBoxLayout>
#include <algorithm>

#include "analysis/cfg.h"
#include "gui/code_tips.h"
#include "gui/theme.h"
#include "report/one_line.h"

namespace ptxscope::gui {
namespace {

constexpr std::size_t most_registers = 8;  // Values drops questions when more of them wait
constexpr std::size_t most_characters = 400;

}  // namespace

InstructionPanel::InstructionPanel(Document& document, Selection& selection, QWidget* parent)
    : Panel(document, selection, parent) {
  text_ = new QTextBrowser(this);
  text_->setFrameShape(QFrame::NoFrame);
  text_->setOpenLinks(false);
  text_->setAccessibleName(tr("The chosen instruction"));
  text_->setPlaceholderText(tr("Choose an instruction in the code to see what it does and needs."));
  auto* const column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->addWidget(text_);
  setFocusProxy(text_);
  settle_.setSingleShot(true);
  settle_.setInterval(60);
  connect(&settle_, &QTimer::timeout, this, &InstructionPanel::start);
  connect(&selection, &Selection::changed, &settle_, qOverload<>(&QTimer::start));
  connect(&document, &Document::module_changed, &settle_, qOverload<>(&QTimer::start));
  connect(&Theme::instance(), &Theme::changed, this, &InstructionPanel::show_all);
}

void InstructionPanel::showEvent(QShowEvent* event) {
  Panel::showEvent(event);
  settle_.start();
}

void InstructionPanel::start() {
  if (!isVisible()) return;
  const auto module = document().module();
  const std::uint32_t statement = selection().now().statement;
  if (module == module_ && statement == statement_) return;
  module_ = module;
  statement_ = statement;
  registers_.clear();
  const std::uint64_t question = ++question_;
  if (module != nullptr && statement < module->statement_count() &&
      module->statement(statement).kind() == StatementKind::instruction) {
    const std::uint32_t function = function_of(*module, statement);
    analysis::RegisterUses uses;
    analysis::register_uses(module->statement(statement), uses);
    for (const RegisterNumber reg : uses.reads) {
      if (function == no_index || registers_.size() >= most_registers) break;
      if (std::ranges::find(registers_, reg, &Line::reg) != registers_.end()) continue;
      const std::string name = module->register_name(module->functions()[function], reg);
      registers_.push_back({reg, QString::fromStdString(name), {}, false});
    }
    for (std::size_t i = 0; i < registers_.size(); ++i) {
      document().values().ask(function, registers_[i].reg, statement, this,
                              [this, i, question](const RegisterValue& value) {
                                if (question != question_) return;
                                registers_[i].value = value;
                                registers_[i].known = true;
                                show_all();
                              });
    }
  }
  show_all();
}

void InstructionPanel::show_all() {
  if (module_ == nullptr || statement_ >= module_->statement_count()) {
    text_->clear();
    return;
  }
  const Statement statement = module_->statement(statement_);
  QString html = QStringLiteral("<p style='font-family:monospace'><b>%1</b></p>")
                     .arg(QString::fromStdString(report::one_line(statement, most_characters)).toHtmlEscaped());
  for (const Line& line : registers_) {
    html += QStringLiteral("<table><tr><td style='font-family:monospace'>%1&nbsp;</td><td>%2</td></tr></table>")
                .arg(line.name.toHtmlEscaped(),
                     line.known ? tip_html(report::tip_of_value(*module_, line.value)) : QStringLiteral("…"));
  }
  if (statement.kind() == StatementKind::instruction)
    html += QStringLiteral("<hr>") + tip_html(report::tip_of_opcode(statement.opcode(), true));
  text_->setHtml(html);
}

}  // namespace ptxscope::gui
