// The engine behind evaluate_launch(): conditions as flat programs, evaluated over whole boxes of threads at once.
//
// A box is a range of each coordinate (block z, y, x, then thread z, y, x). A program is first evaluated on ranges: when
// all threads of a box give the same answer, they are counted without being looked at. What differs within the box is
// split at its outermost coordinate, so that boxes are visited in the order of launch, lowest block and thread first.
// Coordinates that the still open part of a condition does not depend on are counted, not visited. Small boxes are
// evaluated thread by thread, in arrays.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "analysis/expr.h"

namespace ptxscope::analysis::launch {

/// Outermost first: ctaid.z, ctaid.y, ctaid.x, tid.z, tid.y, tid.x.
inline constexpr unsigned dimensions = 6;
using Coordinates = std::array<std::uint32_t, dimensions>;

struct Box {
  Coordinates low{};
  Coordinates count{};
};

/// What is known about a launch.
struct Environment {
  std::array<std::uint32_t, 3> grid{1, 1, 1};  // x, y, z
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::function<std::optional<std::uint64_t>(std::uint32_t index, std::uint64_t offset, unsigned bits)> parameter;
  /// Whether that value may be taken as a pointer that is not null, although it is not known.
  std::function<bool(std::uint32_t index, std::uint64_t offset, unsigned bits)> not_null;

  [[nodiscard]] Box whole() const;
  [[nodiscard]] std::uint64_t threads() const;  ///< saturates
};

using Slot = std::uint32_t;

/// One operation; its operands stand before it.
struct Node {
  ExprOp op = ExprOp::unknown;  // special: coordinate `value`; unknown: `source` could not be computed
  std::uint8_t bits = 0;
  std::uint8_t kid_bits = 0;  // of the first kid
  std::uint8_t kid_count = 0;
  std::uint8_t low_zeros = 0;  // bits at the bottom that are zero in any case
  Type type = Type::none;
  std::array<Slot, 3> kids{};
  std::uint64_t value = 0;  // constant, coordinate, FloatCompare
  ExprId source{};
};

/// What a node can be over a box.
struct Range {
  std::uint64_t low = 0, high = 0;  // unsigned, of the lanes where it is known
  std::uint8_t depends = 0;         // bit d: on coordinate d
  bool may_be_known = false, may_be_unknown = false;

  [[nodiscard]] bool single() const { return may_be_known && !may_be_unknown && low == high; }
  [[nodiscard]] bool always_unknown() const { return !may_be_known; }
  [[nodiscard]] bool decided() const { return single() || always_unknown(); }
};

/// The conditions of one kernel, compiled for one launch.
class Program {
 public:
  Program(const ExprPool& pool, Environment environment);

  /// Compiles an expression; equal parts are shared with those compiled before.
  [[nodiscard]] Slot compile(ExprId expression);
  /// (a or b or …) of predicates.
  [[nodiscard]] Slot any_of(const std::vector<Slot>& slots);

  [[nodiscard]] const Node& node(Slot slot) const { return nodes_[slot]; }
  [[nodiscard]] const Environment& environment() const { return environment_; }
  /// The nodes that `root` needs, operands first and `root` last, numbered by their place in the list.
  [[nodiscard]] std::vector<Node> extract(Slot root) const;
  /// The leaves that keep `root` from being known somewhere in the launch.
  [[nodiscard]] std::vector<ExprId> missing(Slot root) const;
  /// The divisions that may be by zero somewhere in the launch, which leaves `root` without a value there.
  [[nodiscard]] std::vector<ExprId> undefined(Slot root) const;
  /// The value for one thread; nullopt: not known.
  [[nodiscard]] std::optional<std::uint64_t> at(Slot root, const Coordinates& thread) const;

 private:
  struct Open {
    std::vector<ExprId> leaves, operations;
  };
  [[nodiscard]] Open open(Slot root) const;
  Slot append(Node node);
  Slot constant(std::uint64_t value, unsigned bits);
  Slot coordinate(unsigned dimension, unsigned bits);
  Slot operation(Node node);
  Slot special(std::string_view name, unsigned bits, ExprId source);
  Slot unknown(ExprId source, unsigned bits);
  Slot resized(Slot slot, unsigned bits);
  Slot with_low_bits(Slot slot, unsigned bits, unsigned depth);
  Slot compiled_node(ExprId id);

  const ExprPool& pool_;
  Environment environment_;
  std::vector<Node> nodes_;
  std::unordered_map<std::uint32_t, Slot> slots_;  // of expressions
};

/// Ranges of all nodes over a box.
void evaluate(std::span<const Node> nodes, const Box& box, std::vector<Range>& ranges);

/// How many threads of a launch meet a condition.
struct Tally {
  std::uint64_t met = 0;
  std::uint64_t undecided = 0;
  std::optional<Coordinates> first_met, first_undecided;
  bool gave_up = false;  // the bound on work was reached: the numbers are lower limits
};

/// Counts over the whole launch. `work`: operations left, shared between calls; it ends the count when used up. So does
/// `stop`, when it is set.
[[nodiscard]] Tally count(const Program& program, Slot root, std::uint64_t& work,
                          const std::atomic<bool>* stop = nullptr);

}  // namespace ptxscope::analysis::launch
