// Which register of one body is which of the other, and where that does not hold.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "analysis/diff_align.h"
#include "analysis/diff_body.h"
#include "analysis/diff_flow.h"

namespace ptxscope::analysis::diff {

/// The variables that the tokens of a body stand for: registers, or, where one register serves several values that have
/// nothing to do with each other, each of these; behind them local names.
class Variables {
 public:
  explicit Variables(const Body& body);
  [[nodiscard]] std::uint32_t of(std::uint32_t token) const { return of_token_[token]; }
  [[nodiscard]] std::uint32_t count() const { return count_; }
  [[nodiscard]] bool is_local(std::uint32_t variable) const {
    return variable >= first_local_ && variable < first_split_;
  }
  [[nodiscard]] std::uint32_t local(std::uint32_t variable) const { return variable - first_local_; }
  /// The variable of kind reg (see Body) that it is a part of.
  [[nodiscard]] std::uint32_t reg(std::uint32_t variable) const {
    return variable < first_split_ ? variable : split_from_[variable - first_split_];
  }
  /// Makes a variable of each web of definitions and uses of these registers (Muchnick 1997, 16.3.3).
  void split(const BodyFlow& flow, std::span<const std::uint32_t> registers);
  [[nodiscard]] std::string name(std::uint32_t variable) const;

 private:
  const Body* body_;
  std::vector<std::uint32_t> of_token_;
  std::vector<std::uint32_t> split_from_;
  std::uint32_t first_local_ = 0, first_split_ = 0, count_ = 0;
};

/// One variable of A to one of B and back.
struct Mapping {
  std::vector<std::uint32_t> a_to_b, b_to_a;  // no_index: none
  [[nodiscard]] bool agrees(std::uint32_t a, std::uint32_t b) const { return a_to_b[a] == b; }
  [[nodiscard]] bool open(std::uint32_t a, std::uint32_t b) const {
    return a_to_b[a] == no_index && b_to_a[b] == no_index;
  }
  void join(std::uint32_t a, std::uint32_t b) {
    a_to_b[a] = b;
    b_to_a[b] = a;
  }
};

/// A pair of tokens that ask for the same variable.
struct Vote {
  std::uint32_t a = 0, b = 0;
};

/// The mapping that most votes are for, one to one: the best supported pairs first, then those of one name, then the
/// earlier ones.
[[nodiscard]] Mapping elect(const Variables& a, const Variables& b, std::vector<Vote>& votes);

/// How two operands (from a token that starts one up to the next) compare.
struct OperandPair {
  Range a, b;  // tokens
  bool is_guard = false;
  bool same_shape = false;  // but for variables
};

/// The operands of two items side by side, guards too where both have one. False: they are not as many.
[[nodiscard]] bool pair_operands(const Body& a, const Body& b, std::uint32_t item_a, std::uint32_t item_b,
                                 std::vector<OperandPair>& out);

/// Whether both items have equal tokens but for variables. The guard's sense and the target of a branch are left to the
/// check of the flow.
[[nodiscard]] bool same_shape(const Body& a, const Body& b, std::uint32_t item_a, std::uint32_t item_b);

}  // namespace ptxscope::analysis::diff
