// What a person is told about a place in their text: where, what, and the way out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxscope {

/// A half-open range of bytes of the module's text.
struct Span {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
  [[nodiscard]] constexpr std::uint32_t size() const { return end - begin; }
  [[nodiscard]] constexpr bool empty() const { return begin == end; }
  friend constexpr bool operator==(const Span&, const Span&) = default;
};

/// Line and column of a byte, both counted from 1; columns count bytes.
struct Position {
  std::uint32_t line = 1;
  std::uint32_t column = 1;
  friend constexpr bool operator==(const Position&, const Position&) = default;
};

enum class Level : std::uint8_t { note, warning, error };

/// One message. `rule` is a stable id ("PTX-SYNTAX"); `remedy` is empty where there is none.
struct Diagnostic {
  Level level = Level::error;
  std::string rule;
  Span span;
  std::string message;
  std::string remedy;

  /// Further places that explain the first one ("declared here").
  struct Note {
    Span span;
    std::string message;
  };
  std::vector<Note> notes;
};

}  // namespace ptxscope
