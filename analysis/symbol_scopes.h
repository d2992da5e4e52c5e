// What is declared at a place of a function: its parameters, and what the scopes around declare (PTX ISA 9.7.12.1).
// Follows a walk over the statements of the body, in order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

enum class SymbolKind : std::uint8_t { reg, variable, parameter, label, table, prototype };

struct Symbol {
  SymbolKind kind = SymbolKind::variable;
  std::uint32_t count = 0;  ///< of `%r<100>`: the name is the prefix; 0: a single name
  std::uint32_t scope = 0;  ///< number of open scopes when it was declared
  Span span;
  const Variable* variable = nullptr;  ///< of variables and parameters
};

class SymbolScopes {
 public:
  explicit SymbolScopes(const Module& module) : module_(&module) { open(); }

  void open() { undo_marks_.push_back(undo_.size()); }
  void close();
  /// Number of open scopes; 1: the body's own, which the parameters share.
  [[nodiscard]] std::uint32_t depth() const { return static_cast<std::uint32_t>(undo_marks_.size()); }

  /// Declares it in the innermost scope. Returns what the same scope already holds of that name, or nullptr.
  const Symbol* declare(NameId name, Symbol symbol);
  /// The innermost declaration of that name, in any of the open scopes; nullptr: none. For `%r17` also that of `%r<100>`.
  [[nodiscard]] const Symbol* find(NameId name) const;
  /// The range `%r<100>` that a name such as `%r100` may have been meant to belong to; nullptr: none.
  [[nodiscard]] const Symbol* range_near(NameId name) const;

 private:
  struct Undo {
    std::uint64_t key = 0;
    std::uint32_t before = no_index;  // index into symbols_
  };
  struct Numbered {
    NameId prefix = no_name;
    std::uint32_t number = 0;
  };
  // `%r17` as prefix and number; no_name when it does not end in a number or no name is the prefix.
  [[nodiscard]] Numbered split(NameId name) const;
  [[nodiscard]] const Symbol* current(std::uint64_t key) const;
  static std::uint64_t key_of(NameId name, bool is_range) {
    return static_cast<std::uint64_t>(name) * 2 + (is_range ? 1 : 0);
  }

  const Module* module_;
  std::unordered_map<std::uint64_t, std::uint32_t> current_;  // key to index into symbols_
  std::vector<Symbol> symbols_;
  std::vector<Undo> undo_;
  std::vector<std::size_t> undo_marks_;
  std::unordered_map<std::uint32_t, std::uint32_t> ranges_of_prefix_;  // how many ranges of that prefix are open
};

}  // namespace ptxscope::analysis
