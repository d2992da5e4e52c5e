#include "report/stats_safety.h"

#include <algorithm>
#include <map>
#include <vector>

#include "report/cfg_parts.h"
#include "report/expression.h"
#include "report/number_table.h"
#include "report/one_line.h"
#include "report/stats_parts.h"

namespace ptxscope::report {

using analysis::BranchPurpose;
using analysis::Check;
using analysis::ParameterInfo;
using analysis::ParameterRole;
using analysis::SafetyBranches;
using Kind = BranchPurpose::Kind;

std::string_view purpose_word(Kind kind) {
  switch (kind) {
    case Kind::check:
      return "check";
    case Kind::to_failure:
      return "to-failure";
    case Kind::remains:
      return "remains";
  }
  return "remains";
}

namespace {

std::string enumerated(const std::vector<std::string>& words) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += (i == 0 ? "" : i + 1 == words.size() ? " and " : ", ") + words[i];
  return text;
}

// Labels of the parameters behind it that have that role, fields of aggregates by themselves.
std::vector<std::string> labels_where(const SafetyBranches& safety, const BranchPurpose& purpose, auto wanted) {
  std::vector<std::string> found;
  const auto add = [&](std::string label) {
    if (std::ranges::find(found, label) == found.end()) found.push_back(std::move(label));
  };
  for (const ParameterInfo& param : safety.params) {
    if (std::ranges::find(purpose.params, param.index) == purpose.params.end()) continue;
    for (const ParameterInfo::Field& field : param.fields)
      if (wanted(field.role)) add(printable(field.label, 80));
    if (param.fields.empty() && wanted(param.role)) add(printable(param.label, 80));
  }
  return found;
}

// A slice is called by its pointer where its length has a name of its own.
std::vector<std::string> slices_of(const SafetyBranches& safety, const BranchPurpose& purpose) {
  std::vector<std::string> slices;
  for (std::string label :
       labels_where(safety, purpose, [](ParameterRole role) { return role == ParameterRole::length; })) {
    if (label.ends_with(".len")) {
      label.resize(label.size() - 4);
    } else {
      for (const ParameterInfo& length : safety.params) {
        if (!length.slice || length.role != ParameterRole::length || printable(length.label, 80) != label) continue;
        for (const ParameterInfo& pointer : safety.params)
          if (pointer.slice == length.slice && pointer.role == ParameterRole::pointer)
            label = printable(pointer.label, 80);
      }
    }
    slices.push_back(std::move(label));
  }
  return slices;
}

std::string check_words(const SafetyBranches& safety, const BranchPurpose& purpose) {
  constexpr std::size_t most_labels = 4;
  const auto of = [](std::string what, const std::vector<std::string>& labels) {
    return labels.empty() || labels.size() > most_labels ? what : what + " of " + enumerated(labels);
  };
  switch (purpose.check) {
    case Check::bounds: {
      const std::vector<std::string> slices = slices_of(safety, purpose);
      if (slices.empty() || slices.size() > most_labels) return "bounds check";
      return (slices.size() == 1 ? "bounds check of slice " : "bounds check of slices ") + enumerated(slices);
    }
    case Check::null:
      return of("null check", labels_where(safety, purpose, [](ParameterRole) { return true; }));
    case Check::divide_by_zero:
      return "check for division by zero";
    case Check::overflow:
      return "overflow check";
    case Check::alignment:
      return of("alignment check",
                labels_where(safety, purpose, [](ParameterRole role) { return role == ParameterRole::pointer; }));
    case Check::assertion:
      return "assertion";
    case Check::unconditional:
    case Check::other:
    case Check::unknown:
      break;
  }
  return "other check";
}

std::string condition_words(const Module& module, const SafetyBranches& safety, const BranchPurpose& purpose) {
  const Labels labels(safety.params);
  const Condition condition = describe_condition(module, *safety.pool, purpose.condition, labels);
  return printable(condition.text, 300) + (condition.with_nan ? ", NaN included" : "");
}

const analysis::Trap* trap_of(const SafetyBranches& safety, const BranchPurpose& purpose) {
  const auto found = std::ranges::find(safety.traps, purpose.trap, &analysis::Trap::id);
  return found == safety.traps.end() ? nullptr : &*found;
}

std::string kind_words(analysis::TrapKind kind) {
  switch (kind) {
    case analysis::TrapKind::noreturn_call:
      return "call that does not return";
    case analysis::TrapKind::falls_off_end:
      return "end of the text";
    case analysis::TrapKind::error_code:
      return "error code";
    case analysis::TrapKind::trap:
    case analysis::TrapKind::assert_call:
    case analysis::TrapKind::exit:
      break;
  }
  return std::string(spelling(kind));
}

std::string remains_words(const Module& module, const SafetyBranches& safety, const BranchPurpose& purpose) {
  std::string text;
  switch (purpose.target) {
    case BranchPurpose::Target::returns:
      text = "returns";
      break;
    case BranchPurpose::Target::loops:
      text = "goes round a loop";
      break;
    case BranchPurpose::Target::block:
      text = "branches";
      break;
  }
  if (!purpose.is_conditional) return text + " always";
  if (purpose.condition == analysis::ExprId{}) return text;
  text += " when " + condition_words(module, safety, purpose);
  // An index that is compared with a length, and the thread goes home: Rust's `get`, CUDA's `if (i < n)`.
  const std::vector<std::string> slices = slices_of(safety, purpose);
  if (slices.size() == 1 && purpose.target == BranchPurpose::Target::returns)
    text = "bounds of slice " + slices[0] + " without a trap: " + text;
  return text;
}

}  // namespace

