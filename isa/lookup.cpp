#include "isa/lookup.h"

#include <algorithm>
#include <bit>
#include <map>
#include <set>

#include "isa/types.h"
#include "isa/words.h"

namespace ptxscope::isa {

namespace {

constexpr Feature feature_table[] = {
#define PTX_FEATURE(tag, description) Feature{tag, description},
#include "isa/features.def"
};

constexpr Directive directive_table[] = {
#define PTX_DIRECTIVE(name, section) Directive{name, section},
#include "isa/directives.def"
};

constexpr std::string_view special_register_table[] = {
#define PTX_SPECIAL_REGISTER(name, components, bits, section, needs) name,
#include "isa/special_registers.def"
};

struct NamedSet {
  std::string_view name, words;
};
constexpr NamedSet set_table[] = {
#define PTX_SET(name, words) NamedSet{name, words},
#include "isa/instructions/sets.def"
};

bool has_matching(std::span<const std::string_view> words, std::string_view pattern) {
  return std::ranges::any_of(words, [&](std::string_view word) { return names_word(pattern, word); });
}

// Whether each of `count` left nodes can have a right node of its own (augmenting paths; a form has few slots).
bool can_pair(std::size_t count, std::size_t others, auto&& fits) {
  std::vector<std::size_t> partner(others, count);
  for (std::size_t start = 0; start < count; ++start) {
    std::vector<bool> tried(others, false);
    const auto place = [&](auto&& self, std::size_t left) -> bool {
      for (std::size_t right = 0; right < others; ++right) {
        if (tried[right] || !fits(left, right)) continue;
        tried[right] = true;
        if (partner[right] == count || self(self, partner[right])) {
          partner[right] = left;
          return true;
        }
      }
      return false;
    };
    if (!place(place, start)) return false;
  }
  return true;
}

bool slot_has(const FormSlot& slot, std::string_view word) {
  return std::ranges::find(slot.words, word) != slot.words.end();
}

// Whether the words may all stand in this form, each in its own place.
bool takes(const Form& form, std::span<const std::string_view> words) {
  return words.size() <= form.slots.size() &&
         can_pair(words.size(), form.slots.size(),
                  [&](std::size_t word, std::size_t slot) { return slot_has(form.slots[slot], words[word]); });
}

// Whether nothing has to be added. Together with takes() the words spell the form out.
bool is_filled(const Form& form, std::span<const std::string_view> words) {
  std::vector<const FormSlot*> needed;
  for (const FormSlot& slot : form.slots)
    if (!slot.optional) needed.push_back(&slot);
  return needed.size() <= words.size() &&
         can_pair(needed.size(), words.size(),
                  [&](std::size_t slot, std::size_t word) { return slot_has(*needed[slot], words[word]); });
}

bool needs_operands(const Term& term) { return term.kind != Term::Kind::word && term.kind != Term::Kind::type; }

std::string variant_name(const Instruction& row) {
  std::string name(row.mnemonic);
  for (const std::string_view word : split(row.modifiers, ' ')) name += "." + std::string(word);
  return name;
}

bool row_fits(const Instruction& row, std::span<const std::string_view> words) {
  const auto own = split(row.modifiers, ' ');
  return std::ranges::all_of(own, [&](std::string_view pattern) { return has_matching(words, pattern); });
}

// Whether the row has all the words and its own beside them.
bool row_continues(const Instruction& row, std::span<const std::string_view> words) {
  const auto own = split(row.modifiers, ' ');
  return own.size() > words.size() && std::ranges::all_of(words, [&](std::string_view word) {
           return std::ranges::any_of(own, [&](std::string_view pattern) { return names_word(pattern, word); });
         });
}

std::string dotted(std::string_view pattern) {
  if (pattern.ends_with('*')) return "." + std::string(pattern.substr(0, pattern.size() - 1)) + "…";
  return "." + std::string(pattern);
}

std::string alternatives_of(const Term& term, bool dots) {
  std::string text;
  for (const std::string_view one : term.alternatives)
    text += (text.empty() ? "" : " or ") + (dots ? dotted(one) : std::string(one));
  return text;
}

std::string describe_shape(std::string_view shape) {
  static const std::map<std::string_view, std::string_view> plain = {
      {"reg", "a register"},  {"imm", "an immediate"}, {"sink", "_"},      {"vec", "a vector"}, {"pair", "a pair"},
      {"addr", "an address"}, {"tuple", "a tuple"},    {"list", "a list"}, {"name", "a name"},  {"negated", "negated"}};
  if (const auto found = plain.find(shape); found != plain.end()) return std::string(found->second);
  if (shape.starts_with("vec")) return "a vector of " + std::string(shape.substr(3));
  if (shape.starts_with("tuple")) return "a tuple of " + std::string(shape.substr(5));
  return "of type ." + std::string(shape);
}

std::string describe_term(const Term& term) {
  switch (term.kind) {
    case Term::Kind::word:
      return (term.negated ? "without " : "with ") + alternatives_of(term, true);
    case Term::Kind::type: {
      static constexpr std::string_view ordinals[] = {"first", "second", "third", "fourth", "fifth"};
      const std::string_view ordinal = term.index < std::size(ordinals) ? ordinals[term.index] : "last";
      return "with " + std::string(ordinal) + " type " + (term.negated ? "other than " : "") +
             alternatives_of(term, true);
    }
    case Term::Kind::count: {
      const std::string number = std::to_string(term.number);
      const std::string_view more = term.comparison == '>' ? "more than " : term.comparison == '<' ? "fewer than " : "";
      return (term.negated ? "unless there are " : "with ") + std::string(more) + number + " operands";
    }
    case Term::Kind::value:
      return (term.negated ? "unless operand " : "when operand ") + std::to_string(term.index + 1) + " is " +
             alternatives_of(term, false);
    case Term::Kind::shape: {
      std::string text = (term.negated ? "unless operand " : "when operand ") + std::to_string(term.index + 1) + " is ";
      bool first = true;
      for (const std::string_view shape : term.alternatives) {
        text += (first ? "" : " or ") + describe_shape(shape);
        first = false;
      }
      return text;
    }
  }
  return {};
}

bool same_term(const Term& a, const Term& b) {
  return a.kind == b.kind && a.negated == b.negated && a.comparison == b.comparison && a.index == b.index &&
         a.number == b.number && a.alternatives == b.alternatives;
}

// A line of the table where words are known and operands are not, but for what `place` states of them.
struct LineOfWords {
  const Clause* clause;
  Condition words;
  bool by_operands = false;  ///< whether it holds depends on operands too
};

LineOfWords line_of_words(const Clause& clause, const Clause& place) {
  LineOfWords line{&clause, clause.row, false};
  for (const Term& term : clause.when) {
    if (!needs_operands(term)) line.words.push_back(term);
    else if (std::ranges::none_of(place.when, [&](const Term& stated) { return same_term(stated, term); }))
      line.by_operands = true;
  }
  return line;
}

// A word of each kind that the conditions of an instruction tell apart, and those to keep: a form may have thousands of
// spellings.
std::vector<FormSlot> distinct_slots(const Form& form, std::span<const LineOfWords> lines,
                                     std::span<const std::string_view> keep) {
  std::vector<std::string_view> patterns;
  for (const LineOfWords& line : lines)
    for (const Term& term : line.words)
      patterns.insert(patterns.end(), term.alternatives.begin(), term.alternatives.end());
  std::ranges::sort(patterns);
  patterns.erase(std::unique(patterns.begin(), patterns.end()), patterns.end());
  std::vector<FormSlot> slots;
  for (const FormSlot& slot : form.slots) {
    FormSlot kept{{}, slot.optional};
    std::set<std::vector<bool>> seen;
    for (const std::string_view word : slot.words) {
      std::vector<bool> kind{find_type(word).kind != TypeKind::none};
      for (const std::string_view pattern : patterns) kind.push_back(names_word(pattern, word));
      if (seen.insert(std::move(kind)).second || std::ranges::find(keep, word) != keep.end())
        kept.words.push_back(word);
    }
    slots.push_back(std::move(kept));
  }
  return slots;
}

// Calls visit(words) for every choice of words, up to a limit that no form of the table reaches.
void each_spelling(std::span<const FormSlot> slots, auto&& visit) {
  constexpr std::size_t limit = 100000;
  std::vector<std::size_t> choice(slots.size(), 0);
  std::vector<std::string_view> words;
  for (std::size_t count = 0; count < limit; ++count) {
    words.clear();
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (choice[i] < slots[i].words.size()) words.push_back(slots[i].words[choice[i]]);
    visit(std::span<const std::string_view>(words));
    std::size_t i = 0;
    while (i < slots.size() && ++choice[i] == slots[i].words.size() + (slots[i].optional ? 1 : 0)) choice[i++] = 0;
    if (i == slots.size()) return;
  }
}

// What spellings of the forms need that `wanted` holds for; nullopt: none of them is legal.
std::optional<NeedRange> need_of(std::span<const Form* const> some_forms, std::span<const LineOfWords> lines,
                                 std::span<const std::string_view> keep, auto&& wanted) {
  std::optional<NeedRange> range;
  for (const Form* form : some_forms) {
    each_spelling(distinct_slots(*form, lines, keep), [&](std::span<const std::string_view> words) {
      const Spelling spelling{form->head, words, {}};
      if (!wanted(spelling)) return;
      Requirement needed = nothing_needed();
      bool may_need_more = false;
      for (const LineOfWords& line : lines) {
        if (line.clause->kind != ClauseKind::needs || !holds(line.words, spelling)) continue;
        if (!line.by_operands) needed.raise(line.clause->requirement);
        else if (!is_never(*line.clause)) may_need_more = true;
      }
      if (needed.targets().empty()) return;
      if (!range) range = {needed, true};
      range->same_for_all = range->same_for_all && !may_need_more && needed == range->lowest;
      for (std::size_t i = 0; i < target_limit; ++i)
        range->lowest.lowest[i] = std::min(range->lowest.lowest[i], needed.lowest[i]);
    });
  }
  return range;
}

std::vector<LineOfWords> lines_of(std::string_view head, const Clause& place) {
  std::vector<LineOfWords> lines;
  for (const Clause& clause : clauses())
    if (clause.head == head && (clause.kind == ClauseKind::needs || &clause == &place))
      lines.push_back(line_of_words(clause, place));
  return lines;
}

// Behind ".target " in ".target debug", ".attribute(." in ".attribute(.managed)"; before "(" in "mask() in …".
bool writes_option(const Clause& clause, std::string_view word) {
  std::string_view text = clause.text;
  const bool has_head = text.starts_with(clause.head);
  if (has_head) {
    text.remove_prefix(clause.head.size());
    text.remove_prefix(std::min(text.find_first_not_of(" (.\""), text.size()));
  }
  if (!text.starts_with(word)) return false;
  text.remove_prefix(word.size());
  return text.empty() || text.starts_with('(') || (has_head && (text.starts_with(')') || text.starts_with('"')));
}

// Targets by the version they ask for.
std::map<Version, TargetSet> by_version(const Requirement& requirement) {
  std::map<Version, TargetSet> groups;
  for (std::size_t i = 0; i < targets().size(); ++i)
    if (requirement.lowest[i] != never) groups[requirement.lowest[i]].add(static_cast<TargetIndex>(i));
  return groups;
}

std::string version_and_targets(Version version, TargetSet set) {
  const std::string where = set == all_targets() ? "" : describe(set);
  if (version == Version{}) return where.empty() ? "nothing" : where;
  return "PTX ISA " + to_string(version) + (where.empty() ? "" : ", " + where);
}

}  // namespace

OpcodeDescription describe_opcode(std::string_view opcode) {
  OpcodeDescription result;
  auto parts = split(opcode, '.');
  if (parts.empty()) return result;
  const Instruction* const first = find_instruction(parts.front());
  if (first == nullptr) return result;
  result.mnemonic = first->mnemonic;
  result.words.assign(parts.begin() + 1, parts.end());
  const std::span<const std::string_view> words = result.words;

  const auto all_forms = forms_of(result.mnemonic);
  if (!all_forms.empty())
    for (const std::string_view word : words)
      if (!has_word(result.mnemonic, word)) result.unknown_words.push_back(word);

  const auto forms_for = [&](const Instruction& row) {
    std::vector<const Form*> fitting;
    for (const Form* form : all_forms)
      if (form->row_modifiers == row.modifiers && takes(*form, words)) fitting.push_back(form);
    return fitting;
  };
  std::size_t most = 0;
  for (const Instruction& row : instructions()) {
    if (row.mnemonic != result.mnemonic) continue;
    if (row_fits(row, words)) {
      const std::size_t size = split(row.modifiers, ' ').size();
      if (result.meant.row != nullptr && size <= most) continue;
      most = size;
      result.meant = {variant_name(row), &row, forms_for(row)};
    } else if (row_continues(row, words)) {
      result.variants.push_back({variant_name(row), &row, {}});
    }
  }
  result.is_complete =
      std::ranges::any_of(result.meant.forms, [&](const Form* form) { return is_filled(*form, words); });

  std::vector<std::string_view> known;
  for (const std::string_view word : words)
    if (std::ranges::find(result.unknown_words, word) == result.unknown_words.end()) known.push_back(word);
  const auto take = [&](std::span<const std::string_view> some) {
    for (const Form* form : all_forms)
      if (takes(*form, some) && std::ranges::find(result.nearest, form) == result.nearest.end())
        result.nearest.push_back(form);
  };
  take(known);
  result.no_form_fits = !all_forms.empty() && result.nearest.empty();
  if (result.unknown_words.empty()) result.nearest.clear();
  if (result.no_form_fits)
    for (std::size_t i = 0; i < known.size(); ++i) {
      std::vector<std::string_view> fewer = known;
      fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
      take(fewer);
    }

  // "ex2 without .approx" says nothing of "ex2.f16", whose forms all have .approx.
  const auto may_be_added = [&](const Term& term) {
    return std::ranges::any_of(result.meant.forms, [&](const Form* form) {
      return std::ranges::any_of(form->slots, [&](const FormSlot& slot) {
        return std::ranges::any_of(term.alternatives,
                                   [&](std::string_view pattern) { return has_matching(slot.words, pattern); });
      });
    });
  };
  result.needed = nothing_needed();
  const Spelling spelling{result.mnemonic, words, {}};
  for (const Clause& clause : clauses()) {
    if (clause.head != result.mnemonic || !holds(clause.row, spelling)) continue;
    if (clause.kind == ClauseKind::synonym && std::ranges::find(words, clause.text) == words.end()) continue;
    // "mma needs .aligned" says nothing of "mma" as long as words may be added.
    const auto is_open = [&](const Term& term) {
      return !result.is_complete && term.negated && (is_never(clause) || may_be_added(term));
    };
    Condition missing;
    bool excluded = false;
    for (const Term& term : clause.when) {
      if (!needs_operands(term) && holds({term}, spelling) && !is_open(term)) continue;
      if (!needs_operands(term) && !holds({term}, spelling) && (result.is_complete || term.negated)) excluded = true;
      missing.push_back(term);
    }
    if (excluded) continue;
    if (missing.empty()) {
      result.holds.push_back(&clause);
      if (clause.kind == ClauseKind::needs) result.needed.raise(clause.requirement);
    } else {
      result.other.push_back({&clause, describe_condition(missing)});
    }
  }
  if (result.is_complete || result.meant.forms.empty()) return result;
  const auto has_all = [&](const Spelling& longer) {
    return std::ranges::all_of(words, [&](std::string_view word) {
      return std::ranges::count(longer.words, word) >= std::ranges::count(words, word);
    });
  };
  if (const auto range = need_of(result.meant.forms, lines_of(result.mnemonic, {}), words, has_all)) {
    result.needed = range->lowest;
    result.needs_vary = !range->same_for_all;
  }
  return result;
}

Syntax syntax_of(const Form& form) {
  Syntax syntax;
  for (std::string_view part : split(form.words, ' ')) {
    const bool optional = part.ends_with('?');
    if (optional) part.remove_suffix(1);
    const auto choices = split(part, '|');
    std::string piece;
    for (const std::string_view choice : choices) {
      piece += piece.empty() ? "." : "|.";
      if (!choice.starts_with('$')) {
        piece += choice;
        continue;
      }
      const std::string_view name = choice.substr(1);
      piece += "<" + std::string(name) + ">";
      for (const NamedSet& set : set_table) {
        const bool is_new = std::ranges::none_of(syntax.sets, [&](const auto& known) { return known.first == name; });
        if (set.name == name && is_new) syntax.sets.emplace_back(name, split(set.words, '|'));
      }
    }
    if (optional) piece = "{" + piece + "}";
    else if (choices.size() > 1) piece = "(" + piece + ")";
    syntax.pieces.push_back(std::move(piece));
  }
  return syntax;
}

std::span<const Feature> features() { return feature_table; }
std::span<const Directive> directives() { return directive_table; }
std::span<const std::string_view> special_register_names() { return special_register_table; }

std::vector<std::string_view> mnemonics_with(std::string_view word) {
  std::vector<std::string_view> result;
  for (const Form& form : forms()) {
    if (!result.empty() && result.back() == form.head) continue;
    if (std::ranges::find(result, form.head) == result.end() && has_word(form.head, word)) result.push_back(form.head);
  }
  return result;
}

std::vector<const Clause*> clauses_naming(std::string_view word) {
  std::vector<const Clause*> result;
  for (const Clause& clause : clauses()) {
    // A pattern such as `f*` names many words that do not exist; the words of directives are made by analysis/.
    if (!has_word(clause.head, word)) continue;
    for (const Term& term : clause.when)
      if (!term.negated && (term.kind == Term::Kind::word || term.kind == Term::Kind::type) &&
          std::ranges::any_of(term.alternatives, [&](std::string_view one) { return names_word(one, word); })) {
        result.push_back(&clause);
        break;
      }
  }
  return result;
}

std::vector<const Clause*> options_named(std::string_view word) {
  std::vector<const Clause*> result;
  for (const Clause& clause : clauses()) {
    if (!clause.head.starts_with('.') || clause.kind != ClauseKind::needs || is_never(clause)) continue;
    const bool names = std::ranges::any_of(clause.when, [&](const Term& term) {
      return !term.negated && std::ranges::find(term.alternatives, word) != term.alternatives.end();
    });
    if (names && writes_option(clause, word)) result.push_back(&clause);
  }
  return result;
}

std::vector<const Clause*> clauses_new_in(Version version) {
  std::vector<const Clause*> result;
  for (const Clause& clause : clauses()) {
    if (clause.kind != ClauseKind::needs) continue;
    const auto begin = clause.requirement.lowest.begin();
    if (std::find(begin, begin + static_cast<std::ptrdiff_t>(targets().size()), version) !=
        begin + static_cast<std::ptrdiff_t>(targets().size()))
      result.push_back(&clause);
  }
  return result;
}

std::vector<const Clause*> clauses_with_tag(std::string_view tag) {
  std::vector<const Clause*> result;
  for (const Clause& clause : clauses())
    if (clause.kind == ClauseKind::tags && std::ranges::count(split(clause.text, ' '), tag) != 0)
      result.push_back(&clause);
  return result;
}

std::vector<std::string> known_names() {
  std::set<std::string> names;
  for (const Instruction& row : instructions()) {
    names.insert(std::string(row.mnemonic));
    if (row.modifiers.find('*') == std::string_view::npos) names.insert(variant_name(row));
  }
  for (const Form& form : forms())
    for (const FormSlot& slot : form.slots)
      for (const std::string_view word : slot.words) names.insert("." + std::string(word));
  for (const Directive& one : directive_table) names.emplace(one.name);
  for (const std::string_view one : special_register_table) names.emplace(one);
  for (const Feature& one : feature_table) names.emplace(one.tag);
  for (const Target& one : targets()) names.emplace(one.name);
  return {names.begin(), names.end()};
}

std::string describe_needs(const Requirement& requirement) {
  const auto groups = by_version(requirement);
  if (groups.empty()) return "no target takes it";
  // The largest group first: the others are its exceptions.
  const auto most =
      std::ranges::max_element(groups, {}, [](const auto& group) { return std::popcount(group.second.bits); });
  std::string text = version_and_targets(most->first, most->second);
  for (const auto& [version, set] : groups)
    if (version != most->first)
      text += "; " + (version == Version{} ? "" : to_string(version) + " on ") + describe(set);
  return text;
}

std::string describe_total(const Requirement& requirement) {
  const TargetSet set = requirement.targets();
  if (set.empty()) return "no target takes it";
  const Version least = requirement.lowest_version();
  std::string text = version_and_targets(least, set);
  Requirement exceptions;
  exceptions.lowest.fill(never);
  for (std::size_t i = 0; i < targets().size(); ++i)
    if (set.has(static_cast<TargetIndex>(i)) && requirement.lowest[i] != std::max(least, targets()[i].lowest))
      exceptions.lowest[i] = requirement.lowest[i];
  for (const auto& [version, where] : by_version(exceptions))
    text += "; " + to_string(version) + " on " + describe(where);
  return text;
}

bool is_never(const Clause& clause) { return clause.kind == ClauseKind::needs && clause.requirement.targets().empty(); }

NeedRange need_at(const Clause& place) {
  const LineOfWords own = line_of_words(place, place);
  const auto range = need_of(forms_of(place.head), lines_of(place.head, place), {},
                             [&](const Spelling& spelling) { return holds(own.words, spelling); });
  return range.value_or(NeedRange{requirement_of({place.head, {}, {}}), true});
}

std::string describe_condition(std::span<const Term> condition) {
  std::string text;
  for (const Term& term : condition) text += (text.empty() ? "" : ", ") + describe_term(term);
  return text;
}

}  // namespace ptxscope::isa
