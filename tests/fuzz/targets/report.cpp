// report: the page of one module, or of two. Without Graphviz, which is another program.
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void write(const Input& input) {
  const MemoryFile a(input.text);
  const MemoryFile b(input.other);
  std::vector<std::string> words{"report", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(a.path());
  if (!input.other.empty()) words.push_back(b.path());
  const Outcome outcome = run_command(cli::add_report, words);
  if (!outcome.out.empty()) require_markup(outcome.out);
}

}  // namespace

Target report_target() {
  return {.name = "report", .form = Form::ptx, .run = write, .options = {{"--kernel", {"*", "k*", "nothing"}}}};
}

}  // namespace ptxscope::fuzz
