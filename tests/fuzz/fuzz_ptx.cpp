// Whatever the bytes are, every command ends in bounded time and memory, without undefined behaviour, and a few
// properties hold that need no right answer to compare with.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "analysis/check.h"
#include "analysis/checks.h"
#include "analysis/diff.h"
#include "analysis/function_flow.h"
#include "analysis/instrument.h"
#include "analysis/launch.h"
#include "analysis/module_report.h"
#include "analysis/run_report.h"
#include "analysis/traps.h"
#include "parser/module.h"
#include "parser/normalize.h"
#include "report/cfg.h"
#include "report/check.h"
#include "report/diagnostics.h"
#include "report/diff.h"
#include "report/explain.h"
#include "report/instrument.h"
#include "report/page.h"
#include "report/run.h"
#include "report/stats.h"
#include "tests/fuzz/require.h"

namespace {

using namespace ptxscope;

void check_module(const Module& module, const std::string& text) {
  require(module.text() == text, "the module's text is the input");
  for (const Diagnostic& diagnostic : module.diagnostics()) {
    require(diagnostic.span.begin <= diagnostic.span.end && diagnostic.span.end <= text.size(),
            "diagnostics lie in the text");
  }
  std::uint32_t end = 0;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Span span = module.statement(i).span();
    require(span.begin >= end && span.begin <= span.end && span.end <= text.size(), "statements stand in order, apart");
    end = span.end;
  }
  (void)report::to_text(module, module.diagnostics(), {.color = true, .width = 100});
  (void)report::to_text(module, analysis::check_semantics(module), {});
}

// What did not parse is kept as it is, so the layout is stable only where all did.
void check_normalized(const Module& module) {
  const std::string once = normalized(module);
  const Module again = parse(once, "normalized.ptx");
  if (module.has_errors()) return;
  require(!again.has_errors(), "a normalized module parses");
  require(again.statement_count() == module.statement_count(), "normalizing keeps the statements");
  require(normalized(again) == once, "normalizing again changes nothing");
}

void check_cfg(const Module& module) {
  const analysis::FlowReport flow = analysis::flow_of_functions(module, {});
  for (const analysis::FunctionFlow& function : flow.functions) {
    for (const analysis::Edge& edge : function.cfg.edges) {
      require(edge.from < function.cfg.blocks.size() && edge.to < function.cfg.blocks.size(), "edges join blocks");
    }
    (void)report::to_text(module, function.cfg.diagnostics, {});
  }
  (void)report::cfg_text(module, flow, {.color = true, .width = 80}, {4});
  (void)report::cfg_json(module, flow);
  (void)report::cfg_dot(module, flow);
}

void check_stats(const Module& module) {
  std::vector<report::FileStats> files(1);
  report::FileStats& file = files.front();
  file.counts = analysis::count_module(module);
  std::vector<std::uint32_t> functions;
  std::uint64_t instructions = 0;
  for (const analysis::FunctionStats& function : file.counts.functions) {
    functions.push_back(function.function);
    instructions += function.counts.instructions;
  }
  require(instructions == file.counts.totals.instructions, "totals are sums");
  file.live = analysis::report_live(module, functions);
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const auto& counted = file.counts.functions[i].counts.max_live;
    const analysis::LiveRanges& ranges = file.live[i].ranges;
    if (counted && ranges.complete) require(*counted == ranges.max_live.registers, "both ways to count agree");
  }
  file.safety = analysis::find_safety_branches(module, {}, {});
  for (const report::LiveView live : {report::LiveView::column, report::LiveView::table}) {
    report::StatsTextOptions options;
    options.style = {.color = true, .width = 80};
    options.live = live;
    options.opcodes = true;
    (void)report::stats_text(module, file, options);
  }
  (void)report::stats_json(module, file, "instructions", {});
  files.push_back(files.front());
  (void)report::stats_comparison(files, {});
  (void)report::stats_csv(files, "name");
}

// A text is the same as itself, and can be told from what follows its first line.
void check_diff(const Module& module) {
  const analysis::ModuleDiff same = analysis::diff_modules(module, module);
  require(same.identical && same.same_code, "a module is the same as itself");
  const std::string_view text = module.text();
  const Module rest = parse(std::string(text.substr(std::min(text.find('\n'), text.size()))), "rest.ptx");
  const analysis::ModuleDiff diff = analysis::diff_modules(module, rest);
  (void)report::diff_text(module, rest, diff, {.style = {.color = true, .width = 80}, .registers = true});
  (void)report::diff_text(module, rest, diff, {.style = {.color = false, .width = 60}, .side_by_side = true});
  (void)report::diff_json(module, rest, diff);
  (void)report::diff_html(module, rest, diff);
}

