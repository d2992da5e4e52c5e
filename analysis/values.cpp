#include "analysis/values.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace ptxscope::analysis {

namespace {

// Bounds with an honest "gave up": nesting of definitions looked at by recursion, and blocks between a join and its
// dominator for which the condition of each way is worked out.
constexpr unsigned max_depth = 500;
constexpr unsigned settle_every = 100;
constexpr unsigned max_region = 64;
constexpr std::size_t max_settled = 200000;

std::uint64_t key(std::uint32_t place, std::uint32_t variable) {
  return (static_cast<std::uint64_t>(place) << 32U) | variable;
}

class Deeper {
 public:
  explicit Deeper(unsigned& depth) : depth_(depth) { ++depth_; }
  ~Deeper() { --depth_; }
  Deeper(const Deeper&) = delete;
  Deeper& operator=(const Deeper&) = delete;

 private:
  unsigned& depth_;
};

}  // namespace

FunctionValues::FunctionValues(ModuleValues& owner, std::uint32_t function, Cfg cfg)
    : owner_(owner), module_(owner.module()), function_(&module_.functions()[function]), cfg_(std::move(cfg)) {
  const Function& f = *function_;
  const auto add_locals = [&](std::uint32_t begin, std::uint32_t end) {
    const auto locals = module_.local_variables();
    for (std::uint32_t s = begin; s < end; ++s) {
      const Statement statement = module_.statement(s);
      if (statement.kind() != StatementKind::variable) continue;
      for (std::uint32_t v = statement.payload(); v < locals.size() && locals[v].statement == s; ++v)
        local_names_.emplace(locals[v].name, v);
    }
  };
  for (const Block& block : cfg_.blocks)
    if (block.first_instruction != no_index) add_locals(block.first, block.last + 1);
  // Function-level variables may stand before the first block's statements too.
  if (!cfg_.blocks.empty()) add_locals(f.body_begin, cfg_.blocks.front().first);
  for (std::uint32_t i = 0; i < f.parameters.size(); ++i) parameters_.emplace(f.parameters[i].name, i);
  number_loops();
  if (!cfg_.irreducible_headers.empty()) irreducible_.assign(cfg_.blocks.size(), 0);
  for (const BlockId header : cfg_.irreducible_headers) irreducible_[header] = 1;
}

// By nesting, so that one comparison tells whether a loop lies in another.
void FunctionValues::number_loops() {
  const std::vector<Loop>& loops = cfg_.loops;
  std::vector<std::uint32_t> order(loops.size()), size(loops.size(), 1), next(loops.size() + 1, 0);
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, {}, [&](std::uint32_t loop) { return loops[loop].depth; });
  for (auto loop = order.rbegin(); loop != order.rend(); ++loop)
    if (loops[*loop].parent != no_index) size[loops[*loop].parent] += size[*loop];
  loop_in_.resize(loops.size());
  loop_out_.resize(loops.size());
  for (const std::uint32_t loop : order) {
    std::uint32_t& place = loops[loop].parent == no_index ? next.back() : next[loops[loop].parent];
    loop_in_[loop] = place;
    loop_out_[loop] = place += size[loop];
    next[loop] = loop_in_[loop] + 1;
  }
}

// Most functions are asked for their control flow alone.
void FunctionValues::find_definitions() const {
  std::vector<std::pair<RegisterNumber, std::uint32_t>> writes;
  RegisterUses uses;
  for (const Block& block : cfg_.blocks) {
    for (std::uint32_t s = block.first; s <= block.last && block.first_instruction != no_index; ++s) {
      const Statement statement = module_.statement(s);
      if (statement.kind() != StatementKind::instruction) continue;
      register_uses(statement, uses);
      for (const RegisterNumber r : uses.writes) writes.emplace_back(r, s);
    }
  }
  std::sort(writes.begin(), writes.end());
  writes.erase(std::unique(writes.begin(), writes.end()), writes.end());
  definition_offsets_.assign(function_->register_count + 1, 0);
  definition_list_.reserve(writes.size());
  for (const auto& [reg, statement] : writes) {
    ++definition_offsets_[reg + 1];
    definition_list_.push_back(statement);
  }
  for (std::size_t r = 1; r < definition_offsets_.size(); ++r) definition_offsets_[r] += definition_offsets_[r - 1];
}

ExprPool& FunctionValues::pool() { return owner_.pool(); }

