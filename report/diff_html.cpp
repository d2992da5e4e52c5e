#include <algorithm>

#include "report/columns.h"
#include "report/diff.h"
#include "report/diff_parts.h"
#include "report/html.h"
#include "report/one_line.h"

namespace ptxscope::report {

namespace {

using analysis::FunctionDiff;
using analysis::ModuleDiff;

std::string cell_html(const DiffCell& cell) {
  std::string out;
  std::size_t at = 0;
  for (const auto& [begin, end] : cell.marks) {
    out += html_escaped(std::string_view(cell.text).substr(at, begin - at));
    out += "<mark>" + html_escaped(std::string_view(cell.text).substr(begin, end - begin)) + "</mark>";
    at = end;
  }
  return out + html_escaped(std::string_view(cell.text).substr(at));
}

std::string_view class_of(const DiffRow& row) {
  if (!row.changes) return "diff-idle";
  switch (row.kind) {
    case RowKind::removed:
      return "diff-removed";
    case RowKind::inserted:
      return "diff-inserted";
    case RowKind::replaced:
      return "diff-replaced";
    case RowKind::same:
    case RowKind::note:
      break;
  }
  return "diff-same";
}

void write_row(const DiffRow& row, std::string& out) {
  if (row.kind == RowKind::note) {
    out += "<tr class=\"diff-note\"><td colspan=\"4\">" + html_escaped(row.a.text) + "</td></tr>\n";
    return;
  }
  out += "<tr class=\"" + std::string(class_of(row)) + "\">";
  for (const DiffCell* cell : {&row.a, &row.b}) {
    out += "<td class=\"diff-line\">" + (cell->line == 0 ? std::string() : std::to_string(cell->line)) + "</td>";
    out += cell->line == 0 ? std::string("<td class=\"diff-nothing\"></td>")
                           : "<td><code>" + cell_html(*cell) + "</code></td>";
  }
  out += "</tr>\n";
}

void write_counts(const ModuleDiff& diff, std::string& out) {
  std::string rows;
  constexpr std::size_t most_opcodes = 20;
  for (const CountChange& one : changed_counts(diff, most_opcodes))
    rows += "<tr><th scope=\"row\">" + html_escaped(one.name) + "</th><td>" + std::to_string(one.a) + "</td><td>" +
            std::to_string(one.b) + "</td><td>" + difference(one.a, one.b) + "</td><td>" + percentage(one.a, one.b) +
            "</td></tr>\n";
  if (rows.empty()) return;
  out +=
      "<table class=\"diff-counts\"><thead><tr><th scope=\"col\">count</th><th scope=\"col\">a</th><th scope=\"col\">b"
      "</th><th scope=\"col\">difference</th><th scope=\"col\">%</th></tr></thead><tbody>\n" +
      rows + "</tbody></table>\n";
}

class HtmlWriter {
 public:
  HtmlWriter(const Module& a, const Module& b, const ModuleDiff& diff, const DiffHtmlOptions& options)
      : a_(a), b_(b), diff_(diff), options_(options) {}

  std::string run() {
    out_ += "<p class=\"diff-verdict\">" + html_escaped(diff_verdict(a_, b_, diff_)) + "</p>\n";
    write_counts(diff_, out_);
    write_declarations();
    for (const FunctionDiff* one : told_functions(diff_)) write_function(*one);
    return std::move(out_);
  }

 private:
  void open_table(std::string_view name) {
    out_ += "<table class=\"diff-code\" aria-label=\"" + html_escaped(name) +
            "\"><colgroup><col class=\"diff-number\"><col><col class=\"diff-number\"><col></colgroup><thead><tr><th "
            "scope=\"col\" colspan=\"2\">" +
            html_escaped(printable(a_.file_name())) + "</th><th scope=\"col\" colspan=\"2\">" +
            html_escaped(printable(b_.file_name())) + "</th></tr></thead>\n";
  }

  void write_declarations() {
    const std::vector<const analysis::DeclarationDiff*> told = told_declarations(diff_, false);
    if (told.empty()) return;
    out_ += "<section class=\"diff-function\"><h2>declarations</h2>\n";
    open_table("declarations");
    out_ += "<tbody>\n";
    std::size_t shown = 0;
    for (const analysis::DeclarationDiff* one : told) {
      if (shown++ == options_.most_edits) break;
      DiffRow row;
      row.changes = one->effect == analysis::EditEffect::changes;
      row.kind = one->a.empty() ? RowKind::inserted : one->b.empty() ? RowKind::removed : RowKind::replaced;
      if (!one->a.empty()) row.a = {a_.position(one->a).line, beginning_of(a_, one->a), {}};
      if (!one->b.empty()) row.b = {b_.position(one->b).line, beginning_of(b_, one->b), {}};
      write_row(row, out_);
    }
    out_ += "</tbody></table>\n";
    if (told.size() > options_.most_edits)
      out_ += "<p class=\"diff-more\">and " + counted(told.size() - options_.most_edits, "more declaration") + "</p>\n";
    out_ += "</section>\n";
  }

