// Writers of a comparison of two modules.
#pragma once

#include <string>

#include "analysis/diff.h"
#include "report/terminal.h"

namespace ptxscope::report {

struct DiffTextOptions {
  TextStyle style;
  bool summary = false;       ///< without the edits
  bool word = false;          ///< a replaced statement once, with what was taken out and put in
  bool side_by_side = false;  ///< in two columns
  bool registers = false;     ///< which register, label, local name is which
  bool all = false;           ///< all edits of all functions, not the first ones
  std::size_t context = 2;    ///< statements around an edit
};

/// What there is to know in one line, without line end: "same code; header differs: .version 7.0 → 8.7".
[[nodiscard]] std::string diff_verdict(const Module& a, const Module& b, const analysis::ModuleDiff& diff);

[[nodiscard]] std::string diff_text(const Module& a, const Module& b, const analysis::ModuleDiff& diff,
                                    const DiffTextOptions& options);

/// The document of docs/json.md.
[[nodiscard]] std::string diff_json(const Module& a, const Module& b, const analysis::ModuleDiff& diff);

struct DiffHtmlOptions {
  std::size_t context = 2;
  std::size_t most_edits = 2000;  ///< shown; that there are more is said
};

/// A page of its own, both sides beside each other.
[[nodiscard]] std::string diff_html(const Module& a, const Module& b, const analysis::ModuleDiff& diff,
                                    const DiffHtmlOptions& options = {});
/// Its part inside <body>, and the style it needs, for other pages. Class names start with `diff-`.
[[nodiscard]] std::string diff_html_part(const Module& a, const Module& b, const analysis::ModuleDiff& diff,
                                         const DiffHtmlOptions& options = {});
[[nodiscard]] std::string_view diff_html_style();

}  // namespace ptxscope::report
