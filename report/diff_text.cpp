#include <algorithm>
#include <unordered_set>

#include "report/columns.h"
#include "report/diff.h"
#include "report/diff_parts.h"

namespace ptxscope::report {

namespace {

using analysis::FunctionDiff;
using analysis::FunctionStatus;
using analysis::ModuleDiff;

constexpr std::size_t most_edits = 50;       // of one function
constexpr std::size_t most_functions = 40;   // with their edits
constexpr std::size_t most_names = 100'000;  // of registers, in all

class TextWriter {
 public:
  TextWriter(const Module& a, const Module& b, const ModuleDiff& diff, const DiffTextOptions& options)
      : a_(a), b_(b), diff_(diff), options_(options), style_(options.style) {}

  std::string run() {
    out_ = paint(style_, Ink::bold, diff_verdict(a_, b_, diff_)) + "\n";
    if (diff_.identical) return std::move(out_);
    write_counts();
    write_declarations();
    write_functions();
    return std::move(out_);
  }

 private:
  void write_counts() {
    constexpr std::size_t most_opcodes = 12;
    const std::size_t shown = options_.all ? diff_.opcodes.size() : std::min(diff_.opcodes.size(), most_opcodes);
    const std::vector<CountChange> counts = changed_counts(diff_, shown);
    if (counts.empty()) return;
    Columns columns(style_);
    columns.head({"counts", "a", "b", "", ""});
    for (const CountChange& one : counts)
      columns.add({"  " + one.name, std::to_string(one.a), std::to_string(one.b), difference(one.a, one.b),
                   percentage(one.a, one.b)});
    out_ += "\n" + columns.text();
    if (shown < diff_.opcodes.size())
      out_ += "  and " + counted(diff_.opcodes.size() - shown, "more opcode") + " (--all)\n";
  }

  void write_declarations() {
    const std::vector<const analysis::DeclarationDiff*> told = told_declarations(diff_, options_.registers);
    if (told.empty()) return;
    out_ += "\n" + paint(style_, Ink::bold, "declarations") + "\n";
    std::size_t shown = 0;
    for (const analysis::DeclarationDiff* one : told) {
      if (shown++ == most_edits && !options_.all) {
        out_ += "  and " + counted(told.size() - most_edits, "more declaration") + " (--all)\n";
        break;
      }
      const auto line = [&](const Module& module, Span span, char mark) {
        if (span.empty()) return;
        DiffCell cell;
        cell.line = module.position(span).line;
        cell.text = beginning_of(module, span);
        write_line(mark, mark == '-' ? cell.line : 0, mark == '+' ? cell.line : 0, cell,
                   one->effect == analysis::EditEffect::changes);
      };
      line(a_, one->a, '-');
      line(b_, one->b, '+');
    }
  }

  void write_functions() {
    const std::vector<const FunctionDiff*> told = told_functions(diff_);
    std::size_t with_edits = 0;
    for (const FunctionDiff* one : told) {
      out_ += "\n";
      write_head(*one);
      if (options_.summary) continue;
      if (with_edits++ >= most_functions && !options_.all) continue;
      write_edits(*one);
      if (options_.registers) write_names(*one);
    }
    if (!options_.summary && !options_.all && told.size() > most_functions)
      out_ += "\nedits of the " + std::to_string(most_functions) +
              " most changed functions are shown (--all: of all, --kernel NAME: of one)\n";
    if (!options_.registers || options_.summary) return;
    const std::unordered_set<const FunctionDiff*> shown(told.begin(), told.end());
    for (const FunctionDiff& one : diff_.functions) {
      const bool is_told = shown.contains(&one);
      if (is_told || (one.registers.empty() && one.labels.empty() && one.locals.empty())) continue;
      out_ += "\n";
      write_head(one);
      write_names(one);
      if (names_ > most_names && !options_.all) {
        out_ += "  and more (--all)\n";
        break;
      }
    }
  }

