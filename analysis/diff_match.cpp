#include "analysis/diff_match.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <unordered_map>

#include "analysis/diff_body.h"
#include "analysis/diff_function.h"

namespace ptxscope::analysis {

namespace {

bool is_hex(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Rust's legacy mangling ends each path with `17h`, 16 hexadecimal digits and `E`.
void strip_rust_hashes(std::string& name) {
  for (std::size_t at = name.find("17h"); at != std::string::npos; at = name.find("17h", at + 1)) {
    if (at + 20 > name.size() || name[at + 19] != 'E') continue;
    if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at) + 3,
                    name.begin() + static_cast<std::ptrdiff_t>(at) + 19, is_hex))
      name.erase(at, 19);
  }
}

// Rust's v0 mangling (RFC 2603): the disambiguator of a crate, `Cs` digits of base 62 `_`.
void strip_crate_disambiguators(std::string& name) {
  if (!name.starts_with("_R")) return;
  for (std::size_t at = name.find("Cs"); at != std::string::npos; at = name.find("Cs", at + 1)) {
    std::size_t end = at + 2;
    while (end < name.size() && std::isalnum(static_cast<unsigned char>(name[end])) != 0) ++end;
    if (end < name.size() && name[end] == '_' && end - at <= 15) name.erase(at + 1, end - at);
  }
}

// The length written before `word`, by its last `digits` digits; 0: there are not as many. `__447_GLOBAL__N__…` is `__4`
// and then a name of 47 bytes: which digits are its own only what stands there can tell.
std::size_t length_before(std::string_view name, std::size_t word, std::size_t digits) {
  if (digits > word) return 0;
  std::size_t length = 0;
  for (std::size_t i = word - digits; i < word; ++i) {
    if (!is_digit(name[i])) return 0;
    length = 10 * length + static_cast<std::size_t>(name[i] - '0');
  }
  return length;
}

// nvcc names what is internal to a file after the file and a hash: `<length>_INTERNAL_…`, `<length>_GLOBAL__N__…`.
void strip_file_names(std::string& name, std::string_view mark) {
  for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark, at + 1)) {
    for (std::size_t digits = 1; digits <= 4; ++digits) {
      const std::size_t length = length_before(name, at, digits);
      if (length <= mark.size() || at + length > name.size()) continue;
      name.replace(at - digits, digits + length, mark);
      at -= digits;
      break;
    }
  }
}

// Where a name of `_SM_`, targets and perhaps `_NS` ends, as its length says; npos: it is another name.
std::size_t end_of_target_namespace(std::string_view name, std::size_t word, std::size_t mark) {
  for (std::size_t digits = 1; digits <= 3; ++digits) {
    const std::size_t length = length_before(name, word, digits);
    if (word + length > name.size() || word + length <= mark) continue;
    std::string_view targets = name.substr(mark, word + length - mark);
    if (targets.ends_with("_NS")) targets.remove_suffix(3);
    if (targets.size() > 4 && targets.substr(4).find_first_not_of("0123456789_") == std::string_view::npos)
      return word + length;
  }
  return std::string_view::npos;
}

// CUB and Thrust put what they were compiled for into a namespace: `18CUB_300001_SM_1200`, `23THRUST_300001_SM_800_NS`,
// `…_SM_800_900`.
void strip_target_namespaces(std::string& name) {
  constexpr std::string_view mark = "_SM_";
  constexpr std::size_t longest = 60;  // before the mark
  for (std::size_t at = name.find(mark); at != std::string::npos; at = name.find(mark, at + 1)) {
    for (std::size_t word = at; word > 0 && at - word < longest; --word) {
      if (is_digit(name[word]) || !is_digit(name[word - 1])) continue;
      const std::size_t end = end_of_target_namespace(name, word, at);
      if (end == std::string::npos) continue;
      name.erase(at, end - at);
      while (word > 0 && is_digit(name[word - 1])) name.erase(--word, 1), --at;
      break;
    }
  }
}

// `__nv_static_43__<file and hash>__Z3foov`
void strip_static_prefix(std::string& name) {
  constexpr std::string_view prefix = "__nv_static_";
  const std::size_t at = name.find(prefix);
  if (at == std::string::npos) return;
  const std::size_t mangled = name.find("__Z", at + prefix.size());
  if (mangled != std::string::npos) name.erase(at, mangled + 1 - at);
}

