// Alignment of two sequences of keys: what stands on both sides, in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis::diff {

/// Stands for an element: equal keys, equal elements.
using Key = std::uint64_t;

/// A hash of all keys so far and one more.
[[nodiscard]] inline Key mix(Key hash, Key value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ hash >> 32U;
}

/// Indices of a sequence, from `begin` up to and without `end`.
struct Range {
  std::uint32_t begin = 0;                                          ///< the first one
  std::uint32_t end = 0;                                            ///< behind the last one
  [[nodiscard]] std::uint32_t size() const { return end - begin; }  ///< how many
  [[nodiscard]] bool empty() const { return begin == end; }         ///< none at all
};

/// Partners by index, no_index: none.
struct Alignment {
  std::vector<std::uint32_t> a_to_b;  ///< by index in A: its partner in B
  std::vector<std::uint32_t> b_to_a;  ///< by index in B: its partner in A
  Alignment() = default;              ///< of two empty sequences
  /// Of sequences of that many elements, none with a partner.
  Alignment(std::size_t a, std::size_t b) : a_to_b(a, no_index), b_to_a(b, no_index) {}
  /// Makes the two each other's partners.
  void join(std::uint32_t a, std::uint32_t b) {
    a_to_b[a] = b;
    b_to_a[b] = a;
  }
  /// Takes the partner of `a` away, if it has one.
  void part(std::uint32_t a) {
    if (a_to_b[a] != no_index) b_to_a[a_to_b[a]] = no_index;
    a_to_b[a] = no_index;
  }
};

/// A stretch that was left alone because looking into it would have taken too long.
struct Coarse {
  Range a;  ///< of A
  Range b;  ///< of B
};

/// Aligns sequences by keys of several strengths: a pair of equal strong keys is surely meant, one of equal weak keys
/// may be. Takes memory in proportion to the sequences, and `budget` steps at most: what is left then is coarse.
class Aligner {
 public:
  /// The keys of both sequences at one strength.
  struct Level {
    std::span<const Key> a;  ///< by element of A
    std::span<const Key> b;  ///< by element of B
  };
  /// `levels`: the strongest first; equal keys of one level mean equal keys of all that follow.
  Aligner(std::vector<Level> levels, std::uint64_t& budget) : levels_(std::move(levels)), budget_(&budget) {}
  /// Finds partners in the two ranges, which have none yet, and puts them into `out`.
  void align(Range a, Range b, Alignment& out);
  /// What was left alone in all calls of align(), in no order that matters.
  [[nodiscard]] const std::vector<Coarse>& coarse() const { return coarse_; }

 private:
  struct Task {
    Range a, b;
    std::uint32_t level = 0;
    std::uint32_t tries = 0;  // at this level
  };
  struct Snake {
    std::uint32_t a = 0, b = 0;
    bool found = false;
  };
  void split(Task task, Alignment& out, std::vector<Task>& work);
  void shortest_edit(Range a, Range b, Alignment& out);
  [[nodiscard]] Snake middle(Range a, Range b);

  std::vector<Level> levels_;
  std::uint64_t* budget_;
  std::vector<Coarse> coarse_;
  std::vector<std::int64_t> forward_, backward_;
};

/// Indices of a longest strictly increasing subsequence.
[[nodiscard]] std::vector<std::uint32_t> longest_increasing(std::span<const std::uint32_t> values);

}  // namespace ptxscope::analysis::diff
