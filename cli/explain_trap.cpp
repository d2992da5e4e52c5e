// ptxscope explain-trap: every way into every trap, in terms of kernel parameters.
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "cli/command.h"
#include "cli/kernel_names.h"
#include "cli/launch_words.h"
#include "report/explain.h"

namespace ptxscope::cli {
namespace {

struct Flags {
  std::vector<std::string> kernels, names, arguments;
  std::string grid, block;
  [[nodiscard]] bool launches() const { return !grid.empty() || !block.empty() || !arguments.empty(); }
};

// "4", "4,2", "4x2x1".
std::optional<std::array<std::uint32_t, 3>> extents(std::string_view text) {
  std::array<std::uint32_t, 3> size{1, 1, 1};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size[axis]);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) return size;
    if (text.front() != ',' && text.front() != 'x') return std::nullopt;
    text.remove_prefix(1);
  }
  return std::nullopt;
}

// What the flags say about the launch, as far as it does not depend on the module. On bad usage: reported, nullopt.
std::optional<analysis::Launch> shape_of(Run& run, const Flags& flags) {
  analysis::Launch launch;
  if (flags.grid.empty() || flags.block.empty()) {
    run.fail("a launch needs both --grid and --block, for example --grid 4 --block 256");
    return std::nullopt;
  }
  for (const auto& [flag, text, size] :
       {std::tuple{"--grid", &flags.grid, &launch.grid}, std::tuple{"--block", &flags.block, &launch.block}}) {
    const auto parsed = extents(*text);
    if (!parsed) {
      run.fail(std::string(flag) + " " + *text + ": must be one to three whole numbers, like 4 or 4,2 or 4x2x1");
      return std::nullopt;
    }
    *size = *parsed;
  }
  const std::vector<std::string> problems = analysis::launch_limits(launch);
  for (const std::string& problem : problems) run.fail("no GPU launches this: " + problem);
  return problems.empty() ? std::optional(launch) : std::nullopt;
}

std::string quoted_list(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

// All of --names. On bad usage: reported, nullopt.
std::optional<std::vector<std::string>> names_of(Run& run, const Flags& flags) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const std::string& list : flags.names)
    for (std::string& name : split_names(list)) names.push_back(std::move(name));
  for (const std::string& name : names) {
    if (name.empty() || seen.insert(name).second) continue;
    run.fail("--names " + quoted_list(flags.names) + ": two arguments would be called " + name);
    return std::nullopt;
  }
  return names;
}

std::string written(Run& run, const Module& module, const analysis::TrapReport& report,
                    const std::optional<analysis::Launch>& launch, Run::Found found) {
  if (run.is_json())
    return run.document(
        [&](const report::Sink& sink) { report::explain_trap_json(sink, module, report, launch, found); });
  return report::explain_trap_text(module, report, launch, run.style());
}

// What is found out of a module before anything is said of it.
struct Findings {
  std::vector<Diagnostic> checks;
  analysis::TrapReport traps;
};

std::string explain(Run& run, const Flags& flags, const std::vector<std::string>& names,
                    const std::optional<analysis::Launch>& shape, const Module& module, Findings& findings) {
  analysis::TrapReport& report = findings.traps;
  const Run::Found found = findings.checks;
  run.report_all(module, found);
  // What cannot be answered gives no output, but for its place in a list of documents.
  const auto nothing = [&] {
    return run.is_json() && run.options().files.size() > 1 ? written(run, module, report, std::nullopt, found)
                                                           : std::string();
  };
  if (report.functions.empty() && !flags.kernels.empty()) return nothing();
  if (!names.empty()) {
    const std::string problem = same_labels(module, report, "--names " + quoted_list(flags.names));
    if (!problem.empty()) {
      run.fail(problem);
      return nothing();
    }
  }
  std::optional<analysis::Launch> launch = shape;
  if (launch) {
    const std::vector<std::string> problems = evaluate(module, report, {flags.arguments}, *launch);
    for (const std::string& problem : problems) run.fail(problem);
    if (!problems.empty()) return nothing();
    for (const auto& kernel : report.functions) {
      const Function& function = module.functions()[kernel.function];
      for (const std::string& sentence : analysis::launch_contradictions(module, function, *launch)) run.warn(sentence);
      const bool fires = std::any_of(kernel.traps.begin(), kernel.traps.end(), [](const analysis::Trap& trap) {
        return trap.given && trap.given->fires.value_or(false);
      });
      if (fires) run.object();
    }
  }
  return written(run, module, report, launch, found);
}

}  // namespace

void add_explain_trap(Program& program) {
  const auto flags = std::make_shared<Flags>();
  CLI::App& app = program.add(
      {.name = "explain-trap",
       .summary = "which checks can trap, on which parameter, at which source line; and what a launch would do",
       .formats = {"text", "json"},
       .examples = {"ptxscope explain-trap vecadd.ptx",
                    "ptxscope explain-trap --names a,b,c --kernel 'vec*' vecadd.ptx",
                    "ptxscope explain-trap --grid 4 --block 256 --arg a.len=512 --arg b.len=1024 --arg c.len=1024 "
                    "--names a,b,c "
                    "vecadd.ptx"},
       .takes_jobs = true},
      [flags](Run& run) {
        const auto given_names = names_of(run, *flags);
        if (!given_names) return;
        std::optional<analysis::Launch> launch;
        if (flags->launches()) {
          launch = shape_of(run, *flags);
          if (!launch) return;
        }
        KernelNames names(flags->kernels);
        run.each_module<Findings>(
            [&](const Module& module, unsigned jobs) {
              return Findings{
                  cheap_checks(module, jobs),
                  analysis::explain_traps(module, {.kernels = flags->kernels, .names = *given_names, .jobs = jobs})};
            },
            [&](const Module& module, Findings& findings) {
              names.look_into(module);
              return explain(run, *flags, *given_names, launch, module, findings);
            });
        names.report(run);
      });
  app.add_option("--kernel", flags->kernels, "only this kernel: its name, mangled or not; * stands for any characters")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--names", flags->names, "names for the arguments, in their order: a,b,c or a,,c")
      ->type_name("NAMES")
      ->allow_extra_args(false);
  app.add_option("--grid", flags->grid, "evaluate the checks for a launch of this many blocks: 4, or 4,2 or 4x2x1")
      ->type_name("SIZE");
  app.add_option("--block", flags->block, "threads of a block: 256, or 16,16")->type_name("SIZE");
  app.add_option("--arg", flags->arguments, "what the launch passes: a.len=512; also #1=512, or the name in the PTX")
      ->type_name("LABEL=VALUE")
      ->allow_extra_args(false);
}

}  // namespace ptxscope::cli
