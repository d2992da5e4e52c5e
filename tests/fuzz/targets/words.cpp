// Words that people type: explain, targets, releases, and a launch on the command line.
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

constexpr std::string_view kernel =
    ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1, "
    ".param .f32 k_param_2)\n{\n.reg .pred %p<2>;\n.reg .b32 %r<3>;\nld.param.u32 %r1, [k_param_1];\nmov.u32 %r2, "
    "%tid.x;\nsetp.lt.u32 %p1, %r2, %r1;\n@%p1 bra $L;\ntrap;\n$L:\nret;\n}\n";

// A line is a word. What looks like an option is taken for one that is unknown.
std::vector<std::string> lines_of(std::string_view text) {
  constexpr std::size_t most = 8;
  std::vector<std::string> lines;
  while (!text.empty() && lines.size() < most) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string line(text.substr(0, end));
    line = line.substr(0, line.find('\0'));
    // -o would write a file.
    if (!line.empty() && !line.starts_with('-')) lines.push_back(std::move(line));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

void look_up(const Input& input) {
  const std::vector<std::string> lines = lines_of(input.text);
  const bool is_json = !input.words.empty() && input.words.front() == "--format=json";
  for (const auto& [name, add] :
       {std::pair{"explain", &cli::add_explain}, {"targets", &cli::add_targets}, {"releases", &cli::add_releases}}) {
    std::vector<std::string> words{name, "--color=always"};
    if (is_json) words.emplace_back("--format=json");
    words.insert(words.end(), lines.begin(), lines.end());
    const Outcome outcome = run_command(add, words);
    if (outcome.out.starts_with("{")) require_json(outcome.out, "ptxscope." + std::string(name) + "/1");
    else require_terminal(outcome.out, name);
  }
  const MemoryFile file(kernel);
  std::vector<std::string> words{"explain-trap", "--color=always", "--grid=2", "--block=2"};
  if (is_json) words.emplace_back("--format=json");
  for (const std::string& line : lines) words.push_back("--arg=" + line);
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_explain_trap, words);
  if (!is_json) require_terminal(outcome.out, "explain-trap");
  else if (!outcome.out.empty()) require_json(outcome.out, "ptxscope.explain-trap/1");
}

}  // namespace

Target words_target() {
  return {.name = "words",
          .form = Form::text,
          .run = look_up,
          .options = {{"--format", {"text", "json"}}},
          .most_bytes = 512};
}

}  // namespace ptxscope::fuzz
