#include "report/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace ptxscope::report {
namespace {

constexpr std::size_t tab_width = 4;
// A line may be as long as the file; this much of it around the marker is looked at.
constexpr std::uint32_t reach = 1024;

Ink ink_of(Level level) {
  switch (level) {
    case Level::note:
      return Ink::note;
    case Level::warning:
      return Ink::warning;
    case Level::error:
      return Ink::error;
  }
  return Ink::error;
}

// What is shown of one code point, and how wide that is.
struct Cell {
  std::string text;
  std::size_t columns = 0;
  bool marked = false;
};

struct Window {
  std::string_view text;
  std::uint32_t begin = 0;  // offset in the module's text
  bool cut_left = false, cut_right = false;
};

Window line_around(std::string_view text, Span span) {
  const auto size = static_cast<std::uint32_t>(text.size());
  const std::uint32_t place = std::min(span.begin, size);
  std::uint32_t first = place;
  while (first > 0 && text[first - 1] != '\n' && place - first < reach) --first;
  std::uint32_t last = place;
  while (last < size && text[last] != '\n' && last - place < reach) ++last;
  Window window;
  window.cut_left = first > 0 && text[first - 1] != '\n';
  window.cut_right = last < size && text[last] != '\n';
  // Not in the middle of a character.
  while (window.cut_left && first < place && (static_cast<unsigned char>(text[first]) & 0xc0U) == 0x80U) ++first;
  while (!window.cut_right && last > first &&
         (text[last - 1] == '\r' || text[last - 1] == ' ' || text[last - 1] == '\t'))
    --last;
  window.text = text.substr(first, last - first);
  window.begin = first;
  return window;
}

std::vector<Cell> cells_of(const Window& window, Span span) {
  std::vector<Cell> cells;
  std::size_t column = 0;
  for (std::size_t i = 0; i < window.text.size();) {
    const CodePoint point = decode_utf8(window.text, i);
    Cell cell;
    if (point.valid && point.value == '\t') {
      cell.columns = tab_width - column % tab_width;
      cell.text.assign(cell.columns, ' ');
    } else {
      cell.text = printable(window.text.substr(i, point.length));
      cell.columns = point.valid && !is_control(point.value) ? columns_of(point.value) : cell.text.size();
    }
    const std::size_t offset = window.begin + i;
    cell.marked = offset >= span.begin && offset < std::max(span.end, span.begin + 1);
    column += cell.columns;
    cells.push_back(std::move(cell));
    i += point.length;
  }
  // At the end of the line, or of the file.
  if (cells.empty() || window.begin + window.text.size() <= span.begin) cells.push_back({" ", 1, true});
  return cells;
}

std::string place_of(const Module& module, Span span) {
  const Position position = module.position(span);
  return fmt::format("{}:{}:{}", printable(module.file_name()), position.line, position.column);
}

bool has_place(Span span) { return span.begin != 0 || span.end != 0; }

}  // namespace

std::string_view spelling(Level level) {
  switch (level) {
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::error:
      return "error";
  }
  return "error";
}

std::string source_excerpt(const Module& module, Span span, const TextStyle& style, std::size_t gutter, Ink marker) {
  const Window window = line_around(module.text(), span);
  const std::vector<Cell> cells = cells_of(window, span);
  const std::size_t margin = gutter + 3;
  const std::size_t room = style.width > margin + 20 ? style.width - margin : 20;

  // The cells that are shown: all of them, or as many around the marker as there is room for.
  std::size_t marked = 0;
  while (marked + 1 < cells.size() && !cells[marked].marked) ++marked;
  std::size_t first = marked;
  std::size_t last = marked;  // exclusive
  std::size_t used = 0;
  const auto columns = [&](std::size_t i) { return cells[i].columns; };
  while (first > 0 && used + columns(first - 1) <= room / 3) used += columns(--first);
  while (last < cells.size() && used + columns(last) + 2 <= room) used += columns(last++);
  while (first > 0 && used + columns(first - 1) + 2 <= room) used += columns(--first);

  const bool cut_left = first > 0 || window.cut_left;
  const bool cut_right = last < cells.size() || window.cut_right;
  std::string line = cut_left ? "…" : "";
  std::string marks = cut_left ? " " : "";
  bool begun = false;
  for (std::size_t i = first; i < last; ++i) {
    line += cells[i].text;
    for (std::size_t k = 0; k < cells[i].columns; ++k) {
      marks += !cells[i].marked ? ' ' : begun ? '~' : '^';
      begun = begun || cells[i].marked;
    }
  }
  if (cut_right) line += "…";
  while (!line.empty() && line.back() == ' ') line.pop_back();
  while (!marks.empty() && marks.back() == ' ') marks.pop_back();
  const std::uint32_t number = module.position(span).line;
  return fmt::format("{}{}{}\n{}{}\n", paint(style, Ink::dim, fmt::format("{:>{}} |", number, gutter)),
                     line.empty() ? "" : " ", line, paint(style, Ink::dim, fmt::format("{:>{}} |", "", gutter)),
                     marks.empty() ? "" : " " + paint(style, marker, marks));
}

std::string to_text(const Module& module, const Diagnostic& diagnostic, const TextStyle& style) {
  std::string out = fmt::format("{}: {} {}", paint(style, Ink::bold, place_of(module, diagnostic.span)),
                                paint(style, ink_of(diagnostic.level), fmt::format("{}:", spelling(diagnostic.level))),
                                paint(style, Ink::bold, printable(diagnostic.message)));
  if (!diagnostic.rule.empty()) out += paint(style, Ink::dim, fmt::format(" [{}]", diagnostic.rule));
  out += '\n';
  out += source_excerpt(module, diagnostic.span, style);
  const std::uint32_t line = module.position(diagnostic.span).line;
  for (const Diagnostic::Note& note : diagnostic.notes) {
    const std::uint32_t note_line = module.position(note.span).line;
    const bool elsewhere = has_place(note.span);
    out += fmt::format("  {} {}{}\n", paint(style, Ink::note, "note:"), printable(note.message),
                       elsewhere ? fmt::format(" (line {})", note_line) : "");
    if (elsewhere && note_line != line) out += source_excerpt(module, note.span, style, 5, Ink::note);
  }
  if (!diagnostic.remedy.empty()) {
    out += fmt::format("  {} {}\n", paint(style, Ink::good, "help:"), printable(diagnostic.remedy));
  }
  return out;
}

std::string to_text(const Module& module, std::span<const Diagnostic> diagnostics, const TextStyle& style) {
  std::vector<const Diagnostic*> ordered;
  ordered.reserve(diagnostics.size());
  for (const Diagnostic& diagnostic : diagnostics) ordered.push_back(&diagnostic);
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Diagnostic* a, const Diagnostic* b) { return a->span.begin < b->span.begin; });
  std::string out;
  for (const Diagnostic* diagnostic : ordered) out += to_text(module, *diagnostic, style);
  return out;
}

}  // namespace ptxscope::report
