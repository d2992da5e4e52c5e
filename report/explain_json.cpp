#include <algorithm>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/explain.h"
#include "report/expression.h"
#include "report/json_common.h"
#include "report/json_text.h"
#include "report/source_lines.h"

namespace ptxscope::report {
namespace {

using analysis::FunctionTraps;
using analysis::Given;
using analysis::Trap;
using analysis::Way;

constexpr std::size_t max_after = 64;

Json text_or_null(const std::optional<std::string>& text) { return text ? json_string(*text) : Json(nullptr); }

Json strings(const std::vector<std::string>& all) {
  Json out = Json::array();
  for (const std::string& one : all) out.push_back(json_string(one));
  return out;
}

// A value of that type as a JSON number; "nan" and the infinities, which JSON does not have, as strings.
Json number(std::uint64_t bits, Type type) {
  if (type == Type::f32 || type == Type::f64) {
    const double value = type == Type::f32 ? static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)))
                                           : std::bit_cast<double>(bits);
    return std::isfinite(value) ? Json(value) : Json(value_text(bits, type));
  }
  const std::string text = value_text(bits, type);
  return text.starts_with('-') ? Json(std::stoll(text)) : Json(bits);
}

class Writer {
 public:
  Writer(const Module& module, const analysis::TrapReport& report)
      : module_(module), report_(report), sources_(module.file_name()) {}

  void function(JsonText& text, const FunctionTraps& traps) {
    labels_ = Labels(traps.params);
    const auto trap_of = [this](const Trap& one) { return trap(one); };
    text.begin_object();
    text.members(function_json(module_, module_.functions()[traps.function]));
    text.array("params", traps.params, param_json);
    text.array("traps", traps.traps, trap_of);
    text.array("soft_failures", traps.soft_failures, trap_of);
    text.member("cost", {{"instructions", traps.cost.instructions},
                         {"branches", traps.cost.branches},
                         {"of_instructions", traps.cost.of_instructions},
                         {"of_branches", traps.cost.of_branches}});
    text.member("complete", traps.complete);
    text.member("notes", strings(traps.notes));
    text.end_object();
  }

 private:
  [[nodiscard]] Json line_or_null(std::uint32_t statement) const {
    return statement < module_.statement_count() ? Json(module_.line_of_statement(statement)) : Json(nullptr);
  }

  Json place(const analysis::SourcePlace& source, bool outermost) {
    Json out;
    out["file"] = json_string(source.file);
    out["line"] = source.line;
    out["column"] = source.column == 0 ? Json(nullptr) : Json(source.column);
    out["text"] = text_or_null(sources_.line(source.file, source.line));
    if (!outermost) return out;
    out["inlined_at"] = Json::array();
    for (const auto& inner : source.inlined_at) out["inlined_at"].push_back(place(inner, false));
    return out;
  }

  [[nodiscard]] Json condition(const Condition& c) const {
    Json out;
    out["op"] = c.op;
    out["type"] = c.type.empty() ? Json(nullptr) : Json(c.type);
    out["lhs"] = text_or_null(c.lhs);
    out["rhs"] = text_or_null(c.rhs);
    out["text"] = json_string(c.text);
    return out;
  }

  Json way(const Way& w) {
    Json out;
    out["branch_line"] = line_or_null(w.branch);
    out["setp_line"] = line_or_null(w.setp);
    out["predicate"] = w.predicate.empty() ? Json(nullptr) : json_string(w.predicate);
    out["negated"] = w.negated;
    out["condition"] = condition(describe_condition(module_, *report_.pool, w.condition, labels_));
    out["check"] = analysis::spelling(w.check);
    out["params"] = w.params;
    out["via"] = strings(w.via);
    out["source"] = w.source ? place(*w.source, true) : Json(nullptr);
    out["message"] = text_or_null(w.message);
    // The innermost ones, where there are very many: each way lists all that came before it.
    const std::size_t omitted = w.after.size() > max_after ? w.after.size() - max_after : 0;
    out["after"] = Json::array();
    for (std::size_t i = omitted; i < w.after.size(); ++i) {
      out["after"].push_back(json_string(to_text(module_, *report_.pool, w.after[i], labels_)));
    }
    if (omitted != 0) out["after_omitted"] = omitted;
    out["path"] = json_string(to_text(module_, *report_.pool, w.path, labels_));
    out["dead"] = w.dead;
    out["call_line"] = line_or_null(w.call_site);
    out["evidence"] = Json::array();
    for (const std::uint32_t statement : w.evidence) {
      if (statement < module_.statement_count()) out["evidence"].push_back(module_.line_of_statement(statement));
    }
    return out;
  }

