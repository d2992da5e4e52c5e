// The plans of the shapes met so far. The grammar is asked once for each.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "parser/intern.h"
#include "parser/plan.h"

namespace ptxscope {

class ShapeCache {
 public:
  /// The plan of a statement with these token kinds. Valid until the next call.
  [[nodiscard]] const Plan& plan(std::span<const TokenKind> kinds);

  /// The same without remembering anything.
  [[nodiscard]] const Plan& ask_grammar(std::span<const TokenKind> kinds);

  /// What may come after the first tokens of a statement, in words.
  [[nodiscard]] std::string expected_after(std::span<const TokenKind> prefix) {
    return grammar().expected_after(prefix);
  }

  [[nodiscard]] std::size_t size() const { return entries_.size(); }

 private:
  // A text of endless new shapes must not fill the memory: past so many tokens in all, everything is forgotten.
  static constexpr std::size_t most_tokens = std::size_t{1} << 20U;

  struct Entry {
    std::uint32_t key_begin = 0;
    std::uint32_t key_size = 0;
    Plan plan;
  };

  [[nodiscard]] Grammar& grammar() {
    if (!grammar_) grammar_.emplace();
    return *grammar_;
  }

  std::optional<Grammar> grammar_;
  std::vector<TokenKind> keys_;
  std::vector<std::unique_ptr<Entry>> entries_;
  detail::HashIndex index_;
  Plan scratch_;
};

}  // namespace ptxscope
