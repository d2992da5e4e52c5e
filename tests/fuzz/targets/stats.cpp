// stats: counts, live registers, what checks cost.
#include "analysis/stats.h"
#include "analysis/live_report.h"
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void require_counts(const Module& module) {
  const analysis::ModuleStats counts = analysis::count_module(module);
  std::vector<std::uint32_t> functions;
  std::uint64_t instructions = 0;
  for (const analysis::FunctionStats& function : counts.functions) {
    functions.push_back(function.function);
    instructions += function.counts.instructions;
  }
  require(instructions == counts.totals.instructions, "totals are sums");
  const std::vector<analysis::LiveReport> live = analysis::report_live(module, functions);
  require(live.size() == functions.size(), "each function has its live registers");
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto& counted = counts.functions[i].counts.max_live;
    const analysis::LiveRanges& ranges = live[i].ranges;
    if (counted && ranges.complete) require(*counted == ranges.max_live.registers, "both ways to count agree");
  }
}

void count(const Input& input) {
  require_counts(parse(input.text, "fuzz.ptx"));
  const MemoryFile file(input.text);
  const MemoryFile other(input.other);
  std::vector<std::string> words{"stats", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(file.path());
  if (!input.other.empty()) words.push_back(other.path());
  const Outcome outcome = run_command(cli::add_stats, words);
  const std::string_view out = outcome.out;
  if (out.starts_with("{")) require_json(out, "ptxscope.stats/1");
  else if (out.starts_with("file,")) require_csv(out);
  else require_terminal(out, "stats");
}

}  // namespace

Target stats_target() {
  return {.name = "stats",
          .form = Form::ptx,
          .run = count,
          .options = {{"--format", {"text", "json", "csv"}},
                      {"--sort", {"name", "max_live", "instructions", "branches", "nothing"}},
                      {"--csv"},
                      {"--opcodes"},
                      {"--checks"},
                      {"--live"},
                      {"--live", {"table", "column"}},
                      {"--kernel", {"*", "k*", "nothing"}}}};
}

}  // namespace ptxscope::fuzz
