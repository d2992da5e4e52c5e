#include "analysis/debug_names.h"

#include <algorithm>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "analysis/debug_sections.h"
#include "analysis/dwarf.h"

namespace ptxscope::analysis {

namespace {

constexpr unsigned max_origin_chain = 8;
constexpr std::size_t max_name_length = 200;
constexpr std::size_t max_formal_parameters = 4096;

// An identifier of C++ or Rust: what could be typed on a command line, and be told from other words of an expression.
bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           (static_cast<unsigned char>(c) & 0x80U) != 0;
  };
  return !name.empty() && name.size() <= max_name_length && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

struct FormalParameter {
  std::string_view name;
  std::string_view address;  // the parameter's name in the PTX, where it is said to lie there
  std::optional<std::uint64_t> size;
};

// Which of the PTX's parameters an argument takes.
struct Place {
  std::size_t first = 0, count = 0;
};

std::uint64_t aligned(std::uint64_t offset, std::uint64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// By their sizes, in order: one that takes more bytes than the PTX's parameter was taken apart, one of no bytes is not
// passed. nullopt when this does not come out even.
std::optional<std::vector<Place>> places_by_size(std::span<const Variable> passed,
                                                 std::span<const FormalParameter> formal) {
  std::vector<Place> places;
  std::size_t next = 0;
  for (const FormalParameter& p : formal) {
    if (!p.size) return std::nullopt;
    Place place{next, 0};
    std::uint64_t end = 0;
    std::uint64_t alignment = 1;
    while (aligned(end, alignment) < *p.size) {
      if (next == passed.size() || passed[next].size == 0 || passed[next].size > std::max<std::uint64_t>(*p.size, 4))
        return std::nullopt;
      const Variable& part = passed[next++];
      ++place.count;
      if (place.count == 1 && part.size == 4 && *p.size < 4) {
        end = *p.size;  // small integers are passed to functions in 32 bits
        break;
      }
      if (!part.is_array) {
        alignment = std::max(alignment, part.size);
        end = aligned(end, part.size);
      }
      end += part.size;
    }
    if (place.count != 0 && aligned(end, alignment) != *p.size && end != *p.size) return std::nullopt;
    places.push_back(place);
  }
  if (next != passed.size()) return std::nullopt;
  return places;
}

std::optional<std::vector<Place>> places_of(const Module& module, std::span<const Variable> passed,
                                            std::span<const FormalParameter> formal) {
  std::vector<Place> stated(formal.size());
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t i = 0; i < passed.size(); ++i) by_name.try_emplace(module.name(passed[i].name), i);
  bool all = true;
  bool any = false;
  for (std::size_t i = 0; i < formal.size(); ++i) {
    const auto at = formal[i].address.empty() ? by_name.end() : by_name.find(formal[i].address);
    if (at != by_name.end()) stated[i] = {at->second, 1};
    (at != by_name.end() ? any : all) = at != by_name.end();
  }
  if (all) return stated;
  if (auto places = places_by_size(passed, formal)) return places;
  if (formal.size() == passed.size()) {
    std::vector<Place> places(formal.size());
    for (std::size_t i = 0; i < places.size(); ++i) places[i] = {i, 1};
    return places;
  }
  if (any) return stated;
  return std::nullopt;
}

}  // namespace

class DebugNames::Tables {
 public:
  explicit Tables(const Module& module) : module_(module), sections_(read_debug_sections(module)), reader_(sections_) {
    for (const dwarf::Unit& unit : reader_.units()) index(unit);
  }

  std::vector<std::string> names(const Function& function) {
    const auto found = subprogram_of(function);
    if (!found || function.parameters.empty()) return {};
    const auto formal = formal_parameters(*found);
    const auto places = formal.empty() ? std::nullopt : places_of(module_, function.parameters, formal);
    if (!places) return {};
    std::vector<std::string> names(function.parameters.size());
    std::unordered_set<std::string_view> used;
    for (std::size_t i = 0; i < formal.size(); ++i) {
      const Place& place = (*places)[i];
      // Two of one name could not be told apart.
      if (place.count == 0 || !is_identifier(formal[i].name) || !used.insert(formal[i].name).second) continue;
      for (std::size_t k = 0; k < place.count; ++k) names[place.first + k] = formal[i].name;
    }
    return used.empty() ? std::vector<std::string>{} : names;
  }

