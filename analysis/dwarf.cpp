#include "analysis/dwarf.h"

#include <algorithm>
#include <limits>

namespace ptxscope::analysis::dwarf {

namespace {

constexpr unsigned max_type_chain = 32;

// DW_AT_…
namespace at {
constexpr std::uint64_t location = 0x02, name = 0x03, byte_size = 0x0b, low_pc = 0x11, upper_bound = 0x2f,
                        abstract_origin = 0x31, count = 0x37, specification = 0x47, type = 0x49, linkage_name = 0x6e,
                        str_offsets_base = 0x72, mips_linkage_name = 0x2007;
}  // namespace at

// DW_FORM_…
namespace form {
constexpr std::uint64_t addr = 0x01, block2 = 0x03, block4 = 0x04, data2 = 0x05, data4 = 0x06, data8 = 0x07,
                        string = 0x08, block = 0x09, block1 = 0x0a, data1 = 0x0b, flag = 0x0c, sdata = 0x0d,
                        strp = 0x0e, udata = 0x0f, ref_addr = 0x10, ref1 = 0x11, ref2 = 0x12, ref4 = 0x13, ref8 = 0x14,
                        ref_udata = 0x15, indirect = 0x16, sec_offset = 0x17, exprloc = 0x18, flag_present = 0x19,
                        strx = 0x1a, addrx = 0x1b, ref_sup4 = 0x1c, strp_sup = 0x1d, data16 = 0x1e, line_strp = 0x1f,
                        ref_sig8 = 0x20, implicit_const = 0x21, loclistx = 0x22, rnglistx = 0x23, ref_sup8 = 0x24,
                        strx1 = 0x25, strx2 = 0x26, strx3 = 0x27, strx4 = 0x28, addrx1 = 0x29, addrx2 = 0x2a,
                        addrx3 = 0x2b, addrx4 = 0x2c, gnu_addr_index = 0x1f01, gnu_str_index = 0x1f02,
                        gnu_ref_alt = 0x1f20, gnu_strp_alt = 0x1f21;
}  // namespace form

constexpr unsigned char op_addr = 0x03;

// Reads forward; past the end it fails once and for all, and gives zeros.
class Cursor {
 public:
  Cursor(std::string_view bytes, std::uint64_t at, std::uint64_t end)
      : bytes_(bytes), at_(at), end_(std::min<std::uint64_t>(end, bytes.size())) {
    if (at_ > end_) fail();
  }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::uint64_t at() const { return at_; }

  std::uint64_t number(unsigned bytes) {
    if (end_ - at_ < bytes) return fail();
    std::uint64_t value = 0;
    for (unsigned i = 0; i < bytes; ++i) {
      const auto byte = static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i]));
      if (i < 8) value |= byte << (8 * i);
    }
    at_ += bytes;
    return value;
  }

  // LEB128 of either sign; only the low 64 bits are kept.
  std::uint64_t leb128(bool with_sign = false) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      if (at_ == end_ || shift > 7 * 16) return fail();
      const auto byte = static_cast<unsigned char>(bytes_[at_++]);
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) == 0) {
        if (with_sign && (byte & 0x40U) != 0 && shift + 7 < 64) value |= ~std::uint64_t{0} << (shift + 7);
        return value;
      }
    }
  }

  void skip(std::uint64_t bytes) {
    if (end_ - at_ < bytes) fail();
    else at_ += bytes;
  }

  std::string_view string() {
    const std::size_t end = bytes_.substr(0, end_).find('\0', at_);
    if (failed_ || end == std::string_view::npos) {
      fail();
      return {};
    }
    const std::string_view text = bytes_.substr(at_, end - at_);
    at_ = end + 1;
    return text;
  }

 private:
  std::uint64_t fail() {
    failed_ = true;
    at_ = end_;
    return 0;
  }

  std::string_view bytes_;
  std::uint64_t at_, end_;
  bool failed_ = false;
};

// What an attribute holds, as far as it matters here.
struct FormValue {
  enum class Kind : std::uint8_t { other, number, reference, text, block, code_address } kind = Kind::other;
  std::uint64_t number = 0;  // number; offset in .debug_info; of a block and an address: where it stands
  std::uint64_t size = 0;    // of a block
  std::string_view text;
};

bool is_pointer(Tag tag) {
  return tag == Tag::pointer_type || tag == Tag::reference_type || tag == Tag::rvalue_reference_type;
}

bool is_alias(Tag tag) {
  return tag == Tag::typedef_ || tag == Tag::const_type || tag == Tag::volatile_type || tag == Tag::restrict_type ||
         tag == Tag::atomic_type;
}

}  // namespace

