#include "parser/container.h"

#include <algorithm>
#include <map>

#include "parser/container_reader.h"
#include "parser/container_text.h"

namespace ptxscope {
namespace containers {

bool Finds::add(Image image) {
  if (listing_.images.size() < most_images) {
    listing_.images.push_back(std::move(image));
    return true;
  }
  if (listing_.images.size() == most_images)
    problem("more than " + std::to_string(most_images) + " images; the rest was left out");
  return false;
}

void Finds::problem(std::string sentence) {
  if (++problems_ <= most_problems) listing_.problems.push_back(std::move(sentence));
  if (problems_ == most_problems + 1) listing_.problems.emplace_back("there is more of that kind, which is not listed");
}

std::string Place::spelled() const {
  if (member.empty()) return section;
  return section.empty() ? member : member + ", " + section;
}

}  // namespace containers

namespace {

using containers::Bytes;

// Sound PTX holds no control characters but white space and the NUL bytes that some drivers' dumps end with.
bool looks_like_text(std::string_view text) {
  const std::string_view head = text.substr(0, 4096);
  const auto control = std::count_if(head.begin(), head.end(), [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte < 32 && (byte < 9 || byte > 13) && byte != 0x1A && byte != 0x1B;
  });
  return static_cast<std::size_t>(control) * 10 <= head.size();
}

void number_images(ContainerListing& listing, std::string_view name) {
  std::map<ImageKind, unsigned> counts;
  const std::string base(name);
  for (Image& image : listing.images) {
    image.number = ++counts[image.kind];
    image.name = base + ":" + (image.target.empty() ? "any" : image.target) + ":" + std::to_string(image.number);
    if (image.kind == ImageKind::cubin) image.name += ".cubin";
    if (image.kind == ImageKind::nvvm) image.name += ".nvvm";
    if (image.kind == ImageKind::other) image.name += ".other";
  }
}

}  // namespace

ContainerFormat container_format(std::span<const std::byte> container) {
  const Bytes bytes(container);
  const std::string_view start = bytes.text(0, 8);
  if (start.starts_with("\x7f"
                        "ELF")) {
    constexpr std::uint16_t em_cuda = 190;
    return bytes.read<std::uint16_t>(0x12) == em_cuda ? ContainerFormat::cubin : ContainerFormat::elf;
  }
  if (bytes.read<std::uint32_t>(0) == containers::fat_binary_magic) return ContainerFormat::fat_binary;
  if (start == "!<arch>\n") return ContainerFormat::archive;
  if (start == "!<thin>\n") return ContainerFormat::thin_archive;
  if (start.starts_with("MZ")) return ContainerFormat::pe;
  // An object of Visual Studio: machine AMD64, a small number of sections.
  if (start.starts_with("\x64\x86") && bytes.size() >= 20 && bytes.read<std::uint16_t>(16) == 0)
    return ContainerFormat::pe;
  return ContainerFormat::unknown;
}

ContainerListing read_container(std::span<const std::byte> container, std::string_view name) {
  const Bytes bytes(container);
  ContainerListing listing;
  listing.format = container_format(container);
  containers::Finds finds(listing);
  const containers::Range all{0, bytes.size()};
  switch (listing.format) {
    case ContainerFormat::elf:
    case ContainerFormat::cubin:
      containers::read_elf(bytes, all, "", finds);
      break;
    case ContainerFormat::pe:
      containers::read_pe(bytes, all, "", finds);
      break;
    case ContainerFormat::archive:
      containers::read_archive(bytes, finds);
      break;
    case ContainerFormat::thin_archive:
      finds.problem("only the names of its objects are in it; name the objects instead");
      break;
    case ContainerFormat::fat_binary:
      if (containers::is_fat_binary(bytes, 0, bytes.size())) {
        containers::read_fat_binary(bytes, 0, bytes.size(), {}, finds);
      } else {
        finds.problem(bytes.size() < 16
                          ? "it was cut short within its header of 16 bytes; copy or build it again"
                          : "its header is not one of version 1; it is damaged, or written by a newer CUDA");
      }
      break;
    case ContainerFormat::unknown:
    case ContainerFormat::text:
      if (!looks_like_text(bytes.all())) {
        containers::scan_ptx(bytes, all, {}, finds);
        break;
      }
      listing.format = ContainerFormat::text;
      containers::read_text(bytes, finds);
      break;
  }
  number_images(listing, name);
  return listing;
}

std::optional<std::uint64_t> fat_binary_size(std::span<const std::byte> header) {
  const Bytes bytes(header);
  if (!containers::is_fat_binary(bytes, 0, bytes.size())) return std::nullopt;
  constexpr std::uint64_t own = 16;
  const auto size = bytes.read<std::uint64_t>(8);
  if (size > UINT64_MAX - own) return std::nullopt;
  return size + own;
}

}  // namespace ptxscope
