#include "tests/fuzz/outputs.h"

#include <algorithm>
#include <cctype>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "report/terminal.h"
#include "tests/fuzz/require.h"

namespace ptxscope::fuzz {

namespace {

// "\x1b[1;31m" at the start; its length, or 0.
std::size_t color_at(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const std::size_t end = text.find_first_not_of("0123456789;", 2);
  return end != std::string_view::npos && end < 16 && text[end] == 'm' ? end + 1 : 0;
}

// A place in a text, which may hold anything. Made into words only for a property that does not hold: most are asked for
// each character.
struct Around {
  std::string_view text;
  std::size_t at = 0;
  std::string_view what = {};
};

using fuzz::require;

void require(bool holds, std::string_view property, const Around& place) {
  if (holds) return;
  const std::size_t begin = place.at < 80 ? 0 : place.at - 80;
  const std::string words = report::printable(place.text.substr(std::min(begin, place.text.size()), 160));
  fail(property, place.what.empty() ? words : std::string(place.what) + ": " + words);
}

// HTML and SVG as far as ptxscope writes them.
class MarkupReader {
 public:
  explicit MarkupReader(std::string_view text) : text_(text) {}

  void read() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      require(c != '>', "a > in text is escaped", Around{text_, at_});
      if (c == '<') markup();
      else if (c == '&') reference();
      else ++at_;
    }
    require(open_.empty(), "every element is closed", open_.empty() ? "" : open_.back());
  }

 private:
  static bool is_element(std::string_view name) {
    static constexpr std::string_view elements[] = {
        "a",        "body", "button", "circle",  "code",   "col",    "colgroup", "dialog", "div",
        "g",        "h1",   "h2",     "head",    "header", "html",   "input",    "kbd",    "li",
        "line",     "link", "main",   "mark",    "meta",   "nav",    "noscript", "p",      "path",
        "polyline", "rect", "script", "section", "span",   "strong", "style",    "svg",    "table",
        "tbody",    "td",   "text",   "th",      "thead",  "title",  "tr",       "tspan",  "ul"};
    return std::ranges::find(elements, name) != std::end(elements);
  }
  static bool is_void(std::string_view name) {
    return name == "meta" || name == "link" || name == "input" || name == "col";
  }

  void markup() {
    if (text_.substr(at_).starts_with("<!DOCTYPE html>")) {
      at_ += 15;
      return;
    }
    ++at_;
    const bool closes = at_ < text_.size() && text_[at_] == '/';
    if (closes) ++at_;
    const std::size_t begin = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    require(is_element(name), "a < in text is escaped, and the elements are known", Around{text_, begin});
    if (closes) {
      require(at_ < text_.size() && text_[at_] == '>', "an end tag ends", Around{text_, begin});
      ++at_;
      require(!open_.empty() && open_.back() == name, "elements are nested", Around{text_, begin});
      open_.pop_back();
      return;
    }
    const bool is_empty = attributes(name) || is_void(name);
    if (!is_empty) open_.emplace_back(name);
    if (name == "script" || name == "style") raw(name);
  }

  // True where the element ends at once, by `/>`.
  bool attributes(std::string_view element) {
    bool is_data = false;
    for (;;) {
      while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
      require(at_ < text_.size(), "a tag ends");
      if (text_[at_] == '>') break;
      if (text_.substr(at_).starts_with("/>")) {
        at_ += 2;
        return true;
      }
      attribute(is_data);
    }
    ++at_;
    if (element == "script" && !is_data) require(++scripts_ == 1, "there is one script", Around{text_, at_});
    return false;
  }