  Json given(const Given& g, const Trap& t) {
    Json out;
    out["fires"] = g.fires ? Json(*g.fires) : Json(nullptr);
    out["threads"] = g.threads;
    out["first"] = nullptr;
    if (g.first_block && g.first_thread) out["first"] = {{"block", *g.first_block}, {"thread", *g.first_thread}};
    out["values"] = nullptr;
    if ((g.lhs || g.rhs) && g.way < t.ways.size()) {
      const analysis::ExprId id = t.ways[g.way].condition;
      const Condition c = describe_condition(module_, *report_.pool, id, labels_);
      const Type type = (*report_.pool)[id].type;
      const auto& left = c.turned ? g.rhs : g.lhs;
      const auto& right = c.turned ? g.lhs : g.rhs;
      out["values"] = {{"lhs", left ? number(*left, type) : Json(nullptr)},
                       {"rhs", right ? number(*right, type) : Json(nullptr)}};
    }
    out["way"] = t.ways.empty() || !g.first_block ? Json(nullptr) : Json(g.way);
    out["undecided"] = g.undecided;
    out["missing"] = strings(g.missing);
    out["reasons"] = strings(g.reasons);
    out["assumed_not_null"] = strings(g.assumed);
    out["if_reached"] = strings(g.if_reached);
    out["gave_up"] = g.gave_up;
    return out;
  }

  Json trap(const Trap& t) {
    Json out;
    out["id"] = t.id;
    out["function"] = json_string(t.function);
    if (t.statement < module_.statement_count()) {
      const Position position = module_.position(module_.statement(t.statement).span());
      out["line"] = position.line;
      out["column"] = position.column;
    } else {
      out["line"] = nullptr;
      out["column"] = nullptr;
    }
    out["block"] = t.block == no_name ? Json(nullptr) : json_string(module_.name(t.block));
    out["kind"] = analysis::spelling(t.kind);
    out["callee"] = t.callee.empty() ? Json(nullptr) : json_string(t.callee);
    out["source"] = t.source ? place(*t.source, true) : Json(nullptr);
    out["message"] = text_or_null(t.message);
    out["check"] = analysis::spelling(t.check);
    out["dead"] = t.dead ? Json(*t.dead) : Json(nullptr);
    out["ways"] = Json::array();
    for (const Way& one : t.ways) out["ways"].push_back(way(one));
    out["params"] = t.params;
    out["via"] = strings(t.via);
    out["given"] = t.given ? given(*t.given, t) : Json(nullptr);
    out["notes"] = strings(t.notes);
    return out;
  }

  const Module& module_;
  const analysis::TrapReport& report_;
  SourceLines sources_;
  Labels labels_;
};

}  // namespace

void explain_trap_json(const Sink& sink, const Module& module, const analysis::TrapReport& report,
                       const std::optional<analysis::Launch>& launch, std::span<const Diagnostic> more) {
  JsonText text(sink);
  text.begin_object();
  text.members(document("explain-trap", module));
  text.member("launch", launch ? Json{{"grid", launch->grid}, {"block", launch->block}} : Json(nullptr));
  Writer writer(module, report);
  text.key("functions");
  text.begin_array();
  for (const FunctionTraps& traps : report.functions) writer.function(text, traps);
  text.end_array();
  write_diagnostics(text, module, more);
  text.end_object();
  text.finish();
}

std::string explain_trap_json(const Module& module, const analysis::TrapReport& report,
                              const std::optional<analysis::Launch>& launch, std::span<const Diagnostic> more) {
  return collected([&](const Sink& sink) { explain_trap_json(sink, module, report, launch, more); });
}

}  // namespace ptxscope::report