Reader::Reader(const DebugSections& sections)
    : sections_(sections),
      budget_(65536 + 16 * (sections.info.bytes.size() + sections.abbrev.bytes.size() + sections.str.bytes.size() +
                            sections.line_str.bytes.size())),
      abbreviation_budget_(65536 + 2 * sections.abbrev.bytes.size()) {
  read_units();
}

bool Reader::spend(std::uint64_t work) {
  if (budget_ < work) {
    budget_ = 0;
    return false;
  }
  budget_ -= work;
  return true;
}

// DWARF 5, 7.5.1: the headers of units.
void Reader::read_units() {
  const std::string_view bytes = sections_.info.bytes;
  for (Offset begin = 0; begin < bytes.size();) {
    Cursor cursor(bytes, begin, bytes.size());
    Unit unit;
    unit.begin = begin;
    std::uint64_t length = cursor.number(4);
    if (length == 0xffffffffU) {
      unit.offset_size = 8;
      length = cursor.number(8);
    }
    unit.end = length > bytes.size() - cursor.at() ? bytes.size() : cursor.at() + length;
    begin = unit.end;
    unit.version = static_cast<unsigned>(cursor.number(2));
    if (unit.version >= 5) {
      const std::uint64_t type = cursor.number(1);
      unit.address_size = static_cast<unsigned>(cursor.number(1));
      unit.abbreviations = cursor.number(unit.offset_size);
      unit.str_offsets_base = unit.offset_size == 8 ? 16 : 8;
      if (type == 2 || type == 6) cursor.skip(8U + unit.offset_size);  // type units
      if (type == 4 || type == 5) cursor.skip(8);                      // skeleton and split units
    } else {
      unit.abbreviations = cursor.number(unit.offset_size);
      unit.address_size = static_cast<unsigned>(cursor.number(1));
    }
    unit.entries = cursor.at();
    if (cursor.failed()) return;
    if (unit.version < 2 || unit.version > 5 || (unit.address_size != 4 && unit.address_size != 8)) continue;
    units_.push_back(unit);
  }
}

// DWARF 5, 7.5.3: code, tag, children, pairs of attribute and form that end with two zeros; code 0 ends the table.
const Reader::Abbreviations& Reader::abbreviations_at(std::uint64_t offset) {
  const auto [entry, is_new] = tables_.try_emplace(offset);
  Abbreviations& table = entry->second;
  if (!is_new) return table;
  const std::string_view bytes = sections_.abbrev.bytes;
  Cursor cursor(bytes, offset, bytes.size());
  // Tables that overlap are read again for each unit that names them: that, too, is bounded.
  std::uint64_t paid = offset;
  const auto go_on = [&] {
    const std::uint64_t cost = cursor.at() - paid;
    paid = cursor.at();
    if (cursor.failed() || cost > abbreviation_budget_) return false;
    abbreviation_budget_ -= cost;
    return true;
  };
  while (go_on()) {
    const std::uint64_t code = cursor.leb128();
    if (code == 0) break;
    Abbreviation abbreviation;
    const std::uint64_t tag = cursor.leb128();
    abbreviation.tag = tag <= std::numeric_limits<std::uint16_t>::max() ? static_cast<Tag>(tag) : Tag{0xffff};
    abbreviation.has_children = cursor.number(1) != 0;
    abbreviation.first = static_cast<std::uint32_t>(attributes_.size());
    while (go_on()) {
      Attribute attribute;
      attribute.name = cursor.leb128();
      attribute.form = cursor.leb128();
      if (attribute.form == form::implicit_const) attribute.constant = cursor.leb128(true);
      if (attribute.name == 0 && attribute.form == 0) break;
      attributes_.push_back(attribute);
      ++abbreviation.count;
    }
    if (!cursor.failed()) table.try_emplace(code, abbreviation);
  }
  return table;
}

std::string_view Reader::string_at(const DebugSection& section, std::uint64_t offset) {
  const std::string_view bytes = section.bytes;
  if (offset >= bytes.size()) return {};
  const std::size_t end = bytes.find('\0', offset);
  const std::string_view text =
      bytes.substr(offset, end == std::string_view::npos ? std::string_view::npos : end - offset);
  return spend(1 + text.size() / 16) ? text : std::string_view{};
}

std::string_view Reader::symbol_at(const DebugSection& section, std::uint64_t offset) {
  const auto found = std::lower_bound(section.symbols.begin(), section.symbols.end(), offset,
                                      [](const DebugSymbol& symbol, std::uint64_t o) { return symbol.offset < o; });
  return found != section.symbols.end() && found->offset == offset ? found->name : std::string_view{};
}

