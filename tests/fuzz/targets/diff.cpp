// diff: of a text with itself, and of the two that an input holds.
#include "analysis/diff.h"

#include <algorithm>

#include "cli/command.h"
#include "parser/normalize.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void compare(const Input& input) {
  const Module module = parse(input.text, "fuzz.ptx");
  const analysis::ModuleDiff same = analysis::diff_modules(module, module);
  require(same.identical && same.same_code, "a module is the same as itself");
  if (!module.has_errors()) {
    const Module layout = parse(normalized(module), "layout.ptx");
    require(analysis::diff_modules(module, layout).same_code, "another layout is the same code");
  }

  // Without a second one it is compared with what follows its first line.
  const std::size_t line = std::min(input.text.find('\n'), input.text.size());
  const MemoryFile a(input.text);
  const MemoryFile b(input.other.empty() ? input.text.substr(line) : input.other);
  std::vector<std::string> words{"diff", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(a.path());
  words.push_back(b.path());
  const Outcome there = run_command(cli::add_diff, words);
  const std::string_view out = there.out;
  if (out.starts_with("{")) require_json(out, "ptxscope.diff/1");
  else if (out.starts_with("<!DOCTYPE")) require_markup(out);
  else require_terminal(out, "diff");
  std::swap(words[words.size() - 1], words[words.size() - 2]);
  const Outcome back = run_command(cli::add_diff, words);
  require(there.exit_code == back.exit_code, "a differs from b as b from a");
}

}  // namespace

Target diff_target() {
  return {.name = "diff",
          .form = Form::ptx,
          .run = compare,
          .options = {{"--format", {"text", "json", "html"}},
                      {"--kernel", {"*", "k*"}},
                      {"--summary"},
                      {"--word"},
                      {"--side-by-side"},
                      {"--registers"},
                      {"--context", {"0", "1", "100000"}},
                      {"--all"},
                      {"--strict"}}};
}

}  // namespace ptxscope::fuzz
