#include <nlohmann/json.hpp>
#include <unordered_map>

#include "report/expression.h"
#include "report/json_common.h"
#include "report/json_text.h"
#include "report/stats.h"
#include "report/stats_parts.h"
#include "report/stats_safety.h"

namespace ptxscope::report {

namespace {

using analysis::CodeStats;

Json registers_json(const analysis::RegisterCounts& counts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto one = static_cast<analysis::RegisterClass>(i);
    const bool is_always = one == analysis::RegisterClass::predicate || one == analysis::RegisterClass::bits16 ||
                           one == analysis::RegisterClass::bits32 || one == analysis::RegisterClass::bits64;
    if (is_always || counts[i] != 0) out[std::string(analysis::spelling(one))] = counts[i];
  }
  return out;
}

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

void add_counts(Json& out, const analysis::ModuleStats& stats, const CodeStats& counts) {
  out["instructions"] = counts.instructions;
  out["branches"] = counts.branches;
  out["conditional_branches"] = counts.conditional_branches;
  out["calls"] = counts.calls;
  out["traps"] = counts.traps;
  out["barriers"] = counts.barriers;
  Json registers;
  registers["declared"] = registers_json(counts.declared);
  registers["used"] = registers_json(counts.used);
  registers["max_live"] = or_null(counts.max_live);
  registers["max_live_line"] = counts.max_live_line == 0 ? Json(nullptr) : Json(counts.max_live_line);
  registers["max_live_predicates"] = or_null(counts.max_live_predicates);
  out["registers"] = std::move(registers);
  out["memory"] = Json::object();
  out["memory_by_bytes"] = Json::object();
  for (const MemoryKind& kind : memory_kinds(counts)) {
    const Json name = json_string(stats.memory_kinds[kind.kind]);
    out["memory"][name.get<std::string>()] = kind.count;
    Json widths = Json::object();
    for (const analysis::MemoryTally& width : kind.widths)
      widths[width.bytes == 0 ? "unknown" : std::to_string(width.bytes)] = width.count;
    out["memory_by_bytes"][name.get<std::string>()] = std::move(widths);
  }
  out["shared_bytes"] = counts.shared_bytes;
  out["dynamic_shared"] = counts.dynamic_shared;
  out["local_bytes"] = counts.local_bytes;
  out["by_category"] = Json::object();
  for (std::size_t i = 0; i < counts.by_category.size(); ++i)
    if (counts.by_category[i] != 0)
      out["by_category"][std::string(isa::spelling(static_cast<isa::Category>(i)))] = counts.by_category[i];
  out["by_opcode"] = Json::object();
  for (const analysis::OpcodeTally& tally : counts.by_opcode) {
    Json& count = out["by_opcode"][valid_utf8(stats.opcodes[tally.opcode])];
    count = (count.is_null() ? std::uint64_t{0} : count.get<std::uint64_t>()) + tally.count;
  }
  out["blocks"] = counts.blocks;
  out["loops"] = counts.loops;
  out["max_loop_depth"] = counts.max_loop_depth;
  out["unknown_instructions"] = counts.unknown_instructions;
}

void write_live(JsonText& text, const Module& module, const analysis::LiveReport& report) {
  const Function& function = module.functions()[report.function];
  Json out;
  out["complete"] = report.ranges.complete;
  out["max_live"] = report.ranges.max_live.registers;
  out["max_live_predicates"] = report.ranges.max_live.predicates;
  out["peaks"] = Json::array();
  for (const analysis::PressurePeak& peak : report.peaks)
    out["peaks"].push_back(
        {{"first_line", module.line_of_statement(peak.first)}, {"last_line", module.line_of_statement(peak.last)}});
  out["longest"] = Json::array();
  const Labels labels(report.params);
  for (const analysis::LongLived& one : report.longest) {
    Json value;
    value["register"] = json_string(module.register_name(function, one.reg));
    value["class"] = analysis::spelling(one.register_class);
    value["instructions"] = one.instructions;
    value["first_line"] = module.line_of_statement(one.first);
    value["last_line"] = module.line_of_statement(one.last);
    value["value"] = one.value ? json_string(to_text(module, *report.pool, *one.value, labels)) : Json(nullptr);
    out["longest"].push_back(std::move(value));
  }
  text.begin_object();
  text.members(out);
  text.array("instructions", report.ranges.instructions, [&](const analysis::InstructionPressure& one) {
    Json pressure;
    pressure["line"] = module.line_of_statement(one.statement);
    pressure["registers"] = one.live.registers;
    pressure["predicates"] = one.live.predicates;
    return pressure;
  });
  text.end_object();
}

void write_safety(JsonText& text, const Module& module, const analysis::SafetyBranches& safety) {
  Json out;
  out["instructions"] = safety.cost.instructions;
  out["branches"] = safety.cost.branches;
  out["of_instructions"] = safety.cost.of_instructions;
  out["of_branches"] = safety.cost.of_branches;
  const Labels labels(safety.params);
  text.begin_object();
  text.members(out);
  text.array("places", safety.branches, [&](const analysis::BranchPurpose& one) {
    Json place;
    place["line"] = module.line_of_statement(one.statement);
    place["function"] = one.function.empty() ? Json(nullptr) : json_string(one.function);
    place["is_branch"] = one.is_branch;
    place["purpose"] = purpose_word(one.kind);
    const bool fails = one.kind != analysis::BranchPurpose::Kind::remains;
    place["trap"] = fails ? Json(one.trap) : Json(nullptr);
    place["check"] = fails ? Json(analysis::spelling(one.check)) : Json(nullptr);
    place["params"] = one.params;
    const bool has_condition = one.is_conditional && one.kind != analysis::BranchPurpose::Kind::to_failure &&
                               one.condition != analysis::ExprId{};
    place["condition"] = has_condition
                             ? json_string(describe_condition(module, *safety.pool, one.condition, labels).text)
                             : Json(nullptr);
    place["text"] = json_string(purpose_text(module, safety, one));
    return place;
  });
  text.end_object();
}

Json compiled_json(const CompiledModule& compiled, const std::string* name) {
  Json out;
  out["target"] = json_string(compiled.target);
  out["accepted"] = compiled.accepted;
  if (!compiled.accepted) out["refusal"] = json_string(compiled.refusal);
  for (const CompiledKernel& kernel : compiled.kernels) {
    if (name == nullptr || kernel.name != *name) continue;
    out["registers"] = kernel.registers;
    out["spill_stores"] = kernel.spill_stores;
    out["spill_loads"] = kernel.spill_loads;
    out["stack"] = kernel.stack;
    out["shared"] = kernel.shared;
    out["constant"] = or_null(kernel.constant);
    out["barriers"] = kernel.barriers;
  }
  return out;
}

}  // namespace

