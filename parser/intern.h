// Interned spellings: names are spans of the text, opcodes are kept as strings.
#pragma once

#include <cstdint>
#include <cstring>
#include <deque>
#include <string_view>
#include <vector>

#include "parser/array.h"
#include "parser/hash_index.h"
#include "parser/module.h"

namespace ptxscope {

namespace detail {

inline std::uint64_t mix(std::uint64_t a, std::uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
}

inline std::uint64_t load8(const char* p) {
  std::uint64_t word = 0;
  std::memcpy(&word, p, 8);
  return word;
}

inline std::uint64_t load4(const char* p) {
  std::uint32_t word = 0;
  std::memcpy(&word, p, 4);
  return word;
}

inline std::uint32_t hash(std::string_view text) {
  constexpr std::uint64_t k0 = 0x9e3779b97f4a7c15U;
  constexpr std::uint64_t k1 = 0xd1b54a32d192ed03U;
  const char* p = text.data();
  std::size_t n = text.size();
  std::uint64_t h = n * k1;
  if (n >= 8) {
    while (n > 8) {
      h = mix(h ^ load8(p), k0);
      p += 8;
      n -= 8;
    }
    h = mix(h ^ load8(p + n - 8), k1);
  } else if (n >= 4) {
    h = mix(h ^ (load4(p) | load4(p + n - 4) << 32U), k1);
  } else if (n > 0) {
    const auto byte = [&](std::size_t i) { return static_cast<std::uint64_t>(static_cast<unsigned char>(p[i])); };
    h = mix(h ^ (byte(0) | byte(n / 2) << 8U | byte(n - 1) << 16U), k1);
  }
  return static_cast<std::uint32_t>(h ^ (h >> 32U));
}

/// memcmp for short spellings, inline.
inline bool equal(const char* a, const char* b, std::size_t n) {
  if (n >= 8) {
    while (n > 8) {
      if (load8(a) != load8(b)) return false;
      a += 8;
      b += 8;
      n -= 8;
    }
    return load8(a + n - 8) == load8(b + n - 8);
  }
  if (n >= 4) return load4(a) == load4(b) && load4(a + n - 4) == load4(b + n - 4);
  for (std::size_t i = 0; i < n; ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

}  // namespace detail

/// Names by number; each is where it first stands in the text.
class NameTable {
 public:
  void set_text(std::string_view text) {
    text_ = text.data();
    text_end_ = text.data() + text.size();
  }
  [[nodiscard]] const char* text_begin() const { return text_; }
  [[nodiscard]] const char* text_end() const { return text_end_; }

  NameId intern(Span span) {
    const std::string_view spelling(text_ + span.begin, span.size());
    const std::uint32_t hash_value = detail::hash(spelling);
    const std::uint32_t known = lookup(hash_value, spelling);
    if (known != detail::HashIndex::none) return NameId{known};
    const auto id = static_cast<std::uint32_t>(spans_.size());
    spans_.push(span);
    index_.insert(hash_value, id);
    return NameId{id};
  }

  /// no_name when it does not occur.
  [[nodiscard]] NameId find(std::string_view spelling) const {
    return NameId{lookup(detail::hash(spelling), spelling)};
  }

  [[nodiscard]] std::string_view spelling(NameId id) const {
    const auto i = static_cast<std::uint32_t>(id);
    if (i >= spans_.size()) return {};
    return {text_ + spans_[i].begin, spans_[i].size()};
  }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(spans_.size()); }

 private:
  [[nodiscard]] std::uint32_t lookup(std::uint32_t hash_value, std::string_view spelling) const {
    return index_.find(hash_value, [&](std::uint32_t id) {
      const Span span = spans_[id];
      return span.size() == spelling.size() && detail::equal(text_ + span.begin, spelling.data(), spelling.size());
    });
  }

  const char* text_ = nullptr;
  const char* text_end_ = nullptr;
  Array<Span> spans_;
  detail::HashIndex index_;
};

/// Opcodes by number.
class OpcodeTable {
 public:
  static constexpr std::uint32_t limit = 1U << 25U;  // what a statement record holds

  /// HashIndex::none when there are too many.
  std::uint32_t intern(std::string_view spelling) {
    const std::uint32_t hash_value = detail::hash(spelling);
    const std::uint32_t known = index_.find(hash_value, [&](std::uint32_t id) {
      const std::string_view known_spelling = spellings_[id];
      return known_spelling.size() == spelling.size() &&
             detail::equal(known_spelling.data(), spelling.data(), spelling.size());
    });
    return known != detail::HashIndex::none ? known : add(hash_value, spelling);
  }
  [[nodiscard]] const Opcode& operator[](std::uint32_t id) const { return opcodes_[id]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(opcodes_.size()); }

 private:
  std::uint32_t add(std::uint32_t hash_value, std::string_view spelling);

  std::deque<Opcode> opcodes_;  // the views in an Opcode point into its own text
  std::vector<std::string_view> spellings_;
  detail::HashIndex index_;
};

}  // namespace ptxscope
