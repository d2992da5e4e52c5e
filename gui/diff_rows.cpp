#include "gui/diff_rows.h"

#include <algorithm>
#include <utility>

#include "analysis/diff_align.h"
#include "gui/places.h"
#include "report/diff.h"
#include "report/diff_parts.h"

namespace ptxscope::gui {

using analysis::Edit;
using analysis::EditEffect;
using analysis::FunctionDiff;
using analysis::FunctionStatus;

namespace {

// Of one declaration; its value may go on for megabytes.
constexpr std::uint32_t most_declaration_lines = 40;

std::uint32_t last_line(const Module& module, Span span) { return module.position(std::max(span.end, 1U) - 1).line; }

// What a line without its own place in the comparison is, so that labels stand beside labels.
int kind_of_line(const Module& module, std::uint32_t line) {
  const std::string_view text = module.line_text(line);
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return -1;
  if (text.substr(first, 2) == "//") return -2;
  const std::uint32_t statement = statement_on_line(module, line);
  return statement == no_index ? -3 : static_cast<int>(module.statement(statement).kind());
}

bool same_words(std::string_view a, std::string_view b) {
  if (a == b) return true;
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
  std::size_t i = 0;
  std::size_t j = 0;
  for (;;) {
    while (i < a.size() && is_space(a[i])) ++i;
    while (j < b.size() && is_space(b[j])) ++j;
    if (i == a.size() || j == b.size()) return i == a.size() && j == b.size();
    if (a[i++] != b[j++]) return false;
  }
}

// The lines of one side of a function, and what each of them is.
struct SideLines {
  struct Line {
    LineMark mark = LineMark::none;
    bool changes = true;
    bool moved = false;  // of a stretch that moved, whatever else is marked of it
    std::uint32_t edit = no_index;
  };
  std::uint32_t first = 1;
  std::vector<Line> lines;

  [[nodiscard]] std::uint32_t end() const { return first + static_cast<std::uint32_t>(lines.size()); }
  [[nodiscard]] bool has(std::uint32_t line) const { return line >= first && line < end(); }
  [[nodiscard]] const Line& at(std::uint32_t line) const { return lines[line - first]; }
  void set(std::uint32_t from, std::uint32_t to, LineMark mark, bool changes, std::uint32_t edit) {
    for (std::uint32_t line = std::max(from, first); line <= to && has(line); ++line) {
      Line& one = lines[line - first];
      one.moved = one.moved || mark == LineMark::moved;
      const bool stays = one.mark > LineMark::moved && (one.changes || !changes);
      if (!stays) one = {mark, changes, one.moved, edit};
    }
  }
};

class Builder {
 public:
  explicit Builder(AlignedDiff& out) : out_(out), a_(*out.a), b_(*out.b) {}

  // False: stopped.
  bool run(const std::function<bool(std::size_t, std::size_t)>& goes_on) {
    open_section(no_index);
    add_header();
    add_declarations();
    close_section();
    for (std::uint32_t i = 0; i < out_.diff.functions.size(); ++i) {
      if (!goes_on(i, out_.diff.functions.size())) return false;
      open_section(i);
      add_function(out_.diff.functions[i]);
      close_section();
    }
    out_.rows.shrink_to_fit();
    return true;
  }

 private:
  void open_section(std::uint32_t function) {
    out_.sections.push_back({function, row_count(), 0});
    AlignedRow title;
    title.kind = AlignedRow::Kind::title;
    out_.rows.push_back(title);
  }

  [[nodiscard]] std::uint32_t row_count() const { return static_cast<std::uint32_t>(out_.rows.size()); }

  void close_section() {
    DiffSection& section = out_.sections.back();
    section.end = row_count();
    if (section.function != no_index) {
      const FunctionDiff& one = out_.diff.functions[section.function];
      // Told by the title alone.
      if (one.status == FunctionStatus::renamed || one.respelled > 0)
        out_.stops.push_back({section.first_row, section.first_row + 1, LineMark::spelled, true});
    }
    for (std::uint32_t row = section.first_row; row < section.end; ++row) {
      if (!out_.rows[row].is_marked()) continue;
      DiffStop stop{row, row, std::max(out_.rows[row].a_mark, out_.rows[row].b_mark), true};
      for (; stop.end < section.end && out_.rows[stop.end].is_marked(); ++stop.end)
        stop.strict_only = stop.strict_only && !tells(out_.rows[stop.end]);
      out_.stops.push_back(stop);
      row = stop.end;
    }
  }

