#include "cli/bench_plan.h"

#include <algorithm>
#include <set>
#include <utility>

#include "analysis/launch.h"
#include "analysis/traps.h"
#include "cli/input.h"
#include "cli/kernel_names.h"

namespace ptxscope::cli {

namespace {

// "1%", "0.01".
std::optional<double> read_part(std::string text, double below) {
  const bool is_percent = text.ends_with('%');
  if (is_percent) text.pop_back();
  const auto formula = analysis::read_formula(text, analysis::FormulaNames::none).formula;
  const auto value = formula ? formula->value({}) : std::nullopt;
  if (!value) return std::nullopt;
  const double part = static_cast<double>(value->over) / static_cast<double>(value->under) / (is_percent ? 100 : 1);
  return part > 0 && part < below ? std::optional(part) : std::nullopt;
}

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; !list.empty() && begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    out.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return out;
}

}  // namespace

std::optional<analysis::BenchRules> rules_of(Run& run, const BenchFlags& flags) {
  analysis::BenchRules rules;
  const auto margin = read_part(flags.margin, 0.5);
  if (!margin) {
    run.fail("--margin " + flags.margin + ": must be more than 0 and less than 50%, like 1% or 0.01");
    return std::nullopt;
  }
  const auto confidence = read_part(flags.confidence, 1);
  if (!confidence || *confidence < 0.5 || *confidence > 0.999999) {
    run.fail("--confidence " + flags.confidence + ": must be from 50% to 99.9999%");
    return std::nullopt;
  }
  rules.margin = *margin;
  rules.confidence = *confidence;
  return rules;
}

std::optional<Subject> read_subject(Run& run, const std::string& path, const std::string& kernel,
                                    const std::string& names, const std::string& flag) {
  Input input = read_input(path);
  for (const std::string& warning : input.warnings) run.warn(path + ": " + warning);
  if (!input.text) {
    run.fail((path == "-" ? "standard input" : path) + ": " + input.error);
    return std::nullopt;
  }
  const std::vector<std::string> given = split(names);
  std::set<std::string> seen;
  for (const std::string& name : given) {
    if (name.empty() || seen.insert(name).second) continue;
    run.fail("the names " + names + ": two arguments would be called " + name);
    return std::nullopt;
  }
  Subject subject;
  subject.module = std::make_shared<const Module>(parse(std::move(*input.text), input.name));
  const Module& module = *subject.module;
  run.report(module, module.diagnostics());
  const analysis::TrapReport report = analysis::explain_traps(
      module, {.kernels = kernel.empty() ? std::vector<std::string>{} : std::vector<std::string>{kernel},
               .names = given,
               .include_soft_failures = false});
  std::set<std::string> picked;
  for (const analysis::FunctionTraps& traps : report.functions) {
    const Function& function = module.functions()[traps.function];
    if (function.kind != FunctionKind::entry || !function.has_body) continue;
    picked.emplace(module.name(function.name));
    subject.function = traps.function;
    subject.params = traps.params;
  }
  if (picked.size() == 1) {
    seen.clear();
    for (const std::string& label : analysis::labels_of(subject.params)) {
      if (given.empty() || seen.insert(label).second) continue;
      run.fail(module.file_name() + ": the names " + names + ": two parameters of " + *picked.begin() +
               " would be called " + label);
      return std::nullopt;
    }
    return subject;
  }
  if (picked.size() > 1) {
    run.fail(module.file_name() + ": there are several kernels; choose one by " + flag + " (" + listed(picked) + ")");
    return std::nullopt;
  }
  std::set<std::string> kernels;
  for (const Function& function : module.functions())
    if (function.kind == FunctionKind::entry && function.has_body) kernels.emplace(module.name(function.name));
  run.fail(module.file_name() + ": there is no kernel" +
           (kernel.empty() || kernels.empty() ? "" : " " + kernel + "; there are " + listed(kernels)));
  return std::nullopt;
}

namespace {

// --arg and the like, read; nullopt: reported.
std::optional<std::vector<analysis::BenchArgument>> read_arguments(Run& run, const std::string& flag,
                                                                   const std::vector<std::string>& texts) {
  std::vector<analysis::BenchArgument> out;
  for (const std::string& text : texts) {
    auto [argument, error] = analysis::read_bench_argument(text);
    if (!error.empty()) {
      run.fail(flag + " " + text + ": " + error);
      return std::nullopt;
    }
    out.push_back(std::move(argument));
  }
  return out;
}

// --grid, --block, --shared, --bytes into the plan.
bool read_formulas(Run& run, const BenchFlags& flags, analysis::BenchPlan& plan) {
  using analysis::FormulaNames;
  std::string block = flags.block;
  if (block.empty()) {
    // What both kernels were made for, else 256 threads.
    std::uint32_t threads = 256;
    for (const analysis::BenchKernel& kernel : plan.kernels)
      if (kernel.most_threads != 0) threads = std::min(threads, kernel.most_threads);
    block = std::to_string(threads);
    for (const analysis::BenchKernel& kernel : plan.kernels)
      if (const auto& size = kernel.required_block; size[0] != 0)
        block = std::to_string(size[0]) + "," + std::to_string(size[1]) + "," + std::to_string(size[2]);
  }
  for (const auto& [flag, text, names, extents] :
       {std::tuple{"--block", &std::as_const(block), FormulaNames::n, &plan.block},
        {"--grid", &flags.grid, FormulaNames::n_and_block, &plan.grid}}) {
    auto read = analysis::read_extents(*text, names);
    if (!read.error.empty()) {
      run.fail(std::string(flag) + " " + *text + ": " + read.error);
      return false;
    }
    *extents = std::move(read.axes);
  }
  auto shared = analysis::read_formula(flags.shared, FormulaNames::n_and_block);
  if (!shared.formula) {
    run.fail("--shared " + flags.shared + ": " + shared.error);
    return false;
  }
  plan.shared = std::move(*shared.formula);
  if (flags.bytes.empty()) return true;
  auto bytes = analysis::read_formula(flags.bytes, FormulaNames::n_and_block);
  if (!bytes.formula) run.fail("--bytes " + flags.bytes + ": " + bytes.error);
  plan.bytes = std::move(bytes.formula);
  return plan.bytes.has_value();
}

}  // namespace

