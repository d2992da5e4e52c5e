// ptxscope explain-trap: every way into every trap, in terms of kernel parameters.
#include <algorithm>
#include <charconv>
#include <memory>
#include <set>

#include "analysis/launch.h"
#include "analysis/names.h"
#include "analysis/traps.h"
#include "cli/command.h"
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

std::string listed(const std::set<std::string>& words) {
  constexpr std::size_t enough = 40;
  std::string out;
  std::size_t shown = 0;
  for (const std::string& word : words) {
    if (shown++ == enough) return out + ", …";
    out += (out.empty() ? "" : ", ") + word;
  }
  return out;
}

std::string all_labels(const analysis::TrapReport& report) {
  std::set<std::string> labels;
  for (const auto& kernel : report.functions) {
    for (std::string& label : analysis::labels_of(kernel.params)) labels.insert(std::move(label));
  }
  return listed(labels);
}

// Which patterns of --kernel matched something, over all files.
class KernelNames {
 public:
  explicit KernelNames(const std::vector<std::string>& patterns)
      : patterns_(patterns), matched_(patterns.size(), false) {}

  void look_into(const Module& module) {
    for (const Function& function : module.functions()) {
      if (!function.has_body) continue;
      const std::string_view name = module.name(function.name);
      for (std::size_t i = 0; i < patterns_.size(); ++i) {
        matched_[i] = matched_[i] || analysis::matches_name(patterns_[i], name);
      }
      if (function.kind == FunctionKind::entry) kernels_.insert(std::string(name));
    }
  }

  void report(Run& run) const {
    for (std::size_t i = 0; i < patterns_.size(); ++i) {
      if (matched_[i]) continue;
      run.fail("--kernel " + patterns_[i] + ": nothing is called that; " +
               (kernels_.empty() ? "there is no kernel" : "the kernels are " + listed(kernels_)));
    }
  }

 private:
  const std::vector<std::string>& patterns_;
  std::vector<bool> matched_;
  std::set<std::string> kernels_;
};

// The values of --arg. False: reported.
bool set_arguments(Run& run, const Flags& flags, const analysis::TrapReport& report, analysis::Launch& launch) {
  for (const std::string& argument : flags.arguments) {
    const std::size_t equals = argument.find('=');
    if (equals == std::string::npos || equals == 0) {
      run.fail("--arg " + argument + ": must be LABEL=VALUE, like a.len=512");
      return false;
    }
    const std::string label = argument.substr(0, equals);
    const std::string value = argument.substr(equals + 1);
    std::optional<analysis::LabelledValue> place;
    for (const auto& kernel : report.functions) {
      if (!place) place = analysis::find_label(kernel.params, label);
    }
    std::uint64_t bits = 0;
    if (place) {
      const auto parsed = analysis::argument_bits(value, place->type, place->bytes);
      if (!parsed) {
        const std::string_view type = spelling(place->type);
        run.fail("--arg " + argument + ": must be a number that fits into " + std::to_string(8 * place->bytes) +
                 " bits" + (type.empty() ? "" : " (." + std::string(type) + ")") + ", like 512, -1, 0x1f" +
                 (place->type == Type::f32 || place->type == Type::f64 ? ", 0.5 (0x gives the bits)" : ""));
        return false;
      }
      bits = *parsed;
    }
    launch.arguments.push_back({label, bits});
  }
  return true;
}

std::string written(const Run& run, const Module& module, const analysis::TrapReport& report,
                    const std::optional<analysis::Launch>& launch) {
  if (run.is_json()) return report::explain_trap_json(module, report, launch);
  return report::explain_trap_text(module, report, launch, run.style());
}

std::string explain(Run& run, const Flags& flags, const std::optional<analysis::Launch>& shape, const Module& module) {
  analysis::TrapReport report =
      analysis::explain_traps(module, {.kernels = flags.kernels, .names = flags.names, .include_soft_failures = true});
  // What cannot be answered gives no output, but for its place in a list of documents.
  const auto nothing = [&] {
    return run.is_json() && run.options().files.size() > 1 ? written(run, module, report, std::nullopt) : std::string();
  };
  if (report.functions.empty() && !flags.kernels.empty()) return nothing();
  std::optional<analysis::Launch> launch = shape;
  if (launch) {
    if (!set_arguments(run, flags, report, *launch)) return nothing();
    const std::vector<std::string> unknown = analysis::evaluate_launch(module, report, *launch);
    for (const std::string& label : unknown) {
      run.fail(module.file_name() + ": --arg: no parameter is called " + label + "; there are " + all_labels(report));
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
  return written(run, module, report, launch);
}

}  // namespace

void add_explain_trap(Program& program) {
  const auto flags = std::make_shared<Flags>();
  CLI::App& app = program.add(
      {.name = "explain-trap",
       .summary = "which checks can trap, on which parameter, at which source line; and what a launch would do",
       .formats = {"text", "json"},
       .examples = {"explain-trap vecadd.ptx", "explain-trap --names a,b,c --kernel 'vec*' vecadd.ptx",
                    "explain-trap --grid 4 --block 256 --arg a.len=512 --arg b.len=1024 --arg c.len=1024 --names a,b,c "
                    "vecadd.ptx"}},
      [flags](Run& run) {
        std::optional<analysis::Launch> launch;
        if (flags->launches()) {
          launch = shape_of(run, *flags);
          if (!launch) return;
        }
        KernelNames names(flags->kernels);
        run.each_module([&](const Module& module) {
          names.look_into(module);
          return explain(run, *flags, launch, module);
        });
        names.report(run);
      });
  app.add_option("--kernel", flags->kernels, "only this kernel: its name, mangled or not; * stands for any characters")
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--names", flags->names, "names for the arguments, in their order: a,b,c")
      ->type_name("NAMES")
      ->delimiter(',')
      ->allow_extra_args(false);
  app.add_option("--grid", flags->grid, "evaluate the checks for a launch of this many blocks: 4, or 4,2 or 4x2x1")
      ->type_name("SIZE");
  app.add_option("--block", flags->block, "threads of a block: 256, or 16,16")->type_name("SIZE");
  app.add_option("--arg", flags->arguments, "what the launch passes: a.len=512; also #1=512, or the name in the PTX")
      ->type_name("LABEL=VALUE")
      ->allow_extra_args(false);
}

}  // namespace ptxscope::cli
