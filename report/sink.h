// Where a writer puts its text: whole documents may be many times as large as the module.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace ptxscope::report {

/// Takes the next piece of a text.
using Sink = std::function<void(std::string_view)>;

/// A piece large enough to be handed on.
inline constexpr std::size_t sink_piece = std::size_t{1} << 18;

/// Hands `text` on, once it is large enough, and empties it.
inline void hand_on(std::string& text, const Sink& sink) {
  if (text.size() < sink_piece) return;
  sink(text);
  text.clear();
}

/// All that `write` says.
template <class Write>
[[nodiscard]] std::string collected(const Write& write) {
  std::string text;
  write(Sink([&](std::string_view piece) { text += piece; }));
  return text;
}

}  // namespace ptxscope::report
