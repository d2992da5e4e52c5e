#include "gui/code_area.h"

#include <QApplication>
#include <QClipboard>
#include <QFontMetricsF>
#include <QScrollBar>
#include <algorithm>

#include "gui/theme.h"
#include "gui/values.h"
#include "gui/words.h"
#include "report/cfg_parts.h"
#include "report/terminal.h"

namespace ptxscope::gui {
namespace {

constexpr std::size_t most_copied = std::size_t{64} << 20;
constexpr std::size_t most_pressure = 48;  // functions whose counts are kept
constexpr std::size_t most_hits = 20'000;

QString from_utf8(std::string_view text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

}  // namespace

CodeArea::CodeArea(Document& document, Selection& selection, QWidget* parent)
    : QAbstractScrollArea(parent), document_(document), selection_(selection) {
  setFocusPolicy(Qt::StrongFocus);
  setFrameShape(QFrame::NoFrame);
  viewport()->setMouseTracking(true);
  viewport()->setCursor(Qt::IBeamCursor);
  setAccessibleName(tr("PTX code"));
  setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  settle_.setSingleShot(true);
  settle_.setInterval(80);
  connect(&settle_, &QTimer::timeout, this, &CodeArea::ask_pressure);
  connect(&document_, &Document::module_changed, this, &CodeArea::take_module);
  connect(&document_, &Document::result_ready, this, [this](ResultKind kind, std::uint32_t function) {
    if (kind == ResultKind::outline) take_outline();
    if (kind == ResultKind::check || kind == ResultKind::diagnostics) take_diagnostics();
    if (kind != ResultKind::live) return;
    ask_pressure();
    if (wanted_peak_ && function == selection_.now().function) go_to_pressure_peak(*std::exchange(wanted_peak_, {}));
  });
  connect(&selection_, &Selection::changed, this, &CodeArea::follow_selection);
  connect(&selection_, &Selection::marks_changed, viewport(), qOverload<>(&QWidget::update));
  connect(&Theme::instance(), &Theme::changed, this, [this] {
    measure();
    update_scroll_bars();
    viewport()->update();
  });
  measure();
  take_module();
}

void CodeArea::take_module() {
  module_ = document_.module();
  outline_ = nullptr;
  hits_.clear();
  found_ = nullptr;
  occurrences_ = nullptr;
  occurrences_of_ = {};
  occurrences_cancel_.request();
  pressure_.clear();
  wanted_peak_.reset();
  caret_ = anchor_ = {};
  folded_.reset(module_ == nullptr ? 1 : line_count(*module_));
  measure();
  update_scroll_bars();
  if (module_ != nullptr) {
    take_outline();
    take_diagnostics();
    const Choice& now = selection_.now();
    if (now.line != 0) {
      caret_ = anchor_ = {std::min(now.line, folded_.lines()), 0};
      bring_into_sight(caret_.line, true);
    }
    settle_.start();
  }
  Q_EMIT occurrences_changed();
  viewport()->update();
}

void CodeArea::take_outline() {
  if (outline_ != nullptr) return;
  outline_ = document_.outline().value;
  if (outline_ != nullptr) {
    update_scroll_bars();
    viewport()->update();
  }
}

void CodeArea::take_diagnostics() {
  if (module_ == nullptr) return;
  hits_.clear();
  const auto add = [&](const Diagnostic& one) {
    if (one.span.empty() || hits_.size() >= most_hits) return;
    QString message = from_utf8(report::printable(one.message));
    if (!one.remedy.empty()) message += QLatin1Char('\n') + from_utf8(report::printable(one.remedy));
    hits_.push_back({one.span, one.level, message});
  };
  if (const auto all = document_.diagnostics()) {
    for (const Diagnostic& one : *all) add(one);
  } else {
    for (const Diagnostic& one : module_->diagnostics()) add(one);
  }
  std::ranges::stable_sort(hits_, {}, [](const Hit& hit) { return hit.span.begin; });
  viewport()->update();
}

void CodeArea::measure() {
  const QFont font = Theme::instance().code_font();
  const QFontMetricsF metrics(font);
  metrics_.character = metrics.horizontalAdvance(QLatin1Char('0'));
  metrics_.row = static_cast<int>(metrics.height() + 1.5);
  metrics_.ascent = static_cast<int>(metrics.ascent() + 1);
  const auto digits = static_cast<int>(QString::number(folded_.lines()).size());
  metrics_.fold = static_cast<int>(metrics_.character * 2);
  metrics_.numbers = static_cast<int>(metrics_.character * (digits + 1));
  metrics_.pressure = static_cast<int>(metrics_.character * 4.5);
}

int CodeArea::rows_in_sight() const { return std::max(1, viewport()->height() / metrics_.row); }

void CodeArea::update_scroll_bars() {
  const auto rows = static_cast<int>(std::min<std::uint32_t>(folded_.rows(), 0x7fffffff));
  verticalScrollBar()->setPageStep(rows_in_sight());
  verticalScrollBar()->setSingleStep(3);
  verticalScrollBar()->setRange(0, std::max(0, rows - rows_in_sight()));
  const int columns = static_cast<int>((viewport()->width() - metrics_.text()) / metrics_.character);
  const auto longest =
      outline_ == nullptr ? 0 : static_cast<int>(std::min<std::size_t>(outline_->longest_line + 24, most_shown + 64));
  horizontalScrollBar()->setPageStep(std::max(1, columns));
  horizontalScrollBar()->setSingleStep(4);
  horizontalScrollBar()->setRange(0, std::max(0, longest - columns));
}

std::string_view CodeArea::line_text(std::uint32_t line) const { return module_->line_text(line); }

std::uint32_t CodeArea::offset_of(Caret caret) const {
  const std::string_view text = line_text(caret.line);
  return static_cast<std::uint32_t>(text.data() - module_->text().data()) +
         std::min(caret.byte, static_cast<std::uint32_t>(text.size()));
}

CodeArea::Caret CodeArea::caret_at(std::uint32_t offset) const {
  const Position position = module_->position(offset);
  return {position.line, position.column - 1};
}

std::uint32_t CodeArea::caret_offset() const { return module_ == nullptr ? 0 : offset_of(caret_); }

std::uint32_t CodeArea::first_line_in_sight() const {
  return folded_.line_of_row(static_cast<std::uint32_t>(verticalScrollBar()->value()));
}

std::uint32_t CodeArea::last_line_in_sight() const {
  return folded_.line_of_row(static_cast<std::uint32_t>(verticalScrollBar()->value() + rows_in_sight()));
}

QRect CodeArea::rect_of_line(std::uint32_t line) const {
  const int row = static_cast<int>(folded_.row_of_line(line)) - verticalScrollBar()->value();
  return {0, row * metrics_.row, viewport()->width(), metrics_.row};
}

std::optional<std::uint32_t> CodeArea::pressure_of(std::uint32_t statement) const {
  if (module_ == nullptr) return std::nullopt;
  const auto found = pressure_.find(function_of(*module_, statement));
  if (found == pressure_.end()) return std::nullopt;
  const analysis::InstructionPressure* const at = report::pressure_at(*found->second, statement);
  return at == nullptr ? std::nullopt : std::optional(at->live.registers);
}

// Registers are counted of the functions in sight, once scrolling has come to rest.
void CodeArea::ask_pressure() {
  if (module_ == nullptr) return;
  std::uint32_t last = no_index;
  bool is_new = false;
  for (int row = 0; row <= rows_in_sight(); row += 4) {
    const std::uint32_t line = folded_.line_of_row(static_cast<std::uint32_t>(verticalScrollBar()->value() + row));
    const std::uint32_t statement = statement_at(*module_, line_begin(*module_, line));
    const std::uint32_t function = statement == no_index ? no_index : function_of(*module_, statement);
    if (function == no_index || function == last || pressure_.contains(function)) continue;
    last = function;
    if (!module_->functions()[function].has_body) continue;
    const auto answer = document_.live(function);
    if (!answer) continue;
    if (pressure_.size() >= most_pressure) pressure_.clear();
    pressure_.emplace(function, answer.value);
    is_new = true;
  }
  if (is_new) viewport()->update();
}

void CodeArea::bring_into_sight(std::uint32_t line, bool centered) {
  if (folded_.reveal(line)) update_scroll_bars();
  const auto row = static_cast<int>(folded_.row_of_line(line));
  QScrollBar* const bar = verticalScrollBar();
  const int rows = rows_in_sight();
  if (row >= bar->value() && row < bar->value() + rows) {
    viewport()->update();
    return;
  }
  if (centered) {
    bar->setValue(row - rows / 2);
  } else {
    bar->setValue(row < bar->value() ? row : row - rows + 1);
  }
  viewport()->update();
}

void CodeArea::show_line(std::uint32_t line) { bring_into_sight(line, true); }

void CodeArea::follow_selection(const Choice& before, const QObject* by, Move move) {
  if (module_ == nullptr || module_ != document_.module()) return;
  const Choice& now = selection_.now();
  if (by != this && now.line != 0) {
    if (now.line != caret_.line || move != Move::stay) {
      std::uint32_t byte = 0;
      if (now.statement != no_index) {
        const Caret begin = caret_at(module_->statement(now.statement).span().begin);
        if (begin.line == now.line) byte = begin.byte;
      }
      if (now.symbol) {
        if (const auto place = symbol_in(*module_, now.statement, now.symbol);
            !place.empty() && caret_at(place.begin).line == now.line)
          byte = caret_at(place.begin).byte;
      }
      caret_ = anchor_ = {std::min(now.line, folded_.lines()), byte};
    }
    if (move != Move::stay) bring_into_sight(caret_.line, true);
    Q_EMIT caret_moved();
  }
  if (now.symbol != before.symbol || now.symbol != occurrences_of_) find_occurrences();
  setAccessibleDescription(tr("Line %1: %2").arg(caret_.line).arg(from_utf8(line_text(caret_.line).substr(0, 200))));
  viewport()->update();
}

void CodeArea::find_occurrences() {
  const Symbol symbol = selection_.now().symbol;
  occurrences_cancel_.request();
  occurrences_ = nullptr;
  occurrences_of_ = symbol;
  if (symbol && module_ != nullptr) {
    occurrences_cancel_ = in_background(
        this, [module = module_, symbol](const Cancel&) { return occurrences(*module, symbol); },
        [this](Outcome<std::vector<Span>> outcome) {
          if (!outcome.value) return;
          occurrences_ = std::make_shared<const std::vector<Span>>(std::move(*outcome.value));
          Q_EMIT occurrences_changed();
          viewport()->update();
        },
        10);
  }
  Q_EMIT occurrences_changed();
}

void CodeArea::set_choice_from_caret(Move move) {
  if (module_ != nullptr) selection_.choose_offset(offset_of(caret_), this, move);
}

void CodeArea::move_caret(Caret caret, bool select, Move move) {
  if (module_ == nullptr) return;
  caret.line = std::clamp(caret.line, 1U, folded_.lines());
  caret.byte = std::min(caret.byte, static_cast<std::uint32_t>(std::min(line_text(caret.line).size(), most_shown)));
  caret_ = caret;
  if (!select) anchor_ = caret;
  bring_into_sight(caret.line, move == Move::jump);
  const double column = layout_of(line_text(caret.line)).column_of(caret.byte);
  QScrollBar* const bar = horizontalScrollBar();
  if (column < bar->value()) bar->setValue(static_cast<int>(column) - 4);
  if (column > bar->value() + bar->pageStep() - 2) bar->setValue(static_cast<int>(column) - bar->pageStep() + 8);
  set_choice_from_caret(move);
  Q_EMIT caret_moved();
  viewport()->update();
}

QString CodeArea::selected_text() const {
  if (module_ == nullptr || caret_ == anchor_) return {};
  const std::uint32_t a = offset_of(std::min(caret_, anchor_));
  const std::uint32_t b = offset_of(std::max(caret_, anchor_));
  return from_utf8(module_->text({a, b}).substr(0, most_copied));
}

void CodeArea::copy() {
  if (module_ == nullptr) return;
  if (caret_ == anchor_) {
    QApplication::clipboard()->setText(from_utf8(line_text(caret_.line).substr(0, most_copied)) + QLatin1Char('\n'));
    return;
  }
  const std::uint32_t size = offset_of(std::max(caret_, anchor_)) - offset_of(std::min(caret_, anchor_));
  QApplication::clipboard()->setText(selected_text());
  if (size > most_copied) Q_EMIT notice(tr("Only the first 64 MB were copied; for all of it use the file itself."));
}

void CodeArea::select_all() {
  if (module_ == nullptr) return;
  anchor_ = {1, 0};
  caret_ = {folded_.lines(), static_cast<std::uint32_t>(line_text(folded_.lines()).size())};
  viewport()->update();
}

void CodeArea::set_found(std::shared_ptr<const std::vector<Span>> found) {
  found_ = std::move(found);
  viewport()->update();
  Q_EMIT occurrences_changed();
}

void CodeArea::show_span(Span span) {
  if (module_ == nullptr) return;
  anchor_ = caret_at(span.begin);
  Caret end = caret_at(span.end);
  if (end.line != anchor_.line) end = anchor_;
  move_caret(end, true, Move::jump);
}

const Fold* CodeArea::fold_at(std::uint32_t line) const {
  if (outline_ == nullptr) return nullptr;
  const auto found = std::ranges::lower_bound(outline_->folds, line, {}, &Fold::first);
  return found != outline_->folds.end() && found->first == line ? &*found : nullptr;
}

void CodeArea::toggle_fold(const Fold& fold) {
  if (folded_.is_folded(fold.first)) {
    folded_.unfold(fold.first);
  } else {
    folded_.fold(fold.first, fold.last);
    if (folded_.is_hidden(caret_.line)) caret_ = anchor_ = {fold.first, 0};
  }
  update_scroll_bars();
  settle_.start();
  viewport()->update();
}

void CodeArea::toggle_fold_at_caret() {
  if (outline_ == nullptr) {
    Q_EMIT notice(tr("What can be folded is still being looked for."));
    return;
  }
  // The innermost that holds the line.
  const Fold* best = fold_at(caret_.line);
  if (best == nullptr) {
    for (auto one = std::ranges::upper_bound(outline_->folds, caret_.line, {}, &Fold::first);
         one != outline_->folds.begin();) {
      --one;
      if (one->last >= caret_.line) {
        best = &*one;
        break;
      }
      if (one->kind == Fold::Kind::function) break;
    }
  }
  if (best == nullptr) {
    Q_EMIT notice(tr("There is nothing to fold here: the line is outside of functions, scopes and blocks."));
    return;
  }
  toggle_fold(*best);
}

void CodeArea::fold_all_functions() {
  if (outline_ == nullptr) return;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> folds;
  for (const Fold& fold : outline_->folds)
    if (fold.kind == Fold::Kind::function) folds.emplace_back(fold.first, fold.last);
  folded_.fold_many(folds);
  if (folded_.is_hidden(caret_.line)) caret_ = anchor_ = {folded_.line_of_row(folded_.row_of_line(caret_.line)), 0};
  update_scroll_bars();
  bring_into_sight(caret_.line, true);
}

void CodeArea::unfold_all() {
  folded_.unfold_all();
  update_scroll_bars();
  bring_into_sight(caret_.line, true);
}

void CodeArea::go_to_occurrence(bool backwards) {
  if (!selection_.now().symbol) {
    Q_EMIT notice(tr("Put the cursor on a register, a label or another name first."));
    return;
  }
  if (occurrences_ == nullptr || occurrences_->empty()) return;
  const std::uint32_t at = offset_of(caret_);
  const auto& all = *occurrences_;
  // The one the cursor is on, or the first behind it.
  const auto here = std::ranges::lower_bound(all, at, {}, &Span::end);
  auto index = here - all.begin();
  const auto size = static_cast<std::ptrdiff_t>(all.size());
  if (backwards) {
    index = (index + size - 1) % size;
  } else {
    index = index < size && all[static_cast<std::size_t>(index)].begin <= at ? (index + 1) % size : index % size;
  }
  move_caret(caret_at(all[static_cast<std::size_t>(index)].begin), false, Move::jump);
}

void CodeArea::go_to_pressure_peak(bool backwards) {
  const std::uint32_t function = selection_.now().function;
  const auto live = document_.live(function);
  if (live.pending()) {
    wanted_peak_ = backwards;
    return;
  }
  if (!live) {
    Q_EMIT notice(live.problem);
    return;
  }
  if (!live->complete || live->max_live.registers == 0) {
    Q_EMIT notice(live->complete ? tr("No register is live anywhere in this function.")
                                 : tr("This function is too large for its live registers to be counted."));
    return;
  }
  std::vector<std::uint32_t> peaks;  // the first instruction of each stretch at the maximum
  bool in_peak = false;
  for (const analysis::InstructionPressure& one : live->instructions) {
    const bool is_peak = one.live.registers == live->max_live.registers;
    if (is_peak && !in_peak) peaks.push_back(one.statement);
    in_peak = is_peak;
  }
  const std::uint32_t here = selection_.now().statement == no_index ? 0 : selection_.now().statement;
  std::uint32_t target = peaks.front();
  if (backwards) {
    const auto before = std::ranges::lower_bound(peaks, here);
    target = before == peaks.begin() ? peaks.back() : *(before - 1);
  } else if (const auto behind = std::ranges::upper_bound(peaks, here); behind != peaks.end()) {
    target = *behind;
  }
  move_caret(caret_at(module_->statement(target).span().begin), false, Move::jump);
  Q_EMIT notice(tr("%1 live here, the most in this function (%2).")
                    .arg(counted(live->max_live.registers, tr("register")), counted(peaks.size(), tr("place"))));
}

void CodeArea::go_to_definition() {
  if (module_ == nullptr) return;
  const auto place = symbol_at(*module_, offset_of(caret_));
  if (!place) {
    Q_EMIT notice(tr("Put the cursor on a register, a label, a function or another name first."));
    return;
  }
  const Symbol symbol = place->symbol;
  const auto declared = declaration_of(*module_, symbol);
  if (symbol.kind == Symbol::Kind::name) {
    if (declared) {
      move_caret(caret_at(declared->begin), false, Move::jump);
    } else {
      Q_EMIT notice(tr("%1 is not declared in this module: it is built into PTX, or the module is not complete.")
                        .arg(from_utf8(report::printable(spelling(*module_, symbol)))));
    }
    return;
  }
  const std::uint32_t statement = selection_.now().statement;
  if (statement == no_index) return;
  document_.values().ask(
      symbol.function, symbol.reg, statement, this, [this, symbol, statement, declared](const RegisterValue& value) {
        if (value.definition != no_index && value.definition != statement) {
          move_caret(caret_at(module_->statement(value.definition).span().begin), false, Move::jump);
          return;
        }
        if (declared) move_caret(caret_at(declared->begin), false, Move::jump);
        Q_EMIT notice(tr("%1 has no single definition there; this is its declaration. Its places: Alt+Down, Alt+Up.")
                          .arg(from_utf8(spelling(*module_, symbol))));
      });
}

}  // namespace ptxscope::gui
