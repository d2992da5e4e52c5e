#include "analysis/cfg.h"

#include <algorithm>
#include <string>

#include "analysis/flow_graph.h"
#include "analysis/labels.h"

namespace ptxscope::analysis {

namespace {

enum class Terminator : std::uint8_t { none, branch, indirect, ret, exit, trap, call };

// Every instruction passes here, so this is by length and letters, not by the table of isa/.
Terminator terminator_of(std::string_view mnemonic) {
  switch (mnemonic.size()) {
    case 3:
      if (mnemonic == "bra") return Terminator::branch;
      if (mnemonic == "ret") return Terminator::ret;
      if (mnemonic == "brx") return Terminator::indirect;
      break;
    case 4:
      if (mnemonic == "call") return Terminator::call;
      if (mnemonic == "exit") return Terminator::exit;
      if (mnemonic == "trap") return Terminator::trap;
      break;
    default:
      break;
  }
  return Terminator::none;
}

// An instruction that ends a block.
struct End {
  std::uint32_t statement = 0;
  Terminator kind = Terminator::none;
  bool guarded = false;
  bool negated = false;
  RegisterNumber predicate = 0;
  std::uint32_t target = no_index;          // branch: statement of the label
  std::uint32_t first_case = 0, cases = 0;  // indirect: in Builder::case_targets_
};

// Labels that debug information refers to: `-G` puts them everywhere.
bool is_debug_label(std::string_view name) {
  while (name.starts_with('$') || name.starts_with('_')) name.remove_prefix(1);
  return name.starts_with("L__tmp") || name.starts_with("L__func_") || name.starts_with("L__info") ||
         name.starts_with("Ltmp") || name.starts_with("Lfunc_") || name.starts_with("L__debug");
}

class CfgBuilder {
 public:
  CfgBuilder(const Module& module, std::uint32_t function, const CfgOptions& options)
      : module_(module),
        function_(module.functions()[function]),
        own_memory_(module, small_body),
        never_returns_(options.never_returns != nullptr ? *options.never_returns : own_memory_) {
    cfg_.function = function;
    begin_ = function_.body_begin + 1;
    end_ = std::max(begin_, std::min(function_.body_end, module.statement_count()));
  }

  Cfg build(const CfgOptions& options) {
    find_ends();
    cut_blocks();
    connect_blocks();
    complete_flow(cfg_, options.post_dominators, options.loops);
    return std::move(cfg_);
  }

 private:
  static constexpr std::uint32_t small_body = 256;  // statements, of callees looked into without a shared memory

  static constexpr std::size_t most_reasons = 20;

  void give_up(Span span, const std::string& message) {
    cfg_.complete = false;
    if (cfg_.incomplete_reasons.size() < most_reasons)
      cfg_.incomplete_reasons.push_back("line " + std::to_string(module_.position(span).line) + ": " + message);
  }

  void give_up(Level level, Span span, std::string message) {
    give_up(span, message);
    if (cfg_.diagnostics.size() < most_reasons)
      cfg_.diagnostics.push_back({level, "PTX-LABEL", span, std::move(message), {}, {}});
  }

  std::string quoted(NameId name) const { return "'" + std::string(module_.name(name)) + "'"; }

  // Statement of the label that `operand` of a branch means; no_index, and a diagnostic, when there is none.
  std::uint32_t resolve(const LabelScopes& labels, const Operand& operand) {
    if (operand.kind() != OperandKind::name) {
      give_up(Level::warning, operand.span(), "where this branch goes is not known");
      return no_index;
    }
    std::uint32_t target = labels.find(operand.name());
    // ptxas does not see into an inner scope, but what is meant is clear.
    if (target == no_index) target = labels.find_hidden(operand.name());
    if (target == no_index)
      give_up(Level::error, operand.span(), "there is no label " + quoted(operand.name()) + " to branch to");
    return target;
  }

  void mark_target(std::uint32_t label) {
    if (label != no_index) is_target_[label - begin_] = true;
  }

  void resolve_branch(const LabelScopes& labels, const Statement& statement, End& end) {
    const OperandRange operands = statement.operands();
    if (operands.empty()) {
      give_up(Level::error, statement.span(), "this branch names no label");
      return;
    }
    end.target = resolve(labels, operands[0]);
    mark_target(end.target);
  }

