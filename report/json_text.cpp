#include "report/json_text.h"

#include <nlohmann/json.hpp>

namespace ptxscope::report {

void JsonText::next_line() {
  text_ += '\n';
  text_.append(2 * depth_, ' ');
}

// In front of what comes next.
void JsonText::separate() {
  if (has_key_) {
    has_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!is_first_) text_ += ',';
  is_first_ = false;
  next_line();
}

void JsonText::begin(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  is_first_ = true;
}

void JsonText::end(char bracket) {
  --depth_;
  if (!is_first_) next_line();
  text_ += bracket;
  is_first_ = false;
  hand_on(text_, sink_);
}

void JsonText::key(std::string_view name) {
  separate();
  append_json(text_, json_string(name), 0);
  text_ += ": ";
  has_key_ = true;
}

void JsonText::value(const Json& value) {
  separate();
  append_json(text_, value, 2 * depth_);
  hand_on(text_, sink_);
}

void JsonText::members(const Json& object) {
  for (const auto& [name, value] : object.items()) member(name, value);
}

void JsonText::finish() {
  text_ += '\n';
  sink_(text_);
  text_.clear();
}

void write_diagnostics(JsonText& text, const Module& module, std::span<const Diagnostic> more) {
  text.array("diagnostics", ordered_diagnostics(module, more),
             [&](const Diagnostic* one) { return diagnostic_json(module, *one); });
}

}  // namespace ptxscope::report
