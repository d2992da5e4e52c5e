// Fat binaries: what nvcc and fatbinary put into .nv_fatbin, and what -fatbin writes. There is no public description;
// this is what those of CUDA 11.7, 12.4, 12.8 and 13.0 write, in the order of their bytes:
//
//   header   u32 magic, u16 version (1), u16 header size (16), u64 size of all entries
//   entry    u16 kind (1 PTX, 2 cubin, 8 NVVM IR for link-time optimization), u16 version (0x101), u32 header size,
//            u64 size of what follows, a multiple of 8
//     +0x10  u32 size when compressed, u32 offset of {u32 offset, u32 size} of the options for ptxas,
//            u16 minor and u16 major version (of PTX: .version), u32 number of the architecture
//     +0x20  u32 offset and u32 size of the source's name, u64 flags
//     +0x30  u64 identity, u64 size when not compressed
//
// Offsets count from the entry's start. Text ends in NUL bytes, which fill it up to a multiple of 8.
#include "parser/container_reader.h"

namespace ptxscope::containers {
namespace {

enum Flag : std::uint64_t {
  zlib_compressed = 0x1000,
  lz4_compressed = 0x2000,
  lz4_frame_compressed = 0x4000,
  zstd_compressed = 0x8000,
  all_compressions = 0xF000,
  for_one_architecture = 0x100000,  // "a"
  for_one_family = 0x200000,        // "f"
};

constexpr std::uint64_t header_size = 16;
constexpr std::uint64_t entry_size = 0x40;

Compression compression_of(std::uint64_t flags) {
  switch (flags & all_compressions) {
    case 0:
      return Compression::none;
    case zlib_compressed:
      return Compression::zlib;
    case lz4_compressed:
      return Compression::lz4;
    case lz4_frame_compressed:
      return Compression::lz4_frame;
    case zstd_compressed:
      return Compression::zstd;
    default:
      return Compression::unknown;
  }
}

ImageKind kind_of(std::uint16_t kind) {
  switch (kind) {
    case 1:
      return ImageKind::ptx;
    case 2:
      return ImageKind::cubin;
    case 8:
      return ImageKind::nvvm;
    default:
      return ImageKind::other;
  }
}

// Words are kept within the entry's header; anything else is left out.
std::string word(const Bytes& bytes, std::uint64_t entry, std::uint64_t header, std::uint64_t offset,
                 std::uint64_t size) {
  if (offset > header || size > header - offset || size > longest_word) return {};
  std::string_view text = bytes.text(entry + offset, size);
  text = text.substr(0, text.find('\0'));
  const std::size_t first = text.find_first_not_of(' ');
  if (first == std::string_view::npos) return {};
  return std::string(text.substr(first, text.find_last_not_of(' ') - first + 1));
}

std::string at(const Place& place, std::uint64_t offset) {
  const std::string spelled = place.spelled();
  return (spelled.empty() ? "" : spelled + ", ") + "byte " + std::to_string(offset);
}

// Returns the entry's end, or nothing when what follows cannot be found.
std::optional<std::uint64_t> read_entry(const Bytes& bytes, std::uint64_t entry, std::uint64_t end, const Place& place,
                                        Finds& finds) {
  constexpr const char* build_again = "; the file is damaged or cut short: copy or build it again";
  if (end - entry < entry_size) {
    finds.problem(at(place, entry) + ": an image's header of 64 bytes, but only " + std::to_string(end - entry) +
                  " bytes of the fat binary are left" + build_again);
    return std::nullopt;
  }
  const auto version = bytes.read<std::uint16_t>(entry + 2);
  const std::uint64_t header = bytes.read<std::uint32_t>(entry + 4);
  const auto padded = bytes.read<std::uint64_t>(entry + 8);
  if (version >> 8U != 1) {
    finds.problem(at(place, entry) + ": an image of version " + std::to_string(version >> 8U) + "." +
                  std::to_string(version & 0xFFU) +
                  ", and only those of version 1 are known; the rest of this fat binary was left out (cuobjdump may "
                  "know it)");
    return std::nullopt;
  }
  if (header < entry_size || header > end - entry || padded > end - entry - header) {
    finds.problem(at(place, entry) + ": an image that says it has a header of " + std::to_string(header) +
                  " bytes and " + std::to_string(padded) + " bytes behind it, but only " + std::to_string(end - entry) +
                  " bytes of the fat binary are left" + build_again);
    return std::nullopt;
  }
  const std::uint64_t next = entry + header + padded;
  Image image;
  image.kind = kind_of(bytes.read<std::uint16_t>(entry));
  image.flags = bytes.read<std::uint64_t>(entry + 0x28);
  image.compression = compression_of(image.flags);
  image.target = target_of(bytes.read<std::uint32_t>(entry + 0x1C), image.flags);
  image.member = place.member;
  image.section = place.section;
  image.source =
      word(bytes, entry, header, bytes.read<std::uint32_t>(entry + 0x20), bytes.read<std::uint32_t>(entry + 0x24));
  const std::uint64_t options = bytes.read<std::uint32_t>(entry + 0x14);
  // In an NVVM image these are options of the compiler; they are of use all the same.
  if (options >= entry_size && options + 8 <= header) {
    image.options = word(bytes, entry, header, bytes.read<std::uint32_t>(entry + options),
                         bytes.read<std::uint32_t>(entry + options + 4));
  }
  image.offset = entry + header;
  image.stored_size = padded;
  if (image.compression != Compression::none) {
    const std::uint64_t compressed = bytes.read<std::uint32_t>(entry + 0x10);
    if (compressed == 0 || compressed > padded) {
      finds.problem(at(place, entry) + ": an image that says it is " + std::to_string(compressed) +
                    " bytes compressed, within " + std::to_string(padded) + "; it was left out" + build_again);
      return next;
    }
    image.stored_size = compressed;
    image.size = bytes.read<std::uint64_t>(entry + 0x38);
  } else {
    image.size = padded;
  }
  // The NUL bytes that end and fill up a text are none of it.
  if (image.kind == ImageKind::ptx && image.compression == Compression::none) {
    const std::string_view text = bytes.text(image.offset, padded);
    const std::size_t last = text.find_last_not_of('\0');
    image.size = image.stored_size = last == std::string_view::npos ? 0 : last + 1;
  }
  if (!finds.add(std::move(image))) return std::nullopt;
  return next;
}

}  // namespace

std::string target_of(std::uint32_t number, std::uint64_t flags) {
  if (number == 0 || number > 9999) return {};
  std::string target = "sm_" + std::to_string(number);
  if ((flags & for_one_architecture) != 0) return target + "a";
  if ((flags & for_one_family) != 0) return target + "f";
  return target;
}

bool is_fat_binary(const Bytes& bytes, std::uint64_t offset, std::uint64_t end) {
  return offset <= end && end - offset >= header_size && bytes.read<std::uint32_t>(offset) == fat_binary_magic &&
         bytes.read<std::uint16_t>(offset + 4) == 1 && bytes.read<std::uint16_t>(offset + 6) == header_size;
}

std::uint64_t read_fat_binary(const Bytes& bytes, std::uint64_t offset, std::uint64_t end, const Place& place,
                              Finds& finds) {
  const auto size = bytes.read<std::uint64_t>(offset + 8);
  std::uint64_t entry = offset + header_size;
  std::uint64_t last = end;
  if (size > end - entry) {
    finds.problem(at(place, offset) + ": a fat binary that says it has " + std::to_string(size) +
                  " bytes of images, but only " + std::to_string(end - entry) +
                  " follow; the file was cut short or damaged: copy or build it again");
  } else {
    last = entry + size;
  }
  while (entry < last) {
    const std::optional<std::uint64_t> next = read_entry(bytes, entry, last, place, finds);
    if (!next) break;
    entry = *next;
  }
  return last;
}

std::vector<Range> scan_fat_binaries(const Bytes& bytes, Range range, const Place& place, Finds& finds) {
  constexpr std::string_view magic("\x50\xed\x55\xba", 4);
  std::vector<Range> taken;
  const std::string_view text = bytes.text(0, range.end);
  std::uint64_t from = range.begin;
  while (finds.count() < most_images) {
    const std::size_t found = text.find(magic, from);
    if (found == std::string_view::npos) break;
    from = found + magic.size();
    // Code that looks for fat binaries has the number in it, too: what follows must fit.
    if (!is_fat_binary(bytes, found, range.end)) continue;
    const auto size = bytes.read<std::uint64_t>(found + 8);
    const std::uint64_t entry = found + header_size;
    if (size < entry_size || size > range.end - entry || bytes.read<std::uint16_t>(entry + 2) >> 8U != 1) continue;
    from = read_fat_binary(bytes, found, range.end, place, finds);
    taken.push_back({found, from});
  }
  return taken;
}

void read_fat_binaries(const Bytes& bytes, Range range, const Place& place, Finds& finds) {
  std::uint64_t from = range.begin;
  while (from < range.end) {
    const std::string_view rest = bytes.text(from, range.end - from);
    const std::size_t zeros = rest.find_first_not_of('\0');
    if (zeros == std::string_view::npos) break;
    from += zeros;
    if (is_fat_binary(bytes, from, range.end)) {
      from = read_fat_binary(bytes, from, range.end, place, finds);
      continue;
    }
    const std::size_t next = rest.substr(zeros).find(std::string_view("\x50\xed\x55\xba", 4), 1);
    finds.problem(at(place, from) + ": no fat binary of a known version, where one should be; " +
                  (next == std::string_view::npos ? "the rest of the section was left out"
                                                  : std::to_string(next) + " bytes were left out") +
                  " (the file is damaged, or written by a newer CUDA)");
    if (next == std::string_view::npos) break;
    from += next;
  }
}

}  // namespace ptxscope::containers
