// Where expressions are found again: one array with open addressing, since most of what values cost is such look-ups.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "analysis/expr.h"

namespace ptxscope::analysis {

/// Expressions by a number of 64 bits, which is never all ones.
class ExprTable {
 public:
  /// nullptr: there is none. It holds until the next one is added.
  [[nodiscard]] const ExprId* find(std::uint64_t key) const {
    if (slots_.empty()) return nullptr;
    const Slot& slot = slots_[place_of(key)];
    return slot.key == key ? &slot.value : nullptr;
  }
  [[nodiscard]] bool contains(std::uint64_t key) const { return find(key) != nullptr; }  ///< whether there is one

  /// Does nothing where there is one already.
  void add(std::uint64_t key, ExprId value) {
    if (2 * count_ >= slots_.size()) grow();
    Slot& slot = slots_[place_of(key)];
    if (slot.key == key) return;
    slot = {key, value};
    ++count_;
  }

  /// Forgets all.
  void clear() {
    slots_.clear();
    count_ = 0;
  }

 private:
  static constexpr std::uint64_t no_key = ~std::uint64_t{0};
  struct Slot {
    std::uint64_t key = no_key;
    ExprId value{};
  };

  // Of the key, or where it would be put.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const {
    const std::size_t mask = slots_.size() - 1;
    std::size_t place = (key * 0x9e3779b97f4a7c15ULL) >> 32U & mask;
    while (slots_[place].key != key && slots_[place].key != no_key) place = (place + 1) & mask;
    return place;
  }

  void grow() {
    constexpr std::size_t least = 64;
    std::vector<Slot> before(slots_.empty() ? least : 2 * slots_.size());
    before.swap(slots_);
    for (const Slot& slot : before)
      if (slot.key != no_key) slots_[place_of(slot.key)] = slot;
  }

  std::vector<Slot> slots_;  // a power of two
  std::size_t count_ = 0;
};

}  // namespace ptxscope::analysis
