// The bytes of one image: decompressed, or taken out of the quotes they stand in.
#include <lz4.h>
#include <lz4frame.h>
#include <zstd.h>

#include <algorithm>
#include <climits>
#include <memory>

#include "parser/container_reader.h"
#include "parser/container_text.h"

namespace ptxscope {
namespace {

Extracted failed(std::string sentence) { return {std::nullopt, std::move(sentence)}; }

constexpr const char* build_again = "; the file is damaged: copy or build it again";

std::string too_large(std::uint64_t limit) {
  return "it is larger than " + std::to_string(limit >> 20U) +
         " MiB uncompressed, more than any module; cuobjdump --extract-ptx writes it if it is sound";
}

// Grows with what comes out, not with what was announced: a lie costs no memory.
std::size_t next_room(std::size_t room, std::uint64_t limit) {
  constexpr std::size_t first = 1U << 16;
  return static_cast<std::size_t>(std::min<std::uint64_t>(std::max(first, room * 2), limit + 1));
}

Extracted lz4_block(std::string_view stored, std::uint64_t size, std::uint64_t limit) {
  // A byte of LZ4 stands for 255 at most.
  if (size > limit || size > INT_MAX || stored.size() > INT_MAX) return failed(too_large(limit));
  if (size / 255 > stored.size())
    return failed("LZ4 data of " + std::to_string(stored.size()) + " bytes cannot be the " + std::to_string(size) +
                  " bytes it announces" + build_again);
  std::string out(static_cast<std::size_t>(size), '\0');
  const int got =
      LZ4_decompress_safe(stored.data(), out.data(), static_cast<int>(stored.size()), static_cast<int>(out.size()));
  if (got < 0 || static_cast<std::uint64_t>(got) != size)
    return failed("its LZ4 data cannot be decompressed" + std::string(build_again));
  return {std::move(out), {}};
}

Extracted lz4_frame(std::string_view stored, std::uint64_t size, std::uint64_t limit) {
  LZ4F_dctx* made = nullptr;
  if (LZ4F_isError(LZ4F_createDecompressionContext(&made, LZ4F_VERSION)) != 0) return failed("out of memory");
  const std::unique_ptr<LZ4F_dctx, decltype(&LZ4F_freeDecompressionContext)> context(made,
                                                                                     &LZ4F_freeDecompressionContext);
  std::string out;
  std::size_t used = 0;
  for (;;) {
    if (used == out.size()) out.resize(next_room(out.size(), limit));
    std::size_t taken = stored.size();
    std::size_t written = out.size() - used;
    const std::size_t left =
        LZ4F_decompress(context.get(), out.data() + used, &written, stored.data(), &taken, nullptr);
    if (LZ4F_isError(left) != 0)
      return failed("its LZ4 data cannot be decompressed (" + std::string(LZ4F_getErrorName(left)) + ")" + build_again);
    used += written;
    stored.remove_prefix(taken);
    if (used > limit) return failed(too_large(limit));
    if (left == 0) break;
    if (taken == 0 && written == 0) return failed("its LZ4 data ends too early" + std::string(build_again));
  }
  if (used != size)
    return failed("it announces " + std::to_string(size) + " bytes, and " + std::to_string(used) + " came out" +
                  build_again);
  out.resize(used);
  return {std::move(out), {}};
}

Extracted zstd(std::string_view stored, std::uint64_t size, std::uint64_t limit) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  if (!context) return failed("out of memory");
  std::string out;
  ZSTD_inBuffer in{stored.data(), stored.size(), 0};
  std::size_t used = 0;
  std::size_t left = 1;
  while (in.pos < in.size || left != 0) {
    if (used == out.size()) out.resize(next_room(out.size(), limit));
    ZSTD_outBuffer room{out.data(), out.size(), used};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &room, &in);
    if (ZSTD_isError(left) != 0)
      return failed("its Zstandard data cannot be decompressed (" + std::string(ZSTD_getErrorName(left)) + ")" +
                    build_again);
    const bool moved = room.pos != used || in.pos != before;
    used = room.pos;
    if (used > limit) return failed(too_large(limit));
    if (!moved && left != 0) return failed("its Zstandard data ends too early" + std::string(build_again));
  }
  if (used != size)
    return failed("it announces " + std::to_string(size) + " bytes, and " + std::to_string(used) + " came out" +
                  build_again);
  out.resize(used);
  return {std::move(out), {}};
}

Extracted decompressed(std::string_view stored, const Image& image, std::uint64_t limit) {
  if (image.compression != Compression::none && image.size > limit) return failed(too_large(limit));
  switch (image.compression) {
    case Compression::none:
      if (stored.size() > limit) return failed(too_large(limit));
      return {std::string(stored), {}};
    case Compression::lz4:
      return lz4_block(stored, image.size, limit);
    case Compression::lz4_frame:
      return lz4_frame(stored, image.size, limit);
    case Compression::zstd:
      return zstd(stored, image.size, limit);
    case Compression::zlib:
      return failed("it is compressed by zlib, which is not read here; cuobjdump --extract-ptx writes it");
    case Compression::unknown:
      break;
  }
  return failed(
      "it is compressed in a way that is not known here (neither LZ4 nor Zstandard); cuobjdump --extract-ptx "
      "may know it");
}

}  // namespace

Extracted extract(std::span<const std::byte> container, const Image& image, const ContainerLimits& limits) {
  const containers::Bytes bytes(container);
  if (!bytes.holds(image.offset, image.stored_size)) return failed("it lies outside the file");
  // Marks IR that nvcc obfuscated with a key of its own; for PTX the mark is not known to be used.
  constexpr std::uint64_t obfuscated = 0x10000;
  if ((image.flags & obfuscated) != 0)
    return failed("it was obfuscated when it was compiled, and only the driver has the key");
  Extracted got = decompressed(bytes.text(image.offset, image.stored_size), image, limits.image);
  if (!got.bytes) return got;
  if (image.encoding != Encoding::bytes) {
    got.bytes = containers::decoded(*got.bytes, image.encoding);
  }
  if (image.kind == ImageKind::ptx) {
    const std::size_t last = got.bytes->find_last_not_of('\0');
    got.bytes->resize(last == std::string::npos ? 0 : last + 1);
  }
  return got;
}

}  // namespace ptxscope
