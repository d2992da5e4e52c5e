// check: what a module needs, and whether it fits what is asked about.
#include "analysis/check.h"

#include "analysis/checks.h"
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/module_properties.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

// One command a line: "::error file=…::…".
void require_workflow_commands(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    require(end != std::string_view::npos && text.starts_with("::"), "a line is a workflow command", text);
    text.remove_prefix(end + 1);
  }
}

void check(const Input& input) {
  const Module module = parse(input.text, "fuzz.ptx");
  require_spans(module, analysis::check_semantics(module));
  const analysis::CheckReport report = analysis::check(module, {});
  require_spans(module, report.diagnostics);
  for (const analysis::Problem& problem : report.answer().problems) {
    const Diagnostic one[] = {problem.diagnostic};
    require_spans(module, one);
  }

  const MemoryFile file(input.text);
  std::vector<std::string> words{"check", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_check, words);
  const std::string_view out = outcome.out;
  if (out.starts_with("{")) require_json(out, out.find("\"$schema\"") < 200 ? "" : "ptxscope.check/1");
  else if (out.starts_with("::")) require_workflow_commands(out);
  else require_terminal(out, "check");
}

}  // namespace

Target check_target() {
  return {.name = "check",
          .form = Form::ptx,
          .run = check,
          .options = {{"--format", {"text", "json", "sarif", "github"}},
                      {"--target", {"sm_50", "sm_75", "sm_90a", "sm_100f", "sm_120a", "sm_1", "min"}},
                      {"--isa", {"6.0", "7.8", "8.7", "9.0", "9.9"}},
                      {"--cuda", {"11.8", "12.8", "13.0", "1"}},
                      {"--driver", {"570.86.10", "595.97", "470", "999.1"}},
                      {"--device", {"12.0", "9.0", "7.5", "1.0"}},
                      {"--all"}}};
}

}  // namespace ptxscope::fuzz
