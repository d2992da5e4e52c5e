// SourceText of gui/source_view.h.
#include <QKeyEvent>
#include <QPainter>
#include <QTextBlock>
#include <algorithm>

#include "gui/source_view.h"
#include "gui/theme.h"

namespace ptxscope::gui {
namespace {

class Margin : public QWidget {
 public:
  explicit Margin(SourceText* text) : QWidget(text), text_(text) {}
  [[nodiscard]] QSize sizeHint() const override { return {text_->margin_width(), 0}; }

 protected:
  void paintEvent(QPaintEvent* event) override { text_->paint_margin(event); }

 private:
  SourceText* text_;
};

}  // namespace

SourceText::SourceText(QWidget* parent) : QPlainTextEdit(parent), margin_(new Margin(this)) {
  setReadOnly(true);
  setLineWrapMode(NoWrap);
  setFrameShape(NoFrame);
  setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
  setAccessibleName(tr("Source code"));
  connect(this, &QPlainTextEdit::updateRequest, this, [this](const QRect& rect, int dy) {
    if (dy != 0) {
      margin_->scroll(0, dy);
    } else {
      margin_->update(0, rect.y(), margin_->width(), rect.height());
    }
  });
  connect(this, &QPlainTextEdit::blockCountChanged, this, [this] { setViewportMargins(margin_width(), 0, 0, 0); });
  connect(&Theme::instance(), &Theme::changed, this, &SourceText::take_theme);
  take_theme();
}

void SourceText::take_theme() {
  setFont(Theme::instance().code_font());
  setTabStopDistance(4 * QFontMetricsF(font()).horizontalAdvance(QLatin1Char(' ')));
  setViewportMargins(margin_width(), 0, 0, 0);
  show_mark();
}

int SourceText::margin_width() const {
  const auto digits = static_cast<int>(QString::number(std::max(1, blockCount())).size());
  return fontMetrics().horizontalAdvance(QLatin1Char('0')) * (digits + 2);
}

void SourceText::set_lines_with_code(std::vector<int> lines) {
  with_code_ = std::move(lines);
  margin_->update();
}

void SourceText::mark_line(int line) {
  marked_ = line;
  show_mark();
  if (line <= 0) return;
  const QTextBlock block = document()->findBlockByNumber(line - 1);
  if (!block.isValid()) return;
  QTextCursor cursor(block);
  setTextCursor(cursor);
  if (!viewport()->rect().contains(cursorRect().center())) centerCursor();
}

void SourceText::show_mark() {
  QList<QTextEdit::ExtraSelection> marks;
  const QTextBlock block = document()->findBlockByNumber(marked_ - 1);
  if (marked_ > 0 && block.isValid()) {
    QTextEdit::ExtraSelection mark;
    mark.format.setBackground(Theme::instance().colors().of(MarkRole::found));
    mark.format.setProperty(QTextFormat::FullWidthSelection, true);
    mark.cursor = QTextCursor(block);
    marks.append(mark);
  }
  setExtraSelections(marks);
}

void SourceText::paint_margin(QPaintEvent* event) {
  QPainter painter(margin_);
  const Colors& colors = Theme::instance().colors();
  painter.fillRect(event->rect(), colors.margin);
  painter.setFont(font());
  QTextBlock block = firstVisibleBlock();
  int top = qRound(blockBoundingGeometry(block).translated(contentOffset()).top());
  while (block.isValid() && top <= event->rect().bottom()) {
    const int height = qRound(blockBoundingRect(block).height());
    const int line = block.blockNumber() + 1;
    const bool has_code = std::ranges::binary_search(with_code_, line);
    painter.setPen(has_code ? colors.accent : colors.dim);
    painter.drawText(0, top, margin_->width() - fontMetrics().horizontalAdvance(QLatin1Char('0')), height,
                     Qt::AlignRight | Qt::AlignVCenter, QString::number(line));
    block = block.next();
    top += height;
  }
}

void SourceText::resizeEvent(QResizeEvent* event) {
  QPlainTextEdit::resizeEvent(event);
  const QRect inside = contentsRect();
  margin_->setGeometry(inside.left(), inside.top(), margin_width(), inside.height());
}

void SourceText::mouseReleaseEvent(QMouseEvent* event) {
  QPlainTextEdit::mouseReleaseEvent(event);
  if (!textCursor().hasSelection()) Q_EMIT line_chosen(textCursor().blockNumber() + 1);
}

void SourceText::keyPressEvent(QKeyEvent* event) {
  if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
    Q_EMIT line_chosen(textCursor().blockNumber() + 1);
    return;
  }
  QPlainTextEdit::keyPressEvent(event);
}

}  // namespace ptxscope::gui
