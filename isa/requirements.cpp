#include "isa/requirements.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "isa/types.h"
#include "isa/words.h"

namespace ptxscope::isa {

namespace {

// The table as it is written, one entry a line.
struct SourceLine {
  enum class Kind : std::uint8_t { head, needs, until, advises, tags, synonym } kind;
  std::string_view first, second, third, file;
  std::uint32_t line;
};

constexpr SourceLine source_lines[] = {
#define PTX_INSTRUCTION(mnemonic, modifiers, category, flow, effects, operands, sections) \
  SourceLine{SourceLine::Kind::head, mnemonic, modifiers, sections, __FILE__, __LINE__},
#define PTX_DIRECTIVE(name, sections) SourceLine{SourceLine::Kind::head, name, "", sections, __FILE__, __LINE__},
#define PTX_NEEDS(when, what, feature) SourceLine{SourceLine::Kind::needs, when, what, feature, __FILE__, __LINE__},
#define PTX_UNTIL(when, last, remedy) SourceLine{SourceLine::Kind::until, when, last, remedy, __FILE__, __LINE__},
#define PTX_ADVISES(when, where, advice) SourceLine{SourceLine::Kind::advises, when, where, advice, __FILE__, __LINE__},
#define PTX_TAGS(when, names) SourceLine{SourceLine::Kind::tags, when, "", names, __FILE__, __LINE__},
#define PTX_SYNONYM(when, word, replacement) \
  SourceLine{SourceLine::Kind::synonym, when, word, replacement, __FILE__, __LINE__},
#include "isa/instructions.def"
// The directives' lines use the same macros.
#define PTX_NEEDS(when, what, feature) SourceLine{SourceLine::Kind::needs, when, what, feature, __FILE__, __LINE__},
#define PTX_UNTIL(when, last, remedy) SourceLine{SourceLine::Kind::until, when, last, remedy, __FILE__, __LINE__},
#define PTX_ADVISES(when, where, advice) SourceLine{SourceLine::Kind::advises, when, where, advice, __FILE__, __LINE__},
#define PTX_TAGS(when, names) SourceLine{SourceLine::Kind::tags, when, "", names, __FILE__, __LINE__},
#include "isa/directives.def"
#define PTX_SPECIAL_REGISTER(name, components, bits, section, what)          \
  SourceLine{SourceLine::Kind::head, name, "", section, __FILE__, __LINE__}, \
      SourceLine{SourceLine::Kind::needs, "", what, "", __FILE__, __LINE__},
#include "isa/special_registers.def"
};

std::optional<std::uint8_t> small_number(std::string_view text) {
  std::uint8_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

// nullopt: not in the notation.
std::optional<Term> parse_term(std::string_view text) {
  Term term;
  if (text.starts_with('!')) {
    term.negated = true;
    text.remove_prefix(1);
  }
  if (text.empty()) return std::nullopt;
  if (text.starts_with("ops") && text.size() > 4 && std::string_view("=<>").find(text[3]) != std::string_view::npos) {
    const auto number = small_number(text.substr(4));
    if (!number) return std::nullopt;
    term.kind = Term::Kind::count;
    term.comparison = text[3];
    term.number = *number;
    return term;
  }
  if (text.size() > 3 && text[0] == 't' && text[2] == '=' && text[1] >= '1' && text[1] <= '9') {
    term.kind = Term::Kind::type;
    term.index = static_cast<std::uint8_t>(text[1] - '1');
    term.alternatives = split(text.substr(3), '|');
    return term;
  }
  if (text.size() > 2 && text[0] >= '0' && text[0] <= '9' && text[1] == ':') {
    term.kind = Term::Kind::shape;
    term.index = static_cast<std::uint8_t>(text[0] - '0');
    term.alternatives = split(text.substr(2), '|');
    return term;
  }
  if (text.size() > 2 && text[0] >= '0' && text[0] <= '9' && text[1] == '=') {
    term.kind = Term::Kind::value;
    term.index = static_cast<std::uint8_t>(text[0] - '0');
    term.alternatives = split(text.substr(2), '|');
    if (!std::ranges::all_of(term.alternatives, [](std::string_view one) { return small_number(one).has_value(); }))
      return std::nullopt;
    return term;
  }
  if (text.find('=') != std::string_view::npos) return std::nullopt;
  term.alternatives = split(text, '|');
  return term;
}

constexpr std::string_view kind_words[] = {"reg", "imm", "sink", "vec", "pair", "addr", "tuple", "list", "name"};

bool has_shape(const OperandShape& operand, std::string_view wanted) {
  if (wanted == "negated") return operand.negated;
  if (wanted.starts_with("coords")) return small_number(wanted.substr(6)) == operand.coordinates;
  const std::string_view kind = kind_words[static_cast<std::size_t>(operand.kind)];
  if (wanted == kind || wanted == operand.type) return true;
  if (!wanted.starts_with(kind)) return false;
  const auto count = small_number(wanted.substr(kind.size()));
  return count && *count == operand.count;
}

std::string_view nth_type(std::span<const std::string_view> words, unsigned index) {
  for (const std::string_view word : words) {
    if (find_type(word).kind == TypeKind::none) continue;
    if (index == 0) return word;
    --index;
  }
  return {};
}

bool holds(const Term& term, const Spelling& spelling) {
  const auto any = [&](auto&& matches) { return std::ranges::any_of(term.alternatives, matches); };
  switch (term.kind) {
    case Term::Kind::word:
      return any([&](std::string_view wanted) {
        return std::ranges::any_of(spelling.words, [&](std::string_view word) { return names_word(wanted, word); });
      });
    case Term::Kind::type: {
      const std::string_view type = nth_type(spelling.words, term.index);
      return !type.empty() && any([&](std::string_view wanted) { return names_word(wanted, type); });
    }
    case Term::Kind::count: {
      const std::size_t count = spelling.operands.size();
      if (term.comparison == '<') return count < term.number;
      if (term.comparison == '>') return count > term.number;
      return count == term.number;
    }
    case Term::Kind::shape:
      return term.index < spelling.operands.size() &&
             any([&](std::string_view wanted) { return has_shape(spelling.operands[term.index], wanted); });
    case Term::Kind::value:
      return term.index < spelling.operands.size() &&
             any([&](std::string_view wanted) { return spelling.operands[term.index].value == *small_number(wanted); });
  }
  return false;
}

std::optional<Condition> parse_condition(std::string_view text) {
  Condition condition;
  for (const std::string_view part : split(text, ' ')) {
    auto term = parse_term(part);
    if (!term) return std::nullopt;
    condition.push_back(std::move(*term));
  }
  return condition;
}

// `needs`: "7.8 sm_90+ sm_89:8.1". Targets that are not named get `absent`.
std::optional<Requirement> parse_needs(std::string_view text, Version absent) {
  Requirement result;
  result.lowest.fill(absent);
  if (text == "never") {
    result.lowest.fill(never);
    return result;
  }
  Version common;
  bool names_targets = false;
  for (std::string_view part : split(text, ' ')) {
    if (part[0] >= '0' && part[0] <= '9') {
      const auto version = parse_version(part);
      if (!version || names_targets) return std::nullopt;
      common = *version;
      continue;
    }
    Version version = common;
    if (const std::size_t colon = part.find(':'); colon != std::string_view::npos) {
      const auto own = parse_version(part.substr(colon + 1));
      if (!own) return std::nullopt;
      version = *own;
      part = part.substr(0, colon);
    }
    const auto set = parse_targets(part);
    if (!set) return std::nullopt;
    names_targets = true;
    for (std::size_t i = 0; i < targets().size(); ++i)
      if (set->has(static_cast<TargetIndex>(i))) result.lowest[i] = version;
  }
  if (!names_targets) result.lowest.fill(common);
  return result;
}

struct Table {
  std::vector<Clause> clauses;
  std::map<std::string_view, std::vector<std::uint32_t>> by_head;
  std::vector<std::string> errors;
};

class Builder {
 public:
  Table run() {
    for (const SourceLine& line : source_lines) {
      if (line.kind == SourceLine::Kind::head) begin(line);
      else add(line);
    }
    for (std::uint32_t i = 0; i < table_.clauses.size(); ++i) table_.by_head[table_.clauses[i].head].push_back(i);
    return std::move(table_);
  }

 private:
  void fail(const SourceLine& line, std::string_view what, std::string_view text) {
    table_.errors.push_back(std::string(line.file) + ":" + std::to_string(line.line) + ": " + std::string(what) + " `" +
                            std::string(text) + "`");
  }

  void begin(const SourceLine& line) {
    head_ = line.first;
    section_ = line.third;
    table_.by_head[head_];  // known even without clauses
    auto row = parse_condition(line.second);
    if (!row) fail(line, "malformed modifiers", line.second);
    row_ = row.value_or(Condition{});
  }

  void add(const SourceLine& line) {
    Clause clause;
    clause.head = head_;
    clause.row = row_;
    clause.when_text = line.first;
    clause.text = line.third;
    clause.section = section_;
    clause.file = line.file;
    clause.line = line.line;
    if (auto when = parse_condition(line.first)) clause.when = std::move(*when);
    else fail(line, "malformed condition", line.first);
    switch (line.kind) {
      case SourceLine::Kind::needs:
      case SourceLine::Kind::until: {
        const bool is_needs = line.kind == SourceLine::Kind::needs;
        clause.kind = is_needs ? ClauseKind::needs : ClauseKind::until;
        if (auto needs = parse_needs(line.second, never)) clause.requirement = *needs;
        else fail(line, "malformed needs", line.second);
        break;
      }
      case SourceLine::Kind::advises:
        clause.kind = ClauseKind::advises;
        for (const std::string_view part : split(line.second, ' ')) {
          if (const auto set = parse_targets(part)) clause.targets.bits |= set->bits;
          else fail(line, "malformed targets", line.second);
        }
        break;
      case SourceLine::Kind::tags:
        clause.kind = ClauseKind::tags;
        break;
      case SourceLine::Kind::synonym:
        clause.kind = ClauseKind::synonym;
        clause.text = line.second;
        clause.text2 = line.third;
        break;
      case SourceLine::Kind::head:
        break;
    }
    table_.clauses.push_back(std::move(clause));
  }

  Table table_;
  std::string_view head_, section_;
  Condition row_;
};

const Table& table() {
  static const Table built = Builder().run();
  return built;
}

}  // namespace

void Requirement::raise(const Requirement& other) {
  for (std::size_t i = 0; i < lowest.size(); ++i) lowest[i] = std::max(lowest[i], other.lowest[i]);
}

TargetSet Requirement::targets() const {
  TargetSet set;
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (lowest[i] != never) set.add(static_cast<TargetIndex>(i));
  return set;
}

Version Requirement::lowest_version() const {
  return *std::min_element(lowest.begin(), lowest.begin() + static_cast<std::ptrdiff_t>(isa::targets().size()));
}

const Requirement& nothing_needed() {
  static const Requirement built = [] {
    Requirement result;
    result.lowest.fill(never);
    for (std::size_t i = 0; i < targets().size(); ++i) result.lowest[i] = targets()[i].lowest;
    return result;
  }();
  return built;
}

std::string Clause::feature() const {
  if (kind == ClauseKind::needs && !text.empty()) return std::string(text);
  std::string name(head);
  for (const Condition* terms : {&row, &when})
    for (const Term& term : *terms)
      if (!term.negated && (term.kind == Term::Kind::word || term.kind == Term::Kind::type)) {
        std::string_view separator = " .";
        for (const std::string_view word : term.alternatives) {
          name += std::string(separator) + std::string(word);
          separator = "/.";
        }
      }
  return name;
}

bool holds(const Condition& condition, const Spelling& spelling) {
  return std::ranges::all_of(condition, [&](const Term& term) { return holds(term, spelling) != term.negated; });
}

std::vector<const Clause*> matching_clauses(const Spelling& spelling) {
  std::vector<const Clause*> result;
  const auto found = table().by_head.find(spelling.head);
  if (found == table().by_head.end()) return result;
  for (const std::uint32_t index : found->second) {
    const Clause& clause = table().clauses[index];
    if (holds(clause.row, spelling) && holds(clause.when, spelling)) result.push_back(&clause);
  }
  return result;
}

Requirement requirement_of(const Spelling& spelling) {
  Requirement result = nothing_needed();
  for (const Clause* clause : matching_clauses(spelling))
    if (clause->kind == ClauseKind::needs) result.raise(clause->requirement);
  return result;
}

bool is_known_head(std::string_view head) { return table().by_head.contains(head); }
std::span<const Clause> clauses() { return table().clauses; }
std::span<const std::string> table_errors() { return table().errors; }

}  // namespace ptxscope::isa
