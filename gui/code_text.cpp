#include "gui/code_text.h"

#include <algorithm>

#include "gui/theme.h"

namespace ptxscope::gui {

void draw_code(QPainter& painter, const Module& module, const Outline* outline, std::uint32_t line,
               const LineLayout& layout, const CodePlace& place) {
  const Colors& colors = Theme::instance().colors();
  const std::string_view text = module.line_text(line);
  const auto begin = static_cast<std::uint32_t>(text.data() - module.text().data());
  static const Outline no_outline;
  const LineState state = state_of_line(module, outline == nullptr ? no_outline : *outline, begin);
  const std::uint32_t statement = statement_at(module, begin);
  const bool unparsed = statement != no_index && module.statement(statement).kind() == StatementKind::unparsed &&
                        module.statement(statement).span().begin < begin + text.size();

  QString piece;
  double piece_column = 0;
  double next_column = 0;
  const auto flush = [&](const QColor& color) {
    if (piece.isEmpty()) return;
    painter.setPen(color);
    painter.drawText(QPointF(place.left + piece_column * place.character, place.top + place.ascent), piece);
    piece.clear();
  };
  const std::vector<SyntaxRun> runs = syntax_of(text, state, most_shown);
  auto run = runs.begin();
  SyntaxRole role = SyntaxRole::text;
  for (const LineLayout::Cell& cell : layout.cells) {
    while (run != runs.end() && run->end <= cell.byte) ++run;
    SyntaxRole next = run != runs.end() && run->begin <= cell.byte ? run->role : SyntaxRole::text;
    if (unparsed && next != SyntaxRole::comment) next = SyntaxRole::unknown;
    if (cell.column + 2.0 < place.first_column || cell.column > place.last_column) continue;
    if (next != role || cell.column != next_column || cell.character == U' ') {
      flush(colors.of(role));
      role = next;
      piece_column = cell.column;
    }
    next_column = cell.column + 1;
    if (cell.character == U' ') continue;  // and the next one starts a piece at its own column
    if (piece.isEmpty()) piece_column = cell.column;
    const char32_t character = cell.character;
    piece += QString::fromUcs4(&character, 1);
  }
  flush(colors.of(role));
}

}  // namespace ptxscope::gui