ExprId FunctionValues::give_up(unsigned bits, std::string_view why) {
  gave_up_ = true;
  return pool().unknown(bits, std::string("gave up: ").append(why));
}

unsigned FunctionValues::width(Variable_ variable) const {
  if (variable >= function_->register_count) return slots_[variable - function_->register_count].bits;
  const Type type = module_.register_declaration(*function_, variable).type;
  if (type == Type::pred) return 1;
  const unsigned bits = size_of(type) * 8;
  return bits == 0 || bits > 64 ? 64 : bits;
}

std::span<const std::uint32_t> FunctionValues::definitions(Variable_ variable) const {
  if (variable >= function_->register_count) return slot_definitions_[variable - function_->register_count];
  if (definition_offsets_.empty()) find_definitions();
  const std::uint32_t first = definition_offsets_[variable];
  return std::span<const std::uint32_t>(definition_list_).subspan(first, definition_offsets_[variable + 1] - first);
}

std::uint32_t FunctionValues::last_definition(Variable_ variable, BlockId block, std::uint32_t before_statement) const {
  const auto list = definitions(variable);
  const auto after = std::lower_bound(list.begin(), list.end(), before_statement);
  if (after == list.begin() || *(after - 1) < cfg_.blocks[block].first) return no_index;
  return *(after - 1);
}

bool FunctionValues::in_loop(BlockId block, std::uint32_t loop) const {
  const std::uint32_t innermost = cfg_.blocks[block].loop;
  return innermost != no_index && loop != no_index && loop_in_[loop] <= loop_in_[innermost] &&
         loop_in_[innermost] < loop_out_[loop];
}

ExprId FunctionValues::before(RegisterNumber reg, std::uint32_t statement) { return variable_before(reg, statement); }

ExprId FunctionValues::predicate_before(RegisterNumber reg, std::uint32_t statement) {
  if (reg >= function_->register_count || width(reg) != 1)
    return pool().unknown(1, "a guard that is no predicate register");
  return variable_before(reg, statement);
}

ExprId FunctionValues::variable_before(Variable_ variable, std::uint32_t statement) {
  const BlockId block = cfg_.block_of(statement);
  if (block == no_block) return pool().unknown(width(variable), "outside the function's control flow");
  const std::uint32_t at = last_definition(variable, block, statement);
  return at != no_index ? defined_by(at, variable) : at_entry(block, variable);
}

ExprId FunctionValues::at_exit(BlockId block, Variable_ variable) {
  const std::uint32_t at = last_definition(variable, block, cfg_.blocks[block].last + 1);
  return at != no_index ? defined_by(at, variable) : at_entry(block, variable);
}

ExprId FunctionValues::initial(Variable_ variable) {
  if (variable < function_->register_count) {
    // Old PTX passes parameters in registers: `.func (.reg .u32 r) f (.reg .u32 a)`.
    const NameId name = module_.find_name(module_.register_name(*function_, variable));
    if (const auto index = parameter_named(name)) return pool().parameter(*index, 0, width(variable));
    return pool().unknown(width(variable), "read before it is written");
  }
  return pool().unknown(width(variable), "local memory read before it is written");
}

const std::vector<FunctionValues::DefiningBlock>& FunctionValues::defining_blocks(Variable_ variable) {
  const auto [at, fresh] = defining_blocks_.try_emplace(variable);
  std::vector<DefiningBlock>& blocks = at->second;
  if (!fresh) return blocks;
  for (const std::uint32_t d : definitions(variable)) {
    const BlockId where = cfg_.block_of(d);
    if (where == no_block || !cfg_.blocks[where].reachable) continue;
    const DefiningBlock one{cfg_.dominator_in[where], where};
    if (blocks.empty() || blocks.back().block != where) blocks.push_back(one);
  }
  std::sort(blocks.begin(), blocks.end(),
            [](const DefiningBlock& a, const DefiningBlock& b) { return a.entered < b.entered; });
  return blocks;
}

// Whether a block that `dominator` strictly dominates writes it: those follow it directly in the order in which the
// dominator tree is entered.
bool FunctionValues::is_written_below(Variable_ variable, BlockId dominator) {
  const auto& blocks = defining_blocks(variable);
  const auto next = std::upper_bound(blocks.begin(), blocks.end(), cfg_.dominator_in[dominator],
                                     [](std::uint32_t entered, const DefiningBlock& d) { return entered < d.entered; });
  return next != blocks.end() && next->block != dominator && cfg_.dominates(dominator, next->block);
}

