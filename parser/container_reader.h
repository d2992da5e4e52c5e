// What the parts of the container reader share: bytes with every access checked, and the listing as it grows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "parser/container.h"

namespace ptxscope::containers {

constexpr std::uint32_t fat_binary_magic = 0xBA55ED50;
constexpr std::size_t most_images = 1U << 16;
constexpr std::size_t most_problems = 20;
constexpr std::size_t most_sections = 1U << 20;
constexpr std::size_t longest_word = 4096;  // of names and options that a container carries

/// Numbers of a container, little-endian as all of NVIDIA's files are. What lies outside reads as 0 and is asked for
/// with holds() where it matters.
class Bytes {
 public:
  explicit Bytes(std::span<const std::byte> bytes) : bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const { return bytes_.size(); }
  [[nodiscard]] bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  template <typename T>
  [[nodiscard]] T read(std::uint64_t offset) const {
    static_assert(std::is_unsigned_v<T>);
    T value = 0;
    if (!holds(offset, sizeof(T))) return value;
    for (std::size_t i = sizeof(T); i-- > 0;)
      value =
          static_cast<T>(static_cast<std::uint64_t>(value) << 8U | std::to_integer<std::uint64_t>(bytes_[offset + i]));
    return value;
  }
  /// As much of it as is there.
  [[nodiscard]] std::string_view text(std::uint64_t offset, std::uint64_t size) const {
    if (offset > bytes_.size()) return {};
    const std::uint64_t there = bytes_.size() - offset;
    return {reinterpret_cast<const char*>(bytes_.data()) + offset, size < there ? size : there};
  }
  [[nodiscard]] std::string_view all() const { return text(0, bytes_.size()); }

 private:
  std::span<const std::byte> bytes_;
};

/// A range of the container's bytes.
struct Range {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

/// What was found so far. The images are named and numbered at the end.
class Finds {
 public:
  explicit Finds(ContainerListing& listing) : listing_(listing) {}
  /// False: there are too many, which has been noted.
  bool add(Image image);
  void problem(std::string sentence);
  [[nodiscard]] std::size_t count() const { return listing_.images.size(); }

 private:
  ContainerListing& listing_;
  std::size_t problems_ = 0;
};

/// Where an image is, for those that lie in something larger.
struct Place {
  std::string member;
  std::string section;
  /// "libkd.a(k.o), .nv_fatbin" or "": how a sentence about it starts.
  [[nodiscard]] std::string spelled() const;
};

/// The fat binary at `offset`, whose header must be there. Returns where it ends, at most `end`.
std::uint64_t read_fat_binary(const Bytes& bytes, std::uint64_t offset, std::uint64_t end, const Place& place,
                              Finds& finds);
/// A header of a fat binary that this program knows, with its size within `end`.
[[nodiscard]] bool is_fat_binary(const Bytes& bytes, std::uint64_t offset, std::uint64_t end);
/// Fat binaries anywhere in a range. What only looks like one is passed over; returns the ranges they take.
std::vector<Range> scan_fat_binaries(const Bytes& bytes, Range range, const Place& place, Finds& finds);
/// The same in a section that holds nothing else: what does not fit is a problem.
void read_fat_binaries(const Bytes& bytes, Range range, const Place& place, Finds& finds);

/// An ELF file (executable, shared library, object or cubin) or a PE/COFF file that takes up the range.
void read_elf(const Bytes& bytes, Range range, const std::string& member, Finds& finds);
void read_pe(const Bytes& bytes, Range range, const std::string& member, Finds& finds);
void read_archive(const Bytes& bytes, Finds& finds);

/// PTX texts within a range of bytes that are no text as a whole: ends at a NUL or where no directive follows.
void scan_ptx(const Bytes& bytes, Range range, const Place& place, Finds& finds);
/// PTX in a text: whole modules, or quoted.
void read_text(const Bytes& bytes, Finds& finds);

/// "sm_90a" of a number and the flags of a fat binary's entry.
[[nodiscard]] std::string target_of(std::uint32_t number, std::uint64_t flags);

}  // namespace ptxscope::containers
