// Bodies that are the same in the order of their text.
#include <algorithm>
#include <set>
#include <string>
#include <unordered_map>

#include "analysis/diff_function.h"

namespace ptxscope::analysis::diff {

bool same_declaration(const Variable& a, const Variable& b) {
  return a.space == b.space && a.type == b.type && a.linkage == b.linkage && a.vector_width == b.vector_width &&
         a.is_array == b.is_array && a.is_pointer == b.is_pointer && a.pointer_space == b.pointer_space &&
         a.alignment == b.alignment && a.pointer_alignment == b.pointer_alignment && a.dimensions == b.dimensions &&
         a.parameterized_count == b.parameterized_count && a.size == b.size &&
         a.initializer.empty() == b.initializer.empty();
}

namespace {

// One to one, or not.
bool agree(Mapping& mapping, std::uint32_t a, std::uint32_t b) {
  if (mapping.open(a, b)) mapping.join(a, b);
  return mapping.agrees(a, b);
}

bool same_initializer_text(const Body& a, const Body& b, const Variable& left, const Variable& right) {
  return a.module->text(left.initializer) == b.module->text(right.initializer);
}

bool same_locals(const Body& a, const Body& b, Mapping& locals) {
  if (a.locals.size() != b.locals.size()) return false;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < a.locals.size(); ++i) {
    if (locals.a_to_b[i] == no_index) {  // used nowhere
      while (next < b.locals.size() && locals.b_to_a[next] != no_index) ++next;
      locals.join(i, next);
    }
    const Variable& left = *a.locals[i];
    const Variable& right = *b.locals[locals.a_to_b[i]];
    if (!same_declaration(left, right) || !same_initializer_text(a, b, left, right)) return false;
  }
  return true;
}

void reset(Mapping& mapping, std::size_t a, std::size_t b) {
  mapping.a_to_b.assign(a, no_index);
  mapping.b_to_a.assign(b, no_index);
}

}  // namespace

bool same_in_step(const Body& a, const Body& b, Mapping& mapping, Mapping& locals) {
  if (a.items.size() != b.items.size() || a.tokens.size() != b.tokens.size()) return false;
  reset(mapping, a.register_count, b.register_count);
  reset(locals, a.locals.size(), b.locals.size());
  for (std::size_t i = 0; i < a.items.size(); ++i)
    if (a.items[i].first_token != b.items[i].first_token) return false;
  for (std::size_t i = 0; i < a.tokens.size(); ++i) {
    const Token left = a.tokens[i];
    const Token right = b.tokens[i];
    if (!token::is_variable(left)) {
      if (left != right) return false;
      continue;
    }
    if (token::shape(left) != token::shape(right)) return false;
    const std::uint32_t x = token::variable(left);
    const std::uint32_t y = token::variable(right);
    switch (token::kind(left)) {
      case TokenKind::reg:
        if (!agree(mapping, x, y)) return false;
        break;
      case TokenKind::local:
        if (!agree(locals, x, y)) return false;
        break;
      default:
        if (a.labels[x].target != b.labels[y].target) return false;
        break;
    }
  }
  return same_locals(a, b, locals);
}

namespace {

class NamePairs {
 public:
  explicit NamePairs(std::vector<std::pair<std::string, std::string>>& out) : out_(&out) {}
  void add(std::string a, std::string b) {
    if (a != b && seen_.emplace(a, b).second) out_->emplace_back(std::move(a), std::move(b));
  }

 private:
  std::set<std::pair<std::string, std::string>> seen_;
  std::vector<std::pair<std::string, std::string>>* out_;
};

}  // namespace

void add_names(const Body& a, const Body& b, const Mapping& mapping, const Mapping& locals, FunctionDiff& out) {
  const auto& left = a.function->registers;
  const auto& right = b.function->registers;
  const bool declared_alike = std::ranges::equal(left, right, [&](const auto& x, const auto& y) {
    return x.first == y.first && x.count == y.count && a.module->name(x.name) == b.module->name(y.name);
  });
  for (std::uint32_t i = 0; i < mapping.a_to_b.size(); ++i) {
    if (mapping.a_to_b[i] == no_index) continue;
    const RegisterNumber x = a.register_number(i);
    const RegisterNumber y = b.register_number(mapping.a_to_b[i]);
    if (declared_alike && x == y) continue;
    std::string name = a.module->register_name(*a.function, x);
    std::string other = b.module->register_name(*b.function, y);
    if (name != other) out.registers.emplace_back(std::move(name), std::move(other));
  }
  NamePairs local_names(out.locals);
  for (std::uint32_t i = 0; i < locals.a_to_b.size(); ++i)
    if (locals.a_to_b[i] != no_index)
      local_names.add(std::string(a.module->name(a.locals[i]->name)),
                      std::string(b.module->name(b.locals[locals.a_to_b[i]]->name)));
  NamePairs labels(out.labels);
  const auto spelled = [](const Body& body, Token one) {
    return body.module->name(body.module->statement(body.labels[token::variable(one)].statement).label());
  };
  for (std::size_t i = 0; i < a.tokens.size() && i < b.tokens.size(); ++i) {
    if (token::kind(a.tokens[i]) != TokenKind::label) continue;
    const std::string_view x = spelled(a, a.tokens[i]);
    const std::string_view y = spelled(b, b.tokens[i]);
    if (x != y) labels.add(std::string(x), std::string(y));
  }
}

Key hash_of(const Body& body) {
  std::vector<std::uint32_t> numbers(body.register_count, no_index);
  std::vector<std::uint32_t> local_numbers(body.locals.size(), no_index);
  std::uint32_t next = 0;
  Key hash = body.items.size();
  for (const Token one : body.tokens) {
    Key value = token::shape(one);
    if (token::kind(one) == TokenKind::label) value = mix(value, body.labels[token::variable(one)].target);
    if (token::kind(one) == TokenKind::reg || token::kind(one) == TokenKind::local) {
      std::uint32_t& number =
          token::kind(one) == TokenKind::reg ? numbers[token::variable(one)] : local_numbers[token::variable(one)];
      if (number == no_index) number = next++;
      value = mix(value, number);
    }
    hash = mix(hash, value);
  }
  return hash;
}

std::vector<Key> shape_keys(const Body& body) {
  std::vector<Key> keys(body.size());
  for (std::uint32_t i = 0; i < body.size(); ++i) {
    Key hash = 0;
    const auto tokens = body.tokens_of(i);
    const bool is_branch = body.items[i].goes == Goes::branch;
    for (std::size_t t = 0; t < tokens.size(); ++t) {
      // The sense of a branch's guard: see same_shape().
      const Token mask = is_branch && t == 1 ? ~token::negated : ~Token{0};
      hash = mix(hash, token::shape(tokens[t]) & mask);
    }
    keys[i] = hash;
  }
  return keys;
}

}  // namespace ptxscope::analysis::diff
