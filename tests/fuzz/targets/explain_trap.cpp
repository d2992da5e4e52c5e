// explain-trap, also with a launch.
#include <charconv>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "cli/command.h"
#include "report/explain.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

// The launch that the options give. Few threads and operations, to stay fast: the command itself would take its time.
analysis::Launch launch_of(const Input& input) {
  analysis::Launch launch;
  launch.work = std::uint64_t{1} << 16;
  for (const std::string_view word : input.words) {
    const std::size_t equals = word.find('=');
    const std::string_view option = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals, word.size() - 1) + 1);
    const auto number = [](std::string_view text, auto& out) {
      std::from_chars(text.data(), text.data() + text.size(), out);
    };
    if (option == "--grid" || option == "--block") {
      std::array<std::uint32_t, 3>& size = option == "--grid" ? launch.grid : launch.block;
      std::size_t axis = 0;
      for (std::size_t at = 0; axis < 3 && at <= value.size(); ++axis) {
        const std::size_t end = std::min(value.find_first_of("x,", at), value.size());
        number(value.substr(at, end - at), size[axis]);
        size[axis] = 1 + (size[axis] - 1) % 64;
        at = end + 1;
      }
    } else if (option == "--arg") {
      const std::size_t second = std::min(value.find('='), value.size());
      analysis::Launch::Argument argument{std::string(value.substr(0, second)), 0, no_index};
      number(value.substr(std::min(second + 1, value.size())), argument.value);
      launch.arguments.push_back(std::move(argument));
    }
  }
  return launch;
}

void explain(const Input& input) {
  const Module module = parse(input.text, "fuzz.ptx");
  analysis::TrapReport traps = analysis::explain_traps(module, {.kernels = {}, .names = {"a", "b"}});
  for (const analysis::FunctionTraps& function : traps.functions) {
    require(function.function < module.functions().size(), "traps are those of a function of the module");
    std::uint32_t id = 0;
    for (const analysis::Trap& trap : function.traps) {
      require(trap.id > id, "traps are numbered upwards");
      id = trap.id;
      require(trap.statement < module.statement_count(), "a trap is a statement");
      for (const analysis::Way& way : trap.ways)
        for (const std::uint32_t statement : way.evidence)
          require(statement < module.statement_count(), "what shows a trap are statements");
    }
  }
  const analysis::Launch launch = launch_of(input);
  (void)analysis::evaluate_launch(module, traps, launch);
  require_terminal(report::explain_trap_text(module, traps, launch, {.color = true, .width = 80}), "explain-trap");
  require_json(report::explain_trap_json(module, traps, launch), "ptxscope.explain-trap/1");

  const MemoryFile file(input.text);
  std::vector<std::string> words{"explain-trap", "--color=always"};
  for (const std::string& word : input.words)
    if (!word.starts_with("--grid") && !word.starts_with("--block") && !word.starts_with("--arg"))
      words.push_back(word);
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_explain_trap, words);
  require_terminal(outcome.out, "explain-trap");
}

}  // namespace

Target explain_trap_target() {
  return {.name = "explain_trap",
          .form = Form::ptx,
          .run = explain,
          .options = {{"--grid", {"1", "4", "3,2", "2x2x2", "64"}},
                      {"--block", {"1", "32", "16,4", "4x4x4", "64"}},
                      {"--arg",
                       {"#0=0", "#1=1", "#2=64", "a.len=4096", "b.len=18446744073709551615", "a=0", "b.len=1", "arg0=7",
                        "arg1.len=3", "n=100"}},
                      {"--names", {"a,b,c", "a,,c", "a,a", ","}},
                      {"--kernel", {"*", "k*", "vec*", "nothing"}}}};
}

}  // namespace ptxscope::fuzz
