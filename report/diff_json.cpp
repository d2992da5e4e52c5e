#include <nlohmann/json.hpp>

#include "analysis/names.h"
#include "report/diff.h"
#include "report/diff_parts.h"
#include "report/json_common.h"
#include "report/one_line.h"

namespace ptxscope::report {

namespace {

using analysis::Edit;
using analysis::FunctionDiff;
using analysis::ModuleDiff;

Json side_json(const Module& module, const analysis::EditSide& side) {
  if (side.count == 0) return nullptr;
  Json out;
  out["line"] = module.position(side.span).line;
  if (side.count > 1) {
    out["last_line"] = module.position(side.span.end - 1).line;
    out["instructions"] = side.count;
    out["text"] = nullptr;
    return out;
  }
  out["column"] = module.position(side.span).column;
  out["text"] = json_string(one_line(module.text(side.span)));
  return out;
}

Json edit_json(const Module& a, const Module& b, const Edit& edit) {
  Json out;
  out["op"] = spelling(edit.op);
  out["part"] = spelling(edit.part);
  out["effect"] = spelling(edit.effect);
  out["a"] = side_json(a, edit.a);
  out["b"] = side_json(b, edit.b);
  if (edit.op == analysis::EditOp::replace && edit.part == analysis::EditPart::instruction) {
    out["opcode_differs"] = edit.opcode_differs;
    out["guard_differs"] = edit.guard_differs;
    out["operands_differ"] = Json::array();
    for (unsigned i = 0; i < 32; ++i)
      if ((edit.operands_differ >> i & 1U) != 0) out["operands_differ"].push_back(i);
    out["continues_elsewhere"] = edit.continues_elsewhere;
  }
  return out;
}

// A register that serves as several on the other side has a list of them.
Json names_json(const std::vector<std::pair<std::string, std::string>>& pairs) {
  Json out = Json::object();
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    Json& place = out[json_string(pairs[i].first).get<std::string>()];
    const Json name = json_string(pairs[i].second);
    if (place.is_null()) {
      place = name;
    } else if (place.is_string()) {
      if (place != name) place = Json::array({place, name});
    } else {
      place.push_back(name);
    }
  }
  return out;
}

Json counts_json(const analysis::Counts& a, const analysis::Counts& b) {
  Json out;
  for (std::size_t i = 0; i < analysis::count_kinds; ++i)
    out[std::string(analysis::count_names[i])] = Json::array({a[i], b[i]});
  return out;
}

Json function_diff_json(const Module& a, const Module& b, const FunctionDiff& one) {
  Json out;
  const auto name = [](const Module& module, std::uint32_t index) -> Json {
    return index == no_index ? Json(nullptr) : json_string(module.name(module.functions()[index].name));
  };
  const auto line = [](const Module& module, std::uint32_t index) -> Json {
    return index == no_index ? Json(nullptr) : Json(module.position(module.functions()[index].name_span).line);
  };
  const Module& module = one.b != no_index ? b : a;
  const Function& function = module.functions()[one.b != no_index ? one.b : one.a];
  out["name"] = json_string(module.name(function.name));
  const std::string demangled = analysis::demangled(module.name(function.name));
  out["demangled"] = demangled.empty() ? Json(nullptr) : json_string(demangled);
  out["kind"] = function.kind == FunctionKind::entry ? "entry" : "func";
  out["status"] = spelling(one.status);
  out["same_code"] = one.same_code;
  out["matched_by"] = one.a == no_index || one.b == no_index ? Json(nullptr) : Json(spelling(one.matched_by));
  out["a"] = one.a == no_index ? Json(nullptr) : Json{{"name", name(a, one.a)}, {"line", line(a, one.a)}};
  out["b"] = one.b == no_index ? Json(nullptr) : Json{{"name", name(b, one.b)}, {"line", line(b, one.b)}};
  out["too_different"] = one.too_different;
  out["respelled"] = one.respelled;
  out["edits"] = Json::array();
  for (const Edit& edit : one.edits) out["edits"].push_back(edit_json(a, b, edit));
  out["moves"] = Json::array();
  for (const analysis::Move& move : one.moves) {
    Json entry;
    entry["a"] = Json::array({a.line_of_statement(move.a_first), a.line_of_statement(move.a_last)});
    entry["b"] = Json::array({b.line_of_statement(move.b_first), b.line_of_statement(move.b_last)});
    entry["instructions"] = move.instructions;
    out["moves"].push_back(std::move(entry));
  }
  out["registers"] = names_json(one.registers);
  out["blocks"] = names_json(one.labels);
  out["locals"] = names_json(one.locals);
  out["counts"] = counts_json(one.a_counts, one.b_counts);
  if (one.a == no_index)
    for (auto& entry : out["counts"]) entry[0] = nullptr;
  if (one.b == no_index)
    for (auto& entry : out["counts"]) entry[1] = nullptr;
  const auto live = [](std::uint32_t count) -> Json { return count == no_index ? Json(nullptr) : Json(count); };
  if (one.a_max_live != no_index || one.b_max_live != no_index)
    out["counts"]["max_live"] = Json::array({live(one.a_max_live), live(one.b_max_live)});
  return out;
}

}  // namespace