// For each block, the joins at which it stops being the only way: its dominance frontier. Cytron et al., "Efficiently
// computing static single assignment form and the control dependence graph" (1991).
void FunctionValues::find_frontiers() {
  const std::size_t most = 64 * (cfg_.blocks.size() + 1024);
  std::vector<std::pair<BlockId, BlockId>> found;  // block, join
  std::vector<BlockId> latest(cfg_.blocks.size(), no_block);
  for (const Block& join : cfg_.blocks) {
    if (!join.reachable || join.predecessors.size() < 2) continue;
    for (const std::uint32_t e : join.predecessors) {
      BlockId block = cfg_.edges[e].from;
      if (!cfg_.blocks[block].reachable) continue;
      for (; block != join.immediate_dominator && latest[block] != join.id;
           block = cfg_.blocks[block].immediate_dominator) {
        latest[block] = join.id;
        ++steps_;
        found.emplace_back(block, join.id);
      }
    }
    frontiers_too_large_ = found.size() > most;
    if (frontiers_too_large_) found.clear();
    if (frontiers_too_large_) break;
  }
  frontier_offsets_.assign(cfg_.blocks.size() + 1, 0);
  for (const auto& [block, join] : found) ++frontier_offsets_[block + 1];
  std::partial_sum(frontier_offsets_.begin(), frontier_offsets_.end(), frontier_offsets_.begin());
  frontier_list_.resize(found.size());
  std::vector<std::uint32_t> next(frontier_offsets_.begin(), frontier_offsets_.end() - 1);
  for (const auto& [block, join] : found) frontier_list_[next[block]++] = join;
  joined_at_.assign(cfg_.blocks.size(), no_index);
}

std::span<const BlockId> FunctionValues::frontier(BlockId block) const {
  const std::uint32_t first = frontier_offsets_[block];
  return std::span<const BlockId>(frontier_list_).subspan(first, frontier_offsets_[block + 1] - first);
}

std::vector<BlockId> FunctionValues::find_joins(Variable_ variable) {
  if (frontier_offsets_.empty()) find_frontiers();
  std::vector<BlockId> joins;
  steps_ += frontiers_too_large_ ? cfg_.blocks.size() : defining_blocks(variable).size();
  if (frontiers_too_large_) {  // a deep nest: then all joins that something behind their dominator writes
    for (const Block& b : cfg_.blocks)
      if (b.immediate_dominator != no_block && b.predecessors.size() > 1 &&
          is_written_below(variable, b.immediate_dominator))
        joins.push_back(b.id);
    return joins;
  }
  const auto add = [&](BlockId block) {
    for (const BlockId join : frontier(block))
      if (std::exchange(joined_at_[join], variable) != variable) joins.push_back(join);
  };
  for (const DefiningBlock& one : defining_blocks(variable)) add(one.block);
  for (std::size_t i = 0; i < joins.size(); ++i) add(joins[i]);
  steps_ += joins.size();
  std::sort(joins.begin(), joins.end());
  return joins;
}

const FunctionValues::Places& FunctionValues::places(Variable_ variable) {
  const auto [at, fresh] = places_.try_emplace(variable);
  Places& found = at->second;
  if (!fresh) return found;
  found.joins = find_joins(variable);
  std::vector<BlockId> blocks = found.joins;
  written_in_.resize(cfg_.loops.size(), no_index);
  for (const DefiningBlock& one : defining_blocks(variable)) {
    blocks.push_back(one.block);
    for (std::uint32_t l = cfg_.blocks[one.block].loop; l != no_index; l = cfg_.loops[l].parent) {
      if (std::exchange(written_in_[l], variable) == variable) break;
      found.loops.push_back(l);
    }
  }
  std::sort(found.loops.begin(), found.loops.end());
  std::ranges::sort(blocks, {}, [&](BlockId block) { return cfg_.dominator_in[block]; });
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  std::vector<BlockId> open;
  const auto close = [&](std::uint32_t until) {
    while (!open.empty() && cfg_.dominator_out[open.back()] < until) {
      const std::uint32_t left = cfg_.dominator_out[open.back()];
      open.pop_back();
      found.innermost.emplace_back(left, open.empty() ? no_block : open.back());
    }
  };
  for (const BlockId block : blocks) {
    close(cfg_.dominator_in[block]);
    open.push_back(block);
    found.innermost.emplace_back(cfg_.dominator_in[block], block);
  }
  close(no_index);
  return found;
}