void strip_internal_prefix(std::string& name) {
  constexpr std::string_view prefix = "$__internal_";
  if (!name.starts_with(prefix)) return;
  const std::size_t end = name.find("_$", prefix.size());
  if (end != std::string::npos) name.erase(0, end + 2);
}

void strip_suffix(std::string& name, std::string_view mark) {
  const std::size_t at = name.rfind(mark);
  if (at == std::string::npos || at == 0) return;
  if (std::all_of(name.begin() + static_cast<std::ptrdiff_t>(at + mark.size()), name.end(), is_digit)) name.erase(at);
}

}  // namespace

std::string stripped_name(std::string_view text) {
  std::string name(text);
  strip_suffix(name, ".llvm.");
  strip_internal_prefix(name);
  strip_static_prefix(name);
  strip_rust_hashes(name);
  strip_crate_disambiguators(name);
  strip_file_names(name, "_INTERNAL_");
  strip_file_names(name, "_GLOBAL__N__");
  strip_target_namespaces(name);
  return name;
}

namespace diff {

namespace {

// What both lists of named things have in common.
class Matcher {
 public:
  struct Thing {
    std::uint32_t index = 0;
    NameId name = no_name;
    std::uint32_t partner = no_index;  // place in the other list
    MatchedBy by = MatchedBy::name;
    std::uint32_t family = no_index;
  };

  Matcher(const Module& module_a, const Module& module_b, SharedNames& names)
      : module_a_(module_a), module_b_(module_b), names_(names) {}

  std::vector<Thing> a, b;

  void join(std::uint32_t x, std::uint32_t y, MatchedBy by) {
    a[x].partner = y;
    b[y].partner = x;
    a[x].by = b[y].by = by;
    if (by != MatchedBy::name) names_.join(a[x].name, b[y].name);
  }

  void by_name() {
    std::unordered_map<std::string_view, std::uint32_t> places;
    for (std::uint32_t i = 0; i < a.size(); ++i) places.emplace(module_a_.name(a[i].name), i);
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      const auto found = places.find(module_b_.name(b[i].name));
      if (found != places.end()) join(found->second, i, MatchedBy::name);
    }
  }

  // Names that differ in what compilers make unique only: those of one stripped name are a family.
  void find_families() {
    std::unordered_map<std::string, std::uint32_t> numbers;
    for (const bool in_a : {true, false})
      for (Thing& one : in_a ? a : b)
        if (one.partner == no_index) {
          const Module& module = in_a ? module_a_ : module_b_;
          one.family = numbers.try_emplace(stripped_name(module.name(one.name)), numbers.size()).first->second;
        }
  }

  // Families of as many on both sides that are open, in order; or only those that are one there and one here.
  void by_family(bool only_single) {
    std::map<std::uint32_t, std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>> groups;
    for (std::uint32_t i = 0; i < a.size(); ++i)
      if (a[i].partner == no_index) groups[a[i].family].first.push_back(i);
    for (std::uint32_t i = 0; i < b.size(); ++i)
      if (b[i].partner == no_index) groups[b[i].family].second.push_back(i);
    for (const auto& [family, group] : groups) {
      if (group.first.size() != group.second.size() || (only_single && group.first.size() > 1)) continue;
      for (std::size_t k = 0; k < group.first.size(); ++k)
        join(group.first[k], group.second[k], MatchedBy::stripped_name);
    }
  }

  // by_key() within families.
  std::size_t by_key_in_family(const std::vector<Key>& a_keys, const std::vector<Key>& b_keys) {
    const auto with_family = [](const std::vector<Thing>& things, std::vector<Key> keys) {
      for (std::size_t i = 0; i < things.size(); ++i)
        if (keys[i] != 0) keys[i] = mix(keys[i], things[i].family);
      return keys;
    };
    return by_key(with_family(a, a_keys), with_family(b, b_keys), MatchedBy::stripped_name);
  }

  // Equal keys, the k-th with the k-th. Returns how many were found.
  std::size_t by_key(const std::vector<Key>& a_keys, const std::vector<Key>& b_keys, MatchedBy by) {
    std::unordered_map<Key, std::vector<std::uint32_t>> places;
    for (auto i = static_cast<std::uint32_t>(a.size()); i-- > 0;)
      if (a[i].partner == no_index && a_keys[i] != 0) places[a_keys[i]].push_back(i);
    std::size_t found = 0;
    for (std::uint32_t i = 0; i < b.size(); ++i) {
      if (b[i].partner != no_index || b_keys[i] == 0) continue;
      const auto place = places.find(b_keys[i]);
      if (place == places.end() || place->second.empty()) continue;
      join(place->second.back(), i, by);
      place->second.pop_back();
      ++found;
    }
    return found;
  }

