// ptxscope bench: is B slower than A? Two kernels timed in turn on a GPU, size by size.
#include <CLI/App.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <set>
#include <utility>

#include "analysis/bench_arguments.h"
#include "analysis/traps.h"
#include "cli/command.h"
#include "cli/input.h"
#include "cli/kernel_names.h"
#include "cli/output.h"
#include "driver/bench.h"
#include "report/bench.h"

namespace ptxscope::cli {

namespace {

using analysis::BenchMeasurement;

struct BenchFlags {
  std::string kernel, kernel_a, kernel_b;
  std::vector<std::string> arguments, arguments_a, arguments_b;
  std::string names, names_a, names_b;
  std::string sizes, grid = "ceil(n/block)", block, shared = "0", bytes;
  std::string margin = "1%", confidence = "99%", check;
  std::string plot, keep, replay;
  unsigned pairs = 30;
  unsigned seconds = 60;
  int device = 0;
  std::uint64_t seed = 1;
  bool cold = false;
  bool csv = false;
};

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

std::vector<std::string> split(const std::string& list) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; !list.empty() && begin <= list.size();) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    out.push_back(list.substr(begin, comma - begin));
    begin = comma + 1;
  }
  return out;
}

// Writes a file beside the output. Reported when that fails.
void write_file(Run& run, const std::string& path, std::string_view text) {
  bool closed_pipe = false;
  const std::string error = write_output(path, text, closed_pipe);
  if (!error.empty()) run.fail(error);
}

// All that the flags ask for of a measurement; and exit code 1 when the results differ.
void write_all(Run& run, const BenchFlags& flags, const BenchMeasurement& measurement,
               const analysis::BenchRules& rules) {
  if (!flags.keep.empty()) write_file(run, flags.keep, report::bench_json(measurement, rules));
  if (!flags.plot.empty()) write_file(run, flags.plot, report::bench_svg(measurement, rules));
  const bool is_csv = flags.csv || run.format() == "csv";
  std::string text = run.is_json() ? report::bench_json(measurement, rules)
                     : is_csv      ? report::bench_csv(measurement, rules)
                                   : report::bench_text(measurement, rules, run.style());
  for (const analysis::BenchSize& size : measurement.sizes)
    for (const analysis::BenchCheck& check : size.checks)
      if (check.difference.different != 0) run.object();
  // What was measured up to then is kept, though the command has failed.
  if (measurement.stop && !run.options().output.empty()) static_cast<void>(run.write_apart(text));
  else run.add_document(std::move(text));
  if (measurement.stop) run.fail("n = " + std::to_string(measurement.stop->n) + ": " + measurement.stop->message);
}

// A file with the kernel picked out of it.
struct Subject {
  std::shared_ptr<const Module> module;
  std::uint32_t function = no_index;
  std::vector<analysis::ParameterInfo> params;
};