bool FunctionValues::Places::joins_at(BlockId block) const {
  return std::binary_search(joins.begin(), joins.end(), block);
}

BlockId FunctionValues::Places::above(std::uint32_t entered) const {
  const auto next = std::ranges::lower_bound(innermost, entered, {}, [](const auto& one) { return one.first; });
  return next == innermost.begin() ? no_block : std::prev(next)->second;
}

ExprId FunctionValues::at_entry(BlockId block, Variable_ variable) {
  if (const ExprId* known = entry_values_.find(key(block, variable))) return *known;
  const Places& where = places(variable);
  ++steps_;
  ExprId value{};
  if (!cfg_.blocks[block].reachable) {
    value = pool().unknown(width(variable), "in code that is never reached");
  } else if (where.joins_at(block)) {
    value = merge(block, variable);
  } else if (const BlockId above = where.above(cfg_.dominator_in[block]); above != no_block) {
    const std::uint32_t at = last_definition(variable, above, cfg_.blocks[above].last + 1);
    value = at != no_index ? defined_by(at, variable) : at_entry(above, variable);
  } else {
    value = block == 0 ? initial(variable) : at_entry(0, variable);
  }
  entry_values_.add(key(block, variable), value);
  return value;
}

ExprId FunctionValues::merge(BlockId block, Variable_ variable) {
  if (depth_ >= max_depth) return give_up(width(variable), "the chain of definitions is too long");
  const Deeper deeper(depth_);
  const Block& b = cfg_.blocks[block];
  const bool is_header = b.loop != no_index && cfg_.loops[b.loop].header == block;
  bool carried = !irreducible_.empty() && irreducible_[block] != 0;
  if (is_header && !carried) carried = std::ranges::binary_search(places(variable).loops, b.loop);
  std::optional<ExprId> placeholder;
  if (carried) {
    placeholder = pool().phi(block, width(variable));
    entry_values_.add(key(block, variable), *placeholder);
  } else if (const auto [at, fresh] = merging_.try_emplace(key(block, variable)); !fresh) {
    // Asked again while being worked out: an irreducible loop leads back here.
    if (!at->second) at->second = pool().phi(block, width(variable));
    return *at->second;
  }
  std::vector<std::pair<std::uint32_t, ExprId>> incoming;  // edge, value
  for (const std::uint32_t e : b.predecessors) {
    ++steps_;
    const BlockId from = cfg_.edges[e].from;
    if (!cfg_.blocks[from].reachable) continue;
    if (is_header && !carried && in_loop(from, b.loop)) continue;  // unchanged around the loop
    incoming.emplace_back(e, at_exit(from, variable));
  }
  std::vector<ExprId> values;
  if (block == 0) values.push_back(initial(variable));
  std::unordered_set<std::uint32_t> seen;  // beside the list, where that is long
  for (const auto& [edge, value] : incoming) {
    constexpr std::size_t few = 16;
    const bool is_new = incoming.size() <= few ? std::find(values.begin(), values.end(), value) == values.end()
                                               : seen.insert(static_cast<std::uint32_t>(value)).second;
    if (is_new) values.push_back(value);
  }
  if (!carried) {
    const auto at = merging_.find(key(block, variable));
    placeholder = at->second;
    merging_.erase(at);
  }
  if (placeholder) {
    values.erase(std::remove(values.begin(), values.end(), *placeholder), values.end());
    pool().set_phi_kids(*placeholder, values);
    return *placeholder;
  }
  if (values.size() == 1) return values.front();
  // A join of several ways: the choice as an expression, where the way here is short and has no loop.
  const BlockId dominator = b.immediate_dominator;
  if (dominator != no_block && !is_header && incoming.size() <= 8) {
    std::unordered_map<BlockId, ExprId> done;
    unsigned budget = max_region;
    std::optional<ExprId> chosen;
    for (auto at = incoming.rbegin(); at != incoming.rend(); ++at) {
      if (!chosen) {
        chosen = at->second;
        continue;
      }
      const Edge& edge = cfg_.edges[at->first];
      const auto way = edge.from == dominator ? std::optional(pool().true_value())
                                              : relative_reach(dominator, edge.from, done, budget);
      if (!way) {
        chosen.reset();
        break;
      }
      chosen = pool().select(pool().binary(ExprOp::and_, *way, edge_condition(at->first)), at->second, *chosen, true);
    }
    if (chosen) return *chosen;
  }
  const ExprId joined = pool().phi(block, width(variable));
  pool().set_phi_kids(joined, values);
  return joined;
}

