#include "report/extract.h"

#include <nlohmann/json.hpp>

#include "report/columns.h"
#include "report/json_common.h"

namespace ptxscope::report {
namespace {

std::string_view name_of(Encoding encoding) {
  switch (encoding) {
    case Encoding::bytes:
      return "bytes";
    case Encoding::nul_lines:
      return "nul-lines";
    case Encoding::c_strings:
      return "string-literals";
    case Encoding::llvm_string:
      return "llvm-string";
  }
  return "bytes";
}

// How it is kept: compressed, between quotes, or neither.
std::string kept_as(const Image& image) {
  if (image.compression != Compression::none) return std::string(spelling(image.compression));
  switch (image.encoding) {
    case Encoding::c_strings:
      return "string literals";
    case Encoding::llvm_string:
      return "LLVM string";
    case Encoding::nul_lines:
      return "debug lines";
    case Encoding::bytes:
      break;
  }
  return "plain";
}

std::string where(const ExtractedImage& one) {
  std::string text;
  const auto add = [&](std::string_view word) {
    if (word.empty()) return;
    text += (text.empty() ? "" : ", ") + printable(word, 200);
  };
  add(one.image.member);
  add(one.image.section);
  add(one.image.source);
  if (!one.image.options.empty()) add("options " + one.image.options);
  add(one.remark);
  if (!one.written.empty()) add("written to " + one.written);
  return text.empty() ? "-" : text;
}

std::string count_of(std::size_t count, std::string_view word) {
  return std::to_string(count) + " " + std::string(word) + (count == 1 ? "" : "s");
}

std::string title(const ExtractedFile& file) {
  std::size_t ptx = 0;
  std::size_t cubins = 0;
  for (const ExtractedImage& one : file.images) {
    ptx += one.image.kind == ImageKind::ptx ? 1 : 0;
    cubins += one.image.kind == ImageKind::cubin ? 1 : 0;
  }
  std::string text = count_of(ptx, "PTX module") + ", " + count_of(cubins, "cubin");
  if (const std::size_t others = file.images.size() - ptx - cubins; others > 0)
    text += ", " + count_of(others, "other");
  return text;
}

Json text_or_null(std::string_view text) { return text.empty() ? Json(nullptr) : json_string(text); }

Json image_json(const ExtractedImage& one) {
  const Image& image = one.image;
  Json out;
  out["name"] = json_string(image.name);
  out["kind"] = spelling(image.kind);
  out["target"] = text_or_null(image.target);
  out["number"] = image.number;
  out["size"] = image.size;
  out["stored_size"] = image.stored_size;
  out["offset"] = image.offset;
  out["compression"] = spelling(image.compression);
  out["encoding"] = name_of(image.encoding);
  out["member"] = text_or_null(image.member);
  out["section"] = text_or_null(image.section);
  out["source"] = text_or_null(image.source);
  out["options"] = text_or_null(image.options);
  out["remark"] = text_or_null(one.remark);
  out["written"] = text_or_null(one.written);
  return out;
}

Json file_json(const ExtractedFile& file) {
  Json out;
  out["schema"] = "ptxscope.extract/1";
  out["file"] = json_string(file.path);
  out["format"] = spelling(file.format);
  out["images"] = Json::array();
  for (const ExtractedImage& one : file.images) out["images"].push_back(image_json(one));
  out["problems"] = Json::array();
  for (const std::string& problem : file.problems) out["problems"].push_back(json_string(problem));
  return out;
}

}  // namespace

std::string_view spelling(ImageKind kind) {
  switch (kind) {
    case ImageKind::ptx:
      return "ptx";
    case ImageKind::cubin:
      return "cubin";
    case ImageKind::nvvm:
      return "nvvm";
    case ImageKind::other:
      break;
  }
  return "other";
}

std::string_view spelling(Compression compression) {
  switch (compression) {
    case Compression::none:
      return "none";
    case Compression::zlib:
      return "zlib";
    case Compression::lz4:
      return "lz4";
    case Compression::lz4_frame:
      return "lz4-frame";
    case Compression::zstd:
      return "zstd";
    case Compression::unknown:
      break;
  }
  return "unknown";
}

std::string_view spelling(ContainerFormat format) {
  switch (format) {
    case ContainerFormat::text:
      return "text";
    case ContainerFormat::fat_binary:
      return "fatbin";
    case ContainerFormat::elf:
      return "elf";
    case ContainerFormat::cubin:
      return "cubin";
    case ContainerFormat::archive:
      return "archive";
    case ContainerFormat::thin_archive:
      return "thin-archive";
    case ContainerFormat::pe:
      return "pe";
    case ContainerFormat::unknown:
      break;
  }
  return "unknown";
}

std::string extract_text(std::span<const ExtractedFile> files, const TextStyle& style) {
  std::string text;
  for (const ExtractedFile& file : files) {
    if (!text.empty()) text += "\n";
    text += paint(style, Ink::bold, printable(file.path)) + " (" + std::string(spelling(file.format)) +
            "): " + title(file) + "\n";
    if (file.images.empty()) continue;
    Columns columns(style, 2);
    columns.head({"name", "kind", "target", "bytes", "stored", "kept as", "where"});
    for (const ExtractedImage& one : file.images) {
      const Image& image = one.image;
      columns.add({printable(image.name, 200), std::string(spelling(image.kind)),
                   image.target.empty() ? "-" : printable(image.target, 32),
                   image.size == 0 && image.stored_size != 0 ? "?" : std::to_string(image.size),
                   std::to_string(image.stored_size), kept_as(image), where(one)});
    }
    text += columns.text();
  }
  return text;
}

std::string extract_json(std::span<const ExtractedFile> files) {
  if (files.size() == 1) return dump(file_json(files.front()));
  Json out;
  out["schema"] = "ptxscope.extract/1";
  out["files"] = Json::array();
  for (const ExtractedFile& file : files) out["files"].push_back(file_json(file));
  return dump(out);
}

}  // namespace ptxscope::report
