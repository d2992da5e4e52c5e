// A JSON document written from front to back: no more of it is held than one value.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "report/json_common.h"
#include "report/sink.h"

namespace ptxscope::report {

/// The text is that which dump() makes of the same document. Objects and arrays are begun and ended in pairs.
class JsonText {
 public:
  explicit JsonText(Sink sink) : sink_(std::move(sink)) {}

  void begin_object() { begin('{'); }
  void end_object() { end('}'); }
  void begin_array() { begin('['); }
  void end_array() { end(']'); }
  /// The name of what comes next.
  void key(std::string_view name);
  void value(const Json& value);
  /// All members of an object.
  void members(const Json& object);
  void member(std::string_view name, const Json& one) {
    key(name);
    value(one);
  }
  /// An array of what `write` makes of each, one at a time.
  template <class Range, class Write>
  void array(std::string_view name, const Range& range, const Write& write) {
    key(name);
    begin_array();
    for (const auto& one : range) value(write(one));
    end_array();
  }
  /// Ends the document's text.
  void finish();

 private:
  void begin(char bracket);
  void end(char bracket);
  void next_line();
  void separate();

  Sink sink_;
  std::string text_;
  std::size_t depth_ = 0;
  bool is_first_ = true;  // nothing stands yet in the innermost object or array
  bool has_key_ = false;
};

/// "diagnostics": those of reading the text, and more, in order of place.
void write_diagnostics(JsonText& text, const Module& module, std::span<const Diagnostic> more);

}  // namespace ptxscope::report
