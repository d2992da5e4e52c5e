// A module, or two and their difference, as one page of HTML that needs nothing from elsewhere.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/diff.h"
#include "analysis/module_report.h"
#include "parser/module.h"
#include "report/cfg.h"

namespace ptxscope::report {

/// One module and all that the page shows of it.
struct PageFile {
  const Module* module = nullptr;                  ///< must outlive the call
  const analysis::ModuleReport* report = nullptr;  ///< must outlive the call
  std::vector<Drawing> drawings;                   ///< parallel to report->flow.functions: their control flow
};

/// How much is drawn, and with how much patience.
struct DrawOptions {
  std::size_t most_blocks = 300;       ///< of one function; more are listed
  std::size_t most_blocks_all = 6000;  ///< of all functions drawn
  std::uint32_t lines = 8;             ///< instructions of each block, the last ones
  std::size_t blocks_at_a_time = 150;  ///< of one run of Graphviz, unless a single function has more
  unsigned seconds = 8;                ///< for one run
  unsigned programs_at_a_time = 4;     ///< of Graphviz
};
/// The control flow graphs of the functions shown in full. Where there is no drawing, its error says why, in a clause.
[[nodiscard]] std::vector<Drawing> draw_functions(const Module& module, const analysis::FlowReport& flow,
                                                  const DrawOptions& options = {});

/// How much the page shows.
struct PageOptions {
  std::string_view version;                        ///< of ptxscope
  std::size_t most_rows = 20'000;                  ///< functions in the table; that there are more is said
  std::size_t most_bytes = std::size_t{32} << 20;  ///< of what is shown in full
};

/// The page. `diff`: of the two files, in their order.
[[nodiscard]] std::string page_html(std::span<const PageFile> files, const analysis::ModuleDiff* diff,
                                    const PageOptions& options = {});

}  // namespace ptxscope::report