std::optional<ExprId> FunctionValues::relative_reach(BlockId from, BlockId block,
                                                     std::unordered_map<BlockId, ExprId>& done, unsigned& budget) {
  if (block == from) return pool().true_value();
  if (const auto found = done.find(block); found != done.end()) return found->second;
  const Block& b = cfg_.blocks[block];
  const bool is_header = b.loop != no_index && cfg_.loops[b.loop].header == block;
  if (is_header || budget == 0 || b.immediate_dominator == no_block || depth_ >= max_depth ||
      !cfg_.irreducible_headers.empty()) {
    return std::nullopt;
  }
  // Leaving a loop between the two: the number of rounds decides, which no expression here says.
  if (b.loop != cfg_.blocks[from].loop && !in_loop(from, b.loop)) return std::nullopt;
  --budget;
  ++steps_;
  const Deeper deeper(depth_);
  ExprId any = pool().false_value();
  for (const std::uint32_t e : b.predecessors) {
    const BlockId p = cfg_.edges[e].from;
    if (!cfg_.blocks[p].reachable) continue;
    if (cfg_.blocks[p].loop != b.loop && !in_loop(from, cfg_.blocks[p].loop)) return std::nullopt;
    const auto before_it = relative_reach(from, p, done, budget);
    if (!before_it) return std::nullopt;
    any = pool().binary(ExprOp::or_, any, pool().binary(ExprOp::and_, *before_it, edge_condition(e)));
  }
  done.emplace(block, any);
  return any;
}

ExprId FunctionValues::defined_by(std::uint32_t statement, Variable_ variable) {
  if (const ExprId* known = definition_values_.find(key(statement, variable))) return *known;
  if (depth_ >= max_depth) return give_up(width(variable), "the chain of definitions is too long");
  const Deeper deeper(depth_);
  if (depth_ % settle_every == 0) {
    settle_chain(statement);
    if (const ExprId* known = definition_values_.find(key(statement, variable))) return *known;
  }
  ++steps_;
  const Statement instruction = module_.statement(statement);
  const bool is_slot = variable >= function_->register_count;
  ExprId value =
      is_slot ? slot_stored(variable - function_->register_count, statement) : evaluate(instruction, variable);
  if (const auto guard = instruction.guard()) {
    const ExprId old = variable_before(variable, statement);
    ExprId condition = predicate_before(guard_register(*guard), statement);
    if (guard->negated) condition = pool().negate(condition);
    value = pool().select(condition, value, old);
  }
  definition_values_.add(key(statement, variable), value);
  return value;
}

// A long straight chain of definitions would nest as deep as it is long: work it off bottom-up instead.
void FunctionValues::settle_chain(std::uint32_t statement) {
  struct Frame {
    std::uint32_t statement;
    RegisterNumber reg;
    bool opened;
  };
  std::vector<Frame> stack;
  std::unordered_set<std::uint64_t> seen;
  RegisterUses uses;
  const auto open = [&](std::uint32_t s) {
    ++steps_;
    register_uses(module_.statement(s), uses);
    const BlockId block = cfg_.block_of(s);
    for (const RegisterNumber r : uses.reads) {
      std::uint32_t at = last_definition(r, block, s);
      if (at == no_index) {
        const auto all = definitions(r);
        if (all.size() != 1) continue;
        const BlockId where = cfg_.block_of(all.front());
        if (where == no_block || where == block || !cfg_.dominates(where, block)) continue;
        at = all.front();
      }
      if (!definition_values_.contains(key(at, r)) && seen.insert(key(at, r)).second) stack.push_back({at, r, false});
    }
  };
  open(statement);
  while (!stack.empty() && seen.size() < max_settled) {
    if (stack.back().opened) {
      const Frame frame = stack.back();
      stack.pop_back();
      const unsigned depth = depth_;
      depth_ = depth - (depth % settle_every) + 1;  // its operands are done: it nests no further
      static_cast<void>(defined_by(frame.statement, frame.reg));
      depth_ = depth;
      continue;
    }
    stack.back().opened = true;
    open(stack.back().statement);
  }
}

