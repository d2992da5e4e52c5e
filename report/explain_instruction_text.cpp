#include <algorithm>
#include <array>

#include "isa/releases.h"
#include "report/columns.h"
#include "report/explain_instruction.h"
#include "report/explain_operands.h"
#include "report/releases.h"
#include "report/targets.h"

namespace ptxscope::report {

namespace {

using isa::Clause;
using isa::ClauseKind;

constexpr std::size_t indent = 13;  // of what stands behind a name such as "  operands"

// "  needs      …", the text wrapped under itself.
std::string entry(std::string_view name, std::string_view text, const TextStyle& style) {
  std::string out = "  " + std::string(name);
  out.append(indent - std::min(indent - 1, out.size()), ' ');
  return out + wrapped(text, indent, indent, style) + "\n";
}

std::string sections_of(std::string_view sections) {
  if (sections.empty()) return "";
  return ", PTX ISA manual " + std::string(sections);
}

// Lines under one name: the name stands at the first only.
class Entries {
 public:
  Entries(std::string_view name, const ExplainStyle& style, std::size_t most)
      : name_(name), style_(style), most_(most) {}
  void add(std::string_view text) {
    ++count_;
    if (!style_.all && count_ > most_) return;
    out_ += entry(count_ == 1 ? name_ : "", text, style_.text);
  }
  [[nodiscard]] std::string text() const {
    if (style_.all || count_ <= most_) return out_;
    return out_ + entry("", "… and " + std::to_string(count_ - most_) + " more: --all", style_.text);
  }

