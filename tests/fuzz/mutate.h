// How inputs are changed: PTX by statements and words, so that it stays nearly valid; containers with their sizes put
// right again; everything else, and part of those, by the fuzzer's own means.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "tests/fuzz/target.h"

namespace ptxscope::fuzz {

/// Numbers that follow from a seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed * 0x9e3779b97f4a7c15U + 1) {}
  /// Of 0 … below-1; 0 where there is none.
  std::size_t operator()(std::size_t below);
  bool one_in(std::size_t n) { return (*this)(n) == 0; }
  template <typename Range>
  const auto& of(const Range& range) {
    return *(std::begin(range) + static_cast<std::ptrdiff_t>((*this)(std::size(range))));
  }

 private:
  std::uint64_t state_;
};

/// libFuzzer's own mutation of bytes in place.
using ByteMutation = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t most);

/// Changes the first `size` bytes of `buffer` in place, and returns how many there are then.
std::size_t mutate(const Target& target, std::span<std::uint8_t> buffer, std::size_t size, unsigned seed,
                   ByteMutation bytes);
/// An input made of two; its size.
std::size_t cross(const Target& target, std::string_view a, std::string_view b, std::span<std::uint8_t> out,
                  unsigned seed);

// One change each. What would be longer than `most` is left as it was.
void mutate_ptx(std::string& text, std::size_t most, Chance& chance);
void cross_ptx(std::string& text, std::string_view other, std::size_t most, Chance& chance);
void mutate_options(std::string& bytes, const Target& target, std::size_t most, Chance& chance);
/// Of fat binaries and archives: something put in, taken out, copied or turned, and the sizes around it made to fit.
void mutate_container(std::string& bytes, std::size_t most, Chance& chance);

}  // namespace ptxscope::fuzz
