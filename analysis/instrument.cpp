#include "analysis/instrument.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>

#include "analysis/failures.h"
#include "analysis/instrument_code.h"
#include "analysis/instrument_values.h"
#include "analysis/values.h"

namespace ptxscope::analysis {
namespace {

// Parameters of more bytes than this are not copied: each site would have a long list of loads.
constexpr std::uint32_t max_parameter_bytes = 512;
constexpr std::string_view own_names = "__ptxscope_";

std::uint64_t content_hash(std::string_view text) {  // FNV-1a
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return hash;
}

unsigned target_number(const Header& header) {
  unsigned number = 0;
  if (header.targets.empty()) return number;
  const std::string_view name = header.targets.front();
  const std::size_t digits = name.find_first_of("0123456789");
  if (digits != std::string_view::npos) std::from_chars(name.data() + digits, name.data() + name.size(), number);
  return number;
}

// Why the module as a whole is left alone; empty: it is not.
std::string obstacle(const Module& module) {
  const Header& header = module.header();
  if (module.has_errors()) return "parts of its text could not be read";
  if (module.text().find(own_names) != std::string_view::npos) return "it has been instrumented before";
  if (!header.at_least(2, 3) || target_number(header) < 20) return "it is older than PTX 2.3 or sm_20";
  if (header.address_size != 64) return "its addresses have 32 bits";
  return {};
}

RecordingDialect dialect_of(const Header& header) {
  const unsigned number = target_number(header);
  return {.nanosleep = header.at_least(6, 3) && number >= 70,
          .clusters = header.at_least(7, 8) && number >= 90,
          .wide_grid_id = header.at_least(3, 0) && number >= 30};
}

std::uint32_t rounded_up(std::uint64_t offset, std::uint64_t alignment) {
  return static_cast<std::uint32_t>((offset + alignment - 1) / alignment * alignment);
}

std::uint32_t alignment_of(const Variable& parameter) {
  const std::uint32_t natural = std::max(1U, size_of(parameter.type) * parameter.vector_width);
  return std::max(natural, parameter.alignment);
}

struct PlannedSite {
  Site site;
  std::vector<Deciding> ways;
  std::uint32_t place = no_index;  // the statement in front of which the code stands
};

class Instrumenter {
 public:
  Instrumenter(const Module& module, const InstrumentOptions& options) : module_(module), options_(options) {}
  Instrumented run();

 private:
  void leave_alone(std::uint32_t function, std::uint32_t statement, std::string reason) {
    result_.left_alone.push_back({function, statement, std::move(reason)});
  }
  void instrument_function(std::uint32_t function);
  std::vector<PlannedSite> sites_of(std::uint32_t function);
  void add_call_sites(std::uint32_t function, std::vector<PlannedSite>& sites);
  [[nodiscard]] std::uint32_t start_of_call(const Cfg& cfg, std::uint32_t call) const;
  void link_traps(Site& site);
  void index_traps();
  [[nodiscard]] bool reaches(const Site& site, const Trap& trap, const Way& way, std::uint32_t entry) const;
  [[nodiscard]] bool is_outermost_label(const Function& function, NameId label) const;
  [[nodiscard]] bool leads_straight(const Cfg& cfg, const Edge& edge, BlockId to, std::uint32_t place);
  std::string way_apart(FunctionValues& values, PlannedSite& plan, std::uint32_t index,
                        std::span<const CopiedParameter> parameters, bool& told);
  void write(const Function& function, std::vector<PlannedSite>& planned);
  [[nodiscard]] std::vector<CopiedParameter> parameters_of(const Function& function, std::uint32_t limit) const;
  [[nodiscard]] bool may_fall_off_end(const Function& function) const;
  void insert(std::uint32_t place, std::string text, std::uint32_t site) {
    result_.edits.push_back({{place, place}, std::move(text), site});
  }
  void finish();

  const Module& module_;
  const InstrumentOptions& options_;
  Instrumented result_;
  std::optional<ModuleValues> values_;
  std::optional<NeverReturns> never_returns_;
  std::optional<RecordingCode> code_;
  std::set<std::uint32_t> led_apart_;  // branches that lead to code of their own

