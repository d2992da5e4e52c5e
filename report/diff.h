// Writers of a comparison of two modules.
#pragma once

#include <string>

#include "analysis/diff.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// What diff_text() shows, and how.
struct DiffTextOptions {
  TextStyle style;            ///< colours and width
  bool summary = false;       ///< without the edits
  bool word = false;          ///< a replaced statement once, with what was taken out and put in
  bool side_by_side = false;  ///< in two columns
  bool registers = false;     ///< which register, label, local name is which
  bool all = false;           ///< all edits of all functions, not the first ones
  std::size_t context = 2;    ///< statements around an edit
};

/// What there is to know in one line, without line end: "same code; header differs: .version 7.0 → 8.7".
[[nodiscard]] std::string diff_verdict(const Module& a, const Module& b, const analysis::ModuleDiff& diff);

/// The verdict, then what differs: header, declarations, functions with their edits.
[[nodiscard]] std::string diff_text(const Module& a, const Module& b, const analysis::ModuleDiff& diff,
                                    const DiffTextOptions& options);

/// The document of docs/json.md.
[[nodiscard]] std::string diff_json(const Module& a, const Module& b, const analysis::ModuleDiff& diff);

/// How much a page shows.
struct DiffHtmlOptions {
  std::size_t context = 2;        ///< statements around an edit
  std::size_t most_edits = 2000;  ///< shown; that there are more is said
};

/// A page of its own, both sides beside each other.
[[nodiscard]] std::string diff_html(const Module& a, const Module& b, const analysis::ModuleDiff& diff,
                                    const DiffHtmlOptions& options = {});
/// What of it stands inside its body element, for other pages, which need diff_html_style() too. Class names start with
/// `diff-`.
[[nodiscard]] std::string diff_html_part(const Module& a, const Module& b, const analysis::ModuleDiff& diff,
                                         const DiffHtmlOptions& options = {});
[[nodiscard]] std::string_view diff_html_style();  ///< CSS for diff_html_part()

}  // namespace ptxscope::report