std::string extents_text(const std::array<analysis::Formula, 3>& extents) {
  std::string text = extents[0].text();
  const bool is_flat = extents[2].text() == "1";
  if (!is_flat || extents[1].text() != "1") text += "," + extents[1].text();
  return is_flat ? text : text + "," + extents[2].text();
}

std::optional<driver::BenchRequest> read_request(Run& run, const BenchFlags& flags) {
  driver::BenchRequest request;
  if (flags.sizes.empty()) {
    run.fail("--sizes says for which n: --sizes '2^10..2^26', --sizes 1000,4096");
    return std::nullopt;
  }
  auto sizes = analysis::read_sizes(flags.sizes);
  if (!sizes.error.empty()) {
    run.fail("--sizes " + flags.sizes + ": " + sizes.error);
    return std::nullopt;
  }
  request.sizes = std::move(sizes.sizes);
  if (flags.pairs < analysis::fewest_pairs || flags.pairs > 100000) {
    run.fail("--pairs " + std::to_string(flags.pairs) + ": must be from " + std::to_string(analysis::fewest_pairs) +
             " (fewer give no interval worth the name) to 100000");
    return std::nullopt;
  }
  if (flags.seconds < 1 || flags.seconds > 86400) {
    run.fail("--seconds " + std::to_string(flags.seconds) + ": must be from 1 to 86400");
    return std::nullopt;
  }
  if (flags.device < 0) {
    run.fail("--device " + std::to_string(flags.device) + ": GPUs are numbered from 0");
    return std::nullopt;
  }
  request.check = !flags.check.empty();
  if (request.check && flags.check != "by type") {
    const auto formula = analysis::read_formula(flags.check, analysis::FormulaNames::none).formula;
    const auto value = formula ? formula->value({}) : std::nullopt;
    if (!value || value->over < 0) {
      run.fail("--check=" + flags.check + ": must be a tolerance, like 1e-6, or 0 for the same bits");
      return std::nullopt;
    }
    request.tolerance = static_cast<double>(value->over) / static_cast<double>(value->under);
  }
  request.device = flags.device;
  request.seed = flags.seed;
  request.pairs = flags.pairs;
  request.cold = flags.cold;
  request.seconds = flags.seconds;
  if (!flags.names.empty()) request.command = "--names " + flags.names;
  return request;
}

namespace {

// Whether some buffer is there that both kernels may write to.
bool has_results(const analysis::BenchPlan& plan) {
  for (std::size_t i = 0; i < plan.buffers.size(); ++i) {
    const bool is_shared = std::ranges::all_of(plan.kernels, [&](const analysis::BenchKernel& kernel) {
      return std::ranges::any_of(kernel.placements, [&](const auto& place) { return place.buffer == i; });
    });
    if (is_shared && plan.buffers[i].may_be_written()) return true;
  }
  return false;
}

}  // namespace

std::optional<analysis::BenchPlan> make_plan(Run& run, const BenchFlags& flags, const std::vector<Subject>& subjects,
                                             const driver::BenchRequest& request) {
  analysis::BenchGiven given;
  for (const auto& [flag, texts, into] : {std::tuple{"--arg", &flags.arguments, &given.both},
                                          {"--arg-a", &flags.arguments_a, &given.a},
                                          {"--arg-b", &flags.arguments_b, &given.b}}) {
    auto read = read_arguments(run, flag, *texts);
    if (!read) return std::nullopt;
    *into = std::move(*read);
  }
  std::vector<analysis::BenchSubjectKernel> kernels;
  for (const Subject& subject : subjects)
    kernels.push_back({subject.module.get(), subject.function, subject.params,
                       subjects.size() < 2 ? ""
                       : kernels.empty()   ? "A"
                                           : "B"});
  analysis::BenchBinding binding = analysis::bind_arguments(kernels, given);
  for (const std::string& error : binding.errors) run.fail(error);
  if (!binding.errors.empty() || !read_formulas(run, flags, binding.plan)) return std::nullopt;
  if (request.check && subjects.size() > 1 && !has_results(binding.plan))
    run.warn("--check: no buffer is there that both kernels may write to, so there is nothing to compare");
  for (const std::uint64_t n : request.sizes) {
    const std::string error = analysis::launch_of(binding.plan, n).error;
    if (error.empty()) continue;
    run.fail("n = " + std::to_string(n) + ": " + error);
    return std::nullopt;
  }
  return std::move(binding.plan);
}

}  // namespace ptxscope::cli