  void write_head(const FunctionDiff& one) {
    out_ += paint(style_, Ink::bold, name_of(a_, b_, one)) + "  " + outline_of(one);
    const auto place = [](const Module& module, std::uint32_t index) {
      return printable(module.file_name()) + ":" +
             std::to_string(module.position(module.functions()[index].name_span).line);
    };
    std::string places;
    if (one.a != no_index) places += place(a_, one.a);
    if (one.b != no_index) places += (places.empty() ? "" : "  ") + place(b_, one.b);
    out_ += "  " + paint(style_, Ink::dim, places) + "\n";
    if (one.status != FunctionStatus::changed && one.same_code) {
      if (one.edits.empty()) return;
    }
    std::string counts;
    const auto add = [&](std::string_view name, std::uint64_t a, std::uint64_t b) {
      if (a == b) return;
      counts +=
          (counts.empty() ? "" : ", ") + words_of_count(name) + " " + std::to_string(a) + " → " + std::to_string(b);
    };
    if (one.a == no_index || one.b == no_index) return;
    for (std::size_t i = 0; i < analysis::count_kinds; ++i)
      add(analysis::count_names[i], one.a_counts[i], one.b_counts[i]);
    if (one.a_max_live != no_index && one.b_max_live != no_index) add("max_live", one.a_max_live, one.b_max_live);
    if (!counts.empty()) out_ += "  " + wrapped(counts, 2, 4, style_) + "\n";
  }

  void write_edits(const FunctionDiff& one) {
    std::size_t moves = 0;
    for (const analysis::Move& move : one.moves) {
      if (moves++ == most_edits && !options_.all) {
        out_ += "  and " + counted(one.moves.size() - most_edits, "more move") + " (--all)\n";
        break;
      }
      out_ += "  " + paint(style_, Ink::note, "moved") + ": " + move_text(a_, b_, move) + "\n";
    }
    const std::size_t most = options_.all ? one.edits.size() : most_edits;
    bool is_first = true;
    for (const DiffHunk& hunk : hunks_of(a_, b_, one, options_.context, most)) {
      if (!is_first) out_ += paint(style_, Ink::dim, "  ...") + "\n";
      is_first = false;
      if (options_.side_by_side) write_side_by_side(hunk);
      else write_unified(hunk);
    }
    if (one.edits.size() > most) out_ += "  and " + counted(one.edits.size() - most, "more edit") + " (--all)\n";
  }

  static std::string number(std::uint32_t line) {
    std::string text = line == 0 ? "" : std::to_string(line);
    if (text.size() < 6) text.insert(0, 6 - text.size(), ' ');
    return text;
  }

  static Ink ink_of(char mark, bool changes) {
    if (!changes) return Ink::dim;
    return mark == '-' ? Ink::error : mark == '+' ? Ink::good : Ink::note;
  }

  void write_line(char mark, std::uint32_t a_line, std::uint32_t b_line, const DiffCell& cell, bool changes) {
    const std::string text = std::string(1, mark) + number(a_line) + number(b_line) + " | " + cell.text;
    const bool is_context = mark == ' ' || mark == '~';
    out_ += (is_context ? text : paint(style_, ink_of(mark, changes), text)) + "\n";
  }

  // B's statement with what it had been.
  std::string in_words(const DiffRow& row) const {
    const bool in_pairs = !row.a.marks.empty() && row.a.marks.size() == row.b.marks.size();
    const auto took = [&](std::string_view text) {
      return style_.color ? paint(style_, Ink::error, text) : "[-" + std::string(text) + "-]";
    };
    const auto put = [&](std::string_view text) {
      return style_.color ? paint(style_, Ink::good, text) : "{+" + std::string(text) + "+}";
    };
    if (!in_pairs) return took(row.a.text) + " " + put(row.b.text);
    std::string out;
    std::size_t at = 0;
    for (std::size_t i = 0; i < row.b.marks.size(); ++i) {
      const auto [begin, end] = row.b.marks[i];
      const auto [a_begin, a_end] = row.a.marks[i];
      out += row.b.text.substr(at, begin - at);
      out += took(row.a.text.substr(a_begin, a_end - a_begin));
      out += put(row.b.text.substr(begin, end - begin));
      at = end;
    }
    return out + row.b.text.substr(at);
  }

