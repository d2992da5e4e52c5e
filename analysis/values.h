// The values engine: what a register holds at a point of a function, as an expression over parameters, special
// registers and memory. Definitions are found on demand (registers may be written many times, also under a guard);
// each (block, register) and each definition is looked at once, so that the work is linear in what is asked for.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/cfg.h"
#include "analysis/expr.h"
#include "analysis/expr_table.h"
#include "analysis/opcode_forms.h"
#include "parser/module.h"

namespace ptxscope::analysis {

class ModuleValues;

/// The register of a guard; no_index where it names none (one that is not declared).
[[nodiscard]] inline RegisterNumber guard_register(const Guard& guard) {
  return guard.predicate.kind() == OperandKind::reg ? guard.predicate.reg() : no_index;
}

/// Values of one function, in terms of its own parameters.
class FunctionValues {
 public:
  FunctionValues(ModuleValues& owner, std::uint32_t function, Cfg cfg);  ///< made by ModuleValues::of()

  [[nodiscard]] const Cfg& cfg() const { return cfg_; }  ///< of the function, with post-dominators and loops
  [[nodiscard]] const Function& function() const { return *function_; }  ///< the one they are the values of

  /// The register just before that statement runs; its width is that of the register (1 for predicates).
  ExprId before(RegisterNumber reg, std::uint32_t statement);
  /// 1 bit: the register of a guard just before that statement runs; unknown where it is no predicate register.
  ExprId predicate_before(RegisterNumber reg, std::uint32_t statement);
  /// A source operand read as `bits` wide.
  ExprId value_of(const Operand& operand, unsigned bits, std::uint32_t statement);
  /// The address of an `[…]` operand.
  ExprId address_of(const Operand& operand, std::uint32_t statement);
  /// 1 bit: the edge is taken, given that its block ran to its end.
  ExprId edge_condition(std::uint32_t edge);
  /// 1 bit: control gets to the block from the function's entry. Exact where no loop decides it; otherwise it has
  /// unknowns inside.
  ExprId reach(BlockId block);
  /// Conditions that hold whenever control is in the block, outermost first.
  /// With `statement` (in that block): also what the calls before it, which came back, tell.
  std::vector<ExprId> known_at(BlockId block, std::uint32_t statement = no_index);
  /// 1 bit: every call of the block that stands before the statement (all of them: no_index) comes back.
  ExprId calls_return(BlockId block, std::uint32_t statement = no_index);
  /// The statement whose write is the only one to arrive there; no_index when several do, or none.
  std::uint32_t reaching_definition(RegisterNumber reg, std::uint32_t statement);
  /// What the callee of `call` gets as its parameter `index`, from `byte_offset` on.
  ExprId argument(std::uint32_t call, std::uint32_t index, std::uint64_t byte_offset, unsigned bits);
  /// What the function returns in its return parameter, in terms of its parameters.
  ExprId returned(std::uint64_t byte_offset, unsigned bits);
  /// `callee_value`, an expression over the callee's parameters, as seen by this caller.
  ExprId at_call(ExprId callee_value, std::uint32_t call);
  [[nodiscard]] ExprPool& pool_of() { return pool(); }  ///< shared with the ModuleValues
  /// Whether a bound was hit and some values are unknown for that reason.
  [[nodiscard]] bool gave_up() const { return gave_up_; }
  /// Statements, blocks and edges looked at so far: what the time grows with.
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  friend class ModuleValues;
  using Variable_ = std::uint32_t;  // a register number, or register_count + slot

  // One scalar piece of `.local` memory or of a return parameter that is always accessed whole.
  struct Slot {
    NameId variable = no_name;
    std::uint64_t offset = 0;
    unsigned bits = 0;
    bool mixed = false;  // accessed in other sizes too, or through computed addresses
  };
  struct SlotStore {
    std::uint32_t statement = 0;
    std::uint32_t element = 0;  // of a vector store; clobbered: something else may have written here
  };
  static constexpr std::uint32_t clobbered = 0xffffffffU;

