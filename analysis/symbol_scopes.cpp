#include "analysis/symbol_scopes.h"

namespace ptxscope::analysis {

void SymbolScopes::close() {
  if (undo_marks_.size() <= 1) return;
  while (undo_.size() > undo_marks_.back()) {
    const Undo& undo = undo_.back();
    if (undo.before == no_index) current_.erase(undo.key);
    else current_[undo.key] = undo.before;
    if (undo.key % 2 == 1) --ranges_of_prefix_[static_cast<std::uint32_t>(undo.key / 2)];
    undo_.pop_back();
  }
  undo_marks_.pop_back();
}

SymbolScopes::Numbered SymbolScopes::split(NameId name) const {
  const std::string_view spelling = module_->name(name);
  std::size_t digits = 0;
  while (digits < spelling.size() && digits < 9 && spelling[spelling.size() - 1 - digits] >= '0' &&
         spelling[spelling.size() - 1 - digits] <= '9')
    ++digits;
  // The prefix may itself end in digits (`%r1<10>`): the shortest number whose prefix is declared counts.
  for (std::size_t length = 1; length <= digits; ++length) {
    const std::string_view number = spelling.substr(spelling.size() - length);
    if (number.size() > 1 && number.front() == '0') continue;
    const NameId prefix = module_->find_name(spelling.substr(0, spelling.size() - length));
    if (prefix == no_name) continue;
    const auto open = ranges_of_prefix_.find(static_cast<std::uint32_t>(prefix));
    if (open == ranges_of_prefix_.end() || open->second == 0) continue;
    std::uint32_t value = 0;
    for (const char c : number) value = value * 10 + static_cast<std::uint32_t>(c - '0');
    return {prefix, value};
  }
  return {};
}

const Symbol* SymbolScopes::current(std::uint64_t key) const {
  const auto found = current_.find(key);
  return found == current_.end() ? nullptr : &symbols_[found->second];
}

const Symbol* SymbolScopes::declare(NameId name, Symbol symbol) {
  symbol.scope = depth();
  const std::uint64_t key = key_of(name, symbol.count != 0);
  const Symbol* earlier = current(key);
  if (earlier != nullptr && earlier->scope != symbol.scope) earlier = nullptr;
  if (earlier == nullptr && symbol.count == 0) {
    const Numbered numbered = split(name);
    const Symbol* range = numbered.prefix == no_name ? nullptr : current(key_of(numbered.prefix, true));
    if (range != nullptr && range->scope == symbol.scope && numbered.number < range->count) earlier = range;
  }
  const auto before = current_.find(key);
  undo_.push_back({key, before == current_.end() ? no_index : before->second});
  if (symbol.count != 0) ++ranges_of_prefix_[static_cast<std::uint32_t>(name)];
  current_[key] = static_cast<std::uint32_t>(symbols_.size());
  if (earlier == nullptr) {
    symbols_.push_back(symbol);
    return nullptr;
  }
  const std::size_t index = static_cast<std::size_t>(earlier - symbols_.data());
  symbols_.push_back(symbol);
  return &symbols_[index];
}

const Symbol* SymbolScopes::find(NameId name) const {
  const Symbol* single = current(key_of(name, false));
  const Numbered numbered = split(name);
  const Symbol* range = numbered.prefix == no_name ? nullptr : current(key_of(numbered.prefix, true));
  if (range != nullptr && numbered.number >= range->count) range = nullptr;
  if (single == nullptr) return range;
  return range != nullptr && range->scope > single->scope ? range : single;
}

const Symbol* SymbolScopes::range_near(NameId name) const {
  const Numbered numbered = split(name);
  return numbered.prefix == no_name ? nullptr : current(key_of(numbered.prefix, true));
}

}  // namespace ptxscope::analysis