// Without Graphviz, which is another program. What the page holds as data must not end the element it is in.
void check_page(const Module& module) {
  const analysis::ModuleReport report = analysis::report_module(module);
  const report::PageFile file{&module, &report, {}};
  const analysis::ModuleDiff diff = analysis::diff_modules(module, module);
  const std::string page = report::page_html(std::vector{file, file}, &diff);
  std::size_t elements = 0;
  for (std::size_t at = page.find("</script"); at != std::string::npos; at = page.find("</script", at + 1)) ++elements;
  require(elements == 2 + 2 * report.flow.functions.size(), "a page has one element for each of its documents");
}

// Against a header, a reader and a device that the input decides.
void check_needs(const Module& module, const std::uint8_t* data, std::size_t size) {
  const auto byte = [&](std::size_t i) { return i < size ? std::size_t{data[size - 1 - i]} : 0U; };
  analysis::CheckQuestion question;
  question.target = static_cast<isa::TargetIndex>(byte(0) % isa::targets().size());
  question.readers.push_back({"driver", isa::versions()[byte(1) % isa::versions().size()], true});
  question.devices.push_back({"", isa::targets()[byte(2) % isa::targets().size()].number});
  for (const analysis::CheckQuestion& asked : {analysis::CheckQuestion{}, question}) {
    const analysis::CheckReport report = analysis::check(module, asked);
    for (const analysis::Problem& problem : report.answer().problems)
      require(problem.diagnostic.span.end <= module.text().size(), "problems lie in the text");
    (void)report::check_text(module, report, {}, {.color = true, .width = 80}, false);
    (void)report::check_json(module, report, {});
    (void)report::check_github(module, report);
    report::SarifLog log("0");
    log.add(module, report);
    (void)log.text();
  }
}

void check_traps(const Module& module, const std::uint8_t* data, std::size_t size) {
  analysis::TrapReport traps = analysis::explain_traps(module, {.kernels = {}, .names = {"a", "b"}});
  (void)report::explain_trap_text(module, traps, std::nullopt, {.color = true, .width = 80});

  // A launch that the input decides, so that the fuzzer can steer it; few enough threads to stay fast.
  const auto byte = [&](std::size_t i) { return i < size ? std::uint32_t{data[size - 1 - i]} : 0U; };
  analysis::Launch launch;
  launch.grid = {1 + byte(0) % 8, 1 + byte(1) % 3, 1 + byte(2) % 2};
  launch.block = {1 + byte(3) % 64, 1 + byte(4) % 3, 1 + byte(5) % 2};
  for (const char* label : {"a.len", "b.len", "a", "#0", "#1"}) {
    launch.arguments.push_back({label, byte(6) | std::uint64_t{byte(7)} << 28});
  }
  (void)analysis::evaluate_launch(module, traps, launch);
  (void)report::explain_trap_text(module, traps, launch, {});
  (void)report::explain_trap_json(module, traps, launch);
}

// The text with code that records is as sound as it was; a record may hold anything.
void check_instrument(Module module, const std::uint8_t* data, std::size_t size) {
  analysis::RunReport run;
  run.driver_opened = true;
  analysis::RunModule one;
  one.number = 1;
  one.code = std::make_shared<analysis::RunCode>(std::move(module));
  run.modules.push_back(one);
  const Module& text = one.code->module;
  const analysis::Instrumented& code = one.code->instrumented;
  (void)report::instrument_sentences(text, code);
  (void)report::instrument_json(text, code, "");
  if (!code.changed) require(code.text == text.text(), "what is not instrumented is left as it is");
  if (!code.changed || size == 0) return;
  require(!parse(code.text, "instrumented.ptx").has_errors(), "an instrumented module parses");
  analysis::RunTrap trap;
  trap.module = 1;
  for (std::size_t i = 0; i < analysis::record::bytes; ++i) trap.record.push_back(std::byte{data[(i + 1) % size]});
  const auto put = [&](std::size_t at, std::uint32_t value) {
    for (std::size_t i = 0; i < 4; ++i) trap.record[at + i] = static_cast<std::byte>(value >> (8 * i) & 0xffU);
  };
  put(analysis::record::state_at, analysis::record::state_whole);
  put(analysis::record::version_at, analysis::record::version);
  put(analysis::record::module_at, code.tag);
  for (std::uint32_t axis = 0; axis < 3; ++axis) {  // few enough threads to stay fast
    put(analysis::record::nctaid_at + 4 * axis, 1U + data[axis % size] % 4U);
    put(analysis::record::ntid_at + 4 * axis, 1U + data[(axis + 3) % size] % 4U);
  }
  for (const analysis::Site& site : code.sites) {
    if (site.number > 16) break;
    put(analysis::record::site_at, site.number);
    run.traps.assign(1, trap);
    (void)report::run_trap_text(run, run.traps.front(), {});
    (void)report::run_json(run);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Module module = parse(text, "fuzz.ptx");
  check_module(module, text);
  check_normalized(module);
  check_cfg(module);
  check_stats(module);
  check_diff(module);
  check_page(module);
  check_needs(module, data, size);
  check_traps(module, data, size);
  check_instrument(parse(text, "fuzz.ptx"), data, size);
  return 0;
}