std::optional<Subject> read_subject(Run& run, const std::string& path, const std::string& kernel,
                                    const std::string& names, const std::string& flag) {
  Input input = read_input(path);
  for (const std::string& warning : input.warnings) run.warn(path + ": " + warning);
  if (!input.text) {
    run.fail((path == "-" ? "standard input" : path) + ": " + input.error);
    return std::nullopt;
  }
  Subject subject;
  subject.module = std::make_shared<const Module>(parse(std::move(*input.text), input.name));
  const Module& module = *subject.module;
  run.report(module, module.diagnostics());
  const analysis::TrapReport report = analysis::explain_traps(
      module, {.kernels = kernel.empty() ? std::vector<std::string>{} : std::vector<std::string>{kernel},
               .names = split(names),
               .include_soft_failures = false});
  std::set<std::string> picked;
  for (const analysis::FunctionTraps& traps : report.functions) {
    const Function& function = module.functions()[traps.function];
    if (function.kind != FunctionKind::entry || !function.has_body) continue;
    picked.emplace(module.name(function.name));
    subject.function = traps.function;
    subject.params = traps.params;
  }
  if (picked.size() == 1) return subject;
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

std::string extents_text(const std::array<analysis::Formula, 3>& extents) {
  std::string text = extents[0].text();
  const bool is_flat = extents[2].text() == "1";
  if (!is_flat || extents[1].text() != "1") text += "," + extents[1].text();
  return is_flat ? text : text + "," + extents[2].text();
}

// What the flags say of how to measure, but for the plan. False: reported.
bool read_request(Run& run, const BenchFlags& flags, driver::BenchRequest& request) {
  if (flags.sizes.empty()) {
    run.fail("--sizes says for which n: --sizes '2^10..2^26', --sizes 1000,4096");
    return false;
  }
  auto sizes = analysis::read_sizes(flags.sizes);
  if (!sizes.error.empty()) {
    run.fail("--sizes " + flags.sizes + ": " + sizes.error);
    return false;
  }
  request.sizes = std::move(sizes.sizes);
  if (flags.pairs < analysis::fewest_pairs || flags.pairs > 100000) {
    run.fail("--pairs " + std::to_string(flags.pairs) + ": must be from " + std::to_string(analysis::fewest_pairs) +
             " (fewer give no interval worth the name) to 100000");
    return false;
  }
  if (flags.seconds < 1 || flags.seconds > 86400) {
    run.fail("--seconds " + std::to_string(flags.seconds) + ": must be from 1 to 86400");
    return false;
  }
  request.check = !flags.check.empty();
  if (request.check && flags.check != "by type") {
    const auto formula = analysis::read_formula(flags.check, analysis::FormulaNames::none).formula;
    const auto value = formula ? formula->value({}) : std::nullopt;
    if (!value || value->over < 0) {
      run.fail("--check=" + flags.check + ": must be a tolerance, like 1e-6, or 0 for the same bits");
      return false;
    }
    request.tolerance = static_cast<double>(value->over) / static_cast<double>(value->under);
  }
  request.device = flags.device;
  request.seed = flags.seed;
  request.pairs = flags.pairs;
  request.cold = flags.cold;
  request.seconds = flags.seconds;
  if (!flags.names.empty()) request.command = "--names " + flags.names;
  return true;
}

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

// Everything that can be wrong without a GPU; the plan on success.
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

void measure(Run& run, const BenchFlags& flags, const analysis::BenchRules& rules) {
  const std::vector<std::string>& files = run.options().words;
  if (files.empty() || files.size() > 2) {
    run.fail(files.empty()
                 ? "no file given; name a PTX file for A, and one for B (ptxscope bench --help shows examples)"
                 : "there are A and B, not " + std::to_string(files.size()) + " files");
    return;
  }
  driver::BenchRequest request;
  if (!read_request(run, flags, request)) return;
  const auto first_of = [](const std::string& a, const std::string& b) { return a.empty() ? b : a; };
  std::vector<Subject> subjects;
  const bool has_b = files.size() == 2 || !flags.kernel_b.empty();
  for (std::size_t i = 0; i < (has_b ? 2U : 1U); ++i) {
    auto subject = i == 0 ? read_subject(run, files[0], first_of(flags.kernel_a, flags.kernel),
                                         first_of(flags.names_a, flags.names), has_b ? "--kernel-a" : "--kernel")
                          : read_subject(run, files.back(), first_of(flags.kernel_b, flags.kernel),
                                         first_of(flags.names_b, flags.names), "--kernel-b");
    if (!subject) return;
    subjects.push_back(std::move(*subject));
  }
  const auto plan = make_plan(run, flags, subjects, request);
  if (!plan) return;
  request.plan = &*plan;
  BenchMeasurement measurement;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    request.images[i] = std::string(subjects[i].module->text());
    analysis::BenchSubject subject{plan->kernels[i].file, plan->kernels[i].name, std::nullopt};
    if (i == 0) measurement.a = std::move(subject);
    else measurement.b = std::move(subject);
  }
  for (const auto& [texts, suffix] :
       {std::pair{&flags.arguments, ""}, {&flags.arguments_a, " (A)"}, {&flags.arguments_b, " (B)"}})
    for (const std::string& text : *texts) measurement.arguments.push_back(text + suffix);
  measurement.notes = plan->notes;
  measurement.grid = extents_text(plan->grid);
  measurement.block = extents_text(plan->block);
  measurement.cold = flags.cold;
  measurement.checked = request.check && has_b;
  measurement.seed = flags.seed;

  const driver::BenchOutcome outcome = driver::measure(request, measurement);
  if (!outcome.error.empty()) {
    run.fail(outcome.error);
    return;
  }
  write_all(run, flags, measurement, rules);
  if (!outcome.is_stuck) return;
  const int code = run.finish();
  std::fflush(nullptr);
  std::_Exit(code);  // what runs at a normal end would wait for the kernel
}

// What is written must not take the place of what is read, or of something else that is written.
bool outputs_differ(Run& run, const BenchFlags& flags) {
  std::vector<std::string> taken = run.options().words;
  taken.push_back(flags.replay);
  for (const auto& [flag, path] : {std::pair<const char*, std::string>{"-o", run.options().output},
                                   {"--plot", flags.plot},
                                   {"--keep", flags.keep}}) {
    if (path.empty() || path == "-") continue;
    for (const std::string& other : taken) {
      std::error_code none;
      if (path != other && !std::filesystem::equivalent(path, other, none)) continue;
      run.fail(std::string(flag) + " " + path + ": this file is read or written already; choose another name");
      return false;
    }
    taken.push_back(path);
  }
  return true;
}

