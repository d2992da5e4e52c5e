#include "analysis/failures.h"

#include <algorithm>
#include <unordered_set>

#include "analysis/parallel.h"

namespace ptxscope::analysis {

namespace {

constexpr std::size_t max_evidence = 6;
constexpr std::size_t max_ways = 64;

// The statements behind a predicate, nearest first: its setp, what the setp reads, and so on.
std::vector<std::uint32_t> evidence_for(FunctionValues& values, const Module& module, RegisterNumber predicate,
                                        std::uint32_t branch) {
  std::vector<std::uint32_t> found;
  std::vector<std::pair<RegisterNumber, std::uint32_t>> wanted{{predicate, branch}};
  RegisterUses uses;
  for (std::size_t i = 0; i < wanted.size() && found.size() < max_evidence; ++i) {
    const std::uint32_t at = values.reaching_definition(wanted[i].first, wanted[i].second);
    if (at == no_index || std::find(found.begin(), found.end(), at) != found.end()) continue;
    found.push_back(at);
    register_uses(module.statement(at), uses);
    for (const RegisterNumber r : uses.reads) wanted.emplace_back(r, at);
  }
  found.push_back(branch);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

std::string guard_name(const FunctionValues& values, const Module& module, const Guard& guard) {
  if (guard_register(guard) == no_index) return std::string(guard.predicate.text());
  return module.register_name(values.function(), guard_register(guard));
}

isa::Flow flow_of(ModuleValues& values, const Statement& statement) {
  const OpcodeForm& form = values.form(statement.opcode_id());
  return form.instruction == nullptr ? isa::Flow::next : form.instruction->flow;
}

}  // namespace

std::vector<Deciding> deciding(FunctionValues& values, const Module& module, std::uint32_t statement,
                               const std::vector<std::vector<std::uint32_t>>& dependences, Side side) {
  ExprPool& pool = values.pool_of();
  const Cfg& cfg = values.cfg();
  std::vector<Deciding> ways;
  const BlockId block = cfg.block_of(statement);
  if (block == no_block) return ways;
  if (const auto guard = module.statement(statement).guard(); guard && side != Side::either) {
    const RegisterNumber predicate = guard_register(*guard);
    Deciding own;
    own.branch = statement;
    own.guard_of_statement = true;
    own.predicate = guard_name(values, module, *guard);
    own.negated = guard->negated != (side == Side::behind);
    own.condition = values.predicate_before(predicate, statement);
    if (own.negated) own.condition = pool.negate(own.condition);
    own.setp = values.reaching_definition(predicate, statement);
    own.after = values.known_at(block, statement);
    const ExprId returns = values.calls_return(block, statement);
    own.path = pool.binary(ExprOp::and_, pool.binary(ExprOp::and_, values.reach(block), returns), own.condition);
    own.evidence = evidence_for(values, module, predicate, statement);
    ways.push_back(std::move(own));
    return ways;
  }
  for (const std::uint32_t e : dependences[block]) {
    const Edge& edge = cfg.edges[e];
    if (!cfg.blocks[edge.from].reachable || ways.size() >= max_ways) continue;
    Deciding way;
    way.branch = edge.statement;
    way.condition = values.edge_condition(e);
    // The calls of the block itself and of the one that decides came back, else control would not be here.
    way.after = values.known_at(edge.from, edge.statement == no_index ? no_index : edge.statement);
    const ExprId returns = values.calls_return(edge.from);
    way.path = pool.binary(ExprOp::and_, pool.binary(ExprOp::and_, values.reach(edge.from), returns), way.condition);
    if (const ExprId here = values.calls_return(block, statement); !pool.is_constant(here)) {
      way.path = pool.binary(ExprOp::and_, way.path, here);
      way.after.push_back(here);
    }
    if (edge.kind != EdgeKind::indirect && edge.conditional) {
      if (const auto guard = module.statement(edge.statement).guard())
        way.predicate = guard_name(values, module, *guard);
      way.negated = edge.negated;
      way.setp = values.reaching_definition(edge.predicate, edge.statement);
      way.evidence = evidence_for(values, module, edge.predicate, edge.statement);
    } else if (edge.statement != no_index) {
      way.evidence.push_back(edge.statement);
    }
    ways.push_back(std::move(way));
  }
  std::stable_sort(ways.begin(), ways.end(), [](const Deciding& a, const Deciding& b) { return a.branch < b.branch; });
  if (ways.empty()) {
    Deciding always;
    always.condition = pool.true_value();
    const ExprId returns = values.calls_return(block, statement);
    always.path = pool.binary(ExprOp::and_, values.reach(block), returns);
    always.after = values.known_at(block, statement);
    ways.push_back(std::move(always));
  }
  return ways;
}

FunctionScan scan_function(ModuleValues& values, std::uint32_t function) {
  FunctionScan scan;
  const Module& module = values.module();
  const Function& f = module.functions()[function];
  isa::Flow last = isa::Flow::next;
  bool last_guarded = false;
  const std::uint32_t end = std::min(f.body_end, module.statement_count());
  for (std::uint32_t s = f.body_begin; s < end; ++s) {
    const Statement statement = module.statement(s);
    if (statement.kind() == StatementKind::label) last = isa::Flow::next;  // a place to fall off from
    if (statement.kind() != StatementKind::instruction) continue;
    ++scan.instructions;
    const isa::Flow flow = flow_of(values, statement);
    last = flow;
    if (flow == isa::Flow::next) continue;
    switch (flow) {
      case isa::Flow::branch:
      case isa::Flow::indirect_branch:
        ++scan.branches;
        break;
      case isa::Flow::trap:
        ++scan.traps;
        break;
      case isa::Flow::exit:
        ++scan.exits;
        break;
      case isa::Flow::ret:
        ++scan.returns;
        break;
      case isa::Flow::call:
        scan.calls.push_back(s);
        break;
      default:
        break;
    }
    last_guarded = statement.guard().has_value();
  }
  const bool ends = last == isa::Flow::ret || last == isa::Flow::exit || last == isa::Flow::trap ||
                    last == isa::Flow::branch || last == isa::Flow::indirect_branch;
  scan.may_fall_off_end = !ends || last_guarded;
  return scan;
}

std::vector<FunctionScan> scan_functions(ModuleValues& values, unsigned jobs, StopFlag stop) {
  const Module& module = values.module();
  // What an opcode is, is found out at the first question; from here on all threads only read it.
  for (std::uint32_t i = 0; i < module.opcode_count(); ++i) static_cast<void>(values.form(OpcodeId{i}));
  std::vector<FunctionScan> scans(module.functions().size());
  const std::vector<IndexRange> pieces = cut_by_statements(module);
  const auto scan_piece = [&](std::size_t piece) {
    for (std::size_t i = pieces[piece].begin; i < pieces[piece].end; ++i)
      if (module.functions()[i].has_body) scans[i] = scan_function(values, static_cast<std::uint32_t>(i));
  };
  for_each_index(pieces.size(), jobs, scan_piece, stop);
  return scans;
}

namespace {

// Whether what runs between the branches that decide a block and its end leaves memory as it is: then the end is a
// failing side. One that stores results first is only another way to finish.
bool ends_without_work(ModuleValues& values, const Cfg& cfg, BlockId block,
                       const std::vector<std::uint32_t>& deciding_edges) {
  if (deciding_edges.empty()) return false;
  constexpr std::size_t max_blocks = 64;
  const Module& module = values.module();
  std::vector<BlockId> region{block};
  for (std::size_t i = 0; i < region.size(); ++i) {
    const Block& b = cfg.blocks[region[i]];
    for (std::uint32_t s = b.first_instruction; b.first_instruction != no_index && s <= b.last_instruction; ++s) {
      const Statement statement = module.statement(s);
      if (statement.kind() != StatementKind::instruction) continue;
      const OpcodeForm& form = values.form(statement.opcode_id());
      if (form.instruction == nullptr) return false;
      const bool scratch = form.space == StateSpace::local || form.space == StateSpace::param;
      if (form.instruction->writes_memory && !scratch && form.operation != Operation::call) return false;
    }
    for (const std::uint32_t e : b.predecessors) {
      if (std::find(deciding_edges.begin(), deciding_edges.end(), e) != deciding_edges.end()) continue;
      const BlockId from = cfg.edges[e].from;
      if (!cfg.blocks[from].reachable || std::find(region.begin(), region.end(), from) != region.end()) continue;
      if (region.size() >= max_blocks) return false;
      region.push_back(from);
    }
  }
  return true;
}

}  // namespace

std::vector<Failure> find_failures(ModuleValues& values, std::uint32_t function, StopFlag stop) {
  std::vector<Failure> failures;
  const Module& module = values.module();
  FunctionValues& fv = values.of(function);
  const Cfg& cfg = fv.cfg();
  const Function& f = fv.function();
  const bool entry = f.kind == FunctionKind::entry;
  bool returns = false;
  std::size_t exit_blocks = 0;
  for (const Block& block : cfg.blocks) {
    returns |= block.reachable && block.end == BlockEnd::ret;
    exit_blocks += block.reachable && block.end == BlockEnd::exit ? 1 : 0;
  }
  // `exit` is a failure where the function otherwise returns, or where a called function ends its caller's thread.
  const bool exit_is_failure = returns || !entry;
  std::vector<std::vector<std::uint32_t>> dependences;
  const auto add = [&](const Block& block, std::uint32_t s, TrapKind kind, NameId callee) {
    if (dependences.empty()) dependences = control_dependences(cfg);
    // A compiler lets control fall off the end only where it took that for impossible; a person may mean "done".
    // LLVM writes `exit` there before ISA 8.3.
    const bool from_llvm = module.producer().find("LLVM") != std::string::npos;
    const bool soft =
        (kind == TrapKind::exit && !from_llvm) || (kind == TrapKind::falls_off_end && module.producer().empty());
    Side side = Side::runs;
    if (kind == TrapKind::falls_off_end) {
      // `@p ret` ends the function where p holds; behind `@p add` control is in any case.
      const bool is_label = module.statement(s).kind() != StatementKind::instruction;
      const isa::Flow flow = is_label ? isa::Flow::next : flow_of(values, module.statement(s));
      side = flow == isa::Flow::next || flow == isa::Flow::call ? Side::either : Side::behind;
    }
    const bool has_condition = side != Side::either && module.statement(s).guard();
    if (soft && entry && !has_condition && !ends_without_work(values, cfg, block.id, dependences[block.id])) return;
    Failure failure;
    failure.statement = s;
    failure.block = block.id;
    failure.kind = kind;
    failure.callee = callee;
    failure.unreachable = !block.reachable;
    if (block.reachable) failure.ways = deciding(fv, module, s, dependences, side);
    failures.push_back(std::move(failure));
  };
  for (const Block& block : cfg.blocks) {
    if (is_stopped(stop)) break;
    std::uint32_t last_instruction = no_index;
    // A block may hold nothing but its label, where control falls off the end at once.
    for (std::uint32_t s = block.first_instruction; block.first_instruction != no_index && s <= block.last_instruction;
         ++s) {
      const Statement statement = module.statement(s);
      if (statement.kind() != StatementKind::instruction) continue;
      last_instruction = s;
      const isa::Flow flow = flow_of(values, statement);
      if (flow == isa::Flow::trap) {
        // Never reached, right behind another end of the thread: part of that (`trap; trap;`, panic call and trap).
        if (!block.reachable && block.predecessors.empty() && block.label == no_name) continue;
        add(block, s, TrapKind::trap, no_name);
      } else if (flow == isa::Flow::exit && block.reachable && exit_is_failure) {
        add(block, s, TrapKind::exit, no_name);
      } else if (flow == isa::Flow::call && block.reachable) {
        const NameId callee = direct_callee(statement);
        if (callee == no_name || values.defined(callee) || !is_noreturn_callee(module, callee)) continue;
        const bool assertion = module.name(callee).find("assertfail") != std::string_view::npos;
        add(block, s, assertion ? TrapKind::assert_call : TrapKind::noreturn_call, callee);
      }
    }
    const bool exits = block.reachable && block.end == BlockEnd::exit;
    const bool other_end = returns || exit_blocks > (exits ? 1U : 0U);
    const bool has_place = last_instruction != no_index || block.first <= block.last;
    if (block.falls_off_end && block.reachable && other_end && has_place && !block.predecessors.empty()) {
      add(block, last_instruction != no_index ? last_instruction : block.last, TrapKind::falls_off_end, no_name);
    }
  }
  return failures;
}

std::vector<CallSite> possible_callees(ModuleValues& values, std::uint32_t function, std::uint32_t call) {
  std::vector<CallSite> sites;
  const Module& module = values.module();
  const Statement statement = module.statement(call);
  if (const NameId callee = direct_callee(statement); callee != no_name) {
    if (const auto body = values.defined(callee)) sites.push_back({call, *body, std::nullopt, {}});
    return sites;
  }
  const auto operands = statement.operands();
  std::size_t at = 0;
  while (at < operands.size() && operands[at].kind() == OperandKind::list) ++at;
  if (at >= operands.size() || operands[at].kind() != OperandKind::reg) return sites;
  FunctionValues& fv = values.of(function);
  ExprPool& pool = values.pool();
  if (fv.cfg().block_of(call) == no_block) return sites;
  const ExprId target = fv.before(operands[at].reg(), call);
  const Expr t = pool[target];
  if (t.op == ExprOp::symbol) {
    if (const auto body = values.defined(NameId{t.payload})) sites.push_back({call, *body, std::nullopt, target});
    return sites;
  }
  // A table of functions: `ld [table + offset]`, its initialiser names them.
  if (t.op == ExprOp::load) {
    const ExprId address = pool.kid(target, 0);
    std::vector<ExprId> stack{address};
    for (std::size_t i = 0; i < stack.size() && i < 16; ++i) {
      const Expr e = pool[stack[i]];
      if (e.op == ExprOp::symbol) {
        const Variable* table = module.find_variable(NameId{e.payload});
        if (table == nullptr || table->initializer.empty() || size_of(table->type) == 0) break;
        const ExprId offset = pool.binary(ExprOp::sub, address, pool.symbol(NameId{e.payload}, 0, pool[address].bits));
        const auto entries = module.initializer(*table);
        for (std::size_t k = 0; k < entries.size() && sites.size() < 256; ++k) {
          const auto body = entries[k].is_symbol ? values.defined(entries[k].symbol) : std::nullopt;
          if (!body) continue;
          const ExprId place = pool.constant(k * size_of(table->type), pool[offset].bits);
          sites.push_back({call, *body, pool.compare(ExprOp::eq, Type::u64, offset, place), target});
        }
        return sites;
      }
      if (e.op == ExprOp::add) {
        stack.push_back(pool.kid(stack[i], 0));
        stack.push_back(pool.kid(stack[i], 1));
      }
    }
  }
  // `.calltargets`: the label that is the last operand.
  if (operands.size() > at + 1 && operands[operands.size() - 1].kind() == OperandKind::name) {
    const NameId label = operands[operands.size() - 1].name();
    const Function& f = module.functions()[function];
    for (std::uint32_t s = f.body_begin; s + 1 < f.body_end; ++s) {
      if (module.statement(s).kind() != StatementKind::label || module.statement(s).label() != label) continue;
      if (module.statement(s + 1).kind() != StatementKind::call_targets) continue;
      for (const Operand name : module.statement(s + 1).operands()) {
        const auto body = name.kind() == OperandKind::name ? values.defined(name.name()) : std::nullopt;
        if (body) sites.push_back({call, *body, pool.unknown(1, "which function an indirect call reaches"), target});
      }
    }
  }
  if (!sites.empty()) return sites;
  // Not resolved: any function whose address is taken and that takes as many arguments.
  const bool has_arguments = at + 1 < operands.size() && operands[at + 1].kind() == OperandKind::list;
  const std::size_t arguments = has_arguments ? operands[at + 1].children().size() : 0;
  for (const std::uint32_t body : values.address_taken()) {
    const Function& candidate = module.functions()[body];
    if (candidate.kind != FunctionKind::func || candidate.parameters.size() != arguments || sites.size() >= 64)
      continue;
    if (candidate.return_parameters.empty() != (at == 0)) continue;
    sites.push_back({call, body, pool.unknown(1, "which function an indirect call reaches"), target});
  }
  return sites;
}

}  // namespace ptxscope::analysis