  // By what things hold: key_of(module, index, reader), 0 for those that hold nothing. False: it was stopped.
  template <typename KeyOf>
  [[nodiscard]] bool by_content(BodyReader& reader_a, BodyReader& reader_b, const KeyOf& key_of,
                                const GoesOn& goes_on) {
    constexpr int rounds = 8;  // what is found makes more alike: callers, tables of pointers
    bool stopped = false;
    const auto keys_of = [&](const std::vector<Thing>& things, const Module& module, BodyReader& reader) {
      std::vector<Key> keys(things.size(), 0);
      for (std::size_t i = 0; i < things.size() && !stopped; ++i) {
        if (things[i].partner != no_index) continue;
        stopped = !goes_on();
        if (!stopped) keys[i] = key_of(module, things[i].index, reader);
      }
      return keys;
    };
    for (int round = 0; round < rounds && has_rest(); ++round) {
      const std::vector<Key> keys_a = keys_of(a, module_a_, reader_a);
      const std::vector<Key> keys_b = keys_of(b, module_b_, reader_b);
      if (stopped) return false;
      if (by_key_in_family(keys_a, keys_b) + by_key(keys_a, keys_b, MatchedBy::likeness) == 0) break;
    }
    return true;
  }

  [[nodiscard]] std::vector<Pairing> pairings() const {
    std::vector<Pairing> out;
    for (const Thing& one : b)
      out.push_back({one.partner == no_index ? no_index : a[one.partner].index, one.index, one.by});
    for (const Thing& one : a)
      if (one.partner == no_index) out.push_back({one.index, no_index, MatchedBy::name});
    return out;
  }

  [[nodiscard]] bool has_rest() const {
    const auto open = [](const Thing& one) { return one.partner == no_index; };
    return std::ranges::any_of(a, open) && std::ranges::any_of(b, open);
  }

 private:
  const Module& module_a_;
  const Module& module_b_;
  SharedNames& names_;
};

Key variable_key(const Variable& variable, BodyReader& reader) {
  if (variable.initializer.empty()) return 0;  // nothing to know it by
  Key hash = mix(static_cast<Key>(variable.space), static_cast<Key>(variable.type));
  hash = mix(hash, variable.size);
  hash = mix(hash, variable.alignment);
  for (const Token one : reader.initializer(variable)) hash = mix(hash, one);
  return hash;
}

// The smallest hashes of the keys of a body: what shares many of them is alike (Broder 1997).
constexpr std::size_t sketch_size = 32;
std::vector<Key> sketch_of(const std::vector<Key>& keys) {
  std::vector<Key> hashes;
  for (std::size_t i = 0; i + 1 < keys.size(); ++i) hashes.push_back(mix(mix(7, keys[i]), keys[i + 1]));
  if (keys.size() == 1) hashes.push_back(mix(7, keys[0]));
  std::ranges::sort(hashes);
  hashes.erase(std::unique(hashes.begin(), hashes.end()), hashes.end());
  if (hashes.size() > sketch_size) hashes.resize(sketch_size);
  return hashes;
}

double likeness(const std::vector<Key>& x, const std::vector<Key>& y) {
  std::size_t common = 0;
  std::size_t taken = 0;
  std::size_t i = 0;
  std::size_t j = 0;
  const std::size_t most = std::min(sketch_size, std::max(x.size(), y.size()));
  while (taken < most && (i < x.size() || j < y.size())) {
    ++taken;
    if (i < x.size() && j < y.size() && x[i] == y[j]) {
      ++common;
      ++i;
      ++j;
    } else if (j == y.size() || (i < x.size() && x[i] < y[j])) {
      ++i;
    } else {
      ++j;
    }
  }
  return taken == 0 ? 0 : static_cast<double>(common) / static_cast<double>(taken);
}

}  // namespace