std::optional<Entry> Reader::entry(Offset offset) {
  const auto after =
      std::upper_bound(units_.begin(), units_.end(), offset, [](Offset o, const Unit& unit) { return o < unit.begin; });
  if (after == units_.begin()) return std::nullopt;
  return entry(*(after - 1), offset);
}

std::optional<Entry> Reader::entry(const Unit& unit, Offset offset) {
  if (offset < unit.entries || offset >= unit.end || !spend(1)) return std::nullopt;
  Cursor cursor(sections_.info.bytes, offset, unit.end);
  Entry entry;
  entry.offset = offset;
  const std::uint64_t code = cursor.leb128();
  if (cursor.failed()) return std::nullopt;
  if (code == 0) {
    entry.next = cursor.at();
    return entry;
  }
  const Abbreviations& table = abbreviations_at(unit.abbreviations);
  const auto found = table.find(code);
  if (found == table.end()) return std::nullopt;
  const Abbreviation& abbreviation = found->second;
  entry.tag = abbreviation.tag;
  entry.has_children = abbreviation.has_children;
  if (entry.tag == Tag::none) return std::nullopt;  // 0 is no tag
  std::uint64_t str_offsets_base = unit.str_offsets_base;

  using Kind = FormValue::Kind;
  const auto indexed_string = [&](std::uint64_t index) {
    FormValue value;
    value.kind = Kind::text;
    if (index > sections_.str_offsets.bytes.size()) return value;
    Cursor offsets(sections_.str_offsets.bytes, str_offsets_base + index * unit.offset_size,
                   sections_.str_offsets.bytes.size());
    const std::uint64_t at = offsets.number(unit.offset_size);
    if (!offsets.failed()) value.text = string_at(sections_.str, at);
    return value;
  };
  const auto number = [](std::uint64_t n) { return FormValue{Kind::number, n, 0, {}}; };
  const auto reference = [&](std::uint64_t distance) {
    return distance < unit.end - unit.begin ? FormValue{Kind::reference, unit.begin + distance, 0, {}} : FormValue{};
  };
  const auto block = [&](std::uint64_t size) {
    const FormValue value{Kind::block, cursor.at(), size, {}};
    cursor.skip(size);
    return value;
  };
  const auto skipped = [&](std::uint64_t bytes) {
    cursor.skip(bytes);
    return FormValue{};
  };
  const auto skipped_leb = [&] {
    (void)cursor.leb128();
    return FormValue{};
  };
  // nullopt: a form that is not known; what follows cannot be read.
  const auto read = [&](std::uint64_t of, std::uint64_t constant) -> std::optional<FormValue> {
    switch (of) {
      case form::addr: {
        const FormValue value{Kind::code_address, cursor.at(), 0, {}};
        cursor.skip(unit.address_size);
        return value;
      }
      case form::data1:
        return number(cursor.number(1));
      case form::data2:
        return number(cursor.number(2));
      case form::data4:
        return number(cursor.number(4));
      case form::data8:
        return number(cursor.number(8));
      case form::udata:
        return number(cursor.leb128());
      case form::sdata:
        return number(cursor.leb128(true));
      case form::implicit_const:
        return number(constant);
      case form::ref1:
        return reference(cursor.number(1));
      case form::ref2:
        return reference(cursor.number(2));
      case form::ref4:
        return reference(cursor.number(4));
      case form::ref8:
        return reference(cursor.number(8));
      case form::ref_udata:
        return reference(cursor.leb128());
      case form::ref_addr:
        return FormValue{
            Kind::reference, cursor.number(unit.version == 2 ? unit.address_size : unit.offset_size), 0, {}};
      case form::string:
        return FormValue{Kind::text, 0, 0, cursor.string()};
      case form::strp:
        return FormValue{Kind::text, 0, 0, string_at(sections_.str, cursor.number(unit.offset_size))};
      case form::line_strp:
        return FormValue{Kind::text, 0, 0, string_at(sections_.line_str, cursor.number(unit.offset_size))};
      case form::strx:
      case form::gnu_str_index:
        return indexed_string(cursor.leb128());
      case form::strx1:
        return indexed_string(cursor.number(1));
      case form::strx2:
        return indexed_string(cursor.number(2));
      case form::strx3:
        return indexed_string(cursor.number(3));
      case form::strx4:
        return indexed_string(cursor.number(4));
      case form::block1:
        return block(cursor.number(1));
      case form::block2:
        return block(cursor.number(2));
      case form::block4:
        return block(cursor.number(4));
      case form::block:
      case form::exprloc:
        return block(cursor.leb128());
      case form::flag_present:
        return FormValue{};
      case form::flag:
      case form::addrx1:
        return skipped(1);
      case form::addrx2:
        return skipped(2);
      case form::addrx3:
        return skipped(3);
      case form::addrx4:
      case form::ref_sup4:
        return skipped(4);
      case form::ref_sig8:
      case form::ref_sup8:
        return skipped(8);
      case form::data16:
        return skipped(16);
      case form::sec_offset:
      case form::strp_sup:
      case form::gnu_ref_alt:
      case form::gnu_strp_alt:
        return number(cursor.number(unit.offset_size));
      case form::addrx:
      case form::loclistx:
      case form::rnglistx:
      case form::gnu_addr_index:
        return skipped_leb();
      default:
        return std::nullopt;
    }
  };

  for (std::uint32_t i = 0; i < abbreviation.count && !cursor.failed(); ++i) {
    if (!spend(1)) return std::nullopt;
    const Attribute& attribute = attributes_[abbreviation.first + i];
    std::uint64_t of = attribute.form;
    if (of == form::indirect) of = cursor.leb128();
    const auto value = read(of, attribute.constant);
    if (!value) return std::nullopt;
    const bool text = value->kind == Kind::text;
    switch (attribute.name) {
      case at::name:
        if (text) entry.name = value->text;
        break;
      case at::linkage_name:
      case at::mips_linkage_name:
        if (text) entry.linkage_name = value->text;
        break;
      case at::abstract_origin:
      case at::specification:
        if (value->kind == Kind::reference) entry.origin = value->number;
        break;
      case at::type:
        if (value->kind == Kind::reference) entry.type = value->number;
        break;
      case at::byte_size:
        if (value->kind == Kind::number) entry.byte_size = value->number;
        break;
      case at::count:
        if (value->kind == Kind::number) entry.count = value->number;
        break;
      case at::upper_bound:
        if (value->kind == Kind::number) entry.upper_bound = value->number;
        break;
      case at::low_pc:
        entry.has_low_pc = true;
        if (value->kind == Kind::code_address) entry.low_pc = symbol_at(sections_.info, value->number);
        break;
      case at::str_offsets_base:
        if (entry.tag == Tag::compile_unit && value->kind == Kind::number) str_offsets_base = value->number;
        break;
      case at::location:
        if (value->kind == Kind::block && value->size == 1U + unit.address_size && !cursor.failed() &&
            static_cast<unsigned char>(sections_.info.bytes[value->number]) == op_addr) {
          entry.address = symbol_at(sections_.info, value->number + 1);
        }
        break;
      default:
        break;
    }
  }
  if (cursor.failed()) return std::nullopt;
  if (entry.tag == Tag::compile_unit && offset == unit.entries) {
    // The names of the unit's other entries are found by it.
    const auto position =
        std::lower_bound(units_.begin(), units_.end(), unit.begin, [](const Unit& u, Offset o) { return u.begin < o; });
    if (position != units_.end() && position->begin == unit.begin) position->str_offsets_base = str_offsets_base;
  }
  entry.next = cursor.at();
  return entry;
}