  void write_function(const FunctionDiff& one) {
    const std::string name = name_of(a_, b_, one);
    out_ += "<section class=\"diff-function\"><h2><code>" + html_escaped(name) + "</code></h2>\n<p>" +
            html_escaped(outline_of(one)) + "</p>\n";
    if (!one.moves.empty()) {
      out_ += "<ul class=\"diff-moves\">\n";
      for (std::size_t i = 0; i < std::min(one.moves.size(), options_.most_edits); ++i)
        out_ += "<li>moved: " + html_escaped(move_text(a_, b_, one.moves[i])) + "</li>\n";
      out_ += "</ul>\n";
    }
    const std::size_t most = std::min(one.edits.size(), left());
    shown_ += most;
    if (most > 0) {
      open_table(name);
      for (const DiffHunk& hunk : hunks_of(a_, b_, one, options_.context, most)) {
        out_ += "<tbody>\n";
        for (const DiffRow& row : hunk.rows) write_row(row, out_);
        out_ += "</tbody>\n";
      }
      out_ += "</table>\n";
    }
    if (most < one.edits.size())
      out_ += "<p class=\"diff-more\">and " + counted(one.edits.size() - most, "more edit") + ", not shown here</p>\n";
    out_ += "</section>\n";
  }

  [[nodiscard]] std::size_t left() const { return options_.most_edits - std::min(shown_, options_.most_edits); }

  const Module& a_;
  const Module& b_;
  const ModuleDiff& diff_;
  const DiffHtmlOptions& options_;
  std::string out_;
  std::size_t shown_ = 0;
};

}  // namespace

std::string_view diff_html_style() {
  return R"(.diff-verdict { font-weight: 600; }
.diff-counts { border-collapse: collapse; }
.diff-counts th, .diff-counts td { padding: 0.1em 0.8em 0.1em 0; text-align: right; }
.diff-counts th:first-child { text-align: left; }
.diff-counts th[scope=row] { font-weight: normal; }
.diff-function h2 { font-size: 1.1em; margin-bottom: 0.2em; overflow-wrap: anywhere; }
.diff-function h2 code { font-size: inherit; }
.diff-code { border-collapse: collapse; width: 100%; table-layout: fixed; }
.diff-code th { text-align: left; font-weight: normal; color: var(--diff-dim); overflow-wrap: anywhere; }
.diff-code .diff-number { width: 4.5em; }
.diff-code td { vertical-align: baseline; padding: 0.05em 0.5em; }
.diff-code code { white-space: pre-wrap; overflow-wrap: anywhere; }
.diff-code tbody + tbody tr:first-child td { border-top: 1px dashed var(--diff-dim); }
.diff-code .diff-line { font: 13px/1.4 ui-monospace, monospace; text-align: right; color: var(--diff-dim); user-select: none; }
.diff-code .diff-nothing { background: var(--diff-nothing); }
.diff-removed td:nth-child(2), .diff-replaced td:nth-child(2) { background: var(--diff-removed); }
.diff-inserted td:nth-child(4), .diff-replaced td:nth-child(4) { background: var(--diff-inserted); }
.diff-replaced mark { color: inherit; background: none; font-weight: 700; text-decoration: underline; }
.diff-idle code { color: var(--diff-dim); }
.diff-note td { color: var(--diff-dim); text-align: center; font-style: italic; }
:root { --diff-dim: #5c6470; --diff-nothing: #f1f2f4; --diff-removed: #ffe2de; --diff-inserted: #daf5df; }
@media (prefers-color-scheme: dark) {
  :root { --diff-dim: #9aa4b1; --diff-nothing: #1d2127; --diff-removed: #54231f; --diff-inserted: #1c4127; }
}
@media (max-width: 45em) { .diff-code .diff-number { width: 3.4em; } .diff-code td { padding: 0.05em 0.25em; } }
@media print { .diff-function { break-inside: auto; } }
)";
}

std::string diff_html_part(const Module& a, const Module& b, const ModuleDiff& diff, const DiffHtmlOptions& options) {
  return HtmlWriter(a, b, diff, options).run();
}

std::string diff_html(const Module& a, const Module& b, const ModuleDiff& diff, const DiffHtmlOptions& options) {
  const std::string title = html_escaped(printable(a.file_name()) + " → " + printable(b.file_name()));
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>" +
      title +
      "</title>\n<style>\n:root { color-scheme: light dark; }\n"
      "body { font: 15px/1.45 system-ui, sans-serif; margin: 1.5em auto; padding: 0 1em; max-width: 110em; }\n"
      "h1 { font-size: 1.4em; overflow-wrap: anywhere; }\ncode { font: 13px/1.4 ui-monospace, monospace; }\n";
  out += diff_html_style();
  out += "</style>\n</head>\n<body>\n<h1>" + title + "</h1>\n";
  out += diff_html_part(a, b, diff, options);
  return out + "</body>\n</html>\n";
}

}  // namespace ptxscope::report