  using TrapPlace = std::pair<std::uint32_t, std::uint32_t>;                          // in the report: function, trap
  std::unordered_map<std::uint32_t, std::vector<TrapPlace>> traps_at_;                // by statement
  std::map<std::pair<std::string, std::string>, std::set<TrapPlace>> traps_through_;  // by caller and callee
};

Instrumented Instrumenter::run() {
  result_.text = std::string(module_.text());
  result_.kernels = kernel_layouts(module_);
  result_.report.pool = std::make_shared<ExprPool>();
  if (std::string reason = obstacle(module_); !reason.empty()) {
    leave_alone(no_index, no_index, std::move(reason));
    return std::move(result_);
  }
  const std::uint64_t hash = content_hash(module_.text());
  result_.tag = static_cast<std::uint32_t>(hash);
  result_.record_name = fmt::format("{}record_{:016x}", own_names, hash);
  result_.claim_name = fmt::format("{}claim_{:016x}", own_names, hash);
  result_.begin_name = fmt::format("{}begin_{:016x}", own_names, hash);
  result_.finish_name = fmt::format("{}finish_{:016x}", own_names, hash);
  result_.report = explain_traps(
      module_, {.kernels = {}, .names = options_.names, .include_soft_failures = false, .stop = options_.stop});
  const bool any =
      std::ranges::any_of(result_.report.functions, [](const FunctionTraps& f) { return !f.traps.empty(); });
  if (!any) return std::move(result_);
  values_.emplace(module_, result_.report.pool);
  never_returns_.emplace(module_);
  code_.emplace(dialect_of(module_.header()), result_);
  index_traps();
  for (std::uint32_t f = 0; f < module_.functions().size(); ++f) {
    if (is_stopped(options_.stop)) return std::move(result_);
    if (module_.functions()[f].has_body) instrument_function(f);
  }
  finish();
  return std::move(result_);
}

void Instrumenter::instrument_function(std::uint32_t index) {
  const Function& function = module_.functions()[index];
  const FunctionScan scan = scan_function(*values_, index);
  if (scan.traps == 0 && scan.calls.empty()) return;
  if (scan.traps == 0 && std::ranges::none_of(scan.calls, [&](std::uint32_t call) {
        return never_returns_->callee(direct_callee(module_.statement(call)));
      }))
    return;
  std::vector<PlannedSite> planned = sites_of(index);
  if (planned.empty()) return;
  const Cfg& cfg = values_->of(index).cfg();
  if (!cfg.complete) {
    leave_alone(index, no_index,
                cfg.incomplete_reasons.empty() ? "its control flow is not known" : cfg.incomplete_reasons.front());
    return;
  }
  if (function.body_end >= module_.statement_count() ||
      module_.statement(function.body_end).kind() != StatementKind::scope_end) {
    leave_alone(index, no_index, "its body has no end");
    return;
  }
  write(function, planned);
}

std::vector<PlannedSite> Instrumenter::sites_of(std::uint32_t index) {
  std::vector<PlannedSite> sites;
  const FunctionValues& values = values_->of(index);
  for (Failure& failure : find_failures(*values_, index)) {
    const bool hard = failure.kind == TrapKind::trap || failure.kind == TrapKind::assert_call ||
                      failure.kind == TrapKind::noreturn_call;
    if (!hard || failure.unreachable) continue;
    PlannedSite planned;
    planned.site.function = index;
    planned.site.statement = failure.statement;
    planned.site.kind = failure.kind;
    if (failure.callee != no_name) planned.site.callee = std::string(module_.name(failure.callee));
    planned.ways = std::move(failure.ways);
    planned.place = failure.kind == TrapKind::trap ? failure.statement : start_of_call(values.cfg(), failure.statement);
    sites.push_back(std::move(planned));
  }
  add_call_sites(index, sites);
  std::ranges::sort(sites, {}, [](const PlannedSite& s) { return s.site.statement; });
  return sites;
}

// Calls of functions of this module that only fail: where the check stands, the values are at hand.
void Instrumenter::add_call_sites(std::uint32_t index, std::vector<PlannedSite>& sites) {
  FunctionValues& values = values_->of(index);
  std::vector<std::vector<std::uint32_t>> dependences;
  for (const std::uint32_t call : scan_function(*values_, index).calls) {
    const NameId callee = direct_callee(module_.statement(call));
    if (callee == no_name || !values_->defined(callee) || !never_returns_->callee(callee)) continue;
    const BlockId block = values.cfg().block_of(call);
    if (block == no_block || !values.cfg().blocks[block].reachable) continue;
    if (dependences.empty()) dependences = control_dependences(values.cfg());
    if (dependences.empty()) return;
    PlannedSite planned;
    planned.site.function = index;
    planned.site.statement = call;
    planned.site.kind = TrapKind::noreturn_call;
    planned.site.callee = std::string(module_.name(callee));
    planned.ways = deciding(values, module_, call, dependences);
    planned.place = start_of_call(values.cfg(), call);
    sites.push_back(std::move(planned));
  }
}

// The first statement of a call's sequence: of the block, the first that declares or stores one of its arguments.
std::uint32_t Instrumenter::start_of_call(const Cfg& cfg, std::uint32_t call) const {
  const BlockId block = cfg.block_of(call);
  if (block == no_block) return call;
  std::set<NameId> names;
  const auto operands = module_.statement(call).operands();
  for (const Operand operand : operands) {
    if (operand.kind() != OperandKind::list) continue;
    for (const Operand one : operand.children())
      if (one.kind() == OperandKind::name) names.insert(one.name());
  }
  std::uint32_t start = call;
  for (std::uint32_t s = call; s-- > cfg.blocks[block].first;) {
    const Statement statement = module_.statement(s);
    if (statement.kind() == StatementKind::scope_begin) {
      // The names of an enclosing scope may be used by calls before.
      if (start > s) break;
    } else if (statement.kind() == StatementKind::variable) {
      if (names.contains(module_.local_variables()[statement.payload()].name)) start = s;
    } else if (statement.kind() == StatementKind::instruction) {
      if (statement.opcode().mnemonic == "call") break;
      if (statement.opcode().mnemonic != "st" || !statement.opcode().has("param")) continue;
      const auto to = statement.operands();
      if (!to.empty() && to[0].kind() == OperandKind::address && to[0].base().kind() == OperandKind::name &&
          names.contains(to[0].base().name()))
        start = s;
    }
  }
  return start;
}

bool Instrumenter::reaches(const Site& site, const Trap& trap, const Way& way, std::uint32_t entry) const {
  if (trap.statement == site.statement) return true;
  if (site.kind != TrapKind::noreturn_call) return false;
  const std::string_view caller = module_.name(module_.functions()[site.function].name);
  if (result_.report.functions[entry].function == site.function && way.call_site != site.statement) return false;
  for (std::size_t i = 0; i + 1 < way.via.size(); ++i)
    if (way.via[i] == caller && way.via[i + 1] == site.callee) return true;
  return false;
}

// Where each trap of the report stands, and between which functions the ways to it lead.
void Instrumenter::index_traps() {
  for (std::uint32_t entry = 0; entry < result_.report.functions.size(); ++entry) {
    const std::vector<Trap>& traps = result_.report.functions[entry].traps;
    for (std::uint32_t t = 0; t < traps.size(); ++t) {
      traps_at_[traps[t].statement].push_back({entry, t});
      for (const Way& way : traps[t].ways)
        for (std::size_t i = 0; i + 1 < way.via.size(); ++i)
          traps_through_[{way.via[i], way.via[i + 1]}].insert({entry, t});
    }
  }
}

void Instrumenter::link_traps(Site& site) {
  std::set<TrapPlace> candidates;
  if (const auto at = traps_at_.find(site.statement); at != traps_at_.end())
    candidates.insert(at->second.begin(), at->second.end());
  if (site.kind == TrapKind::noreturn_call) {
    const std::string caller(module_.name(module_.functions()[site.function].name));
    if (const auto at = traps_through_.find({caller, site.callee}); at != traps_through_.end())
      candidates.insert(at->second.begin(), at->second.end());
  }
  for (const auto& [entry, t] : candidates) {
    const Trap& trap = result_.report.functions[entry].traps[t];
    SiteTrap link{entry, t, std::vector<std::vector<std::uint32_t>>(site.ways.size())};
    bool any = trap.statement == site.statement;
    for (std::uint32_t w = 0; w < trap.ways.size(); ++w) {
      const Way& way = trap.ways[w];
      if (!reaches(site, trap, way, entry)) continue;
      for (std::size_t i = 0; i < site.ways.size(); ++i) {
        const SiteWay& own = site.ways[i];
        const bool same = own.branch == no_index || (own.branch == way.branch && own.negated == way.negated);
        if (!same) continue;
        link.ways[i].push_back(w);
        any = true;
      }
    }
    if (any) site.traps.push_back(std::move(link));
  }
}

std::vector<CopiedParameter> Instrumenter::parameters_of(const Function& function, std::uint32_t limit) const {
  std::vector<CopiedParameter> copied;
  if (function.kind != FunctionKind::entry) return copied;
  const auto index = static_cast<std::uint32_t>(&function - module_.functions().data());
  const auto layout = std::ranges::lower_bound(result_.kernels, index, {}, &KernelLayout::function);  // they ascend
  if (layout == result_.kernels.end() || layout->function != index) return copied;
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Variable& parameter = function.parameters[i];
    const ParameterBytes place = layout->parameters[i];
    const bool opaque = size_of(parameter.type) == 0;
    if (opaque || place.size == 0 || place.offset + place.size > limit) break;
    unsigned chunk = std::min(8U, alignment_of(parameter));
    while (chunk > 1 && (place.size % chunk != 0 || place.offset % chunk != 0)) chunk /= 2;
    copied.push_back({std::string(module_.name(parameter.name)), place, chunk});
  }
  return copied;
}

// Whether control may run into the closing brace, which means `ret` (PTX ISA 9.7.12).
bool Instrumenter::may_fall_off_end(const Function& function) const {
  for (std::uint32_t s = function.body_end; s-- > function.body_begin;) {
    const Statement statement = module_.statement(s);
    if (statement.kind() == StatementKind::label) return true;
    if (statement.kind() != StatementKind::instruction) continue;
    const std::string_view word = statement.opcode().mnemonic;
    return statement.guard().has_value() || (word != "ret" && word != "exit" && word != "bra");
  }
  return true;
}

// A label that can be branched to from the end of the body: the only one of its name, in no inner scope.
bool Instrumenter::is_outermost_label(const Function& function, NameId label) const {
  std::uint32_t depth = 0;
  std::uint32_t found = 0;
  bool outermost = false;
  for (std::uint32_t s = function.body_begin; s < function.body_end; ++s) {
    const Statement statement = module_.statement(s);
    if (statement.kind() == StatementKind::scope_begin) ++depth;
    if (statement.kind() == StatementKind::scope_end) --depth;
    if (statement.kind() != StatementKind::label || statement.label() != label) continue;
    ++found;
    outermost = depth == 1;
  }
  return found == 1 && outermost;
}

// Whether control that has taken the edge gets to the block, and on the way there is nothing that might trap itself.
bool Instrumenter::leads_straight(const Cfg& cfg, const Edge& edge, BlockId to, std::uint32_t place) {
  constexpr unsigned max_blocks = 16;
  BlockId at = edge.to;
  for (unsigned i = 0; i < max_blocks; ++i) {
    const Block& block = cfg.blocks[at];
    const std::uint32_t end = at == to ? place : block.last + 1;
    for (std::uint32_t s = block.first; s < end; ++s) {
      const Statement statement = module_.statement(s);
      if (statement.kind() != StatementKind::instruction || statement.opcode().mnemonic != "call") continue;
      const NameId callee = direct_callee(statement);
      if (callee == no_name || values_->defined(callee) || never_returns_->callee(callee)) return false;
    }
    if (at == to) return true;
    if (block.successors.size() != 1) return false;
    at = cfg.edges[block.successors.front()].to;
  }
  return false;
}

// Of a trap with several ways, one whose values are gone where the ways have met: code of its own, behind the branch or
// where it leads to, records what it compared and goes on as before. `told`: whether that tells all.
std::string Instrumenter::way_apart(FunctionValues& values, PlannedSite& plan, std::uint32_t index,
                                    std::span<const CopiedParameter> parameters, bool& told) {
  const Deciding& way = plan.ways[index];
  const Function& function = values.function();
  if (way.branch == no_index || way.branch == plan.site.statement || led_apart_.contains(way.branch)) return {};
  const Statement branch = module_.statement(way.branch);
  const auto operands = branch.operands();
  if (branch.opcode().mnemonic != "bra" || operands.size() != 1 || operands[0].kind() != OperandKind::name) return {};
  const Cfg& cfg = values.cfg();
  const auto edge = std::ranges::find_if(
      cfg.edges, [&](const Edge& e) { return e.statement == way.branch && e.conditional && e.negated == way.negated; });
  if (edge == cfg.edges.end() || !leads_straight(cfg, *edge, cfg.block_of(plan.place), plan.place)) return {};
  const bool taken = edge->kind == EdgeKind::taken;
  if (taken && !is_outermost_label(function, operands[0].name())) return {};
  Site& site = plan.site;
  const auto first_slot = static_cast<std::uint32_t>(site.values.size());
  SiteValues chosen = choose_values(values, module_, {way}, way.branch, taken, site.has_parameters, first_slot);
  site.values.insert(site.values.end(), chosen.values.begin(), chosen.values.end());
  told = chosen.told.front();
  led_apart_.insert(way.branch);
  const SiteCode code{site.number, index + 1, chosen.registers, parameters};
  if (!taken) {
    insert(branch.span().end, code_->way_behind(code), site.number);
    return {};
  }
  result_.edits.push_back({operands[0].span(), RecordingCode::way_label(code), site.number});
  return code_->way_apart(code, module_.text(operands[0].span()));
}

void Instrumenter::write(const Function& function, std::vector<PlannedSite>& planned) {
  const auto index = static_cast<std::uint32_t>(&function - module_.functions().data());
  FunctionValues& values = values_->of(index);
  const bool entry = function.kind == FunctionKind::entry;
  const auto parameters = parameters_of(function, max_parameter_bytes);
  std::string apart;  // code for the end of the body
  bool any = false;
  for (PlannedSite& plan : planned) {
    Site& site = plan.site;
    const Statement statement = module_.statement(site.statement);
    const auto guard = statement.guard();
    const bool call = site.kind != TrapKind::trap;
    if (call && guard) {
      leave_alone(index, site.statement, "the failing call has a guard");
      continue;
    }
    if (guard && guard_register(*guard) == no_index) {
      leave_alone(index, site.statement, "the guard of the trap is not declared");
      continue;
    }
    if (result_.sites.size() >= options_.max_sites) {
      leave_alone(index, site.statement, fmt::format("there are more than {} places to record", options_.max_sites));
      ++result_.beyond_limit;
      continue;
    }
    for (const Deciding& way : plan.ways) site.ways.push_back({way.branch, way.negated, way.condition, way.path});
    link_traps(site);
    // A function that only fails may end the thread in another way than by a trap; if it traps, that is noted there.
    if (site.traps.empty() && call && values_->defined(direct_callee(statement))) continue;
    site.number = static_cast<std::uint32_t>(result_.sites.size() + 1);
    site.has_parameters = entry && parameters.size() == function.parameters.size();
    SiteValues chosen = choose_values(values, module_, plan.ways, plan.place, guard.has_value(), site.has_parameters);
    site.values = std::move(chosen.values);
    const SiteCode code{site.number, 0, chosen.registers, parameters};
    const std::uint32_t at = module_.statement(plan.place).span().begin;
    if (call) {
      insert(at, code_->before_call(code), site.number);
    } else if (guard) {
      const std::string with =
          fmt::format("@{}{}", guard->negated ? "!" : "", module_.register_name(function, guard_register(*guard)));
      result_.edits.push_back({statement.span(), RecordingCode::branch(with, code), site.number});
      apart += code_->trap_apart(code);
    } else {
      insert(at, code_->before_trap(code), site.number);
    }
    any = true;
    for (std::uint32_t i = 0; i < plan.ways.size(); ++i) {
      if (chosen.told[i]) continue;
      bool told = false;
      if (plan.ways.size() > 1) apart += way_apart(values, plan, i, parameters, told);
      if (!told) site.notes.emplace_back("a compared value is not recorded: no register holds it there any more");
    }
    result_.sites.push_back(std::move(site));
  }
  if (!any) return;
  insert(module_.statement(function.body_begin).span().end, RecordingCode::registers(), 0);
  if (apart.empty()) return;
  insert(module_.statement(function.body_end).span().begin, (may_fall_off_end(function) ? "\n\tret;\n" : "\n") + apart,
         0);
}

void Instrumenter::finish() {
  if (result_.sites.empty()) return;
  const Header& header = module_.header();
  insert(std::max(header.address_size_span.end, header.target_span.end), code_->module_part(), 0);
  std::ranges::stable_sort(result_.edits, {}, [](const InstrumentEdit& edit) { return edit.span.begin; });
  const std::string_view text = module_.text();
  result_.text.clear();
  std::size_t done = 0;
  for (const InstrumentEdit& edit : result_.edits) {
    result_.text += text.substr(done, edit.span.begin - done);
    result_.text += edit.after;
    done = edit.span.end;
  }
  result_.text += text.substr(done);
  result_.changed = true;
}

}  // namespace

Instrumented instrument(const Module& module, const InstrumentOptions& options) {
  return Instrumenter(module, options).run();
}

std::vector<KernelLayout> kernel_layouts(const Module& module) {
  std::vector<KernelLayout> layouts;
  for (std::uint32_t f = 0; f < module.functions().size(); ++f) {
    const Function& function = module.functions()[f];
    if (function.kind != FunctionKind::entry || !function.has_body) continue;
    KernelLayout layout;
    layout.function = f;
    layout.name = std::string(module.name(function.name));
    std::uint64_t at = 0;
    for (const Variable& parameter : function.parameters) {
      at = rounded_up(at, alignment_of(parameter));
      const auto size = static_cast<std::uint32_t>(std::min<std::uint64_t>(parameter.size, 1U << 20U));
      layout.parameters.push_back({static_cast<std::uint32_t>(at), size});
      at += size;
    }
    layout.bytes = static_cast<std::uint32_t>(at);
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

}  // namespace ptxscope::analysis
