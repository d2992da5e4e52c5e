// bench --replay: a document that anybody may have written, judged and drawn.
#include "cli/command.h"
#include "report/bench.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void replay(const Input& input) {
  const report::BenchReadResult read = report::read_bench_json(input.text);
  require(read.measurement.has_value() == read.error.empty(), "a measurement, or what is wrong");
  if (read.measurement && read.measurement->b) require_markup(report::bench_svg(*read.measurement, {}));
  if (read.measurement) {
    const std::string once = report::bench_json(*read.measurement, {});
    const report::BenchReadResult again = report::read_bench_json(once);
    require(again.measurement.has_value(), "what bench wrote it reads", again.error);
    require(report::bench_json(*again.measurement, {}) == once, "writing what was read changes nothing");
  }

  const MemoryFile file(input.text);
  std::vector<std::string> words{"bench", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back("--replay=" + file.path());
  const Outcome outcome = run_command(cli::add_bench, words);
  const std::string_view out = outcome.out;
  if (out.starts_with("{")) require_json(out, "ptxscope.bench/1");
  else if (std::ranges::find(words, "--csv") != words.end()) require_csv(out);
  else if (std::ranges::find(words, "--format=csv") != words.end()) require_csv(out);
  else require_terminal(out, "bench");
}

}  // namespace

Target bench_replay_target() {
  return {.name = "bench_replay",
          .form = Form::text,
          .run = replay,
          .options = {{"--format", {"text", "json", "csv"}},
                      {"--margin", {"1%", "0.4", "1e-9"}},
                      {"--confidence", {"99%", "0.5", "99.9999%"}},
                      {"--csv"}}};
}

}  // namespace ptxscope::fuzz
