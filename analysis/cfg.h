// Control flow of one function: basic blocks, edges, dominators, loops, control dependence.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "analysis/index_list.h"
#include "parser/module.h"

namespace ptxscope::analysis {

/// Number of a block of one Cfg: its index in Cfg::blocks, from 0 in the order of the text.
using BlockId = std::uint32_t;
/// No such block.
inline constexpr BlockId no_block = 0xffffffffU;

/// How control takes an edge: by a branch, to the next statement, or by `brx.idx` through a table.
enum class EdgeKind : std::uint8_t { taken, fallthrough, indirect };

/// One way from the end of a block to the beginning of another.
struct Edge {
  BlockId from = no_block;  ///< never no_block in a Cfg
  BlockId to = no_block;    ///< never no_block in a Cfg
  std::uint32_t statement =
      no_index;  ///< the instruction that decides it (bra, brx, @p exit); no_index: plain fall-through
  RegisterNumber predicate =
      0;  ///< when conditional: taken when predicate != negated. no_index: the guard is no declared register
  EdgeKind kind = EdgeKind::fallthrough;  ///< a conditional edge may be of any kind
  bool conditional = false;               ///< taken only when the guard says so
  bool negated = false;                   ///< of the guard, for this edge: `@!%p bra` taken, or `@%p bra` not taken
  IndexList cases;                        ///< indirect: the table positions that lead here
};

/// How a block ends; `ret`, `exit`, `trap`: control leaves the function; a call that does not return counts as trap.
enum class BlockEnd : std::uint8_t { branch, fallthrough, ret, exit, trap, indirect };

/// Where control leaves the function for good, or the statement that ends a block.
struct Block {
  BlockId id = 0;  ///< its index in Cfg::blocks
  /// Statement range, both inclusive; first > last: no statement (the entry of a function that begins with the label
  /// of a loop).
  ///@{
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  ///@}

  std::uint32_t first_instruction = no_index;  ///< of them, statement of the first instruction; no_index: none
  std::uint32_t last_instruction = no_index;   ///< statement of the last
  std::uint32_t instructions = 0;              ///< how many
  NameId label = no_name;                      ///< the label people jump to; the first one when several are stacked
  IndexList successors;                        ///< edge indices
  IndexList predecessors;                      ///< edge indices, of edges that lead here
  BlockEnd end = BlockEnd::fallthrough;        ///< `branch`, `fallthrough`, `indirect`: it has successors
  /// The block's last instruction ends the thread or function only when its guard holds (`@p exit`, `@p trap`): the
  /// other case goes on by the (conditional) edge in `successors`.
  bool conditional_end = false;
  bool falls_off_end = false;                   ///< the text of the function ends here without ret, exit or trap
  bool reachable = false;                       ///< from the entry
  BlockId immediate_dominator = no_block;       ///< no_block: entry or unreachable
  BlockId immediate_post_dominator = no_block;  ///< no_block: none (leaves the function, or an endless loop)
  std::uint32_t loop = no_index;                ///< innermost loop it belongs to
  std::uint32_t loop_depth = 0;                 ///< how many loops it is in
};

/// A natural loop: what lies between a header that dominates it and the edges back to it.
struct Loop {
  BlockId header = no_block;              ///< the only block by which it is entered
  std::uint32_t parent = no_index;        ///< index of the loop around it; no_index: none
  std::uint32_t depth = 1;                ///< 1 for one with no loop around it
  std::vector<BlockId> blocks;            ///< header first, ascending
  std::vector<std::uint32_t> back_edges;  ///< edge indices: from its blocks to its header
};

/// `block` runs or not according to this edge (Ferrante et al.): the edge is taken.
struct ControlDependence {
  std::uint32_t edge = 0;  ///< index into Cfg::edges
};

/// Control flow of one function. Refers to the Module by index only.
struct Cfg {
  std::uint32_t function = 0;                   ///< index into Module::functions
  std::vector<Block> blocks;                    ///< in the order of the text; 0 is the entry
  std::vector<Edge> edges;                      ///< of all blocks, in the order of their `from`
  std::vector<Loop> loops;                      ///< a parent before the loops in it
  std::vector<BlockId> irreducible_headers;     ///< blocks entered sideways: not natural loops
  std::vector<BlockId> reverse_postorder;       ///< reachable blocks
  bool complete = true;                         ///< false: a branch to a missing label, or an unparsed statement
  std::vector<std::string> incomplete_reasons;  ///< sentences without a full stop, for people
  std::vector<Diagnostic> diagnostics;          ///< of branches to labels that are not there, and the like

