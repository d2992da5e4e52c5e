#include "parser/register_scopes.h"

#include <cstring>

namespace ptxscope {
namespace {

bool ends_in_digit(std::string_view spelling) {
  return !spelling.empty() && spelling.back() >= '0' && spelling.back() <= '9';
}

}  // namespace

std::uint64_t RegisterScopes::head_of(std::string_view prefix) {
  std::uint64_t head = 0;
  for (std::size_t i = prefix.size() < 8 ? prefix.size() : 8; i > 0; --i) {
    head = head << 8U | static_cast<unsigned char>(prefix[i - 1]);
  }
  return head;
}

void RegisterScopes::reset() {
  while (!scopes_.empty()) close();
}

void RegisterScopes::open() { scopes_.push_back({ranges_.size(), undos_.size()}); }

void RegisterScopes::close() {
  if (scopes_.empty()) return;
  const Scope scope = scopes_.back();
  scopes_.pop_back();
  while (ranges_.size() > scope.ranges) {
    range_of_[static_cast<std::size_t>(ranges_.back().prefix)] = ranges_.back().outer;
    ranges_.pop_back();
  }
  while (undos_.size() > scope.undos) {
    const Undo& undo = undos_.back();
    Binding& binding = bindings_[static_cast<std::size_t>(undo.name)];
    if (undo.before.number == none) {
      --bound_;
      if (ends_in_digit(names_.spelling(undo.name))) --bound_with_digit_;
    }
    binding = undo.before;
    undos_.pop_back();
  }
}

void RegisterScopes::bind(NameId name, std::uint32_t number) {
  const auto i = static_cast<std::size_t>(name);
  if (i >= bindings_.size()) bindings_.resize(names_.size());
  Binding& binding = bindings_[i];
  undos_.push_back({name, binding});
  if (binding.number == none) {
    ++bound_;
    if (ends_in_digit(names_.spelling(name))) ++bound_with_digit_;
  }
  binding = {number, static_cast<std::uint32_t>(scopes_.size())};
}

void RegisterScopes::declare(const RegisterDeclaration& declaration) {
  if (declaration.count == 0) return bind(declaration.name, declaration.first);
  const std::string_view prefix = names_.spelling(declaration.name);
  const auto i = static_cast<std::size_t>(declaration.name);
  if (i >= range_of_.size()) range_of_.resize(names_.size(), none);
  ranges_.push_back({head_of(prefix), static_cast<std::uint32_t>(prefix.size()), declaration.name, declaration.count,
                     declaration.first, static_cast<std::uint32_t>(scopes_.size()), range_of_[i]});
  range_of_[i] = static_cast<std::uint32_t>(ranges_.size() - 1);
}

const RegisterScopes::Range* RegisterScopes::find_range(std::string_view prefix, std::uint32_t number) const {
  if (ranges_.size() <= few_ranges) {
    const std::uint64_t head = head_of(prefix);
    for (std::size_t i = ranges_.size(); i > 0; --i) {
      const Range& range = ranges_[i - 1];
      if (range.head != head || range.head_size != prefix.size() || number >= range.count) continue;
      if (prefix.size() <= 8 || names_.spelling(range.prefix) == prefix) return &range;
    }
    return nullptr;
  }
  const NameId name = names_.find(prefix);
  if (name == no_name || static_cast<std::size_t>(name) >= range_of_.size()) return nullptr;
  for (std::uint32_t i = range_of_[static_cast<std::size_t>(name)]; i != none; i = ranges_[i].outer) {
    if (number < ranges_[i].count) return &ranges_[i];
  }
  return nullptr;
}

std::optional<RegisterNumber> RegisterScopes::find(std::string_view spelling) const {
  const Range* range = nullptr;
  std::uint32_t number = 0;
  const bool digit = ends_in_digit(spelling);
  if (digit && !ranges_.empty()) {
    std::size_t prefix = spelling.size() - 1;
    while (prefix > 0 && spelling[prefix - 1] >= '0' && spelling[prefix - 1] <= '9') --prefix;
    // `%r01` is not of `%r<10>`; a prefix may end in a digit itself, but `%r1<5>` is written by nobody: see below.
    const std::string_view digits = spelling.substr(prefix);
    if (digits.size() <= 9 && (digits.size() == 1 || digits[0] != '0')) {
      for (const char c : digits) number = number * 10 + static_cast<std::uint32_t>(c - '0');
      range = find_range(spelling.substr(0, prefix), number);
    }
    // A range whose prefix ends in digits: `a1<3>` makes a10, a11, a12.
    for (std::size_t split = prefix + 1; range == nullptr && split < spelling.size(); ++split) {
      if (split + 1 < spelling.size() && spelling[split] == '0') continue;
      if (spelling.size() - split > 9) continue;
      number = 0;
      for (const char c : spelling.substr(split)) number = number * 10 + static_cast<std::uint32_t>(c - '0');
      range = find_range(spelling.substr(0, split), number);
    }
  }
  const bool maybe_bound = digit ? bound_with_digit_ != 0 : bound_ != 0;
  if (maybe_bound) {
    const NameId name = names_.find(spelling);
    if (name != no_name && static_cast<std::size_t>(name) < bindings_.size()) {
      const Binding& binding = bindings_[static_cast<std::size_t>(name)];
      if (binding.number != none && (range == nullptr || binding.depth >= range->depth)) {
        if (binding.number == not_a_register) return std::nullopt;
        return binding.number;
      }
    }
  }
  if (range == nullptr) return std::nullopt;
  return range->first + number;
}

}  // namespace ptxscope
