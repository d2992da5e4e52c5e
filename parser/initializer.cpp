#include "parser/initializer.h"

#include <algorithm>
#include <bit>
#include <string>

#include "parser/constant.h"
#include "parser/scanner.h"
#include "parser/strings.h"

namespace ptxscope {
namespace {

Token next_inside(Scanner& scanner, std::uint32_t end) {
  Token token = scanner.next();
  while (token.kind() == TokenKind::line_marker) token = scanner.next();
  if (token.begin >= end) return {end, static_cast<std::uint32_t>(TokenKind::end_of_text)};
  return token;
}

// One element that is not a list: a number, or a symbol with what is around it.
InitializerValue element(std::string_view text, std::span<const Token> tokens, Type type, const NameTable& names) {
  InitializerValue result;
  if (const auto constant = evaluate(text, tokens)) {
    std::uint64_t bits = constant->bits;
    const auto number = [&] {
      switch (constant->form) {
        case Constant::Form::signed_integer:
          return static_cast<double>(static_cast<std::int64_t>(bits));
        case Constant::Form::unsigned_integer:
          return static_cast<double>(bits);
        case Constant::Form::single_float:
          return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        default:
          return std::bit_cast<double>(bits);
      }
    };
    if (type == Type::f32 && constant->form != Constant::Form::single_float) {
      bits = std::bit_cast<std::uint32_t>(static_cast<float>(number()));
    } else if (type == Type::f64 && constant->form != Constant::Form::double_float) {
      bits = std::bit_cast<std::uint64_t>(number());
    }
    result.value = static_cast<std::int64_t>(bits);
    return result;
  }
  // The first name that is not a function of addresses is the symbol.
  std::size_t symbol = tokens.size();
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view word = text.substr(tokens[i].begin, tokens[i].length());
    if (tokens[i].kind() == TokenKind::integer && i + 1 < tokens.size() && tokens[i + 1].kind() == TokenKind::lparen) {
      result.mask = integer_value(word);
    } else if (tokens[i].kind() == TokenKind::identifier || tokens[i].kind() == TokenKind::dotted) {
      if (i + 1 < tokens.size() && tokens[i + 1].kind() == TokenKind::lparen) {
        if (word == "generic") result.is_generic = true;
        continue;
      }
      symbol = i;
      result.is_symbol = true;
      result.symbol = names.find(word);
      break;
    }
  }
  // `symbol + 8`, `generic(symbol) + 8`, `symbol[2]` (whose element size we do not know, so no addend).
  std::size_t rest = symbol + 1;
  while (rest < tokens.size() && tokens[rest].kind() == TokenKind::rparen) ++rest;
  if (rest < tokens.size() && (tokens[rest].kind() == TokenKind::plus || tokens[rest].kind() == TokenKind::minus)) {
    std::size_t end = tokens.size();
    int depth = 0;  // inside mask(…) the closing parenthesis comes after the addend
    for (std::size_t i = rest; i < tokens.size(); ++i) {
      if (tokens[i].kind() == TokenKind::lparen) ++depth;
      if (tokens[i].kind() == TokenKind::rparen && --depth < 0) {
        end = i;
        break;
      }
    }
    if (const auto addend = evaluate(text, tokens.subspan(rest, end - rest)); addend && addend->is_integer()) {
      result.value = static_cast<std::int64_t>(addend->bits);
    }
  }
  return result;
}

// No initialiser of a text can hold more values than this, whatever its dimensions say.
std::uint64_t most_values(const Span& initializer) { return std::uint64_t{16} * initializer.size() + (1U << 20U); }

}  // namespace

std::uint64_t inferred_dimension(std::string_view text, Span initializer, std::uint64_t inner) {
  Scanner scanner(text, initializer.begin);
  std::uint64_t elements = 0;
  std::uint64_t lists = 0;
  int depth = 0;
  int parentheses = 0;
  bool in_element = false;
  for (;;) {
    const Token token = next_inside(scanner, initializer.end);
    const TokenKind kind = token.kind();
    if (kind == TokenKind::end_of_text) break;
    if (kind == TokenKind::lbrace) {
      ++depth;
      if (depth == 2) {
        ++lists;
        in_element = true;
      }
    } else if (kind == TokenKind::rbrace) {
      if (depth == 1 && in_element) ++elements;
      --depth;
    } else if (kind == TokenKind::lparen) {
      ++parentheses;
    } else if (kind == TokenKind::rparen) {
      --parentheses;
    } else if (kind == TokenKind::comma && depth == 1 && parentheses == 0) {
      if (in_element) ++elements;
      in_element = false;
    } else if (depth == 1) {
      in_element = true;
    } else if (depth == 0 && kind == TokenKind::string) {
      return unescape(text.substr(token.begin, token.length())).size() + 1;
    }
  }
  if (lists > 0 || inner <= 1) return elements;
  return (elements + inner - 1) / inner;
}

std::vector<InitializerValue> initializer_values(std::string_view text, const Variable& variable,
                                                 const NameTable& names) {
  std::vector<InitializerValue> values;
  if (variable.initializer.empty()) return values;
  const std::uint64_t most = most_values(variable.initializer);

  // stride[d]: how many values an element at brace depth d takes.
  std::vector<std::uint64_t> strides(variable.dimensions.size() + 1, 1);
  for (std::size_t i = variable.dimensions.size(); i > 0; --i) {
    const std::uint64_t inner = i < variable.dimensions.size() ? std::min(variable.dimensions[i], most) : 1;
    strides[i - 1] = std::min(strides[i] * inner, most);
  }
  const auto stride = [&](std::size_t depth) { return depth < strides.size() ? strides[depth] : 1; };

  Scanner scanner(text, variable.initializer.begin);
  std::vector<Token> tokens;
  std::vector<std::uint64_t> starts;  // of the open lists' elements
  int parentheses = 0;
  const auto end_element = [&] {
    if (tokens.empty()) return;
    if (tokens.size() == 1 && tokens[0].kind() == TokenKind::string) {
      for (const char c : unescape(text.substr(tokens[0].begin, tokens[0].length()))) {
        values.push_back({.value = static_cast<unsigned char>(c)});
      }
      values.push_back({});
    } else {
      values.push_back(element(text, tokens, variable.type, names));
    }
    tokens.clear();
  };
  for (;;) {
    const Token token = next_inside(scanner, variable.initializer.end);
    const TokenKind kind = token.kind();
    if (kind == TokenKind::end_of_text) break;
    if (kind == TokenKind::lbrace) {
      starts.push_back(values.size());
    } else if (kind == TokenKind::rbrace) {
      end_element();
      if (starts.empty()) break;
      // An inner list fills an element of the list around it.
      const std::uint64_t whole = starts.size() > 1 ? stride(starts.size() - 2) : 0;
      const std::uint64_t end = std::min(starts.back() + whole, most);
      if (values.size() < end) values.resize(end);
      starts.pop_back();
    } else if (kind == TokenKind::comma && parentheses == 0) {
      end_element();
    } else {
      if (kind == TokenKind::lparen) ++parentheses;
      if (kind == TokenKind::rparen) --parentheses;
      tokens.push_back(token);
    }
  }
  end_element();
  return values;
}

}  // namespace ptxscope