void stats_json(const Sink& sink, const Module& module, const FileStats& file, const std::string& sort,
                std::span<const Diagnostic> more) {
  std::unordered_map<std::uint32_t, const analysis::SafetyBranches*> safety_of;
  for (const analysis::SafetyBranches& safety : file.safety) safety_of.emplace(safety.function, &safety);
  JsonText text(sink);
  text.begin_object();
  text.members(document("stats", module));
  text.key("functions");
  text.begin_array();
  for (const std::size_t i : sorted_functions(file.counts, sort)) {
    const analysis::FunctionStats& function = file.counts.functions[i];
    Json one = function_json(module, module.functions()[function.function]);
    add_counts(one, file.counts, function.counts);
    text.begin_object();
    text.members(one);
    if (file.live) {
      text.key("live");
      write_live(text, module, file.live(function.function));
    }
    if (const auto safety = safety_of.find(function.function); safety != safety_of.end()) {
      text.key("checks");
      write_safety(text, module, *safety->second);
    }
    if (!file.compiled.empty()) {
      Json kernels = Json::array();
      for (const CompiledModule& compiled : file.compiled) {
        Json kernel = compiled_json(compiled, &function.name);
        if (kernel.contains("registers")) kernels.push_back(std::move(kernel));
      }
      text.member("ptxas", kernels);
    }
    text.end_object();
  }
  text.end_array();
  Json totals;
  add_counts(totals, file.counts, file.counts.totals);
  totals["registers"]["max_live_function"] =
      file.counts.max_live_function.empty() ? Json(nullptr) : json_string(file.counts.max_live_function);
  text.member("totals", totals);
  if (!file.compiled.empty())
    text.array("ptxas", file.compiled, [](const CompiledModule& compiled) { return compiled_json(compiled, nullptr); });
  write_diagnostics(text, module, more);
  text.end_object();
  text.finish();
}

std::string stats_json(const Module& module, const FileStats& file, const std::string& sort,
                       std::span<const Diagnostic> more) {
  return collected([&](const Sink& sink) { stats_json(sink, module, file, sort, more); });
}

}  // namespace ptxscope::report
