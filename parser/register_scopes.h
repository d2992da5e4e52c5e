// Which register a name stands for, at the place in the text that the builder has reached: nested scopes, shadowing and
// `%r<100>` ranges.
#pragma once

#include <array>
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
  [[nodiscard]] std::optional<RegisterNumber> find(std::string_view spelling) const;

 private:
  static constexpr std::uint32_t none = 0xffffffffU;
  static constexpr std::uint32_t not_a_register = 0xfffffffeU;
  // With more ranges than this in sight they are looked up by name instead of one after the other.
  static constexpr std::size_t few_ranges = 24;

  struct Range {
    std::uint64_t head = 0;      // the first 8 bytes of the prefix
    std::uint32_t head_size = 0; // its length
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
  void bind(NameId name, std::uint32_t number);
  [[nodiscard]] const Range* find_range(std::string_view prefix, std::uint32_t number) const;
  [[nodiscard]] const Range* range_holding(std::string_view spelling, std::uint32_t& number) const;
  [[nodiscard]] std::uint64_t head_within_text(std::string_view prefix) const;
  [[nodiscard]] static std::uint64_t head_of(std::string_view prefix);

  NameTable& names_;
  std::vector<Range> ranges_;
  std::vector<Binding> bindings_;      // by name
  std::vector<std::uint32_t> range_of_;  // by name: the innermost range with that prefix
  std::vector<Undo> undos_;
  std::vector<Scope> scopes_;
  std::array<std::uint32_t, 256> bound_{};  // how many names are bound now, by their first character
  mutable std::array<std::uint32_t, 32> recent_{};  // ranges found last, by their prefix
};

}  // namespace ptxscope
