// From what something is to its number.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ptxscope::detail {

/// Open addressing from a hash to a number; the caller compares what the numbers stand for.
class HashIndex {
 public:
  static constexpr std::uint32_t none = 0xffffffffU;  ///< no number

  /// The number of that hash for which `equal` is true; none where there is no such.
  template <typename Equal>
  [[nodiscard]] std::uint32_t find(std::uint32_t hash_value, Equal&& equal) const {
    if (slots_.empty()) return none;
    for (std::size_t i = hash_value & mask_;; i = (i + 1) & mask_) {
      const Slot& slot = slots_[i];
      if (slot.number == none) return none;
      if (slot.hash == hash_value && equal(slot.number)) return slot.number;
    }
  }

  /// The number must not be in the index yet.
  void insert(std::uint32_t hash_value, std::uint32_t number) {
    if ((count_ + 1) * 3 > slots_.size() * 2) grow();
    place(hash_value, number);
    ++count_;
  }

  /// Forgets all.
  void clear() {
    slots_.clear();
    count_ = 0;
    mask_ = 0;
  }

 private:
  struct Slot {
    std::uint32_t hash = 0;
    std::uint32_t number = none;
  };

  void place(std::uint32_t hash_value, std::uint32_t number) {
    std::size_t i = hash_value & mask_;
    while (slots_[i].number != none) i = (i + 1) & mask_;
    slots_[i] = {hash_value, number};
  }

  void grow() {
    std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 64 : old.size() * 2, Slot{});
    mask_ = slots_.size() - 1;
    for (const Slot& slot : old) {
      if (slot.number != none) place(slot.hash, slot.number);
    }
  }

  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  std::size_t count_ = 0;
};

}  // namespace ptxscope::detail
