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
  std::size_t blocks = 0;
  for (const analysis::FunctionFlow& function : flow.functions) blocks += function.cfg.blocks.size();
  if (blocks > most_blocks) {
    run.fail(module.file_name() + ": " + std::to_string(blocks) +
             " blocks are too many for one picture; choose functions with --kernel, or use --format dot");
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

std::string write_cfg(Run& run, const Module& module, Run::Found found, const CfgFlags& flags) {
  const analysis::FlowReport flow = analysis::flow_of_functions(module, flags.kernels);
  // Without a function there is no output, but for the file's place in a list of documents.
  const bool is_list = run.is_json() && run.options().files.size() > 1;
  if (flow.functions.empty() && !flow.unmatched.empty() && !is_list) return {};
  std::vector<Diagnostic> diagnostics = diagnostics_of(flow, found);
  run.report(module, diagnostics);
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  std::vector<analysis::LiveRanges> live;
  if (flags.live)
    for (const analysis::FunctionFlow& function : flow.functions)
      live.push_back(analysis::compute_live_ranges(module, function.cfg));
  if (run.is_json()) return report::cfg_json(module, flow, diagnostics, live);
  const report::CfgDotOptions dot{flags.lines.value_or(report::CfgDotOptions{}.lines)};
  if (run.format() == "dot") return report::cfg_dot(module, flow, dot);
  if (run.format() == "svg") return draw(run, module, flow, dot);
  return report::cfg_text(module, flow, run.style(), {flags.lines.value_or(report::CfgTextOptions{}.lines), live});
}

}  // namespace

void add_cfg(Program& program) {
  auto flags = std::make_shared<CfgFlags>();
  CLI::App& app = program.add(
      {.name = "cfg",
       .summary = "blocks and edges of each function: guards, loops, traps, live registers",
       .formats = {"text", "json", "dot", "svg"},
       .examples = {"ptxscope cfg kernel.ptx", "ptxscope cfg --kernel 'vec*' --format svg -o kernel.svg kernel.ptx",
                    "ptxscope cfg --format dot kernel.ptx | dot -Tpng -o kernel.png"}},
      [flags](Run& run) {
        KernelNames names(flags->kernels);
        run.each_module(
            [&](const Module& module, Run::Found found) {
              names.look_into(module);
              return write_cfg(run, module, found, *flags);
            },
            cheap_checks);
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