std::string purpose_text(const Module& module, const SafetyBranches& safety, const BranchPurpose& purpose) {
  if (purpose.kind == Kind::remains) return remains_words(module, safety, purpose);
  std::string text = check_words(safety, purpose);
  const analysis::Trap* const trap = trap_of(safety, purpose);
  const std::string what = trap == nullptr ? "failure" : kind_words(trap->kind);
  const std::string line = trap == nullptr ? "" : ", line " + std::to_string(module.line_of_statement(trap->statement));
  if (purpose.kind == Kind::to_failure) return text + ": the way to its " + what + line;
  text += ": " + what + line + ", when " + condition_words(module, safety, purpose);
  return text;
}

std::string safety_text(const Module& module, const SafetyBranches& safety, const TextStyle& style) {
  std::size_t branches = 0;
  std::size_t remain = 0;
  std::vector<std::pair<std::string, std::size_t>> checks;  // in the order of the text
  for (const BranchPurpose& one : safety.branches) {
    if (!one.function.empty() || !one.is_branch) continue;
    ++branches;
    if (one.kind == Kind::remains) {
      ++remain;
      continue;
    }
    const std::string words = check_words(safety, one);
    const auto found = std::ranges::find(checks, words, &std::pair<std::string, std::size_t>::first);
    if (found == checks.end()) checks.emplace_back(words, 1);
    else ++found->second;
  }
  const Function& function = module.functions()[safety.function];
  std::string out =
      "branches of " + printable(module.name(function.name), 200) + ": " + counted_or_none(branches, "branch");
  if (branches != 1 && out.ends_with("branchs")) out.replace(out.size() - 1, 1, "es");
  for (const auto& [words, count] : checks)
    out += ", " + std::to_string(count) + (words == "other check" ? " for other checks" : " for the " + words);
  if (branches != 0) out += ", " + std::to_string(remain) + (remain == 1 ? " remains" : " remain");
  out += "; ";
  out += safety.cost.instructions == 0
             ? "no instruction is there only to decide failures"
             : std::to_string(safety.cost.instructions) + " of " + std::to_string(safety.cost.of_instructions) +
                   " instructions are there only to decide failures";
  out = paint(style, Ink::bold, out) + "\n";
  NumberTable table(style);
  for (const BranchPurpose& one : safety.branches) {
    const std::uint32_t line = module.line_of_statement(one.statement);
    NumberTable::Cell words{purpose_text(module, safety, one),
                            one.kind == Kind::remains ? std::nullopt : std::optional(Ink::warning), true};
    if (!one.function.empty()) words.text += " (in " + shown_name(one.function, 100) + ")";
    table.add({{"  line", Ink::dim},
               {std::to_string(line)},
               {one_line(module.statement(one.statement), 60), Ink::dim, true},
               std::move(words)});
  }
  return out + table.text();
}

}  // namespace ptxscope::report
