// extract, and a command that reads PTX out of what it is given: files as people have them.
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void take_out(const Input& input) {
  const MemoryFile file(input.text);
  std::vector<std::string> words{"extract", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(file.path());
  const Outcome listed = run_command(cli::add_extract, words);
  const bool is_list = std::ranges::find(words, "--list") != words.end();
  if (is_list && listed.out.starts_with("{")) require_json(listed.out, "ptxscope.extract/1");
  else if (is_list) require_terminal(listed.out, "extract");
  (void)run_command(cli::add_print, {"print", "--color=always", file.path()});
}

}  // namespace

Target extract_target() {
  return {.name = "extract",
          .form = Form::container,
          .run = take_out,
          .options = {{"--list"},
                      {"--all"},
                      {"--format", {"text", "json"}},
                      {"--image", {"1", "sm_90", "sm_75:2", "sm_90:1.cubin", "2"}}},
          .most_bytes = std::size_t{1} << 15};
}

}  // namespace ptxscope::fuzz
