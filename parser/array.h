// A growing array of plain values whose growth does not copy: large blocks of std::realloc are moved by their page tables.
#pragma once

#include <cstdlib>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

namespace ptxscope {

/// Asks for huge pages under a large block that is not touched yet, where the system has them.
void use_huge_pages(void* block, std::size_t size);

// NOLINTBEGIN(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory): realloc is the point of it.
template <typename T>
class Array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  Array() = default;
  ~Array() { std::free(data_); }
  Array(Array&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)),
        size_(std::exchange(other.size_, 0)),
        capacity_(std::exchange(other.capacity_, 0)) {}
  Array& operator=(Array&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
    return *this;
  }
  Array(const Array&) = delete;
  Array& operator=(const Array&) = delete;

  void push(T value) {
    if (size_ == capacity_) grow(size_ + 1);
    data_[size_++] = value;
  }

  /// The same where there is room for sure.
  void push_within_capacity(T value) { data_[size_++] = value; }

  /// Room for `count` more values at the end, to be written by the caller; returns the first.
  T* extend(std::size_t count) {
    if (capacity_ - size_ < count) grow(size_ + count);
    T* first = data_ + size_;
    size_ += count;
    return first;
  }

  void reserve(std::size_t capacity) {
    if (capacity > capacity_) reallocate(capacity);
  }
  void shrink(std::size_t size) { size_ = size; }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] std::size_t capacity() const { return capacity_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] T& operator[](std::size_t i) { return data_[i]; }
  [[nodiscard]] const T& operator[](std::size_t i) const { return data_[i]; }
  [[nodiscard]] T& back() { return data_[size_ - 1]; }
  [[nodiscard]] T* data() { return data_; }
  [[nodiscard]] const T* data() const { return data_; }
  [[nodiscard]] std::span<const T> view() const { return {data_, size_}; }

 private:
  void grow(std::size_t needed) {
    std::size_t capacity = capacity_ + capacity_ / 2 + 64;
    if (capacity < needed) capacity = needed;
    reallocate(capacity);
  }
  void reallocate(std::size_t capacity) {
    void* data = std::realloc(data_, capacity * sizeof(T));
    if (data == nullptr) throw std::bad_alloc();
    data_ = static_cast<T*>(data);
    capacity_ = capacity;
    use_huge_pages(data_ + size_, (capacity_ - size_) * sizeof(T));
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};
// NOLINTEND(cppcoreguidelines-no-malloc,cppcoreguidelines-owning-memory)

}  // namespace ptxscope
