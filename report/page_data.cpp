#include "report/page_data.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <unordered_map>

#include "analysis/names.h"
#include "analysis/unread.h"
#include "report/check.h"
#include "report/explain.h"
#include "report/stats.h"
#include "report/stats_parts.h"
#include "report/terminal.h"

namespace ptxscope::report {

namespace {

using analysis::FunctionTraps;
using analysis::Trap;

constexpr std::size_t most_name = 1000;  // characters of a name in the table
constexpr std::size_t most_line = 1000;  // bytes of a line of code
constexpr std::size_t most_ways = 40;    // of a trap
constexpr std::size_t most_traps = 1000;
constexpr std::size_t most_after = 16;

Json parsed(const std::string& text) { return Json::parse(text); }

// The document of another command, without what the page says once.
Json without_head(Json document) {
  for (const char* field : {"schema", "file", "module"}) document.erase(field);
  return document;
}

std::unordered_map<std::uint32_t, const FunctionTraps*> traps_by_function(const analysis::TrapReport& traps) {
  std::unordered_map<std::uint32_t, const FunctionTraps*> result;
  for (const FunctionTraps& one : traps.functions) result.emplace(one.function, &one);
  return result;
}

// Takes elements out of a list, the last or the first ones, so that `most` are left; how many it took.
std::size_t cut_list(Json& list, std::size_t most, bool keeps_last = false) {
  if (list.size() <= most) return 0;
  const std::size_t more = list.size() - most;
  const auto begin = list.begin() + static_cast<std::ptrdiff_t>(keeps_last ? 0 : most);
  list.erase(begin, begin + static_cast<std::ptrdiff_t>(more));
  return more;
}

// Each keeps its number, which is that of explain-trap.
void ways_that_can_be_taken_first(Json& ways) {
  for (std::size_t i = 0; i < ways.size(); ++i) ways[i]["number"] = i + 1;
  std::stable_partition(ways.begin(), ways.end(), [](const Json& way) { return !way["dead"].get<bool>(); });
}

// What is only there in great numbers is cut: a page is for people. A new field moves the others: a reference to one does
// not outlive it.
void shorten(Json& traps) {
  for (const char* kind : {"traps", "soft_failures"}) {
    for (Json& trap : traps[kind]) {
      ways_that_can_be_taken_first(trap["ways"]);
      for (Json& way : trap["ways"]) {
        const std::size_t before = way.contains("after_omitted") ? way["after_omitted"].get<std::size_t>() : 0;
        const std::size_t more = cut_list(way["after"], most_after, true);
        if (more != 0) way["after_omitted"] = before + more;
      }
      if (const std::size_t more = cut_list(trap["ways"], most_ways); more != 0) trap["ways_omitted"] = more;
    }
    if (const std::size_t more = cut_list(traps[kind], most_traps); more != 0)
      traps[std::string(kind) + "_omitted"] = more;
  }
}

// What the page has no use for, and what is said by not being there.
void shorten_flow(Json& flow) {
  for (const char* field : {"name", "demangled", "kind", "line", "irreducible_headers"}) flow.erase(field);
  constexpr std::array unused{
      "immediate_dominator", "immediate_post_dominator", "loop", "live_in",  "live_in_predicates",
      "max_live_predicates", "conditional_end",          "line", "setp_line"};
  for (const char* list : {"blocks", "edges"}) {
    for (Json& one : flow[list]) {
      for (const char* field : unused) one.erase(field);
      for (auto field = one.begin(); field != one.end();)
        field = field->is_null() || *field == Json(false) ? one.erase(field) : std::next(field);
    }
  }
  for (Json& loop : flow["loops"]) loop.erase("blocks");
}

std::string_view cut_line(std::string_view line) {
  if (line.size() <= most_line) return line;
  line = line.substr(0, most_line);
  while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0U) == 0x80U) line.remove_suffix(1);
  return line;
}

// The mangled names that traps speak of, and what they are called in the source.
Json readable_names(const Json& function) {
  Json out = Json::object();
  const auto add = [&](const Json& name) {
    if (!name.is_string()) return;
    const auto& mangled = name.get_ref<const std::string&>();
    if (out.contains(mangled)) return;
    const std::string text = analysis::demangled_without_parameters(mangled);
    if (!text.empty() && text != mangled) out[mangled] = json_string(text);
  };
  for (const char* kind : {"traps", "soft_failures"}) {
    for (const Json& trap : function[kind]) {
      add(trap["callee"]);
      for (const Json& name : trap["via"]) add(name);
      for (const Json& way : trap["ways"])
        for (const Json& name : way["via"]) add(name);
    }
  }
  return out;
}

