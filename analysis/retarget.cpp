#include "analysis/retarget.h"

#include <algorithm>

#include "analysis/check.h"
#include "analysis/check_header.h"
#include "analysis/checks.h"
#include "analysis/opcode_clauses.h"
#include "analysis/text_checks.h"
#include "isa/requirements.h"
#include "parser/scanner.h"

namespace ptxscope::analysis {

namespace {

using isa::TargetIndex;
using isa::Version;

// ---- The header ---------------------------------------------------------------------------------------------------

// The token behind `.version`.
std::optional<Span> version_number(const Statement& statement) {
  const Span whole = statement.span();
  Scanner scanner(statement.module().text().substr(0, whole.end), whole.begin);
  static_cast<void>(scanner.next());
  const Token number = scanner.next();
  if (number.kind() == TokenKind::end_of_text || number.span().empty()) return std::nullopt;
  return number.span();
}

// Every target that a `.target` line names: ptxas asks of each of them that the version knows it, and lets the last one
// decide what the code may use.
std::vector<Span> target_names(const Statement& statement) {
  const Span whole = statement.span();
  const Module& module = statement.module();
  std::vector<Span> names;
  Scanner scanner(module.text().substr(0, whole.end), whole.begin);
  static_cast<void>(scanner.next());
  for (Token token = scanner.next(); token.kind() != TokenKind::end_of_text; token = scanner.next()) {
    const std::string_view text = module.text(token.span());
    if (text.starts_with("sm_") || text.starts_with("compute_")) names.push_back(token.span());
  }
  return names;
}

std::vector<TextChange> header_changes(const Module& module, TargetIndex target, Version version) {
  std::vector<TextChange> changes;
  for (std::uint32_t i = 0; i < module.statement_count(); ++i) {
    const Statement statement = module.statement(i);
    if (statement.kind() == StatementKind::version) {
      const auto number = version_number(statement);
      if (number && isa::parse_version(module.text(*number)) != version)
        changes.push_back({TextChange::Kind::version, *number, isa::to_string(version)});
    } else if (statement.kind() == StatementKind::target) {
      for (const Span name : target_names(statement))
        if (isa::find_target(module.text(name)) != target)
          changes.push_back({TextChange::Kind::target, name, std::string(isa::targets()[target].name)});
    }
  }
  return changes;
}

// ---- Older spellings ----------------------------------------------------------------------------------------------

// The modifiers of an instruction that have an older spelling, with it.
class Rewriter {
 public:
  Rewriter(const Module& module, StopFlag stop) : module_(module), stop_(stop), opcodes_(module) {}

  std::vector<TextChange> all() {
    return collect([](const isa::Spelling&) { return true; });
  }

  // Only those of instructions that do not fit a header as they are written.
  std::vector<TextChange> needed_for(TargetIndex target, Version version) {
    return collect([&](const isa::Spelling& spelling) {
      for (const isa::Clause* clause : isa::matching_clauses(spelling)) {
        const Version limit = clause->requirement.lowest[target];
        if (clause->kind == isa::ClauseKind::needs && limit > version) return true;
        if (clause->kind == isa::ClauseKind::until && limit < version) return true;
      }
      return false;
    });
  }

 private:
  std::vector<TextChange> collect(const auto& wanted) {
    std::vector<TextChange> changes;
    for (const Function& function : module_.functions()) {
      if (!function.has_body) continue;
      for (std::uint32_t i = function.body_begin; i < function.body_end; ++i) {
        if (i % statements_between_looks == 0 && is_stopped(stop_)) return changes;
        const Statement statement = module_.statement(i);
        if (statement.kind() != StatementKind::instruction || !may_have_synonym(statement)) continue;
        const isa::Spelling spelling = spelling_of(statement, function, storage_);
        if (wanted(spelling)) add(changes, statement, spelling);
      }
    }
    return changes;
  }

  bool may_have_synonym(const Statement& statement) {
    const OpcodeClauses& known = opcodes_.find(statement);
    const auto is_synonym = [](const isa::Clause* clause) { return clause->kind == isa::ClauseKind::synonym; };
    return std::ranges::any_of(known.always, is_synonym) ||
           std::ranges::any_of(known.by_operands, is_synonym, [](const auto& one) { return one.first; });
  }

  void add(std::vector<TextChange>& changes, const Statement& statement, const isa::Spelling& spelling) {
    const auto before = static_cast<std::ptrdiff_t>(changes.size());
    for (const isa::Clause* clause : isa::matching_clauses(spelling)) {
      if (clause->kind != isa::ClauseKind::synonym) continue;
      const auto span = find_word(statement, clause->text);
      if (!span) continue;
      std::string after;
      if (!clause->text2.empty()) after = "." + std::string(clause->text2);
      changes.push_back({TextChange::Kind::spelling, *span, std::move(after)});
    }
    std::ranges::sort(changes.begin() + before, changes.end(), {},
                      [](const TextChange& change) { return change.span.begin; });
  }

