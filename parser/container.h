// PTX inside files: executables, shared libraries, objects, fat binaries, cubins, static archives, and text that holds
// PTX in quotes. Library ptxscope::containers; it includes nothing else of ours, and throws nothing but std::bad_alloc.
//
// Nothing in a container is believed: every offset and size is checked against the bytes there are, nesting and counts
// are bounded, and a decompressed image ends at `ContainerLimits::image`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptxscope {

/// What an image is compiled to: PTX text, machine code in ELF, NVVM IR (bitcode), or what is not known to this
/// version.
enum class ImageKind : std::uint8_t { ptx, cubin, nvvm, other };
/// How an image is compressed; `unknown`: in a way that extract() gives a sentence for.
enum class Compression : std::uint8_t { none, zlib, lz4, lz4_frame, zstd, unknown };

/// How the bytes of an image stand in the container, compression apart.
enum class Encoding : std::uint8_t {
  bytes,        ///< as they are
  nul_lines,    ///< a NUL ends each line (debug sections of cubins)
  c_strings,    ///< string literals of C, C++, Rust, Python or JSON, one or several in a row
  llvm_string,  ///< c"…\0A…" of LLVM IR
};

/// What the file as a whole is.
enum class ContainerFormat : std::uint8_t { unknown, text, fat_binary, elf, cubin, archive, thin_archive, pe };

/// One image in a container. Its bytes are got by extract().
struct Image {
  ImageKind kind = ImageKind::other;  ///< also says how extract() reads it
  std::string target;                 ///< "sm_90a"; "" where nothing says it
  unsigned number = 0;                ///< from 1, among the images of this kind in the container, as cuobjdump counts
  std::string name;                   ///< "app:sm_90a:2"; of a cubin "app:sm_90a:2.cubin"
  std::string member;                 ///< of an archive: which of its files
  std::string section;                ///< of an object file: ".nv_fatbin"
  std::string source;                 ///< the name kept with the image, "kernel.ptx"; mostly ""
  std::string options;                ///< the options kept for ptxas, "-O3"; mostly ""
  Compression compression = Compression::none;  ///< of the stored bytes; for extract()
  Encoding encoding = Encoding::bytes;          ///< of the bytes uncompressed; for extract()
  std::uint64_t flags = 0;                      ///< as stored
  std::uint64_t offset = 0;                     ///< of its stored bytes, from the container's start
  std::uint64_t stored_size = 0;                ///< of these
  std::uint64_t size = 0;                       ///< uncompressed, as far as the container says; else 0
};

/// What read_container() found.
struct ContainerListing {
  /// `unknown`: nothing that could hold PTX; then `images` is empty.
  ContainerFormat format = ContainerFormat::unknown;
  /// In order of place, but of an object .nv_fatbin first, then __nv_relfatbin, then all else.
  std::vector<Image> images;
  /// What was damaged or left out, with where and why; the rest was read. One with nothing to say has none.
  std::vector<std::string> problems;
};

/// Whether these bytes start like a container (by their magic number): anything read_container() takes but text.
[[nodiscard]] ContainerFormat container_format(std::span<const std::byte> bytes);

/// What is in a file or a piece of memory. `name` is what the images are called after: "app" gives "app:sm_90:1".
/// Decompresses nothing. A bare fat binary (magic 0xBA55ED50) may be followed by other bytes.
[[nodiscard]] ContainerListing read_container(std::span<const std::byte> bytes, std::string_view name);

/// The size of the fat binary that starts here, its header included, for one of which only the start is known: a pointer
/// in a process. Takes 16 bytes. Nothing where the magic number (0xBA55ED50) or the version is another.
[[nodiscard]] std::optional<std::uint64_t> fat_binary_size(std::span<const std::byte> header);
/// How much extract() may write: a small file can stand for very much.

struct ContainerLimits {
  std::uint64_t image = std::uint64_t{1} << 30;  ///< bytes of one image, uncompressed
};

/// The bytes of an image, or a sentence: the reason and a way out, without the container's name.
struct Extracted {
  std::optional<std::string> bytes;  ///< nullopt: `error` says why
  std::string error;                 ///< empty when there are bytes
};

/// `container` is what read_container() was given. PTX comes as its text, without the NUL bytes at its end.
[[nodiscard]] Extracted extract(std::span<const std::byte> container, const Image& image,
                                const ContainerLimits& limits = {});

}  // namespace ptxscope
