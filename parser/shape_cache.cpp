#include "parser/shape_cache.h"

#include <string_view>

namespace ptxscope {
namespace {

// The generated parser recurses once for each bracket and each `?`: deeper than this nobody writes.
constexpr int deepest = 100;

// The token at which the nesting becomes too deep; the number of tokens if it never does.
std::size_t too_deep(std::span<const TokenKind> kinds) {
  int depth = 0;
  int questions = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    switch (kinds[i]) {
      case TokenKind::lparen:
      case TokenKind::lbrace:
      case TokenKind::lbracket:
        ++depth;
        break;
      case TokenKind::rparen:
      case TokenKind::rbrace:
      case TokenKind::rbracket:
        --depth;
        break;
      case TokenKind::question:
        ++questions;
        break;
      default:
        break;
    }
    if (depth > deepest || questions > deepest) return i;
  }
  return kinds.size();
}

std::string_view bytes(std::span<const TokenKind> kinds) {
  return {reinterpret_cast<const char*>(kinds.data()), kinds.size()};
}

}  // namespace

const Plan& ShapeCache::ask_grammar(std::span<const TokenKind> kinds) {
  const std::size_t limit = too_deep(kinds);
  if (limit < kinds.size()) {
    scratch_ = Plan{};
    scratch_.error_token = static_cast<std::uint32_t>(limit);
    scratch_.too_deep = true;
  } else {
    scratch_ = grammar().read_plan(kinds);
  }
  return scratch_;
}

const Plan& ShapeCache::plan(std::span<const TokenKind> kinds) {
  const std::string_view key = bytes(kinds);
  const std::uint32_t hash = detail::hash(key);
  const std::uint32_t known = index_.find(hash, [&](std::uint32_t number) {
    const Entry& entry = *entries_[number];
    return entry.key_size == key.size() &&
           detail::equal(reinterpret_cast<const char*>(keys_.data()) + entry.key_begin, key.data(), key.size());
  });
  if (known != detail::HashIndex::none) return entries_[known]->plan;
  if (keys_.size() + kinds.size() > most_tokens) {
    keys_.clear();
    entries_.clear();
    index_.clear();
  }
  auto entry = std::make_unique<Entry>();
  entry->key_begin = static_cast<std::uint32_t>(keys_.size());
  entry->key_size = static_cast<std::uint32_t>(kinds.size());
  entry->plan = ask_grammar(kinds);
  keys_.insert(keys_.end(), kinds.begin(), kinds.end());
  index_.insert(hash, static_cast<std::uint32_t>(entries_.size()));
  entries_.push_back(std::move(entry));
  return entries_.back()->plan;
}

}  // namespace ptxscope
