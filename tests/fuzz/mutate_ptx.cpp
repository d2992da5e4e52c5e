#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <vector>

#include "isa/instructions.h"
#include "isa/lookup.h"
#include "parser/scanner.h"
#include "tests/fuzz/mutate.h"

namespace ptxscope::fuzz {

namespace {

// Tokens from `first` up to `last`, which are the bytes from `begin` up to `end`. A statement begins where the one before
// ends: what is between them goes with the later.
struct Piece {
  std::size_t first = 0, last = 0;
  std::size_t begin = 0, end = 0;
};

// PTX as the mutations see it: roughly statements.
struct Pieces {
  explicit Pieces(std::string_view given) : text(given) {
    constexpr std::size_t most_tokens = 1U << 15U;
    Scanner scanner(text);
    for (Token token = scanner.next(); token.kind() != TokenKind::end_of_text && tokens.size() < most_tokens;
         token = scanner.next())
      tokens.push_back(token);
    std::size_t first = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool is_last = i + 1 == tokens.size();
      if (!is_last && !ends_statement(i, first)) continue;
      statements.push_back({first, i + 1, begin, tokens[i].end()});
      first = i + 1;
      begin = tokens[i].end();
    }
  }

  [[nodiscard]] TokenKind kind(std::size_t i) const { return tokens[i].kind(); }
  [[nodiscard]] std::string_view spelling(std::size_t i) const {
    return text.substr(tokens[i].begin, tokens[i].length());
  }

  [[nodiscard]] bool ends_statement(std::size_t i, std::size_t first) const {
    switch (kind(i)) {
      case TokenKind::semicolon:
      case TokenKind::lbrace:
      case TokenKind::rbrace:
        return true;
      case TokenKind::colon:  // of a label
        return i == first + 1 && kind(first) == TokenKind::identifier;
      default:
        break;
    }
    // Directives of one line.
    const bool is_line = kind(first) <= TokenKind::file && kind(first) >= TokenKind::version;
    return is_line && text.substr(tokens[i].end(), tokens[i + 1].begin - tokens[i].end()).find('\n') != text.npos;
  }

  // Places of tokens that `wanted` takes.
  template <typename Wanted>
  [[nodiscard]] std::vector<std::size_t> places(Wanted wanted) const {
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      if (wanted(kind(i))) found.push_back(i);
    return found;
  }

  // The statement that closes the brace which statement `open` opens; the last one where none does.
  [[nodiscard]] std::size_t closing(std::size_t open) const {
    std::size_t depth = 0;
    for (std::size_t i = open; i < statements.size(); ++i) {
      const TokenKind last = kind(statements[i].last - 1);
      if (last == TokenKind::lbrace) ++depth;
      if (last == TokenKind::rbrace && --depth == 0) return i;
    }
    return statements.size() - 1;
  }
  [[nodiscard]] bool is_label(const Piece& piece) const { return kind(piece.last - 1) == TokenKind::colon; }

