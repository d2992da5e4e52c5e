// cfg: blocks, edges, dominators, loops, live registers; as text, JSON and a graph.
#include "report/cfg.h"
#include "analysis/function_flow.h"
#include "cli/command.h"
#include "tests/fuzz/command.h"
#include "tests/fuzz/module_properties.h"
#include "tests/fuzz/outputs.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

namespace {

void require_graph(const Module& module, const analysis::Cfg& cfg) {
  const std::size_t blocks = cfg.blocks.size();
  require(blocks != 0, "a body has a block");
  require_spans(module, cfg.diagnostics);
  for (const analysis::Edge& edge : cfg.edges) require(edge.from < blocks && edge.to < blocks, "edges join blocks");
  for (std::uint32_t i = 0; i < blocks; ++i) {
    const analysis::Block& block = cfg.blocks[i];
    require(block.id == i, "blocks are numbered in order");
    for (const std::uint32_t edge : block.successors) require(cfg.edges.at(edge).from == i, "its successors leave it");
    for (const std::uint32_t edge : block.predecessors)
      require(cfg.edges.at(edge).to == i, "its predecessors lead to it");
    if (block.reachable) require(cfg.dominates(0, i), "the entry dominates what is reachable");
    if (block.immediate_dominator != analysis::no_block)
      require(cfg.dominates(block.immediate_dominator, i), "the immediate dominator dominates");
    if (block.immediate_post_dominator != analysis::no_block)
      require(cfg.post_dominates(block.immediate_post_dominator, i), "the immediate post-dominator post-dominates");
  }
  for (const analysis::Loop& loop : cfg.loops) {
    for (const analysis::BlockId block : loop.blocks)
      require(cfg.dominates(loop.header, block), "a loop's header dominates it");
    for (const std::uint32_t edge : loop.back_edges)
      require(cfg.edges.at(edge).to == loop.header, "back edges lead to the header");
  }
}

void draw(const Input& input) {
  const Module module = parse(input.text, "fuzz.ptx");
  const analysis::FlowReport flow = analysis::flow_of_functions(module, {});
  for (const analysis::FunctionFlow& function : flow.functions) require_graph(module, function.cfg);

  const MemoryFile file(input.text);
  std::vector<std::string> words{"cfg", "--color=always"};
  words.insert(words.end(), input.words.begin(), input.words.end());
  words.push_back(file.path());
  const Outcome outcome = run_command(cli::add_cfg, words);
  const std::string_view out = outcome.out;
  if (out.starts_with("{")) require_json(out, "ptxscope.cfg/1");
  else if (out.starts_with("digraph")) require_dot(out);
  else require_terminal(out, "cfg");
}

}  // namespace

Target cfg_target() {
  return {.name = "cfg",
          .form = Form::ptx,
          .run = draw,
          .options = {{"--format", {"text", "json", "dot"}},
                      {"--live"},
                      {"--lines", {"0", "1", "8", "1000000"}},
                      {"--kernel", {"*", "k*", "nothing"}}}};
}

}  // namespace ptxscope::fuzz
