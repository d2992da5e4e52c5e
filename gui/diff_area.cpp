#include "gui/diff_area.h"

#include <QApplication>
#include <QClipboard>
#include <QContextMenuEvent>
#include <QFontMetricsF>
#include <QHelpEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QScrollBar>
#include <QToolTip>
#include <algorithm>

#include "gui/theme.h"
#include "gui/words.h"

namespace ptxscope::gui {
namespace {

constexpr std::size_t most_copied = std::size_t{64} << 20;

QString words_of_mark(LineMark mark) {
  switch (mark) {
    case LineMark::none:
      break;
    case LineMark::spelled:
      return DiffArea::tr("the same but for names, comments or spaces");
    case LineMark::moved:
      return DiffArea::tr("moved");
    case LineMark::changed:
      return DiffArea::tr("changed");
    case LineMark::removed:
      return DiffArea::tr("only in A");
    case LineMark::added:
      return DiffArea::tr("only in B");
  }
  return {};
}

}  // namespace

DiffArea::DiffArea(QWidget* parent) : QAbstractScrollArea(parent) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  setAccessibleName(tr("Both texts side by side"));
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    measure();
    update_scroll_bars();
    viewport()->update();
  });
  measure();
}

void DiffArea::show_diff(std::shared_ptr<const AlignedDiff> diff) {
  diff_ = std::move(diff);
  outlines_[0] = outlines_[1] = nullptr;
  caret_ = anchor_ = 0;
  build_shown();
  measure();
  update_scroll_bars();
  verticalScrollBar()->setValue(0);
  describe();
  viewport()->update();
}

void DiffArea::set_outlines(std::shared_ptr<const Outline> a, std::shared_ptr<const Outline> b) {
  outlines_[0] = std::move(a);
  outlines_[1] = std::move(b);
  update_scroll_bars();
  viewport()->update();
}

void DiffArea::build_shown() {
  shown_.clear();
  if (diff_ != nullptr && only_) {
    shown_ = only_differences(*diff_);
  } else if (diff_ != nullptr) {
    shown_.resize(diff_->rows.size());
    for (std::uint32_t i = 0; i < shown_.size(); ++i) shown_[i].row = i;
  }
  shown_.shrink_to_fit();
  Q_EMIT shown_changed();
}

void DiffArea::set_only_differences(bool only) {
  if (only == only_) return;
  const std::uint32_t here = row();
  only_ = only;
  build_shown();
  caret_ = anchor_ = shown_of_row(here);
  update_scroll_bars();
  bring_into_sight(caret_, true);
  describe();
}

// A gap makes room for what it hides.
void DiffArea::expand(std::uint32_t shown) {
  const ShownRow gap = shown_[shown];
  if (gap.hidden == 0) return;
  std::vector<ShownRow> rows(gap.hidden);
  for (std::uint32_t i = 0; i < gap.hidden; ++i) rows[i].row = gap.row + i;
  const auto at = shown_.erase(shown_.begin() + shown);
  shown_.insert(at, rows.begin(), rows.end());
  caret_ = anchor_ = shown;
  update_scroll_bars();
  viewport()->update();
  describe();
  Q_EMIT shown_changed();
}

void DiffArea::measure() {
  const QFontMetricsF metrics(Theme::instance().code_font());
  metrics_.character = metrics.horizontalAdvance(QLatin1Char('0'));
  metrics_.row = static_cast<int>(metrics.height() + 1.5);
  metrics_.ascent = static_cast<int>(metrics.ascent() + 1);
  metrics_.sign = static_cast<int>(metrics_.character * 2);
  std::uint32_t lines = 1;
  if (diff_ != nullptr) lines = std::max(line_count(*diff_->a), line_count(*diff_->b));
  metrics_.numbers = static_cast<int>(metrics_.character * static_cast<double>(QString::number(lines).size() + 1));
}

int DiffArea::rows_in_sight() const { return std::max(1, viewport()->height() / metrics_.row); }

int DiffArea::width_of_side() const { return viewport()->width() / 2; }

int DiffArea::left_of(DiffSide side) const { return side == DiffSide::a ? 0 : viewport()->width() - width_of_side(); }

DiffSide DiffArea::side_at(int x) const { return x < left_of(DiffSide::b) ? DiffSide::a : DiffSide::b; }