std::vector<Pairing> match_variables(const Module& a, const Module& b, SharedNames& names, const GoesOn& goes_on) {
  Matcher matcher(a, b, names);
  for (std::uint32_t i = 0; i < a.variables().size(); ++i)
    if (a.find_variable(a.variables()[i].name) == &a.variables()[i]) matcher.a.push_back({i, a.variables()[i].name});
  for (std::uint32_t i = 0; i < b.variables().size(); ++i)
    if (b.find_variable(b.variables()[i].name) == &b.variables()[i]) matcher.b.push_back({i, b.variables()[i].name});
  matcher.by_name();
  matcher.find_families();
  matcher.by_family(true);
  BodyReader reader_a(Side::a, a, names);
  BodyReader reader_b(Side::b, b, names);
  const auto key_of = [](const Module& module, std::uint32_t variable, BodyReader& reader) {
    return variable_key(module.variables()[variable], reader);
  };
  if (!matcher.by_content(reader_a, reader_b, key_of, goes_on)) return {};
  matcher.by_family(false);
  return matcher.pairings();
}

std::vector<Pairing> match_functions(const Module& a, const Module& b, SharedNames& names, const GoesOn& goes_on) {
  Matcher matcher(a, b, names);
  for (std::uint32_t i = 0; i < a.functions().size(); ++i)
    if (a.find_function(a.functions()[i].name) == &a.functions()[i]) matcher.a.push_back({i, a.functions()[i].name});
  for (std::uint32_t i = 0; i < b.functions().size(); ++i)
    if (b.find_function(b.functions()[i].name) == &b.functions()[i]) matcher.b.push_back({i, b.functions()[i].name});
  matcher.by_name();
  matcher.find_families();
  matcher.by_family(true);
  if (!matcher.has_rest()) return matcher.pairings();

  BodyReader reader_a(Side::a, a, names);
  BodyReader reader_b(Side::b, b, names);
  Body body;
  const auto key_of = [&](const Module& module, std::uint32_t index, BodyReader& reader) -> Key {
    const Function& function = module.functions()[index];
    if (!function.has_body) return 0;
    reader.read(function, body);
    return mix(hash_of(body), static_cast<Key>(function.kind) + 2 * function.parameters.size());
  };
  if (!matcher.by_content(reader_a, reader_b, key_of, goes_on)) return {};
  if (!matcher.has_rest()) return matcher.pairings();

  // Those that share many of their keys.
  std::vector<std::vector<Key>> sketches_a(matcher.a.size());
  std::unordered_map<Key, std::vector<std::uint32_t>> places;
  for (std::uint32_t i = 0; i < matcher.a.size(); ++i) {
    const Function& function = a.functions()[matcher.a[i].index];
    if (matcher.a[i].partner != no_index || !function.has_body) continue;
    if (!goes_on()) return {};
    reader_a.read(function, body);
    sketches_a[i] = sketch_of(shape_keys(body));
    for (const Key key : sketches_a[i]) places[key].push_back(i);
  }
  struct Candidate {
    double likeness;
    std::uint32_t a, b;
    bool is_family;
  };
  std::vector<Candidate> candidates;
  for (std::uint32_t i = 0; i < matcher.b.size(); ++i) {
    const Function& function = b.functions()[matcher.b[i].index];
    if (matcher.b[i].partner != no_index || !function.has_body) continue;
    if (!goes_on()) return {};
    reader_b.read(function, body);
    const std::vector<Key> sketch = sketch_of(shape_keys(body));
    std::vector<std::uint32_t> near;
    constexpr std::size_t common_key = 64;  // a key of more functions tells nothing
    for (const Key key : sketch) {
      const auto found = places.find(key);
      if (found != places.end() && found->second.size() <= common_key)
        near.insert(near.end(), found->second.begin(), found->second.end());
    }
    std::ranges::sort(near);
    near.erase(std::unique(near.begin(), near.end()), near.end());
    for (const std::uint32_t other : near) {
      constexpr double enough = 0.5;
      const double how = likeness(sketches_a[other], sketch);
      const bool is_family = matcher.a[other].family == matcher.b[i].family;
      if ((is_family || how >= enough) && a.functions()[matcher.a[other].index].kind == function.kind)
        candidates.push_back({how, other, i, is_family});
    }
  }
  std::ranges::stable_sort(candidates, [](const Candidate& x, const Candidate& y) {
    return x.is_family != y.is_family ? x.is_family : x.likeness > y.likeness;
  });
  const auto join = [&](bool of_family) {
    for (const Candidate& one : candidates)
      if (one.is_family == of_family && matcher.a[one.a].partner == no_index && matcher.b[one.b].partner == no_index)
        matcher.join(one.a, one.b, of_family ? MatchedBy::stripped_name : MatchedBy::likeness);
  };
  join(true);
  matcher.by_family(false);
  join(false);
  return matcher.pairings();
}

}  // namespace diff

}  // namespace ptxscope::analysis