  std::string_view text;
  std::vector<Token> tokens;
  std::vector<Piece> statements;
};

// One change: bytes from `begin` up to `end` become `after`.
struct Change {
  std::size_t begin = 0, end = 0;
  std::string after;
};

constexpr std::array numbers{"0",
                             "1",
                             "-1",
                             "2",
                             "3",
                             "7",
                             "8",
                             "31",
                             "32",
                             "63",
                             "64",
                             "255",
                             "256",
                             "1023",
                             "1024",
                             "65535",
                             "65536",
                             "1000000",
                             "16777215",
                             "16777216",
                             "2147483647",
                             "2147483648",
                             "4294967295",
                             "4294967296",
                             "9223372036854775807",
                             "9223372036854775808",
                             "18446744073709551615",
                             "18446744073709551616",
                             "99999999999999999999999",
                             "0x80000000",
                             "0xffffffffffffffff",
                             "0x7fffffffffffffffU",
                             "0b1",
                             "0777",
                             "09",
                             "0f3F800000",
                             "0f7FC00000",
                             "0d7FF0000000000000",
                             "1e999",
                             "1.5",
                             "WARP_SZ"};

constexpr std::array types{".pred", ".b8", ".b16", ".b32", ".b64",    ".b128", ".u8",    ".u16", ".u32",
                           ".u64",  ".s8", ".s16", ".s32", ".s64",    ".f16",  ".f16x2", ".f32", ".f64",
                           ".bf16", ".v2", ".v4",  ".v8",  ".texref", ".tf32", ".e4m3x2"};

constexpr std::array new_statements{
    "\n@%p1 bra $L;",
    "\ntrap;",
    "\nexit;",
    "\nret;",
    "\nbra.uni $L;",
    "\n$L:",
    "\nbrx.idx %r1, T;",
    "\nT: .branchtargets $L, $L;",
    "\ncall.uni f, (%r1);",
    "\n.reg .b32 %r<1000000>;",
    "\n.reg .pred %p<4>;",
    "\n.local .align 16 .b8 buffer[4096];",
    "\n.alias f, g;",
    "\n.loc 1 2 3, function_name $L, inlined_at 1 4 5",
    "\n.pragma \"nounroll\";",
    "\n.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)\n{\n",
    "\n.func (.param .b32 r) f(.param .b32 a)\n{\n",
    "\n.extern .func __assertfail(.param .b64 a);",
    "\nsetp.ge.u32 %p1, %r1, %r2;",
    "\nmul.wide.u32 %rd1, %r1, 4;",
    "\nld.param.u64 %rd1, [k_param_0];",
    "\nmov.u32 %r1, %tid.x;",
    "\n@!%p1 trap;",
    "\n}\n",
    "\n{\n",
    "\n/* */",
    "\n//\n",
};

using Mutation = Change (*)(const Pieces& pieces, Chance& chance);

std::string of(const Pieces& pieces, const Piece& piece) {
  return std::string(pieces.text.substr(piece.begin, piece.end - piece.begin));
}

std::string repeated(const std::string& text, std::size_t count) {
  std::string out;
  for (std::size_t i = 0; i < count; ++i) out += text;
  return out;
}

// A few, or now and then very many.
std::size_t amount(Chance& chance) {
  const std::size_t most = std::size_t{1} << (1 + chance(chance.one_in(4) ? 12 : 4));
  return 1 + chance(most);
}

Change put_in(std::size_t at, std::string text) { return {at, at, std::move(text)}; }

bool is_operand(TokenKind kind) {
  return kind == TokenKind::identifier || kind == TokenKind::integer || kind == TokenKind::floating ||
         kind == TokenKind::hex_floating || kind == TokenKind::sink;
}

Change drop_statement(const Pieces& pieces, Chance& chance) {
  const Piece& piece = chance.of(pieces.statements);
  return {piece.begin, piece.end, ""};
}

Change repeat_statement(const Pieces& pieces, Chance& chance) {
  const Piece& piece = chance.of(pieces.statements);
  return put_in(piece.end, repeated(of(pieces, piece), amount(chance)));
}

Change copy_statement(const Pieces& pieces, Chance& chance) {
  return put_in(chance.of(pieces.statements).end, of(pieces, chance.of(pieces.statements)));
}

Change new_statement(const Pieces& pieces, Chance& chance) {
  return put_in(chance.of(pieces.statements).end, chance.of(new_statements));
}

Change swap_statements(const Pieces& pieces, Chance& chance) {
  const std::size_t i = chance(pieces.statements.size());
  if (i + 1 >= pieces.statements.size()) return {};
  const Piece& a = pieces.statements[i];
  const Piece& b = pieces.statements[i + 1];
  return {a.begin, b.end, of(pieces, b) + of(pieces, a)};
}

// Two operands of one statement.
Change swap_operands(const Pieces& pieces, Chance& chance) {
  const Piece& piece = chance.of(pieces.statements);
  std::vector<std::size_t> operands;
  for (std::size_t i = piece.first; i < piece.last; ++i)
    if (is_operand(pieces.kind(i))) operands.push_back(i);
  if (operands.size() < 2) return {};
  std::size_t a = chance.of(operands);
  std::size_t b = chance.of(operands);
  if (a > b) std::swap(a, b);
  if (a == b) return {};
  const Token& first = pieces.tokens[a];
  const Token& second = pieces.tokens[b];
  return {first.begin, second.end(),
          std::string(pieces.spelling(b)) + std::string(pieces.text.substr(first.end(), second.begin - first.end())) +
              std::string(pieces.spelling(a))};
}

Change drop_label(const Pieces& pieces, Chance& chance) {
  std::vector<Piece> labels;
  std::ranges::copy_if(pieces.statements, std::back_inserter(labels),
                       [&](const Piece& one) { return pieces.is_label(one); });
  if (labels.empty()) return {};
  const Piece& label = chance.of(labels);
  return {label.begin, label.end, ""};
}

// From a label up to the next one; with labels that are there then twice.
Change repeat_block(const Pieces& pieces, Chance& chance) {
  const std::size_t begin = chance(pieces.statements.size());
  std::size_t end = begin + 1;
  while (end < pieces.statements.size() && !pieces.is_label(pieces.statements[end])) ++end;
  const std::size_t first = pieces.statements[begin].begin;
  const std::size_t last = pieces.statements[end - 1].end;
  const std::string block(pieces.text.substr(first, last - first));
  return put_in(chance.one_in(2) ? last : chance.of(pieces.statements).end, repeated(block, 1 + chance(4)));
}

Change repeat_function(const Pieces& pieces, Chance& chance) {
  std::vector<std::size_t> opening;
  for (std::size_t i = 0; i < pieces.statements.size(); ++i)
    if (pieces.kind(pieces.statements[i].last - 1) == TokenKind::lbrace) opening.push_back(i);
  if (opening.empty()) return {};
  const std::size_t open = chance.of(opening);
  const std::size_t first = pieces.statements[open].begin;
  const std::size_t last = pieces.statements[pieces.closing(open)].end;
  return put_in(last, repeated(std::string(pieces.text.substr(first, last - first)), 1 + chance(3)));
}

Change nest(const Pieces& pieces, Chance& chance) {
  const Piece& a = chance.of(pieces.statements);
  const Piece& b = chance.of(pieces.statements);
  const std::size_t begin = std::min(a.end, b.end);
  const std::size_t end = std::max(a.end, b.end);
  const std::size_t depth = amount(chance);
  return {begin, end,
          repeated("\n{", depth) + std::string(pieces.text.substr(begin, end - begin)) + repeated("\n}", depth)};
}

// A word by one of the same kind from elsewhere: another register, label, type, opcode.
Change take_other_word(const Pieces& pieces, Chance& chance) {
  const std::size_t place = chance(pieces.tokens.size());
  const TokenKind kind = pieces.kind(place);
  const std::vector<std::size_t> same = pieces.places([&](TokenKind other) { return other == kind; });
  const Token& token = pieces.tokens[place];
  return {token.begin, token.end(), std::string(pieces.spelling(chance.of(same)))};
}

Change take_other_number(const Pieces& pieces, Chance& chance) {
  const std::vector<std::size_t> found = pieces.places([](TokenKind kind) {
    return kind == TokenKind::integer || kind == TokenKind::floating || kind == TokenKind::hex_floating;
  });
  if (found.empty()) return {};
  const Token& token = pieces.tokens[chance.of(found)];
  return {token.begin, token.end(), chance.of(numbers)};
}

// A constant expression where a number stands (PTX ISA 4.5.4).
Change deepen(const Pieces& pieces, Chance& chance) {
  static constexpr std::array operators{"+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "==", "&&", "<=", "?1:"};
  const std::vector<std::size_t> found = pieces.places([](TokenKind kind) { return kind == TokenKind::integer; });
  if (found.empty()) return {};
  const std::size_t place = chance.of(found);
  std::string expression(pieces.spelling(place));
  const std::size_t depth = std::min<std::size_t>(amount(chance), 1024);
  const std::string_view one = chance.of(operators);
  std::string front;
  for (std::size_t i = 0; i < depth; ++i) {
    front += '(';
    expression += std::string(one) + chance.of(numbers) + ")";
  }
  return {pieces.tokens[place].begin, pieces.tokens[place].end(), front + expression};
}

// A chain: the same computation on its own result, time after time.
Change chain(const Pieces& pieces, Chance& chance) {
  const Piece& piece = chance.of(pieces.statements);
  std::vector<std::size_t> operands;
  for (std::size_t i = piece.first; i < piece.last; ++i)
    if (pieces.kind(i) == TokenKind::identifier) operands.push_back(i);
  if (operands.size() < 3) return {};
  const std::size_t result = operands[1];
  const std::size_t source = operands[2 + chance(operands.size() - 2)];
  if (source < result) return {};
  std::string statement(pieces.text.substr(piece.begin, pieces.tokens[source].begin - piece.begin));
  statement += pieces.spelling(result);
  statement += pieces.text.substr(pieces.tokens[source].end(), piece.end - pieces.tokens[source].end());
  return put_in(piece.end, repeated(statement, amount(chance)));
}

// An element of a list, many times: of initialisers, parameters, targets.
Change lengthen_list(const Pieces& pieces, Chance& chance) {
  const std::vector<std::size_t> commas = pieces.places([](TokenKind kind) { return kind == TokenKind::comma; });
  if (commas.empty()) return {};
  const std::size_t comma = chance.of(commas);
  std::size_t end = comma + 1;
  while (end < pieces.tokens.size() && pieces.kind(end) != TokenKind::comma && pieces.kind(end) != TokenKind::rbrace &&
         pieces.kind(end) != TokenKind::rparen && pieces.kind(end) != TokenKind::semicolon)
    ++end;
  const std::size_t last = pieces.tokens[end - 1].end();
  return put_in(last,
                repeated(std::string(pieces.text.substr(pieces.tokens[comma].begin, last - pieces.tokens[comma].begin)),
                         amount(chance)));
}

Change change_type(const Pieces& pieces, Chance& chance) {
  const std::size_t place = chance(pieces.tokens.size());
  const Token& token = pieces.tokens[place];
  if (pieces.kind(place) == TokenKind::type || pieces.kind(place) == TokenKind::vector)
    return {token.begin, token.end(), chance.of(types)};
  if (pieces.kind(place) != TokenKind::dotted) return {};
  // Of an opcode one of its words.
  const std::string word(pieces.spelling(place));
  std::vector<std::size_t> dots;
  for (std::size_t i = 0; i < word.size(); ++i)
    if (word[i] == '.') dots.push_back(i);
  const std::size_t which = chance(dots.size());
  const std::size_t end = which + 1 < dots.size() ? dots[which + 1] : word.size();
  return {token.begin + dots[which], token.begin + end, chance.one_in(4) ? "" : chance.of(types)};
}

Change change_opcode(const Pieces& pieces, Chance& chance) {
  const Piece& piece = chance.of(pieces.statements);
  std::size_t at = piece.first;
  if (pieces.kind(at) == TokenKind::at) at += 2;  // @%p
  if (at >= piece.last || (pieces.kind(at) != TokenKind::identifier && pieces.kind(at) != TokenKind::dotted)) return {};
  const std::string_view word = pieces.spelling(at);
  const std::size_t begin = pieces.tokens[at].begin;
  return {begin, begin + std::min(word.find('.'), word.size()), std::string(chance.of(isa::instructions()).mnemonic)};
}

Change add_modifier(const Pieces& pieces, Chance& chance) {
  static const std::vector<std::string> names = isa::known_names();
  const std::vector<std::size_t> found = pieces.places([](TokenKind kind) { return kind == TokenKind::dotted; });
  if (found.empty()) return {};
  const std::string& name = chance.of(names);
  return put_in(pieces.tokens[chance.of(found)].end(), name.starts_with('.') ? name : "." + name);
}

Change change_guard(const Pieces& pieces, Chance& chance) {
  const Piece& piece = chance.of(pieces.statements);
  const std::size_t begin = pieces.tokens[piece.first].begin;
  if (pieces.kind(piece.first) != TokenKind::at) return put_in(begin, chance.one_in(2) ? "@%p1 " : "@!%p1 ");
  if (piece.last - piece.first < 3) return {};
  const bool is_negated = pieces.kind(piece.first + 1) == TokenKind::exclamation;
  return {begin + 1, begin + 1 + (is_negated ? 1U : 0U), is_negated ? "" : "!"};
}

Change change_header(const Pieces& pieces, Chance& chance) {
  std::vector<std::size_t> words;
  for (const Piece& piece : pieces.statements)
    if (pieces.kind(piece.first) == TokenKind::version || pieces.kind(piece.first) == TokenKind::target)
      for (std::size_t i = piece.first + 1; i < piece.last; ++i) words.push_back(i);
  if (words.empty()) return put_in(0, ".version 8.0\n.target sm_80\n.address_size 64\n");
  const std::size_t place = chance.of(words);
  const bool is_version = pieces.kind(place) == TokenKind::floating;
  return {pieces.tokens[place].begin, pieces.tokens[place].end(),
          is_version ? to_string(chance.of(isa::versions())) : std::string(chance.of(isa::targets()).name)};
}

// A name that is longer, or holds what has to be escaped somewhere.
Change change_name(const Pieces& pieces, Chance& chance) {
  const std::size_t place = chance(pieces.tokens.size());
  const Token& token = pieces.tokens[place];
  static constexpr std::array inside{"</script>", "\xe2\x80\xae", "\x1b[2J", "\xff", "&lt;", "]]>",
                                     "'",         "%0A::",        "\\N"};
  if (pieces.kind(place) == TokenKind::string) return put_in(token.begin + 1, chance.of(inside));
  if (pieces.kind(place) != TokenKind::identifier) return {};
  static constexpr std::array longer{"_ZN4core9panicking5panicE", "_ZN1aIXadL_Z1bEEE", "$", "_", "%tid.x", "x"};
  return put_in(token.end(), chance.one_in(3) ? std::string(amount(chance), 'a') : std::string(chance.of(longer)));
}

constexpr std::array mutations{drop_statement,  repeat_statement, copy_statement,    new_statement,   swap_statements,
                               swap_operands,   drop_label,       repeat_block,      repeat_function, nest,
                               take_other_word, take_other_word,  take_other_number, deepen,          chain,
                               lengthen_list,   change_type,      change_opcode,     add_modifier,    change_guard,
                               change_header,   change_name};

void apply(std::string& text, const Change& change, std::size_t most) {
  if (text.size() - (change.end - change.begin) + change.after.size() <= most)
    text.replace(change.begin, change.end - change.begin, change.after);
}

}  // namespace

void mutate_ptx(std::string& text, std::size_t most, Chance& chance) {
  const Pieces pieces(text);
  if (pieces.statements.empty()) {
    text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n.reg .pred %p<4>;\n.reg .b32 "
        "%r<4>;\nret;\n}\n";
    text.resize(std::min(text.size(), most));
    return;
  }
  const Mutation mutation = chance.of(mutations);
  apply(text, mutation(pieces, chance), most);
}

void cross_ptx(std::string& text, std::string_view other, std::size_t most, Chance& chance) {
  const Pieces pieces(text);
  const std::string copy(other);
  const Pieces more(copy);
  if (pieces.statements.empty() || more.statements.empty()) return;
  const std::size_t begin = chance(more.statements.size());
  const bool is_whole = more.kind(more.statements[begin].last - 1) == TokenKind::lbrace;
  const std::size_t end = is_whole ? more.closing(begin) : std::min(begin + chance(8), more.statements.size() - 1);
  const std::size_t first = more.statements[begin].begin;
  apply(text, put_in(chance.of(pieces.statements).end, copy.substr(first, more.statements[end].end - first)), most);
}

}  // namespace ptxscope::fuzz