void DiffArea::update_scroll_bars() {
  const auto rows = static_cast<int>(std::min<std::size_t>(shown_.size(), 0x7fffffff));
  verticalScrollBar()->setPageStep(rows_in_sight());
  verticalScrollBar()->setSingleStep(3);
  verticalScrollBar()->setRange(0, std::max(0, rows - rows_in_sight()));
  std::uint32_t longest = 0;
  for (const auto& outline : outlines_)
    if (outline != nullptr) longest = std::max(longest, outline->longest_line + 8);
  longest = std::min<std::uint32_t>(longest, most_shown + 64);
  const int columns = static_cast<int>((width_of_side() - metrics_.text()) / metrics_.character);
  horizontalScrollBar()->setPageStep(std::max(1, columns));
  horizontalScrollBar()->setSingleStep(4);
  horizontalScrollBar()->setRange(0, std::max(0, static_cast<int>(longest) - columns));
}

std::uint32_t DiffArea::row() const { return caret_ < shown_.size() ? shown_[caret_].row : 0; }

std::uint32_t DiffArea::line() const {
  if (diff_ == nullptr || shown_.empty()) return 0;
  const DiffSection& section = diff_->section_of(row());
  const auto line_of = [&](std::uint32_t at) {
    const AlignedRow& one = diff_->rows[at];
    return one.kind == AlignedRow::Kind::lines ? one.line(side_) : 0;
  };
  for (std::uint32_t at = row(); at > section.first_row; --at)
    if (const std::uint32_t line = line_of(at); line != 0) return line;
  for (std::uint32_t at = row(); at < section.end; ++at)
    if (const std::uint32_t line = line_of(at); line != 0) return line;
  return 0;
}

std::uint32_t DiffArea::shown_of_row(std::uint32_t row) const {
  const auto behind = std::ranges::upper_bound(shown_, row, {}, &ShownRow::row);
  return behind == shown_.begin() ? 0 : static_cast<std::uint32_t>(behind - shown_.begin() - 1);
}

std::uint32_t DiffArea::first_row_in_sight() const {
  const auto at = static_cast<std::size_t>(verticalScrollBar()->value());
  return at < shown_.size() ? shown_[at].row : 0;
}

std::uint32_t DiffArea::last_row_in_sight() const {
  if (shown_.empty()) return 0;
  const auto at = static_cast<std::size_t>(verticalScrollBar()->value() + rows_in_sight() - 1);
  return shown_[std::min(at, shown_.size() - 1)].row;
}

void DiffArea::set_side(DiffSide side) {
  side_ = side;
  viewport()->update();
  describe();
}

void DiffArea::go_to_row(std::uint32_t row) {
  if (shown_.empty()) return;
  std::uint32_t shown = shown_of_row(row);
  if (shown_[shown].hidden != 0 && shown_[shown].row + shown_[shown].hidden > row && shown_[shown].row != row) {
    expand(shown);
    shown = shown_of_row(row);
  }
  caret_ = anchor_ = shown;
  bring_into_sight(shown, true);
  describe();
}

bool DiffArea::go_to_difference(bool backwards, bool strict) {
  if (diff_ == nullptr) return false;
  const std::uint32_t here = row();
  const auto wanted = [&](const DiffStop& stop) { return strict || !stop.strict_only; };
  const auto& stops = diff_->stops;
  std::optional<std::uint32_t> found;
  if (backwards) {
    // The one before the one that the cursor is in.
    for (auto at = std::ranges::lower_bound(stops, here, {}, &DiffStop::row); at != stops.begin() && !found;)
      if (wanted(*--at)) found = at->row;
  } else {
    for (auto at = std::ranges::upper_bound(stops, here, {}, &DiffStop::row); at != stops.end() && !found; ++at)
      if (wanted(*at)) found = at->row;
  }
  if (!found) return false;
  const AlignedRow& one = diff_->rows[*found];
  if (one.line(side_) == 0 && one.kind == AlignedRow::Kind::lines) side_ = other_side(side_);
  go_to_row(*found);
  return true;
}

void DiffArea::bring_into_sight(std::uint32_t shown, bool centered) {
  QScrollBar* const bar = verticalScrollBar();
  const int rows = rows_in_sight();
  const auto row = static_cast<int>(shown);
  if (row < bar->value() || row >= bar->value() + rows) {
    if (centered) bar->setValue(row - rows / 3);
    else bar->setValue(row < bar->value() ? row : row - rows + 1);
  }
  viewport()->update();
}