  ExprPool& pool();
  ExprId at_entry(BlockId block, Variable_ variable);
  ExprId at_exit(BlockId block, Variable_ variable);
  ExprId merge(BlockId block, Variable_ variable);
  ExprId initial(Variable_ variable);
  ExprId defined_by(std::uint32_t statement, Variable_ variable);
  ExprId variable_before(Variable_ variable, std::uint32_t statement);
  [[nodiscard]] unsigned width(Variable_ variable) const;
  [[nodiscard]] std::span<const std::uint32_t> definitions(Variable_ variable) const;
  void find_definitions() const;
  struct DefiningBlock {
    std::uint32_t entered = 0;  // when a walk of the dominator tree enters it
    BlockId block = no_block;
  };
  const std::vector<DefiningBlock>& defining_blocks(Variable_ variable);
  // Where the value of a variable may change: the blocks that write it, and the joins to which several writes come (the
  // iterated dominance frontier of those blocks).
  struct Places {
    std::vector<BlockId> joins;  // ascending
    // When a walk of the dominator tree is there, and the innermost of those blocks that it is in from then on.
    std::vector<std::pair<std::uint32_t, BlockId>> innermost;
    std::vector<std::uint32_t> loops;  // ascending: all in which it is written

    [[nodiscard]] bool joins_at(BlockId block) const;
    [[nodiscard]] BlockId above(std::uint32_t entered) const;  // strictly above the block entered then; or no_block
  };
  const Places& places(Variable_ variable);
  std::vector<BlockId> find_joins(Variable_ variable);
  void find_frontiers();
  [[nodiscard]] std::span<const BlockId> frontier(BlockId block) const;
  bool is_written_below(Variable_ variable, BlockId dominator);
  std::uint32_t last_definition(Variable_ variable, BlockId block, std::uint32_t before_statement) const;
  void settle_chain(std::uint32_t statement);
  ExprId give_up(unsigned bits, std::string_view why);

  // The condition to get from `from` to the edge through the acyclic region between; nullopt: too large, or loops.
  std::optional<ExprId> relative_reach(BlockId from, BlockId block, std::unordered_map<BlockId, ExprId>& done,
                                       unsigned& budget);
  bool in_loop(BlockId block, std::uint32_t loop) const;
  void number_loops();
  ExprId reach_from_predecessors(BlockId block);
  bool is_only_way_out(std::uint32_t loop, BlockId target);
  struct CheckedCall {
    std::uint32_t statement = 0;
    BlockId block = no_block;
    ExprId returns{};
    std::optional<ExprId> with_those_before;  // in the block, all come back
  };
  const std::vector<CheckedCall>& checked_calls();
  std::span<CheckedCall> checked_calls_of(BlockId block);
  void find_known();

  // evaluate.cpp: what an instruction writes into that register.
  ExprId evaluate(const Statement& instruction, RegisterNumber target);
  ExprId evaluate_scalar(const Statement& instruction, const OpcodeForm& form, unsigned element, bool second_of_pair);
  ExprId evaluate_setp(const Statement& instruction, const OpcodeForm& form, bool second_of_pair);
  ExprId compare_operands(const Statement& instruction, const OpcodeForm& form, std::size_t first);
  ExprId combine(const Statement& instruction, const OpcodeForm& form, ExprId compared, std::size_t operand);
  ExprId evaluate_bits(const Statement& instruction, const OpcodeForm& form);
  ExprId evaluate_conversion(const Statement& instruction, const OpcodeForm& form);
  ExprId named_function(const Statement& instruction, const OpcodeForm& form, unsigned bits, bool pure);
  ExprId special_or_symbol(const Operand& operand, unsigned bits, std::uint32_t statement);

  // memory.cpp: loads, local slots, call sequences.
  ExprId evaluate_load(const Statement& instruction, const OpcodeForm& form, unsigned element);
  ExprId load_from(StateSpace space, Type type, ExprId address, std::uint32_t statement);
  void find_slots();
  [[nodiscard]] bool has_local_variables() const;
  std::optional<ExprId> slot_value(NameId variable, std::uint64_t offset, unsigned bits, std::uint32_t statement);
  ExprId slot_stored(std::uint32_t slot, std::uint32_t statement);
  ExprId call_result(NameId return_name, std::uint64_t offset, unsigned bits, std::uint32_t statement);
  std::vector<ExprId> stored_to_shared(ExprId address, unsigned bits);
  [[nodiscard]] std::optional<std::uint32_t> parameter_named(NameId name) const;
  [[nodiscard]] StateSpace space_of_symbol(NameId name) const;