  void attribute(bool& is_data) {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string_view(":-_").find(text_[at_]) != std::string_view::npos))
      ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    require(!name.empty() && !name.starts_with("on"), "an attribute is called what ptxscope calls it",
            Around{text_, begin});
    if (at_ >= text_.size() || text_[at_] != '=') return;  // one without a value
    require(text_.substr(at_).starts_with("=\""), "an attribute's value is in quotes", Around{text_, begin});
    const std::size_t end = text_.find('"', at_ + 2);
    require(end != std::string_view::npos, "an attribute's value ends", Around{text_, begin});
    const std::string_view value = text_.substr(at_ + 2, end - at_ - 2);
    require(value.find('<') == std::string_view::npos, "a < in an attribute is escaped", Around{text_, begin});
    if (name == "href") require(value == "#main" || value == "data:,", "links lead nowhere else", value);
    is_data = is_data || (name == "type" && value == "application/json");
    at_ = end + 1;
  }

  // A script, a style or data: up to its end tag, whatever it holds.
  void raw(std::string_view element) {
    const std::string tag = "</" + std::string(element);
    const std::size_t end = text_.find(tag, at_);
    require(end != std::string_view::npos, "a script or style ends");
    if (element == "script" && text_.substr(at_, 1) == "{") {
      const std::string_view data = text_.substr(at_, end - at_);
      require(nlohmann::json::accept(data), "data in a page is JSON", Around{data, 0});
    }
    at_ = end;
  }

  void reference() {
    for (const std::string_view one : {"&amp;", "&lt;", "&gt;", "&quot;", "&#39;"}) {
      if (!text_.substr(at_).starts_with(one)) continue;
      at_ += one.size();
      return;
    }
    require(false, "an & in text is escaped", Around{text_, at_});
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t scripts_ = 0;
  std::vector<std::string> open_;
};

}  // namespace

void require_terminal(std::string_view text, std::string_view what) {
  for (std::size_t at = 0; at < text.size();) {
    const report::CodePoint point = report::decode_utf8(text, at);
    require(point.valid, "text is UTF-8", Around{text, at, what});
    const std::size_t color = color_at(text.substr(at));
    const bool is_harmless = color != 0 || point.value == '\n' || !report::is_control(point.value);
    require(is_harmless, "text holds nothing that a terminal acts on", Around{text, at, what});
    at += color != 0 ? color : point.length;
  }
}

void require_json(std::string_view text, std::string_view schema) {
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  require(!json.is_discarded(), "JSON is JSON in UTF-8", Around{text, 0});
  if (schema.empty()) return;
  require(json.is_object() && json.contains("schema") && json["schema"] == schema, "JSON names its schema",
          Around{text, 0});
}

void require_markup(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const report::CodePoint point = report::decode_utf8(text, at);
    require(point.valid, "a page is UTF-8", Around{text, at});
    const bool is_control = report::is_control(point.value) && point.value != '\n' && point.value != '\t';
    require(!is_control, "a page holds no control characters", Around{text, at});
    at += point.length;
  }
  MarkupReader(text).read();
}

void require_dot(std::string_view text) {
  std::size_t depth = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') {
      for (++at; at < text.size() && text[at] != '"'; ++at) {
        require(text[at] != '\n', "a string ends on its line", Around{text, at});
        if (text[at] == '\\') ++at;
      }
      require(at < text.size(), "a string is closed");
    } else if (c == '<') {  // an HTML-like label: to the > that belongs to it
      std::size_t angles = 1;
      for (++at; at < text.size() && angles != 0; ++at) {
        if (text[at] == '<') ++angles;
        if (text[at] == '>') --angles;
      }
      require(angles == 0, "an HTML-like label is closed");
      --at;
    } else if (c == '{') {
      ++depth;
    } else if (c == '}') {
      require(depth != 0, "braces are opened before they are closed", Around{text, at});
      --depth;
    } else if (c == '-' && text.substr(at).starts_with("->")) {
      ++at;
    } else {
      const bool is_plain = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                            std::string_view(" \n_[]=,;.:-#").find(c) != std::string_view::npos;
      require(is_plain, "outside of strings and labels there is nothing from the text", Around{text, at});
    }
  }
  require(depth == 0, "braces are closed");
}

void require_csv(std::string_view text) {
  std::optional<std::size_t> expected;
  std::size_t fields = 1;
  bool is_quoted = false;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '"') is_quoted = !is_quoted;
    if (is_quoted) continue;
    if (c == ',') ++fields;
    if (c != '\n') continue;
    if (!expected) expected = fields;
    require(fields == *expected, "each row has as many fields", Around{text, at});
    fields = 1;
  }
  require(!is_quoted, "a field's quotes are closed");
}

}  // namespace ptxscope::fuzz