// The lines that evidence names and that stand outside of the function.
Json lines_outside(const Module& module, const Json& function, std::uint32_t first, std::uint32_t last) {
  std::set<std::uint32_t> lines;
  const auto add = [&](const Json& line) {
    if (!line.is_number_unsigned()) return;
    const auto number = line.get<std::uint32_t>();
    if (number < first || number > last) lines.insert(number);
  };
  for (const char* kind : {"traps", "soft_failures"}) {
    for (const Json& trap : function[kind]) {
      add(trap["line"]);
      for (const Json& way : trap["ways"]) {
        for (const char* field : {"branch_line", "setp_line", "call_line"}) add(way[field]);
        for (const Json& line : way["evidence"]) add(line);
      }
    }
  }
  Json out = Json::object();
  for (const std::uint32_t line : lines) {
    std::string_view text = cut_line(module.line_text(line));
    text.remove_prefix(std::min(text.find_first_not_of(" \t"), text.size()));
    out[std::to_string(line)] = json_string(text);
  }
  return out;
}

std::string code_of(const Module& module, std::uint32_t first, std::uint32_t last) {
  std::string out;
  for (std::uint32_t line = first; line <= last; ++line) {
    const std::string_view text = module.line_text(line);
    const std::string_view shown = cut_line(text);
    out += shown;
    if (shown.size() < text.size()) out += " \xe2\x80\xa6";
    if (line != last) out += '\n';
  }
  return out;
}

// Line, registers, predicates of each instruction, one after the other.
Json pressure_along(const Module& module, const analysis::LiveRanges& ranges) {
  Json out = Json::array();
  for (const analysis::InstructionPressure& one : ranges.instructions) {
    out.push_back(module.line_of_statement(one.statement));
    out.push_back(one.live.registers);
    out.push_back(one.live.predicates);
  }
  return out;
}

std::string shown_in_table(std::string_view name) { return printable(name, most_name); }

}  // namespace

std::vector<Json> function_documents(const PageFile& file, std::size_t place) {
  const Module& module = *file.module;
  const analysis::ModuleReport& report = *file.report;
  const auto& flows = report.flow.functions;
  const auto traps_of = traps_by_function(report.traps);
  // The documents of the other commands, of these functions alone.
  analysis::TrapReport traps;
  traps.pool = report.traps.pool;
  std::unordered_map<std::uint32_t, std::size_t> counts_of;
  for (std::size_t i = 0; i < report.stats.functions.size(); ++i)
    counts_of.emplace(report.stats.functions[i].function, i);
  FileStats counts;
  counts.counts.opcodes = report.stats.opcodes;
  counts.counts.memory_kinds = report.stats.memory_kinds;
  for (const analysis::FunctionFlow& flow : flows) {
    counts.counts.functions.push_back(report.stats.functions[counts_of.at(flow.cfg.function)]);
    if (const auto found = traps_of.find(flow.cfg.function); found != traps_of.end())
      traps.functions.push_back(*found->second);
  }
  counts.live = [&](std::uint32_t function) {
    return *std::ranges::find(report.live, function, &analysis::LiveReport::function);
  };
  const Json stats_document = parsed(stats_json(module, counts, "", {}));
  const Json trap_document = parsed(explain_trap_json(module, traps, std::nullopt));
  const Json flow_document = parsed(cfg_json(module, report.flow));
  std::vector<Json> result;
  std::size_t next_traps = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    const std::uint32_t index = flows[i].cfg.function;
    const Function& function = module.functions()[index];
    const std::uint32_t first = module.position(function.span).line;
    const std::uint32_t last = module.position(function.span.end).line;
    Json out = function_json(module, function);
    out["file"] = place;
    out["first_line"] = first;
    if (traps_of.contains(index)) {
      const Json& its = trap_document["functions"][next_traps++];
      for (const char* field : {"params", "traps", "soft_failures", "cost", "complete", "notes"})
        out[field] = its[field];
      shorten(out);
      out["readable"] = readable_names(out);
      out["outside"] = lines_outside(module, out, first, last);
    }
    out["counts"] = stats_document["functions"][i];
    for (const char* field : {"name", "demangled", "kind", "line"}) out["counts"].erase(field);
    out["flow"] = flow_document["functions"][i];
    shorten_flow(out["flow"]);
    Json live = std::move(out["counts"]["live"]);
    out["counts"].erase("live");
    live.erase("instructions");
    live["along"] = pressure_along(module, report.live[i].ranges);
    out["live"] = std::move(live);
    const Drawing* const drawing = i < file.drawings.size() ? &file.drawings[i] : nullptr;
    out["svg"] = drawing != nullptr && drawing->svg ? json_string(*drawing->svg) : Json(nullptr);
    out["svg_missing"] = drawing == nullptr || drawing->svg ? Json(nullptr) : json_string(drawing->error);
    out["code"] = json_string(code_of(module, first, last));
    result.push_back(std::move(out));
  }
  return result;
}