  // A block that moved changes nothing, but is what one looks for.
  static bool tells(const AlignedRow& row) {
    return row.changes || row.a_mark == LineMark::moved || row.b_mark == LineMark::moved;
  }

  void add_header() {
    struct Field {
      const char* name;
      Span a, b;
    };
    const Header& a = a_.header();
    const Header& b = b_.header();
    for (const Field& field : {Field{"version", a.version_span, b.version_span},
                               {"target", a.target_span, b.target_span},
                               {"address_size", a.address_size_span, b.address_size_span}}) {
      const bool differs =
          std::ranges::any_of(out_.diff.header, [&](const auto& one) { return one.field == field.name; });
      add_spans(field.a, field.b, differs, false);
    }
  }

  void add_declarations() {
    for (const analysis::DeclarationDiff* const one : report::told_declarations(out_.diff, true))
      add_spans(one->a, one->b, true, one->effect == EditEffect::changes);
  }

  // The lines of two pieces of text beside each other.
  void add_spans(Span a, Span b, bool differs, bool changes) {
    if (a.empty() && b.empty()) return;
    const auto lines = [](const Module& module, Span span) {
      return span.empty() ? std::pair(0U, 0U) : std::pair(module.position(span).line, last_line(module, span) + 1);
    };
    auto [a_line, a_end] = lines(a_, a);
    auto [b_line, b_end] = lines(b_, b);
    for (std::uint32_t count = 0; a_line < a_end || b_line < b_end; ++count) {
      AlignedRow row;
      row.changes = changes;
      if (count == most_declaration_lines) {
        row.kind = AlignedRow::Kind::more;
        row.a = a_end - a_line;
        row.b = b_end - b_line;
        out_.rows.push_back(row);
        return;
      }
      if (a_line < a_end) row.a = a_line++;
      if (b_line < b_end) row.b = b_line++;
      if (differs) {
        const bool same = row.a != 0 && row.b != 0 && same_words(a_.line_text(row.a), b_.line_text(row.b));
        if (row.a != 0 && !same) row.a_mark = b.empty() ? LineMark::removed : LineMark::changed;
        if (row.b != 0 && !same) row.b_mark = a.empty() ? LineMark::added : LineMark::changed;
      }
      out_.rows.push_back(row);
    }
  }

  [[nodiscard]] SideLines lines_of(const Module& module, std::uint32_t function) const {
    SideLines side;
    if (function == no_index) return side;
    const Span span = module.functions()[function].span;
    side.first = module.position(span).line;
    side.lines.resize(last_line(module, span) - side.first + 1);
    return side;
  }

  void add_function(const FunctionDiff& one) {
    left_ = lines_of(a_, one.a);
    right_ = lines_of(b_, one.b);
    if (one.a == no_index || one.b == no_index) {
      const LineMark mark = one.a == no_index ? LineMark::added : LineMark::removed;
      for (SideLines* const side : {&left_, &right_})
        if (!side->lines.empty()) side->set(side->first, side->end() - 1, mark, true, no_index);
      gap(left_.end(), right_.end(), left_.first, right_.first);
      return;
    }
    mark_lines(one);
    std::uint32_t a = left_.first;
    std::uint32_t b = right_.first;
    for (const auto& [next_a, next_b] : anchors_of(one)) {
      gap(next_a, next_b, a, b);
      add_pair(next_a, next_b);
      a = next_a + 1;
      b = next_b + 1;
    }
    gap(left_.end(), right_.end(), a, b);
  }

  void mark_lines(const FunctionDiff& one) {
    for (std::uint32_t i = 0; i < one.edits.size(); ++i) {
      const Edit& edit = one.edits[i];
      const bool changes = edit.effect == EditEffect::changes;
      const bool both = edit.op == analysis::EditOp::replace;
      if (!edit.a.span.empty())
        left_.set(a_.position(edit.a.span).line, last_line(a_, edit.a.span),
                  both ? LineMark::changed : LineMark::removed, changes, i);
      if (!edit.b.span.empty())
        right_.set(b_.position(edit.b.span).line, last_line(b_, edit.b.span),
                   both ? LineMark::changed : LineMark::added, changes, i);
    }
    for (const analysis::Move& move : one.moves) {
      left_.set(a_.line_of_statement(move.a_first), a_.line_of_statement(move.a_last), LineMark::moved, false,
                no_index);
      right_.set(b_.line_of_statement(move.b_first), b_.line_of_statement(move.b_last), LineMark::moved, false,
                 no_index);
    }
  }