  void write_unified(const DiffHunk& hunk) {
    for (const DiffRow& row : hunk.rows) {
      switch (row.kind) {
        case RowKind::note:
          out_ += "               " + paint(style_, Ink::note, "(" + row.a.text + ")") + "\n";
          break;
        case RowKind::same:
          if (row.a.text == row.b.text) {
            write_line(' ', row.a.line, row.b.line, row.a, true);
          } else {
            if (row.a.line != 0) write_line('~', row.a.line, 0, row.a, true);
            if (row.b.line != 0) write_line('~', 0, row.b.line, row.b, true);
          }
          break;
        case RowKind::removed:
          write_line('-', row.a.line, 0, row.a, row.changes);
          break;
        case RowKind::inserted:
          write_line('+', 0, row.b.line, row.b, row.changes);
          break;
        case RowKind::replaced:
          if (options_.word) {
            DiffCell cell;
            cell.text = in_words(row);
            out_ += "!" + number(row.a.line) + number(row.b.line) + " | " + cell.text + "\n";
          } else {
            write_line('-', row.a.line, 0, row.a, row.changes);
            write_line('+', 0, row.b.line, row.b, row.changes);
          }
          break;
      }
    }
  }

  // Cut to `width` columns and filled up.
  static std::string fitted(std::string_view text, std::size_t width) {
    std::string out;
    std::size_t used = 0;
    for (std::size_t i = 0; i < text.size();) {
      const CodePoint point = decode_utf8(text, i);
      const std::size_t columns = columns_of(point.value);
      const bool is_last = i + point.length == text.size();
      if (used + columns > width || (used + columns == width && !is_last)) {
        out += "…";
        ++used;
        break;
      }
      out += text.substr(i, point.length);
      used += columns;
      i += point.length;
    }
    if (used < width) out.append(width - used, ' ');
    return out;
  }

  void write_side_by_side(const DiffHunk& hunk) {
    const std::size_t half = (std::max<std::size_t>(style_.width, 60) - 17) / 2;
    for (const DiffRow& row : hunk.rows) {
      if (row.kind == RowKind::note) {
        out_ += "       " + paint(style_, Ink::note, "(" + row.a.text + ")") + "\n";
        continue;
      }
      const char mark = row.kind == RowKind::removed    ? '<'
                        : row.kind == RowKind::inserted ? '>'
                        : row.kind == RowKind::replaced ? '|'
                                                        : ' ';
      std::string left = fitted(row.a.text, half);
      std::string right = fitted(row.b.text, half);
      while (right.ends_with(' ')) right.pop_back();
      if (mark != ' ') {
        left = paint(style_, ink_of('-', row.changes), left);
        right = paint(style_, ink_of('+', row.changes), right);
      }
      std::string line = number(row.a.line) + " " + left + " " + mark + " " + number(row.b.line) + " " + right;
      while (line.ends_with(' ')) line.pop_back();
      out_ += line + "\n";
    }
  }

  void write_names(const FunctionDiff& one) {
    const auto write = [&](std::string_view what, const std::vector<std::pair<std::string, std::string>>& pairs) {
      if (pairs.empty()) return;
      names_ += pairs.size();
      std::string text = std::string(what) + ": ";
      std::size_t column = 2 + text.size();
      const std::size_t indent = column;
      out_ += "  " + text;
      bool is_first = true;
      for (const auto& [a, b] : pairs) {
        const std::string pair = printable(a) + " → " + printable(b);
        const std::size_t width = columns_of_text(pair);
        if (!is_first) {
          out_ += ",";
          if (column + 2 + width > style_.width) {
            out_ += "\n" + std::string(indent, ' ');
            column = indent;
          } else {
            out_ += " ";
            column += 2;
          }
        }
        out_ += pair;
        column += width;
        is_first = false;
      }
      out_ += "\n";
    };
    write("registers", one.registers);
    write("labels", one.labels);
    write("local names", one.locals);
  }

  const Module& a_;
  const Module& b_;
  const ModuleDiff& diff_;
  const DiffTextOptions& options_;
  TextStyle style_;
  std::string out_;
  std::size_t names_ = 0;
};

}  // namespace

std::string diff_text(const Module& a, const Module& b, const ModuleDiff& diff, const DiffTextOptions& options) {
  return TextWriter(a, b, diff, options).run();
}

}  // namespace ptxscope::report
