#include <algorithm>
#include <nlohmann/json.hpp>

#include "isa/releases.h"
#include "report/explain_instruction.h"
#include "report/explain_operands.h"
#include "report/json_common.h"
#include "report/releases.h"
#include "report/target_json.h"

namespace ptxscope::report {

namespace {

using isa::Clause;
using isa::ClauseKind;

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : json_string(text); }

Json by_target_json(const isa::Requirement& requirement) {
  Json out = Json::object();
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (requirement.lowest[i] != isa::never)
      out[std::string(isa::targets()[i].name)] =
          isa::to_string(std::max(requirement.lowest[i], isa::targets()[i].lowest));
  return out;
}

std::string_view name_of(ClauseKind kind) {
  switch (kind) {
    case ClauseKind::needs:
      return "needs";
    case ClauseKind::until:
      return "removed";
    case ClauseKind::advises:
      return "advice";
    case ClauseKind::tags:
      return "feature";
    case ClauseKind::synonym:
      return "synonym";
  }
  return "";
}

Json clause_json(const Clause& clause, std::string_view when) {
  Json out;
  out["kind"] = name_of(clause.kind);
  out["when"] = text_or_null(when);
  out["condition"] = clause.when_text;
  out["section"] = text_or_null(clause.section);
  switch (clause.kind) {
    case ClauseKind::needs:
    case ClauseKind::until:
      out["text"] = isa::describe_needs(clause.requirement);
      out["by_target"] = by_target_json(clause.requirement);
      out[clause.kind == ClauseKind::needs ? "feature" : "remedy"] =
          clause.kind == ClauseKind::needs ? Json(clause.feature()) : text_or_null(clause.text);
      break;
    case ClauseKind::advises: {
      out["text"] = text_or_null(clause.text);
      out["targets"] = Json::array();
      for (std::size_t i = 0; i < isa::targets().size(); ++i)
        if (clause.targets.has(static_cast<isa::TargetIndex>(i))) out["targets"].push_back(isa::targets()[i].name);
      break;
    }
    case ClauseKind::tags:
      out["text"] = clause.text;
      break;
    case ClauseKind::synonym:
      out["word"] = clause.text;
      out["replacement"] = clause.text2;
      break;
  }
  return out;
}

Json clauses_json(std::span<const Clause* const> holds, std::span<const isa::ConditionalClause> other) {
  Json out = Json::array();
  for (const Clause* clause : holds) out.push_back(clause_json(*clause, ""));
  for (const isa::ConditionalClause& one : other) out.push_back(clause_json(*one.clause, one.when));
  return out;
}

Json row_json(const isa::Instruction& row) {
  Json out;
  out["category"] = isa::spelling(row.category);
  out["section"] = text_or_null(row.section);
  out["operands"] = Json::array();
  for (std::size_t i = 0; i < row.roles.size(); ++i) {
    Json operand;
    operand["role"] = spelling(row.roles[i]);
    operand["type"] = text_or_null(describe(row.operand_class(i)));
    operand["optional"] = i >= row.minimum_operands;
    out["operands"].push_back(operand);
  }
  out["effects"] = text_or_null(effects_text(row));
  return out;
}

Json form_json(const isa::Form& form) {
  const isa::Syntax syntax = isa::syntax_of(form);
  Json out;
  std::string text(form.head);
  for (const std::string& piece : syntax.pieces) text += piece;
  out["syntax"] = text;
  out["where"] = Json::object();
  for (const auto& [name, words] : syntax.sets) out["where"][std::string(name)] = words;
  const auto examples = isa::examples_of(form, 1);
  out["example"] = examples.empty() ? Json(nullptr) : Json(examples.front().text);
  return out;
}

void opcode_json(Json& out, std::string_view word) {
  const isa::OpcodeDescription opcode = isa::describe_opcode(word);
  out["kind"] = "instruction";
  out["complete"] = opcode.is_complete;
  if (opcode.meant.row != nullptr) out.update(row_json(*opcode.meant.row));
  out["unknown"] = Json::array();
  for (const std::string_view unknown : opcode.unknown_words) out["unknown"].push_back(json_string(unknown));
  const bool exists = opcode.unknown_words.empty() && !opcode.no_form_fits;
  out["exists"] = exists;
  out["requires"] = exists ? Json(isa::describe_total(opcode.needed)) : Json(nullptr);
  out["by_target"] = exists ? by_target_json(opcode.needed) : Json(nullptr);
  out["lines"] = clauses_json(opcode.holds, opcode.other);
  out["forms"] = Json::array();
  for (const isa::Form* form : opcode.meant.forms) out["forms"].push_back(form_json(*form));
  out["variants"] = Json::array();
  for (const isa::Variant& variant : opcode.variants) {
    Json entry;
    entry["name"] = variant.name;
    entry.update(row_json(*variant.row));
    out["variants"].push_back(entry);
  }
}

void directive_json(Json& out, std::string_view word) {
  out["kind"] = "directive";
  for (const isa::Directive& directive : isa::directives())
    if (directive.name == word) out["section"] = text_or_null(directive.section);
  const isa::Requirement needed = isa::requirement_of({word, {}, {}});
  out["requires"] = isa::describe_total(needed);
  out["by_target"] = by_target_json(needed);
  const auto always = isa::matching_clauses({word, {}, {}});
  std::vector<isa::ConditionalClause> other;
  for (const Clause& clause : isa::clauses())
    if (clause.head == word && std::ranges::find(always, &clause) == always.end())
      other.push_back({&clause, isa::describe_condition(clause.when)});
  out["lines"] = clauses_json(always, other);
}

void special_register_json(Json& out, std::string_view word) {
  const isa::SpecialRegister* found = isa::find_special_register(word);
  const isa::Requirement needed = isa::requirement_of({found->name, {}, {}});
  out["kind"] = "special register";
  out["section"] = text_or_null(found->section);
  out["bits"] = found->bits;
  out["components"] = found->components;
  out["requires"] = isa::describe_total(needed);
  out["by_target"] = by_target_json(needed);
}

Json place_json(const Clause& clause) {
  Json out;
  std::string name(clause.head);
  for (const isa::Term& term : clause.row) name += "." + std::string(term.alternatives.front());
  out["instruction"] = name;
  out.update(clause_json(clause, isa::describe_condition(clause.when)));
  return out;
}

Json meaning_json(const WordMeaning& meaning) {
  Json out;
  out["name"] = json_string(meaning.word);
  switch (meaning.kind) {
    case WordKind::opcode:
      opcode_json(out, meaning.word);
      break;
    case WordKind::directive:
      directive_json(out, meaning.word);
      break;
    case WordKind::special_register:
      special_register_json(out, meaning.word);
      break;
    case WordKind::feature:
      out["kind"] = "feature";
      for (const isa::Feature& feature : isa::features())
        if (feature.tag == meaning.word) out["description"] = feature.description;
      out["lines"] = Json::array();
      for (const Clause* clause : isa::clauses_with_tag(meaning.word)) {
        const isa::NeedRange range = isa::need_at(*clause);
        Json line = place_json(*clause);
        line["requires"] = isa::describe_total(range.lowest);
        line["by_target"] = by_target_json(range.lowest);
        line["may_need_more"] = !range.same_for_all;
        out["lines"].push_back(std::move(line));
      }
      break;
    case WordKind::modifier:
      out["kind"] = "modifier";
      out["instructions"] = isa::mnemonics_with(meaning.word);
      out["lines"] = Json::array();
      for (const Clause* clause : isa::clauses_naming(meaning.word)) out["lines"].push_back(place_json(*clause));
      break;
    case WordKind::option:
      out["kind"] = "option";
      out["lines"] = Json::array();
      for (const Clause* clause : isa::options_named(meaning.word)) out["lines"].push_back(place_json(*clause));
      break;
    case WordKind::target:
      out.update(target_json(isa::targets()[*isa::find_target(meaning.word)]));
      break;
    case WordKind::version: {
      const isa::Version version = *isa::parse_version(meaning.word);
      const isa::Release* release = isa::first_release_with(version);
      out["kind"] = "version";
      out["cuda"] = release == nullptr ? Json(nullptr) : Json(isa::to_string(release->cuda));
      out["driver"] = release == nullptr ? Json(nullptr) : Json(isa::describe_driver(*release));
      out["new_targets"] = targets_new_in(version);
      out["lines"] = Json::array();
      for (const Clause* clause : isa::clauses_new_in(version)) out["lines"].push_back(place_json(*clause));
      break;
    }
  }
  return out;
}

}  // namespace

std::string explain_json(std::span<const WordMeaning> meanings) {
  Json out;
  out["schema"] = "ptxscope.explain/1";
  out["file"] = nullptr;
  out["items"] = Json::array();
  for (const WordMeaning& meaning : meanings) out["items"].push_back(meaning_json(meaning));
  return dump(out);
}

}  // namespace ptxscope::report
