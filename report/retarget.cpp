#include "report/retarget.h"

#include <nlohmann/json.hpp>

#include "report/json_common.h"

namespace ptxscope::report {

namespace {

using analysis::TextChange;

std::string_view name_of(TextChange::Kind kind) {
  switch (kind) {
    case TextChange::Kind::version:
      return "version";
    case TextChange::Kind::target:
      return "target";
    case TextChange::Kind::spelling:
      return "spelling";
  }
  return "";
}

}  // namespace

std::vector<std::string> retarget_sentences(const Module& module, const analysis::Retargeting& result) {
  std::vector<std::string> sentences;
  for (const TextChange& change : result.changes) {
    const Position place = module.position(change.span);
    std::string text =
        module.file_name() + ":" + std::to_string(place.line) + ":" + std::to_string(place.column) + ": ";
    if (change.kind != TextChange::Kind::spelling) text += "." + std::string(name_of(change.kind)) + " ";
    text += std::string(module.text(change.span));
    text += change.after.empty() ? " left out" : " -> " + change.after;
    sentences.push_back(std::move(text));
  }
  return sentences;
}

std::string retarget_json(const Module& module, const analysis::Retargeting& result, const std::string& output) {
  Json out = document("retarget", module);
  out["ok"] = result.fits;
  out["isa"] = result.fits ? Json(isa::to_string(*result.version)) : Json(nullptr);
  out["target"] = result.fits ? Json(isa::targets()[*result.target].name) : Json(nullptr);
  out["changes"] = Json::array();
  for (const TextChange& change : result.changes) {
    const Position begin = module.position(change.span.begin);
    Json entry;
    entry["kind"] = name_of(change.kind);
    entry["line"] = begin.line;
    entry["column"] = begin.column;
    entry["end_column"] = begin.column + change.span.size();
    entry["from"] = json_string(module.text(change.span));
    entry["to"] = change.after;
    out["changes"].push_back(entry);
  }
  out["problems"] = Json::array();
  for (const Diagnostic& problem : result.problems) out["problems"].push_back(diagnostic_json(module, problem));
  out["rewrite_would_help"] = result.rewrite_would_help;
  out["output"] = output.empty() ? Json(nullptr) : json_string(output);
  return dump(out);
}

}  // namespace ptxscope::report
