#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "analysis/names.h"
#include "report/csv.h"
#include "report/stats.h"
#include "report/stats_parts.h"

namespace ptxscope::report {

namespace {

std::string number(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : ""; }

struct Fact {
  std::string_view key;
  std::optional<std::uint64_t> (*of)(const CompiledKernel& kernel);
};
constexpr std::array<Fact, 7> compiled_facts{{
    {"registers", [](const CompiledKernel& k) -> std::optional<std::uint64_t> { return k.registers; }},
    {"spill_stores", [](const CompiledKernel& k) -> std::optional<std::uint64_t> { return k.spill_stores; }},
    {"spill_loads", [](const CompiledKernel& k) -> std::optional<std::uint64_t> { return k.spill_loads; }},
    {"stack", [](const CompiledKernel& k) -> std::optional<std::uint64_t> { return k.stack; }},
    {"shared", [](const CompiledKernel& k) -> std::optional<std::uint64_t> { return k.shared; }},
    {"constant", [](const CompiledKernel& k) { return k.constant; }},
    {"barriers", [](const CompiledKernel& k) -> std::optional<std::uint64_t> { return k.barriers; }},
}};

const CompiledKernel* find_kernel(const FileStats& file, const std::string& target, const std::string& name) {
  for (const CompiledModule& compiled : file.compiled) {
    if (compiled.target != target) continue;
    const auto found = std::ranges::find(compiled.kernels, name, &CompiledKernel::name);
    if (found != compiled.kernels.end()) return &*found;
  }
  return nullptr;
}

}  // namespace

std::vector<std::string> stats_keys() {
  std::vector<std::string> keys{"name"};
  for (const Metric& metric : metrics()) keys.emplace_back(metric.key);
  return keys;
}

std::string stats_csv(std::span<const FileStats> files, const std::string& sort, bool opcodes) {
  // Columns for what occurs somewhere.
  std::set<std::string> memory;
  std::set<std::string> opcode_names;
  std::vector<std::string> targets;
  bool has_checks = false;
  std::array<bool, analysis::category_count> has_category{};
  std::array<bool, analysis::register_class_count> has_class{};
  for (const FileStats& file : files) {
    for (const analysis::MemoryTally& tally : file.counts.totals.memory)
      memory.insert(file.counts.memory_kinds[tally.kind]);
    if (opcodes)
      for (const analysis::OpcodeTally& tally : file.counts.totals.by_opcode)
        opcode_names.insert(file.counts.opcodes[tally.opcode]);
    for (const CompiledModule& compiled : file.compiled)
      if (std::ranges::find(targets, compiled.target) == targets.end()) targets.push_back(compiled.target);
    has_checks = has_checks || !file.safety.empty();
    for (std::size_t i = 0; i < has_category.size(); ++i)
      has_category[i] = has_category[i] || file.counts.totals.by_category[i] != 0;
    for (std::size_t i = 0; i < has_class.size(); ++i)
      has_class[i] = has_class[i] || file.counts.totals.declared[i] != 0;
  }
  std::string out = "file,function,demangled,kind,line";
  for (const Metric& metric : metrics()) out += "," + std::string(metric.key);
  out += ",max_live_line";
  for (const char* what : {"declared", "used"})
    for (std::size_t i = 0; i < has_class.size(); ++i)
      if (has_class[i])
        out += "," + std::string(what) + "." + std::string(analysis::spelling(static_cast<analysis::RegisterClass>(i)));
  for (std::size_t i = 0; i < has_category.size(); ++i)
    if (has_category[i]) out += ",category." + std::string(isa::spelling(static_cast<isa::Category>(i)));
  for (const std::string& kind : memory) out += "," + csv_field("memory." + kind);
  if (has_checks) out += ",checks.instructions,checks.branches";
  for (const std::string& target : targets)
    for (const Fact& fact : compiled_facts) out += "," + csv_field("ptxas." + target + "." + std::string(fact.key));
  for (const std::string& name : opcode_names) out += "," + csv_field("opcode." + name);
  out += "\r\n";
  for (const FileStats& file : files) {
    for (const std::size_t i : sorted_functions(file.counts, sort)) {
      const analysis::FunctionStats& function = file.counts.functions[i];
      const analysis::CodeStats& counts = function.counts;
      out += csv_field(file.counts.file) + "," + csv_field(function.name) + "," +
             csv_field(analysis::demangled(function.name)) + "," +
             (function.kind == FunctionKind::entry ? "entry" : "func") + "," + std::to_string(function.line);
      for (const Metric& metric : metrics()) out += "," + number(metric.of(counts));
      out += "," + (counts.max_live_line == 0 ? std::string() : std::to_string(counts.max_live_line));
      for (const analysis::RegisterCounts* registers : {&counts.declared, &counts.used})
        for (std::size_t c = 0; c < has_class.size(); ++c)
          if (has_class[c]) out += "," + std::to_string((*registers)[c]);
      for (std::size_t c = 0; c < has_category.size(); ++c)
        if (has_category[c]) out += "," + std::to_string(counts.by_category[c]);
      std::map<std::string_view, std::uint64_t> kinds;
      for (const analysis::MemoryTally& tally : counts.memory)
        kinds[file.counts.memory_kinds[tally.kind]] += tally.count;
      for (const std::string& kind : memory) {
        const auto found = kinds.find(kind);
        out += "," + std::to_string(found == kinds.end() ? 0 : found->second);
      }
      if (has_checks) {
        const auto checked = std::ranges::find(file.safety, function.function, &analysis::SafetyBranches::function);
        if (checked == file.safety.end()) out += ",,";
        else out += "," + std::to_string(checked->cost.instructions) + "," + std::to_string(checked->cost.branches);
      }
      for (const std::string& target : targets) {
        const CompiledKernel* const kernel = find_kernel(file, target, function.name);
        for (const Fact& fact : compiled_facts) out += "," + (kernel == nullptr ? "" : number(fact.of(*kernel)));
      }
      if (opcodes) {
        std::map<std::string_view, std::uint64_t> tallies;
        for (const analysis::OpcodeTally& tally : counts.by_opcode)
          tallies[file.counts.opcodes[tally.opcode]] += tally.count;
        for (const std::string& name : opcode_names) {
          const auto found = tallies.find(name);
          out += "," + std::to_string(found == tallies.end() ? 0 : found->second);
        }
      }
      out += "\r\n";
    }
  }
  return out;
}

}  // namespace ptxscope::report
