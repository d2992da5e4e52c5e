// SARIF 2.1.0 (OASIS, "Static Analysis Results Interchange Format"): one run, the rules it may report, a result for each
// place.
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "report/check.h"
#include "report/check_parts.h"
#include "report/json_common.h"
#include "report/rules.h"

namespace ptxscope::report {

namespace {

// RFC 3986: what is neither unreserved nor a separator of a path is escaped.
std::string percent_escaped(std::string_view text) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool is_plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                          std::string_view("-._~/").find(c) != std::string_view::npos;
    if (is_plain) {
      out += c;
    } else {
      out += '%';
      out += hex[byte >> 4U];
      out += hex[byte & 15U];
    }
  }
  return out;
}

// Relative where it can be: code scanning looks for files from the top of the checkout.
std::string uri_of(const std::string& file_name) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::path path(file_name);
  if (path.is_absolute()) {
    const fs::path here = fs::current_path(error);
    const fs::path relative = path.lexically_relative(here);
    if (error || relative.empty() || *relative.begin() == "..")
      return "file://" + percent_escaped(path.lexically_normal().string());
    path = relative;
  }
  return percent_escaped(path.lexically_normal().generic_string());
}

std::string_view level_of(Level level) {
  switch (level) {
    case Level::error:
      return "error";
    case Level::warning:
      return "warning";
    case Level::note:
      return "note";
  }
  return "error";
}

// SARIF counts UTF-16 code units (columnKind below), we count bytes.
class Utf16Columns {
 public:
  explicit Utf16Columns(const Module& module) : module_(module) {}

  [[nodiscard]] std::uint32_t operator()(std::uint32_t offset) const {
    const std::uint32_t column = module_.position(offset).column;
    // In a line of megabytes the walk would cost more than the answer is worth.
    constexpr std::uint32_t longest = 1U << 16U;
    if (column > longest) return column;
    std::uint32_t units = 1;
    const std::uint32_t begin = offset - (column - 1);
    for (std::size_t i = begin; i < offset;) {
      const CodePoint point = decode_utf8(module_.text(), i);
      units += point.valid && point.value > 0xffff ? 2 : 1;
      i += point.length;
    }
    return units;
  }

 private:
  const Module& module_;
};

Json location_json(const Module& module, const std::string& uri, Span span) {
  const Utf16Columns columns(module);
  const Position begin = module.position(span.begin);
  const Position end = module.position(span.end);
  Json region;
  region["startLine"] = begin.line;
  region["startColumn"] = columns(span.begin);
  if (end.line != begin.line) region["endLine"] = end.line;
  if (span.end > span.begin) region["endColumn"] = columns(span.end);
  Json location;
  location["physicalLocation"]["artifactLocation"]["uri"] = uri;
  location["physicalLocation"]["region"] = std::move(region);
  return location;
}

Json text_json(std::string_view text) {
  Json out;
  out["text"] = json_string(text);
  return out;
}

Json rule_json(const Rule& rule) {
  Json out;
  out["id"] = rule.id;
  out["name"] = rule.name;
  out["shortDescription"] = text_json(rule.summary);
  out["fullDescription"] = text_json(rule.help);
  out["help"] = text_json(rule.help);
  out["defaultConfiguration"]["level"] = level_of(rule.level);
  return out;
}

}  // namespace

struct SarifLog::Content {
  std::string version;
  std::map<std::string, std::size_t> rule_index;
  Json results = Json::array();
};

SarifLog::SarifLog(std::string_view tool_version) : content_(std::make_unique<Content>()) {
  content_->version = tool_version;
  for (std::size_t i = 0; i < rules().size(); ++i) content_->rule_index.emplace(rules()[i].id, i);
}

SarifLog::~SarifLog() = default;

void SarifLog::add(const Module& module, const analysis::CheckReport& report) {
  const std::string uri = uri_of(module.file_name());
  for (const Diagnostic& one : all_diagnostics(module, report)) {
    Json result;
    result["ruleId"] = json_string(one.rule);
    if (const auto rule = content_->rule_index.find(one.rule); rule != content_->rule_index.end())
      result["ruleIndex"] = rule->second;
    result["level"] = level_of(one.level);
    std::string message = one.message;
    Json related = Json::array();
    for (const Diagnostic::Note& note : one.notes) {
      if (note.span.empty()) {
        message += "; " + note.message;
        continue;
      }
      Json location = location_json(module, uri, note.span);
      location["message"] = text_json(note.message);
      related.push_back(std::move(location));
    }
    if (!one.remedy.empty()) message += "; help: " + one.remedy;
    result["message"] = text_json(message);
    result["locations"] = Json::array({location_json(module, uri, one.span)});
    if (!related.empty()) result["relatedLocations"] = std::move(related);
    content_->results.push_back(std::move(result));
  }
}

std::string SarifLog::text() const {
  Json driver;
  driver["name"] = "ptxscope";
  driver["version"] = content_->version;
  driver["rules"] = Json::array();
  for (const Rule& rule : rules()) driver["rules"].push_back(rule_json(rule));
  Json run;
  run["tool"]["driver"] = std::move(driver);
  run["columnKind"] = "utf16CodeUnits";
  run["results"] = content_->results;
  Json log;
  log["$schema"] = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
  log["version"] = "2.1.0";
  log["runs"] = Json::array({std::move(run)});
  return dump(log);
}

}  // namespace ptxscope::report
