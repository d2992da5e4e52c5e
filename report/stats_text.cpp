#include <algorithm>
#include <unordered_map>
#include <utility>

#include "report/cfg_parts.h"
#include "report/columns.h"
#include "report/number_table.h"
#include "report/stats.h"
#include "report/stats_live.h"
#include "report/stats_parts.h"
#include "report/stats_safety.h"

namespace ptxscope::report {

using analysis::CodeStats;
using analysis::FunctionStats;
using analysis::ModuleStats;

namespace {

std::string number_text(const std::optional<std::uint64_t>& number) { return number ? grouped(*number) : "?"; }

class TextWriter {
 public:
  TextWriter(const Sink& sink, const Module& module, const FileStats& file, const StatsTextOptions& options)
      : sink_(sink), module_(module), file_(file), stats_(file.counts), options_(options), style_(options.style) {}

  void write_summary() {
    if (stats_.functions.empty()) return sink_("no function with a body\n");
    write_functions();
    write_details();
    if (options_.opcodes) write_opcodes();
    write_compiled();
    sink_(std::exchange(out_, ""));
  }

  void write_parts() {
    std::unordered_map<std::uint32_t, const analysis::SafetyBranches*> safety_of;
    for (const analysis::SafetyBranches& safety : file_.safety) safety_of.emplace(safety.function, &safety);
    for (const std::size_t i : sorted_functions(stats_, options_.sort)) {
      const std::uint32_t function = stats_.functions[i].function;
      if (const auto safety = safety_of.find(function); safety != safety_of.end())
        write_part(safety_text(module_, *safety->second, style_));
      if (!file_.live || options_.live == LiveView::none) continue;
      const analysis::LiveReport live = file_.live(function);
      write_part(options_.live == LiveView::table ? live_table_text(module_, live, style_)
                                                  : live_column_text(module_, live, style_));
    }
    sink_(out_);
  }

 private:
  void write_functions() {
    std::vector<const Metric*> columns;
    for (const Metric& metric : metrics()) {
      const auto total = metric.of(stats_.totals);
      if (metric.key == "max_live_predicates" || metric.key == "registers_declared") continue;
      if (metric.always || !total || *total != 0) columns.push_back(&metric);
    }
    NumberTable table(style_);
    std::vector<NumberTable::Cell> head{{"function", Ink::dim}};
    for (const Metric* metric : columns) head.push_back({std::string(metric->head), Ink::dim});
    table.add(std::move(head));
    const auto add = [&](const std::string& name, const CodeStats& counts, std::optional<Ink> ink) {
      std::vector<NumberTable::Cell> row{{name, ink}};
      for (const Metric* metric : columns) row.push_back({number_text(metric->of(counts))});
      table.add(std::move(row));
    };
    constexpr std::size_t name_width = 40;
    for (const std::size_t i : sorted_functions(stats_, options_.sort))
      add(shown_name(stats_.functions[i].name, name_width), stats_.functions[i].counts, Ink::bold);
    if (stats_.functions.size() > 1) add("all " + std::to_string(stats_.functions.size()), stats_.totals, std::nullopt);
    out_ += table.text() + "\n";
  }

  void write_details() {
    const CodeStats& totals = stats_.totals;
    Columns columns(style_);
    columns.add({"categories", category_words(totals)});
    if (!totals.memory.empty()) columns.add({"memory", memory_words(totals)});
    columns.add(
        {"registers", "declared: " + register_words(totals.declared) + "; used: " + register_words(totals.used)});
    columns.add({"most live", live_words(totals)});
    if (totals.dynamic_shared) columns.add({"shared", "also memory whose size the launch gives"});
    out_ += columns.text();
  }

  std::string category_words(const CodeStats& counts) const {
    std::vector<std::pair<std::uint64_t, std::size_t>> order;
    for (std::size_t i = 0; i < counts.by_category.size(); ++i)
      if (counts.by_category[i] != 0) order.emplace_back(counts.by_category[i], i);
    std::ranges::stable_sort(order, std::ranges::greater(), &std::pair<std::uint64_t, std::size_t>::first);
    std::string text;
    for (const auto& [count, category] : order)
      text += (text.empty() ? "" : ", ") + std::string(isa::spelling(static_cast<isa::Category>(category))) + " " +
              grouped(count);
    return text;
  }

