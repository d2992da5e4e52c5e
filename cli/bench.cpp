// ptxscope bench: is B slower than A? Two kernels timed in turn on a GPU, size by size.
#include <CLI/App.hpp>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <set>
#include <span>
#include <utility>

#include "cli/bench_plan.h"
#include "cli/command.h"
#include "cli/output.h"
#include "driver/bench.h"
#include "report/bench.h"

namespace ptxscope::cli {

namespace {

using analysis::BenchMeasurement;

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

void measure(Run& run, const BenchFlags& flags, const analysis::BenchRules& rules) {
  const std::vector<std::string>& files = run.options().words;
  if (files.empty() || files.size() > 2) {
    run.fail(files.empty()
                 ? "no file given; name a PTX file for A, and one for B (ptxscope bench --help shows examples)"
                 : "there are A and B, not " + std::to_string(files.size()) + " files");
    return;
  }
  auto request = read_request(run, flags);
  if (!request) return;
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
  const auto plan = make_plan(run, flags, subjects, *request);
  if (!plan) return;
  request->plan = &*plan;
  BenchMeasurement measurement;
  for (std::size_t i = 0; i < subjects.size(); ++i) {
    request->images[i] = std::string(subjects[i].module->text());
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
  measurement.checked = request->check && has_b;
  measurement.seed = flags.seed;

  const driver::BenchOutcome outcome = driver::measure(*request, measurement);
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

// What is written must not take the place of what is read, or of something else that is written. That it cannot be written
// is said before the measurement, which takes minutes.
bool outputs_are_well(Run& run, const BenchFlags& flags) {
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
    if (const std::string problem = why_not_written(path); !problem.empty()) {
      run.fail(std::string(flag) + " " + problem);
      return false;
    }
  }
  return true;
}

// What --keep wrote, or somebody else; "-" is standard input. `error`: a sentence.
std::optional<std::string> read_document(const std::string& path, std::string& error) {
  std::error_code none;
  std::ifstream file;
  if (path != "-") {
    if (!std::filesystem::exists(path, none)) error = "no such file";
    if (std::filesystem::is_directory(path, none)) error = "is a folder; name what bench --keep wrote";
    if (!error.empty()) return std::nullopt;
    file.open(path, std::ios::binary);
  }
  std::istream& in = path == "-" ? std::cin : file;
  // Of what is too large the reader of the document will say so.
  constexpr std::size_t piece = std::size_t{1} << 20;
  constexpr std::size_t enough = std::size_t{65} << 20;
  std::string text;
  while (in && text.size() < enough) {
    const std::size_t before = text.size();
    text.resize(before + piece);
    in.read(text.data() + before, static_cast<std::streamsize>(piece));
    text.resize(before + static_cast<std::size_t>(in.gcount()));
  }
  if (path != "-" && !file.is_open()) error = "cannot be read; may you read it?";
  else if (text.empty()) error = "empty; what bench --format json or --keep wrote is expected";
  return error.empty() ? std::optional(std::move(text)) : std::nullopt;
}

void bench(Run& run, const BenchFlags& flags, std::span<const CLI::Option* const> of_measuring) {
  if (!outputs_are_well(run, flags)) return;
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
  for (const CLI::Option* const option : of_measuring) {
    if (option->count() == 0) continue;
    run.fail("--replay judges what was measured, and measures nothing: leave " + option->get_name() + " out");
    return;
  }
  std::string error;
  const auto text = read_document(flags.replay, error);
  if (!text) {
    run.fail(flags.replay + ": " + error);
    return;
  }
  const report::BenchReadResult read = report::read_bench_json(*text);
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
  const auto measuring = std::make_shared<std::vector<const CLI::Option*>>();
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
      [flags, measuring](Run& run) { bench(run, *flags, *measuring); });
  const std::size_t common = app.get_options().size();
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
  const std::set<std::string> of_judging{"--margin", "--confidence", "--csv", "--plot", "--keep", "--replay"};
  const std::vector<CLI::Option*> options = app.get_options();
  for (std::size_t i = common; i < options.size(); ++i)
    if (!of_judging.contains(options[i]->get_name())) measuring->push_back(options[i]);
}

}  // namespace ptxscope::cli