  // brx.idx index, table; the table is a label before a .branchtargets statement.
  void resolve_table(const LabelScopes& labels, const Statement& statement, End& end) {
    const OperandRange operands = statement.operands();
    end.first_case = static_cast<std::uint32_t>(case_targets_.size());
    if (operands.size() < 2) {
      give_up(Level::error, statement.span(), "this branch names no table of targets");
      return;
    }
    const std::uint32_t table_label = resolve(labels, operands[1]);
    if (table_label == no_index) return;
    if (table_label + 1 >= end_ || module_.statement(table_label + 1).kind() != StatementKind::branch_targets) {
      give_up(Level::error, operands[1].span(), quoted(operands[1].name()) + " is no .branchtargets table");
      return;
    }
    const OperandRange targets = module_.statement(table_label + 1).operands();
    if (case_targets_.size() + targets.size() > most_cases()) {
      constexpr std::string_view message =
          "the branches of this function by tables lead to too many places in all; where this one goes is left out";
      give_up(statement.span(), std::string(message));
      if (cfg_.diagnostics.size() < most_reasons)
        cfg_.diagnostics.push_back({Level::warning, "PTX-LIMIT", statement.span(), std::string(message), {}, {}});
      return;
    }
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const std::uint32_t target = resolve(labels, targets[i]);
      mark_target(target);
      case_targets_.push_back(target);
    }
    end.cases = static_cast<std::uint32_t>(case_targets_.size()) - end.first_case;
  }

  // Tables that each one branch uses are never too large; one that every branch uses would make edges without number.
  [[nodiscard]] std::size_t most_cases() const {
    constexpr std::size_t least = 100'000;
    return least + function_.span.size() / 2;  // bytes: a name and a comma take two at the least
  }

  void find_ends() {
    is_target_.assign(end_ - begin_, false);
    LabelScopes labels(module_, function_);
    std::uint32_t unparsed = 0, first_unparsed = 0;
    for (std::uint32_t i = begin_; i < end_; ++i) {
      const Statement statement = module_.statement(i);
      const StatementKind kind = statement.kind();
      if (kind != StatementKind::instruction) {
        labels.visit(statement);
        if (kind == StatementKind::unparsed && unparsed++ == 0) first_unparsed = i;
        continue;
      }
      const Terminator terminator = terminator_of(statement.opcode().mnemonic);
      if (terminator == Terminator::none) continue;
      if (terminator == Terminator::call && !never_returns_.callee(direct_callee(statement))) continue;
      End end;
      end.statement = i;
      end.kind = terminator;
      if (const auto guard = statement.guard()) {
        end.guarded = true;
        end.negated = guard->negated;
        end.predicate = guard->predicate.kind() == OperandKind::reg ? guard->predicate.reg() : no_index;
      }
      if (terminator == Terminator::branch) resolve_branch(labels, statement, end);
      if (terminator == Terminator::indirect) resolve_table(labels, statement, end);
      ends_.push_back(end);
    }
    if (unparsed != 0)
      give_up(module_.statement(first_unparsed).span(),
              unparsed == 1 ? std::string("a statement could not be read")
                            : std::to_string(unparsed) + " statements could not be read, the first here");
  }

  Block& new_block(std::uint32_t first) {
    Block& block = cfg_.blocks.emplace_back();
    block.id = static_cast<BlockId>(cfg_.blocks.size() - 1);
    block.first = first;
    return block;
  }

  void cut_blocks() {
    cfg_.blocks.reserve(ends_.size() + 2);
    new_block(begin_);
    auto end = ends_.begin();
    bool open = true;                 // the last block goes on
    bool labelled_by_target = false;  // its label is one that something jumps to
    std::uint32_t next_first = begin_;
    NameId waiting = no_name;  // label after the end of a block that nothing jumps to
    for (std::uint32_t i = begin_; i < end_; ++i) {
      const StatementKind kind = module_.statement(i).kind();
      if (kind == StatementKind::label) {
        if (i + 1 < end_ && labels_a_table(module_.statement(i + 1).kind())) continue;
        const NameId name = module_.statement(i).label();
        if (!is_target_[i - begin_]) {
          if (!open && waiting == no_name && !is_debug_label(module_.name(name))) waiting = name;
          continue;
        }
        // The entry keeps a block of its own, so that it has no predecessors even when the body begins with a loop.
        if (open && (cfg_.blocks.back().instructions != 0 || cfg_.blocks.size() == 1)) {
          cfg_.blocks.back().last = i - 1;
          new_block(i);
          labelled_by_target = false;
        } else if (!open) {
          new_block(next_first);
          open = true;
          labelled_by_target = false;
        }
        if (!labelled_by_target) cfg_.blocks.back().label = name;
        labelled_by_target = true;
      } else if (kind == StatementKind::instruction) {
        if (!open) {
          new_block(next_first).label = waiting;
          open = true;
        }
        Block& block = cfg_.blocks.back();
        if (block.instructions++ == 0) block.first_instruction = i;
        block.last_instruction = i;
        if (end != ends_.end() && end->statement == i) {
          block.last = i;
          open = false;
          next_first = i + 1;
          waiting = no_name;
          ++end;
        }
      }
    }
    if (open) cfg_.blocks.back().last = end_ - 1;
  }