void DiffArea::move_to(std::int64_t shown, bool select) {
  if (shown_.empty()) return;
  caret_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(shown, 0, static_cast<std::int64_t>(shown_.size()) - 1));
  if (!select) anchor_ = caret_;
  bring_into_sight(caret_, false);
  describe();
}

QString DiffArea::words_of(std::uint32_t row, DiffSide side) const {
  if (diff_ == nullptr || row >= diff_->rows.size()) return {};
  const AlignedRow& one = diff_->rows[row];
  if (one.kind == AlignedRow::Kind::title) return QString::fromStdString(diff_->title_of(diff_->section_of(row)));
  if (one.kind == AlignedRow::Kind::more) return {};
  const LineMark mark = one.mark(side) != LineMark::none ? one.mark(side) : one.mark(other_side(side));
  QString text = words_of_mark(mark);
  const QString remark = QString::fromStdString(diff_->remark_of(row));
  // "moved: lines …" says it once.
  if (mark == LineMark::moved && !remark.isEmpty()) text.clear();
  if (!text.isEmpty() && !remark.isEmpty()) text += QStringLiteral(": ");
  return text + remark;
}

// For who does not see it: what the cursor is on.
void DiffArea::describe() {
  QString text;
  if (diff_ != nullptr && caret_ < shown_.size() && shown_[caret_].hidden == 0) {
    const AlignedRow& one = diff_->rows[row()];
    if (one.kind == AlignedRow::Kind::lines) {
      for (const DiffSide side : {DiffSide::a, DiffSide::b}) {
        const std::uint32_t line = one.line(side);
        const std::string_view code =
            line == 0 ? std::string_view() : diff_->module(side).line_text(line).substr(0, 400);
        text += (side == DiffSide::a ? tr("A ") : tr("; B ")) +
                (line == 0 ? tr("nothing")
                           : tr("line %1: ").arg(line) +
                                 QString::fromUtf8(code.data(), static_cast<qsizetype>(code.size())).trimmed());
      }
    }
    const QString words = words_of(row(), side_);
    if (!words.isEmpty()) text += (text.isEmpty() ? QString() : QStringLiteral("; ")) + words;
  }
  setAccessibleDescription(text);
  Q_EMIT caret_moved();
}

