#include "python/documents.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "analysis/function_flow.h"
#include "analysis/instrument.h"
#include "analysis/names.h"
#include "analysis/retarget.h"
#include "cli/command.h"
#include "cli/kernel_names.h"
#include "cli/launch_words.h"
#include "cli/suggest.h"
#include "report/cfg.h"
#include "report/diff.h"
#include "report/explain.h"
#include "report/instrument.h"
#include "report/json_common.h"
#include "report/retarget.h"
#include "report/stats.h"

namespace ptxscope::python {

namespace {

std::string joined(const Names& words, std::string_view separator) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : std::string(separator)) + word;
  return out;
}

// Throws where a pattern names no function with a body in any of the modules.
void require_kernels(const Names& patterns, std::initializer_list<const Module*> modules) {
  if (patterns.empty()) return;
  analysis::NameSelection selection(patterns);
  std::set<std::string> present;
  std::string files;
  for (const Module* const module : modules) {
    files += (files.empty() ? "" : ", ") + module->file_name();
    for (const Function& function : module->functions()) {
      if (!function.has_body) continue;
      present.emplace(module->name(function.name));
      static_cast<void>(selection.picks(module->name(function.name)));
    }
  }
  const Names unmatched = selection.unmatched();
  if (unmatched.empty()) return;
  throw Problem(files + ": nothing is called " + joined(unmatched, ", ") + "; " +
                (present.empty() ? "there is no function" : "the functions are " + cli::listed(present)));
}

// All that `write` says, as far as it is wanted.
template <class Write>
std::string collected_until(const Stop& stop, const Write& write) {
  std::string text;
  write(report::Sink([&](std::string_view piece) {
    end_if(stop);
    text += piece;
  }));
  return text;
}

report::Json function_overview(const Module& module, const Function& function) {
  report::Json out = report::function_json(module, function);
  out["has_body"] = function.has_body;
  return out;
}

}  // namespace

std::string overview_json(const Module& module) {
  report::Json out;
  out["module"] = report::module_json(module);
  out["diagnostics"] = report::diagnostics_json(module, cli::cheap_checks(module));
  out["functions"] = report::Json::array();
  for (const Function& function : module.functions()) out["functions"].push_back(function_overview(module, function));
  return report::dump(out);
}

std::string flow_json(const Module& module, std::uint32_t index) {
  analysis::NeverReturns never_returns(module);
  analysis::FlowReport report;
  report.functions.push_back(analysis::flow_of_function(module, index, never_returns));
  return report::cfg_json(module, report);
}

std::string explain_traps_json(const Module& module, const Names& kernels, const Names& names,
                               const std::optional<LaunchShape>& shape, const Names& arguments, const Stop& stop) {
  require_kernels(kernels, {&module});
  analysis::TrapReport report = analysis::explain_traps(
      module, {.kernels = kernels, .names = names, .include_soft_failures = true, .stop = &stop});
  end_if(stop);
  if (!names.empty()) {
    const std::string problem = cli::same_labels(module, report, "names " + joined(names, ","));
    if (!problem.empty()) throw Problem(problem);
  }
  std::optional<analysis::Launch> launch;
  if (shape) {
    launch.emplace();
    launch->grid = shape->grid;
    launch->block = shape->block;
    Names problems = analysis::launch_limits(*launch);
    if (!problems.empty()) throw Problem(module.file_name() + ": no GPU launches this: " + joined(problems, "; "));
    problems = cli::evaluate(module, report, {arguments, "args"}, *launch, &stop);
    end_if(stop);
    if (!problems.empty()) throw Problem(joined(problems, "; "));
  }
  return collected_until(stop, [&](const report::Sink& sink) {
    report::explain_trap_json(sink, module, report, launch, cli::cheap_checks(module));
  });
}

std::string stats_json(const Module& module, const Names& kernels, bool checks, bool live, const Stop& stop) {
  require_kernels(kernels, {&module});
  report::FileStats file;
  file.counts = analysis::count_module(module, kernels, 1, &stop);
  end_if(stop);
  if (live) {
    const auto reporter = std::make_shared<analysis::LiveReporter>(module);
    file.live = [reporter, &stop](std::uint32_t function) {
      end_if(stop);
      return reporter->of(function);
    };
  }
  if (checks) file.safety = analysis::find_safety_branches(module, kernels, {}, &stop);
  end_if(stop);
  return collected_until(
      stop, [&](const report::Sink& sink) { report::stats_json(sink, module, file, "", cli::cheap_checks(module)); });
}

std::string check_json(const Module& module, const cli::CheckRequest& request, bool all, const Stop& stop) {
  const cli::AskedCheck asked = cli::understand(request);
  if (!asked.error.empty()) throw Problem(asked.error);
  constexpr std::size_t places = 1000;
  const analysis::CheckReport report =
      analysis::check(module, asked.question, {.places = all ? 0 : places, .stop = &stop});
  end_if(stop);
  return report::check_json(module, report, asked.words);
}

std::string diff_json(const Module& a, const Module& b, const Names& kernels, const Stop& stop) {
  require_kernels(kernels, {&a, &b});
  analysis::DiffOptions options;
  options.patterns = kernels;
  options.goes_on = [&](std::size_t, std::size_t) { return !analysis::is_stopped(&stop); };
  const analysis::ModuleDiff diff = analysis::diff_modules(a, b, options);
  end_if(stop);
  return report::diff_json(a, b, diff);
}

std::string cfg_json(const Module& module, const Names& kernels, bool live, const Stop& stop) {
  require_kernels(kernels, {&module});
  const analysis::FlowReport flow = analysis::flow_of_functions(module, kernels, 1, &stop);
  end_if(stop);
  report::LiveOf live_of;
  if (live)
    live_of = [&](const analysis::FunctionFlow& function) {
      end_if(stop);
      return analysis::compute_live_ranges(module, function.cfg);
    };
  return collected_until(stop, [&](const report::Sink& sink) {
    report::cfg_json(sink, module, flow, cli::cheap_checks(module), live_of);
  });
}

NewModule retarget(const Module& module, const std::string& target, const std::string& isa, bool rewrite,
                   const Stop& stop) {
  analysis::RetargetWish wish;
  wish.rewrite = rewrite;
  wish.stop = &stop;
  wish.lowest_target = target == "min";
  wish.lowest_version = isa == "min";
  if (!target.empty() && !wish.lowest_target) {
    wish.target = isa::find_target(target);
    if (!wish.target)
      throw Problem("target " + target + ": there is no such target" + cli::suggest_target(target) + " (or min)");
  }
  if (!isa.empty() && !wish.lowest_version) {
    wish.version = cli::read_version(isa);
    if (!wish.version)
      throw Problem("isa " + isa + ": there is no such PTX ISA version" + cli::suggest_version(isa) + " (or min)");
  }
  const analysis::Retargeting result = analysis::retarget(module, wish);
  end_if(stop);
  return {report::retarget_json(module, result, ""), result.text};
}

NewModule instrument(const Module& module, const Names& names, const Stop& stop) {
  const analysis::Instrumented result = analysis::instrument(module, {.names = names, .stop = &stop});
  end_if(stop);
  return {report::instrument_json(module, result, ""), result.text};
}

}  // namespace ptxscope::python