void bench(Run& run, const BenchFlags& flags) {
  if (!outputs_differ(run, flags)) return;
  if (flags.csv && run.is_json()) {
    run.fail("--csv and --format json are two formats; choose one");
    return;
  }
  const auto rules = rules_of(run, flags);
  if (!rules) return;
  if (flags.replay.empty()) {
    if (!flags.plot.empty() && run.options().words.size() < 2 && flags.kernel_b.empty()) {
      run.fail("--plot draws B against A: name a second file");
      return;
    }
    measure(run, flags, *rules);
    return;
  }
  if (!run.options().words.empty()) {
    run.fail("--replay takes its measurement from " + flags.replay + ": leave the other files out");
    return;
  }
  Input input = read_input(flags.replay);
  if (!input.text) {
    run.fail(flags.replay + ": " + input.error);
    return;
  }
  const report::BenchReadResult read = report::read_bench_json(*input.text);
  if (!read.measurement) {
    run.fail(flags.replay + ": " + read.error);
    return;
  }
  if (!flags.plot.empty() && !read.measurement->b) {
    run.fail("--plot draws B against A: " + flags.replay + " has no B");
    return;
  }
  write_all(run, flags, *read.measurement, *rules);
}

}  // namespace

void add_bench(Program& program) {
  auto flags = std::make_shared<BenchFlags>();
  CLI::App& app = program.add(
      {.name = "bench",
       .summary = "is B slower than A? two kernels timed in turn on a GPU, size by size",
       .formats = {"text", "json", "csv"},
       .examples = {"ptxscope bench a.ptx b.ptx --arg a=f32[n]:in --arg b=f32[n]:in --arg c=f32[n]:out --names a,b,c "
                    "--sizes 2^10..2^26",
                    "ptxscope bench a.ptx b.ptx --kernel saxpy --arg x=f32[n] --arg y=f32[n] --arg scale=2.0 --arg n=n "
                    "--sizes 1e6 --check --plot saxpy.svg --keep saxpy.json",
                    "ptxscope bench --replay saxpy.json --margin 0.5%"},
       .words = "A [B]"},
      [flags](Run& run) { bench(run, *flags); });
  app.add_option("--kernel", flags->kernel, "the kernel: its name, mangled or not; * stands for any characters")
      ->type_name("NAME");
  app.add_option("--kernel-a", flags->kernel_a, "the same, of A alone")->type_name("NAME");
  app.add_option("--kernel-b", flags->kernel_b, "the same, of B alone; without a second file B is in the first")
      ->type_name("NAME");
  app.add_option("--arg", flags->arguments,
                 "what a label of explain-trap stands for: a=f32[n] a buffer (then :in, :out or :inout, and :random, "
                 ":random(LOW,HIGH), :zero, :iota or a number), a.len=n, scale=f32:2.0, y=@x the buffer of x")
      ->type_name("LABEL=VALUE");
  app.add_option("--arg-a", flags->arguments_a, "the same, of A alone")->type_name("LABEL=VALUE");
  app.add_option("--arg-b", flags->arguments_b, "the same, of B alone")->type_name("LABEL=VALUE");
  app.add_option("--names", flags->names, "names for the arguments, in their order: a,b,c or a,,c")->type_name("NAMES");
  app.add_option("--names-a", flags->names_a, "the same, of A alone")->type_name("NAMES");
  app.add_option("--names-b", flags->names_b, "the same, of B alone")->type_name("NAMES");
  app.add_option("--sizes", flags->sizes,
                 "each n: 2^10..2^26 (doubling), 1000..1e6:10 (times 10), 64..512:+64, 1000,4096")
      ->type_name("SIZES");
  app.add_option("--block", flags->block, "threads of a block, up to three axes (default: 256, or as the kernel says)")
      ->type_name("SIZE");
  app.add_option("--grid", flags->grid, "blocks (default: ceil(n/block))")->type_name("SIZE");
  app.add_option("--shared", flags->shared, "bytes of dynamic shared memory (default: 0)")->type_name("BYTES");
  app.add_option("--bytes", flags->bytes,
                 "bytes that a launch reads and writes (default: by :in, :out and :inout of all buffers)")
      ->type_name("BYTES");
  app.add_option("--pairs", flags->pairs, "how often both are measured (default: 30)")->type_name("N");
  app.add_flag("--cold", flags->cold, "overwrite the L2 cache before each launch");
  app.add_flag("--check{by type}", flags->check,
               "also compare what both write; --check=1e-6: so much may floating-point differ, relative to the larger "
               "of the two or to 1");
  app.add_option("--seed", flags->seed, "of random contents (default: 1)")->type_name("N");
  app.add_option("--margin", flags->margin, "a difference up to this one counts as none (default: 1%)")
      ->type_name("PART");
  app.add_option("--confidence", flags->confidence, "of the intervals (default: 99%)")->type_name("PART");
  app.add_option("--device", flags->device, "which GPU (default: 0)")->type_name("N");
  app.add_option("--seconds", flags->seconds, "the longest that one measurement may take (default: 60)")
      ->type_name("N");
  app.add_flag("--csv", flags->csv, "the same as --format csv: a row for each size");
  app.add_option("--plot", flags->plot, "also write a plot of the ratios, SVG")->type_name("FILE");
  app.add_option("--keep", flags->keep, "also write all that was measured, JSON")->type_name("FILE");
  app.add_option("--replay", flags->replay, "judge and draw what --keep or --format json wrote, without a GPU")
      ->type_name("FILE");
}

}  // namespace ptxscope::cli