Json file_overview(const PageFile& file, const std::vector<std::uint32_t>& documents, std::size_t most_rows) {
  const Module& module = *file.module;
  const analysis::ModuleReport& report = *file.report;
  Json out;
  out["file"] = json_string(printable(module.file_name(), 1000));
  out["bytes"] = module.text().size();
  out["module"] = module_json(module);
  out["check"] = without_head(parsed(check_json(module, report.check, {})));
  FileStats totals;
  totals.counts.opcodes = report.stats.opcodes;
  totals.counts.memory_kinds = report.stats.memory_kinds;
  totals.counts.totals = report.stats.totals;
  totals.counts.max_live_function = report.stats.max_live_function;
  out["totals"] = parsed(stats_json(module, totals, "", {}))["totals"];
  out["not_detailed"] = report.not_detailed;
  std::unordered_map<std::uint32_t, std::uint32_t> document_of;
  for (std::size_t i = 0; i < report.flow.functions.size(); ++i)
    if (documents[i] != no_index) document_of.emplace(report.flow.functions[i].cfg.function, documents[i]);
  const auto traps_of = traps_by_function(report.traps);
  out["columns"] = {"name",  "demangled", "kind",     "line",     "last_line",           "document",
                    "traps", "never",     "failures", "complete", "safety_instructions", "safety_branches"};
  for (const Metric& metric : metrics())
    out["columns"].push_back(metric.key == "traps" ? std::string_view("trap_instructions") : metric.key);
  out["functions"] = Json::array();
  std::size_t omitted = 0;
  std::uint64_t all_traps = 0;
  std::uint64_t all_never = 0;
  std::uint64_t all_failures = 0;
  std::uint64_t all_kernels = 0;
  std::uint64_t all_incomplete = 0;
  for (const analysis::FunctionStats& one : report.stats.functions) {
    const auto document = document_of.find(one.function);
    const auto found = traps_of.find(one.function);
    const FunctionTraps* const traps = found == traps_of.end() ? nullptr : found->second;
    const auto never = traps == nullptr ? 0 : std::ranges::count_if(traps->traps, [](const Trap& trap) {
      return trap.dead.value_or(false);
    });
    all_kernels += one.kind == FunctionKind::entry ? 1 : 0;
    all_traps += traps == nullptr ? 0 : traps->traps.size();
    all_never += static_cast<std::uint64_t>(never);
    all_incomplete += traps != nullptr && !traps->complete ? 1 : 0;
    all_failures += traps == nullptr ? 0 : traps->soft_failures.size();
    if (out["functions"].size() >= most_rows && document == document_of.end()) {
      ++omitted;
      continue;
    }
    const std::string demangled = analysis::demangled(one.name);
    Json row = Json::array();
    row.push_back(shown_in_table(one.name));
    row.push_back(demangled.empty() || demangled == one.name ? Json(nullptr) : Json(shown_in_table(demangled)));
    row.push_back(one.kind == FunctionKind::entry ? "entry" : "func");
    row.push_back(one.line);
    row.push_back(module.position(module.functions()[one.function].span.end).line);
    row.push_back(document == document_of.end() ? Json(nullptr) : Json(document->second));
    row.push_back(traps == nullptr ? Json(nullptr) : Json(traps->traps.size()));
    row.push_back(never);
    row.push_back(traps == nullptr ? 0 : traps->soft_failures.size());
    row.push_back(traps == nullptr || traps->complete);
    row.push_back(traps == nullptr ? 0 : traps->cost.instructions);
    row.push_back(traps == nullptr ? 0 : traps->cost.branches);
    for (const Metric& metric : metrics()) {
      const auto number = metric.of(one.counts);
      row.push_back(number ? Json(*number) : Json(nullptr));
    }
    out["functions"].push_back(std::move(row));
  }
  out["functions_omitted"] = omitted;
  out["function_count"] = report.stats.functions.size();
  out["kernel_count"] = all_kernels;
  out["trap_count"] = all_traps;
  out["never_count"] = all_never;
  out["failure_count"] = all_failures;
  out["incomplete_count"] = all_incomplete;
  const analysis::Unread unread = analysis::unread_in(module);
  out["unread"] = {{"errors", unread.errors}, {"first_line", unread.first_line}};
  return out;
}

std::string script_json(const Json& json) {
  const std::string plain = json.dump(-1, ' ', false, Json::error_handler_t::replace);
  std::string out;
  out.reserve(plain.size() + plain.size() / 16);
  for (std::size_t i = 0; i < plain.size();) {
    if (static_cast<unsigned char>(plain[i]) < 0x7f) {
      const char next = i + 1 < plain.size() ? plain[i + 1] : ' ';
      if (plain[i] == '<' && next == '/') out += "<\\";
      else if (plain[i] == '<' && (next == '!' || next == 's' || next == 'S')) out += "\\u003c";
      else out += plain[i];
      ++i;
      continue;
    }
    // Marks that turn the direction of writing, and what has no width, are shown by their names: `\u202e`.
    const CodePoint point = decode_utf8(plain, i);
    const std::string_view character = std::string_view(plain).substr(i, point.length);
    if (is_control(point.value)) out += "\\" + printable(character);
    else out += character;
    i += point.length;
  }
  return out;
}

}  // namespace ptxscope::report
