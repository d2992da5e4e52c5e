// A small reader of DWARF 2 to 5, for what names and types of functions' parameters need. Every input is possible:
// offsets are checked, chains are cut, and the work in all is bounded by a multiple of the sections' size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/debug_sections.h"

namespace ptxscope::analysis::dwarf {

// DWARF 5, section 7: the encodings that are asked for by name.
enum class Tag : std::uint16_t {
  none = 0,
  array_type = 0x01,
  class_type = 0x02,
  enumeration_type = 0x04,
  formal_parameter = 0x05,
  pointer_type = 0x0f,
  reference_type = 0x10,
  compile_unit = 0x11,
  structure_type = 0x13,
  typedef_ = 0x16,
  union_type = 0x17,
  subrange_type = 0x21,
  base_type = 0x24,
  const_type = 0x26,
  subprogram = 0x2e,
  volatile_type = 0x35,
  restrict_type = 0x37,
  rvalue_reference_type = 0x42,
  atomic_type = 0x47,
};

using Offset = std::uint64_t;  ///< in .debug_info
inline constexpr Offset no_offset = ~Offset{0};

/// A debugging information entry: the attributes that are of use here.
struct Entry {
  Tag tag = Tag::none;  ///< none: the mark that ends a list of children
  bool has_children = false;
  bool has_low_pc = false;
  Offset offset = 0;
  Offset next = 0;  ///< where the entry behind it in the section begins
  std::string_view name, linkage_name;
  Offset origin = no_offset;  ///< of DW_AT_abstract_origin or DW_AT_specification
  Offset type = no_offset;
  std::optional<std::uint64_t> byte_size, count, upper_bound;
  std::string_view low_pc;   ///< the label, where it is one
  std::string_view address;  ///< the symbol at which DW_AT_location says it lies
};

struct Unit {
  Offset begin = 0, entries = 0, end = 0;
  std::uint64_t abbreviations = 0;  ///< offset in .debug_abbrev
  std::uint64_t str_offsets_base = 8;
  unsigned version = 0;
  unsigned address_size = 8;
  unsigned offset_size = 4;  ///< 8 in 64-bit DWARF
};

class Reader {
 public:
  explicit Reader(const DebugSections& sections);

  [[nodiscard]] const std::vector<Unit>& units() const { return units_; }
  /// The entry at that place; nullopt when there is none that can be read, or when the work has come to its limit.
  [[nodiscard]] std::optional<Entry> entry(Offset offset);
  [[nodiscard]] std::optional<Entry> entry(const Unit& unit, Offset offset);
  /// Bytes that a value of the type takes; nullopt when it does not say.
  [[nodiscard]] std::optional<std::uint64_t> size_of_type(Offset type);

 private:
  struct Attribute {
    std::uint64_t name = 0, form = 0;
    std::uint64_t constant = 0;  // of DW_FORM_implicit_const
  };
  struct Abbreviation {
    Tag tag = Tag::none;
    bool has_children = false;
    std::uint32_t first = 0, count = 0;  // in attributes_
  };
  using Abbreviations = std::map<std::uint64_t, Abbreviation>;

  void read_units();
  const Abbreviations& abbreviations_at(std::uint64_t offset);
  bool spend(std::uint64_t work);
  std::string_view string_at(const DebugSection& section, std::uint64_t offset);
  static std::string_view symbol_at(const DebugSection& section, std::uint64_t offset);

  const DebugSections& sections_;
  std::uint64_t budget_;               // of entries, attributes, text
  std::uint64_t abbreviation_budget_;  // of bytes of .debug_abbrev
  std::vector<Unit> units_;
  std::vector<Attribute> attributes_;
  std::map<std::uint64_t, Abbreviations> tables_;
};

}  // namespace ptxscope::analysis::dwarf
