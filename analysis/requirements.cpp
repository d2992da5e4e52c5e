#include "analysis/requirements.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/directive_words.h"
#include "analysis/opcode_clauses.h"
#include "analysis/parallel.h"
#include "isa/instructions.h"

namespace ptxscope::analysis {

namespace {

using isa::Clause;
using isa::ClauseKind;

struct SourceFeature {
  std::string_view tag;
};
constexpr SourceFeature source_features[] = {
#define PTX_FEATURE(tag, description) SourceFeature{tag},
#include "isa/features.def"
};

class Collector {
 public:
  Collector(const Module& module, const RequirementOptions& options)
      : module_(module), options_(options), opcodes_(module), entries_(isa::clauses().size()) {
    result_.needed = isa::nothing_needed();
    result_.last.lowest.fill(isa::never);
  }

  // Looks at the statements of one piece of the module: from the header of functions()[first] (0: from the start) to
  // that of functions()[last].
  void look_at(std::size_t first, std::size_t last) {
    const auto functions = module_.functions();
    std::size_t next = first;
    const Function* inside = nullptr;
    const std::uint32_t begin = first == 0 ? 0 : functions[first].header;
    const std::uint32_t end = last >= functions.size() ? module_.statement_count() : functions[last].header;
    for (std::uint32_t i = begin; i < end; ++i) {
      if (i % statements_between_looks == 0 && is_stopped(options_.stop)) return;
      if (inside != nullptr && i >= inside->body_end) inside = nullptr;
      while (next < functions.size() && functions[next].header < i) ++next;
      const Statement statement = module_.statement(i);
      if (statement.kind() == StatementKind::instruction) {
        if (inside != nullptr) add_instruction(statement, *inside);
      } else {
        add_directives(statement, inside);
        if (next < functions.size() && functions[next].header == i && functions[next].has_body)
          inside = &functions[next];
      }
    }
  }

  // What was found in the piece behind those looked at so far.
  void add(const Collector& other) {
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      const Reason& more = other.entries_[i].reason;
      if (!other.entries_[i].seen) continue;
      Entry& entry = entries_[i];
      if (!entry.seen) see(entry, *more.clause);
      entry.reason.count += more.count;
      for (const Span place : more.places)
        if (has_room(entry.reason)) entry.reason.places.push_back(place);
    }
    for (const auto& [word, diagnostic] : other.unknown_)
      if (known_unknown_.insert(word).second) unknown_.emplace_back(word, diagnostic);
  }

  ModuleRequirement finish() {
    for (const SourceFeature& feature : source_features)
      if (tags_.contains(feature.tag)) result_.features.emplace_back(feature.tag);
    for (auto& [word, diagnostic] : unknown_) result_.unknown.push_back(std::move(diagnostic));
    finish(result_.reasons, ClauseKind::needs);
    finish(result_.removed, ClauseKind::until);
    finish(result_.advised, ClauseKind::advises);
    return std::move(result_);
  }

 private:
  // What is known of a line of the table in this module.
  struct Entry {
    bool seen = false;
    bool says_nothing = false;
    Reason reason;
  };

  // --- instructions

  void add_instruction(const Statement& instruction, const Function& function) {
    const OpcodeClauses& known = opcodes_.find(instruction);
    Place place(instruction);
    if (!known.is_known) note_unknown(instruction);
    for (const Clause* clause : known.always) add(*clause, place);
    if (!known.by_operands.empty()) {
      const isa::Spelling spelled = spelling_of(instruction, function, storage_);
      for (const auto& [clause, rest] : known.by_operands)
        if (isa::holds(rest, spelled)) add(*clause, place);
    }
    for (const Operand operand : instruction.operands()) add_names(operand, known.is_call, 0);
  }

  // Special registers and addresses of functions among the operands.
  void add_names(const Operand& operand, bool is_call, int depth) {
    if (operand.kind() == OperandKind::name) return add_name(operand, is_call);
    if (depth > 4) return;
    for (const Operand child : operand.children()) add_names(child, is_call, depth + 1);
  }

  void add_name(const Operand& operand, bool is_call) {
    const auto [known, is_new] = names_.try_emplace(static_cast<std::uint32_t>(operand.name()));
    Name& name = known->second;
    if (is_new) name = look_up(operand.name());
    if (name.clauses.empty() || (is_call && name.is_function)) return;
    Place place(operand);
    for (const Clause* clause : name.clauses) add(*clause, place);
  }

  struct Name {
    bool is_function = false;
    std::vector<const Clause*> clauses;
  };
  Name look_up(NameId id) const {
    Name name;
    const std::string_view spelling = module_.name(id);
    if (const isa::SpecialRegister* found = isa::find_special_register(spelling); found != nullptr) {
      name.clauses = isa::matching_clauses({found->name, {}, {}});
    } else if (const Function* function = module_.find_function(id); function != nullptr) {
      static constexpr std::string_view address[] = {"address"};
      name.is_function = true;
      name.clauses = isa::matching_clauses({function->kind == FunctionKind::entry ? ".entry" : ".func", address, {}});
    }
    return name;
  }

  void note_unknown(const Statement& instruction) {
    const std::string& mnemonic = std::string(instruction.opcode().mnemonic);
    if (!known_unknown_.insert(mnemonic).second) return;
    unknown_.emplace_back(mnemonic, Diagnostic{Level::warning,
                                               "PTX-UNKNOWN",
                                               opcode_span(instruction),
                                               "the instruction " + mnemonic.substr(0, 200) +
                                                   " is not in the table: what it needs is not known",
                                               {},
                                               {}});
  }