 private:
  std::string_view name_;
  const ExplainStyle& style_;
  std::size_t most_;
  std::size_t count_ = 0;
  std::string out_;
};

// "m64n8k16 m64n16k16 m64n24k16 … m64n256k16 (32)".
std::string set_text(std::string_view name, std::span<const std::string_view> words, bool all) {
  constexpr std::size_t most = 12;
  std::string list = "<" + std::string(name) + ">";
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (!all && words.size() > most && i >= 3 && i + 1 < words.size()) continue;
    if (!all && words.size() > most && i + 1 == words.size()) list += " …";
    list += " " + std::string(words[i]);
  }
  return !all && words.size() > most ? list + " (" + std::to_string(words.size()) + " in all)" : list;
}

// `known`: sets that were explained already.
std::string syntax_text(const isa::Form& form, std::vector<std::string_view>& known, const ExplainStyle& style) {
  const isa::Syntax syntax = isa::syntax_of(form);
  const std::size_t width = std::max<std::size_t>(style.text.width, 40);
  std::string out(indent, ' ');
  out += form.head;
  std::size_t column = indent + form.head.size();
  for (const std::string& piece : syntax.pieces) {
    if (column + piece.size() > width && column > indent + 4) {
      out += "\n" + std::string(indent + 4, ' ');
      column = indent + 4;
    }
    out += piece;
    column += piece.size();
  }
  out += '\n';
  for (const auto& [name, words] : syntax.sets) {
    if (std::ranges::find(known, name) != known.end()) continue;
    known.push_back(name);
    out += std::string(indent + 4, ' ') +
           wrapped(set_text(name, words, style.all), indent + 4, indent + 6, style.text) + "\n";
  }
  const auto examples = isa::examples_of(form, 1);
  if (!examples.empty()) {
    std::string text = examples.front().text;
    const std::size_t most = width - indent - 4;
    if (text.size() > most) text = text.substr(0, most - 1) + "…";
    out += std::string(indent + 4, ' ') + paint(style.text, Ink::dim, text) + "\n";
  }
  return out;
}

std::string by_target_text(const isa::Requirement& needed, const ExplainStyle& style) {
  constexpr std::size_t most = 8;
  std::size_t lines = 0;
  std::string out;
  for (const isa::Version version : isa::versions()) {
    std::string names;
    for (std::size_t i = 0; i < isa::targets().size(); ++i)
      if (needed.lowest[i] == version) names += (names.empty() ? "" : ", ") + std::string(isa::targets()[i].name);
    if (names.empty()) continue;
    ++lines;
    out += std::string(indent, ' ') + isa::to_string(version) + "  " +
           wrapped(names, indent + 5, indent + 5, style.text) + "\n";
  }
  if (lines > most && !style.all)
    return entry("by target", "as above, or the target's own lowest version (--all lists them)", style.text);
  return out.empty() ? out : entry("by target", "lowest PTX ISA version on each", style.text) + out;
}

std::string clause_sentence(const Clause& clause, std::string_view when) {
  std::string text;
  switch (clause.kind) {
    case ClauseKind::needs:
      if (isa::is_never(clause)) return std::string(clause.text) + (when.empty() ? "" : " (" + std::string(when) + ")");
      text = isa::describe_needs(clause.requirement);
      if (!clause.text.empty()) text += " (" + std::string(clause.text) + ")";
      break;
    case ClauseKind::until:
      text = "up to " + isa::describe_needs(clause.requirement);
      if (!clause.text.empty()) text += ": " + std::string(clause.text);
      break;
    case ClauseKind::advises:
      text = "ptxas advises against it on " + isa::describe(clause.targets) + ": " + std::string(clause.text);
      break;
    case ClauseKind::tags:
      text = std::string(clause.text);
      break;
    case ClauseKind::synonym:
      text = "." + std::string(clause.text) +
             (clause.text2.empty() ? " may be left out" : " may be written ." + std::string(clause.text2));
      break;
  }
  if (!when.empty()) text = std::string(when) + ": " + text;
  return text;
}

// What a list of lines is about. Forms that are never legal stand apart from needs, though the table has both as needs.
enum class Topic : std::uint8_t { needs, never, until, advises, synonym };

bool is_about(const Clause& clause, Topic topic) {
  switch (topic) {
    case Topic::needs:
      return clause.kind == ClauseKind::needs && !isa::is_never(clause);
    case Topic::never:
      return isa::is_never(clause);
    case Topic::until:
      return clause.kind == ClauseKind::until;
    case Topic::advises:
      return clause.kind == ClauseKind::advises;
    case Topic::synonym:
      return clause.kind == ClauseKind::synonym;
  }
  return false;
}

void add_clauses(std::string& out, std::string_view name, Topic topic, std::span<const Clause* const> holds,
                 std::span<const isa::ConditionalClause> other, const ExplainStyle& style) {
  constexpr std::size_t most = 12;
  Entries entries(name, style, most);
  for (const Clause* clause : holds)
    if (is_about(*clause, topic)) entries.add(clause_sentence(*clause, isa::describe_condition(clause->when)));
  for (const isa::ConditionalClause& one : other)
    if (is_about(*one.clause, topic)) entries.add(clause_sentence(*one.clause, one.when));
  out += entries.text();
}

std::string tags_text(std::span<const Clause* const> holds, const ExplainStyle& style) {
  std::string out;
  for (const isa::Feature& feature : isa::features()) {
    const auto tagged = isa::clauses_with_tag(feature.tag);
    const bool has = std::ranges::any_of(
        holds, [&](const Clause* clause) { return std::ranges::find(tagged, clause) != tagged.end(); });
    if (has)
      out += entry(out.empty() ? "feature" : "", std::string(feature.tag) + ": " + std::string(feature.description),
                   style.text);
  }
  return out;
}

std::string forms_text(std::string_view title, std::span<const isa::Form* const> forms, const ExplainStyle& style) {
  constexpr std::size_t most = 3;
  if (forms.empty()) return "";
  std::string out = "  " + std::string(title) + "\n";
  std::vector<std::string_view> sets;
  std::vector<std::string_view> seen;  // forms that differ in their operands alone
  std::size_t left_out = 0;
  for (const isa::Form* form : forms) {
    if (std::ranges::find(seen, form->words) != seen.end()) continue;
    seen.push_back(form->words);
    if (style.all || seen.size() <= most) out += syntax_text(*form, sets, style);
    else ++left_out;
  }
  return left_out == 0 ? out : out + entry("", "… and " + std::to_string(left_out) + " more: --all", style.text);
}

std::string needs_text(const isa::OpcodeDescription& opcode, const ExplainStyle& style) {
  std::string out =
      entry("needs", (opcode.needs_vary ? "at least " : "") + isa::describe_total(opcode.needed), style.text);
  std::vector<const Clause*> because;
  for (const Clause* clause : opcode.holds)
    if (is_about(*clause, Topic::needs)) because.push_back(clause);
  add_clauses(out, "because", Topic::needs, because, {}, style);
  add_clauses(out, "more", Topic::needs, {}, opcode.other, style);
  add_clauses(out, "illegal", Topic::never, opcode.holds, opcode.other, style);
  if (opcode.is_complete) out += by_target_text(opcode.needed, style);
  add_clauses(out, "removed", Topic::until, opcode.holds, opcode.other, style);
  add_clauses(out, "advice", Topic::advises, opcode.holds, opcode.other, style);
  add_clauses(out, "older way", Topic::synonym, opcode.holds, opcode.other, style);
  return out + tags_text(opcode.holds, style);
}

// Why there is no such instruction; what it would need is not known then.
std::string refusal_text(const isa::OpcodeDescription& opcode, const ExplainStyle& style) {
  std::string out;
  for (const std::string_view unknown : opcode.unknown_words)
    out += entry("unknown",
                 "." + printable(unknown) + " is not a word of " + std::string(opcode.mnemonic) + " that the table has",
                 style.text);
  if (!opcode.no_form_fits || !opcode.unknown_words.empty()) return out;
  std::string words;
  for (const std::string_view word : opcode.words) words += " ." + std::string(word);
  return out +
         entry("unknown", "no form of " + std::string(opcode.mnemonic) + " has" + words + " together", style.text);
}

std::string opcode_text(std::string_view word, const ExplainStyle& style) {
  const isa::OpcodeDescription opcode = isa::describe_opcode(word);
  std::string out = paint(style.text, Ink::bold, printable(word)) + "  instruction";
  const isa::Instruction* row = opcode.meant.row;
  if (row != nullptr) out += ", " + std::string(isa::spelling(row->category)) + sections_of(row->section);
  out += '\n';
  if (const std::string refusal = refusal_text(opcode, style); !refusal.empty())
    return out + refusal + forms_text("nearest", opcode.nearest, style);
  if (row != nullptr) {
    out += entry("operands", operands_text(*row), style.text);
    if (const std::string effects = effects_text(*row); !effects.empty()) out += entry("effects", effects, style.text);
    out += needs_text(opcode, style);
  }
  out += forms_text(opcode.is_complete ? "as in" : "syntax", opcode.meant.forms, style);
  Entries variants("variants", style, 16);
  for (const isa::Variant& variant : opcode.variants)
    variants.add(variant.name + "  " + std::string(isa::spelling(variant.row->category)) +
                 sections_of(variant.row->section));
  return out + variants.text();
}

std::string directive_text(std::string_view word, const ExplainStyle& style) {
  std::string_view section;
  for (const isa::Directive& directive : isa::directives())
    if (directive.name == word) section = directive.section;
  std::string out = paint(style.text, Ink::bold, word);
  const isa::Requirement needed = isa::requirement_of({word, {}, {}});
  const bool is_legal = !needed.targets().empty();
  out += (is_legal ? "  directive" : "  not of declarations") + sections_of(section) + "\n";
  const auto always = isa::matching_clauses({word, {}, {}});
  std::vector<isa::ConditionalClause> other;
  for (const Clause& clause : isa::clauses())
    if (clause.head == word && std::ranges::find(always, &clause) == always.end())
      other.push_back({&clause, clause.kind == ClauseKind::needs && !clause.text.empty()
                                    ? ""
                                    : isa::describe_condition(clause.when)});
  if (is_legal) out += entry("needs", isa::describe_total(needed), style.text);
  add_clauses(out, "more", Topic::needs, {}, other, style);
  add_clauses(out, is_legal ? "illegal" : "because", Topic::never, always, other, style);
  add_clauses(out, "removed", Topic::until, always, other, style);
  add_clauses(out, "advice", Topic::advises, always, other, style);
  return out + tags_text(always, style);
}

std::string special_register_text(std::string_view word, const ExplainStyle& style) {
  const isa::SpecialRegister* found = isa::find_special_register(word);
  std::string out = paint(style.text, Ink::bold, word) + "  special register" + sections_of(found->section) + "\n";
  std::string type = found->bits == 1 ? "a predicate" : std::to_string(found->bits) + " bits";
  if (found->components > 1)
    type = "a vector, .x .y .z" + std::string(found->components > 3 ? " .w" : "") + " of " + type;
  out += entry("type", type, style.text);
  return out + entry("needs", isa::describe_total(isa::requirement_of({found->name, {}, {}})), style.text);
}

// "cp.async.bulk.tensor with .multicast::cluster"
std::string place_of(const Clause& clause) {
  std::string name(clause.head);
  for (const isa::Term& term : clause.row) name += "." + std::string(term.alternatives.front());
  const std::string when = isa::describe_condition(clause.when);
  return when.empty() ? name : name + " " + when;
}

std::string feature_text(std::string_view word, const ExplainStyle& style) {
  std::string out;
  for (const isa::Feature& feature : isa::features())
    if (feature.tag == word)
      out = paint(style.text, Ink::bold, word) + "  feature: " + std::string(feature.description) + "\n";
  Entries entries("needs", style, 20);
  bool some_need_more = false;
  for (const Clause* clause : isa::clauses_with_tag(word)) {
    const isa::NeedRange range = isa::need_at(*clause);
    some_need_more = some_need_more || !range.same_for_all;
    entries.add(place_of(*clause) + ": " + (range.same_for_all ? "" : "at least ") + isa::describe_total(range.lowest));
  }
  out += entries.text();
  if (some_need_more)
    out += entry("at least", "other words or operands beside it need more: ptxscope explain INSTRUCTION", style.text);
  return out;
}

std::string option_text(std::string_view word, const ExplainStyle& style) {
  std::string out;
  for (const Clause* clause : isa::options_named(word)) {
    if (!out.empty()) out += '\n';
    out += paint(style.text, Ink::bold, word) + "  option of " + std::string(clause->head) +
           sections_of(clause->section) + "\n" + entry("needs", isa::describe_needs(clause->requirement), style.text);
  }
  return out;
}

std::string modifier_text(std::string_view word, const ExplainStyle& style) {
  std::string out = paint(style.text, Ink::bold, "." + std::string(word)) + "  modifier\n";
  std::string list;
  for (const std::string_view mnemonic : isa::mnemonics_with(word))
    list += (list.empty() ? "" : ", ") + std::string(mnemonic);
  if (!list.empty()) out += entry("of", list, style.text);
  Entries entries("needs", style, 12);
  for (const Clause* clause : isa::clauses_naming(word))
    if (is_about(*clause, Topic::needs))
      entries.add(place_of(*clause) + ": " + isa::describe_needs(clause->requirement));
  return out + entries.text();
}

std::string version_text(std::string_view word, const ExplainStyle& style) {
  const isa::Version version = *isa::parse_version(word);
  std::string out = paint(style.text, Ink::bold, "PTX ISA " + isa::to_string(version)) + "  version\n";
  if (const isa::Release* release = isa::first_release_with(version)) {
    out += entry("since", isa::name_of(*release), style.text);
    out += entry("driver", isa::describe_driver(*release), style.text);
  }
  std::string targets;
  for (const std::string_view name : targets_new_in(version))
    targets += (targets.empty() ? "" : ", ") + std::string(name);
  if (!targets.empty()) out += entry("targets", "new: " + targets, style.text);
  Entries entries("new", style, 30);
  std::vector<std::string> seen;
  for (const Clause* clause : isa::clauses_new_in(version)) {
    const std::string name = clause->feature();
    if (std::ranges::find(seen, name) != seen.end()) continue;
    seen.push_back(name);
    entries.add(name);
  }
  return out + entries.text();
}

}  // namespace

std::string explain_text(const WordMeaning& meaning, const ExplainStyle& style) {
  switch (meaning.kind) {
    case WordKind::opcode:
      return opcode_text(meaning.word, style);
    case WordKind::directive:
      return directive_text(meaning.word, style);
    case WordKind::special_register:
      return special_register_text(meaning.word, style);
    case WordKind::feature:
      return feature_text(meaning.word, style);
    case WordKind::modifier:
      return modifier_text(meaning.word, style);
    case WordKind::option:
      return option_text(meaning.word, style);
    case WordKind::target: {
      const TargetOrDevice wanted[] = {*isa::find_target(meaning.word)};
      return targets_text(wanted, style.text);
    }
    case WordKind::version:
      return version_text(meaning.word, style);
  }
  return {};
}

}  // namespace ptxscope::report
