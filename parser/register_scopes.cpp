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
    recent_.fill(none);
  }
  while (undos_.size() > scope.undos) {
    const Undo& undo = undos_.back();
    Binding& binding = bindings_[static_cast<std::size_t>(undo.name)];
    if (undo.before.number == none) --bound_with(names_.spelling(undo.name));
    binding = undo.before;
    undos_.pop_back();
  }
}

void RegisterScopes::bind(NameId name, std::uint32_t number) {
  const auto i = static_cast<std::size_t>(name);
  if (i >= bindings_.size()) bindings_.resize(names_.size());
  Binding& binding = bindings_[i];
  undos_.push_back({name, binding});
  if (binding.number == none) ++bound_with(names_.spelling(name));
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
  recent_.fill(none);
}

// The first characters of a spelling as a number, for comparing prefixes of up to 8 characters at once.
inline std::uint64_t RegisterScopes::head_within_text(std::string_view prefix) const {
  if (names_.text_end() - prefix.data() < 8) return head_of(prefix);
  const std::uint64_t head = detail::load8(prefix.data());
  return prefix.size() >= 8 ? head : head & ((std::uint64_t{1} << (prefix.size() * 8)) - 1);
}

inline const RegisterScopes::Range* RegisterScopes::find_range(std::string_view prefix, std::uint32_t number) const {
  if (ranges_.size() <= few_ranges) {
    const std::uint64_t head = head_within_text(prefix);
    for (std::size_t i = ranges_.size(); i > 0; --i) {
      const Range& range = ranges_[i - 1];
      if (range.head != head || range.head_size != prefix.size() || number >= range.count) continue;
      if (prefix.size() > 8 && names_.spelling(range.prefix) != prefix) continue;
      // Only where no inner range of the same prefix holds some of its numbers.
      if (range_of_[static_cast<std::size_t>(range.prefix)] == i - 1) {
        recent_[recent_slot(head)] = static_cast<std::uint32_t>(i - 1);
      }
      return &range;
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

// `%r17` is number 17 of the range `%r`, and so is `%r017`: all digits at the end are the number, as ptxas has it.
const RegisterScopes::Range* RegisterScopes::range_holding(std::string_view spelling, std::uint32_t& number) const {
  const char* const begin = spelling.data();
  const char* p = begin + spelling.size();
  std::uint64_t value = 0;
  std::uint64_t power = 1;
  while (p > begin && p[-1] >= '0' && p[-1] <= '9') {
    --p;
    value += static_cast<std::uint64_t>(*p - '0') * power;
    // Past nine digits only zeros are a number that a range can have.
    if (power < 10'000'000'000U) power *= 10;
  }
  if (value >= none) return nullptr;
  number = static_cast<std::uint32_t>(value);
  return find_range({begin, static_cast<std::size_t>(p - begin)}, number);
}

std::optional<RegisterNumber> RegisterScopes::find_any(std::string_view spelling) const {
  const bool digit = ends_in_digit(spelling);
  std::uint32_t number = 0;
  const Range* range = digit && !ranges_.empty() ? range_holding(spelling, number) : nullptr;
  if (bound_[static_cast<unsigned char>(spelling.front())] != 0) {
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