std::string diff_json(const Module& a, const Module& b, const ModuleDiff& diff) {
  Json out;
  out["schema"] = "ptxscope.diff/1";
  const auto file = [](const Module& module) {
    Json one;
    one["file"] = json_string(module.file_name());
    one["module"] = module_json(module);
    return one;
  };
  out["a"] = file(a);
  out["b"] = file(b);
  out["verdict"] = json_string(diff_verdict(a, b, diff));
  out["identical"] = diff.identical;
  out["same_code"] = diff.same_code;
  out["functions_reordered"] = diff.functions_reordered;
  out["header"] = Json::array();
  for (const analysis::HeaderChange& one : diff.header) {
    const auto or_null = [](const std::string& text) { return text.empty() ? Json(nullptr) : json_string(text); };
    out["header"].push_back(Json{{"field", one.field}, {"a", or_null(one.a)}, {"b", or_null(one.b)}});
  }
  out["declarations"] = Json::array();
  for (const analysis::DeclarationDiff& one : diff.declarations) {
    const auto side = [](const Module& module, const std::string& name, Span span) -> Json {
      if (span.empty()) return nullptr;
      Json entry;
      entry["name"] = name.empty() ? Json(nullptr) : json_string(name);
      entry["line"] = module.position(span).line;
      entry["text"] = json_string(beginning_of(module, span));
      return entry;
    };
    Json entry;
    entry["status"] = spelling(one.status);
    entry["effect"] = spelling(one.effect);
    entry["a"] = side(a, one.a_name, one.a);
    entry["b"] = side(b, one.b_name, one.b);
    out["declarations"].push_back(std::move(entry));
  }
  out["counts"] = counts_json(diff.a_counts, diff.b_counts);
  out["opcodes"] = Json::object();
  for (const analysis::OpcodeCount& one : diff.opcodes)
    out["opcodes"][json_string(one.opcode).get<std::string>()] = Json::array({one.a, one.b});
  out["functions"] = Json::array();
  std::string text = dump(out);
  if (diff.functions.empty()) return text;
  // One function's document at a time: with hundreds of thousands of edits all of them would take a gigabyte.
  text.resize(text.rfind("[]"));
  text += "[";
  for (const FunctionDiff& one : diff.functions) {
    text += &one == diff.functions.data() ? "\n    " : ",\n    ";
    std::string document_of_one = dump(function_diff_json(a, b, one));
    document_of_one.pop_back();  // the newline
    for (const char c : document_of_one) {
      text += c;
      if (c == '\n') text += "    ";
    }
  }
  return text + "\n  ]\n}\n";
}

}  // namespace ptxscope::report
