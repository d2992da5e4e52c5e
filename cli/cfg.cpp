// ptxscope cfg: the control flow graph of each function.
#include <CLI/App.hpp>
#include <algorithm>

#include "cli/command.h"
#include "cli/kernel_names.h"
#include "report/cfg.h"

namespace ptxscope::cli {

namespace {

struct CfgFlags {
  std::vector<std::string> kernels;
  std::optional<std::uint32_t> lines;
  bool live = false;
};

std::string draw(Run& run, const Module& module, const analysis::FlowReport& flow,
                 const report::CfgDotOptions& options) {
  // dot's time grows with the square of the blocks, or worse.
  constexpr std::size_t most_blocks = 3000;
  constexpr std::size_t most_edges = 4 * most_blocks;
  std::size_t blocks = 0;
  std::size_t edges = 0;
  for (const analysis::FunctionFlow& function : flow.functions) {
    blocks += function.cfg.blocks.size();
    edges += function.cfg.edges.size();
  }
  if (blocks > most_blocks || edges > most_edges) {
    const std::string many =
        blocks > most_blocks ? std::to_string(blocks) + " blocks" : std::to_string(edges) + " branches between blocks";
    run.fail(module.file_name() + ": " + many +
             " are too many for one picture; choose functions with --kernel, or use --format dot");
    return {};
  }
  report::Drawing drawing = report::draw_svg(report::cfg_dot(module, flow, options));
  if (drawing.svg) return std::move(*drawing.svg);
  run.fail(module.file_name() + ": " + drawing.error);
  return {};
}

// What building the graphs had to say, without what the checks said at the same place.
std::vector<Diagnostic> diagnostics_of(const analysis::FlowReport& flow, Run::Found found) {
  std::vector<Diagnostic> more;
  for (const analysis::FunctionFlow& function : flow.functions) {
    for (const Diagnostic& one : function.cfg.diagnostics) {
      const bool is_known = std::any_of(found.begin(), found.end(), [&](const Diagnostic& other) {
        return other.rule == one.rule && other.span.begin == one.span.begin;
      });
      if (!is_known) more.push_back(one);
    }
  }
  return more;
}

// What is found out of a module before anything is said of it.
struct Findings {
  std::vector<Diagnostic> checks;
  analysis::FlowReport flow;
};

std::string write_cfg(Run& run, const Module& module, const Findings& findings, const CfgFlags& flags) {
  const analysis::FlowReport& flow = findings.flow;
  const Run::Found found = findings.checks;
  run.report_all(module, found);
  // Without a function there is no output, but for the file's place in a list of documents.
  const bool is_list = run.is_json() && run.options().files.size() > 1;
  if (flow.functions.empty() && !flow.unmatched.empty() && !is_list) return {};
  std::vector<Diagnostic> diagnostics = diagnostics_of(flow, found);
  run.report(module, diagnostics);
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  report::LiveOf live_of;
  if (flags.live)
    live_of = [&](const analysis::FunctionFlow& one) { return analysis::compute_live_ranges(module, one.cfg); };
  const report::CfgDotOptions dot{flags.lines.value_or(report::CfgDotOptions{}.lines)};
  if (run.format() == "svg") return draw(run, module, flow, dot);
  return run.document([&](const report::Sink& sink) {
    if (run.is_json()) return report::cfg_json(sink, module, flow, diagnostics, live_of);
    if (run.format() == "dot") return report::cfg_dot(sink, module, flow, dot);
    report::cfg_text(sink, module, flow, run.style(), {flags.lines.value_or(report::CfgTextOptions{}.lines), live_of});
  });
}

}  // namespace

void add_cfg(Program& program) {
  auto flags = std::make_shared<CfgFlags>();
  CLI::App& app = program.add(
      {.name = "cfg",
       .summary = "blocks and edges of each function: guards, loops, traps, live registers",
       .formats = {"text", "json", "dot", "svg"},
       .examples = {"ptxscope cfg kernel.ptx", "ptxscope cfg --kernel 'vec*' --format svg -o kernel.svg kernel.ptx",
                    "ptxscope cfg --format dot kernel.ptx | dot -Tpng -o kernel.png"},
       .takes_jobs = true},
      [flags](Run& run) {
        KernelNames names(flags->kernels);
        run.each_module<Findings>(
            [&](const Module& module, unsigned jobs) {
              return Findings{cheap_checks(module, jobs), analysis::flow_of_functions(module, flags->kernels, jobs)};
            },
            [&](const Module& module, Findings& findings) {
              names.look_into(module);
              return write_cfg(run, module, findings, *flags);
            });
        names.report(run);
      });
  app.add_option("--kernel", flags->kernels, "only functions of this name, mangled or demangled; * stands for anything")
      ->type_name("NAME");
  app.add_flag("--live", flags->live, "each instruction with the registers live at it (text, json)");
  app.add_option("--lines", flags->lines,
                 "show at most N instructions of each block, the last ones (default: 0; dot, svg: 8)")
      ->type_name("N");
}

}  // namespace ptxscope::cli
