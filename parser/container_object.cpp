// Executables, shared libraries, objects and archives: where in them fat binaries and PTX texts lie.
#include <algorithm>
#include <charconv>

#include "parser/container_reader.h"

namespace ptxscope::containers {
namespace {

constexpr std::uint16_t em_cuda = 190;

struct Section {
  std::string name;
  Range range;
};

// Section names are short; one that is not is no name that we know.
std::string name_at(const Bytes& bytes, Range names, std::uint64_t offset) {
  if (offset >= names.end - names.begin) return {};
  const std::string_view text =
      bytes.text(names.begin + offset, std::min<std::uint64_t>(names.end - names.begin - offset, 128));
  const std::size_t end = text.find('\0');
  return std::string(text.substr(0, end == std::string_view::npos ? 0 : end));
}

bool is_within(Range inner, Range outer) {
  return inner.begin >= outer.begin && inner.begin <= inner.end && inner.end <= outer.end;
}

// The sections that hold bytes; none where the table is missing or makes no sense (ELF-64, System V ABI chapter 4).
std::vector<Section> elf_sections(const Bytes& bytes, Range file, const std::string& member, Finds& finds) {
  constexpr std::uint64_t header = 64;
  const auto table = bytes.read<std::uint64_t>(file.begin + 0x28);
  const auto stride = bytes.read<std::uint16_t>(file.begin + 0x3A);
  std::uint64_t count = bytes.read<std::uint16_t>(file.begin + 0x3C);
  std::uint64_t names_index = bytes.read<std::uint16_t>(file.begin + 0x3E);
  if (table == 0) return {};
  const std::uint64_t size = file.end - file.begin;
  const auto note = [&](const char* what) {
    finds.problem((member.empty() ? "" : member + ": ") + "the ELF section table " + what +
                  "; looked through all of its bytes instead");
  };
  if (stride != header || table > size || size - table < header) {
    note("lies outside the file or has another layout");
    return {};
  }
  // Large numbers stand in section 0.
  if (count == 0) count = bytes.read<std::uint64_t>(file.begin + table + 0x20);
  if (names_index == 0xFFFF) names_index = bytes.read<std::uint32_t>(file.begin + table + 0x28);
  if (count > (size - table) / header || count > most_sections || names_index >= count) {
    note("is cut short");
    return {};
  }
  const auto range_of = [&](std::uint64_t index) -> std::optional<Range> {
    constexpr std::uint32_t no_bits = 8;
    const std::uint64_t at = file.begin + table + index * header;
    if (bytes.read<std::uint32_t>(at + 4) == no_bits) return std::nullopt;
    const auto offset = bytes.read<std::uint64_t>(at + 0x18);
    const auto length = bytes.read<std::uint64_t>(at + 0x20);
    if (offset > size || length > size - offset) return std::nullopt;
    return Range{file.begin + offset, file.begin + offset + length};
  };
  const Range names = range_of(names_index).value_or(Range{});
  std::vector<Section> sections;
  for (std::uint64_t i = 1; i < count; ++i) {
    const std::uint64_t at = file.begin + table + i * header;
    std::string name = name_at(bytes, names, bytes.read<std::uint32_t>(at));
    const std::optional<Range> range = range_of(i);
    if (range) {
      sections.push_back({std::move(name), *range});
    } else if (name == ".nv_fatbin" || name == "__nv_relfatbin") {
      finds.problem((member.empty() ? "" : member + ": ") + "section " + name +
                    " lies outside the file, which was cut short; copy or build it again");
    }
  }
  std::sort(sections.begin(), sections.end(),
            [](const Section& a, const Section& b) { return a.range.begin < b.range.begin; });
  return sections;
}

// PE/COFF: Microsoft's "PE Format", sections "COFF File Header" and "Section Table".
std::vector<Section> pe_sections(const Bytes& bytes, Range file) {
  std::uint64_t header = file.begin;
  if (bytes.text(file.begin, 2) == "MZ") {
    const std::uint64_t offset = bytes.read<std::uint32_t>(file.begin + 0x3C);
    if (offset > file.end - file.begin || bytes.text(file.begin + offset, 4) != std::string_view("PE\0\0", 4))
      return {};
    header = file.begin + offset + 4;
  }
  const std::uint64_t count = bytes.read<std::uint16_t>(header + 2);
  std::uint64_t at = header + 20 + bytes.read<std::uint16_t>(header + 16);
  std::vector<Section> sections;
  for (std::uint64_t i = 0; i < count && at + 40 <= file.end; ++i, at += 40) {
    const std::uint64_t size = bytes.read<std::uint32_t>(at + 16);
    const std::uint64_t offset = bytes.read<std::uint32_t>(at + 20);
    std::string_view name = bytes.text(at, 8);
    name = name.substr(0, name.find('\0'));
    const Range range{file.begin + offset, file.begin + offset + size};
    if (is_within(range, file)) sections.push_back({std::string(name), range});
  }
  std::sort(sections.begin(), sections.end(),
            [](const Section& a, const Section& b) { return a.range.begin < b.range.begin; });
  return sections;
}

// nvcc's sections, in the order in which cuobjdump numbers what is in them: code that is loaded as it is, then code that
// was linked at build time (-rdc). PE names are cut after eight bytes. 2: none of these.
constexpr int other_section = 2;
int rank_of(std::string_view name) {
  if (name == ".nv_fatbin" || name == ".nv_fatb") return 0;
  if (name == "__nv_relfatbin" || name == "__nv_rel") return 1;
  return other_section;
}

// All that nvcc's sections do not account for is looked through, too: fat binaries and PTX that a program carries by its
// own means (include_bytes!, a string) lie in .rodata or anywhere else.
void read_sections(const Bytes& bytes, Range file, const std::vector<Section>& sections, const std::string& member,
                   Finds& finds) {
  // The file cut up without overlaps: each byte is read once.
  std::vector<Section> pieces;
  std::uint64_t from = file.begin;
  for (const Section& section : sections) {
    const std::uint64_t begin = std::max(from, section.range.begin);
    if (begin >= section.range.end) continue;
    if (from < begin) pieces.push_back({"", {from, begin}});
    pieces.push_back({section.name, {begin, section.range.end}});
    from = section.range.end;
  }
  if (from < file.end) pieces.push_back({"", {from, file.end}});

  for (const int rank : {0, 1}) {
    for (const Section& piece : pieces)
      if (rank_of(piece.name) == rank) read_fat_binaries(bytes, piece.range, {member, piece.name}, finds);
  }
  for (const Section& piece : pieces) {
    if (rank_of(piece.name) != other_section) continue;
    const Place place{member, piece.name};
    std::uint64_t rest = piece.range.begin;
    for (const Range& taken : scan_fat_binaries(bytes, piece.range, place, finds)) {
      scan_ptx(bytes, {rest, taken.begin}, place, finds);
      rest = taken.end;
    }
    scan_ptx(bytes, {rest, piece.range.end}, place, finds);
  }
}

// A cubin keeps the PTX it was made of when it was compiled with -lineinfo or -G, a NUL behind each line.
void read_cubin(const Bytes& bytes, Range file, const std::vector<Section>& sections, const std::string& member,
                Finds& finds) {
  const auto flags = bytes.read<std::uint32_t>(file.begin + 0x30);
  const auto abi = bytes.read<std::uint8_t>(file.begin + 8);
  Image cubin;
  cubin.kind = ImageKind::cubin;
  // Since CUDA 13 (ABI version 8) the architecture stands in the second byte.
  cubin.target = target_of(abi >= 8 ? flags >> 8U & 0xFFU : flags & 0xFFU, 0);
  cubin.member = member;
  cubin.offset = file.begin;
  cubin.size = cubin.stored_size = file.end - file.begin;
  finds.add(std::move(cubin));
  for (const Section& section : sections) {
    if (section.name != ".nv_debug_ptx_txt") continue;
    const std::string_view text = bytes.text(section.range.begin, section.range.end - section.range.begin);
    Image image;
    image.kind = ImageKind::ptx;
    if (const std::size_t at = text.substr(0, 4096).find(".target "); at != std::string_view::npos) {
      const std::size_t begin = at + 8;
      std::size_t end = begin;
      while (end < text.size() && end - begin < 16 &&
             (text[end] == '_' || (text[end] >= '0' && text[end] <= '9') || (text[end] >= 'a' && text[end] <= 'z')))
        ++end;
      image.target = std::string(text.substr(begin, end - begin));
    }
    image.member = member;
    image.section = section.name;
    image.encoding = Encoding::nul_lines;
    image.offset = section.range.begin;
    image.size = image.stored_size = text.size();
    finds.add(std::move(image));
  }
}

std::string_view trimmed(std::string_view text) {
  const std::size_t end = text.find_last_not_of(' ');
  return text.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

std::optional<std::uint64_t> decimal(std::string_view text) {
  text = trimmed(text);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// "/12" of a GNU archive is a place in its table of long names.
std::string member_name(std::string_view field, std::string_view long_names) {
  field = trimmed(field);
  if (field.size() > 1 && field.front() == '/') {
    const std::optional<std::uint64_t> offset = decimal(field.substr(1));
    if (offset && *offset < long_names.size()) {
      std::string_view name = long_names.substr(*offset, longest_word);
      name = name.substr(0, name.find('\n'));
      return std::string(name.ends_with('/') ? name.substr(0, name.size() - 1) : name);
    }
  }
  return std::string(field.ends_with('/') ? field.substr(0, field.size() - 1) : field);
}

void read_member(const Bytes& bytes, Range range, const std::string& name, Finds& finds) {
  const std::string_view start = bytes.text(range.begin, std::min<std::uint64_t>(range.end - range.begin, 8));
  if (start.starts_with("\x7f"
                        "ELF")) {
    read_elf(bytes, range, name, finds);
  } else if (start.starts_with("MZ") || start.starts_with("\x64\x86")) {
    read_pe(bytes, range, name, finds);
  } else {
    for (const Range& taken : scan_fat_binaries(bytes, range, {name, ""}, finds)) range.begin = taken.end;
    scan_ptx(bytes, range, {name, ""}, finds);
  }
}

}  // namespace

void read_elf(const Bytes& bytes, Range range, const std::string& member, Finds& finds) {
  const auto is_64_bit = bytes.read<std::uint8_t>(range.begin + 4) == 2;
  const auto is_little = bytes.read<std::uint8_t>(range.begin + 5) == 1;
  std::vector<Section> sections;
  if (range.end - range.begin >= 64 && is_64_bit && is_little) sections = elf_sections(bytes, range, member, finds);
  if (bytes.read<std::uint16_t>(range.begin + 0x12) == em_cuda) {
    read_cubin(bytes, range, sections, member, finds);
  } else {
    read_sections(bytes, range, sections, member, finds);
  }
}

void read_pe(const Bytes& bytes, Range range, const std::string& member, Finds& finds) {
  read_sections(bytes, range, pe_sections(bytes, range), member, finds);
}

void read_archive(const Bytes& bytes, Finds& finds) {
  // ar(5): "!<arch>\n", then members: name 16, time 12, owner 6, group 6, mode 8, size 10 (in decimal), "`\n".
  constexpr std::uint64_t header = 60;
  std::uint64_t at = 8;
  std::string_view long_names;
  for (std::size_t members = 0; at < bytes.size(); ++members) {
    const std::string where = "member " + std::to_string(members + 1) + " at byte " + std::to_string(at);
    const std::string_view head = bytes.text(at, header);
    const std::optional<std::uint64_t> size = head.size() == header ? decimal(head.substr(48, 10)) : std::nullopt;
    if (!size || head.substr(58) != "`\n") {
      finds.problem(where + ": no header of a member; the archive is cut short or damaged: build it again");
      return;
    }
    at += header;
    const std::uint64_t there = std::min(*size, bytes.size() - at);
    const std::string_view field = trimmed(head.substr(0, 16));
    if (*size > there)
      finds.problem(where + ": says it has " + std::to_string(*size) + " bytes, but only " + std::to_string(there) +
                    " follow; the archive is cut short: copy or build it again");
    if (field == "//") {
      long_names = bytes.text(at, there);
    } else if (field.starts_with("#1/")) {  // BSD: the name stands before the contents
      const std::uint64_t length = std::min(decimal(field.substr(3)).value_or(0), there);
      std::string_view name = bytes.text(at, std::min<std::uint64_t>(length, longest_word));
      name = name.substr(0, name.find('\0'));
      read_member(bytes, {at + length, at + there}, std::string(name), finds);
    } else if (field != "/" && field != "/SYM64/" && !field.starts_with("__.SYMDEF")) {
      read_member(bytes, {at, at + there}, member_name(field, long_names), finds);
    }
    at += there + (there & 1U);
  }
}

}  // namespace ptxscope::containers