  // Pairs of lines that are each other's, ascending on both sides.
  [[nodiscard]] std::vector<std::pair<std::uint32_t, std::uint32_t>> anchors_of(const FunctionDiff& one) const {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> found;
    const auto add = [&](std::uint32_t statement_a, std::uint32_t statement_b) {
      const std::uint32_t a = a_.line_of_statement(statement_a);
      const std::uint32_t b = b_.line_of_statement(statement_b);
      if (!left_.has(a) || !right_.has(b) || (!found.empty() && found.back().first >= a)) return;
      if (left_.at(a).moved || right_.at(b).moved) return;
      found.emplace_back(a, b);
    };
    if (!one.partners.empty()) {
      for (const auto& [a, b] : one.partners) add(a, b);
    } else {
      // The same code: statement by statement.
      const Function& left = a_.functions()[one.a];
      const Function& right = b_.functions()[one.b];
      std::uint32_t b = right.body_begin;
      for (std::uint32_t a = left.body_begin; left.has_body && right.has_body && a < end_of(a_, left); ++a) {
        if (!report::is_compared(a_.statement(a).kind())) continue;
        while (b < end_of(b_, right) && !report::is_compared(b_.statement(b).kind())) ++b;
        if (b >= end_of(b_, right)) break;
        add(a, b++);
      }
    }
    std::vector<std::uint32_t> lines;
    lines.reserve(found.size());
    for (const auto& pair : found) lines.push_back(pair.second);
    if (std::ranges::adjacent_find(lines, std::ranges::greater_equal()) == lines.end()) return found;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> kept;
    for (const std::uint32_t i : analysis::diff::longest_increasing(lines)) kept.push_back(found[i]);
    return kept;
  }

  static std::uint32_t end_of(const Module& module, const Function& function) {
    return std::min(function.body_end, module.statement_count());
  }

  void add_pair(std::uint32_t a, std::uint32_t b) {
    AlignedRow row;
    row.a = a;
    row.b = b;
    const SideLines::Line& left = left_.at(a);
    const SideLines::Line& right = right_.at(b);
    row.a_mark = left.mark;
    row.b_mark = right.mark;
    row.edit = left.edit != no_index ? left.edit : right.edit;
    row.changes = (left.mark != LineMark::none && left.changes) || (right.mark != LineMark::none && right.changes);
    if (left.mark == LineMark::none && right.mark == LineMark::none && !same_words(a_.line_text(a), b_.line_text(b))) {
      row.a_mark = row.b_mark = LineMark::spelled;
    }
    out_.rows.push_back(row);
  }

  void add_alone(DiffSide side, std::uint32_t line) {
    AlignedRow row;
    const SideLines::Line& one = side == DiffSide::a ? left_.at(line) : right_.at(line);
    (side == DiffSide::a ? row.a : row.b) = line;
    (side == DiffSide::a ? row.a_mark : row.b_mark) = one.mark;
    row.edit = one.edit;
    row.changes = one.changes;
    out_.rows.push_back(row);
  }

  [[nodiscard]] std::uint32_t line_of_edit(DiffSide side, std::uint32_t edit) const {
    const Edit& one = out_.diff.functions[out_.sections.back().function].edits[edit];
    return side == DiffSide::a ? a_.position(one.a.span).line : b_.position(one.b.span).line;
  }

  static bool stands_alone(LineMark mark) { return mark >= LineMark::moved && mark != LineMark::changed; }

  // Lines before (a_end, b_end) that no statement pairs: what is gone, new or moved alone, the others beside what is
  // like them.
  void gap(std::uint32_t a_end, std::uint32_t b_end, std::uint32_t a, std::uint32_t b) {
    while (a < a_end || b < b_end) {
      if (a < a_end && (b >= b_end || stands_alone(left_.at(a).mark))) {
        add_alone(DiffSide::a, a++);
      } else if (b < b_end && (a >= a_end || stands_alone(right_.at(b).mark))) {
        add_alone(DiffSide::b, b++);
      } else {
        pair_unlike(a, b, a_end, b_end);
      }
    }
  }

