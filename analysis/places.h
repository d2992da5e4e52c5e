// From bytes and lines of a module's text to functions, statements and names, and back.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "parser/module.h"

namespace ptxscope::analysis {

/// A register or a name that stands somewhere. `function`: the one it belongs to; no_index for names of the module.
struct SymbolId {
  /// A register of a function; any other name.
  enum class Kind : std::uint8_t { none, reg, name };
  Kind kind = Kind::none;             ///< none: there is nothing
  std::uint32_t function = no_index;  ///< of reg, and of names that a function's body declares
  RegisterNumber reg = 0;             ///< of kind reg
  NameId name = no_name;              ///< of kind name
  [[nodiscard]] explicit operator bool() const { return kind != Kind::none; }  ///< there is something
  friend bool operator==(const SymbolId&, const SymbolId&) = default;          ///< the same thing, wherever it stands
};

/// A symbol and where it is written.
struct SymbolPlace {
  SymbolId symbol;  ///< what
  Span span;        ///< the word
};

/// The last line, from 1.
[[nodiscard]] std::uint32_t line_count(const Module& module);
/// The statement that stands at this byte or, between two, the one behind it; no_index behind the last.
[[nodiscard]] std::uint32_t statement_at(const Module& module, std::uint32_t offset);
/// The first statement that reaches into this line; no_index when there is none.
[[nodiscard]] std::uint32_t statement_on_line(const Module& module, std::uint32_t line);
/// Byte where the line begins (line_count() + 1: the end of the text).
[[nodiscard]] std::uint32_t line_begin(const Module& module, std::uint32_t line);
/// Index into Module::functions of the function whose header or body holds the statement; no_index outside of all.
[[nodiscard]] std::uint32_t function_of(const Module& module, std::uint32_t statement);
/// The register or name at this byte, in an instruction, a label, a header or a declaration.
[[nodiscard]] std::optional<SymbolPlace> symbol_at(const Module& module, std::uint32_t offset);
/// The name as it is written: "%r17", "$L__BB0_2".
[[nodiscard]] std::string spelling(const Module& module, const SymbolId& symbol);
/// Where it first stands in the statement; empty: it does not.
[[nodiscard]] Span symbol_in(const Module& module, std::uint32_t statement, const SymbolId& symbol);
/// Everywhere it stands, in order of place, at most `limit`. Of a name of the module: in the whole text.
[[nodiscard]] std::vector<Span> occurrences(const Module& module, const SymbolId& symbol, std::size_t limit = 100'000);
/// Where it is declared: the label, the declarator, the name in a function's header. Of a register, its `.reg`.
[[nodiscard]] std::optional<Span> declaration_of(const Module& module, const SymbolId& symbol);

}  // namespace ptxscope::analysis