  static bool labels_a_table(StatementKind kind) {
    return kind == StatementKind::branch_targets || kind == StatementKind::call_targets ||
           kind == StatementKind::call_prototype;
  }

  BlockId block_at(std::uint32_t statement) const { return cfg_.block_of(statement); }

  Edge& add_edge(BlockId from, BlockId to, EdgeKind kind) {
    const auto index = static_cast<std::uint32_t>(cfg_.edges.size());
    Edge& edge = cfg_.edges.emplace_back();
    edge.from = from;
    edge.to = to;
    edge.kind = kind;
    cfg_.blocks[from].successors.push_back(index);
    cfg_.blocks[to].predecessors.push_back(index);
    return edge;
  }

  void set_condition(Edge& edge, const End& end, bool when_guard_holds) {
    edge.statement = end.statement;
    if (!end.guarded) return;
    edge.conditional = true;
    edge.predicate = end.predicate;
    edge.negated = when_guard_holds == end.negated;
  }

  void connect_cases(Block& block, const End& end) {
    // Few distinct targets stand behind many cases: one edge each.
    std::vector<std::pair<BlockId, std::uint32_t>> cases;
    for (std::uint32_t i = 0; i < end.cases; ++i) {
      const std::uint32_t target = case_targets_[end.first_case + i];
      if (target != no_index) cases.emplace_back(block_at(target), i);
    }
    std::ranges::sort(cases);
    for (std::size_t i = 0; i < cases.size();) {
      Edge& edge = add_edge(block.id, cases[i].first, EdgeKind::indirect);
      set_condition(edge, end, true);
      for (const BlockId to = cases[i].first; i < cases.size() && cases[i].first == to; ++i)
        edge.cases.push_back(cases[i].second);
    }
  }

  void fall_through(Block& block, const End* end) {
    if (block.id + 1 == cfg_.blocks.size()) {
      block.falls_off_end = true;
      return;
    }
    Edge& edge = add_edge(block.id, block.id + 1, EdgeKind::fallthrough);
    if (end != nullptr) set_condition(edge, *end, false);
  }

  void connect_blocks() {
    cfg_.edges.reserve(cfg_.blocks.size() + ends_.size());
    auto next_end = ends_.begin();
    for (Block& block : cfg_.blocks) {
      while (next_end != ends_.end() && next_end->statement < block.first) ++next_end;
      if (next_end == ends_.end() || next_end->statement != block.last_instruction) {
        block.end = BlockEnd::fallthrough;
        fall_through(block, nullptr);
        continue;
      }
      const End& end = *next_end;
      switch (end.kind) {
        case Terminator::branch:
          block.end = BlockEnd::branch;
          if (end.target != no_index)
            set_condition(add_edge(block.id, block_at(end.target), EdgeKind::taken), end, true);
          break;
        case Terminator::indirect:
          block.end = BlockEnd::indirect;
          connect_cases(block, end);
          break;
        case Terminator::ret:
          block.end = BlockEnd::ret;
          break;
        case Terminator::exit:
          block.end = BlockEnd::exit;
          break;
        case Terminator::trap:
        case Terminator::call:  // of what does not return
        case Terminator::none:
          block.end = BlockEnd::trap;
          break;
      }
      if (end.guarded) {
        block.conditional_end = end.kind != Terminator::branch && end.kind != Terminator::indirect;
        fall_through(block, &end);
      }
    }
  }

  const Module& module_;
  const Function& function_;
  NeverReturns own_memory_;
  NeverReturns& never_returns_;
  Cfg cfg_;
  std::uint32_t begin_ = 0, end_ = 0;  // statements of the body, half open
  std::vector<bool> is_target_;        // by statement
  std::vector<End> ends_;              // in the order of the text
  std::vector<std::uint32_t> case_targets_;
};

}  // namespace

Cfg build_cfg(const Module& module, std::uint32_t function, const CfgOptions& options) {
  return CfgBuilder(module, function, options).build(options);
}

BlockId Cfg::block_of(std::uint32_t statement) const {
  const auto after = std::ranges::upper_bound(blocks, statement, {}, &Block::first);
  if (after == blocks.begin()) return no_block;
  const Block& block = *(after - 1);
  return statement <= block.last ? block.id : no_block;
}

bool Cfg::dominates(BlockId a, BlockId b) const {
  return dominator_in[a] <= dominator_in[b] && dominator_out[b] <= dominator_out[a];
}

bool Cfg::post_dominates(BlockId a, BlockId b) const {
  return post_dominator_in[a] <= post_dominator_in[b] && post_dominator_out[b] <= post_dominator_out[a];
}

}  // namespace ptxscope::analysis
