// Which register a name stands for, at the place in the text that the builder has reached: nested scopes, shadowing and
// `%r<100>` ranges.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "parser/intern.h"
#include "parser/module.h"

namespace ptxscope {

class RegisterScopes {
 public:
  explicit RegisterScopes(NameTable& names) : names_(names) {}

  /// A function's body begins.
  void reset();
  void open();
  void close();
  [[nodiscard]] std::size_t depth() const { return scopes_.size(); }

  /// A register or a range of them is declared in the innermost scope.
  void declare(const RegisterDeclaration& declaration);
  /// A variable is declared there: its name is no register until the scope closes.
  void declare_variable(NameId name) { bind(name, not_a_register); }

  /// The register of that spelling, which stands at `span` of the text.
  [[nodiscard]] std::optional<RegisterNumber> find(std::string_view spelling) const {
    if (const RegisterNumber number = find_recent(spelling); number != none) return number;
    return find_any(spelling);
  }

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  static constexpr std::uint32_t not_a_register = 0xfffffffeU;
  // With more ranges than this in sight they are looked up by name instead of one after the other.
  static constexpr std::size_t few_ranges = 24;

  struct Range {
    std::uint64_t head = 0;       // the first 8 bytes of the prefix
    std::uint32_t head_size = 0;  // its length
    NameId prefix = no_name;
    std::uint32_t count = 0;
    RegisterNumber first = 0;
    std::uint32_t depth = 0;
    std::uint32_t outer = none;  // the range of the same prefix that this one hides
  };
  struct Binding {
    std::uint32_t number = none;
    std::uint32_t depth = 0;
  };
  struct Undo {
    NameId name = no_name;
    Binding before;
  };
  struct Scope {
    std::size_t ranges = 0;
    std::size_t undos = 0;
  };

  [[nodiscard]] std::uint32_t& bound_with(std::string_view spelling) {
    return bound_[static_cast<unsigned char>(spelling.front())];
  }
  /// The usual case at once: a short prefix whose range was found lately, up to seven digits, and no single name near.
  [[nodiscard]] RegisterNumber find_recent(std::string_view spelling) const;
  [[nodiscard]] std::optional<RegisterNumber> find_any(std::string_view spelling) const;
  [[nodiscard]] static std::size_t recent_slot(std::uint64_t head) { return (head * 0x9e3779b97f4a7c15U) >> 59U; }
  void bind(NameId name, std::uint32_t number);
  [[nodiscard]] const Range* find_range(std::string_view prefix, std::uint32_t number) const;
  [[nodiscard]] const Range* range_holding(std::string_view spelling, std::uint32_t& number) const;
  [[nodiscard]] std::uint64_t head_within_text(std::string_view prefix) const;
  [[nodiscard]] static std::uint64_t head_of(std::string_view prefix);

  NameTable& names_;
  std::vector<Range> ranges_;
  std::vector<Binding> bindings_;        // by name
  std::vector<std::uint32_t> range_of_;  // by name: the innermost range with that prefix
  std::vector<Undo> undos_;
  std::vector<Scope> scopes_;
  std::array<std::uint32_t, 256> bound_{};          // how many names are bound now, by their first character
  mutable std::array<std::uint32_t, 32> recent_{};  // ranges found last, by their prefix
};

inline RegisterNumber RegisterScopes::find_recent(std::string_view spelling) const {
  if constexpr (std::endian::native != std::endian::little) return none;
  const char* const begin = spelling.data();
  const char* const end = begin + spelling.size();
  if (bound_[static_cast<unsigned char>(*begin)] != 0) return none;
  if (end - names_.text_begin() < 8 || names_.text_end() - begin < 8) return none;

  // The last eight characters as digits; where they are none, bit 7 of their byte is set. A name does not begin with a
  // digit, so that what stands before it is never taken for one of its digits.
  constexpr std::uint64_t zeros = 0x3030303030303030U;
  constexpr std::uint64_t high_bits = 0x8080808080808080U;
  const std::uint64_t digits = detail::load8(end - 8) ^ zeros;
  const std::uint64_t others = ((digits + 0x7676767676767676U) | digits) & high_bits;
  const auto count = static_cast<std::size_t>(std::countl_zero(others)) / 8;
  const std::size_t prefix = spelling.size() - count;
  if (count == 0 || count > 7 || prefix > 7) return none;

  const std::uint64_t head = detail::load8(begin) & ((std::uint64_t{1} << (prefix * 8)) - 1);
  const std::uint32_t recent = recent_[recent_slot(head)];
  if (recent >= ranges_.size()) return none;
  const Range& range = ranges_[recent];

  // Eight digits to a number, two, four and eight at a time.
  std::uint64_t number = digits & ~std::uint64_t{0} << (64 - 8 * count);
  number = (number * 2561) >> 8U;
  number = ((number & 0x00ff00ff00ff00ffU) * 6553601) >> 16U;
  number = ((number & 0x0000ffff0000ffffU) * 42949672960001) >> 32U;
  if (range.head != head || range.head_size != prefix || number >= range.count) return none;
  return range.first + static_cast<std::uint32_t>(number);
}

}  // namespace ptxscope