  [[nodiscard]] BlockId block_of(std::uint32_t statement) const;  ///< no_block when outside
  /// Of reachable blocks: every path from the entry to b goes through a, as it does where they are one.
  [[nodiscard]] bool dominates(BlockId a, BlockId b) const;
  /// Likewise of paths from b out of the function. Without CfgOptions::post_dominators it must not be asked.
  [[nodiscard]] bool post_dominates(BlockId a, BlockId b) const;

  /// When a walk of the dominator tree enters and leaves each block, for dominates(); of the other tree below.
  ///@{
  std::vector<std::uint32_t> dominator_in;
  std::vector<std::uint32_t> dominator_out;
  std::vector<std::uint32_t> post_dominator_in;
  std::vector<std::uint32_t> post_dominator_out;
  ///@}
};

/// Whether a function that has a body ever comes back: false only when every path from its start ends in trap, exit, a
/// call that does not return, or an endless loop. Where unsure (recursion, no body, too large), it does come back.
/// Remembers its answers; one per module saves work when many functions are looked at. Not for several threads at once.
class NeverReturns {
 public:
  static constexpr std::uint32_t no_limit = 0xffffffffU;  ///< bodies of any size
  /// Bodies of more than `largest_body` statements are not looked into.
  explicit NeverReturns(const Module& module, std::uint32_t largest_body = no_limit)
      : module_(&module), largest_body_(largest_body) {}
  /// Of functions()[function].
  [[nodiscard]] bool operator()(std::uint32_t function);
  /// Of a call of this name: `.noreturn`, the body, or the name alone (see is_noreturn_callee).
  [[nodiscard]] bool callee(NameId name);
  [[nodiscard]] const Module& module() const { return *module_; }  ///< the one asked about

 private:
  enum class Answer : std::uint8_t { open, comes_back, never };
  const Module* module_;
  std::uint32_t largest_body_;
  std::uint32_t depth_ = 0;
  std::unordered_map<std::uint32_t, Answer> functions_;
  std::unordered_map<std::uint32_t, bool> names_;
};

/// What of a Cfg is wanted: what is left out saves time.
struct CfgOptions {
  bool post_dominators = true;  ///< false: Block::immediate_post_dominator and post_dominates() say nothing
  bool loops = true;            ///< false: Cfg::loops is empty, and blocks are in none
  /// Shared memory of what does not return; nullptr: build_cfg looks at the bodies of small callees itself.
  NeverReturns* never_returns = nullptr;
};

/// Blocks and edges of functions()[function], which must have a body.
/// `trap`, `exit`, `ret` without guard end a block with no successor; so does a call of a function that does not
/// return (`.noreturn`, or one is_noreturn_callee() knows).
[[nodiscard]] Cfg build_cfg(const Module& module, std::uint32_t function, const CfgOptions& options = {});

/// For each block, the edges it is control dependent on. Empty (no blocks) when the answer would be too large to be of
/// use: more than a few hundred per block, as only a branch nest of enormous depth has it.
[[nodiscard]] std::vector<std::vector<std::uint32_t>> control_dependences(const Cfg& cfg);

/// Whether a call of this function never comes back, by its `.noreturn`, by its body when that is small, or by its name
/// where a body is not at hand (`__assertfail`, Rust's `panic*`, `unwrap_failed`, `expect_failed`, …).
/// nvcc's `__trap` and `__assertfail` are not declared `.noreturn`; both end the thread all the same.
[[nodiscard]] bool is_noreturn_callee(const Module& module, NameId callee);

/// By its spelling alone: names of the C, C++, Rust, Julia and Ada run-time libraries that end the thread. `certain`: also
/// where a body is at hand (Rust's `core::panicking` functions have type `!`); otherwise only what has no body.
[[nodiscard]] bool is_noreturn_name(std::string_view name, bool certain);

/// The function called by this `call` instruction; no_name for an indirect call.
[[nodiscard]] NameId direct_callee(const Statement& call);

/// Registers an instruction reads and writes, guard included, by the tables of isa/. Unknown instructions:
/// every register operand counts as both read and written, and `known` is false.
struct RegisterUses {
  std::vector<RegisterNumber> reads;   ///< the guard's first, then by operand; one may stand here several times
  std::vector<RegisterNumber> writes;  ///< by operand; one may stand here several times
  bool guarded = false;                ///< the writes happen only when the guard holds
  bool known = true;                   ///< false: the instruction is not in the tables
};
/// Fills in `out`, whose memory is used again from one instruction to the next.
void register_uses(const Statement& instruction, RegisterUses& out);

}  // namespace ptxscope::analysis
