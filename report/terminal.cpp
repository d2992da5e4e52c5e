#include "report/terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

namespace ptxscope::report {
namespace {

constexpr unsigned default_width = 100;

std::string_view escape_of(Ink ink) {
  switch (ink) {
    case Ink::bold:
      return "\x1b[1m";
    case Ink::dim:
      return "\x1b[2m";
    case Ink::error:
      return "\x1b[1;31m";
    case Ink::warning:
      return "\x1b[1;33m";
    case Ink::note:
      return "\x1b[36m";
    case Ink::good:
      return "\x1b[32m";
    case Ink::code:
      return "\x1b[34m";
  }
  return "";
}

void append_hex(std::string& out, std::uint32_t value, int digits) {
  constexpr std::string_view hex = "0123456789abcdef";
  for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) out += hex[(value >> shift) & 15U];
}

}  // namespace

unsigned terminal_width() {
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    winsize size{};
    if (::isatty(stream) == 1 && ::ioctl(stream, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
      return std::clamp<unsigned>(size.ws_col, 40, 400);
    }
  }
  return default_width;
}

std::string paint(const TextStyle& style, Ink ink, std::string_view text) {
  if (!style.color || text.empty()) return std::string(text);
  std::string out(escape_of(ink));
  out += text;
  out += "\x1b[0m";
  return out;
}

CodePoint decode_utf8(std::string_view text, std::size_t offset) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[offset + i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1, true};
  unsigned length = 0;
  char32_t value = 0;
  char32_t least = 0;
  if (first >= 0xc2 && first < 0xe0) {
    length = 2, value = first & 0x1fU, least = 0x80;
  } else if (first >= 0xe0 && first < 0xf0) {
    length = 3, value = first & 0x0fU, least = 0x800;
  } else if (first >= 0xf0 && first < 0xf5) {
    length = 4, value = first & 0x07U, least = 0x10000;
  } else {
    return {first, 1, false};
  }
  if (offset + length > text.size()) return {first, 1, false};
  for (unsigned i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0U) != 0x80U) return {first, 1, false};
    value = (value << 6) | (byte(i) & 0x3fU);
  }
  const bool surrogate = value >= 0xd800 && value < 0xe000;
  if (value < least || value > 0x10ffff || surrogate) return {first, 1, false};
  return {value, static_cast<std::uint8_t>(length), true};
}

unsigned columns_of(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  if (in(0x0300, 0x036f) || in(0x200b, 0x200f) || in(0xfe00, 0xfe0f) || c == 0xfeff) return 0;
  if (in(0x1100, 0x115f) || in(0x2e80, 0xa4cf) || in(0xac00, 0xd7a3) || in(0xf900, 0xfaff) || in(0xfe30, 0xfe6f) ||
      in(0xff00, 0xff60) || in(0xffe0, 0xffe6) || in(0x1f300, 0x1faff) || in(0x20000, 0x3fffd)) {
    return 2;
  }
  return 1;
}

bool is_control(char32_t c) {
  const auto in = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  return c < 0x20 || in(0x7f, 0x9f) || c == 0x061c || c == 0x180e || in(0x200b, 0x200f) || in(0x2028, 0x202e) ||
         in(0x2060, 0x2069) || c == 0xfeff || in(0xfff9, 0xfffb);
}

std::string printable(std::string_view text, std::size_t limit) {
  std::string out;
  out.reserve(std::min(text.size(), limit));
  std::size_t shown = 0;
  for (std::size_t i = 0; i < text.size(); ++shown) {
    if (shown == limit) return out + "…";
    const CodePoint point = decode_utf8(text, i);
    if (!point.valid) {
      out += "\\x";
      append_hex(out, point.value, 2);
    } else if (!is_control(point.value)) {
      out += text.substr(i, point.length);
    } else if (point.value == '\n') {
      out += "\\n";
    } else if (point.value == '\t') {
      out += "\\t";
    } else if (point.value == '\r') {
      out += "\\r";
    } else if (point.value < 0x100) {
      out += "\\x";
      append_hex(out, point.value, 2);
    } else {
      out += "\\u";
      append_hex(out, point.value, 4);
    }
    i += point.length;
  }
  return out;
}

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = decode_utf8(text, i);
    if (point.valid) {
      out += text.substr(i, point.length);
    } else {
      out += "\xef\xbf\xbd";
    }
    i += point.length;
  }
  return out;
}

}  // namespace ptxscope::report