std::optional<std::uint64_t> Reader::size_of_type(Offset type) {
  std::uint64_t elements = 1;
  for (unsigned depth = 0; depth < max_type_chain; ++depth) {
    const auto e = entry(type);
    if (!e) return std::nullopt;
    std::optional<std::uint64_t> size = e->byte_size;
    if (!size && is_pointer(e->tag)) {
      const auto after = std::upper_bound(units_.begin(), units_.end(), type,
                                          [](Offset o, const Unit& unit) { return o < unit.begin; });
      size = (after - 1)->address_size;
    }
    if (size) {
      if (*size != 0 && elements > std::numeric_limits<std::uint32_t>::max() / *size) return std::nullopt;
      return elements * *size;
    }
    if (e->tag == Tag::array_type) {
      std::uint64_t of = e->next;
      for (unsigned dimension = 0; e->has_children && dimension < 8; ++dimension) {
        const auto range = entry(of);
        if (!range || range->tag != Tag::subrange_type) break;
        const std::uint64_t count = range->count ? *range->count : range->upper_bound ? *range->upper_bound + 1 : 0;
        if (count != 0 && elements > std::numeric_limits<std::uint32_t>::max() / count) return std::nullopt;
        elements *= count;
        of = range->next;
      }
    } else if (!is_alias(e->tag)) {
      return std::nullopt;
    }
    type = e->type;
  }
  return std::nullopt;
}

}  // namespace ptxscope::analysis::dwarf