  // --- directives

  void add_directives(const Statement& statement, const Function* inside) {
    switch (statement.kind()) {
      case StatementKind::label:
      case StatementKind::scope_begin:
      case StatementKind::scope_end:
      case StatementKind::empty:
      case StatementKind::line_marker:
      case StatementKind::unparsed:
        return;
      case StatementKind::loc:
        // Most have no more than three numbers, and there are as many as instructions.
        if (statement.text().find(',') == std::string_view::npos) return add_directive({".loc", {}, statement.span()});
        break;
      default:
        break;
    }
    for_each_directive(statement, inside, add_directive_);
  }

  void add_directive(const DirectiveUse& directive) {
    key_ = directive.head;
    for (const std::string_view word : directive.words) {
      key_ += '\n';
      key_ += word;
    }
    const auto [found, is_new] = directives_.try_emplace(key_);
    if (is_new) {
      found->second = isa::matching_clauses({directive.head, directive.words, {}});
      if (!isa::is_known_head(directive.head)) note_unknown(directive);
    }
    Place place(directive.span);
    for (const Clause* clause : found->second) add(*clause, place);
  }

  void note_unknown(const DirectiveUse& directive) {
    const std::string word(directive.head.substr(0, 200));
    if (!known_unknown_.insert(word).second) return;
    unknown_.emplace_back(word, Diagnostic{Level::warning,
                                           "PTX-UNKNOWN",
                                           directive.span,
                                           "the directive " + word + " is not in the table: what it needs is not known",
                                           {},
                                           {}});
  }

  // --- results

  // A place is looked for only when it is kept: the text has to be scanned again for it.
  class Place {
   public:
    explicit Place(const Statement& instruction) : instruction_(&instruction) {}
    explicit Place(const Operand& operand) : operand_(&operand) {}
    explicit Place(Span span) : span_(span) {}
    Span span() {
      if (instruction_ != nullptr) span_ = opcode_span(*instruction_);
      if (operand_ != nullptr) span_ = operand_->span();
      instruction_ = nullptr;
      operand_ = nullptr;
      return span_;
    }

   private:
    const Statement* instruction_ = nullptr;
    const Operand* operand_ = nullptr;
    Span span_;
  };

  void add(const Clause& clause, Place& place) {
    Entry& entry = entries_[static_cast<std::size_t>(&clause - isa::clauses().data())];
    if (!entry.seen) see(entry, clause);
    if (entry.says_nothing) return;
    Reason& reason = entry.reason;
    ++reason.count;
    if (has_room(reason)) reason.places.push_back(place.span());
  }

  [[nodiscard]] bool has_room(const Reason& reason) const {
    return options_.places == 0 || reason.places.size() < options_.places;
  }

  void see(Entry& entry, const Clause& clause) {
    entry.seen = true;
    entry.reason.clause = &clause;
    switch (clause.kind) {
      case ClauseKind::needs: {
        isa::Requirement raised = isa::nothing_needed();
        raised.raise(clause.requirement);
        entry.says_nothing = raised == isa::nothing_needed();
        result_.needed.raise(clause.requirement);
        break;
      }
      case ClauseKind::until:
        for (std::size_t i = 0; i < isa::target_limit; ++i)
          result_.last.lowest[i] = std::min(result_.last.lowest[i], clause.requirement.lowest[i]);
        break;
      case ClauseKind::advises:
        break;
      case ClauseKind::tags:
        add_tags(clause.text);
        entry.says_nothing = true;
        break;
      case ClauseKind::synonym:
        entry.says_nothing = true;
        break;
    }
  }

  void add_tags(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find(' '), text.size());
      if (end != 0) tags_.insert(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  void finish(std::vector<Reason>& reasons, ClauseKind kind) {
    for (Entry& entry : entries_)
      if (entry.reason.count != 0 && entry.reason.clause->kind == kind) reasons.push_back(std::move(entry.reason));
    std::ranges::stable_sort(reasons, {}, [](const Reason& reason) { return reason.places.front().begin; });
  }

  const Module& module_;
  const RequirementOptions& options_;
  ModuleRequirement result_;
  OpcodeClauseCache opcodes_;
  SpellingStorage storage_;
  std::vector<Entry> entries_;                     // by place of the line in the table
  std::unordered_map<std::uint32_t, Name> names_;  // by NameId
  std::string key_;
  std::unordered_map<std::string, std::vector<const Clause*>> directives_;  // by head and words
  const std::function<void(const DirectiveUse&)> add_directive_ = [this](const DirectiveUse& use) {
    add_directive(use);
  };
  std::set<std::string_view> tags_;
  std::vector<std::pair<std::string, Diagnostic>> unknown_;  // by the word, in the order of the text
  std::set<std::string> known_unknown_;
};

}  // namespace

ModuleRequirement requirements(const Module& module, const RequirementOptions& options) {
  const std::size_t functions = module.functions().size();
  const std::vector<IndexRange> pieces = cut_by_statements(module);
  Collector collector(module, options);
  if (pieces.size() < 2) {
    collector.look_at(0, functions);
    return collector.finish();
  }
  std::vector<std::optional<Collector>> found(pieces.size());
  const auto collect_piece = [&](std::size_t piece) {
    found[piece].emplace(module, options).look_at(pieces[piece].begin, pieces[piece].end);
  };
  for_each_index(pieces.size(), options.jobs, collect_piece, options.stop);
  if (is_stopped(options.stop)) return {};
  for (auto& one : found) {
    collector.add(*one);
    one.reset();
  }
  return collector.finish();
}

}  // namespace ptxscope::analysis