std::uint32_t FunctionValues::reaching_definition(RegisterNumber reg, std::uint32_t statement) {
  if (reg >= function_->register_count) return no_index;
  const BlockId block = cfg_.block_of(statement);
  if (block == no_block) return no_index;
  if (const std::uint32_t at = last_definition(reg, block, statement); at != no_index) return at;
  const Places& where = places(reg);
  ++steps_;
  const BlockId above = where.joins_at(block) ? no_block : where.above(cfg_.dominator_in[block]);
  return above == no_block ? no_index : last_definition(reg, above, cfg_.blocks[above].last + 1);
}

ExprId FunctionValues::edge_condition(std::uint32_t edge) {
  edge_conditions_.resize(cfg_.edges.size());
  if (edge_conditions_[edge]) return *edge_conditions_[edge];
  const Edge& e = cfg_.edges[edge];
  ExprId condition = pool().true_value();
  if (e.kind == EdgeKind::indirect) {
    const Statement branch = module_.statement(e.statement);
    const auto operands = branch.operands();
    if (operands.size() >= 2 && !e.cases.empty()) {
      const ExprId index = value_of(operands[0], 32, e.statement);
      condition = pool().false_value();
      for (const std::uint32_t c : e.cases) {
        condition =
            pool().binary(ExprOp::or_, condition, pool().compare(ExprOp::eq, Type::u32, index, pool().constant(c, 32)));
      }
    } else {
      condition = pool().unknown(1, "an indirect branch whose target is computed");
    }
    if (const auto guard = branch.guard()) {
      ExprId taken = predicate_before(guard_register(*guard), e.statement);
      if (guard->negated) taken = pool().negate(taken);
      condition = pool().binary(ExprOp::and_, taken, condition);
    }
  } else if (e.conditional) {
    condition = predicate_before(e.predicate, e.statement);
    if (e.negated) condition = pool().negate(condition);
  }
  if (!edge_conditions_[edge]) edge_conditions_[edge] = condition;  // a way around a loop may have asked for it too
  return condition;
}

ExprId FunctionValues::reach(BlockId block) {
  reach_.resize(cfg_.blocks.size());
  if (reach_[block]) return *reach_[block];
  const bool all_calls_return = checked_calls().empty();
  // What the answer needs: blocks backwards from here, past those that every way comes through.
  std::vector<BlockId> needed{block};
  std::unordered_set<BlockId> seen{block};
  const auto need = [&](BlockId b) {
    if (!reach_[b] && cfg_.blocks[b].reachable && seen.insert(b).second) needed.push_back(b);
  };
  for (std::size_t i = 0; i < needed.size(); ++i) {
    ++steps_;
    const Block& b = cfg_.blocks[needed[i]];
    const BlockId dominator = b.immediate_dominator;
    if (dominator != no_block && all_calls_return && cfg_.post_dominates(b.id, dominator)) {
      need(dominator);
      continue;
    }
    for (const std::uint32_t e : b.predecessors) {
      const BlockId from = cfg_.edges[e].from;
      need(from);
      for (std::uint32_t l = cfg_.blocks[from].loop; l != no_index; l = cfg_.loops[l].parent) {
        if (!in_loop(b.id, l)) need(cfg_.loops[l].header);
      }
    }
  }
  // Each block after those that lead to it, back edges apart.
  if (order_.empty()) {
    order_.assign(cfg_.blocks.size(), no_index);
    for (std::uint32_t i = 0; i < cfg_.reverse_postorder.size(); ++i) order_[cfg_.reverse_postorder[i]] = i;
  }
  std::sort(needed.begin(), needed.end(), [&](BlockId a, BlockId b) { return order_[a] < order_[b]; });
  for (const BlockId id : needed) {
    const ExprId value = reach_from_predecessors(id);
    if (!reach_[id]) reach_[id] = value;
  }
  return reach_[block].value();
}

