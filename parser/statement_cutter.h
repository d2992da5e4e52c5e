// Cuts the text into statements: at `;`, at braces that open or close scopes, at a label's `:`, and where a directive that
// has no `;` ends.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "parser/array.h"
#include "parser/scanner.h"
#include "parser/token.h"

namespace ptxscope {

class StatementCutter {
 public:
  /// `fold`: long lists are cut down to one element of each form (see statement_cutter.cpp). Without it only very
  /// long ones are.
  StatementCutter(std::string_view text, bool fold);

  /// Takes the next statement; false at the end of the text. The spans below are valid until the next call.
  [[nodiscard]] bool next();

  /// Takes the same statement again with its lists as they are (unless they are very long).
  void unfold();

  [[nodiscard]] std::span<const Token> tokens() const { return tokens_.view(); }
  [[nodiscard]] std::span<const TokenKind> kinds() const { return kinds_.view(); }
  /// The end of its last token (tokens() may lack some of a folded list).
  [[nodiscard]] std::uint32_t end() const { return end_; }
  [[nodiscard]] bool folded() const { return folded_; }
  /// More tokens than a statement may have; the rest of it was skipped.
  [[nodiscard]] bool too_long() const { return too_long_; }

  /// The token after the statement.
  [[nodiscard]] Token peek();

  /// The next statement begins at this place.
  void seek(std::uint32_t offset) { scanner_.seek(offset); }

 private:
  static constexpr std::size_t most_tokens = 1U << 16U;
  static constexpr std::size_t spare_tokens = 16;  // pushed between two looks at the limit
  static constexpr std::size_t unfolded_tokens = 1U << 10U;

  /// An element of a list by the place of its kinds.
  struct Form {
    std::uint32_t begin = 0;
    std::uint32_t size = 0;
  };

  void push(Token token);
  [[nodiscard]] Token take();
  /// What was taken and not pushed is taken again, line markers before it too.
  void give_back() { scanner_.seek(end_); }
  void take_if_number();
  void to_semicolon(bool declaration);
  void function_or_variable();
  void target_directive();
  void file_directive();
  void loc_directive();
  void section();
  [[nodiscard]] bool list();
  void fold_form(std::vector<Form>& forms, std::size_t first_form, std::uint32_t begin, std::uint32_t drop_from);
  void skip_to_semicolon();

  Scanner scanner_;
  Array<Token> tokens_;
  Array<TokenKind> kinds_;
  std::uint32_t end_ = 0;
  bool fold_;
  bool folded_ = false;
  bool too_long_ = false;
  std::vector<Form> forms_;
  std::vector<Form> item_forms_;
};

}  // namespace ptxscope
