// retarget: only what it says is changed, and the result says what was asked for.
#include "analysis/retarget.h"

#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

// The lowest header that does.
analysis::RetargetWish lowest() {
  analysis::RetargetWish wish;
  wish.lowest_target = wish.lowest_version = wish.rewrite = true;
  return wish;
}

void require_edits(const Module& module) {
  const analysis::Retargeting result = analysis::retarget(module, lowest());
  if (!result.fits) return;
  std::string expected;
  std::uint32_t end = 0;
  for (const analysis::TextChange& change : result.changes) {
    require(change.span.begin >= end && change.span.end <= module.text().size(), "changes are in order, apart");
    expected += module.text().substr(end, change.span.begin - end);
    expected += change.after;
    end = change.span.end;
  }
  expected += module.text().substr(end);
  require(result.text == expected, "only what is told is changed");
  const Module again = parse(result.text, "again.ptx");
  require(again.has_errors() == module.has_errors(), "what parsed parses");
  const analysis::Retargeting second = analysis::retarget(again, lowest());
  require(second.fits && second.text == result.text, "the lowest header of the lowest is itself");
}

void retarget(const Input& input) {
  require_edits(parse(input.text, "fuzz.ptx"));
  const MemoryFile file(input.text);
  std::vector<std::string> words{"retarget", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  if (input.words.empty()) words.emplace_back("--isa=min");
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_retarget, words);
  const bool is_json = std::ranges::find(words, "--format=json") != words.end();
  if (is_json && !outcome.out.empty()) require_json(outcome.out, "ptxscope.retarget/1");
}

}  // namespace

Target retarget_target() {
  return {.name = "retarget",
          .form = Form::ptx,
          .run = retarget,
          .options = {{"--format", {"text", "json"}},
                      {"--isa", {"min", "6.0", "7.8", "8.7", "9.0"}},
                      {"--target", {"min", "sm_50", "sm_75", "sm_90a", "sm_100f", "sm_120"}},
                      {"--rewrite"}}};
}

}  // namespace ptxscope::fuzz
