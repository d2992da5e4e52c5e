#include "parser/strings.h"

namespace ptxscope {
namespace {

bool is_octal(char c) { return c >= '0' && c <= '7'; }

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  const char lower = static_cast<char>(c | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

}  // namespace

std::string unescape(std::string_view literal) {
  if (!literal.empty() && literal.front() == '"') literal.remove_prefix(1);
  if (!literal.empty() && literal.back() == '"') literal.remove_suffix(1);
  std::string result;
  result.reserve(literal.size());
  for (std::size_t i = 0; i < literal.size(); ++i) {
    if (literal[i] != '\\' || i + 1 == literal.size()) {
      result.push_back(literal[i]);
      continue;
    }
    const char c = literal[++i];
    switch (c) {
      case 'n':
        result.push_back('\n');
        break;
      case 't':
        result.push_back('\t');
        break;
      case 'r':
        result.push_back('\r');
        break;
      case 'a':
        result.push_back('\a');
        break;
      case 'b':
        result.push_back('\b');
        break;
      case 'f':
        result.push_back('\f');
        break;
      case 'v':
        result.push_back('\v');
        break;
      case 'x': {
        int value = 0;
        std::size_t digits = 0;
        while (digits < 2 && i + 1 < literal.size() && hex_digit(literal[i + 1]) >= 0) {
          value = value * 16 + hex_digit(literal[++i]);
          ++digits;
        }
        result.push_back(static_cast<char>(value));
        break;
      }
      default:
        if (is_octal(c)) {
          int value = c - '0';
          for (int digits = 1; digits < 3 && i + 1 < literal.size() && is_octal(literal[i + 1]); ++digits) {
            value = value * 8 + (literal[++i] - '0');
          }
          result.push_back(static_cast<char>(value));
        } else {
          result.push_back(c);  // \" \\ \' \? and what is no escape
        }
        break;
    }
  }
  return result;
}

}  // namespace ptxscope