QString DiffArea::selected_text() const {
  if (diff_ == nullptr || shown_.empty()) return {};
  std::string text;
  const auto [first, last] = std::minmax(caret_, anchor_);
  const auto add = [&](std::uint32_t row) {
    const AlignedRow& one = diff_->rows[row];
    if (one.kind != AlignedRow::Kind::lines || one.line(side_) == 0) return;
    text += diff_->module(side_).line_text(one.line(side_));
    text += '\n';
  };
  for (std::uint32_t at = first; at <= last && text.size() < most_copied; ++at)
    for (std::uint32_t i = 0; i <= shown_[at].hidden && text.size() < most_copied; ++i)
      if (i == 0 || i < shown_[at].hidden) add(shown_[at].row + i);
  return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

void DiffArea::copy() {
  const QString text = selected_text();
  if (!text.isEmpty()) QApplication::clipboard()->setText(text);
}

std::optional<std::uint32_t> DiffArea::shown_at(int y) const {
  const std::int64_t at = verticalScrollBar()->value() + y / metrics_.row;
  if (y < 0 || at < 0 || at >= static_cast<std::int64_t>(shown_.size())) return std::nullopt;
  return static_cast<std::uint32_t>(at);
}

QRect DiffArea::rect_of_row(std::uint32_t row, DiffSide side) const {
  const int at = static_cast<int>(shown_of_row(row)) - verticalScrollBar()->value();
  return {left_of(side), at * metrics_.row, width_of_side(), metrics_.row};
}

void DiffArea::resizeEvent(QResizeEvent* event) {
  QAbstractScrollArea::resizeEvent(event);
  update_scroll_bars();
}

void DiffArea::scrollContentsBy(int, int) {
  viewport()->update();
  Q_EMIT shown_changed();
}

void DiffArea::mousePressEvent(QMouseEvent* event) {
  const auto at = shown_at(static_cast<int>(event->position().y()));
  if (!at || event->button() == Qt::MiddleButton) return;
  side_ = side_at(static_cast<int>(event->position().x()));
  if (event->button() == Qt::LeftButton && shown_[*at].hidden != 0) return expand(*at);
  if (event->button() == Qt::RightButton && *at >= std::min(caret_, anchor_) && *at <= std::max(caret_, anchor_))
    return;
  move_to(*at, (event->modifiers() & Qt::ShiftModifier) != 0);
}

void DiffArea::mouseMoveEvent(QMouseEvent* event) {
  if ((event->buttons() & Qt::LeftButton) == 0) return;
  const int row = static_cast<int>(event->position().y()) / metrics_.row - (event->position().y() < 0 ? 1 : 0);
  move_to(std::int64_t{verticalScrollBar()->value()} + row, true);
}

void DiffArea::mouseDoubleClickEvent(QMouseEvent* event) {
  if (event->button() == Qt::LeftButton && line() != 0) Q_EMIT line_opened(side_, line());
}

void DiffArea::keyPressEvent(QKeyEvent* event) {
  const bool select = (event->modifiers() & Qt::ShiftModifier) != 0;
  const bool control = (event->modifiers() & Qt::ControlModifier) != 0;
  const std::int64_t page = std::max(1, rows_in_sight() - 1);
  if (event->matches(QKeySequence::Copy)) return copy();
  if (event->matches(QKeySequence::SelectAll)) {
    anchor_ = 0;
    return move_to(static_cast<std::int64_t>(shown_.size()), true);
  }
  switch (event->key()) {
    case Qt::Key_Up:
      return move_to(std::int64_t{caret_} - 1, select);
    case Qt::Key_Down:
      return move_to(std::int64_t{caret_} + 1, select);
    case Qt::Key_PageUp:
      return move_to(caret_ - page, select);
    case Qt::Key_PageDown:
      return move_to(caret_ + page, select);
    case Qt::Key_Home:
      return move_to(0, select);
    case Qt::Key_End:
      return move_to(static_cast<std::int64_t>(shown_.size()), select);
    case Qt::Key_Left:
    case Qt::Key_Right:
      if (control) {
        horizontalScrollBar()->triggerAction(event->key() == Qt::Key_Left ? QScrollBar::SliderSingleStepSub
                                                                          : QScrollBar::SliderSingleStepAdd);
      } else {
        set_side(event->key() == Qt::Key_Left ? DiffSide::a : DiffSide::b);
      }
      return;
    case Qt::Key_Return:
    case Qt::Key_Enter:
      if (caret_ < shown_.size() && shown_[caret_].hidden != 0) return expand(caret_);
      if (line() != 0) Q_EMIT line_opened(side_, line());
      return;
    default:
      QAbstractScrollArea::keyPressEvent(event);
  }
}

void DiffArea::wheelEvent(QWheelEvent* event) {
  if ((event->modifiers() & Qt::ControlModifier) == 0) return QAbstractScrollArea::wheelEvent(event);
  if (event->angleDelta().y() != 0) Theme::instance().change_font_size(event->angleDelta().y() > 0 ? 1 : -1);
  event->accept();
}

void DiffArea::contextMenuEvent(QContextMenuEvent* event) {
  if (diff_ == nullptr || shown_.empty()) return;
  QMenu menu(this);
  menu.addAction(tr("&Copy"), this, &DiffArea::copy);
  for (const DiffSide side : {DiffSide::a, DiffSide::b}) {
    QAction* const open = menu.addAction(
        side == DiffSide::a ? tr("Show in the tab of &A") : tr("Show in the tab of &B"), this, [this, side] {
          side_ = side;
          if (line() != 0) Q_EMIT line_opened(side, line());
        });
    const DiffSide before = std::exchange(side_, side);
    open->setEnabled(line() != 0);
    side_ = before;
  }
  menu.exec(event->globalPos());
}

bool DiffArea::viewportEvent(QEvent* event) {
  if (event->type() != QEvent::ToolTip) return QAbstractScrollArea::viewportEvent(event);
  const auto* const help = static_cast<QHelpEvent*>(event);
  const auto at = shown_at(help->pos().y());
  QString text;
  if (at && shown_[*at].hidden != 0) text = tr("A click shows them.");
  else if (at) text = words_of(shown_[*at].row, side_at(help->pos().x()));
  if (text.isEmpty()) QToolTip::hideText();
  else QToolTip::showText(help->globalPos(), text.toHtmlEscaped(), viewport());
  return true;
}

}  // namespace ptxscope::gui
