// ptxscope explain-trap: every way into every trap, in terms of kernel parameters.
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "cli/command.h"
#include "cli/kernel_names.h"
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

// --names, split at its commas; an empty one stands for an argument that keeps its own name. On bad usage: reported,
// nullopt.
std::optional<std::vector<std::string>> names_of(Run& run, const Flags& flags) {
  std::vector<std::string> names;
  std::set<std::string_view> seen;
  for (const std::string& list : flags.names) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t comma = std::min(list.find(',', begin), list.size());
      names.push_back(list.substr(begin, comma - begin));
      begin = comma + 1;
    }
  }
  for (const std::string& name : names) {
    if (name.empty() || seen.insert(name).second) continue;
    run.fail("--names " + quoted_list(flags.names) + ": two arguments would be called " + name);
    return std::nullopt;
  }
  return names;
}

bool is_kernel(const Module& module, const analysis::FunctionTraps& traps) {
  return module.functions()[traps.function].kind == FunctionKind::entry;
}

// Whether each label means one thing: names that were given may be those that others have by themselves.
bool labels_differ(Run& run, const Flags& flags, const Module& module, const analysis::TrapReport& report) {
  for (const auto& function : report.functions) {
    std::set<std::string> seen;
    for (std::string& label : analysis::labels_of(function.params)) {
      const auto [place, is_new] = seen.insert(std::move(label));
      if (is_new) continue;
      run.fail(module.file_name() + ": --names " + quoted_list(flags.names) + ": two parameters of " +
               std::string(module.name(module.functions()[function.function].name)) + " would be called " + *place);
      return false;
    }
  }
  return true;
}

std::string all_labels(const Module& module, const analysis::TrapReport& report) {
  std::set<std::string> labels;
  bool any_kernel = false;
  for (const auto& kernel : report.functions) {
    if (!is_kernel(module, kernel)) continue;
    any_kernel = true;
    for (std::string& label : analysis::labels_of(kernel.params)) labels.insert(std::move(label));
  }
  if (!any_kernel) return "there is no kernel";
  return labels.empty() ? "the kernels take none" : "there are " + listed(labels);
}

bool overlap(const analysis::LabelledValue& a, const analysis::LabelledValue& b) {
  return a.index == b.index && a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

// --arg, for each kernel that has a parameter of that label: they may differ in type. False: reported.
bool set_arguments(Run& run, const Flags& flags, const Module& module, const analysis::TrapReport& report,
                   analysis::Launch& launch) {
  std::vector<std::pair<std::string, std::string>> arguments;  // label, value
  for (const std::string& argument : flags.arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      run.fail("--arg " + argument + ": must be LABEL=VALUE, like a.len=512");
      return false;
    }
    arguments.emplace_back(argument.substr(0, equals), argument.substr(equals + 1));
  }
  std::vector<bool> found(arguments.size(), false);
  for (const auto& kernel : report.functions) {
    if (!is_kernel(module, kernel)) continue;
    std::vector<std::optional<analysis::LabelledValue>> places;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      const auto& [label, value] = arguments[i];
      const auto place = places.emplace_back(analysis::find_label(kernel.params, label));
      if (!place) continue;
      found[i] = true;
      const std::string kernel_name(module.name(module.functions()[kernel.function].name));
      for (std::size_t other = 0; other < i; ++other) {
        if (!places[other] || !overlap(*places[other], *place)) continue;
        run.fail("--arg " + flags.arguments[i] + ": --arg " + flags.arguments[other] +
                 " gives that already, to parameter " + kernel.params[place->index].name);
        return false;
      }
      const auto bits = analysis::argument_bits(value, place->type, place->bytes);
      if (!bits) {
        const std::string_view type = spelling(place->type);
        run.fail("--arg " + flags.arguments[i] + ": must be, for " + kernel_name + ", a number that fits into " +
                 std::to_string(8 * place->bytes) + " bits" + (type.empty() ? "" : " (." + std::string(type) + ")") +
                 ", like 512, -1, 0x1f" +
                 (place->type == Type::f32 || place->type == Type::f64 ? ", 0.5 (0x gives the bits)" : ""));
        return false;
      }
      launch.arguments.push_back({label, *bits, kernel.function});
    }
  }
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!found[i]) launch.arguments.push_back({arguments[i].first, 0, no_index});
  }
  return true;
}

std::string written(const Run& run, const Module& module, const analysis::TrapReport& report,
                    const std::optional<analysis::Launch>& launch, Run::Found found) {
  if (run.is_json()) return report::explain_trap_json(module, report, launch, found);
  return report::explain_trap_text(module, report, launch, run.style());
}

std::string explain(Run& run, const Flags& flags, const std::vector<std::string>& names,
                    const std::optional<analysis::Launch>& shape, const Module& module, Run::Found found) {
  analysis::TrapReport report =
      analysis::explain_traps(module, {.kernels = flags.kernels, .names = names, .include_soft_failures = true});
  // What cannot be answered gives no output, but for its place in a list of documents.
  const auto nothing = [&] {
    return run.is_json() && run.options().files.size() > 1 ? written(run, module, report, std::nullopt, found)
                                                           : std::string();
  };
  if (report.functions.empty() && !flags.kernels.empty()) return nothing();
  if (!names.empty() && !labels_differ(run, flags, module, report)) return nothing();
  std::optional<analysis::Launch> launch = shape;
  if (launch) {
    if (!set_arguments(run, flags, module, report, *launch)) return nothing();
    const std::vector<std::string> unknown = analysis::evaluate_launch(module, report, *launch);
    for (const std::string& label : unknown) {
      run.fail(module.file_name() + ": --arg: no parameter is called " + label + "; " + all_labels(module, report));
    }
    if (!unknown.empty()) return nothing();
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
                    "vecadd.ptx"}},
      [flags](Run& run) {
        const auto given_names = names_of(run, *flags);
        if (!given_names) return;
        std::optional<analysis::Launch> launch;
        if (flags->launches()) {
          launch = shape_of(run, *flags);
          if (!launch) return;
        }
        KernelNames names(flags->kernels);
        run.each_module(
            [&](const Module& module, Run::Found found) {
              names.look_into(module);
              return explain(run, *flags, *given_names, launch, module, found);
            },
            cheap_checks);
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
