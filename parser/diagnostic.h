// What a person is told about a place in their text: where, what, and the way out.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ptxscope {

/// A half-open range of bytes of the module's text.
struct Span {
  std::uint32_t begin = 0;                                                    ///< offset of the first byte
  std::uint32_t end = 0;                                                      ///< offset behind the last byte
  [[nodiscard]] constexpr std::uint32_t size() const { return end - begin; }  ///< in bytes
  [[nodiscard]] constexpr bool empty() const { return begin == end; }         ///< of no bytes: mostly "there is none"
  friend constexpr bool operator==(const Span&, const Span&) = default;       ///< both ends
};

/// Line and column of a byte, both counted from 1; columns count bytes.
struct Position {
  std::uint32_t line = 1;                                                        ///< lines end at a line feed
  std::uint32_t column = 1;                                                      ///< 1 is the first byte of the line
  friend constexpr bool operator==(const Position&, const Position&) = default;  ///< line and column
};

/// How grave: an error means that some text was not read, or would not do; a note goes with nothing that must change.
enum class Level : std::uint8_t { note, warning, error };

/// One message. `rule` is a stable id ("PTX-SYNTAX"); `remedy` is empty where there is none.
struct Diagnostic {
  Level level = Level::error;  ///< only `error` makes Module::has_errors() true
  std::string rule;            ///< stable, for programs; report::rules() explains those that a text can give
  Span span;                   ///< what the caret is put under; empty: a place between bytes, or the whole text
  std::string message;         ///< a sentence without a full stop, names in it as in the text (not escaped)
  std::string remedy;          ///< what to change, worded for the person who wrote the text

  /// Further places that explain the first one ("declared here").
  struct Note {
    Span span;            ///< may be anywhere in the same text
    std::string message;  ///< as Diagnostic::message
  };
  std::vector<Note> notes;  ///< in the order to be shown in; mostly none
};

}  // namespace ptxscope
