// A few numbers in a row, such as the edges of a block: up to two are kept in place, without memory of their own.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ptxscope::analysis {

/// What is used of std::vector<std::uint32_t>, in 16 bytes.
class IndexList {
 public:
  using value_type = std::uint32_t;             ///< what is in it
  using iterator = const std::uint32_t*;        ///< contiguous; what is in the list changes by push_back() alone
  using const_iterator = const std::uint32_t*;  ///< the same

  IndexList() = default;
  IndexList(const IndexList& other) { append(other); }    ///< a copy, apart from the other
  IndexList(IndexList&& other) noexcept { swap(other); }  ///< leaves the other empty
  IndexList& operator=(const IndexList& other) {          ///< as the constructor
    IndexList copy(other);
    swap(copy);
    return *this;
  }
  IndexList& operator=(IndexList&& other) noexcept {  ///< the other gets what was here
    swap(other);
    return *this;
  }
  ~IndexList() {
    if (!is_in_place()) delete[] kept_.list;
  }

  void push_back(std::uint32_t index) {  ///< may move all that is in the list
    if (size_ == capacity_) grow(capacity_ * 2);
    data()[size_++] = index;
  }

  [[nodiscard]] std::size_t size() const { return size_; }                                      ///< how many
  [[nodiscard]] bool empty() const { return size_ == 0; }                                       ///< none
  [[nodiscard]] iterator begin() const { return is_in_place() ? kept_.in_place : kept_.list; }  ///< the first
  [[nodiscard]] iterator end() const { return begin() + size_; }                                ///< behind the last
  [[nodiscard]] std::uint32_t operator[](std::size_t place) const { return begin()[place]; }    ///< place < size()
  [[nodiscard]] std::uint32_t front() const { return *begin(); }           ///< of a list that is not empty
  [[nodiscard]] std::uint32_t back() const { return begin()[size_ - 1]; }  ///< likewise
  friend bool operator==(const IndexList& a, const IndexList& b) { return std::ranges::equal(a, b); }  ///< alike

 private:
  static constexpr std::uint32_t most_in_place = 2;

  [[nodiscard]] bool is_in_place() const { return capacity_ == most_in_place; }
  [[nodiscard]] std::uint32_t* data() { return is_in_place() ? kept_.in_place : kept_.list; }

  void grow(std::uint32_t capacity) {
    auto* const list = new std::uint32_t[capacity];
    std::ranges::copy(*this, list);
    if (!is_in_place()) delete[] kept_.list;
    kept_.list = list;
    capacity_ = capacity;
  }
  void append(const IndexList& other) {
    if (other.size_ > capacity_) grow(other.size_);
    std::ranges::copy(other, data());
    size_ = other.size_;
  }
  void swap(IndexList& other) noexcept {
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    std::swap(kept_, other.kept_);
  }

  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = most_in_place;
  union Kept {
    std::uint32_t in_place[most_in_place] = {};
    std::uint32_t* list;  // where capacity_ is more
  } kept_;
};
static_assert(sizeof(IndexList) == 16);

}  // namespace ptxscope::analysis
