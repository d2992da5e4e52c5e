// Counts of modules as text (functions as rows; or files as columns), CSV and JSON.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/live_report.h"
#include "analysis/safety_branches.h"
#include "analysis/stats.h"
#include "report/sink.h"
#include "report/terminal.h"

namespace ptxscope::report {

/// What ptxas made of one kernel for one target (`ptxas -v`).
struct CompiledKernel {
  std::string name;                       ///< as in the PTX
  std::uint64_t registers = 0;            ///< of a thread
  std::uint64_t spill_stores = 0;         ///< bytes
  std::uint64_t spill_loads = 0;          ///< bytes
  std::uint64_t stack = 0;                ///< bytes
  std::uint64_t shared = 0;               ///< bytes, static
  std::optional<std::uint64_t> constant;  ///< bytes, all banks; nullopt: ptxas does not say
  std::uint64_t barriers = 0;             ///< hardware barriers
};
/// What ptxas made of a module for one target.
struct CompiledModule {
  std::string target;                   ///< "sm_90"
  bool accepted = false;                ///< it compiled
  std::string refusal;                  ///< ptxas' own words, when it did not accept
  std::vector<CompiledKernel> kernels;  ///< in the order of ptxas' output; empty where it did not accept
};

/// The live registers of functions()[function], found out when they are written: of all functions at once they would take
/// several times the memory of the module, which must still be there.
using LiveReportOf = std::function<analysis::LiveReport(std::uint32_t function)>;

/// All that is said of one file.
struct FileStats {
  analysis::ModuleStats counts;                  ///< of the file
  std::vector<CompiledModule> compiled;          ///< by target; empty: ptxas was not asked
  LiveReportOf live;                             ///< of the functions of `counts`, or empty
  std::vector<analysis::SafetyBranches> safety;  ///< of the functions asked about, or empty
};

/// How live registers are shown: not; as a column of the table; as a table of their own with what lives longest.
enum class LiveView : std::uint8_t { none, column, table };

/// What the text shows.
struct StatsTextOptions {
  TextStyle style;                 ///< colours and width
  std::string sort;                ///< a key of stats_keys(), or "name"; empty: the order of the text
  bool opcodes = false;            ///< also how often each opcode stands there
  LiveView live = LiveView::none;  ///< how live registers are shown
  bool selects = false;            ///< only some functions were asked for: a file without any of them has no numbers
};

/// What functions can be sorted by: the names of the counts in JSON.
[[nodiscard]] std::vector<std::string> stats_keys();

/// One file: its functions as rows. `module`: the one that was counted.
void stats_text(const Sink& sink, const Module& module, const FileStats& file, const StatsTextOptions& options);
/// The same in one piece.
[[nodiscard]] std::string stats_text(const Module& module, const FileStats& file, const StatsTextOptions& options);
/// What stats_text() says in front of the functions' branches and live registers.
[[nodiscard]] std::string stats_summary(const Module& module, const FileStats& file, const StatsTextOptions& options);
/// The functions' branches and live registers alone; "" where nothing is said of them.
[[nodiscard]] std::string stats_parts(const Module& module, const FileStats& file, const StatsTextOptions& options);
/// A file's name, above its stats_parts() where it is one of several.
[[nodiscard]] std::string stats_heading(const FileStats& file, const StatsTextOptions& options);
/// Several files: each a column, with its difference from the first.
[[nodiscard]] std::string stats_comparison(std::span<const FileStats> files, const StatsTextOptions& options);

/// One row for each function of each file, all counts as columns (RFC 4180); what ptxas and the checks say, too, where
/// they were asked, and opcodes if `opcodes`.
[[nodiscard]] std::string stats_csv(std::span<const FileStats> files, const std::string& sort, bool opcodes = false);

/// One document of schema ptxscope.stats/1 (docs/json.md).
void stats_json(const Sink& sink, const Module& module, const FileStats& file, const std::string& sort,
                std::span<const Diagnostic> more);
/// The same in one piece.
[[nodiscard]] std::string stats_json(const Module& module, const FileStats& file, const std::string& sort,
                                     std::span<const Diagnostic> more);

}  // namespace ptxscope::report