ExprId FunctionValues::reach_from_predecessors(BlockId id) {
  const Block& b = cfg_.blocks[id];
  if (id == 0) return pool().true_value();
  const BlockId dominator = b.immediate_dominator;
  const bool all_calls_return = checked_calls().empty();
  if (dominator != no_block && all_calls_return && cfg_.post_dominates(id, dominator)) {
    return reach_[dominator].value();  // every way from there comes here
  }
  const bool is_header = b.loop != no_index && cfg_.loops[b.loop].header == id;
  ExprId value = pool().false_value();
  std::vector<std::uint32_t> left_loops;
  for (const std::uint32_t e : b.predecessors) {
    const BlockId from = cfg_.edges[e].from;
    const std::optional<ExprId> before_it = reach_[from];
    if (!cfg_.blocks[from].reachable) continue;
    if (!before_it || (is_header && in_loop(from, b.loop))) continue;  // a back edge
    // The edge leaves a loop: which round it is taken in is not known, but if it is the only way out, the loop ends
    // through it. Else it is taken in some round, if at all: the condition speaks of that round's values (phis).
    std::uint32_t outermost = no_index;
    for (std::uint32_t l = cfg_.blocks[from].loop; l != no_index && !in_loop(id, l); l = cfg_.loops[l].parent)
      outermost = l;
    if (outermost != no_index) {
      if (std::find(left_loops.begin(), left_loops.end(), outermost) != left_loops.end()) continue;
      if (all_calls_return && is_only_way_out(outermost, id)) {
        left_loops.push_back(outermost);
        value = pool().binary(ExprOp::or_, value, reach_[cfg_.loops[outermost].header].value());
        continue;
      }
    }
    ExprId way = pool().binary(ExprOp::and_, *before_it, edge_condition(e));
    if (!all_calls_return) way = pool().binary(ExprOp::and_, way, calls_return(from));
    value = pool().binary(ExprOp::or_, value, way);
  }
  return value;
}

bool FunctionValues::is_only_way_out(std::uint32_t loop, BlockId target) {
  only_exit_.resize(cfg_.loops.size());
  std::optional<BlockId>& only = only_exit_[loop];
  if (!only) {
    only = no_block;
    for (const BlockId inside : cfg_.loops[loop].blocks) {
      ++steps_;
      const Block& in = cfg_.blocks[inside];
      bool leaves_elsewhere = in.successors.empty() || in.conditional_end;
      for (const std::uint32_t out : in.successors) {
        const BlockId to = cfg_.edges[out].to;
        if (in_loop(to, loop)) continue;
        leaves_elsewhere |= *only != no_block && *only != to;
        only = to;
      }
      if (!leaves_elsewhere) continue;
      only = no_block;
      break;
    }
  }
  return *only == target;
}

const std::vector<FunctionValues::CheckedCall>& FunctionValues::checked_calls() {
  if (checked_calls_) return *checked_calls_;
  checked_calls_.emplace();
  if (!owner_.call_fails) return *checked_calls_;
  const auto index = static_cast<std::uint32_t>(function_ - module_.functions().data());
  std::vector<CheckedCall> found;
  for (const Block& block : cfg_.blocks) {
    if (!block.reachable || block.first_instruction == no_index) continue;
    for (std::uint32_t s = block.first_instruction; s < block.last_instruction;
         ++s) {  // one that ends its block does not return
      const Statement statement = module_.statement(s);
      if (statement.kind() != StatementKind::instruction ||
          owner_.form(statement.opcode_id()).operation != Operation::call)
        continue;
      if (const auto fails = owner_.call_fails(index, s)) found.push_back({s, block.id, pool().negate(*fails), {}});
    }
  }
  checked_calls_ = std::move(found);
  return *checked_calls_;
}

// They are in the order of their blocks.
std::span<FunctionValues::CheckedCall> FunctionValues::checked_calls_of(BlockId block) {
  checked_calls();
  const auto first = std::ranges::lower_bound(*checked_calls_, block, {}, &CheckedCall::block);
  const auto last = std::ranges::upper_bound(*checked_calls_, block, {}, &CheckedCall::block);
  return {first, last};
}

ExprId FunctionValues::calls_return(BlockId block, std::uint32_t statement) {
  ExprId all = pool().true_value();
  for (CheckedCall& call : checked_calls_of(block)) {
    if (call.statement >= statement) break;
    if (!call.with_those_before) call.with_those_before = pool().binary(ExprOp::and_, all, call.returns);
    all = *call.with_those_before;
  }
  return all;
}

// For each block, the nearest one at or above it in the dominator tree that says something: one edge alone leads there
// (other than around a loop), or calls stand before it.
void FunctionValues::find_known() {
  known_calls_ = checked_calls().size();
  only_edge_.assign(cfg_.blocks.size(), no_index);
  known_from_.assign(cfg_.blocks.size(), no_block);
  for (const BlockId b : cfg_.reverse_postorder) {
    unsigned count = 0;
    for (const std::uint32_t e : cfg_.blocks[b].predecessors) {
      const BlockId from = cfg_.edges[e].from;
      if (!cfg_.blocks[from].reachable || cfg_.dominates(b, from)) continue;
      ++count;
      only_edge_[b] = e;
    }
    if (count != 1) only_edge_[b] = no_index;
    const BlockId dominator = cfg_.blocks[b].immediate_dominator;
    if (dominator == no_block) continue;
    const bool says_something = only_edge_[b] != no_index || !checked_calls_of(dominator).empty();
    known_from_[b] = says_something ? b : known_from_[dominator];
  }
}