  ModuleValues& owner_;
  const Module& module_;
  const Function* function_;
  Cfg cfg_;
  // Found when they are first asked for. By register: a range of definition_list_
  mutable std::vector<std::uint32_t> definition_offsets_;
  mutable std::vector<std::uint32_t> definition_list_;
  std::unordered_map<Variable_, std::vector<DefiningBlock>> defining_blocks_;
  std::unordered_map<Variable_, Places> places_;
  std::vector<Variable_> joined_at_;             // by block: the last variable found to join there
  std::vector<std::uint32_t> frontier_offsets_;  // by block: a range of frontier_list_
  std::vector<BlockId> frontier_list_;
  bool frontiers_too_large_ = false;
  std::vector<std::uint32_t> loop_in_, loop_out_;  // by loop: when a walk of their tree enters it, and has left it
  std::vector<std::optional<BlockId>> only_exit_;  // by loop: where alone it is left to; no_block: several ways
  std::vector<Variable_> written_in_;              // by loop: the last variable found to be written there
  std::vector<char> irreducible_;                  // by block: one of cfg_.irreducible_headers
  ExprTable entry_values_;
  ExprTable definition_values_;
  std::unordered_map<std::uint64_t, std::optional<ExprId>>
      merging_;                                              // joins being worked out, and their phi if asked for again
  std::vector<std::optional<ExprId>> edge_conditions_;       // by edge
  std::vector<std::optional<ExprId>> reach_;                 // by block
  std::vector<std::uint32_t> order_;                         // of each block in cfg_.reverse_postorder
  std::vector<std::uint32_t> only_edge_;                     // by block: the edge that alone leads there
  std::vector<BlockId> known_from_;                          // by block: see find_known()
  std::size_t known_calls_ = 0;                              // checked calls when those were found
  std::optional<std::vector<CheckedCall>> checked_calls_;    // calls that may end the thread instead of coming back
  std::optional<std::vector<std::uint32_t>> shared_stores_;  // statements that may store to shared memory
  std::unordered_map<NameId, std::uint32_t> parameters_;
  std::unordered_map<NameId, std::uint32_t> local_names_;  // function-level variables: index into local_variables()
  std::vector<Slot> slots_;
  std::vector<std::vector<std::uint32_t>> slot_definitions_;
  std::vector<std::unordered_map<std::uint32_t, std::uint32_t>> slot_elements_;
  std::unordered_map<std::uint64_t, std::uint32_t> slot_index_;
  std::vector<std::uint32_t> slot_order_;  // by variable and offset
  std::unordered_set<std::uint32_t> shared_in_progress_;
  enum class SlotState : std::uint8_t { none, finding, found } slot_state_ = SlotState::none;
  unsigned depth_ = 0;
  std::uint64_t steps_ = 0;
  bool gave_up_ = false;
};

/// The functions of a module, their values, and what passes between them.
class ModuleValues {
 public:
  /// Both must outlive it; no function is looked at yet.
  explicit ModuleValues(const Module& module, std::shared_ptr<ExprPool> pool);
  /// Forgets all values and makes those to come in another pool; what is known of the module itself stays. References
  /// that of() gave are no longer good.
  void start_over(std::shared_ptr<ExprPool> pool);

  [[nodiscard]] const Module& module() const { return module_; }  ///< the one it was made for
  [[nodiscard]] ExprPool& pool() { return *pool_; }               ///< where all values are made
  /// Values of functions()[function]; it must have a body.
  FunctionValues& of(std::uint32_t function);
  /// Lets go of what of() keeps of the function, which will hardly be asked for again. Values stay in the pool.
  void forget(std::uint32_t function) { functions_.erase(function); }
  /// Index of the defined function of that name.
  [[nodiscard]] std::optional<std::uint32_t> defined(NameId name) const;
  const OpcodeForm& form(OpcodeId opcode);  ///< of the module's opcode, read once
  /// Defined functions whose address is taken, by an initialiser or an operand other than a call's target; ascending.
  const std::vector<std::uint32_t>& address_taken();
  /// Whether the function can write to its caller's `.local` memory through a pointer.
  bool may_write_through_pointer(std::uint32_t function);
  /// Set by who knows which functions fail: the condition, in terms of the caller, under which the call ends the thread;
  /// nullopt: it never does.
  std::function<std::optional<ExprId>(std::uint32_t function, std::uint32_t call)> call_fails;
  /// What `callee` returns, in terms of its parameters; nullopt: not known (recursion, too large).
  std::optional<ExprId> returned_by(std::uint32_t callee, std::uint64_t offset, unsigned bits);

 private:
  const Module& module_;
  std::shared_ptr<ExprPool> pool_;
  std::unordered_map<std::uint32_t, std::unique_ptr<FunctionValues>> functions_;
  std::unordered_map<NameId, std::uint32_t> defined_;
  std::vector<std::optional<OpcodeForm>> forms_;
  std::unordered_map<std::uint32_t, bool> writes_;
  NeverReturns never_returns_;
  std::optional<std::vector<std::uint32_t>> address_taken_;
  std::unordered_set<std::uint32_t> in_progress_;
};

}  // namespace ptxscope::analysis