 private:
  // All of a unit's subprograms that have code.
  void index(const dwarf::Unit& unit) {
    std::size_t depth = 0;
    for (auto e = reader_.entry(unit, unit.entries); e; e = reader_.entry(unit, e->next)) {
      if (e->tag == dwarf::Tag::none) {
        if (depth <= 1) return;
        --depth;
        continue;
      }
      if (e->has_children) ++depth;
      if (e->tag != dwarf::Tag::subprogram || !e->has_low_pc) continue;
      if (!e->low_pc.empty()) {
        const auto [label, is_new] = by_label_.try_emplace(e->low_pc, e->offset);
        if (!is_new) label->second = dwarf::no_offset;  // not one function's label
      }
      std::string_view name = e->name;
      std::string_view linkage_name = e->linkage_name;
      dwarf::Offset origin = e->origin;
      for (unsigned hop = 0; hop < max_origin_chain && origin != dwarf::no_offset && linkage_name.empty(); ++hop) {
        const auto o = reader_.entry(origin);
        if (!o) break;
        linkage_name = o->linkage_name;
        if (name.empty()) name = o->name;
        origin = o->origin;
      }
      if (!linkage_name.empty()) by_linkage_name_.try_emplace(linkage_name, e->offset);
      else if (!name.empty()) by_name_.try_emplace(name, Named{e->offset, !e->low_pc.empty()});
    }
  }

  // By the label its code begins with, else by name.
  [[nodiscard]] std::optional<dwarf::Offset> subprogram_of(const Function& function) const {
    bool has_label = false;
    for (std::uint32_t s = function.body_begin; function.has_body && s < function.body_end; ++s) {
      const Statement statement = module_.statement(s);
      if (statement.kind() == StatementKind::instruction) break;
      if (statement.kind() != StatementKind::label) continue;
      has_label = true;
      const auto found = by_label_.find(module_.name(statement.label()));
      if (found != by_label_.end() && found->second != dwarf::no_offset) return found->second;
    }
    const std::string_view name = module_.name(function.name);
    if (const auto found = by_linkage_name_.find(name); found != by_linkage_name_.end()) return found->second;
    const auto found = by_name_.find(name);
    // A name that is not unique in the module stands only for code whose place is not said.
    if (found == by_name_.end() || (found->second.has_label && has_label)) return std::nullopt;
    return found->second.offset;
  }

  // Those of the entry itself, else of what it is an instance of.
  std::vector<FormalParameter> formal_parameters(dwarf::Offset subprogram) {
    std::vector<FormalParameter> list;
    for (unsigned hop = 0; hop < max_origin_chain && subprogram != dwarf::no_offset && list.empty(); ++hop) {
      const auto e = reader_.entry(subprogram);
      if (!e) break;
      std::size_t depth = e->has_children ? 1 : 0;
      auto child = depth == 0 ? std::nullopt : reader_.entry(e->next);
      for (; child && list.size() < max_formal_parameters; child = reader_.entry(child->next)) {
        if (child->tag == dwarf::Tag::none) {
          if (--depth == 0) break;
          continue;
        }
        if (depth == 1 && child->tag == dwarf::Tag::formal_parameter) list.push_back(formal_parameter(*child));
        if (child->has_children) ++depth;
      }
      subprogram = e->origin;
    }
    return list;
  }

  FormalParameter formal_parameter(const dwarf::Entry& entry) {
    FormalParameter result{entry.name, entry.address, std::nullopt};
    dwarf::Offset type = entry.type;
    dwarf::Offset origin = entry.origin;
    for (unsigned hop = 0; hop < max_origin_chain && origin != dwarf::no_offset; ++hop) {
      const auto o = reader_.entry(origin);
      if (!o) break;
      if (result.name.empty()) result.name = o->name;
      if (type == dwarf::no_offset) type = o->type;
      origin = o->origin;
    }
    if (type != dwarf::no_offset) result.size = reader_.size_of_type(type);
    return result;
  }

  struct Named {
    dwarf::Offset offset;
    bool has_label;
  };

  const Module& module_;
  const DebugSections sections_;
  dwarf::Reader reader_;
  std::unordered_map<std::string_view, dwarf::Offset> by_label_, by_linkage_name_;
  std::unordered_map<std::string_view, Named> by_name_;
};

DebugNames::DebugNames(const Module& module) : module_(module) {}
DebugNames::~DebugNames() = default;

std::vector<std::string> DebugNames::of_parameters(const Function& function) {
  if (!tables_) tables_ = std::make_unique<Tables>(module_);
  return tables_->names(function);
}

std::vector<std::string> debug_parameter_names(const Module& module, const Function& function) {
  return DebugNames(module).of_parameters(function);
}

}  // namespace ptxscope::analysis