std::vector<ExprId> FunctionValues::known_at(BlockId block, std::uint32_t statement) {
  std::vector<ExprId> known;
  const auto add_calls = [&](BlockId b, std::uint32_t before_statement) {
    const auto calls = checked_calls_of(b);
    for (auto call = calls.rbegin(); call != calls.rend(); ++call) {
      if (call->statement < before_statement) known.push_back(call->returns);
    }
  };
  if (statement != no_index) add_calls(block, statement);
  constexpr std::size_t max_known = 128;  // the nearest ones
  if (known_from_.empty() || known_calls_ != checked_calls().size()) find_known();
  // Up the dominator tree: an edge that is the only way into a dominator was taken.
  for (BlockId b = known_from_[block]; b != no_block && known.size() < max_known;) {
    ++steps_;
    if (only_edge_[b] != no_index) known.push_back(edge_condition(only_edge_[b]));
    const BlockId dominator = cfg_.blocks[b].immediate_dominator;
    add_calls(dominator, no_index);
    b = known_from_[dominator];
  }
  std::reverse(known.begin(), known.end());
  std::vector<ExprId> once;
  std::unordered_set<std::uint32_t> seen;
  for (const ExprId k : known) {
    if (!pool().is_constant(k) && seen.insert(static_cast<std::uint32_t>(k)).second) once.push_back(k);
  }
  return once;
}

bool FunctionValues::has_local_variables() const {
  const auto locals = module_.local_variables();
  return std::any_of(local_names_.begin(), local_names_.end(),
                     [&](const auto& entry) { return locals[entry.second].space == StateSpace::local; });
}

ModuleValues::ModuleValues(const Module& module, std::shared_ptr<ExprPool> pool)
    : module_(module), pool_(std::move(pool)), forms_(module.opcode_count()), never_returns_(module) {
  const auto functions = module.functions();
  for (std::uint32_t i = 0; i < functions.size(); ++i) {
    if (functions[i].has_body) defined_.emplace(functions[i].name, i);
  }
}

void ModuleValues::start_over(std::shared_ptr<ExprPool> pool) {
  functions_.clear();
  pool_ = std::move(pool);
}

FunctionValues& ModuleValues::of(std::uint32_t function) {
  auto& slot = functions_[function];
  if (!slot) {
    slot = std::make_unique<FunctionValues>(*this, function,
                                            build_cfg(module_, function, {.never_returns = &never_returns_}));
    if (slot->has_local_variables())
      slot->find_slots();  // before anything asks: its first pass takes local loads for unknown
  }
  return *slot;
}

std::optional<std::uint32_t> ModuleValues::defined(NameId name) const {
  const auto found = defined_.find(name);
  return found == defined_.end() ? std::nullopt : std::optional(found->second);
}

const std::vector<std::uint32_t>& ModuleValues::address_taken() {
  if (address_taken_) return *address_taken_;
  address_taken_.emplace();
  std::unordered_set<std::uint32_t> taken;
  for (const ptxscope::Variable& variable : module_.variables()) {
    if (variable.initializer.empty() || size_of(variable.type) < 4) continue;
    for (const InitializerValue& value : module_.initializer(variable)) {
      if (const auto body = value.is_symbol ? defined(value.symbol) : std::nullopt) taken.insert(*body);
    }
  }
  for (std::uint32_t s = 0; s < module_.statement_count(); ++s) {
    const Statement statement = module_.statement(s);
    if (statement.kind() != StatementKind::instruction || form(statement.opcode_id()).operation == Operation::call)
      continue;
    for (const Operand operand : statement.operands()) {
      if (operand.kind() != OperandKind::name) continue;
      if (const auto body = defined(operand.name())) taken.insert(*body);
    }
  }
  address_taken_->assign(taken.begin(), taken.end());
  std::sort(address_taken_->begin(), address_taken_->end());
  return *address_taken_;
}

const OpcodeForm& ModuleValues::form(OpcodeId opcode) {
  auto& slot = forms_[static_cast<std::uint32_t>(opcode)];
  if (!slot) slot = read_form(module_.opcode(opcode));
  return *slot;
}

}  // namespace ptxscope::analysis
