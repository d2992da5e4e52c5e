#include "analysis/traps.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "analysis/contradiction.h"
#include "analysis/explainer.h"
#include "analysis/names.h"
#include "analysis/panics.h"
#include "analysis/safety_cost.h"
#include "analysis/sources.h"
#include "analysis/unread.h"

namespace ptxscope::analysis {

std::string_view spelling(TrapKind kind) {
  switch (kind) {
    case TrapKind::trap:
      return "trap";
    case TrapKind::assert_call:
      return "assert";
    case TrapKind::noreturn_call:
      return "noreturn-call";
    case TrapKind::exit:
      return "exit";
    case TrapKind::falls_off_end:
      return "falls-off-end";
    case TrapKind::error_code:
      return "error-code";
  }
  return "trap";
}

std::string_view spelling(Check check) {
  switch (check) {
    case Check::unknown:
      return "unknown";
    case Check::bounds:
      return "bounds";
    case Check::null:
      return "null";
    case Check::divide_by_zero:
      return "divide-by-zero";
    case Check::overflow:
      return "overflow";
    case Check::alignment:
      return "alignment";
    case Check::assertion:
      return "assert";
    case Check::unconditional:
      return "unconditional";
    case Check::other:
      return "other";
  }
  return "unknown";
}

namespace {

constexpr std::size_t max_call_depth = 16;
constexpr std::size_t max_ways = 256;
constexpr std::size_t max_visits = 4096;

// Library functions without a body here that are known to come back.
bool comes_back(std::string_view name) {
  static constexpr std::array<std::string_view, 12> words = {"printf",     "malloc",     "free",      "memcpy",
                                                             "memset",     "memmove",    "__nv_",     "cudaGet",
                                                             "cudaLaunch", "cudaStream", "cudaEvent", "cudaDevice"};
  static constexpr std::array<std::string_view, 3> reports = {"gpu_report", "gpu_signal", "__cuda_sm"};
  const auto in = [&](std::string_view word) { return name.find(word) != std::string_view::npos; };
  return std::any_of(words.begin(), words.end(), in) || std::any_of(reports.begin(), reports.end(), in);
}

}  // namespace

const std::vector<Failure>& Explainer::failures(std::uint32_t function) {
  const auto at = failures_.find(function);
  if (at != failures_.end()) return at->second;
  std::vector<Failure> list;
  if (fails_itself(function)) list = find_failures(values_, function, options_.stop);
  return failures_.emplace(function, std::move(list)).first->second;
}

const std::vector<CallSite>& Explainer::calls(std::uint32_t function) {
  const auto at = calls_.find(function);
  if (at != calls_.end()) return at->second;
  std::vector<CallSite> list;
  for (const std::uint32_t call : scan(function).calls) {
    for (CallSite& site : possible_callees(values_, function, call)) list.push_back(site);
  }
  return calls_.emplace(function, std::move(list)).first->second;
}

// Cheap: by opcodes and callees' names; true may turn out to be nothing.
bool Explainer::fails_itself(std::uint32_t function) {
  if (unread_in(module_, module_.functions()[function]).any()) return true;
  const FunctionScan& s = scan(function);
  const bool entry = module_.functions()[function].kind == FunctionKind::entry;
  if (s.traps > 0 || (s.exits > 0 && (!entry || s.returns > 0)) ||
      (s.may_fall_off_end && (s.returns > 0 || s.exits > 0)))
    return true;
  return std::any_of(s.calls.begin(), s.calls.end(), [&](std::uint32_t call) {
    const NameId callee = direct_callee(module_.statement(call));
    return callee != no_name && !values_.defined(callee) && is_noreturn_callee(module_, callee);
  });
}

bool Explainer::may_fail(std::uint32_t function) {
  // Depth first over direct calls, without recursion: call chains can be long.
  if (const auto at = may_fail_.find(function); at != may_fail_.end()) return at->second == 1;
  std::vector<std::uint32_t> order{function};
  std::set<std::uint32_t> seen{function};
  bool fails = false;
  for (std::size_t i = 0; i < order.size() && !fails; ++i) {
    if (fails_itself(order[i])) fails = true;
    for (const std::uint32_t call : scan(order[i]).calls) {
      const NameId callee = direct_callee(module_.statement(call));
      if (callee == no_name) {
        // An indirect call reaches what the module's tables name: look at each function that can fail.
        fails = true;
        break;
      }
      if (const auto body = values_.defined(callee)) {
        if (seen.insert(*body).second) order.push_back(*body);
      } else if (!comes_back(module_.name(callee))) {
        fails = true;  // its body is not here
        break;
      }
    }
  }
  may_fail_[function] = fails ? 1 : 0;
  return fails;
}

// The condition, in terms of its own parameters, under which a function ends the thread.
std::optional<ExprId> Explainer::fails_when(std::uint32_t function) {
  if (const auto at = fails_when_.find(function); at != fails_when_.end()) return at->second;
  if (!may_fail(function)) return fails_when_[function] = std::nullopt;
  if (failing_in_progress_.size() >= max_call_depth || !failing_in_progress_.insert(function).second) {
    return pool_->unknown(1, "deeper rounds of a recursion");
  }
  ExprId any = pool_->false_value();
  for (const Failure& failure : failures(function)) {
    for (const Deciding& way : failure.ways) any = pool_->binary(ExprOp::or_, any, way.path);
  }
  FunctionValues& here = values_.of(function);
  for (const CallSite& site : calls(function)) {
    const BlockId block = here.cfg().block_of(site.statement);
    if (block == no_block || !here.cfg().blocks[block].reachable) continue;
    if (const auto fails = call_fails(function, site.statement))
      any = pool_->binary(ExprOp::or_, any, pool_->binary(ExprOp::and_, here.reach(block), *fails));
  }
  failing_in_progress_.erase(function);
  constexpr std::size_t max_nodes = 500;
  if (pool_->node_count(any, max_nodes) >= max_nodes)
    any = pool_->unknown(1, "gave up: the condition under which a called function fails is too large");
  const std::optional<ExprId> result = pool_->is_constant(any, 0) ? std::nullopt : std::optional(any);
  return fails_when_[function] = result;
}

std::optional<ExprId> Explainer::call_fails(std::uint32_t function, std::uint32_t call) {
  std::optional<ExprId> any;
  const std::vector<CallSite>& sites = calls(function);
  for (auto at = std::ranges::lower_bound(sites, call, {}, &CallSite::statement);
       at != sites.end() && at->statement == call; ++at) {
    const CallSite& site = *at;
    const auto inside = fails_when(site.callee);
    if (!inside) continue;
    ExprId fails = values_.of(function).at_call(*inside, call);
    if (site.chosen) fails = pool_->binary(ExprOp::and_, *site.chosen, fails);
    if (const auto guard = guard_of(values_.of(function), call)) fails = pool_->binary(ExprOp::and_, *guard, fails);
    any = any ? pool_->binary(ExprOp::or_, *any, fails) : fails;
  }
  return any;
}

ExprId Explainer::outward(ExprId expr, std::span<const Step> path) {
  for (auto at = path.rbegin(); at != path.rend(); ++at)
    expr = values_.of(at->function).at_call(expr, at->site.statement);
  return expr;
}

std::optional<ExprId> Explainer::guard_of(FunctionValues& values, std::uint32_t statement) {
  const auto guard = module_.statement(statement).guard();
  if (!guard || guard->predicate.kind() != OperandKind::reg) return std::nullopt;
  const ExprId condition = values.before(guard->predicate.reg(), statement);
  return guard->negated ? pool_->negate(condition) : condition;
}

void Explainer::note_not_followed(std::uint32_t function) {
  constexpr std::size_t enough = 8;
  if (const Unread unread = unread_in(module_, module_.functions()[function]); unread.any()) {
    const std::string name(module_.name(module_.functions()[function].name));
    const std::string line = std::to_string(unread.first_line);
    not_followed_.insert(unread.errors == 1
                             ? "an error in " + name + " on line " + line + ": what could not be read there may trap"
                             : std::to_string(unread.errors) + " errors in " + name + ", the first on line " + line +
                                   ": what could not be read there may trap");
  }
  for (const std::uint32_t call : scan(function).calls) {
    if (not_followed_.size() >= enough) return;
    const NameId callee = direct_callee(module_.statement(call));
    const std::string line = std::to_string(module_.line_of_statement(call));
    if (callee == no_name) {
      const bool found = std::ranges::binary_search(calls(function), call, {}, &CallSite::statement);
      if (!found) not_followed_.insert("the indirect call on line " + line + " may reach any function: not followed");
      continue;
    }
    if (values_.defined(callee) || is_noreturn_callee(module_, callee) || comes_back(module_.name(callee))) continue;
    not_followed_.insert(std::string(module_.name(callee)) + ", called on line " + line +
                         ", is not in this module: it may trap too");
  }
}

void Explainer::finish_notes(FunctionTraps& result, std::uint32_t function) {
  const FunctionValues& values = values_.of(function);
  result.complete = values.cfg().complete && !gave_up_ && !values.gave_up() && not_followed_.empty();
  result.notes = values.cfg().incomplete_reasons;
  // Said once, with what it means for traps.
  if (unread_in(module_, module_.functions()[function]).any())
    std::erase_if(result.notes, [](const std::string& note) { return note.ends_with("could not be read"); });
  result.notes.insert(result.notes.end(), not_followed_.begin(), not_followed_.end());
  if (gave_up_) result.notes.emplace_back("gave up: more call paths or ways into one trap than are followed");
  if (values.gave_up()) result.notes.emplace_back("gave up on some values: chains of definitions too long to follow");
}

void Explainer::visit(std::uint32_t function, std::vector<Step>& path) {
  if (++visits_ > max_visits) {
    gave_up_ = true;
    return;
  }
  for (const Failure& failure : failures(function)) {
    if (is_stopped(options_.stop)) return;
    record(failure, function, path);
  }
  note_not_followed(function);
  for (const CallSite& site : calls(function)) {
    if (!may_fail(site.callee) || values_.of(function).cfg().block_of(site.statement) == no_block) continue;
    if (!values_.of(function).cfg().blocks[values_.of(function).cfg().block_of(site.statement)].reachable) continue;
    const bool recursive = site.callee == function || std::any_of(path.begin(), path.end(), [&](const Step& s) {
                             return s.function == site.callee;
                           });
    if (recursive || path.size() >= max_call_depth) {
      gave_up_ = gave_up_ || !recursive;
      if (recursive) {
        recursive_.insert(function);
        recursive_.insert(site.callee);
      }
      continue;
    }
    path.push_back({function, site});
    visit(site.callee, path);
    path.pop_back();
  }
}

void Explainer::record(const Failure& failure, std::uint32_t function, const std::vector<Step>& path) {
  const bool soft = failure.kind == TrapKind::exit || failure.kind == TrapKind::falls_off_end;
  if (soft && !options_.include_soft_failures) return;
  const auto [at, fresh] = found_.try_emplace(failure.statement);
  Found& found = at->second;
  Trap& trap = found.trap;
  if (fresh) {
    found.function = function;
    trap.function = std::string(module_.name(module_.functions()[function].name));
    trap.statement = failure.statement;
    trap.kind = failure.kind;
    trap.block = values_.of(function).cfg().blocks[failure.block].label;
    if (failure.callee != no_name) trap.callee = std::string(module_.name(failure.callee));
  }
  found.on_the_way.insert(function);
  for (const Step& step : path) found.on_the_way.insert(step.function);
  if (trap.ways.size() >= max_ways) {
    gave_up_ = true;
    return;
  }
  add_ways(trap, failure, function, path);
}

// As source_of(), without a walk back to the `.loc` from each trap: there may be none.
std::optional<SourcePlace> Explainer::source_at(std::uint32_t function, std::uint32_t statement) {
  const Function& f = module_.functions()[function];
  const auto [known, fresh] = locations_.try_emplace(function);
  std::vector<std::uint32_t>& all = known->second;
  for (std::uint32_t s = f.body_begin + 1; fresh && s < f.body_end && s < module_.statement_count(); ++s)
    if (module_.statement(s).kind() == StatementKind::loc) all.push_back(s);
  const auto behind = std::ranges::upper_bound(all, statement);
  if (behind == all.begin()) return std::nullopt;
  return source_of(module_, f, *std::prev(behind));
}

void Explainer::add_ways(Trap& trap, const Failure& failure, std::uint32_t function, const std::vector<Step>& path) {
  Found& found = found_.at(failure.statement);
  FunctionValues& here = values_.of(function);
  // Texts: the failing call's own arguments, else those of a call on the way in, else what was printed before.
  FailureText text;
  if (failure.callee != no_name) text = failure_text(here, module_, failure.statement);
  for (std::size_t i = path.size(); i-- > 0;) {
    if (text.message && text.source) break;
    const std::uint32_t call = path[i].site.statement;
    if (!check_named(module_.name(module_.functions()[path[i].site.callee].name))) continue;
    const FailureText outer = failure_text(values_.of(path[i].function), module_, call);
    if (!text.message) text.message = outer.message;
    if (!text.source) text.source = outer.source;
  }
  if (!text.message) text.message = reported_text(here, module_, failure.statement);
  if (!text.source) text.source = source_at(function, failure.statement);
  for (std::size_t i = path.size(); i-- > 0 && !text.source;)
    text.source = source_at(path[i].function, path[i].site.statement);

  // The innermost call whose callee fails without a condition of its own decides in its place.
  std::vector<Deciding> ways = failure.ways;
  std::size_t level = path.size();  // the function of path[level], or `function` itself, holds the deciding branches
  while (level > 0 && ways.size() == 1 && ways.front().branch == no_index) {
    --level;
    const std::uint32_t caller = path[level].function;
    auto dependences = dependences_.find(caller);
    if (dependences == dependences_.end())
      dependences = dependences_.emplace(caller, control_dependences(values_.of(caller).cfg())).first;
    ways = deciding(values_.of(caller), module_, path[level].site.statement, dependences->second);
  }
  const std::span<const Step> inner(path.data(), level);
  for (const Deciding& d : ways) {
    if (trap.ways.size() >= max_ways) break;
    Way way;
    way.branch = d.branch;
    way.setp = d.setp;
    way.predicate = d.predicate;
    way.negated = d.negated;
    way.condition = outward(d.condition, inner);
    way.evidence = d.evidence;
    way.source = text.source;
    way.message = text.message;
    way.path = outward(d.path, inner);
    std::vector<std::uint32_t> extra;
    for (std::size_t i = level; i-- > 0;) {
      FunctionValues& caller = values_.of(path[i].function);
      const BlockId block = caller.cfg().block_of(path[i].site.statement);
      const ExprId returns = caller.calls_return(block, path[i].site.statement);
      const ExprId called = pool_->binary(ExprOp::and_, caller.reach(block), returns);
      way.path = pool_->binary(ExprOp::and_, outward(called, inner.first(i)), way.path);
    }
    for (std::size_t i = 0; i < path.size(); ++i) {
      if (path[i].site.chosen) {
        const ExprId chosen = outward(*path[i].site.chosen, std::span<const Step>(path).first(i));
        way.after.push_back(chosen);
        way.path = pool_->binary(ExprOp::and_, chosen, way.path);
        for (const std::uint32_t p : parameters_.of(outward(path[i].site.target, std::span<const Step>(path).first(i))))
          extra.push_back(p);
      }
      if (i < level) {
        FunctionValues& caller = values_.of(path[i].function);
        if (const auto guard = guard_of(caller, path[i].site.statement)) {  // `@p call f`
          const ExprId called = outward(*guard, std::span<const Step>(path).first(i));
          way.after.push_back(called);
          way.path = pool_->binary(ExprOp::and_, called, way.path);
        }
        for (const ExprId known :
             caller.known_at(caller.cfg().block_of(path[i].site.statement), path[i].site.statement)) {
          way.after.push_back(outward(known, std::span<const Step>(path).first(i)));
        }
      }
    }
    for (const ExprId known : d.after) way.after.push_back(outward(known, inner));
    way.after.erase(
        std::remove_if(way.after.begin(), way.after.end(), [&](ExprId e) { return pool_->is_constant(e, 1); }),
        way.after.end());
    way.params = parameters_.of(way.condition);
    way.params.insert(way.params.end(), extra.begin(), extra.end());
    std::sort(way.params.begin(), way.params.end());
    way.params.erase(std::unique(way.params.begin(), way.params.end()), way.params.end());
    if (!path.empty()) {
      way.via.push_back(std::string(module_.name(module_.functions()[path.front().function].name)));
      for (const Step& step : path)
        way.via.push_back(std::string(module_.name(module_.functions()[step.site.callee].name)));
      way.call_site = path.front().site.statement;
    }
    std::vector<ExprId> all = way.after;
    all.push_back(way.condition);
    way.dead = contradictory(*pool_, all) || pool_->is_constant(way.path, 0);
    bool in_scope = false;
    if (d.guard_of_statement && level == path.size()) {
      const Function& f = module_.functions()[function];
      if (const auto guard = module_.statement(failure.statement).guard();
          guard && guard->predicate.kind() == OperandKind::reg) {
        in_scope = module_.register_declaration(f, guard->predicate.reg()).scope_end < f.body_end;
      }
    }
    trap.ways.push_back(std::move(way));
    found.named_by_callee.push_back(level < path.size());
    found.guarded_in_scope.push_back(in_scope);
  }
  if (failure.unreachable) trap.dead = true;
}

Check Explainer::check_of(const Trap& trap, const Way& way, const CheckContext& context) {
  if (trap.kind == TrapKind::assert_call) return Check::assertion;
  if (trap.kind == TrapKind::noreturn_call) {
    if (const auto named = check_named(trap.callee)) return *named;
  }
  if (pool_->is_constant(way.condition, 1)) return Check::unconditional;
  return classify(context, way.condition);
}

// `low > high` beside `high > length` in one trap is the other half of a range check.
void Explainer::mark_range_checks(Trap& trap) const {
  const auto sides = [&](ExprId condition) -> std::optional<std::pair<ExprId, ExprId>> {
    const Expr& e = (*pool_)[condition];
    if (e.op < ExprOp::lt_u || e.op > ExprOp::ge_s) return std::nullopt;
    const bool less = e.op == ExprOp::lt_u || e.op == ExprOp::le_u || e.op == ExprOp::lt_s || e.op == ExprOp::le_s;
    const ExprId a = bare_index(*pool_, pool_->kid(condition, 0));
    const ExprId b = bare_index(*pool_, pool_->kid(condition, 1));
    return less ? std::pair(b, a) : std::pair(a, b);  // larger, smaller
  };
  for (Way& way : trap.ways) {
    if (way.check != Check::other) continue;
    const auto here = sides(way.condition);
    if (!here) continue;
    const bool half = std::any_of(trap.ways.begin(), trap.ways.end(), [&](const Way& other) {
      const auto there = other.check == Check::bounds ? sides(other.condition) : std::nullopt;
      return there && there->first == here->second;
    });
    if (half) way.check = Check::bounds;
  }
}

void Explainer::add_notes(Trap& trap) const {
  bool shared = false;
  bool loop = false;
  bool votes = false;
  std::set<std::string> reasons;
  for (const Way& way : trap.ways) {
    std::vector<ExprId> stack{way.condition};
    std::unordered_set<std::uint32_t> seen;
    while (!stack.empty() && seen.size() < 2000) {
      const ExprId top = stack.back();
      stack.pop_back();
      if (!seen.insert(static_cast<std::uint32_t>(top)).second) continue;
      const Expr& e = (*pool_)[top];
      shared |= e.op == ExprOp::load && e.space == StateSpace::shared;
      loop |= e.op == ExprOp::phi;
      votes |= e.op == ExprOp::function && pool_->name(top).starts_with("vote.");
      if (e.op == ExprOp::unknown) reasons.insert(std::string(pool_->reason(top)));
      for (const ExprId k : pool_->kids(top)) stack.push_back(k);
    }
  }
  if (shared) trap.notes.emplace_back("a value in shared memory decides: any thread of the block may have written it");
  if (votes) trap.notes.emplace_back("a warp vote decides: the condition is over all lanes of the warp");
  if (loop) trap.notes.emplace_back("a value carried around a loop decides: it is shown by what flows into it");
  for (const std::string& reason : reasons) trap.notes.push_back("not known: " + reason);
}

void Explainer::finish(FunctionTraps& result, std::uint32_t function) {
  const ParameterUse use = [&] {
    ParameterUse u = parameter_use(values_, function);
    // Compares in called functions, and what guards compare, are uses too.
    for (const auto& [statement, found] : found_) {
      for (const Way& way : found.trap.ways) {
        std::vector<ExprId> stack{way.condition};
        for (std::size_t i = 0; i < stack.size() && i < 64; ++i) {
          const Expr& e = (*pool_)[stack[i]];
          const bool logical = e.bits == 1 && (e.op == ExprOp::and_ || e.op == ExprOp::or_ || e.op == ExprOp::not_);
          const bool compare = e.op >= ExprOp::eq && e.op <= ExprOp::ge_s;
          for (const ExprId k : pool_->kids(stack[i])) {
            if (logical) stack.push_back(k);
            else if (compare) {
              ExprId side = k;
              while ((*pool_)[side].op == ExprOp::zext || (*pool_)[side].op == ExprOp::sext) side = pool_->kid(side, 0);
              if ((*pool_)[side].op == ExprOp::parameter)
                u.bounds.emplace((*pool_)[side].payload, (*pool_)[side].value);
            }
          }
        }
      }
    }
    return u;
  }();
  result.params = describe_parameters(*pool_, module_, module_.functions()[function], use, names_of(function));
  const bool nvidia = module_.producer().find("NVIDIA") != std::string::npos;

  std::vector<std::uint32_t> own;
  for (auto& [statement, found] : found_) {
    if (is_stopped(options_.stop)) return;
    Trap& trap = found.trap;
    std::set<ExprId> afterwards;
    constexpr std::size_t max_looked_behind = 256;  // each looks at the rest of the function
    const bool returns =
        found_.size() <= max_looked_behind && nvidia && trap.kind == TrapKind::trap && found.function == function;
    if (returns) afterwards = indices_after(values_, function, statement);
    CheckContext context{pool_.get(), &use, result.params, returns ? &afterwards : nullptr, &unknowns_};
    bool any_alive = false;
    for (std::size_t w = 0; w < trap.ways.size(); ++w) {
      Way& way = trap.ways[w];
      if (found.named_by_callee[w] && trap.kind != TrapKind::assert_call) {
        // The called function only fails; its name is what tells why.
        const std::string& name = way.via.back();
        const auto named = check_named(name);
        way.check = named ? *named : Check::other;
        if (pool_->is_constant(way.condition, 1) && way.check == Check::other) way.check = Check::unconditional;
        else if (unknowns_.is_below(way.condition)) way.check = Check::unknown;
      } else {
        way.check = check_of(trap, way, context);
        if (found.guarded_in_scope[w] && way.check == Check::bounds) way.check = Check::other;
      }
      any_alive |= !way.dead;
    }
    mark_range_checks(trap);
    bool first = true;
    for (const Way& way : trap.ways) {
      if (way.dead && any_alive) continue;
      if (first) trap.check = way.check;
      else if (trap.check != way.check) trap.check = Check::other;
      first = false;
    }
    std::set<std::uint32_t> params;
    for (const Way& way : trap.ways) params.insert(way.params.begin(), way.params.end());
    trap.params.assign(params.begin(), params.end());
    if (!trap.ways.empty()) {
      trap.source = trap.ways.front().source;
      trap.message = trap.ways.front().message;
      trap.via = trap.ways.front().via;
      if (!any_alive) trap.dead = true;
      else trap.dead = false;
    } else if (trap.dead && trap.check == Check::unknown) {
      trap.check = Check::unconditional;
    }
    add_notes(trap);
    const bool recursion = std::any_of(found.on_the_way.begin(), found.on_the_way.end(),
                                       [&](std::uint32_t f) { return recursive_.contains(f); });
    if (recursion && !trap.ways.empty()) {
      trap.notes.emplace_back("a recursive function: the conditions are those of its first round");
      Way& way = trap.ways.front();
      way.path = pool_->binary(ExprOp::or_, way.path, pool_->unknown(1, "deeper rounds of a recursion"));
      trap.dead = false;
    }
    if (trap.ways.empty()) trap.dead = true;  // no edge leads there
    if (found.function == function) own.push_back(statement);
    result.traps.push_back(std::move(trap));
  }
  for (std::size_t i = 0; i < result.traps.size(); ++i) result.traps[i].id = static_cast<std::uint32_t>(i + 1);
  // Calls that only fail are this function's share of the cost.
  for (const CallSite& site : calls(function)) {
    if (!site.chosen && is_noreturn_callee(module_, module_.functions()[site.callee].name))
      own.push_back(site.statement);
  }
  std::sort(own.begin(), own.end());
  result.cost = safety_cost(values_, function, own);
}

// Names that people gave, else those of the debug information.
ParameterNames Explainer::names_of(std::uint32_t function) {
  if (!options_.names.empty()) return {options_.names, {}};
  const std::lock_guard lock(surroundings_.debug_names_mutex);
  return {{}, surroundings_.debug_names.of_parameters(module_.functions()[function])};
}

FunctionTraps Explainer::explain(std::uint32_t function) {
  FunctionTraps result;
  result.function = function;
  found_.clear();
  not_followed_.clear();
  recursive_.clear();
  visits_ = 0;
  gave_up_ = false;
  const FunctionScan& s = scan(function);
  if (!may_fail(function)) {
    result.params = declared_parameters(module_, module_.functions()[function], names_of(function));
    result.cost.of_instructions = s.instructions;
    result.cost.of_branches = s.branches;
    if (options_.include_soft_failures) find_error_codes(result, function);
    return result;
  }
  std::vector<Step> path;
  visit(function, path);
  if (is_stopped(options_.stop)) return result;
  if (found_.empty()) {
    result.params = declared_parameters(module_, module_.functions()[function], names_of(function));
    result.cost.of_instructions = s.instructions;
    result.cost.of_branches = s.branches;
  } else {
    finish(result, function);
  }
  if (options_.include_soft_failures) find_error_codes(result, function);
  finish_notes(result, function);
  if (module_.functions()[function].kind == FunctionKind::entry) values_.forget(function);  // nothing calls it
  return result;
}

// Numba's way: the function returns a status, and the kernel notes one that is not 0 in `<kernel>__errcode__`.
void Explainer::find_error_codes(FunctionTraps& result, std::uint32_t function) {
  const Function& f = module_.functions()[function];
  const std::string errcode = std::string(module_.name(f.name)) + "__errcode__";
  const NameId noted = module_.find_name(errcode);
  if (noted == no_name || module_.find_variable(noted) == nullptr) return;
  for (const CallSite& site : calls(function)) {
    const auto status = values_.returned_by(site.callee, 0, 32);
    if (!status) continue;
    // The status as a choice of constants: each with the condition that leads to it.
    std::vector<std::pair<ExprId, ExprId>> open{{*status, pool_->true_value()}};
    std::map<std::uint64_t, ExprId> codes;
    for (std::size_t i = 0; i < open.size() && i < 256; ++i) {
      const auto [value, condition] = open[i];
      const Expr e = (*pool_)[value];
      if (e.op == ExprOp::select) {
        const ExprId c = pool_->kid(value, 0);
        const ExprId yes = pool_->kid(value, 1);
        const ExprId no = pool_->kid(value, 2);
        open.emplace_back(yes, pool_->binary(ExprOp::and_, condition, c));
        open.emplace_back(no, pool_->binary(ExprOp::and_, condition, pool_->negate(c)));
      } else if (e.op == ExprOp::constant && e.value != 0) {
        const auto at = codes.find(e.value);
        if (at == codes.end()) codes.emplace(e.value, condition);
        else at->second = pool_->binary(ExprOp::or_, at->second, condition);
      }
    }
    if (codes.empty()) continue;
    const ParameterUse use = parameter_use(values_, function);
    if (result.traps.empty()) result.params = describe_parameters(*pool_, module_, f, use, names_of(function));
    FunctionValues& caller = values_.of(function);
    for (const auto& [code, condition] : codes) {
      Trap soft;
      soft.id = static_cast<std::uint32_t>(result.soft_failures.size() + 1);
      soft.function = std::string(module_.name(module_.functions()[site.callee].name));
      soft.statement = site.statement;
      soft.kind = TrapKind::error_code;
      soft.via = {std::string(module_.name(f.name)), soft.function};
      soft.message = "status " + std::to_string(code);
      Way way;
      way.condition = caller.at_call(condition, site.statement);
      way.path = way.condition;
      way.params = parameters_.of(way.condition);
      way.via = soft.via;
      way.call_site = site.statement;
      way.check = classify(CheckContext{pool_.get(), &use, result.params, nullptr, &unknowns_}, way.condition);
      soft.check = way.check;
      soft.params = way.params;
      soft.dead = false;
      soft.ways.push_back(std::move(way));
      result.soft_failures.push_back(std::move(soft));
    }
  }
}

}  // namespace ptxscope::analysis
