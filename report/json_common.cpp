#include "report/json_common.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "analysis/names.h"
#include "report/diagnostics.h"
#include "report/terminal.h"

namespace ptxscope::report {
namespace {

Json number_or_null(const std::optional<std::uint32_t>& value) { return value ? Json(*value) : Json(nullptr); }

}  // namespace

std::string_view spelling(analysis::ParameterRole role) {
  using analysis::ParameterRole;
  switch (role) {
    case ParameterRole::unknown:
      return "unknown";
    case ParameterRole::pointer:
      return "pointer";
    case ParameterRole::length:
      return "length";
    case ParameterRole::scalar:
      return "scalar";
    case ParameterRole::aggregate:
      return "aggregate";
  }
  return "unknown";
}

Json json_string(std::string_view text) { return valid_utf8(text); }

Json module_json(const Module& module) {
  const Header& header = module.header();
  Json out;
  out["version"] = header.version_major == 0 && header.version_minor == 0
                       ? Json(nullptr)
                       : Json(std::to_string(header.version_major) + "." + std::to_string(header.version_minor));
  out["target"] = Json::array();
  for (const std::string_view target : header.targets) out["target"].push_back(json_string(target));
  out["target_options"] = Json::array();
  for (const std::string_view option : header.options) out["target_options"].push_back(json_string(option));
  // PTX ISA 11.1.3: without the directive it is 32.
  out["address_size"] = header.address_size == 0 ? 32 : header.address_size;
  const std::string producer = module.producer();
  out["producer"] = producer.empty() ? Json(nullptr) : json_string(producer);
  return out;
}

Json function_json(const Module& module, const Function& function) {
  Json out;
  const std::string_view name = module.name(function.name);
  out["name"] = json_string(name);
  const std::string demangled = analysis::demangled(name);
  out["demangled"] = demangled.empty() || demangled == name ? Json(nullptr) : json_string(demangled);
  out["kind"] = function.kind == FunctionKind::entry ? "entry" : "func";
  out["line"] = module.position(function.span).line;
  return out;
}

Json param_json(const analysis::ParameterInfo& param) {
  Json out;
  out["index"] = param.index;
  out["name"] = json_string(param.name);
  out["type"] = ptxscope::spelling(param.type);
  out["bytes"] = param.size;
  out["role"] = spelling(param.role);
  out["slice"] = number_or_null(param.slice);
  out["label"] = json_string(param.label);
  out["fields"] = Json::array();
  for (const auto& field : param.fields) {
    Json one;
    one["offset"] = field.offset;
    one["bytes"] = field.bytes;
    one["role"] = spelling(field.role);
    one["slice"] = number_or_null(field.slice);
    one["label"] = json_string(field.label);
    out["fields"].push_back(std::move(one));
  }
  return out;
}

Json diagnostic_json(const Module& module, const Diagnostic& diagnostic) {
  const Position begin = module.position(diagnostic.span);
  const Position end = module.position(diagnostic.span.end);
  Json out;
  out["level"] = spelling(diagnostic.level);
  out["rule"] = json_string(diagnostic.rule);
  out["line"] = begin.line;
  out["column"] = begin.column;
  // Of a span over several lines: the end of its first line.
  out["end_column"] = end.line == begin.line
                          ? end.column
                          : begin.column + static_cast<std::uint32_t>(std::min<std::size_t>(
                                               module.text(diagnostic.span).find('\n'), diagnostic.span.size()));
  out["message"] = json_string(diagnostic.message);
  out["remedy"] = diagnostic.remedy.empty() ? Json(nullptr) : json_string(diagnostic.remedy);
  out["notes"] = Json::array();
  for (const Diagnostic::Note& note : diagnostic.notes) {
    const Position place = module.position(note.span);
    Json one;
    one["line"] = place.line;
    one["column"] = place.column;
    one["message"] = json_string(note.message);
    out["notes"].push_back(std::move(one));
  }
  return out;
}

std::vector<const Diagnostic*> ordered_diagnostics(const Module& module, std::span<const Diagnostic> more) {
  std::vector<const Diagnostic*> ordered;
  for (const auto diagnostics : {module.diagnostics(), more}) {
    for (const Diagnostic& diagnostic : diagnostics) ordered.push_back(&diagnostic);
  }
  std::stable_sort(ordered.begin(), ordered.end(),
                   [](const Diagnostic* a, const Diagnostic* b) { return a->span.begin < b->span.begin; });
  return ordered;
}

Json diagnostics_json(const Module& module, std::span<const Diagnostic> more) {
  Json out = Json::array();
  for (const Diagnostic* diagnostic : ordered_diagnostics(module, more))
    out.push_back(diagnostic_json(module, *diagnostic));
  return out;
}

Json document(std::string_view command, const Module& module) {
  Json out;
  out["schema"] = "ptxscope." + std::string(command) + "/1";
  out["file"] = json_string(module.file_name());
  out["module"] = module_json(module);
  return out;
}

void append_json(std::string& out, const Json& json, std::size_t indent) {
  const std::string plain = json.dump(2, ' ', false, Json::error_handler_t::replace);
  // JSON allows DEL, the C1 controls and the marks that turn the direction of writing as they are; a terminal acts on them.
  constexpr std::string_view hex = "0123456789abcdef";
  for (std::size_t i = 0; i < plain.size();) {
    const auto byte = static_cast<unsigned char>(plain[i]);
    if (byte < 0x7f) {
      out += plain[i];
      if (plain[i++] == '\n') out.append(indent, ' ');  // inside of strings there is none
      continue;
    }
    const CodePoint point = decode_utf8(plain, i);
    if (point.valid && is_control(point.value)) {
      out += "\\u";
      for (int shift = 12; shift >= 0; shift -= 4) out += hex[(point.value >> shift) & 15U];
    } else {
      out += plain.substr(i, point.length);
    }
    i += point.length;
  }
}

std::string dump(const Json& json) {
  std::string out;
  append_json(out, json, 0);
  out += '\n';
  return out;
}

}  // namespace ptxscope::report
