#include <algorithm>
#include <map>
#include <set>

#include "analysis/names.h"
#include "report/csv.h"
#include "report/stats.h"
#include "report/stats_parts.h"

namespace ptxscope::report {

namespace {

std::string number(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : ""; }

}  // namespace

std::vector<std::string> stats_keys() {
  std::vector<std::string> keys{"name"};
  for (const Metric& metric : metrics()) keys.emplace_back(metric.key);
  return keys;
}

std::string stats_csv(std::span<const FileStats> files, const std::string& sort) {
  // Columns for what occurs somewhere.
  std::set<std::string> memory;
  std::array<bool, analysis::category_count> has_category{};
  std::array<bool, analysis::register_class_count> has_class{};
  for (const FileStats& file : files) {
    for (const analysis::MemoryTally& tally : file.counts.totals.memory)
      memory.insert(file.counts.memory_kinds[tally.kind]);
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
  out += "\r\n";
  for (const FileStats& file : files) {
    for (const std::size_t i : sorted_functions(file.counts, sort)) {
      const analysis::FunctionStats& function = file.counts.functions[i];
      const analysis::CodeStats& counts = function.counts;
      out += csv_field(file.counts.file) + "," + csv_field(function.name) + "," + csv_field(analysis::demangled(function.name)) +
             "," + (function.kind == FunctionKind::entry ? "entry" : "func") + "," + std::to_string(function.line);
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
      out += "\r\n";
    }
  }
  return out;
}

}  // namespace ptxscope::report