  void pair_unlike(std::uint32_t& a, std::uint32_t& b, std::uint32_t a_end, std::uint32_t b_end) {
    const SideLines::Line& one = left_.at(a);
    const SideLines::Line& other = right_.at(b);
    if (one.mark == LineMark::changed || other.mark == LineMark::changed) {
      if (one.mark == other.mark && one.edit == other.edit) return add_pair(a++, b++);
      // What has its other side further on waits for it.
      const std::uint32_t in_b = one.mark == LineMark::changed ? line_of_edit(DiffSide::b, one.edit) : b;
      if (one.mark == LineMark::changed && (in_b <= b || in_b >= b_end)) return add_alone(DiffSide::a, a++);
      if (other.mark == LineMark::changed && one.mark != LineMark::changed) return add_alone(DiffSide::a, a++);
      return add_alone(DiffSide::b, b++);
    }
    if (same_words(a_.line_text(a), b_.line_text(b))) return add_pair(a++, b++);
    constexpr std::uint32_t reach = 8;
    const int left = kind_of_line(a_, a);
    const int right = kind_of_line(b_, b);
    for (std::uint32_t k = 1; k < reach; ++k) {
      const bool in_b = b + k < b_end && same_words(a_.line_text(a), b_.line_text(b + k));
      const bool in_a = a + k < a_end && same_words(a_.line_text(a + k), b_.line_text(b));
      if (!in_a && !in_b) continue;
      if (in_b) return add_alone(DiffSide::b, b++);
      return add_alone(DiffSide::a, a++);
    }
    if (left == right) return add_pair(a++, b++);
    // Which of them has one of its kind coming on the other side waits for it.
    for (std::uint32_t k = 1; k < reach && b + k < b_end; ++k)
      if (kind_of_line(b_, b + k) == left) return add_alone(DiffSide::b, b++);
    add_alone(DiffSide::a, a++);
  }

