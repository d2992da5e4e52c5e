// What `ptxscope check` says of a module and a header asked about, as rows for a list and marks for the code.
#pragma once

#include <QString>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/check.h"
#include "gui/background.h"
#include "gui/selection.h"
#include "report/terminal.h"

namespace ptxscope::gui {

/// A header in place of the module's own; empty parts: the module's.
struct HeaderQuestion {
  std::optional<isa::TargetIndex> target;
  std::optional<isa::Version> version;
  [[nodiscard]] bool empty() const { return !target && !version; }
  friend bool operator==(const HeaderQuestion&, const HeaderQuestion&) = default;
};

struct RequirementRow {
  QString text;
  QString details;  ///< for the pane beside the list: the whole message, or what the row means
  report::Ink ink = report::Ink::code;
  Span place;                 ///< empty: it stands nowhere
  QString remedy;             ///< a row below it
  std::vector<Span> places;   ///< rows below it: where else
  std::uint32_t missing = 0;  ///< further places that are counted and not in `places`
};

struct RequirementGroup {
  QString title;
  report::Ink ink = report::Ink::bold;
  bool open = true;
  std::vector<RequirementRow> rows;
  std::size_t missing = 0;  ///< rows that were left out
};

struct RequirementRows {
  std::vector<RequirementGroup> groups;  ///< the answer first, then where it runs, what is needed, what is used
  std::vector<Mark> marks;               ///< of the lines that do not fit; none where nothing was asked
  std::uint64_t unmarked = 0;            ///< places that do not fit and are not among `marks`
};

/// To be called off the GUI thread. `report` is check()'s without a question; `cancel` ends it between its parts.
[[nodiscard]] RequirementRows requirement_rows(const Module& module, const analysis::CheckReport& report,
                                               const HeaderQuestion& question, const Cancel& cancel);

}  // namespace ptxscope::gui
