#include <nlohmann/json.hpp>
#include <unordered_map>
#include <utility>

#include "report/check_parts.h"
#include "report/json_common.h"
#include "report/scan.h"

namespace ptxscope::report {

namespace {

using analysis::Check;

constexpr std::string_view schema = "ptxscope.scan/1";
constexpr std::string_view mtime_key = "\"file_mtime_ns\":";

template <class Value>
Json or_null(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

// All kinds are always there: a column of a table each.
Json checks_json(const analysis::FunctionTraps& traps) {
  Json out = Json::object();
  for (const Check one : {Check::bounds, Check::null, Check::divide_by_zero, Check::overflow, Check::alignment,
                          Check::assertion, Check::unconditional, Check::other, Check::unknown})
    out[std::string(analysis::spelling(one))] = 0;
  for (const analysis::Trap& trap : traps.traps) {
    Json& count = out[std::string(analysis::spelling(trap.check))];
    count = count.get<std::uint64_t>() + 1;
  }
  return out;
}

Json registers_json(const analysis::RegisterCounts& counts) {
  Json out = Json::object();
  for (std::size_t i = 0; i < counts.size(); ++i)
    out[std::string(analysis::spelling(static_cast<analysis::RegisterClass>(i)))] = counts[i];
  return out;
}

Json memory_json(const analysis::ModuleStats& stats, const analysis::CodeStats& counts) {
  Json out = Json::object();
  for (const analysis::MemoryTally& tally : counts.memory) {
    Json& count = out[valid_utf8(stats.memory_kinds[tally.kind])];
    count = (count.is_null() ? std::uint64_t{0} : count.get<std::uint64_t>()) + tally.count;
  }
  return out;
}

void add_counts(Json& out, const analysis::ModuleStats& stats, const analysis::CodeStats& counts) {
  out["instructions"] = counts.instructions;
  out["branches"] = counts.branches;
  out["conditional_branches"] = counts.conditional_branches;
  out["calls"] = counts.calls;
  out["barriers"] = counts.barriers;
  out["trap_instructions"] = counts.traps;
  out["unknown_instructions"] = counts.unknown_instructions;
  out["blocks"] = counts.blocks;
  out["loops"] = counts.loops;
  out["max_loop_depth"] = counts.max_loop_depth;
  out["registers"] = registers_json(counts.used);
  out["max_live"] = or_null(counts.max_live);
  out["max_live_predicates"] = or_null(counts.max_live_predicates);
  out["memory"] = memory_json(stats, counts);
  out["shared_bytes"] = counts.shared_bytes;
  out["dynamic_shared"] = counts.dynamic_shared;
  out["local_bytes"] = counts.local_bytes;
}

void add_traps(Json& out, const analysis::FunctionTraps& traps) {
  out["params"] = traps.params.size();
  out["traps"] = traps.traps.size();
  out["checks"] = checks_json(traps);
  out["soft_failures"] = traps.soft_failures.size();
  out["safety_instructions"] = traps.cost.instructions;
  out["safety_branches"] = traps.cost.branches;
  out["traps_complete"] = traps.complete;
}

// What stands before what is the row's own: the file's and the module's part.
Json module_part(const Module& module, const analysis::ModuleSummary& summary) {
  const Json header = module_json(module);
  Json out;
  out["module"] = json_string(module.file_name());
  out["sha256"] = summary.sha256;
  out["bytes"] = module.text().size();
  out["version"] = header["version"];
  out["target"] = header["target"];
  out["address_size"] = header["address_size"];
  out["producer"] = header["producer"];
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  for (const Diagnostic& one : summary.check.diagnostics) {
    errors += one.level == Level::error ? 1 : 0;
    warnings += one.level == Level::warning ? 1 : 0;
  }
  out["errors"] = errors;
  out["warnings"] = warnings;
  const auto isa_version = lowest_version(summary.check);
  const auto target = simplest_target(summary.check);
  out["requires_isa"] = isa_version ? Json(isa::to_string(*isa_version)) : Json(nullptr);
  out["requires_target"] = target ? Json(isa::targets()[*target].name) : Json(nullptr);
  out["fits_header"] = summary.check.declared.ok();
  out["features"] = summary.check.requirement.features;
  return out;
}

Json kernel_part(const Module& module, const analysis::ModuleSummary& summary, const analysis::FunctionStats& counts,
                 const analysis::FunctionTraps* traps) {
  const Json function = function_json(module, module.functions()[counts.function]);
  Json out;
  out["kernel"] = function["name"];
  out["demangled"] = function["demangled"];
  out["line"] = function["line"];
  add_counts(out, summary.stats, counts.counts);
  if (traps != nullptr) add_traps(out, *traps);
  return out;
}

}  // namespace

std::string_view spelling(ScanStatus status) {
  switch (status) {
    case ScanStatus::ok:
      return "ok";
    case ScanStatus::no_kernel:
      return "no-kernel";
    case ScanStatus::unreadable:
      return "unreadable";
    case ScanStatus::timeout:
      return "timeout";
    case ScanStatus::out_of_memory:
      return "out-of-memory";
    case ScanStatus::crashed:
      return "crashed";
  }
  return "crashed";
}

struct ScanRows::Content {
  ScannedFile file;
  std::string version;
  struct Row {
    ScanStatus status = ScanStatus::ok;
    std::string error;
    Json rest;
  };
  std::vector<Row> rows;
};

ScanRows::ScanRows(ScannedFile file, std::string_view program_version) : content_(std::make_unique<Content>()) {
  content_->file = std::move(file);
  content_->version = program_version;
}

ScanRows::~ScanRows() = default;

void ScanRows::add(const Module& module, const analysis::ModuleSummary& summary) {
  const Json shared = module_part(module, summary);
  const std::size_t before = content_->rows.size();
  std::unordered_map<std::uint32_t, const analysis::FunctionTraps*> traps;
  for (const analysis::FunctionTraps& one : summary.traps.functions) traps.emplace(one.function, &one);
  for (const analysis::FunctionStats& function : summary.stats.functions) {
    if (function.kind != FunctionKind::entry) continue;
    Json rest = shared;
    const auto found = traps.find(function.function);
    rest.update(kernel_part(module, summary, function, found == traps.end() ? nullptr : found->second));
    content_->rows.push_back({ScanStatus::ok, {}, std::move(rest)});
  }
  if (content_->rows.size() == before) content_->rows.push_back({ScanStatus::no_kernel, {}, shared});
}

void ScanRows::add_failure(ScanStatus status, std::string_view module, std::string_view error) {
  Json rest;
  rest["module"] = module.empty() ? Json(nullptr) : json_string(module);
  content_->rows.push_back({status, std::string(error), std::move(rest)});
}

std::string ScanRows::finish() const {
  Json start;
  start["schema"] = schema;
  start["ptxscope"] = content_->version;
  start["file"] = json_string(content_->file.name);
  start["file_size"] = content_->file.size;
  start["file_mtime_ns"] = content_->file.mtime_ns;
  start["file_sha256"] = content_->file.sha256.empty() ? Json(nullptr) : Json(content_->file.sha256);
  start["file_rows"] = content_->rows.size();
  std::string out;
  for (const Content::Row& row : content_->rows) {
    Json json = start;
    json["status"] = spelling(row.status);
    json["error"] = row.error.empty() ? Json(nullptr) : json_string(row.error);
    json.update(row.rest);
    out += json.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
  }
  return out;
}

bool read_scan_row(std::string_view line, std::string_view program_version, ScanRowFile& row) {
  const Json json = Json::parse(line, nullptr, false);
  if (!json.is_object()) return false;
  const auto text = [&](const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const auto has_number = [&](const char* key) { return json.contains(key) && json[key].is_number_integer(); };
  if (text("schema") != schema || text("ptxscope") != program_version || text("file").empty()) return false;
  if (!has_number("file_size") || !has_number("file_mtime_ns") || !has_number("file_rows")) return false;
  row.file = {text("file"), json["file_size"].get<std::uint64_t>(), json["file_mtime_ns"].get<std::int64_t>(),
              text("file_sha256")};
  row.rows = json["file_rows"].get<std::uint64_t>();
  const std::string status = text("status");
  row.failed = status == spelling(ScanStatus::timeout) || status == spelling(ScanStatus::out_of_memory) ||
               status == spelling(ScanStatus::crashed);
  return true;
}

std::string with_mtime(std::string_view rows, std::int64_t mtime_ns) {
  std::string out;
  for (std::size_t begin = 0; begin < rows.size();) {
    const std::size_t end = std::min(rows.find('\n', begin), rows.size());
    const std::string_view line = rows.substr(begin, end - begin);
    // The first one is the key: within a string the quotation marks would have a backslash before them.
    const std::size_t key = std::min(line.find(mtime_key), line.size());
    const std::size_t number = std::min(key + mtime_key.size(), line.size());
    out += std::string(line.substr(0, number)) + std::to_string(mtime_ns);
    out += std::string(line.substr(std::min(line.find(',', number), line.size()))) + "\n";
    begin = end + 1;
  }
  return out;
}

}  // namespace ptxscope::report