  AlignedDiff& out_;
  const Module& a_;
  const Module& b_;
  SideLines left_, right_;
};

}  // namespace

char letter_of(LineMark mark) {
  switch (mark) {
    case LineMark::none:
      break;
    case LineMark::spelled:
      return '~';
    case LineMark::moved:
      return 'M';
    case LineMark::changed:
      return '!';
    case LineMark::removed:
      return '-';
    case LineMark::added:
      return '+';
  }
  return ' ';
}

const DiffSection& AlignedDiff::section_of(std::uint32_t row) const {
  return *std::prev(std::ranges::upper_bound(sections, row, {}, &DiffSection::first_row));
}

const FunctionDiff* AlignedDiff::function_of(std::uint32_t row) const {
  const DiffSection& section = section_of(row);
  return section.function == no_index ? nullptr : &diff.functions[section.function];
}

std::string AlignedDiff::title_of(const DiffSection& section) const {
  if (section.function == no_index)
    return diff.header.empty() && diff.declarations.empty() ? "header and declarations  same"
                                                            : "header and declarations that differ";
  const FunctionDiff& one = diff.functions[section.function];
  return report::name_of(*a, *b, one) + "  " + report::outline_of(one);
}

std::vector<Span> AlignedDiff::words_of(std::uint32_t row, DiffSide side) const {
  const AlignedRow& one = rows[row];
  const FunctionDiff* const function = function_of(row);
  if (one.edit == no_index || function == nullptr || one.mark(side) != LineMark::changed) return {};
  const Edit& edit = function->edits[one.edit];
  const analysis::EditSide& of = side == DiffSide::a ? edit.a : edit.b;
  if (of.count != 1) return {};
  if (of.statement == no_index) return {of.span};
  if (edit.part != analysis::EditPart::instruction) return {};
  return report::differing_spans(module(side), edit, of);
}

std::optional<std::uint32_t> AlignedDiff::row_of_line(DiffSide side, std::uint32_t line) const {
  // Sections stand in the order of B, so that the one of the line is looked for first.
  for (const DiffSection& section : sections) {
    std::uint32_t last = 0;
    std::uint32_t first = 0;
    if (section.function != no_index) {
      const std::uint32_t index =
          side == DiffSide::a ? diff.functions[section.function].a : diff.functions[section.function].b;
      if (index == no_index) continue;
      const Span span = module(side).functions()[index].span;
      first = module(side).position(span).line;
      last = last_line(module(side), span);
      if (line < first || line > last) continue;
    }
    std::optional<std::uint32_t> best;
    for (std::uint32_t row = section.first_row; row < section.end; ++row) {
      if (rows[row].kind != AlignedRow::Kind::lines) continue;
      const std::uint32_t here = rows[row].line(side);
      if (here == line) return row;
      if (here != 0 && here < line && section.function != no_index) best = row;
    }
    if (best) return best;
  }
  return std::nullopt;
}

std::string AlignedDiff::remark_of(std::uint32_t row) const {
  const AlignedRow& one = rows[row];
  const FunctionDiff* const function = function_of(row);
  std::string out;
  const auto add = [&](const std::string& text) { out += (out.empty() ? "" : "; ") + text; };
  if (function != nullptr && one.edit != no_index) {
    const Edit& edit = function->edits[one.edit];
    if (edit.op == analysis::EditOp::replace && one.a == 0)
      add("in place of line " + std::to_string(a->position(edit.a.span).line) + " of A");
    if (edit.op == analysis::EditOp::replace && one.b == 0)
      add("line " + std::to_string(b->position(edit.b.span).line) + " of B stands for it");
    if (edit.continues_elsewhere) add("what runs next is different");
    if (edit.a.count > 1 || edit.b.count > 1) add("too different to be compared one by one");
    if (edit.effect == EditEffect::unreachable) add("no path leads there: it changes nothing");
    if (edit.effect == EditEffect::jump) add("control goes there anyway: it changes nothing");
    if (edit.effect == EditEffect::unused) add("nothing refers to it: it changes nothing");
  } else if (one.is_marked() && !one.changes && one.a_mark != LineMark::moved && one.b_mark != LineMark::moved) {
    add("it changes nothing of what the code does");
  }
  if (function == nullptr) return out;
  for (const analysis::Move& move : function->moves) {
    const bool left = one.a != 0 && one.a_mark >= LineMark::moved && one.a >= a->line_of_statement(move.a_first) &&
                      one.a <= a->line_of_statement(move.a_last);
    const bool right = one.b != 0 && one.b_mark >= LineMark::moved && one.b >= b->line_of_statement(move.b_first) &&
                       one.b <= b->line_of_statement(move.b_last);
    if (left || right) add("moved: " + report::move_text(*a, *b, move));
    if (left || right) break;
  }
  return out;
}

std::vector<ShownRow> only_differences(const AlignedDiff& diff) {
  std::vector<ShownRow> out;
  auto stop = diff.stops.begin();
  for (const DiffSection& section : diff.sections) {
    if (stop == diff.stops.end() || stop->row >= section.end) continue;
    std::uint32_t at = section.first_row;
    const auto show = [&](std::uint32_t end) {
      for (; at < end; ++at) out.push_back({at, 0});
    };
    const auto hide = [&](std::uint32_t end) {
      if (end == at + 1) show(end);  // a gap would take as much room
      if (end > at) out.push_back({at, end - at});
      at = std::max(at, end);
    };
    show(section.first_row + 1);
    for (; stop != diff.stops.end() && stop->row < section.end; ++stop) {
      hide(std::max(at, stop->row - std::min(stop->row, rows_around)));
      show(std::min(section.end, stop->end + rows_around));
    }
    hide(section.end);
  }
  return out;
}

std::shared_ptr<const AlignedDiff> align_modules(std::shared_ptr<const Module> a, std::shared_ptr<const Module> b,
                                                 const DiffProgress& progress) {
  const auto out = std::make_shared<AlignedDiff>();
  out->a = std::move(a);
  out->b = std::move(b);
  bool stopped = false;
  // Comparing takes most of the time, but matching the functions goes before.
  const auto goes_on = [&](std::size_t done, std::size_t all, int from, int to) {
    stopped =
        !progress(from + static_cast<int>(done * static_cast<std::size_t>(to - from) / std::max<std::size_t>(all, 1)));
    return !stopped;
  };
  if (!progress(0)) return nullptr;
  analysis::DiffOptions options;
  options.goes_on = [&](std::size_t done, std::size_t all) { return goes_on(done, all, 10, 80); };
  out->diff = analysis::diff_modules(*out->a, *out->b, options);
  if (stopped) return nullptr;
  out->verdict = report::diff_verdict(*out->a, *out->b, out->diff);
  if (!Builder(*out).run([&](std::size_t done, std::size_t all) { return goes_on(done, all, 80, 100); }))
    return nullptr;
  return out;
}

}  // namespace ptxscope::gui
