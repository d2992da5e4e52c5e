#include <nlohmann/json.hpp>

#include "report/cfg.h"
#include "report/cfg_parts.h"
#include "report/json_common.h"
#include "report/json_text.h"

namespace ptxscope::report {

namespace {

using analysis::Block;
using analysis::BlockId;
using analysis::Cfg;
using analysis::Edge;
using analysis::FunctionFlow;

Json block_or_null(BlockId block) { return block == analysis::no_block ? Json(nullptr) : Json(block); }

Json block_json(const Module& module, const FunctionFlow& flow, const Block& block) {
  const LineRange lines = lines_of(module, block);
  Json out;
  out["id"] = block.id;
  out["label"] = block.label == no_name ? Json(nullptr) : json_string(module.name(block.label));
  out["first_line"] = lines.first;
  out["last_line"] = lines.last;
  out["instructions"] = block.instructions;
  out["immediate_dominator"] = block_or_null(block.immediate_dominator);
  out["immediate_post_dominator"] = block_or_null(block.immediate_post_dominator);
  out["loop_depth"] = block.loop_depth;
  out["loop"] = block.loop == no_index ? Json(nullptr) : Json(block.loop);
  if (flow.liveness.complete) {
    const auto& live = flow.liveness.blocks[block.id];
    out["live_in"] = live.live_in.registers;
    out["max_live"] = live.max_live.registers;
    out["live_in_predicates"] = live.live_in.predicates;
    out["max_live_predicates"] = live.max_live.predicates;
  } else {
    for (const char* field : {"live_in", "max_live", "live_in_predicates", "max_live_predicates"}) out[field] = nullptr;
  }
  out["ends_in"] = spelling(block.end);
  out["conditional_end"] = block.conditional_end;
  out["falls_off_end"] = block.falls_off_end;
  out["reachable"] = block.reachable;
  return out;
}

Json edge_json(const Module& module, const FunctionFlow& flow, std::uint32_t index) {
  const Edge& edge = flow.cfg.edges[index];
  const std::string predicate = predicate_text(module, flow.cfg, edge);
  const std::uint32_t setp = flow.guard_definitions[index];
  Json out;
  out["from"] = edge.from;
  out["to"] = edge.to;
  out["kind"] = spelling(edge.kind);
  out["predicate"] = predicate.empty() ? Json(nullptr) : json_string(predicate);
  out["line"] = edge.statement == no_index ? Json(nullptr) : Json(module.line_of_statement(edge.statement));
  out["setp_line"] = setp == no_index ? Json(nullptr) : Json(module.line_of_statement(setp));
  out["back"] = is_back_edge(flow.cfg, edge);
  if (!edge.cases.empty()) out["cases"] = edge.cases;
  return out;
}

// By instruction of the block: line, registers, predicates.
Json pressure_json(const Module& module, const analysis::LiveRanges& ranges, const Block& block) {
  Json out = Json::array();
  for (const std::uint32_t statement : last_instructions(module, block, block.instructions)) {
    const analysis::InstructionPressure* const found = pressure_at(ranges, statement);
    if (found == nullptr) continue;
    Json one;
    one["line"] = module.line_of_statement(statement);
    one["registers"] = found->live.registers;
    one["predicates"] = found->live.predicates;
    out.push_back(std::move(one));
  }
  return out;
}

Json loop_json(const analysis::Loop& loop) {
  Json one;
  one["header"] = loop.header;
  one["parent"] = loop.parent == no_index ? Json(nullptr) : Json(loop.parent);
  one["depth"] = loop.depth;
  one["blocks"] = loop.blocks;
  return one;
}

void write_flow(JsonText& text, const Module& module, const FunctionFlow& flow, const analysis::LiveRanges* ranges) {
  const Cfg& cfg = flow.cfg;
  Json out = function_json(module, module.functions()[cfg.function]);
  out["complete"] = cfg.complete;
  out["incomplete_reasons"] = Json::array();
  for (const std::string& reason : cfg.incomplete_reasons) out["incomplete_reasons"].push_back(json_string(reason));
  if (flow.liveness.complete) {
    out["max_live"] = flow.liveness.max_live.registers;
    out["max_live_predicates"] = flow.liveness.max_live.predicates;
    const std::uint32_t statement = flow.liveness.max_live_statement;
    out["max_live_line"] = statement == no_index ? Json(nullptr) : Json(module.line_of_statement(statement));
  } else {
    for (const char* field : {"max_live", "max_live_predicates", "max_live_line"}) out[field] = nullptr;
  }
  text.begin_object();
  text.members(out);
  text.array("blocks", cfg.blocks, [&](const Block& block) {
    Json one = block_json(module, flow, block);
    if (ranges != nullptr) one["pressure"] = ranges->complete ? pressure_json(module, *ranges, block) : Json(nullptr);
    return one;
  });
  text.array("edges", cfg.edges, [&](const analysis::Edge& edge) {
    return edge_json(module, flow, static_cast<std::uint32_t>(&edge - cfg.edges.data()));
  });
  text.array("loops", cfg.loops, loop_json);
  text.member("irreducible_headers", cfg.irreducible_headers);
  text.end_object();
}

}  // namespace

void cfg_json(const Sink& sink, const Module& module, const analysis::FlowReport& report,
              std::span<const Diagnostic> more, const LiveOf& live_of) {
  JsonText text(sink);
  text.begin_object();
  text.members(document("cfg", module));
  text.key("functions");
  text.begin_array();
  for (const FunctionFlow& flow : report.functions) {
    const std::optional<analysis::LiveRanges> live = live_of ? std::optional(live_of(flow)) : std::nullopt;
    write_flow(text, module, flow, live ? &*live : nullptr);
  }
  text.end_array();
  write_diagnostics(text, module, more);
  text.end_object();
  text.finish();
}

std::string cfg_json(const Module& module, const analysis::FlowReport& report, std::span<const Diagnostic> more,
                     std::span<const analysis::LiveRanges> live) {
  std::size_t next = 0;  // of `live`, which is parallel to the functions
  const LiveOf live_of = [&](const FunctionFlow&) { return live[next++]; };
  return collected([&](const Sink& sink) { cfg_json(sink, module, report, more, live.empty() ? LiveOf{} : live_of); });
}

}  // namespace ptxscope::report