  // An opcode is one token, or several where white space or comments stand in it.
  std::optional<Span> find_word(const Statement& statement, std::string_view word) const {
    const std::string dotted = "." + std::string(word);
    const Span whole = opcode_span(statement);
    Scanner scanner(module_.text().substr(0, whole.end), whole.begin);
    for (Token token = scanner.next(); token.kind() != TokenKind::end_of_text; token = scanner.next()) {
      const std::string_view text = module_.text(token.span());
      for (std::size_t at = text.find(dotted); at != std::string_view::npos; at = text.find(dotted, at + 1)) {
        const std::size_t end = at + dotted.size();
        if (end != text.size() && text[end] != '.') continue;
        const auto begin = static_cast<std::uint32_t>(token.begin + at);
        return Span{begin, begin + static_cast<std::uint32_t>(dotted.size())};
      }
    }
    return std::nullopt;
  }

  const Module& module_;
  StopFlag stop_;
  OpcodeClauseCache opcodes_;
  SpellingStorage storage_;
};

// ---- The choice ---------------------------------------------------------------------------------------------------

struct Header {
  TargetIndex target = 0;
  Version version;
};

int rank_of(const isa::Target& target) { return target.suffix == ' ' ? 0 : target.suffix == 'f' ? 1 : 2; }

bool takes(const ModuleRequirement& requirement, TargetIndex target, Version version) {
  return requirement.needed.lowest[target] <= version && version <= requirement.last.lowest[target];
}

// The version that is wanted with a target; nullopt: none does.
std::optional<Version> version_with(const ModuleRequirement& requirement, TargetIndex target, const RetargetWish& wish,
                                    std::optional<Version> own) {
  if (wish.version) return takes(requirement, target, *wish.version) ? wish.version : std::nullopt;
  return version_for(requirement, target, wish.lowest_version ? std::nullopt : own, isa::never);
}

std::optional<Header> lowest_target(const ModuleRequirement& requirement, const RetargetWish& wish,
                                    std::optional<Version> own) {
  std::vector<TargetIndex> order;
  for (std::size_t i = 0; i < isa::targets().size(); ++i)
    if (isa::targets()[i].manual) order.push_back(static_cast<TargetIndex>(i));
  std::ranges::stable_sort(order, {}, [](TargetIndex index) { return rank_of(isa::targets()[index]); });
  constexpr Version renamed{90};
  std::optional<Header> first;
  for (const TargetIndex index : order) {
    const auto version = version_with(requirement, index, wish, own);
    if (!version || (isa::targets()[index].number == 101 && *version >= renamed)) continue;
    if (wish.version || wish.lowest_version || version == own) return Header{index, *version};
    if (!first) first = Header{index, *version};
  }
  return first;
}

std::optional<Header> choose(const ModuleRequirement& requirement, const RetargetWish& wish, const Module& module) {
  const auto own = declared_version(module);
  if (wish.lowest_target) return lowest_target(requirement, wish, own);
  const auto target = wish.target ? wish.target : declared_target(module);
  if (!target) return std::nullopt;
  const auto version = version_with(requirement, *target, wish, own);
  if (!version) return std::nullopt;
  return Header{*target, *version};
}

// ---- What is wrong ------------------------------------------------------------------------------------------------

void take_errors(std::vector<Diagnostic>& problems, std::span<const Diagnostic> diagnostics) {
  for (const Diagnostic& one : diagnostics) {
    if (one.level != Level::error && !is_refused_by_ptxas(one)) continue;
    problems.push_back(one);
    problems.back().level = Level::error;
  }
}

// What keeps any header from being found: errors of the text itself, no header lines, words that are not known.
std::vector<Diagnostic> obstacles(const Module& module, const ModuleRequirement& requirement, StopFlag stop) {
  std::vector<Diagnostic> problems;
  take_errors(problems, module.diagnostics());
  take_errors(problems, check_semantics(module, {.stop = stop}));
  const ptxscope::Header& header = module.header();
  if (problems.empty() && header.version_span.empty())
    problems.push_back({Level::error,
                        "PTX-ISA",
                        {0, 0},
                        "there is no .version line to rewrite",
                        "begin with .version and .target lines",
                        {}});
  if (problems.empty() && header.targets.empty())
    problems.push_back({Level::error,
                        "PTX-TARGET",
                        header.version_span,
                        "there is no .target line to rewrite",
                        "write .target behind .version",
                        {}});
  for (Diagnostic one : requirement.unknown) {
    one.level = Level::error;
    one.message += ", so whether it fits is not known either";
    problems.push_back(std::move(one));
  }
  return problems;
}

std::vector<Diagnostic> misfits(const Module& module, const ModuleRequirement& requirement,
                                std::optional<TargetIndex> target, std::optional<Version> version) {
  CheckQuestion question;
  question.target = target;
  question.version = version;
  const Fit fit = fit_header(module, requirement, feature_needs(requirement), question);
  std::vector<Diagnostic> problems;
  for (const Problem& problem : fit.problems) problems.push_back(problem.diagnostic);
  return problems;
}

std::vector<TextChange> merged(std::vector<TextChange> a, const std::vector<TextChange>& b) {
  a.insert(a.end(), b.begin(), b.end());
  std::ranges::sort(a, {}, [](const TextChange& change) { return change.span.begin; });
  return a;
}

Retargeting try_retarget(const Module& module, const ModuleRequirement& as_written, const RetargetWish& wish) {
  Retargeting result;
  // What the module needs when it is written in the oldest way there is: the choice of header rests on that.
  std::optional<Module> oldest;
  std::optional<Rewriter> rewriter;
  ModuleRequirement rewritten;
  const ModuleRequirement* requirement = &as_written;
  if (wish.rewrite) {
    rewriter.emplace(module, wish.stop);
    if (const auto changes = rewriter->all(); !changes.empty()) {
      oldest = parse(changed_text(module.text(), changes), module.file_name(), {.stop = wish.stop});
      rewritten = requirements(*oldest, {.places = 1, .stop = wish.stop});
      requirement = &rewritten;
    }
  }
  const auto header = choose(*requirement, wish, module);
  if (header) {
    result.target = header->target;
    result.version = header->version;
    result.changes = header_changes(module, header->target, header->version);
    if (requirement == &rewritten)
      result.changes = merged(result.changes, rewriter->needed_for(header->target, header->version));
    result.text = changed_text(module.text(), result.changes);
    // What was promised is asked of the result itself.
    const Module changed = parse(result.text, module.file_name(), {.stop = wish.stop});
    const ModuleRequirement needs = requirements(changed, {.places = 1, .stop = wish.stop});
    result.problems = misfits(changed, needs, std::nullopt, std::nullopt);
    take_errors(result.problems, changed.diagnostics());
    take_errors(result.problems, check_semantics(changed, {.stop = wish.stop}));
    const bool says_so = declared_target(changed) == header->target && declared_version(changed) == header->version;
    result.fits = result.problems.empty() && says_so && !is_stopped(wish.stop);
    if (result.fits) return result;
  }
  result.text.clear();
  result.changes.clear();
  // Where any target would do, what is told of is what the code needs: the header that it would get at another version.
  std::optional<Header> of_other_version;
  if (!header && wish.lowest_target && wish.version) {
    RetargetWish lowest = wish;
    lowest.version.reset();
    lowest.lowest_version = true;
    of_other_version = lowest_target(*requirement, lowest, std::nullopt);
  }
  const auto target = header             ? header->target
                      : wish.target      ? wish.target
                      : of_other_version ? of_other_version->target
                                         : declared_target(module);
  const auto version = header ? header->version : wish.version ? wish.version : declared_version(module);
  // Of the text as it stands, so that places are right.
  auto problems = misfits(module, as_written, target, version);
  // That the version is below that of a target which nobody asked for.
  const Span header_place = module.header().version_span;
  const auto of_code = [&](const Diagnostic& problem) { return problem.span != header_place; };
  if (of_other_version && std::ranges::any_of(problems, of_code))
    std::erase_if(problems, [&](const Diagnostic& problem) { return !of_code(problem); });
  if (!problems.empty()) result.problems = std::move(problems);
  return result;
}

}  // namespace

std::string changed_text(std::string_view text, const std::vector<TextChange>& changes) {
  std::string out;
  std::size_t done = 0;
  for (const TextChange& change : changes) {
    out += text.substr(done, change.span.begin - done);
    out += change.after;
    done = change.span.end;
  }
  return out += text.substr(done);
}

Retargeting retarget(const Module& module, const RetargetWish& wish) {
  const ModuleRequirement requirement = requirements(module, {.places = 1, .stop = wish.stop});
  Retargeting result;
  result.problems = obstacles(module, requirement, wish.stop);
  if (!result.problems.empty() || is_stopped(wish.stop)) return result;
  result = try_retarget(module, requirement, wish);
  if (result.fits || wish.rewrite || is_stopped(wish.stop)) return result;
  RetargetWish with_rewriting = wish;
  with_rewriting.rewrite = true;
  result.rewrite_would_help = try_retarget(module, requirement, with_rewriting).fits;
  return result;
}

}  // namespace ptxscope::analysis