  std::string memory_words(const CodeStats& counts) const {
    std::string text;
    for (const MemoryKind& kind : memory_kinds(counts)) {
      text += (text.empty() ? "" : ", ") + printable(stats_.memory_kinds[kind.kind], 80) + " " + grouped(kind.count);
      std::string widths;
      for (const analysis::MemoryTally& width : kind.widths)
        if (width.bytes != 0)
          widths += (widths.empty() ? "" : ", ") +
                    (kind.widths.size() == 1 ? "" : std::to_string(width.count) + " of ") +
                    std::to_string(width.bytes) + " B";
      if (!widths.empty()) text += " (" + widths + ")";
    }
    return text;
  }

  std::string live_words(const CodeStats& counts) const {
    if (!counts.max_live) return "not known: a function is too large for it";
    std::string text = counted_or_none(*counts.max_live, "register");
    if (counts.max_live_line != 0) {
      text += " of 32 bits at line " + std::to_string(counts.max_live_line);
      if (stats_.functions.size() > 1) text += ", in " + shown_name(stats_.max_live_function, 60);
    }
    return text + "; " + counted_or_none(*counts.max_live_predicates, "predicate");
  }

  void write_opcodes() {
    std::vector<analysis::OpcodeTally> order = stats_.totals.by_opcode;
    std::ranges::stable_sort(order, std::ranges::greater(), &analysis::OpcodeTally::count);
    NumberTable table(style_);
    for (const analysis::OpcodeTally& tally : order)
      table.add({{"  " + printable(stats_.opcodes[tally.opcode], 80)}, {grouped(tally.count)}});
    out_ += "\nopcodes\n" + table.text();
  }

  void write_compiled() {
    if (file_.compiled.empty()) return;
    NumberTable table(style_);
    table.add({{"ptxas", Ink::dim},
               {"target", Ink::dim, true},
               {"live here", Ink::dim},
               {"registers", Ink::dim},
               {"spill stores", Ink::dim},
               {"loads", Ink::dim},
               {"stack", Ink::dim},
               {"shared here", Ink::dim},
               {"shared", Ink::dim},
               {"constant", Ink::dim}});
    std::unordered_map<std::string_view, const FunctionStats*> by_name;
    for (const FunctionStats& function : stats_.functions) by_name.emplace(function.name, &function);
    bool any = false;
    std::string refusals;
    for (const CompiledModule& compiled : file_.compiled) {
      if (!compiled.accepted)
        refusals += printable(compiled.target, 20) + ": ptxas refuses: " + printable(compiled.refusal, 1000) + "\n";
      for (const CompiledKernel& kernel : compiled.kernels) {
        const auto found = by_name.find(kernel.name);
        if (found == by_name.end()) continue;
        const FunctionStats* const ours = found->second;
        any = true;
        table.add({{shown_name(kernel.name, 40), Ink::bold},
                   {printable(compiled.target, 20), std::nullopt, true},
                   {ours->counts.max_live ? std::to_string(*ours->counts.max_live) : "?"},
                   {std::to_string(kernel.registers)},
                   {grouped(kernel.spill_stores)},
                   {grouped(kernel.spill_loads)},
                   {grouped(kernel.stack)},
                   {grouped(ours->counts.shared_bytes)},
                   {grouped(kernel.shared)},
                   {kernel.constant ? grouped(*kernel.constant) : "-"}});
      }
    }
    out_ += "\n";
    if (any) out_ += table.text();
    else if (refusals.empty()) out_ += "ptxas reports kernels alone, and none of these functions is one\n";
    out_ += refusals;
  }

  void write_part(std::string_view text) {
    out_ += '\n';
    out_ += text;
    hand_on(out_, sink_);
  }

  const Sink& sink_;
  const Module& module_;
  const FileStats& file_;
  const ModuleStats& stats_;
  const StatsTextOptions& options_;
  const TextStyle& style_;
  std::string out_;
};

}  // namespace

void stats_text(const Sink& sink, const Module& module, const FileStats& file, const StatsTextOptions& options) {
  TextWriter writer(sink, module, file, options);
  writer.write_summary();
  writer.write_parts();
}

std::string stats_text(const Module& module, const FileStats& file, const StatsTextOptions& options) {
  return collected([&](const Sink& sink) { stats_text(sink, module, file, options); });
}

std::string stats_summary(const Module& module, const FileStats& file, const StatsTextOptions& options) {
  return collected([&](const Sink& sink) { TextWriter(sink, module, file, options).write_summary(); });
}

std::string stats_parts(const Module& module, const FileStats& file, const StatsTextOptions& options) {
  return collected([&](const Sink& sink) { TextWriter(sink, module, file, options).write_parts(); });
}

std::string stats_heading(const FileStats& file, const StatsTextOptions& options) {
  return "\n" + paint(options.style, Ink::bold, "==> " + printable(file.counts.file) + " <==");
}

}  // namespace ptxscope::report
