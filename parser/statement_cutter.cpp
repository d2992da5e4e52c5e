#include "parser/statement_cutter.h"

#include <cstring>

namespace ptxscope {

// Folding. An initialiser of 65,536 numbers would be a key of 131,072 kinds. The grammar writes such lists as
// `element (',' element)*`, so a further element of a form that the list already has changes neither whether the list
// parses nor what its tree looks like, and nothing of a plan points into a list. So only the first element of each form
// is kept. The same goes for the items of a `.section`.

StatementCutter::StatementCutter(std::string_view text, bool fold) : scanner_(text), fold_(fold) {
  tokens_.reserve(most_tokens + spare_tokens);
  kinds_.reserve(most_tokens + spare_tokens);
}

inline void StatementCutter::push(Token token) {
  tokens_.push_within_capacity(token);
  kinds_.push_within_capacity(token.kind());
  end_ = token.end();
}

inline Token StatementCutter::take() {
  Token token = scanner_.next();
  while (token.kind() == TokenKind::line_marker) token = scanner_.next();
  return token;
}

Token StatementCutter::peek() {
  const std::uint32_t here = scanner_.offset();
  const Token token = take();
  scanner_.seek(here);
  return token;
}

bool StatementCutter::next() {
  tokens_.shrink(0);
  kinds_.shrink(0);
  folded_ = false;
  too_long_ = false;
  const Token first = scanner_.next();
  if (first.kind() == TokenKind::end_of_text) return false;
  push(first);
  switch (first.kind()) {
    case TokenKind::semicolon:
    case TokenKind::lbrace:
    case TokenKind::rbrace:
    case TokenKind::dwarf_line:
    case TokenKind::line_marker:
    case TokenKind::unterminated_comment:
      break;
    case TokenKind::identifier: {
      const Token second = take();
      if (second.kind() == TokenKind::colon) {
        push(second);
      } else {
        give_back();
        to_semicolon(false);
      }
      break;
    }
    case TokenKind::version:
    case TokenKind::address_size:
      take_if_number();
      break;
    case TokenKind::target:
      target_directive();
      break;
    case TokenKind::file:
      file_directive();
      break;
    case TokenKind::loc:
      loc_directive();
      break;
    case TokenKind::section:
      section();
      break;
    case TokenKind::linkage:
    case TokenKind::entry:
    case TokenKind::func:
      function_or_variable();
      break;
    case TokenKind::align:
    case TokenKind::attribute:
    case TokenKind::space:
      to_semicolon(true);
      break;
    default:
      to_semicolon(false);
      break;
  }
  return true;
}

void StatementCutter::unfold() {
  const bool fold = fold_;
  fold_ = false;
  scanner_.seek(tokens_[0].begin);
  (void)next();
  fold_ = fold;
}

void StatementCutter::to_semicolon(bool declaration) {
  int depth = 0;
  for (;;) {
    const Token token = take();
    switch (token.kind()) {
      case TokenKind::end_of_text:
        return;
      case TokenKind::semicolon:
      case TokenKind::unterminated_comment:
        push(token);
        return;
      case TokenKind::lbrace:
        ++depth;
        break;
      case TokenKind::rbrace:
        if (depth == 0) {
          give_back();
          return;
        }
        --depth;
        break;
      case TokenKind::assign:
        if (declaration && depth == 0) {
          push(token);
          if (scanner_.peek() == '{' && !list()) return;
          continue;
        }
        break;
      default:
        break;
    }
    push(token);
    if (tokens_.size() >= most_tokens) return skip_to_semicolon();
  }
}

void StatementCutter::skip_to_semicolon() {
  too_long_ = true;
  for (;;) {
    const Token token = take();
    if (token.kind() == TokenKind::end_of_text) return;
    end_ = token.end();
    if (token.kind() == TokenKind::semicolon) return;
  }
}

// `.visible .global …;` is a variable; with `.entry` or `.func` it is a header, which ends before its `{`.
void StatementCutter::function_or_variable() {
  bool function = tokens_[0].kind() != TokenKind::linkage;
  while (!function) {
    const Token token = take();
    if (token.kind() == TokenKind::linkage) {
      push(token);
    } else if (token.kind() == TokenKind::entry || token.kind() == TokenKind::func) {
      push(token);
      function = true;
    } else {
      give_back();
      return to_semicolon(true);
    }
  }
  int parentheses = 0;
  for (;;) {
    const Token token = take();
    switch (token.kind()) {
      case TokenKind::end_of_text:
        return;
      // A prototype may lack its `;`: then it ends where another directive begins.
      case TokenKind::lbrace:
      case TokenKind::rbrace:
      case TokenKind::entry:
      case TokenKind::func:
      case TokenKind::pragma:
      case TokenKind::file:
      case TokenKind::loc:
      case TokenKind::section:
      case TokenKind::alias:
      case TokenKind::version:
      case TokenKind::target:
      case TokenKind::address_size:
      case TokenKind::linkage:
      case TokenKind::dwarf_line:
        return give_back();
      case TokenKind::space:
      case TokenKind::reg:
        if (parentheses == 0) return give_back();
        break;
      case TokenKind::lparen:
        ++parentheses;
        break;
      case TokenKind::rparen:
        --parentheses;
        break;
      case TokenKind::semicolon:
      case TokenKind::unterminated_comment:
        push(token);
        return;
      default:
        break;
    }
    push(token);
    if (tokens_.size() >= most_tokens) return skip_to_semicolon();
  }
}

void StatementCutter::take_if_number() {
  const Token token = take();
  if (token.kind() == TokenKind::integer || token.kind() == TokenKind::floating) {
    push(token);
  } else {
    give_back();
  }
}

void StatementCutter::target_directive() {
  for (;;) {
    Token token = take();
    if (token.kind() != TokenKind::identifier) return give_back();
    push(token);
    if (scanner_.peek() != ',') return;
    token = take();
    push(token);
    if (tokens_.size() >= most_tokens) return skip_to_semicolon();
  }
}

void StatementCutter::file_directive() {
  for (const TokenKind kind : {TokenKind::integer, TokenKind::string, TokenKind::comma, TokenKind::integer,
                               TokenKind::comma, TokenKind::integer}) {
    if (kind == TokenKind::comma && scanner_.peek() != ',') return;
    const Token token = take();
    if (token.kind() != kind && token.kind() != TokenKind::unterminated_string) return give_back();
    push(token);
  }
}

void StatementCutter::loc_directive() {
  const auto integers = [&] {
    for (int i = 0; i < 3; ++i) {
      const Token token = take();
      if (token.kind() != TokenKind::integer) return give_back();
      push(token);
    }
  };
  integers();
  while (scanner_.peek() == ',') {
    push(take());
    const Token word = take();
    if (word.kind() != TokenKind::identifier) return give_back();
    push(word);
    const Token value = take();
    if (value.kind() != TokenKind::identifier) {
      give_back();
      integers();
      continue;
    }
    push(value);
    const char sign = scanner_.peek();
    if (sign == '+' || sign == '-') {
      push(take());
      const Token offset = take();
      if (offset.kind() != TokenKind::integer) return give_back();
      push(offset);
    }
    if (tokens_.size() >= most_tokens) return skip_to_semicolon();
  }
}

// The tokens from `begin` on are an element. If the list has one of that form, they go, together with the comma before
// them, which is at `drop_from`.
void StatementCutter::fold_form(std::vector<Form>& forms, std::size_t first_form, std::uint32_t begin,
                                std::uint32_t drop_from) {
  constexpr std::size_t most_forms = 64;
  const auto size = static_cast<std::uint32_t>(kinds_.size()) - begin;
  if (size == 0) return;
  if (!fold_ && kinds_.size() < unfolded_tokens) return;
  for (std::size_t i = first_form; i < forms.size(); ++i) {
    if (forms[i].size == size && std::memcmp(kinds_.data() + forms[i].begin, kinds_.data() + begin, size) == 0) {
      tokens_.shrink(drop_from);
      kinds_.shrink(drop_from);
      folded_ = true;
      return;
    }
  }
  if (forms.size() - first_form < most_forms) forms.push_back({begin, size});
}

// `{…}` with nested braces. False when the statement is over (no `}` came).
bool StatementCutter::list() {
  struct Braces {
    std::size_t first_form;
    std::uint32_t element;  // where the element begins
    bool gap = false;       // `1, , 2`: the commas must stay for the grammar to see it
  };
  std::vector<Braces> levels;
  forms_.clear();
  const auto here = [&] { return static_cast<std::uint32_t>(kinds_.size()); };
  const auto end_element = [&] {
    Braces& level = levels.back();
    level.gap = level.gap || level.element == here();
    if (!level.gap) fold_form(forms_, level.first_form, level.element, level.element == 0 ? 0 : level.element - 1);
  };
  int parentheses = 0;
  for (;;) {
    const Token token = take();
    switch (token.kind()) {
      case TokenKind::end_of_text:
        return false;
      case TokenKind::semicolon:
      case TokenKind::unterminated_comment:
        push(token);
        return false;
      case TokenKind::lbrace:
        push(token);
        levels.push_back({forms_.size(), here()});
        break;
      case TokenKind::rbrace: {
        // The first element of a list has no comma before it, and there is no form yet that it could equal.
        end_element();
        forms_.resize(levels.back().first_form);
        levels.pop_back();
        push(token);
        if (levels.empty()) return true;
        break;
      }
      case TokenKind::comma:
        if (parentheses == 0) {
          end_element();
          push(token);
          levels.back().element = here();
        } else {
          push(token);
        }
        break;
      case TokenKind::lparen:
        ++parentheses;
        push(token);
        break;
      case TokenKind::rparen:
        if (parentheses > 0) --parentheses;
        push(token);
        break;
      default:
        push(token);
        break;
    }
    if (tokens_.size() >= most_tokens) {
      skip_to_semicolon();
      return false;
    }
  }
}

// `.section name { items }`: a label, or a word and a list.
void StatementCutter::section() {
  Token token = take();
  if (!is_dot_word(token.kind()) && token.kind() != TokenKind::identifier && token.kind() != TokenKind::dotted) {
    give_back();
    return to_semicolon(false);
  }
  push(token);
  token = take();
  if (token.kind() != TokenKind::lbrace) {
    give_back();
    return to_semicolon(false);
  }
  push(token);

  forms_.clear();
  item_forms_.clear();
  const auto here = [&] { return static_cast<std::uint32_t>(kinds_.size()); };
  std::uint32_t item = here();
  std::uint32_t element = here();
  bool gap = false;  // in the item
  const auto end_element = [&] {
    gap = gap || element == here();
    if (!gap) fold_form(forms_, 0, element, element - 1);
    element = here();
  };
  const auto end_item = [&] {
    if (here() > element && !forms_.empty()) end_element();
    fold_form(item_forms_, 0, item, item);
    item = element = here();
    gap = false;
    forms_.clear();
  };
  for (;;) {
    token = take();
    if (token.kind() == TokenKind::end_of_text) return;
    if (token.kind() == TokenKind::semicolon || token.kind() == TokenKind::unterminated_comment) return push(token);
    if (token.kind() == TokenKind::rbrace) {
      end_item();
      return push(token);
    }
    if (token.kind() == TokenKind::colon && here() > item) {
      const Token label = tokens_.back();
      tokens_.shrink(tokens_.size() - 1);
      kinds_.shrink(kinds_.size() - 1);
      end_item();
      push(label);
      push(token);
      end_item();
    } else if (token.kind() == TokenKind::type) {
      end_item();
      push(token);
      element = here();
    } else if (token.kind() == TokenKind::comma) {
      end_element();
      push(token);
      element = here();
    } else {
      push(token);
    }
    if (tokens_.size() >= most_tokens) return skip_to_semicolon();
  }
}

}  // namespace ptxscope
