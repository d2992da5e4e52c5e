#include "report/one_line.h"

#include <algorithm>

#include "parser/comments.h"
#include "report/terminal.h"

namespace ptxscope::report {

namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

std::string flattened(std::string_view text, std::size_t limit, std::vector<std::size_t>& places) {
  std::string out;
  std::size_t next = 0;
  std::size_t shown = 0;
  bool gap = false;
  bool quoted = false;  // within a string: all of it is shown
  const auto pass = [&](std::size_t offset) {
    while (next < places.size() && places[next] <= offset) places[next++] = out.size();
  };
  for (std::size_t i = 0; i < text.size();) {
    if (const std::size_t after = quoted ? i : end_of_comment(text, i); after != i) {
      gap = true;
      i = after;
      continue;
    }
    if (is_space(text[i]) && !quoted) {
      gap = true;
      ++i;
      continue;
    }
    if (text[i] == '"') quoted = !quoted;
    const bool parted = gap && !out.empty() && text[i] != ';' && text[i] != ',';
    gap = false;
    shown += parted ? 2 : 1;
    if (shown > limit) return out + "…";
    if (parted) out += ' ';
    pass(i);
    const CodePoint point = decode_utf8(text, i);
    out += printable(text.substr(i, point.length));
    i += point.length;
  }
  pass(text.size());
  return out;
}

}  // namespace

std::string one_line(std::string_view text, std::size_t limit) {
  std::vector<std::size_t> none;
  return flattened(text, limit, none);
}

std::string one_line(const Statement& statement, std::size_t limit) { return one_line(statement.text(), limit); }

std::string one_line(std::string_view text, std::vector<std::size_t>& places) {
  return flattened(text, std::string_view::npos, places);
}

}  // namespace ptxscope::report
